/** `raise_bid`, `lower_bid` and `set_bid` for one row: from the facts through every clamp to one amount. */
import * as Either from "effect/Either"
import * as Reason from "../../domain/Reason.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as Print from "../facts/Print.js"
import type { Action, Expr, Move } from "../language/Policy.js"
import * as BidLimits from "./BidLimits.js"
import type { BidRow } from "./BidRow.js"
import * as BidRows from "./BidRow.js"
import * as Clamp from "./Clamp.js"
import { type Ground, type Intent, type Outcome, restrains, stay, undecided } from "./Intent.js"
import type { Clamp as ClampRecord } from "./Plan.js"
import * as Slot from "./Slot.js"

export type BidAction = Extract<Action, { readonly _tag: "RaiseBid" | "LowerBid" | "SetBid" }>

export const of = (ground: Ground, action: BidAction): Intent => {
  const bid = BidRows.read(ground, action.placement)
  if (Either.isLeft(bid)) {
    return { ground, target: ground.target, slot: slotWithoutBid(ground, action), outcome: bid.left }
  }
  const outcome = Either.match(arrive(ground, action, bid.right), {
    onLeft: (stopped) => stopped,
    onRight: (arrival) => settle(ground, action, bid.right, arrival)
  })
  return { ground, target: ground.target, slot: bid.right.slot, outcome }
}

/** Rows without a readable bid still vote in the slot they most likely mean. */
const slotWithoutBid = (ground: Ground, action: BidAction): string => {
  if (ground.policy.each === "cluster") return Slot.clusterBid(ground.target)
  const type = ground.table.get(ground.row, "campaign.bid_type")
  const isCombined = type._tag === "Known" && type.value === "unified"
  return Slot.itemBid(ground.target, isCombined ? "combined" : action.placement)
}

const arrive = (ground: Ground, action: BidAction, bid: BidRow): Either.Either<Clamp.Arrival, Outcome> =>
  Either.gen(function* () {
    const road = roadOf(ground, bid)
    const bound = (by: ClampRecord["by"], expr: Expr) => amount(ground, action, by, expr)
    if (action._tag === "RaiseBid") {
      const cap = yield* bound("cap", action.cap)
      const toward = action.toward === undefined ? undefined : yield* bound("toward", action.toward)
      return Clamp.raise(road, distance(action.by, bid), { cap, toward })
    }
    const minimum = road.minimum
    if (minimum === undefined) {
      return yield* Either.left(
        undecided("the minimum bid is unknown, so nobody can say how low it may go", true)
      )
    }
    if (action._tag === "LowerBid") {
      const floor = yield* bound("floor", action.floor)
      const toward = action.toward === undefined ? undefined : yield* bound("toward", action.toward)
      return Clamp.lower({ ...road, minimum }, distance(action.by, bid), { floor, toward })
    }
    const to = yield* bound("toward", action.to)
    const cap = yield* bound("cap", action.cap)
    const floor = action.floor === undefined ? undefined : yield* bound("floor", action.floor)
    const { deadbandBasisPoints, maxStepBasisPoints } = action
    return Clamp.set({ ...road, minimum }, to, { cap, floor, deadbandBasisPoints, maxStepBasisPoints })
  })

const roadOf = (ground: Ground, bid: BidRow): Clamp.Road => {
  const { policy, rules, table, row } = ground
  const dayFirstBid = ground.slots.get(bid.slot)?.dayFirstBid ?? bid.current
  return {
    current: bid.current,
    stepKopecks: bid.stepKopecks,
    minimum:
      bid.minimum === undefined
        ? undefined
        : { by: "min_bid", kopecks: bid.minimum, where: "the marketplace's minimum bid" },
    maxBid: BidLimits.maxBid(bid.payment, rules.limits, policy, table, row),
    ...BidLimits.movePerDay(dayFirstBid, rules.limits, policy)
  }
}

const distance = (by: Move, bid: BidRow): number => {
  switch (by._tag) {
    case "Percent":
      return Clamp.share(bid.current, by.basisPoints)
    case "Amount":
      return by.kopecks
    case "Steps":
      return by.steps * bid.stepKopecks
  }
}

/** The word the policy writes: `set_bid` says `to`, which bends the bid the way `toward` does. */
const nameOf = (action: BidAction, by: ClampRecord["by"]): string =>
  by === "toward" && action._tag === "SetBid" ? "to" : by

/** Whole kopecks on the safe side: what limits from below is rounded up, all else down. */
const amount = (
  ground: Ground,
  action: BidAction,
  by: ClampRecord["by"],
  expr: Expr
): Either.Either<Clamp.Bound, Outcome> => {
  const cell = Evaluate.value(expr, ground.table, ground.row)
  const unsure = (why: string) => Either.left(undecided(`${nameOf(action, by)} is ${why}`, restrains(ground)))
  if (cell._tag === "Unknown") return unsure(`unknown: ${Reason.explain[cell.reason]}`)
  const limitsFromBelow = by === "floor" || (by === "toward" && action._tag === "LowerBid")
  const kopecks = limitsFromBelow ? Math.ceil(Number(cell.value)) : Math.floor(Number(cell.value))
  return Number.isSafeInteger(kopecks) && kopecks >= 0
    ? Either.right({ by, kopecks, where: `${ground.policy.file}:${action.span.line}` })
    : unsure(`${cell.value}, not an amount of money`)
}

const settle = (ground: Ground, action: BidAction, bid: BidRow, arrival: Clamp.Arrival): Outcome => {
  const shown = (kopecks: number) => Print.money(kopecks, ground.sign)
  const limit = (bound: Clamp.Bound) => `${nameOf(action, bound.by)} ${shown(bound.kopecks)} (${bound.where})`
  switch (arrival._tag) {
    case "CapBelowMinimum":
      return stay(`${limit(arrival.cap)} is below ${limit(arrival.minimum)}`, restrains(ground))
    case "Stopped":
      return stay(
        arrival.satisfied
          ? `already there: bid ${shown(bid.current)}, ${limit(arrival.by)}`
          : `no room to move: bid ${shown(bid.current)}, ${limit(arrival.by)}`,
        restrains(ground)
      )
    case "Moved":
      return {
        _tag: "Move",
        dearer: arrival.kopecks > bid.current,
        setting: {
          before: bid.current,
          after: arrival.kopecks,
          unit: bid.unit,
          placement: bid.placement,
          ...(bid.inherited === undefined ? {} : { inherited: bid.inherited }),
          clamps: arrival.clamps,
          reversible: true
        }
      }
  }
}
