import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { JournalRow } from "../../src/engine/door/Journal.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const raising = (each: "campaign_item" | "cluster") => [
  {
    path: "rules/bids.yaml",
    text: `version: 1
name: Bids
mode: apply
each: ${each}
where: campaign.payment = cpm and campaign.bid_type = manual
when: campaign.status = active
do:
  raise_bid: {by: 10%, cap: 900 ₽}
cooldown: 1h
`
  }
]

const ofItems = { rules: raising("campaign_item"), scale: { campaigns: 1, items: 2, clusters: 2 } }
const ofClusters = { ...ofItems, rules: raising("cluster") }
const ofPhrases = {
  rules: [
    {
      path: "rules/minus.yaml",
      text: `version: 1
name: Minus
mode: apply
each: cluster
where: campaign.payment = cpm and campaign.bid_type = manual
window: 30d
when: views >= 100
do: {add_minus: {max_total: 900}}
`
    }
  ],
  scale: { campaigns: 1, items: 2, clusters: 2 }
}
const left = { kind: "omit" as const, operation: "getCampaigns" }
const leftBids = { kind: "omit" as const, operation: "getClusterBids" }
const states = (report: { readonly rows: ReadonlyArray<JournalRow> }) => [
  ...new Set(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`))
]

describe("a campaign that is not listed when its bids are read back", () => {
  it("has the bids that were accepted: the next run knows them as ours", () =>
    Scenario.run(ofItems, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ ...left, skip: 1 }])
        const report = yield* world.apply(planned)
        expect(states(report)).toEqual([
          expect.stringMatching(/^applied: the marketplace accepted it; it is not listed/)
        ])
        world.faults([])
        yield* world.advance("1 hour")
        const slots = yield* world.memory.slots(Scenario.account, Scenario.startMs)
        expect([...slots.values()].every(({ lastAppliedAt }) => lastAppliedAt !== undefined)).toBe(true)
      })
    ))

  it("is looked for once more, and read back when the list is whole again", () =>
    Scenario.run(ofItems, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ ...left, skip: 1, count: 1 }])
        expect(states(yield* world.apply(planned))).toEqual(["applied: read back late"])
      })
    ))

  it("leaves open what became of bids without an answer: they are told as gone", () =>
    Scenario.run(ofItems, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([
          { ...left, skip: 1 },
          { kind: "dropAnswer", operation: "setItemBids" }
        ])
        expect(states(yield* world.apply(planned))).toEqual([expect.stringMatching(/^conflict: gone: /)])
      })
    ))
})

describe("a cluster's bid that is not listed when it is read back", () => {
  it("is looked for once more, and read back when the list is whole again", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        // The first run gives clusters bids of their own, which the second one raises.
        yield* world.apply(yield* world.plan)
        yield* world.advance("3 hours")
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        world.faults([{ ...leftBids, skip: 1, count: 1 }])
        expect(states(yield* world.apply(planned))).toEqual(["applied: read back late"])
      })
    ))

  it("is what the marketplace accepted when it stays unlisted, and no edit of somebody's", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("3 hours")
        const planned = yield* world.plan
        world.faults([{ ...leftBids, skip: 1, count: 2 }])
        expect(states(yield* world.apply(planned))).toEqual([
          expect.stringMatching(/^applied: the marketplace accepted it; it is not listed/)
        ])
        yield* world.advance("3 hours")
        const bids = (yield* world.plan).reviewed.plan.changes
        expect(bids.map(({ before }) => before)).toEqual(
          planned.reviewed.plan.changes.map(({ after }) => after)
        )
      })
    ))

  it("was taken away by somebody when its answer was lost as well", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("3 hours")
        const planned = yield* world.plan
        world.faults([
          { ...leftBids, skip: 1 },
          { kind: "dropAnswer", operation: "setClusterBidsMinorUnits" }
        ])
        for (const state of states(yield* world.apply(planned)))
          expect(state).toMatch(/^conflict: changed by/)
      })
    ))

  it("is what the marketplace accepted, too, when it was the cluster's first", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(
          planned.reviewed.plan.changes.some((change) => Bids.detailsOf(change).inherited === true)
        ).toBe(true)
        world.faults([{ ...leftBids, skip: 1, count: 2 }])
        expect(states(yield* world.apply(planned))).toEqual([
          expect.stringMatching(/^applied: the marketplace accepted it; it is not listed/)
        ])
        expect(world.ledger().length).toBe(planned.reviewed.plan.changes.length)
      })
    ))

  it("was not made when it was the cluster's first, its answer was lost and nothing was made", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ kind: "errorBefore", operation: "setClusterBidsMinorUnits", status: 503 }])
        expect(states(yield* world.apply(planned))).toEqual(["not_applied: the old value is still there"])
        expect(world.ledger()).toEqual([])
      })
    ))

  it("is not taken for removed by one look at a list that may not be whole", () =>
    Scenario.run(ofClusters, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        yield* world.advance("3 hours")
        const { reviewed } = yield* Story.planned(world, runId)
        const chosen = new Set(
          reviewed.appliable.filter((change) => Bids.detailsOf(change).clears === true).map(({ id }) => id)
        )
        expect(chosen.size).toBeGreaterThan(0)
        world.faults([
          { kind: "errorBefore", operation: "deleteClusterBids", status: 503 },
          { ...leftBids, skip: 1, count: 1 }
        ])
        const by = { approvedBy: "test", account: Scenario.account, chosen }
        const report = yield* Cycle.apply(reviewed, by).pipe(Effect.provide(world.context))
        expect(states(report)).toEqual(["not_applied: the old value is still there"])
      })
    ))
})

describe("minus phrases of a campaign that somebody deletes before they are read back", () => {
  const story = (faults: Parameters<Scenario.World["faults"]>[0]) =>
    Scenario.run(ofPhrases, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { campaignId } = planned.reviewed.plan.changes[0]!.subject
        world.faults(faults)
        const deleted = Effect.sync(() => {
          World.campaign(world.sandbox.world(defaultSeller), campaignId!)!.goneFrom = 0
        })
        const applying = world.apply(planned)
        const [report] = yield* Effect.all([applying, Effect.delay(deleted, "10 seconds")], {
          concurrency: "unbounded"
        })
        expect(world.ledger().some(({ slot }) => slot === "minus")).toBe(true)
        return states(report)
      })
    )

  it("are gone when their answer was lost: an empty list does not say that they were not added", async () => {
    expect(await story([{ kind: "dropAnswer", operation: "setMinusPhrases" }])).toEqual([
      expect.stringMatching(/^conflict: gone: /)
    ])
  })

  it("are what the marketplace accepted", async () => {
    expect(await story([])).toEqual([
      expect.stringMatching(/^applied: the marketplace accepted it; it is not listed/)
    ])
  })
})
