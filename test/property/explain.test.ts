/** What an explanation promises: the values it names do what it says, its sums add up, its next move comes true. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Gate from "../../src/engine/decide/intents/Gate.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Print from "../../src/engine/facts/Print.js"
import type { Table } from "../../src/engine/facts/Table.js"
import type { Clamp } from "../../src/engine/kinds/Change.js"
import type { Action, Condition, Expr } from "../../src/engine/language/Policy.js"
import * as MoveSteps from "../../src/reporting/explain/MoveSteps.js"
import * as NearMiss from "../../src/reporting/explain/NearMiss.js"
import * as Waiting from "../../src/reporting/explain/Waiting.js"
import {
  clause,
  compare,
  fact,
  kopecks,
  literal,
  lowerBid,
  now,
  oneRow,
  oneSlot,
  plan,
  policy,
  raiseBid,
  rub,
  setBid,
  table,
  target,
  week
} from "../decide/Example.js"
import * as Random from "./Random.js"

const ids = ["cluster.orders", "cluster.views", "cluster.clicks"] as const
const number = fc.integer({ min: 0, max: 6 })

/** Conditions in which each fact stands once, so that mending one part breaks no other. */
const conditionOf = (all: ReadonlyArray<string>): fc.Arbitrary<Condition> => {
  const [id, ...others] = all
  const expr = fact(id!, week)
  const value = (n: number): Expr => literal(n, FactType.count)
  const leaf = fc.oneof(
    fc
      .tuple(Random.op, number, fc.boolean())
      .map(
        ([op, n, swapped]): Condition => (swapped ? compare(value(n), op, expr) : compare(expr, op, value(n)))
      ),
    fc.tuple(number, number).map(
      ([a, b]): Condition => ({
        _tag: "Between",
        value: expr,
        low: value(Math.min(a, b)),
        high: value(Math.max(a, b))
      })
    ),
    fc
      .array(number, { minLength: 1, maxLength: 3 })
      .map((options): Condition => ({ _tag: "In", value: expr, options: options.map(value) }))
  )
  const turned = fc
    .tuple(leaf, fc.boolean())
    .map(([one, not]): Condition => (not ? { _tag: "Not", condition: one } : one))
  if (others.length === 0) return turned
  return fc
    .tuple(turned, conditionOf(others), fc.constantFrom("one", "and", "or", "not and"))
    .map(([a, b, how]): Condition => {
      if (how === "one") return a
      if (how === "or") return { _tag: "Or", any: [a, b] }
      const and: Condition = { _tag: "And", all: [a, b] }
      return how === "and" ? and : { _tag: "Not", condition: and }
    })
}

/** A number on the right side of a wish. */
const meeting = ({ op, values }: NearMiss.Value): number => {
  const [first = 0, last = first] = values.map(Number)
  switch (op) {
    case ">":
    case "!=":
      return first + 1
    case "<":
      return first - 1
    case "not between":
      return last + 1
    case "not in":
      return Math.max(...values.map(Number)) + 1
    default:
      return first
  }
}

const apply = (wish: NearMiss.Wish, to: Table): void => {
  if (wish._tag === "Words") throw new Error(`only words: ${wish.text}`)
  if (wish._tag === "Value") to.set(0, wish.key!, Cells.known(meeting(wish)))
  else for (const part of wish._tag === "All" ? wish.of : wish.of.slice(0, 1)) apply(part, to)
}

describe("a near miss", () => {
  it("names values that make the condition true", () => {
    let missed = 0
    fc.assert(
      fc.property(
        conditionOf(ids),
        fc.tuple(number, number, number),
        (condition, [orders, views, clicks]) => {
          const facts = {
            "cluster.orders@7d": orders,
            "cluster.views@7d": views,
            "cluster.clicks@7d": clicks
          }
          const of = table("cluster", [{ target: target(7, 1, "a"), facts }])
          const truth = () => Evaluate.condition(condition, of, [0]).truth[0]
          const wishes = NearMiss.of([clause("asked", condition)], of, 0, "₽")
          assert.strictEqual(wishes.length, truth() === Kleene.False ? 1 : 0)
          for (const wish of wishes) {
            missed += 1
            apply(wish, of)
            assert.strictEqual(truth(), Kleene.True, NearMiss.text(wish))
          }
        }
      ),
      { numRuns: 500 }
    )
    assert.isAbove(missed, 50)
  })

  it("names no value that would move its own goal", () => {
    const spend = fact("cluster.orders", week)
    const twice: Expr = {
      _tag: "Arithmetic",
      type: FactType.count,
      op: "*",
      left: spend,
      right: literal(2, FactType.count)
    }
    const of = table("cluster", [{ target: target(7, 1, "a"), facts: { "cluster.orders@7d": 5 } }])
    const [wish] = NearMiss.of([clause("orders > orders * 2", compare(spend, ">", twice))], of, 0, "₽")
    assert.deepStrictEqual(wish, { _tag: "Words", text: "orders > orders * 2 (5 > 10 now)" })
  })
})

