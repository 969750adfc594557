/**
 * The costs by which an enrolment was planned against the economics table as it is now: a rule that asked what the item earns did so by
 * those, and nothing takes the item out again (decision 0127). Whatever differs on the promotion's days holds it, for better or worse:
 * whether the rule would still want it, a new plan finds out. Pure.
 */
import * as Economics from "../../facts/Economics.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Needs from "../../facts/Needs.js"
import type { Facts, Reading } from "../../facts/Reading.js"
import type { Said } from "../../facts/Spaces.js"
import type { Change } from "../../kinds/Change.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import type { CostsOfDay } from "../../kinds/Parts.js"
import type { Policy } from "../../language/Policy.js"

/** What a policy's rules read of the table for a row of an item in a promotion: once for each part of its days; undefined where they read nothing. */
export const seen = (policy: Policy, facts: Facts, row: number): ReadonlyArray<CostsOfDay> | undefined => {
  const asked = termsOf(policy)
  return asked.length === 0 ? undefined : daysOf(facts, row).map((day) => told(asked, day))
}

/** What the table says of a term on one day; null where that is unknown. */
type Day = (term: string) => CostsOfDay[string]

const told = (terms: ReadonlyArray<string>, day: Day): CostsOfDay => {
  const found: Record<string, CostsOfDay[string]> = {}
  for (const id of terms) found[id] = day(id)
  return found
}

/** Terms that a policy's rules read, sorted: of many rows asked for once. */
const termsOf = (policy: Policy): ReadonlyArray<string> => {
  const existing = known.get(policy)
  if (existing !== undefined) return existing
  const read = FactRefs.ofPolicy(policy).map(({ id }) => id)
  const asked = new Set(read.filter((id) => Economics.isTerm(id) && id !== Needs.priceFloor))
  const terms = [...asked].sort()
  known.set(policy, terms)
  return terms
}

const known = new WeakMap<Policy, ReadonlyArray<string>>()

/** What holds an enrolment that was planned; `items` are the account's items in promotions. */
export const verdict = (change: Change, items: Reading): HeldReason | undefined => {
  if (!Enrolment.isEnrolment(change)) return undefined
  const planned = change.details.costs ?? []
  const [first] = planned
  if (first === undefined) return undefined
  const terms = Object.keys(first)
  const row = items.table.indexOf(change.subject)
  if (row !== undefined && isOver(items, row)) return undefined
  const days = row === undefined ? [() => null] : daysOf(items, row)
  const now = days.find((day) => !planned.some((was) => terms.every((id) => was[id] === day(id))))
  return now === undefined ? undefined : changedFrom(planned, now, terms)
}

/** What differs from the day, of those of the plan, that is most like it. */
const changedFrom = (
  planned: ReadonlyArray<CostsOfDay>,
  now: Day,
  terms: ReadonlyArray<string>
): HeldReason | undefined => {
  const differing = planned.map((was) => ({ was, terms: terms.filter((id) => was[id] !== now(id)) }))
  const nearest = differing.reduce((least, one) => (one.terms.length < least.terms.length ? one : least))
  const [id] = nearest.terms
  return id === undefined
    ? undefined
    : { code: "costs_changed", term: id, was: nearest.was[id] ?? null, now: now(id) }
}

/**
 * No day is left that the table could tell otherwise. Where the end was moved by so much that it still runs, the last look before
 * sending leaves its items out.
 */
const isOver = (items: Facts, row: number): boolean => {
  const endsIn = items.get(row, "promotion.ends_in")
  return endsIn._tag === "Known" && Number(endsIn.value) < 0 - Enrolment.nearMs
}

const daysOf = (facts: Facts, row: number): ReadonlyArray<Day> => {
  const on = (said?: Said) => (id: string) => {
    const cell = said?.get(id) ?? facts.get(row, id)
    return cell._tag === "Known" ? cell.value : null
  }
  return facts.ahead(row)?.map(({ said }) => on(said)) ?? [on()]
}
