/**
 * Spend through the day against the sandbox: what the days before taught, a day of twice the buyers, and who may start what.
 * The marketplace's own books say what was spent and when the ad was shown.
 */
import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import type { CampaignId } from "../../src/domain/Ids.js"
import * as SpendCurve from "../../src/engine/facts/SpendCurve.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Truth from "../simulation/Truth.js"

const campaign = 1_000_001
const stop = "03-daily-budget-stop"
const pace = "17-pace-through-the-day"
const hourMs = 3_600_000
const paused = 11

/** The daily stop, and pacing beside it where it is turned on; both as shipped, for this campaign. */
const rules = (dailyKopecks: number, isPaced = true): ReadonlyArray<Load.File> =>
  Scenario.shippedRules().flatMap(({ path, text }) => {
    const isShared = path.includes("_shared/")
    if (!isShared && !path.includes(stop) && !path.includes(pace)) return []
    if (path.includes(pace) && !isPaced) return []
    const limited = text.replace(
      /^( {2}daily:) .*$/m,
      `$1 ${Math.floor(dailyKopecks / 100)}.${String(dailyKopecks % 100).padStart(2, "0")} ₽`
    )
    const own = limited.replace(
      "where: campaign.status in [active, paused]",
      `where: campaign.status in [active, paused] and campaign.id = ${campaign}`
    )
    return [{ path, text: own.replace(/^mode: \w+/m, "mode: apply") }]
  })

/** The campaign as the marketplace knows it, with money for all days. */
const campaignOf = (world: Scenario.World): World.Campaign => {
  const there = world.sandbox.world(defaultSeller)
  const one = World.campaign(there, campaign)!
  Purse.settle(there, one, world.now())
  one.purse.leftKopecks = 1e12
  return one
}

/** Kopecks of the Moscow day so far. */
const spent = (world: Scenario.World): number =>
  Truth.spentToday(world.sandbox.world(defaultSeller), campaignOf(world), world.now())

/** A turn under these rules, as the scheduler makes one. */
const turn = (world: Scenario.World, files?: ReadonlyArray<Load.File>) =>
  Effect.gen(function* () {
    campaignOf(world)
    const planned =
      files === undefined
        ? yield* world.plan
        : yield* Cycle.plan(Scenario.check(files), { zone: Days.marketZone }).pipe(
            Effect.provide(FactLoader.layer),
            Effect.provide(world.context)
          )
    yield* world.apply(planned)
    return planned
  })

/** Until an instant, a turn every so many minutes. */
const turnsUntil = (world: Scenario.World, untilMs: number, minutes: number) =>
  Effect.gen(function* () {
    while (world.now() < untilMs) {
      yield* turn(world)
      const next = Math.floor(world.now() / (minutes * 60_000) + 1) * minutes * 60_000
      yield* world.advance(Math.min(next, untilMs) - world.now())
    }
  })

const startOfDay = (world: Scenario.World, days = 0): number =>
  Moscow.startOf(Moscow.dayOf(world.now()) + days)

/** What our program did to the campaign's status. */
const switched = (world: Scenario.World, sinceMs = 0) =>
  world.ledger().filter(({ at, slot }) => slot === "status" && at >= sinceMs)

const run = <A>(
  files: ReadonlyArray<Load.File>,
  story: (world: Scenario.World) => Effect.Effect<A, unknown>
) => Scenario.run({ rules: files, scale: { campaigns: 2, items: 2, clusters: 6 } }, story)

/** What the campaign spends on an ordinary day that nothing stops. */
const ordinaryDay = () =>
  run(rules(100_000_000, false), (world) =>
    Effect.gen(function* () {
      yield* world.advance(startOfDay(world, 4) - world.now() - 1)
      return spent(world)
    })
  )

/** Days to learn in (the rest of the first, and two whole ones; 03 has nothing to learn), then one of twice the buyers. */
const lived = (world: Scenario.World, isPaced: boolean) =>
  Effect.gen(function* () {
    campaignOf(world)
    const untilMs = startOfDay(world, 3) - 1
    if (isPaced) yield* turnsUntil(world, untilMs, 90)
    else yield* world.advance(untilMs - world.now())
    const learning = switched(world).length
    world.shiftDemand(campaign, 2)
    yield* world.advance(1)
    const beginMs = startOfDay(world)
    // By noon not even a usual day's is spent: 03 alone has nothing to do before.
    if (!isPaced) yield* turnsUntil(world, beginMs + 12 * hourMs, 60)
    yield* turnsUntil(world, beginMs + 21 * hourMs, 10)
    const byEvening = spent(world)
    yield* turnsUntil(world, beginMs + 24 * hourMs - 1, 10)
    const all = spent(world)
    const day = switched(world, beginMs)
    yield* turnsUntil(world, beginMs + 25 * hourMs, 10)
    const next = { spent: spent(world), all: switched(world, beginMs + 24 * hourMs) }
    return { learning, byEvening, all, day, next }
  })

const busyDay = (dailyKopecks: number, isPaced: boolean) =>
  run(rules(dailyKopecks, isPaced), (world) => lived(world, isPaced))

