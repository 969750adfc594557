import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

const rules = [
  {
    path: "rules/bids.yaml",
    text: `version: 1
name: Bids
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.bid_type = manual
when: campaign.status = active
do:
  raise_bid: {by: 10%, cap: 900 ₽}
cooldown: 1h
`
  }
]

const left = { kind: "omit" as const, operation: "getCampaigns" }
const states = (report: {
  readonly rows: ReadonlyArray<{ readonly state: string; readonly detail?: string | undefined }>
}) => [...new Set(report.rows.map(({ detail, state }) => `${state}: ${detail}`))]

describe("a campaign that is not listed when its bids are read back", () => {
  it("has the bids that were accepted: the next run knows them as ours", () =>
    Scenario.run({ rules, scale: { campaigns: 1, items: 2, clusters: 2 } }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ ...left, skip: 1 }])
        const report = yield* world.apply(planned)
        expect(states(report)).toEqual([
          expect.stringMatching(/^applied: the marketplace accepted it; it is not listed/)
        ])
        world.faults([])
        yield* world.advance("1 hour")
        const slots = yield* world.journal.slots(Scenario.account, Scenario.startMs)
        expect([...slots.values()].every(({ lastAppliedAt }) => lastAppliedAt !== undefined)).toBe(true)
      })
    ))

  it("is looked for once more, and read back when the list is whole again", () =>
    Scenario.run({ rules, scale: { campaigns: 1, items: 2, clusters: 2 } }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ ...left, skip: 1, count: 1 }])
        expect(states(yield* world.apply(planned))).toEqual(["applied: read back late"])
      })
    ))

  it("leaves open what became of bids without an answer: they are told as gone", () =>
    Scenario.run({ rules, scale: { campaigns: 1, items: 2, clusters: 2 } }, (world) =>
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
