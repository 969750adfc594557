/**
 * What `optimise` expects of days is kept and held against what came; where it is off too often the policy only looks, and the
 * marketplace sees no change of it until days come as expected again, or a person says so.
 */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Calibration from "../../src/engine/decide/forecasts/Calibration.js"
import type { ForecastDay } from "../../src/engine/decide/forecasts/ForecastDay.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Purses from "../scenario/Purses.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }

const policy = "10-optimise"
const campaign = 1_000_001

const optimise = (mode: string): Load.File => ({
  path: `rules/${policy}.yaml`,
  text: `version: 1
name: Best profit
mode: ${mode}
each: campaign
where:
  - campaign.status = active
  - campaign.id = ${campaign}
window: 14d
do:
  optimise:
    margin: 25%
    budget: 90000 ₽
    cap: {cpm: 420 ₽, cpc: 18 ₽}
    explore: 0%
`
})

interface Morning {
  readonly day: Days.Day
  readonly planned: number
  readonly held: ReadonlyArray<string>
  /** Changes of the policy that the marketplace accepted. */
  readonly sent: number
  readonly changes: ReadonlyArray<Change>
}

/** A turn as the scheduler makes it. */
const morning = (world: Scenario.World) =>
  Effect.gen(function* () {
    const before = world.ledger().length
    const planned = yield* world.plan
    const { plan } = planned.reviewed
    yield* world.apply(planned)
    const day = Days.ofMarket(world.now())
    // The ledger is that of the turn: nobody else writes.
    const sent = world.ledger().length - before
    yield* world.advance("24 hours")
    return {
      day,
      planned: plan.changes.length,
      held: plan.held.map(({ by }) => by),
      sent,
      changes: plan.changes
    } satisfies Morning
  })

const mornings = (world: Scenario.World, count: number) =>
  Effect.gen(function* () {
    const all: Array<Morning> = []
    for (let i = 0; i < count; i++) all.push(yield* morning(world))
    return all
  })

const kept = (world: Scenario.World) => world.memory.forecasts(Scenario.account, undefined, "2026-01-01")

const calibrationOf = (days: ReadonlyArray<ForecastDay>, world: Scenario.World) =>
  Calibration.of(days, Days.ofMarket(world.now()))[0]!

const run = <A>(mode: string, story: (world: Scenario.World) => Effect.Effect<A, unknown>) =>
  Scenario.run({ rules: [vars, optimise(mode)] }, (world) => {
    Purses.fill(world, campaign)
    return story(world)
  })

describe("what is expected of a day", () => {
  it("is kept with the run, and held against the statistics of the next one without a call more", async () => {
    const { asked, days } = await run("apply", (world) =>
      Effect.gen(function* () {
        const turns = yield* mornings(world, 4)
        const before = world.requests("getCampaignStats")
        turns.push(yield* morning(world))
        return { days: yield* kept(world), asked: [before, world.requests("getCampaignStats")], turns }
      })
    )
    expect(days.map(({ budget, day }) => [budget, day])).toEqual(
      ["2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04", "2026-09-05"].map((day) => [
        String(campaign),
        day
      ])
    )
    for (const { after, before, realised } of days.slice(0, 4)) {
      expect(realised?.spendKopecks).toBeGreaterThan(0)
      for (const { high, low, mean } of [after.spendKopecks, before.spendKopecks, after.orders])
        expect([low <= mean, mean <= high, high > 0]).toEqual([true, true, true])
    }
    expect(days[0]!.outcome).toEqual({ code: "stood", sent: expect.any(Number) })
    expect(days[4]).not.toHaveProperty("realised")
    // Three windows of one campaign, as before there were forecasts.
    expect(asked[1]! - asked[0]!).toBe(3)
  }, 120_000)

  it("is the spend of the bids as they stood while the plan is only shown, and agrees with it", async () => {
    const { calibration, ledger } = await run("preview", (world) =>
      Effect.gen(function* () {
        yield* mornings(world, 8)
        return { calibration: calibrationOf(yield* kept(world), world), ledger: world.ledger().length }
      })
    )
    expect(ledger).toBe(0)
    expect(calibration.judged).toBe(7)
    expect(calibration.inside.spend).toBeGreaterThanOrEqual(5)
    expect(calibration.fallen).toBeUndefined()
  }, 120_000)

  it("is not judged where somebody else moved a bid, and is again on the next day", async () => {
    const days = await run("preview", (world) =>
      Effect.gen(function* () {
        const [change] = (yield* morning(world)).changes
        const { campaignId, cluster, itemId } = change!.subject
        world.edit({
          campaignId: Number(campaignId),
          itemId: Number(itemId),
          ...(cluster === undefined ? {} : { cluster }),
          bidKopecks: 39_900
        })
        yield* mornings(world, 2)
        return yield* kept(world)
      })
    )
    expect(days.map(({ outcome }) => outcome?.code)).toEqual(["bids_moved", "stood", undefined])
    const [first] = Calibration.of(days, Days.Day("2026-09-03"))
    expect(first).toMatchObject({ judged: 1, unjudged: [{ because: "bids_moved", days: 1 }, {}] })
  }, 120_000)
})

describe("a market that changes behind its back", () => {
  it("makes it look only, without a write, until days come as expected again", async () => {
    const { back, calm, shifted } = await run("apply", (world) =>
      Effect.gen(function* () {
        const calm = yield* mornings(world, 10)
        world.shiftDemand(campaign, 0.2)
        const shifted = yield* mornings(world, 10)
        return { calm, shifted, back: yield* mornings(world, 10) }
      })
    )
    expect(calm.flatMap(({ held }) => held)).toEqual([])
    expect(calm[0]!.sent).toBeGreaterThan(5)
    const first = shifted.findIndex(({ held }) => held.includes("forecast"))
    // The first day of few buyers is the second turn's, and it takes four of them.
    expect(first).toBeGreaterThanOrEqual(5)
    expect(first).toBeLessThanOrEqual(7)
    for (const { held, planned, sent } of shifted.slice(first)) {
      expect([planned, sent]).toEqual([0, 0])
      expect(new Set(held)).toEqual(new Set(["forecast"]))
    }
    const again = back.findIndex(({ sent }) => sent > 0)
    expect(again).toBeGreaterThan(-1)
    for (const { sent } of back.slice(0, again)) expect(sent).toBe(0)
    expect(back.slice(again).flatMap(({ held }) => held)).toEqual([])
  }, 300_000)

  it("is for a person to judge: who says that it may acts again at once, and is judged anew", async () => {
    const { after, before, days } = await run("apply", (world) =>
      Effect.gen(function* () {
        yield* mornings(world, 6)
        world.shiftDemand(campaign, 0.2)
        const before = yield* mornings(world, 8)
        const budgets = [{ policy, budget: String(campaign) }]
        const { forgiveForecasts } = yield* Effect.provide(Holdings, world.context)
        yield* forgiveForecasts(Scenario.account, budgets, "anna", world.now())
        return { before, after: yield* morning(world), days: yield* kept(world) }
      })
    )
    expect(before.at(-1)).toMatchObject({ sent: 0, held: expect.arrayContaining(["forecast"]) })
    expect(after.held).toEqual([])
    expect(after.sent).toBeGreaterThan(0)
    expect(days.filter(({ forgivenAtMs }) => forgivenAtMs === undefined).map(({ day }) => day)).toEqual([
      after.day
    ])
  }, 300_000)
})
