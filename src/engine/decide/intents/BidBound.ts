/** A bound of a bid action as an amount: whole kopecks on the safe side. */
import * as Either from "effect/Either"
import * as Reason from "../../../domain/Reason.js"
import * as Evaluate from "../../facts/Evaluate.js"
import type { Clamp as ClampRecord } from "../../kinds/Change.js"
import type { Action, Expr } from "../../language/Policy.js"
import type { Bound } from "./Clamp.js"
import { type Ground, type Outcome, restrains, undecided } from "./Intent.js"

/** What limits from below is rounded up, all else down. Left when its value is not known. */
export const of = (
  ground: Ground,
  action: Action,
  by: ClampRecord["by"],
  expr: Expr
): Either.Either<Bound, Outcome> => {
  const cell = Evaluate.value(expr, ground.table, ground.row)
  const unsure = (why: string) => Either.left(undecided(`${nameOf(action, by)} is ${why}`, restrains(ground)))
  if (cell._tag === "Unknown") return unsure(`unknown: ${Reason.explain[cell.reason]}`)
  const limitsFromBelow = by === "floor" || (by === "toward" && action._tag === "LowerBid")
  const kopecks = limitsFromBelow ? Math.ceil(Number(cell.value)) : Math.floor(Number(cell.value))
  return Number.isSafeInteger(kopecks) && kopecks >= 0
    ? Either.right({ by, kopecks, where: `${ground.policy.file}:${action.span.line}` })
    : unsure(`${cell.value}, not an amount of money`)
}

/** The word the policy writes: `set_bid` says `to`, which bends the bid the way `toward` does. */
export const nameOf = (action: Action, by: ClampRecord["by"]): string =>
  by === "toward" && action._tag === "SetBid" ? "to" : by
