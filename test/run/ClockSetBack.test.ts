/** The clock was ahead when something left, and is set right before it is read back: nobody waits for that day again. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Reconcile from "../../src/engine/door/Reconcile.js"
import * as Recover from "../../src/engine/door/Recover.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Scenario from "../scenario/Scenario.js"
import { by, change, inMemory, rows, run } from "../store/Fixture.js"

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs

const rule = (does: string) => [
  {
    path: "rules/a.yaml",
    text: `version: 1
name: a
mode: apply
each: campaign
where: ['campaign.name matches "Поиск*основная"']
when: budget < 1000000 ₽
do:
  ${does}
limits: {money_per_day: 2000 ₽}
`
  }
]
const pause = rule("pause")
const topUp = rule("deposit: {amount: 2000 ₽, from: balance}")

/** The world's clock, which can be set; time passes as before. */
const settable = Effect.map(Effect.clock, (clock) => {
  const shift = { ms: 0 }
  const set: Clock.Clock = {
    ...clock,
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + shift.ms,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (ms) => ms + shift.ms)
  }
  return { shift, inSet: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withClock(effect, set) }
})

/** Applies a plan by a clock that is a year ahead, until a point at which the run ends without a trace. */
const killedAt = (world: Scenario.World, wanted: JournalPoints.Point) =>
  Effect.gen(function* () {
    const { inSet, shift } = yield* settable
    shift.ms = yearMs
    const stopped = yield* Effect.makeLatch(false)
    const run = Effect.flatMap(world.plan, world.apply).pipe(
      Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
        point === wanted ? Effect.zipRight(stopped.open, Effect.never) : Effect.void
      )
    )
    const fiber = yield* Effect.forkDaemon(inSet(run))
    yield* Effect.raceFirst(stopped.await, Fiber.await(fiber))
  })

/** How the open changes end, and after how many hours. */
const settled = (world: Scenario.World) =>
  Effect.gen(function* () {
    const from = world.now()
    const rows = yield* Effect.provide(Recover.settle(Scenario.account), world.context)
    return { states: rows.map(({ state }) => state), hours: (world.now() - from) / hourMs }
  })

const raise = [
  {
    path: "rules/a.yaml",
    text: `version: 1
name: a
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.bid_type = manual
when: campaign.status = active
do:
  raise_bid: {by: 10%, cap: 5000 ₽}
cooldown: 1h
watch: {after: [1h], roll_back_when: "campaign.spend[1d] >= 1 ₽"}
`
  }
]
const scale = { campaigns: 3, items: 2, clusters: 10 }

describe("what was done again after a clock ahead was set right", () => {
  it("is what is compared after a restore, not what has the later date", () =>
    Scenario.run({ rules: raise, scale }, (world) =>
      Effect.gen(function* () {
        const { journal } = world
        const move: typeof journal.move = (runId, ids, from, to, note) =>
          journal.move(runId, ids, from, to, { ...note, nowMs: note.nowMs + 3 * 24 * hourMs })
        const { reviewed } = yield* world.plan
        const first = yield* Cycle.apply(reviewed, { approvedBy: "test", account: Scenario.account }).pipe(
          Effect.provideService(Journal, { ...journal, move }),
          Effect.provide(world.context)
        )
        yield* world.advance("2 hours")
        const second = yield* world.apply(yield* world.plan)
        expect(second.rows.map(({ state }) => state)).toEqual(first.rows.map(() => "applied"))
        const { compared, moved } = yield* Effect.provide(Reconcile.run(Scenario.account), world.context)
        expect([compared, moved]).toEqual([second.rows.length, []])
      })
    ))

  it("is what stands: what was done before it gets no second look", () => {
    const of = { origin: by("a"), subject: { campaignId: CampaignId.make(777), itemId: ItemId.make(1001) } }
    const early = change(0, { ...of, before: 10_000, after: 11_000 })
    const late = change(1, { ...of, origin: by("b"), before: 11_000, after: 12_100 })
    const policies = Load.check(raise).ruleSet?.policies ?? []
    return inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        for (const [one, at] of [
          [early, 5 * hourMs],
          [late, 4 * hourMs]
        ] as const) {
          yield* journal.begin(run(one.id, { startedAt: at }), rows([one], Kinds.slotOf))
          yield* journal.move(one.id, [one.id], ["planned"], "applied", { nowMs: at, sent: true })
        }
        const due = yield* Cycle.watchesDue("shop", policies, 6.5 * hourMs)
        expect(due.map(({ past }) => past.change.id)).toEqual([])
      })
    )
  })
})

describe("what left by a clock that was a year ahead", () => {
  for (const [name, rules, point, state] of [
    ["a status that nobody knows of", pause, "dispatching", "not_applied"],
    // The sandbox lives by the clock of who asks, so it shows the status in a year.
    ["a status that was accepted and is not shown", pause, "recorded", "not_applied"],
    ["a deposit that was answered", topUp, "recorded", "applied"],
    ["a deposit that nobody knows of", topUp, "dispatching", "parked"]
  ] as const) {
    it(`is settled within the hour: ${name}`, () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          yield* killedAt(world, point)
          const { hours, states } = yield* settled(world)
          expect(states).toEqual([state])
          expect(hours).toBeLessThan(1)
        })
      ))
  }

  for (const rules of [pause, topUp]) {
    it(`is read back as soon as ever when the clock is set right in the middle: ${rules === pause ? "status" : "deposit"}`, () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const { inSet, shift } = yield* settable
          const from = world.now()
          const planned = yield* inSet(world.plan)
          yield* inSet(world.apply(planned)).pipe(
            Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
              Effect.sync(() => {
                if (point === "sent") shift.ms = -3 * hourMs
              })
            )
          )
          expect(yield* world.journal.open(Scenario.account)).toEqual([])
          expect(world.now() - from).toBeLessThan(hourMs)
        })
      ))
  }
})
