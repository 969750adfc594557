import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Gather from "../../src/engine/gather/Gather.js"
import * as ClusterBid from "../../src/engine/kinds/ClusterBid.js"
import * as ItemBid from "../../src/engine/kinds/ItemBid.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as MinusPhrase from "../../src/engine/kinds/MinusPhrase.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import * as Status from "../../src/engine/kinds/Status.js"
import type { Each } from "../../src/engine/language/Policy.js"
import * as Example from "../decide/Example.js"
import * as Scenario from "../scenario/Scenario.js"

const waiting = (slot: string, pendingAfter: number | string | boolean): SlotHistory =>
  Example.history({ slot, pendingSince: Example.now, pendingAfter })

it("puts what was written over what is still read back, for every kind of slot", () => {
  const row = Example.oneRow[0]!
  const { cluster: _, ...pair } = row.target
  const { itemId: __, ...campaign } = pair
  const tables = {
    cluster: Example.table("cluster", [row]),
    campaign_item: Example.table("campaign_item", [{ target: pair }]),
    campaign: Example.table("campaign", [{ target: campaign }])
  }
  const slots = [
    waiting(ClusterBid.slot(row.target), 41_000),
    waiting(ItemBid.slot(row.target, "search"), 31_000),
    waiting(ItemBid.slot(row.target, "recommendations"), 21_000),
    waiting(Status.slot(row.target), "paused"),
    waiting(MinusPhrase.slot(row.target), true),
    waiting("deposit:777", 5),
    waiting("status:778", "paused")
  ]
  const written = new Map(slots.map((slot) => [slot.slot, slot]))
  const table = (each: Each) => {
    if (each !== "campaign" && each !== "campaign_item" && each !== "cluster") throw new Error(each)
    return tables[each]
  }
  Gather.enterPending(written, table, Example.now + 21 * 60_000)
  expect(tables.campaign.get(0, "campaign.status"), "long after, what is read counts").not.toMatchObject({
    value: "paused"
  })
  Gather.enterPending(written, table, Example.now + 60_000)
  const shown = [
    tables.cluster.get(0, "cluster.bid"),
    tables.campaign_item.get(0, "campaign_item.bid"),
    tables.campaign_item.get(0, "campaign_item.bid.recommendations"),
    tables.campaign.get(0, "campaign.status"),
    tables.cluster.get(0, "cluster.in_minus")
  ]
  expect(shown.map((cell) => (cell._tag === "Known" ? cell.value : cell))).toEqual([
    41_000,
    31_000,
    21_000,
    "paused",
    true
  ])
})

it("shows the next plan the status that was written, before the marketplace does", () =>
  Scenario.run(
    {
      rules: [
        {
          path: "rules/pause.yaml",
          text: "version: 1\nname: Pause\nmode: apply\neach: campaign\nwhen: campaign.status = active\ndo: pause\n"
        }
      ]
    },
    (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const { changes } = first.reviewed.plan
        expect(changes.length).toBeGreaterThan(0)
        yield* world.journal.begin(
          {
            lane: "ads",
            runId: "r",
            account: Scenario.account,
            planId: first.reviewed.plan.id,
            startedAt: world.now(),
            finishedAt: undefined,
            status: "running",
            counts: {}
          },
          changes.map((change) => ({ slot: Kinds.slotOf(change), change }))
        )
        const ids = changes.map(({ id }) => id)
        yield* world.journal.move("r", ids, ["planned"], "dispatching", { nowMs: world.now(), sent: true })
        const lost = (yield* world.plan).reviewed.plan
        expect(lost.unknown.length).toBe(changes.length)
        yield* world.journal.move("r", ids, ["dispatching"], "accepted", { nowMs: world.now() })
        const second = (yield* world.plan).reviewed.plan
        expect([second.changes.length, second.unknown.length, second.unchanged.length]).toEqual([0, 0, 0])
        expect(second.policies[0]?.rowsMatched).toBe(0)
      })
  ))

it("knows a bid that was just removed as one that follows the item's", () => {
  const row = Example.oneRow[0]!
  const cluster = Example.table("cluster", [row])
  const slot = ClusterBid.slot(row.target)
  const lastWritten = { policy: "undo", after: 30_000, at: Example.now, clears: true as const }
  const written = new Map([[slot, { ...waiting(slot, 30_000), lastWritten }]])
  Gather.enterPending(written, () => cluster, Example.now)
  expect(cluster.get(0, "cluster.bid")).toMatchObject({ value: 30_000 })
  expect(cluster.get(0, "cluster.has_own_bid")).toMatchObject({ value: false })
})
