/**
 * S11: two policies that set one thing to and fro in turn, because each asks for what the other leaves. S03 is about
 * rows that both match at once; here no row does, and yet no row is ever left alone.
 */

import * as Window from "../../../domain/Window.js"
import * as Cells from "../../facts/Cell.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Print from "../../facts/Print.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Action, Clause, Condition, Expr, Policy } from "../Policy.js"
import * as Bound from "./Bound.js"
import * as Boxes from "./Boxes.js"
import * as Fights from "./Fights.js"
import type { Finding, Subject } from "./Subject.js"
import type { Row } from "./Witness.js"

/** Rules before one, and conditions: beyond them nothing is said of it. */
const mostClauses = 256
/** Pairs of rules that are compared in all, which bounds the time for any set of rules. */
const mostPairs = 2_000

export interface Chase {
  readonly left: Fights.Side
  readonly right: Fights.Side
}

/**
 * Every chase, in the order of the policies. Says nothing when anything slows one of the two down: a cooldown, runs in
 * a row, a statistic over days (each move waits for new days of it), fixed times of day. Tiers do not, since only one of the
 * two matches at a time; but for a pause, which no tier below it undoes.
 */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Chase> => {
  const quick = subjects.filter(({ policy }) => !isSlow(policy)).flatMap(runners)
  const chases: Array<Chase> = []
  const work = Boxes.workOfPairs()
  let pairs = 0
  for (const [i, left] of quick.entries()) {
    for (const right of quick.slice(i + 1)) {
      if (left.policy === right.policy || left.policy.each !== right.policy.each) continue
      if (left.slot !== right.slot || left.direction === right.direction || isBound(left, right)) continue
      if (++pairs > mostPairs || chases.length >= Bound.most || work.left <= 0) return chases
      if (isChase(left, right, work)) chases.push({ left, right })
    }
  }
  return chases
}

interface Runner extends Fights.Side {
  readonly slot: string
  readonly direction: string
}

const isSlow = ({ cooldownMs, during, holdForRuns, mode, schedule, watch }: Policy): boolean =>
  mode === "disabled" ||
  cooldownMs !== undefined ||
  holdForRuns !== undefined ||
  watch !== undefined ||
  during !== undefined ||
  schedule?.at !== undefined ||
  schedule?.between !== undefined ||
  schedule?.days !== undefined

const runners = ({ policy, rules }: Subject): ReadonlyArray<Runner> =>
  rules.flatMap((rule, at) => {
    if (rule.turn.length > mostClauses) return []
    const before = rules.slice(0, at + 1).flatMap(({ clauses }) => clauses)
    if (FactRefs.ofClauses(before).some(({ id }) => Vocabulary.byFactId(id)?.windowed === true)) return []
    return Fights.aimsOf(policy, rule).flatMap((aim) =>
      aim.slot === "money" ? [] : [{ policy, rule, ...aim }]
    )
  })

/** The start of a tier below leaves the pause alone (S14). */
const isBound = (left: Runner, right: Runner): boolean =>
  (left.direction === "Pause" && Bound.isBelow(right, left)) ||
  (right.direction === "Pause" && Bound.isBelow(left, right))

const isChase = (left: Runner, right: Runner, work: Boxes.Work): boolean => {
  const [a, b] = [asked(left), asked(right)]
  return (
    Boxes.gapBetween(a, b, work) === "touching" &&
    !isPassedOnce(a, b) &&
    !Fights.disjoint(scope(left.policy, left.slot), scope(right.policy, right.slot), work) &&
    work.left > 0
  )
}

/** Whether what both are about is the clock alone: an hour or an age passes its border and does not go to and fro. */
const isPassedOnce = (a: ReadonlyArray<Clause>, b: ReadonlyArray<Clause>): boolean => {
  const others = new Set(FactRefs.ofClauses(b).map(({ id }) => id))
  return FactRefs.ofClauses(a).every(({ id }) => !others.has(id) || isOfClock(id))
}

const isOfClock = (id: string): boolean =>
  id === "campaign.age" || Vocabulary.byFactId(id)?.source === "clock"

/** A campaign that is to be started is paused, and the other way round: that is no difference between the two. */
const asked = ({ policy, rule, slot }: Runner): ReadonlyArray<Clause> =>
  inClauses(
    rule.turn
      .filter((clause) => !policy.where.includes(clause))
      .flatMap(parts)
      .filter((clause) => !isOfSlot(clause, slot))
  )

/** `a and b` in one line is as good as in two. */
const parts = (clause: Clause): ReadonlyArray<Clause> =>
  clause.condition._tag === "And"
    ? clause.condition.all.map((condition) => ({ ...clause, condition }))
    : [clause]

const scope = ({ where }: Policy, slot: string): ReadonlyArray<Clause> =>
  where.filter((clause) => !isOfSlot(clause, slot))

const isOfSlot = (clause: Clause, slot: string): boolean =>
  slot === "status" && FactRefs.ofClauses([clause]).every(({ id }) => id === "campaign.status")

