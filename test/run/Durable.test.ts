/** What happens between a claim and the socket, and to runs that slept. */

import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ScaledClock from "../../src/domain/ScaledClock.js"
import { Journal, type JournalState } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Lease from "../../src/engine/door/Lease.js"
import * as Reconcile from "../../src/engine/door/Reconcile.js"
import * as Recover from "../../src/engine/door/Recover.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Scenario from "../scenario/Scenario.js"

const topUp: ReadonlyArray<Load.File> = [
  {
    path: "rules/a.yaml",
    text: `version: 1
name: a
mode: apply
each: campaign
where: ['campaign.name matches "Поиск*основная"']
when: budget < 1000000 ₽
do:
  deposit: {amount: 2000 ₽, from: balance}
limits: {money_per_day: 2000 ₽}
`
  }
]

const apply = (world: Scenario.World, planned: Parameters<Scenario.World["apply"]>[0]) =>
  Cycle.apply(planned.reviewed, { approvedBy: "test", account: Scenario.account }).pipe(
    Effect.provide(world.context)
  )

/** A run that ends without a trace at a point, as a killed process does: nothing after it happens. */
const killedAt = (
  world: Scenario.World,
  planned: Parameters<Scenario.World["apply"]>[0],
  wanted: JournalPoints.Point,
  times = 1
) =>
  Effect.gen(function* () {
    let left = times
    const frozen = yield* Effect.makeLatch(false)
    const fiber = yield* Effect.forkDaemon(
      apply(world, planned).pipe(
        Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
          point === wanted && --left === 0 ? Effect.zipRight(frozen.open, Effect.never) : Effect.void
        )
      )
    )
    yield* Effect.raceFirst(frozen.await, Fiber.await(fiber))
    // What is left of it, its lease above all, ends with its time.
    return fiber
  })

const deposited = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "budget").length

describe("a process killed at a point of the journal", () => {
  for (const point of JournalPoints.points) {
    it(`sends a deposit at most once and forgets nothing: ${point}`, () =>
      Scenario.run({ rules: topUp }, (world) =>
        Effect.gen(function* () {
          yield* frozenRun(world, point)
          yield* world.advance("3 minutes")
          const report = yield* world.apply(yield* world.plan)
          yield* world.advance("1 hours")
          yield* world.apply(yield* world.plan)
          expect(deposited(world)).toBe(1)
          expect(world.requests("depositCampaignBudget")).toBe(1)
          const rows = (yield* Effect.forEach(yield* world.journal.runs(undefined, 10), (one) =>
            world.journal.rows(one.runId)
          )).flat()
          expect(rows.filter((row) => row.state === "applied")).toHaveLength(1)
          expect(rows.every((row) => ended.has(row.state))).toBe(true)
          expect(report.recovered.every((row) => ended.has(row.state))).toBe(true)
        })
      ))
  }
})

const ended: ReadonlySet<JournalState> = new Set([
  "applied",
  "not_applied",
  "skipped",
  "rejected",
  "conflict"
])

/** Runs until the point, then loses the lease as a stopped process does: its renewals stop with it. */
const frozenRun = (world: Scenario.World, point: JournalPoints.Point) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    return yield* killedAt(withoutRenewal(world), planned, point)
  })

/** A journal whose renewals fail, as those of a stopped process that never come. */
const withoutRenewal = (world: Scenario.World): Scenario.World => {
  const journal: typeof Journal.Service = {
    ...world.journal,
    acquire: (account, holder, nowMs, leaseMs, renewing) =>
      renewing === undefined ? world.journal.acquire(account, holder, nowMs, leaseMs) : Effect.never
  }
  return { ...world, journal, context: Context.add(world.context, Journal, journal) }
}

