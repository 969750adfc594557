/** Limits on a bid from `_shared/limits.yaml` and from the policy: the tightest wins, and an unknown answer tightens. */

import * as Either from "effect/Either"
import * as Evaluate from "../../facts/Evaluate.js"
import * as Kleene from "../../facts/Kleene.js"
import type { Table } from "../../facts/Table.js"
import type { Clamp as ClampRecord } from "../../kinds/Change.js"
import type { AccountLimits, Action, Clause, Expr, Policy, RuleSet } from "../../language/Policy.js"
import type { LimitNamed, UnknownReason } from "../RowReason.js"
import { type Bound, share } from "./Clamp.js"
import { type Ground, type Outcome, restrains, undecided } from "./Intent.js"

export type Payment = "cpm" | "cpc"

/** The lowest `max_bid` that is written anywhere, kopecks; absent where none is. */
export const lowestMaxBids = ({
  limits,
  policies
}: Pick<RuleSet, "limits" | "policies">): Readonly<Partial<Record<Payment, number>>> => {
  const written = [limits, ...limits.campaigns, ...policies.map((policy) => policy.limits)]
  const lowest = (payment: Payment) => {
    const all = written.flatMap(({ maxBidKopecks }) => maxBidKopecks?.[payment] ?? [])
    return all.length === 0 ? {} : { [payment]: Math.min(...all) }
  }
  return { ...lowest("cpm"), ...lowest("cpc") }
}

/** Tightest `max_bid` for a payment type; undefined when nobody set one. Ties go to the account. */
export const maxBid = (
  payment: Payment,
  limits: AccountLimits,
  policy: Pick<Policy, "file" | "limits">,
  table: Table,
  row: number | undefined
): Bound | undefined => {
  const bound = (kopecks: number | undefined, where: string): ReadonlyArray<Bound> =>
    kopecks === undefined ? [] : [{ by: "max_bid", kopecks, where }]
  const all = [
    ...bound(limits.maxBidKopecks?.[payment], `_shared/limits.yaml account.max_bid.${payment}`),
    ...limits.campaigns.flatMap((selector, index) =>
      mayMatch(selector.where, table, row)
        ? bound(
            selector.maxBidKopecks?.[payment],
            `_shared/limits.yaml campaigns[${index}].max_bid.${payment}`
          )
        : []
    ),
    ...bound(policy.limits.maxBidKopecks?.[payment], `${policy.file} limits.max_bid.${payment}`)
  ]
  return all.reduce<Bound | undefined>(
    (a, b) => (a === undefined || b.kopecks < a.kopecks ? b : a),
    undefined
  )
}

/** How far the bid may be from the day's first one; empty when nobody limits it. */
export const movePerDay = (
  dayFirstBid: number,
  limits: AccountLimits,
  policy: Policy
): { readonly dayLow?: Bound; readonly dayHigh?: Bound } => {
  const ofAccount = limits.movePerDayBasisPoints ?? Number.POSITIVE_INFINITY
  const ofPolicy = policy.limits.movePerDayBasisPoints ?? Number.POSITIVE_INFINITY
  const basisPoints = Math.min(ofAccount, ofPolicy)
  if (!Number.isFinite(basisPoints)) return {}
  const where =
    ofAccount <= ofPolicy ? "_shared/limits.yaml account.move_per_day" : `${policy.file} limits.move_per_day`
  const reach = share(dayFirstBid, basisPoints)
  return {
    dayLow: { by: "move_per_day", kopecks: dayFirstBid - reach, where },
    dayHigh: { by: "move_per_day", kopecks: dayFirstBid + reach, where }
  }
}

/** True unless a clause is certainly false: a limit that might apply does apply, also to a row nobody could read. */
export const mayMatch = (clauses: ReadonlyArray<Clause>, table: Table, row: number | undefined): boolean =>
  row === undefined ||
  clauses.every((clause) => Evaluate.condition(clause.condition, table, [row]).truth[0] !== Kleene.False)

// A bound of a bid action as an amount: whole kopecks on the safe side.

/** What limits from below is rounded up, all else down. Left when its value is not known. */
export const of = (
  ground: Ground,
  action: Action,
  by: ClampRecord["by"],
  expr: Expr
): Either.Either<Bound, Outcome> => {
  const cell = ground.amounts?.of(expr, ground.row) ?? Evaluate.value(expr, ground.table, ground.row)
  const fact = nameOf(action, by)
  const unsure = (because: UnknownReason) => Either.left(undecided(because, restrains(ground)))
  if (cell._tag === "Unknown") return unsure({ code: "fact_unknown", fact, reason: cell.reason })
  const limitsFromBelow = by === "floor" || (by === "toward" && action._tag === "LowerBid")
  const kopecks = limitsFromBelow ? Math.ceil(Number(cell.value)) : Math.floor(Number(cell.value))
  return Number.isSafeInteger(kopecks) && kopecks >= 0
    ? Either.right({ by, kopecks, where: `${ground.policy.file}:${action.span.line}` })
    : unsure({ code: "fact_malformed", fact, value: String(cell.value), wanted: "an amount of money" })
}

/** A bound as a reason names it. */
export const named = (action: Action, { by, kopecks, where }: Bound): LimitNamed => ({
  name: nameOf(action, by),
  kopecks,
  where
})

/** The word the policy writes: `set_bid` says `to`, which bends the bid the way `toward` does. */
const nameOf = (action: Action, by: ClampRecord["by"]): string =>
  by === "toward" && action._tag === "SetBid" ? "to" : by
