import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

/** Lowers clusters that nobody ordered from; asks for no statistics of their campaigns. */
const lower = `version: 1
name: Lower
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: cluster
where: campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when:
  - orders <= 0
  - spend <= 100 ₽
do:
  lower_bid: {by: 10%, floor: min_bid}
`
const limits = `version: 1
kind: limits
account:
  max_bid: {cpm: 900 ₽, cpc: 40 ₽}
`
/** The rule for the campaigns of which something more is true. */
const filesFor = (more = "campaign.status = active") => [
  { path: "rules/10-lower.yaml", text: lower.replace("where:", `where: ${more} and`) },
  { path: "rules/_shared/limits.yaml", text: limits }
]

describe("a first run in which nothing was shown of any cluster", () => {
  const nothingShown = [{ kind: "zeros" as const, operation: "getClusterStats" }]

  it("only looks when their campaigns were charged for these days", () =>
    Scenario.run({ rules: filesFor() }, (world) =>
      Effect.gen(function* () {
        world.faults(nothingShown)
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toMatch(
          /cluster\.spend@7d is zero in all \d+ rows, but \d+ was charged to their campaigns/
        )
        expect(planned.reviewed.appliable).toEqual([])
        expect(world.requests("getCostHistory")).toBeGreaterThan(0)
        yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("says nothing where campaigns are shown in recommendations too, for these may have cost it all", () =>
    Scenario.run({ rules: filesFor("campaign.recommendations") }, (world) =>
      Effect.gen(function* () {
        world.faults(nothingShown)
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toBeUndefined()
      })
    ))

  it("asks nobody what was charged when one cluster was shown", () =>
    Scenario.run({ rules: filesFor() }, (world) =>
      Effect.gen(function* () {
        world.faults([{ ...nothingShown[0]!, share: 0.5 }])
        const planned = yield* world.plan
        expect(planned.reviewed.plan.observeOnly).toBeUndefined()
        expect(world.requests("getCostHistory")).toBe(0)
      })
    ))
})

/** Pauses what has spent its day's money, and starts it again when the day's spend is small. */
const stop = `version: 1
name: Stop
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status in [active, paused]
window: today
when: spend >= 10 ₽
do: pause
revert_when: spend < 5 ₽
`

describe("campaigns that were paused for what they spent today", () => {
  const stopping = [
    { path: "rules/10-stop.yaml", text: stop },
    { path: "rules/_shared/limits.yaml", text: limits }
  ]
  const statuses = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "status")

  it("are not started again when today's spend is all zero though it was charged", () =>
    Scenario.run({ rules: stopping }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("5 hours")
        yield* world.apply(yield* world.plan)
        const paused = statuses(world).length
        expect(paused).toBeGreaterThan(0)
        yield* world.advance("1 hour")
        world.faults([{ kind: "zeros", operation: "getCampaignStats" }])
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toMatch(
          /campaign\.spend@today is zero in all \d+ rows, but \d+ was charged today/
        )
        yield* world.apply(planned)
        expect(statuses(world)).toHaveLength(paused)
      })
    ))
})

describe("a run whose statistics are wrong", () => {
  it("only looks: the plan shows its changes and says why none can be applied", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        for (let day = 0; day < 4; day++) {
          const { plan } = (yield* world.plan).reviewed
          expect(plan.observeOnly).toBeUndefined()
          yield* world.advance("24 hours")
        }
        world.faults([
          { kind: "zeros", operation: "getCampaignStats" },
          { kind: "zeros", operation: "getClusterStats" }
        ])
        const planned = yield* world.plan
        expect(planned.reviewed.appliable).toEqual([])
        expect(planned.reviewed.plan.observeOnly).toMatch(/only looks/)
        expect(planned.reviewed.plan.notices?.map(({ text }) => text)).toContain(
          planned.reviewed.plan.observeOnly
        )
        yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
        world.faults([])
        expect((yield* world.plan).reviewed.appliable.length).toBeGreaterThan(0)
      })
    ))
})
