/** The facts kept beside a plan. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Snapshot from "../../src/engine/planning/Snapshot.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as Recorded from "../backtest/Recorded.js"
import * as Scenario from "../scenario/Scenario.js"

it("tells spend without orders from a fact that is not there", () => {
  const [policy] = Recorded.rule(
    "window: 1d",
    "when: cpo > 100 ₽ and ctr < 1%",
    "do:",
    "  lower_bid: {by: 10%, floor: 200 ₽}"
  ).policies
  const table = Table.make("cluster")
  const target = {
    campaignId: CampaignId.make(7),
    itemId: ItemId.make(1),
    cluster: Cluster.make("кеды")
  }
  const row = table.add(target)
  table.set(row, "cluster.cpo@1d", Cells.known(Number.POSITIVE_INFINITY))
  table.set(row, "cluster.ctr@1d", Cells.unknown("absent"))
  const rows = Int32Array.of(row)
  const undecided = { rows: new Int32Array(0), clauses: new Uint16Array(0), reasons: new Uint8Array(0) }
  const found = { policy: policy!, table, scope: rows, rules: [{ clauses: [], matched: rows, undecided }] }
  const kept = JSON.parse(Snapshot.of(5, [found]))
  expect(kept).toMatchObject({
    version: 1,
    nowMs: 5,
    policies: [
      {
        rows: [
          { target, facts: { "cluster.cpo@1d": { infinite: 1 }, "cluster.ctr@1d": { unknown: "absent" } } }
        ]
      }
    ]
  })
})

it("a day's facts that cannot be kept cost no plan: it is made all the same, and says so", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      const broken = new StoreFailure({
        action: "could not write",
        hint: "free some space",
        cause: undefined
      })
      const rules = Scenario.check(Scenario.atOnce())
      const planned = yield* Cycle.plan(rules, { zone: "Europe/Moscow" }).pipe(
        Effect.provideService(Snapshots, {
          keep: () => Effect.fail(broken),
          days: () => Effect.succeed([]),
          read: () => Effect.succeed([])
        }),
        Effect.provideService(FactSource, yield* world.facts),
        Effect.provide(world.context)
      )
      expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
      expect(planned.gathered.failures.map(({ message }) => message)).toContain(
        "the day's facts were not kept for backtests: could not write: free some space"
      )
    })
  ))

it("campaigns that could not be read are counted, since nobody knows what they spend", () =>
  Scenario.run({}, (world) =>
    Effect.gen(function* () {
      expect((yield* world.plan).context.campaignsUnread).toBe(0)
      world.faults([{ kind: "errorBefore", operation: "getCampaigns" }])
      expect((yield* world.plan).context.campaignsUnread).toBeGreaterThan(0)
    })
  ))
