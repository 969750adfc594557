/** `bidhelm run` as a real process against the sandbox: turns, restarts, signals, changed rules, and its socket. */
import { chmodSync, existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import { freePort, until } from "../../faults/Waiting.js"
import * as Collector from "../../observe/Collector.js"
import * as Postgres from "../../store/Postgres.js"
import { Daemon, often, ranCycle } from "../Daemon.js"
import * as Shop from "../Shop.js"

afterAll(async () => {
  await Postgres.end()
})

let shop: Shop.Shop
let running: Array<Daemon>
beforeEach(async () => {
  running = []
  shop = await Shop.Shop.open()
  // Often enough for a test; pausing takes clusters out of the other rules' scope.
  often(shop, "01-raise-to-reach-max", "apply")
  often(shop, "02-minus-low-ctr", "apply")
  often(shop, "03-daily-budget-stop", "disabled")
})
afterEach(async () => {
  for (const { child, end } of running) {
    child.kill("SIGKILL")
    await end
  }
  await shop.close()
})

/** Until something was accepted: on a busy machine the first cycle may have lost its lock before it sent. */
const writes = (daemon: Daemon): Promise<void> =>
  until(async () => {
    if (daemon.child.exitCode !== null) throw new Error(`it ended: ${daemon.said}`)
    return (await written()) > 0
  })

const start = (...args: ReadonlyArray<string>): Daemon => {
  const made = new Daemon(shop.start("run", ...args))
  running.push(made)
  return made
}

const cycles = ({ said }: Daemon): number => (said.match(new RegExp(ranCycle, "g")) ?? []).length

const written = async () => (await shop.ledger()).entries.length
const slowly = (operation: string) => ({ faults: [{ kind: "latency", operation, ms: 10_000 }] })

describe("bidhelm run", () => {
  it("applies, goes on and ends as ever while who is told of it takes all and never answers", async () => {
    const collector = await Collector.open("never")
    shop.write("bidhelm.yaml", `${shop.read("bidhelm.yaml")}\ntelemetry: {otlp: "${collector.url}"}\n`)
    const daemon = start()
    await writes(daemon)
    await until(() => collector.sent.length > 0)
    const before = cycles(daemon)
    await until(() => cycles(daemon) >= before + 2)
    expect((await daemon.stop()).code).toBe(0)
    await collector.close()
  })

  it("runs what is due, once, tells how it stands, and lets no second one in", async () => {
    const daemon = start()
    await daemon.until(ranCycle)
    await writes(daemon)
    expect(statSync(join(shop.folder, ".bidhelm/run.sock")).mode & 0o777).toBe(0o600)

    const second = await shop.run("run")
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`pid ${daemon.child.pid}`)

    const status = await shop.run("status", "--json")
    expect(JSON.parse(status.stdout)).toMatchObject({
      kind: "status",
      pid: daemon.child.pid,
      accounts: [{ last: { outcome: "ran" } }]
    })
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
      runs: ReadonlyArray<unknown>
    }
    expect(runs.length).toBeGreaterThan(0)

    const refused = await shop.run("apply")
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain("--yes")

    await until(() => cycles(daemon) >= 3)
    const slots = (await shop.ledger()).entries.map(({ slot, target }) => JSON.stringify([slot, target]))
    expect(new Set(slots).size).toBe(slots.length)

    daemon.child.kill("SIGTERM")
    expect((await daemon.end).code).toBe(0)
    expect(existsSync(join(shop.folder, ".bidhelm/run.lock.pid"))).toBe(false)
  })

  it("repeats nothing after kill -9 in the middle of a cycle", async () => {
    await shop.control("faults", slowly("setMinusPhrases"))
    const daemon = start()
    await until(async () => (await written()) > 0)
    daemon.child.kill("SIGKILL")
    await daemon.end
    await shop.control("faults", { faults: [] })

    const next = start()
    await next.until(ranCycle)
    const entries = (await shop.ledger()).entries
    const slots = entries.map(({ slot, target }) => JSON.stringify([slot, target]))
    expect(new Set(slots).size).toBe(slots.length)
  })

  it("ends a cycle between two requests when asked to end", async () => {
    await shop.control("faults", slowly("setMinusPhrases"))
    const daemon = start()
    await until(async () => (await written()) > 0)
    daemon.child.kill("SIGTERM")
    expect((await daemon.end).code).toBe(0)
    expect(daemon.said).toContain("stopping")
    const before = await written()
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
      runs: ReadonlyArray<{ counts: Readonly<Record<string, number>> }>
    }
    expect(runs).toHaveLength(1)
    expect(runs[0]?.counts.unknown ?? 0).toBe(0)
    expect(await written()).toBe(before)
  })

  it("keeps its rules while a file is broken, says where, and takes it up once mended", async () => {
    const daemon = start()
    await daemon.until(ranCycle)
    const good = shop.read("rules/01-raise-to-reach-max.yaml")
    shop.write("rules/01-raise-to-reach-max.yaml", good.replace("mode:", "mdoe:"))
    await daemon.until(/rules of before stay in force[\s\S]*01-raise-to-reach-max\.yaml:\d+/)
    // It is told a moment before the looks have it.
    await until(async () => (await status()).rulesProblem !== undefined)
    const { accounts, rulesProblem, rulesVersion } = await status()
    expect(rulesProblem).toContain("mdoe")
    expect(accounts).toHaveLength(1)
    shop.write("rules/01-raise-to-reach-max.yaml", good.replace(/^mode: .*$/m, "mode: preview"))
    await until(async () => (await status()).rulesVersion !== rulesVersion)
    expect((await status()).rulesProblem).toBeUndefined()
    await daemon.until(/the rule files can be used again/)
  })

  it("works the same on PostgreSQL, with health, and runs commands of others", async () => {
    const url = await (await Postgres.shared()).fresh()
    shop.write("password", Postgres.password)
    chmodSync(join(shop.folder, "password"), 0o600)
    const http = await freePort()
    const runner = `runner: {listen: "127.0.0.1:${await freePort()}", http: "127.0.0.1:${http}", shards: 10}`
    const store = `store: "${url}"\nstore_password: {file: password}\n${runner}\n`
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^store:.*$/m, "") + store)
    const daemon = start()
    await daemon.until(ranCycle)
    await writes(daemon)
    const ready = await fetch(`http://127.0.0.1:${http}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true }])
    // The program's own cycle may have the lock now, or have lost it half-way.
    let applied: Shop.Ended | undefined
    await until(async () => {
      applied = await shop.run("apply", "--yes", "--json")
      return applied.code === 0
    })
    expect(JSON.parse(applied?.stdout ?? "")).toMatchObject({ kind: "apply" })
    const unknown = await shop.run("history", "no-such-run")
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain("no-such-run")
    daemon.child.kill("SIGTERM")
    expect((await daemon.end).code).toBe(0)
  })

  it("runs what is due with --once, and ends", async () => {
    expect((await shop.run("run", "--once")).code).toBe(0)
    expect(await written()).toBe(0)
    // Due every five minutes of the sandbox's; a busy machine may lose its lock, and then nothing is sent that time.
    const said: Array<string> = []
    await until(async () => {
      const next = await shop.run("run", "--once")
      said.push(next.stderr)
      expect([next.code, next.stderr]).toEqual([0, next.stderr])
      return (await written()) > 0
    })
    expect(said.at(-1)).toMatch(ranCycle)
  })
})

const status = async () =>
  JSON.parse((await shop.run("status", "--json")).stdout) as {
    readonly rulesVersion: string
    readonly rulesProblem?: string
    readonly accounts: ReadonlyArray<unknown>
  }
