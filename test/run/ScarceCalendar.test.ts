/** A Base token asks the calendar once an hour: runs one after the other complete it from what the store remembers. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Ids from "../../src/domain/Ids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Enrolment from "../../src/engine/kinds/Enrolment.js"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import { MaxWait } from "../../src/services/Limiter.js"
import { CalendarMemory } from "../../src/services/ports/CalendarMemory.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = (enrol: string, days = 14) => ({
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join promotions
mode: apply
irreversible: accepted
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 60h and ${days}d
when: price_drop <= 20%
do: ${enrol}
`
})
const joining = rule("{enrol: {overlap: allowed}}", 10)

const base: Scenario.Options = { token: { kind: "base" }, rules: [joining] }

/** A plan of somebody who waits a few minutes for a call: no call is had for it but one an hour. */
const planAtOnce = (world: Scenario.World) => Effect.provideService(world.planPromotions, MaxWait, 300_000)

const calls = (world: Scenario.World): number =>
  ["listPromotions", "getPromotionDetails", "listPromotionItems", "uploadPromotionItems"].reduce(
    (sum, operation) => sum + world.requests(operation),
    0
  )

const unread = ({ reviewed: { plan } }: Cycle.Planned): ReadonlyArray<string> =>
  (plan.notices ?? []).flatMap((one) =>
    one.because?.code === "calendar_unread" ? [RowReasons.notice(one, RowReasons.around(plan))] : []
  )

const wanted = ({ reviewed: { plan } }: Cycle.Planned): ReadonlyArray<string> =>
  plan.changes
    .map(({ details, subject }) => JSON.stringify([subject.promotionId, subject.itemId, details]))
    .sort()

const itemsOf = (planned: Cycle.Planned): ReadonlyArray<string> =>
  planned.reviewed.plan.changes.map(({ subject }) => `${subject.promotionId}/${subject.itemId}`).sort()

const filed = (world: Scenario.World): ReadonlyArray<string> =>
  world
    .ledger()
    .filter(({ slot }) => slot === "promotion")
    .map(({ target, task }) => JSON.stringify([target, task?.asked, task?.entered]))
    .sort()

/** Cycles an hour apart until nothing is left unread; what each left, in words. */
const complete = (world: Scenario.World, most = 14) =>
  Effect.gen(function* () {
    const left: Array<ReadonlyArray<string>> = []
    for (;;) {
      const before = calls(world)
      const planned = yield* planAtOnce(world)
      expect(calls(world) - before).toBeLessThanOrEqual(1)
      if (unread(planned).length === 0 || left.length >= most) return { left, planned }
      left.push(unread(planned))
      yield* world.advance("1 hour")
    }
  })

/** The plan and the ledger of a Personal token whose world has gone on for as long. */
const personal = (atMs: number) =>
  Scenario.run({ rules: [joining] }, (world) =>
    Effect.gen(function* () {
      yield* world.advance(atMs - world.now())
      const planned = yield* world.planPromotions
      yield* world.apply(planned)
      return { wanted: wanted(planned), filed: filed(world) }
    })
  )

const stage = (world: Scenario.World, staged: PromotionControl.Staged) => {
  const why = PromotionControl.stage(world.sandbox, staged, world.now())
  if (why !== undefined) throw new Error(why)
}

