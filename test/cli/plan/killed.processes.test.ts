/** kill -9 in the middle of apply: afterwards nothing is sent twice, and nothing is forgotten. */
import { afterEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as Stage from "../../faults/Stage.js"
import * as StageJournal from "../../faults/StageJournal.js"
import { until } from "../../faults/Waiting.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop | undefined
afterEach(() => shop?.close())

interface History {
  readonly runs: ReadonlyArray<{ readonly status: string; readonly counts: Readonly<Record<string, number>> }>
}

interface Report {
  readonly changes: ReadonlyArray<{ readonly change: Plan["changes"][number]; readonly state: string }>
}

/** Without the rule that pauses: a paused campaign takes its clusters out of the other rules' scope. */
const open = async (): Promise<Shop.Shop> => {
  const opened = await Shop.Shop.open()
  opened.write(
    "rules/03-daily-budget-stop.yaml",
    opened.read("rules/03-daily-budget-stop.yaml").replace("mode: apply", "mode: disabled")
  )
  return opened
}

/** Starts apply and kills it as soon as the marketplace has accepted this many writes. */
const killAfter = async (of: Shop.Shop, writes: number): Promise<void> => {
  const child = of.start("apply", "--yes")
  const end = Shop.ended(child)
  while ((await of.ledger()).entries.length < writes) {
    if (child.exitCode !== null) throw new Error("apply ended before it could be killed")
    await pause()
  }
  child.kill("SIGKILL")
  expect((await end).code).toBeNull()
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
const slowly = (operation: string) => ({ faults: [{ kind: "latency", operation, ms: 10_000 }] })

describe("apply, killed in the middle", () => {
  it.each([1, 4])("is finished by the next apply (after %i accepted writes)", async (writes) => {
    shop = await open()
    const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    await shop.control("faults", slowly("setMinusPhrases"))
    await killAfter(shop, writes)
    await shop.control("faults", { faults: [] })
    const partly = await shop.compare(plan.changes)
    expect(partly.missing.length).toBeGreaterThan(0)

    const next = await Stage.run(shop, ["apply", "--yes", "--json"])
    expect(next).toMatchObject({ code: 0 })
    expect(next.stderr).toMatch(/of an earlier run (is|are) open; reading (it|them) back first/)
    const report = JSON.parse(next.stdout) as Report
    expect(report.changes.every((row) => row.state === "applied")).toBe(true)
    expect(await shop.compare(plan.changes)).toEqual({
      agreed: plan.changes.length,
      missing: [],
      surplus: []
    })
  })

  it("is not repeated when everything had been accepted but not yet read back", async () => {
    shop = await open()
    const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const bids = plan.changes.filter((change) => change.action === "raise_bid").length
    const items = new Set(plan.changes.filter((c) => c.action === "add_minus").map((c) => c.subject.itemId))
      .size
    await killAfter(shop, bids + items)
    const next = await Stage.run(shop, ["apply", "--yes", "--json"])
    expect(next).toMatchObject({ code: 0 })
    expect((JSON.parse(next.stdout) as Report).changes).toEqual([])
    expect(await shop.compare(plan.changes)).toEqual({
      agreed: plan.changes.length,
      missing: [],
      surplus: []
    })
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as History
    expect(runs).toMatchObject([{ status: "interrupted", counts: { applied: plan.changes.length } }])
  })

  it("loses and repeats nothing when a request was in the air", async () => {
    shop = await open()
    const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const items = new Set(plan.changes.filter((c) => c.action === "add_minus").map((c) => c.subject.itemId))
      .size
    await shop.control("faults", slowly("setClusterBidsMinorUnits"))
    await killAfter(shop, items)
    await shop.control("faults", { faults: [] })
    await Stage.run(shop, ["apply", "--yes", "--json"])
    expect(await shop.compare(plan.changes)).toEqual({
      agreed: plan.changes.length,
      missing: [],
      surplus: []
    })
  })

  it("keeps every other writer out while it lives", async () => {
    const opened = await open()
    shop = opened
    // Every request takes fourteen real seconds, so that the second program surely starts meanwhile.
    const faults = [{ kind: "latency", operation: "setMinusPhrases", ms: 840_000 }]
    await shop.control("faults", { faults })
    const end = shop.run("apply", "--yes")
    await until(() => StageJournal.says(opened, "dispatching"))
    const second = await shop.run("call", "pauseCampaign", "--params", '{"id": 1000001}', "--yes")
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("is running")])
    expect(second.stderr).not.toContain("of an earlier run")
    await shop.control("faults", { faults: [] })
    expect(await Stage.requests(shop, "pauseCampaign")).toBe(0)
    expect((await end).code).toBe(0)
  })
})