const roubles = fc.integer({ min: 100, max: 900 })
const move = fc.oneof(
  fc
    .integer({ min: 1, max: 60 })
    .map((percent) => ({ _tag: "Percent" as const, basisPoints: percent * 100 })),
  fc.integer({ min: 1, max: 5 }).map((steps) => ({ _tag: "Steps" as const, steps }))
)
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc
    .tuple(move, roubles, fc.option(roubles))
    .map(([by, cap, toward]) =>
      raiseBid({ by, cap: rub(cap), ...(toward === null ? {} : { toward: rub(toward) }) })
    ),
  fc
    .tuple(move, roubles, fc.option(roubles))
    .map(([by, floor, toward]) =>
      lowerBid({ by, floor: rub(floor), ...(toward === null ? {} : { toward: rub(toward) }) })
    ),
  fc
    .tuple(roubles, roubles, fc.option(fc.integer({ min: 100, max: 5000 })))
    .map(([to, cap, step]) =>
      setBid({ to: rub(to), cap: rub(cap), ...(step === null ? {} : { maxStepBasisPoints: step }) })
    )
)

describe("the steps of a move", () => {
  it("name every limit that bound and end at the new bid", () => {
    let moves = 0
    fc.assert(
      fc.property(
        actions,
        fc.record({
          bid: roubles,
          least: fc.integer({ min: 50, max: 500 }),
          step: fc.constantFrom(100, 250, 1000)
        }),
        fc.option(roubles),
        (action, { bid, least, step }, most) => {
          const one = policy("01", action, { limits: { movePerDayBasisPoints: 3_000 } })
          const facts = {
            "cluster.bid": bid * 100,
            "campaign_item.min_bid": least * 100,
            "account.bid_step.cpm": step
          }
          const limits = most === null ? {} : { maxBidKopecks: { cpm: kopecks(most * 100) } }
          const rows = oneRow.map((row) => ({ ...row, facts }))
          const [change] = plan({ policies: [one], rows, limits }).changes
          if (change === undefined) return
          moves += 1
          const steps = MoveSteps.of({
            change,
            policy: one,
            action,
            table: table("cluster", rows),
            row: 0,
            currency: "RUB"
          })
          assert.match(steps.at(-1)!, /^step /)
          assert.isTrue(
            steps.at(-1)!.endsWith(`→ ${Print.money(Number(change.after), "₽")}`),
            steps.join("; ")
          )
          const bound = steps.filter((text) => text.includes(" → "))
          const named = change.clamps.filter(({ by }: Clamp) => by !== "step").length
          assert.isAtLeast(bound.length, 1 + named)
        }
      ),
      { numRuns: 400 }
    )
    assert.isAbove(moves, 50)
  })
})

describe("the next move", () => {
  const minute = 60_000
  it("is the first minute at which the gate lets the bid pass", () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 10, max: 3_000 })),
        fc.integer({ min: 0, max: 1_440 }),
        (cooldown, offset) => {
          const one = policy("01", raiseBid(), cooldown === null ? {} : { cooldownMs: cooldown * minute })
          const changedAt = now + offset * minute
          const expected = Gate.nextMove(one, 0, changedAt, true)
          const moves = (nowMs: number): boolean =>
            plan({ policies: [one], nowMs, slots: [{ slot: oneSlot, lastAppliedAt: changedAt }] }).changes
              .length > 0
          const midnight = Date.parse(`${Days.shift(Days.at(changedAt, "Europe/Moscow"), 1)}T00:00:00+03:00`)
          const first = Math.max(expected.notBeforeMs ?? 0, midnight)
          assert.isFalse(moves(first - minute))
          assert.isTrue(moves(first))
          assert.isDefined(Waiting.of(expected, first - minute, "Europe/Moscow"))
          assert.isUndefined(Waiting.of(expected, first, "Europe/Moscow"))
        }
      ),
      { numRuns: 100 }
    )
  })
})