describe("a day of twice the buyers", () => {
  type Day = Effect.Effect.Success<ReturnType<typeof lived>>
  let dailyKopecks = 0
  let alone: Day
  let together: Day
  beforeAll(async () => {
    dailyKopecks = Math.round((await ordinaryDay()) * 1.1)
    alone = await busyDay(dailyKopecks, false)
    together = await busyDay(dailyKopecks, true)
  }, 300_000)

  it("lasts until midnight under 17, which 03 alone ends in the evening", () => {
    expect(alone.all - alone.byEvening).toBe(0)
    expect(alone.all).toBeGreaterThanOrEqual(dailyKopecks)
    // A usual evening has 14% of a day's buyers after nine.
    expect(together.all - together.byEvening).toBeGreaterThan(dailyKopecks * 0.1)
    expect(together.all).toBeGreaterThan(dailyKopecks * 0.9)
  })

  it("is not spent above the limit by more than ten minutes of the busiest hour bring", () => {
    for (const { all } of [alone, together]) expect(all).toBeLessThan(dailyKopecks * 1.04)
  })

  it("sees no status change within half an hour of the one before", () => {
    const { day, learning } = together
    expect(learning).toBe(0)
    expect(day.length).toBeGreaterThan(3)
    for (const [i, { at }] of day.entries())
      if (i > 0) expect(at - day[i - 1]!.at).toBeGreaterThanOrEqual(30 * 60_000)
  })

  it("leaves the next one alone, which begins afresh at midnight", () => {
    expect(together.next.spent).toBeGreaterThan(0)
    expect(together.next.all.length).toBeLessThanOrEqual(2)
  })
})

describe("the first days", () => {
  it("change nothing: the share of the day is unknown, and the plan says why", async () => {
    const { ledger, planned, kept, sharesAfter } = await run(rules(100_00), (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const kept = yield* world.memory.spendCurves(Scenario.account)
        // Under the limit as long as nobody buys; 03 is not asked.
        const only = rules(100_000_000).filter(({ path }) => !path.includes(stop))
        const shares: Array<number | undefined> = []
        while (shares.length < 24 * 4 && shares.at(-1) === undefined) {
          yield* turn(world, only)
          yield* world.advance("1 hour")
          const memory = yield* world.memory.spendCurves(Scenario.account)
          shares.push(
            SpendCurve.shareAt(SpendCurve.curves(memory, world.now()), campaign as CampaignId, world.now())
          )
        }
        return { planned, kept, ledger: world.ledger().length, sharesAfter: shares }
      })
    )
    const table = planned.gathered.table("campaign")
    expect(table.get(0, SpendCurve.fact)).toEqual({ _tag: "Unknown", reason: "unlearned" })
    expect(JSON.stringify(planned.reviewed.plan.unknown ?? planned.reviewed.plan.unchanged)).toContain(
      "unlearned"
    )
    expect(kept.size).toBeGreaterThan(0)
    expect(ledger).toBe(0)
    // It starts at nine in the morning: half a day, then whole ones.
    const first = sharesAfter.findIndex((share) => share !== undefined)
    expect(first).toBeGreaterThan(15 + 23)
    expect(first).toBeLessThanOrEqual(15 + 48)
  }, 120_000)
})

describe("nobody else's pause", () => {
  const learnedUntil = (world: Scenario.World, hours: number) =>
    Effect.gen(function* () {
      yield* turnsUntil(world, startOfDay(world, 3) + hours * hourMs, 90)
      expect(switched(world)).toEqual([])
      return spent(world)
    })

  it(
    "of 03 is ended by 17: it waits for 03, which starts the campaign after midnight",
    () =>
      run(rules(100_000_000), (world) =>
        Effect.gen(function* () {
          const evening = yield* learnedUntil(world, 20)
          // Both want a pause: it is the daily stop's.
          yield* turn(world, rules(Math.round(evening * 0.5)))
          expect(switched(world).map(({ after }) => after)).toEqual([paused])
          // The limit is raised: the day is far behind now, but not by half.
          const raised = rules(Math.round(evening / 0.6))
          yield* world.advance("1 hour")
          const planned = yield* turn(world, raised)
          expect(planned.gathered.table("campaign").get(0, SpendCurve.fact)).toMatchObject({ _tag: "Known" })
          expect(switched(world)).toHaveLength(1)
          yield* world.advance(startOfDay(world, 1) + 10 * 60_000 - world.now())
          yield* turn(world, raised)
          expect(switched(world)).toHaveLength(2)
        })
      ),
    120_000
  )

  it(
    "of a person is ended by 17, and its own it ends",
    () =>
      run(rules(100_000_000), (world) =>
        Effect.gen(function* () {
          const evening = yield* learnedUntil(world, 15)
          const ahead = rules(Math.round(evening * 1.4))
          const behind = rules(evening * 10)
          yield* turn(world, ahead)
          expect(switched(world).map(({ after }) => after)).toEqual([paused])
          yield* world.advance("1 hour")
          yield* turn(world, behind)
          expect(switched(world)).toHaveLength(2)
          yield* world.advance("1 hour")
          world.edit({ campaignId: campaign, status: paused })
          yield* turn(world, behind)
          yield* world.advance("1 hour")
          yield* turn(world, behind)
          yield* world.advance(startOfDay(world, 1) + 30 * 60_000 - world.now())
          yield* turn(world, behind)
          expect(switched(world)).toHaveLength(2)
        })
      ),
    120_000
  )
})
