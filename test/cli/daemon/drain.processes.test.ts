/** `bidhelm run` that is asked to end while the marketplace says nothing: it ends in time, and nothing is done twice. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { until } from "../../faults/Waiting.js"
import { Daemon, often } from "../Daemon.js"
import * as Shop from "../Shop.js"
import * as Silent from "../Silent.js"

let shop: Shop.Shop
let marketplace: Silent.Silent
let started: Array<Daemon>
beforeEach(async () => {
  started = []
  shop = await Shop.Shop.open()
  marketplace = await Silent.before(shop.url)
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(shop.url, marketplace.url))
  often(shop, "01-raise-to-reach-max", "disabled")
  often(shop, "02-minus-low-ctr", "apply")
  often(shop, "03-daily-budget-stop", "disabled")
})
afterEach(async () => {
  for (const { child, end } of started) {
    child.kill("SIGKILL")
    await end
  }
  await marketplace.close()
  await shop.close()
})

const start = (): Daemon => {
  const made = new Daemon(shop.start("run"))
  started.push(made)
  return made
}

/** What the operating system waits before it kills, seconds: the promise of the documentation. */
const promisedMs = 30_000

/** Asks to end; answers how it ended, and false when the promise was broken. */
const ended = async (daemon: Daemon) => {
  daemon.child.kill("SIGTERM")
  let late: NodeJS.Timeout | undefined
  const broken = new Promise<"too late">((resolve) => {
    late = setTimeout(() => resolve("too late"), promisedMs)
  })
  const first = await Promise.race([daemon.end, broken])
  clearTimeout(late)
  return first
}

const states = async () => {
  const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
    readonly runs: ReadonlyArray<{ readonly counts: Readonly<Record<string, number>> }>
  }
  return runs.map(({ counts }) => counts)
}

/** Phrases by the list they were added to: one that was sent twice would be there twice. */
const phrases = async () =>
  (await shop.ledger()).entries.map(({ slot, target, after }) => JSON.stringify([slot, target, after]))

describe("asked to end while the marketplace says nothing, bidhelm run", () => {
  it.each([
    ["to a request that was swallowed", false, false],
    ["although the request arrived, nor to anything after it", true, true],
    ["to a request that was swallowed, nor to anything after it", false, true]
  ])(
    "ends within 30 seconds %s, and the next start settles what was sent and sends the rest",
    async (_, arrives, everything) => {
      marketplace.silence = { path: /set-minus/, arrives }
      const daemon = start()
      await until(() => marketplace.unanswered() > 0)
      if (everything) marketplace.silence = { path: /^\/(?!_sandbox)/, arrives }
      expect(await ended(daemon)).toMatchObject({ code: 0 })
      expect(daemon.said).toContain("stopping")
      // Reading back takes longer than there is time for.
      expect(daemon.said.includes("interrupted a cycle")).toBe(everything)
      const before = await phrases()
      expect(before.length > 0).toBe(arrives)
      expect(Object.keys((await states())[0] ?? {})).not.toContain("applied")

      marketplace.silence = undefined
      const next = start()
      await next.until(/: applied|: nothing (to|was)/)
      await until(async () =>
        (await states()).every((counts) => !("unknown" in counts) && !("dispatching" in counts))
      )
      await next.stop()
      const after = await phrases()
      expect(new Set(after).size).toBe(after.length)
      expect(after.length).toBeGreaterThan(before.length)
    },
    180_000
  )

  it("answers what is in the air when its terminal is closed, which hangs it up more than once", async () => {
    marketplace.silence = { path: /set-minus/, arrives: true }
    const daemon = start()
    await until(() => marketplace.unanswered() > 0)
    daemon.child.kill("SIGHUP")
    await daemon.until(/stopping/)
    daemon.child.kill("SIGHUP")
    daemon.child.kill("SIGTERM")
    marketplace.speak()
    expect(await daemon.end).toMatchObject({ code: 0 })
    expect(daemon.said).not.toContain("interrupted")
    expect(await phrases()).toHaveLength(1)
    expect(Object.keys((await states())[0] ?? {})).toContain("applied")
  }, 180_000)

  it("ends while it is still reading, having sent nothing", async () => {
    marketplace.silence = { path: /^\/(?!_sandbox)/, arrives: true }
    const daemon = start()
    await until(() => marketplace.unanswered() > 0)
    expect(await ended(daemon)).toMatchObject({ code: 0 })
    expect((await shop.ledger()).entries).toEqual([])
  }, 180_000)
})

describe("asked to end while it carries out an apply for somebody else, bidhelm run", () => {
  /** A program with nothing of its own to do, and an apply that it has taken over. */
  const taken = async () => {
    const minus = "rules/02-minus-low-ctr.yaml"
    shop.write(minus, shop.read(minus).replace(/^schedule: .*\n/m, ""))
    const daemon = start()
    await daemon.until(/pid \d+\. bidhelm status tells more/)
    const client = new Daemon(shop.start("apply", "--yes"))
    started.push(client)
    await until(() => {
      if (client.child.exitCode !== null) throw new Error(`it ended: ${client.said}`)
      return marketplace.unanswered() > 0
    })
    return { client, daemon }
  }

  it("ends it between two requests, reads back what was sent, and tells its client how it ended", async () => {
    marketplace.silence = { path: /set-minus/, arrives: true }
    const { client, daemon } = await taken()
    const end = ended(daemon)
    await daemon.until(/stopping/)
    marketplace.speak()
    expect(await end).toMatchObject({ code: 0 })
    expect(daemon.said).not.toContain("interrupted")
    const { code, stderr, stdout } = await client.end
    expect(code).toBe(4)
    expect(stderr).toContain("bidhelm run was asked to end; give the command again")
    expect(stdout).toContain("partial (")

    // One request is one list of phrases.
    const first = await phrases()
    expect(first).toHaveLength(1)
    const [counts] = await states()
    expect(Object.keys(counts ?? {}).sort()).toEqual(["applied", "skipped"])

    expect(await shop.run("apply", "--yes")).toMatchObject({ code: 0 })
    const all = await phrases()
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(first.length)
  }, 180_000)

  it("interrupts it in time when nothing answers, tells its client, and the next apply reads back first", async () => {
    marketplace.silence = { path: /set-minus/, arrives: true }
    const { client, daemon } = await taken()
    marketplace.silence = { path: /^\/(?!_sandbox)/, arrives: true }
    expect(await ended(daemon)).toMatchObject({ code: 0 })
    expect(daemon.said).toContain("interrupted a command")
    expect(daemon.said).not.toContain("interrupted a cycle")
    const { code, stderr } = await client.end
    expect(code).toBe(1)
    expect(stderr).toContain("bidhelm history says how far it came")

    const first = await phrases()
    marketplace.silence = undefined
    const next = await shop.run("apply", "--yes")
    expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining("reading") })
    const all = await phrases()
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(first.length)
  }, 180_000)

  it("ends one that still plans at once, with nothing sent", async () => {
    marketplace.silence = { path: /^\/(?!_sandbox)/, arrives: true }
    const { client, daemon } = await taken()
    expect(await ended(daemon)).toMatchObject({ code: 0 })
    expect(daemon.said).not.toContain("interrupted")
    expect(await client.end).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was sent") })
    expect((await shop.ledger()).entries).toEqual([])
  }, 180_000)
})