describe("a deposit that a dead run left open", () => {
  it("is parked when it is found days later: what was recorded before it proves nothing any more", () =>
    Scenario.run({ rules: topUp }, (world) =>
      Effect.gen(function* () {
        yield* frozenRun(world, "dispatching")
        yield* world.advance("25 hours")
        const settled = yield* Effect.provide(Recover.settle(Scenario.account), world.context)
        expect(settled).toMatchObject([
          { state: "parked", reason: { code: "unproved", because: "too_long_ago" } }
        ])
      })
    ))

  for (const point of ["begun", "claimed"] as const) {
    it(`is not called unsent by a restored store, which may have forgotten that it left: ${point}`, () =>
      Scenario.run({ rules: topUp }, (world) =>
        Effect.gen(function* () {
          yield* frozenRun(world, point)
          yield* world.advance("2 minutes")
          const mark = { at: world.now(), why: "restored" }
          const restored = { ...world.journal, observeOnly: () => Effect.succeed(mark) }
          const { settled } = yield* Reconcile.run(Scenario.account).pipe(
            Effect.provideService(Journal, restored),
            Effect.provide(world.context)
          )
          expect(settled).toMatchObject([
            { state: "parked", reason: { code: "unproved", because: "store_replaced" } }
          ])
          expect(yield* world.journal.deposits(Scenario.account, mark.at)).toHaveLength(1)
          expect((yield* world.journal.runs(Scenario.account, 10)).map(({ status }) => status)).toEqual([
            "interrupted"
          ])
        })
      ))
  }
})

describe("a run that slept and woke", () => {
  it("sends nothing once another run has taken its account over", () =>
    Scenario.run({ rules: topUp }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const asleep = yield* Effect.makeLatch(false)
        const zombie = yield* Effect.fork(
          apply(withoutRenewal(world), planned).pipe(
            Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
              point === "permitted" ? asleep.await : Effect.void
            )
          )
        )
        yield* world.advance("2 minutes")
        const second = yield* world.apply(yield* world.plan)
        expect(second.recovered.map(({ state }) => state)).toEqual(["skipped"])
        expect(second.counts).toEqual({ applied: 1 })
        yield* asleep.open
        const woken = yield* Fiber.join(zombie)
        expect(woken.stopped?.code).toBe("lock_lost")
        expect(world.requests("depositCampaignBudget")).toBe(1)
        expect(deposited(world)).toBe(1)
      })
    ))

  it("does not send by its epoch, even if it believes that it holds the lock", () =>
    Scenario.run({ rules: topUp }, (world) =>
      Effect.gen(function* () {
        const { journal } = world
        const account = Scenario.account
        const first = yield* journal.acquire({ account, lane: "ads" }, "first", world.now(), 1_000)
        yield* journal.begin(
          {
            lane: "ads",
            runId: "r",
            account,
            planId: "p",
            startedAt: world.now(),
            finishedAt: undefined,
            status: "running",
            counts: {}
          },
          (yield* world.plan).reviewed.appliable.map((change) => ({
            slot: `deposit:${change.subject.campaignId}`,
            change
          }))
        )
        const ids = (yield* journal.rows("r")).map((row) => row.change.id)
        yield* world.advance("2 seconds")
        const second = yield* journal.acquire({ account, lane: "ads" }, "second", world.now(), 1_000)
        expect([first.epoch, second.epoch]).toEqual([1, 2])
        const fence = { account, lane: "ads" as const, holder: "first", epoch: first.epoch }
        const note = { nowMs: world.now() }
        expect(yield* journal.claim(fence, "r", ids, ["planned"], "claimed", note)).toEqual({
          _tag: "Fenced",
          holder: "second",
          epoch: 2
        })
        expect((yield* journal.rows("r")).map(({ state }) => state)).toEqual(["planned"])
        yield* journal.release({ account, lane: "ads" }, "second")
        expect(
          (yield* journal.acquire({ account, lane: "ads" }, "first", world.now(), 1_000, first.epoch)).granted
        ).toBe(false)
        expect((yield* journal.acquire({ account, lane: "ads" }, "first", world.now(), 1_000)).epoch).toBe(3)
      })
    ))
})