// S10: a policy that would do and take back the same thing again and again, for want of a gap between the two.

/** At most one finding per policy. Says nothing where the two are about different things. */
export const of = ({ policy }: Subject, work: Boxes.Work): ReadonlyArray<Finding> => {
  const undoing = policy.rules.find(({ action }) => action._tag === "Revert")
  const doing = policy.rules[0]
  if (undoing === undefined || doing === undefined || doing === undoing) return []
  const [when, revert] = [doing.when, undoing.when].map(inClauses)
  const gap = Boxes.gapBetween(when!, revert!, work)
  if (gap !== "overlap" && (gap !== "touching" || isPassedOnce(when!, revert!))) return []
  const both = gap === "overlap" ? Fights.between(policy.each, when!, revert!) : undefined
  const where =
    both === undefined
      ? `As soon as ${text(doing.when)} no longer holds, ${text(undoing.when)} does`
      : `${text(doing.when)} and ${text(undoing.when)} both hold at ${row(both)}`
  const message = `${where}: a value near the border would be changed back and forth. Leave a gap, such as ${isBelow(when!) ? "twice" : "half"} the value.`
  return [{ code: "S10", severity: "warning", span: undoing.when[0]?.span ?? undoing.action.span, message }]
}

/** Whether it asks for little of something, so that it is taken back further up. */
const isBelow = (clauses: ReadonlyArray<Clause>): boolean =>
  clauses.some(({ condition }) => condition._tag === "Compare" && /^</.test(condition.op))

const text = (clauses: ReadonlyArray<Clause>): string => clauses.map((clause) => clause.text).join(" and ")

/** Calculations of nothing but literals, worked out: `$daily * 50%` is 1500 ₽, so that thresholds can be compared. */
const inClauses = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Clause> =>
  clauses.map((clause) => ({ ...clause, condition: inCondition(clause.condition) }))

const inCondition = (condition: Condition): Condition => {
  switch (condition._tag) {
    case "Compare":
      return { ...condition, left: inExpr(condition.left), right: inExpr(condition.right) }
    case "Between":
      return {
        ...condition,
        value: inExpr(condition.value),
        low: inExpr(condition.low),
        high: inExpr(condition.high)
      }
    case "And":
      return { ...condition, all: condition.all.map(inCondition) }
    case "Or":
      return { ...condition, any: condition.any.map(inCondition) }
    case "Not":
      return { ...condition, condition: inCondition(condition.condition) }
    default:
      return condition
  }
}

const inExpr = (expr: Expr): Expr => {
  if (expr._tag !== "Arithmetic") return expr
  const left = inExpr(expr.left)
  const right = inExpr(expr.right)
  const value =
    left._tag === "Literal" && right._tag === "Literal" ? worked(expr.op, left.value, right.value) : undefined
  return value === undefined ? expr : { _tag: "Literal", type: expr.type, value }
}

/** Undefined where there is no plain number: then the calculation stays. */
const worked = (op: string, left: unknown, right: unknown): number | undefined => {
  const [a, b] = [Number(left), Number(right)]
  const value = op === "+" ? a + b : op === "-" ? a - b : op === "*" ? a * b : a / b
  return Number.isFinite(value) ? value : undefined
}

// Actions and example rows as sentences.

/** `raises the bid`, `pauses it`; `what` is the bid, phrase or campaign. */
export const verb = (action: Action, what = nounOf(action)): string => {
  switch (action._tag) {
    case "RaiseBid":
      return `raises ${what}`
    case "LowerBid":
      return `lowers ${what}`
    case "SetBid":
      return `sets ${what}`
    case "AdjustBid":
      return `lays a share over ${what}`
    case "AddMinus":
      return `adds ${what}`
    case "RemoveMinus":
      return `removes ${what}`
    case "Pause":
      return `pauses ${what}`
    case "Start":
      return `starts ${what}`
    case "Deposit":
      return `adds money to ${what}`
    case "Placements":
      return `sets the placements of ${what}`
    case "Enrol":
      return `enrols ${what}`
    case "Notify":
      return `tells of ${what}`
    default:
      return `changes ${what}`
  }
}

const nounOf = ({ _tag }: Action): string =>
  _tag === "Pause" || _tag === "Start" || _tag === "Deposit" || _tag === "Placements" || _tag === "Notify"
    ? "the campaign"
    : _tag === "AddMinus" || _tag === "RemoveMinus"
      ? "the minus phrase"
      : "the bid"

/** `orders[7d] = 3, avg_pos[yesterday] = 2.7`; the account's currency is not known here, so money is shown in ₽. */
export const row = (values: Row): string =>
  values.length === 0
    ? "every row"
    : values
        .map(({ fact, value }) => {
          const known = Vocabulary.byFactId(fact.id)
          if (known === undefined) return fact.id
          const window = fact.window === undefined ? "" : `[${Window.key(fact.window)}]`
          return `${known.word}${window} = ${Print.cell(Cells.known(value), known.type, "₽")}`
        })
        .join(", ")
