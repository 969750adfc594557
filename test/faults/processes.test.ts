/** Processes that sleep past their lock, are told twice to end, or run out of memory. */
import { afterEach, describe, expect, it } from "vitest"
import { Daemon } from "../cli/Daemon.js"
import type * as Shop from "../cli/Shop.js"
import * as Stage from "./Stage.js"
import * as StageJournal from "./StageJournal.js"
import { until } from "./Waiting.js"

let shop: Shop.Shop | undefined
let running: Array<Daemon> = []
afterEach(async () => {
  for (const { child, end } of running) {
    child.kill("SIGKILL")
    await end
  }
  running = []
  await shop?.close()
  shop = undefined
})

const start = (of: Shop.Shop, ...args: ReadonlyArray<string>): Daemon => {
  const made = new Daemon(of.start(...args))
  running.push(made)
  return made
}

/** The line of the system about a process says `T` while it stands still. */
const standsStill = async (pid: number): Promise<boolean> => {
  const { readFileSync } = await import("node:fs")
  return / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/\(.*\)/, ""))
}

/** Says of every parked deposit that it was not paid, and applies once more; answers how many there were. */
const settleParked = async (of: Shop.Shop): Promise<number> => {
  const { changes } = JSON.parse((await of.run("history", "--state", "parked", "--json")).stdout)
  for (const { change, runId } of changes) {
    const said = await of.run("resolve", runId, change.id, "--not-paid")
    expect([said.code, said.stderr]).toEqual([0, said.stderr])
  }
  if (changes.length > 0) await until(async () => (await of.run("apply", "--yes")).code === 0)
  return changes.length
}

/** Until the lock in the store, with its grace, is over by the sandbox's clock. */
const pastTheLock = (of: Shop.Shop) =>
  until(async () => {
    const { nowMs } = (await (await fetch(`${of.url}/_sandbox/clock`)).json()) as { readonly nowMs: number }
    return nowMs > StageJournal.lockedUntil(of)
  })

describe("a run that slept past its lock", () => {
  it.each(["claiming", "claimed", "permitted", "dispatching"])(
    "at %s sends nothing when it wakes: another one has done it",
    async (point) => {
      const of = await Stage.open(["bids", "deposit"])
      shop = of
      of.environment = { BIDHELM_STOP_AT: `${point}:1:STOP` }
      const sleeper = start(of, "apply", "--yes")
      of.environment = {}
      const pid = sleeper.child.pid ?? 0
      await until(() => standsStill(pid))
      expect((await Stage.ledgerOf(of)).entries).toEqual([])
      await pastTheLock(of)

      // The sleeper lives, so its lock is not taken before it has ended.
      await until(async () => (await of.run("apply", "--yes")).code === 0)
      const before = (await Stage.nothingTwice(of)).length
      expect(before).toBeGreaterThan(0)
      sleeper.child.kill("SIGCONT")
      const woken = await sleeper.end
      expect([woken.code, woken.stderr]).not.toEqual([0, woken.stderr])

      expect((await Stage.nothingTwice(of)).length).toBe(before)
      // A deposit that it might have sent when it woke was nobody's to prove: a person settles it, and it is made.
      const waits = point === "dispatching" ? 1 : 0
      expect(await Stage.requests(of, "depositCampaignBudget")).toBe(1 - waits)
      expect(await settleParked(of)).toBe(waits)
      expect(await Stage.requests(of, "depositCampaignBudget")).toBe(1)
      await StageJournal.nothingOpen(of)
    }
  )
})

describe("bidhelm run, told to end", () => {
  it("twice, ends at once, and the next one repeats nothing", async () => {
    const of = await Stage.open(["bids", "minus"])
    shop = of
    await of.control("faults", { faults: [{ kind: "latency", operation: "setMinusPhrases", ms: 600_000 }] })
    const daemon = start(of, "run")
    await until(async () => (await Stage.requests(of, "getMinusPhrases")) > 0)
    daemon.child.kill("SIGTERM")
    await daemon.until(/stopping/)
    daemon.child.kill("SIGTERM")
    expect((await daemon.end).code).toBe(130)
    await of.control("faults", { faults: [] })
    const before = (await Stage.ledgerOf(of)).entries.length
    await new Promise((wake) => setTimeout(wake, 500))
    expect((await Stage.ledgerOf(of)).entries.length).toBe(before)
    const next = await Stage.run(of, ["apply", "--yes"])
    expect([next.code, next.stderr]).toEqual([0, next.stderr])
    await Stage.nothingTwice(of)
    await StageJournal.nothingOpen(of)
  })
})

describe("a process that runs out of memory", () => {
  it.each([
    ["dispatching", 0],
    ["answered", 1]
  ])(
    "at %s of a deposit dies there: the next run reads it back, and never makes it twice",
    async (point, sent) => {
      const of = await Stage.open(["deposit"])
      shop = of
      of.environment = {
        BIDHELM_STOP_AT: `${point}:1:MEMORY`,
        NODE_OPTIONS: "--max-old-space-size=96"
      }
      const died = await of.run("apply", "--yes")
      expect([died.code, died.stderr]).toEqual([null, expect.stringMatching(/heap out of memory/)])
      expect(StageJournal.ask(of, "SELECT state FROM changes")).toEqual([{ state: "dispatching" }])
      expect(await Stage.requests(of, "depositCampaignBudget")).toBe(sent)
      of.environment = {}
      const next = await Stage.run(of, ["apply", "--yes"])
      expect([next.code, next.stderr]).toEqual([0, next.stderr])
      expect(await Stage.nothingTwice(of)).toHaveLength(1)
      expect(await Stage.requests(of, "depositCampaignBudget")).toBe(1)
      await StageJournal.nothingOpen(of)
    }
  )

  it("dies like a killed one: with more memory the next run does the rest, once", async () => {
    const of = await Stage.open(["bids", "minus", "deposit"])
    shop = of
    const ends: Array<number | null> = []
    for (const megabytes of [16, 22, 28, 36]) {
      of.environment = { NODE_OPTIONS: `--max-old-space-size=${megabytes}` }
      ends.push((await of.run("apply", "--yes")).code)
    }
    of.environment = {}
    expect(ends).toContain(null)
    const next = await Stage.run(of, ["apply", "--yes"])
    expect([next.code, next.stderr]).toEqual([0, next.stderr])
    expect(await Stage.nothingTwice(of)).not.toEqual([])
    expect(await Stage.requests(of, "depositCampaignBudget")).toBe(1)
    await StageJournal.nothingOpen(of)
  })
})