describe("the kill switch", () => {
  it("stops a write that waits for its call limit, after which its change is skipped", () =>
    Scenario.run({ rules: topUp }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const report = yield* apply(world, planned).pipe(
          Effect.provideService(JournalPoints.AtPoint, (point: JournalPoints.Point) =>
            point === "claimed" ? Effect.sync(() => world.kill("stop file")) : Effect.void
          )
        )
        expect(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
          "skipped: not sent: kill switch: stop file"
        ])
        expect(report.stopped).toEqual({ code: "kill_switch", said: "stop file" })
        expect(world.requests("depositCampaignBudget")).toBe(0)
      })
    ))
})

describe("a lease", () => {
  for (const hours of [1, -1]) {
    it(`is neither lost nor prolonged when the clock is set by ${hours} h`, () =>
      Scenario.run({ rules: topUp }, (world) =>
        Effect.scoped(
          Effect.gen(function* () {
            const clock = yield* Effect.clock
            const shift = { ms: 0 }
            const set: Clock.Clock = {
              ...clock,
              unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + shift.ms,
              currentTimeMillis: Effect.map(clock.currentTimeMillis, (ms) => ms + shift.ms)
            }
            const inSet = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withClock(effect, set)
            const context = Effect.provideService(Journal, world.journal)
            const lease = yield* inSet(context(Lease.hold({ account: "x", lane: "ads" }, "one")))
            shift.ms = hours * 3_600_000
            expect(yield* inSet(lease.held)).toBe(true)
            yield* world.advance("20 seconds")
            expect(yield* inSet(lease.held)).toBe(true)
            const other = yield* inSet(context(Effect.flip(Lease.hold({ account: "x", lane: "ads" }, "two"))))
            expect(other._tag).toBe("ApplyBusy")
          })
        )
      ))
  }

  it("counts the machine's time on a clock that runs faster, for its holder and for who waits", () =>
    Scenario.run({ rules: topUp }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const context = Effect.provideService(Journal, world.journal)
          const lease = yield* context(Lease.hold({ account: "x", lane: "ads" }, "one"))
          // Five minutes of the clock at once, as a busy machine makes them.
          const stall = performance.now() + 200
          while (performance.now() < stall);
          expect(yield* lease.held).toBe(true)
          const other = yield* context(Effect.flip(Lease.hold({ account: "x", lane: "ads" }, "two")))
          expect(other.message).toMatch(/its lock ends by itself in 4\d s$/)
        }).pipe(Effect.withClock(ScaledClock.make({ speed: 1500 })))
      )
    ))

  it("of a dead run does not outlive it by the hour that the clock was set back", () =>
    Scenario.run({ rules: topUp }, ({ journal }) =>
      Effect.gen(function* () {
        yield* journal.acquire({ account: "x", lane: "ads" }, "dead", 10_000_000, 45_000)
        expect(
          (yield* journal.acquire({ account: "x", lane: "ads" }, "next", 10_000_000 - 3_600_000, 45_000))
            .granted
        ).toBe(true)
      })
    ))
})

describe("any row of crashes", () => {
  it(
    "sends the deposit at most once and never two writes to a slot at a time",
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...JournalPoints.points), { minLength: 1, maxLength: 3 }),
          fc.constantFrom(undefined, "dropAnswer" as const, "errorBefore" as const, "errorAfter" as const),
          (crashes, kind) =>
            Scenario.run({ rules: topUp }, (world) =>
              Effect.gen(function* () {
                if (kind !== undefined) world.faults([{ kind, operation: "depositCampaignBudget", count: 1 }])
                for (const point of crashes) {
                  yield* frozenRun(world, point)
                  yield* world.advance("2 minutes")
                  const open = (yield* world.journal.open(Scenario.account)).filter(
                    ({ state }) => state === "dispatching" || state === "unknown" || state === "accepted"
                  )
                  expect(open.length).toBeLessThanOrEqual(1)
                }
                world.faults([])
                yield* world.apply(yield* world.plan)
                expect(deposited(world)).toBeLessThanOrEqual(1)
                const rows = yield* world.journal.open(Scenario.account)
                expect(rows).toEqual([])
              })
            )
        ),
        { numRuns: 6 }
      ),
    120_000
  )
})
