/**
 * The costs by which an enrolment was planned against the economics table as it is now: a rule that asked what the item earns did so by
 * those, and nothing takes the item out again (decision 0127). Whatever differs on the promotion's days holds it, for better or worse:
 * whether the rule would still want it, a new plan finds out. Pure.
 */
import * as Economics from "../../facts/Economics.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Needs from "../../facts/Needs.js"
import type { Table } from "../../facts/Table.js"
import type { Change } from "../../kinds/Change.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import type { CostsOfDay } from "../../kinds/Parts.js"
import type { Policy } from "../../language/Policy.js"

/** What a policy's rules read of the table for a row of an item in a promotion: once for each part of its days; undefined where they read nothing. */
export const seen = (policy: Policy, table: Table, row: number): ReadonlyArray<CostsOfDay> | undefined => {
  const asked = termsOf(policy)
  return asked.length === 0 ? undefined : daysOf(asked, table, row)
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

/** What holds an enrolment that was planned; `account` is any view of the account. */
export const verdict = (change: Change, account: Table): HeldReason | undefined => {
  if (!Enrolment.isEnrolment(change)) return undefined
  const [first, ...others] = change.details.costs ?? []
  if (first === undefined) return undefined
  const terms = Object.keys(first)
  const items = account.view("promotion_item")
  const row = items.indexOf(change.subject)
  if (row !== undefined && isOver(items, row)) return undefined
  const days = row === undefined ? [of(terms, () => null)] : daysOf(terms, items, row)
  const planned = [first, ...others]
  const now = days.find((day) => !planned.some((was) => terms.every((id) => was[id] === day[id])))
  return now === undefined ? undefined : changedFrom(planned, now, terms)
}

/** What differs from the day, of those of the plan, that is most like it. */
const changedFrom = (
  planned: ReadonlyArray<CostsOfDay>,
  now: CostsOfDay,
  terms: ReadonlyArray<string>
): HeldReason | undefined => {
  const differing = planned.map((was) => ({ was, terms: terms.filter((id) => was[id] !== now[id]) }))
  const nearest = differing.reduce((least, one) => (one.terms.length < least.terms.length ? one : least))
  const [id] = nearest.terms
  return id === undefined
    ? undefined
    : { code: "costs_changed", term: id, was: nearest.was[id] ?? null, now: now[id] ?? null }
}

/**
 * No day is left that the table could tell otherwise. Where the end was moved by so much that it still runs, the last look before
 * sending leaves its items out.
 */
const isOver = (items: Table, row: number): boolean => {
  const endsIn = items.get(row, "promotion.ends_in")
  return endsIn._tag === "Known" && Number(endsIn.value) < 0 - Enrolment.nearMs
}

const daysOf = (terms: ReadonlyArray<string>, table: Table, row: number): ReadonlyArray<CostsOfDay> => {
  const on = (said?: ReadonlyMap<string, ReturnType<Table["get"]>>) =>
    of(terms, (id) => {
      const cell = said?.get(id) ?? table.get(row, id)
      return cell._tag === "Known" ? cell.value : null
    })
  return table.ahead(row)?.map(({ said }) => on(said)) ?? [on()]
}

const of = (terms: ReadonlyArray<string>, value: (id: string) => CostsOfDay[string]): CostsOfDay => {
  const found: Record<string, CostsOfDay[string]> = {}
  for (const id of terms) found[id] = value(id)
  return found
}