describe("the calendar under a Base token", () => {
  it("is completed by cycles an hour apart, which then file exactly what a Personal token would", () =>
    Scenario.run(base, (world) =>
      Effect.gen(function* () {
        const { left, planned } = yield* complete(world)
        expect(left[0]).toEqual([
          expect.stringMatching(
            /^promotions 1002, .*: dates and figures not read yet; the limit leaves one call an hour, and the next runs go on from here$/
          ),
          // Their dates the list tells. Two of them run, and are over before one of the others begins.
          expect.stringMatching(/^promotions 1002, 1003, 1005, 1006: items not read yet; /)
        ])
        expect(left.at(-1)).toEqual([expect.stringMatching(/^promotion 1006: items not read yet; /)])
        expect(left).toHaveLength(9)
        const theirs = yield* Effect.promise(() => personal(world.now()))
        expect(itemsOf(planned).length).toBeGreaterThan(1)
        expect(wanted(planned)).toEqual(theirs.wanted)
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: planned.reviewed.plan.changes.length })
        expect(filed(world)).toEqual(theirs.filed)
        expect(world.throttled()).toBe(0)
      })
    ))

  it("goes on where a run was cut short that waited for its calls", () =>
    Scenario.run(base, (world) =>
      Effect.gen(function* () {
        const first = yield* Effect.fork(world.planPromotions)
        yield* world.advance("210 minutes")
        yield* Fiber.interrupt(first)
        expect(calls(world)).toBe(4)
        const planned = yield* world.planPromotions
        expect(unread(planned)).toEqual([])
        expect(planned.gathered.failures).toEqual([])
        // The list, the details, and two lists of each of four promotions.
        expect(calls(world)).toBe(10)
        expect(itemsOf(planned).length).toBeGreaterThan(1)
        // When the oldest of it was read, for who asks why.
        const { nowMs, readings } = planned.gathered
        expect([nowMs - readings.get("promotions")! > 3_000_000, world.throttled()]).toEqual([true, 0])
      })
    ))

  it("is read, decided and filed within one cycle of a scheduler that waits, and by the next if that one is killed", () =>
    Scenario.run({ ...base, rules: [rule("{enrol: {overlap: allowed}}", 6)] }, (world) =>
      Effect.gen(function* () {
        const cycle = Effect.flatMap(Deferred.make<void>(), (stopping) =>
          world.cycle({
            account: Scenario.account,
            lane: "promotions",
            due: new Set(["09-join"]),
            loaded: { rules: world.rules, version: "1", problem: undefined },
            stopping
          })
        )
        const first = yield* Effect.fork(cycle)
        yield* world.advance("150 minutes")
        yield* Fiber.interrupt(first)
        const read = calls(world)
        expect([read, world.ledger()]).toEqual([3, []])
        expect(yield* cycle).toMatchObject({
          _tag: "Done",
          said: expect.stringMatching(/^applied \(\d+ applied\)/)
        })
        expect(world.ledger().map(({ target }) => target.promotionId)).toEqual([1005])
        // The last three lists; the look by details and two lists; the task; and the proof by details and a list.
        expect(calls(world)).toBe(read + 3 + 4 + 2)
        expect(world.throttled()).toBe(0)
      })
    ))

  it("asks again for what is older than twelve hours, and decides nothing by it", () =>
    // In scope for as long as it takes to read all of it twice.
    Scenario.run({ ...base, rules: [{ ...joining, text: joining.text.replace("60h", "24h") }] }, (world) =>
      Effect.gen(function* () {
        const before = yield* complete(world)
        yield* world.advance("13 hours")
        const old = yield* planAtOnce(world)
        expect(wanted(old)).toEqual([])
        expect(unread(old)).toEqual([
          expect.stringMatching(
            /^promotions [\d, ]+: dates and figures last read 2\d hours ago, which counts no more; /
          ),
          expect.stringMatching(
            /^promotions 1003, 1005, 1006: items last read 1\d hours ago, which counts no more; /
          )
        ])
        yield* world.advance("1 hour")
        const { left, planned } = yield* complete(world)
        expect(left[0]).toEqual([
          expect.stringMatching(
            /^promotions 1003, 1005, 1006: items last read 1\d hours ago, which counts no more; /
          )
        ])
        expect(itemsOf(planned)).toEqual(itemsOf(before.planned))
      })
    ))

  it("is not trusted by who sends: what was deleted or moved since is seen and not filed", () =>
    Scenario.run({ ...base, rules: [rule("{enrol: {overlap: allowed}}")] }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* complete(world)
        const promotions = new Set(planned.reviewed.plan.changes.map(({ subject }) => subject.promotionId!))
        expect([...promotions].sort()).toEqual([1005, 1006, 1007])
        stage(world, { promotionId: 1005, play: "delete" })
        stage(world, { promotionId: 1006, play: "move", endDateTime: "2026-10-30T00:00:00Z" })
        const report = yield* world.apply(planned)
        for (const { change, state } of report.rows)
          expect([change.subject.promotionId, state]).toEqual([
            change.subject.promotionId,
            change.subject.promotionId === 1007 ? "applied" : "skipped"
          ])
        expect(world.ledger().map(({ target }) => target.promotionId)).toEqual([1007])
        expect(report.rows.map((row) => Reasons.ofRow(row)).join("; ")).toMatch(
          /gone.*; .*has moved since the plan/
        )
        expect(world.throttled()).toBe(0)
      })
    ))

  it("does not take its own filing for somebody's hand, nor file it again, while older lists are remembered", () =>
    Scenario.run({ ...base, rules: [rule("{enrol: {overlap: allowed}}", 6)] }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* complete(world)
        expect(itemsOf(planned).length).toBeGreaterThan(0)
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: planned.reviewed.plan.changes.length })
        const first = yield* planAtOnce(world)
        expect(unread(first)).toEqual([
          expect.stringMatching(/^promotion.* 1005.*: dates and figures last read \d+ hours ago/),
          expect.stringMatching(/^promotion.* 1005.*: items last read \d+ hours ago/)
        ])
        yield* world.advance("1 hour")
        const { planned: then } = yield* complete(world)
        for (const { context, reviewed } of [first, then]) {
          expect([reviewed.plan.changes, reviewed.plan.held, context.stops?.edits.size]).toEqual([[], [], 0])
        }
        expect(then.reviewed.plan.unchanged.map(({ because }) => because.code)).toContain("enrolled_already")
      })
    ))

  it("is asked for the dates of more than a hundred promotions in two calls before a task, which leaves once both are answered", () =>
    Scenario.run({ ...base, rules: [rule("{enrol: {overlap: allowed}}", 6)] }, (world) =>
      Effect.gen(function* () {
        const { planned } = yield* complete(world)
        const planning = calls(world)
        const besidesUnread = Array.from({ length: 120 }, (_, at) => Ids.PromotionId.make(5001 + at))
        const many = (change: Change): Change =>
          change.kind === Enrolment.name
            ? { ...change, details: { ...change.details, besidesUnread } }
            : change
        const { appliable, plan } = planned.reviewed
        const asked = {
          ...planned,
          reviewed: {
            ...planned.reviewed,
            appliable: appliable.map(many),
            plan: { ...plan, changes: plan.changes.map(many) }
          }
        }
        yield* world.advance("1 hour")
        const hasty = yield* Effect.provideService(world.apply(asked), MaxWait, 300_000)
        expect(new Set(hasty.rows.map((row) => Reasons.ofRow(row)))).toEqual(
          new Set([expect.stringMatching(/^not sent: the limit of calendar/)])
        )
        expect([calls(world), world.ledger(), world.throttled()]).toEqual([planning + 1, [], 0])
        yield* world.advance("1 hour")
        const read = calls(world)
        const report = yield* world.apply(asked)
        expect(report.counts).toEqual({ applied: plan.changes.length })
        // The look by two calls for details and two lists; the task; and the proof by details and a list.
        expect(calls(world)).toBe(read + 2 + 2 + 1 + 3)
        expect([world.ledger().length, world.throttled()]).toEqual([1, 0])
      })
    ))

  it("reads every promotion in its turn where they are too many for twelve hours", () =>
    Scenario.run({ ...base, rules: [rule("enrol", 40)] }, (world) =>
      Effect.gen(function* () {
        const memory = Context.get(world.context, CalendarMemory)
        const wantedAtFirst = yield* Effect.promise(() =>
          Scenario.run({ rules: [rule("enrol", 40)] }, (theirs) =>
            Effect.map(theirs.planPromotions, () => theirs.requests("listPromotionItems") / 2)
          )
        )
        for (let hour = 0; hour < 30; hour++) {
          yield* planAtOnce(world)
          yield* world.advance("1 hour")
        }
        const kept = yield* memory.recall(
          Scenario.account,
          Array.from({ length: 20 }, (_, at) => `items ${1001 + at} in 0`)
        )
        expect(wantedAtFirst).toBeGreaterThan(5)
        expect(kept.size).toBe(wantedAtFirst)
        expect(world.throttled()).toBe(0)
      })
    ))
})

describe("any other token", () => {
  it("reads the calendar live in every run and remembers nothing of it", () =>
    Scenario.run({ rules: [joining] }, (world) =>
      Effect.gen(function* () {
        const memory = Context.get(world.context, CalendarMemory)
        const questions = ["list 0", "details 1005", "items 1005 in 0", "items 1005 may join 0"]
        const nothing = { data: { promotions: [], nomenclatures: [] } }
        yield* memory.keep(
          Scenario.account,
          questions.map((question) => ({ question, readAt: world.now(), answer: nothing }))
        )
        const first = yield* world.planPromotions
        const once = calls(world)
        const second = yield* world.planPromotions
        expect(once).toBeGreaterThan(3)
        expect(calls(world)).toBe(2 * once)
        expect(itemsOf(first).length).toBeGreaterThan(1)
        expect(itemsOf(second)).toEqual(itemsOf(first))
        const kept = yield* memory.recall(Scenario.account, [...questions, "items 1006 in 0"])
        expect([...kept.values()].map(({ answer }) => answer)).toEqual(questions.map(() => nothing))
      })
    ))
})
