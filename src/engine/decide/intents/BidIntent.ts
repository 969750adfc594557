/** `raise_bid`, `lower_bid` and `set_bid` for one row: from the facts through every clamp to one amount. */
import * as Either from "effect/Either"
import type { Clamp as ClampRecord } from "../../kinds/Change.js"
import type { Overlay } from "../../kinds/SlotHistory.js"
import type { Action, Expr, Move } from "../../language/Policy.js"
import * as BidLimits from "./BidLimits.js"
import type { BidRow } from "./BidRow.js"
import * as BidRows from "./BidRow.js"
import * as Clamp from "./Clamp.js"
import { type Ground, type Intent, type Outcome, restrains, stay, targetOf, undecided } from "./Intent.js"
import * as Standing from "./Standing.js"

export type BidAction = Extract<Action, { readonly _tag: "RaiseBid" | "LowerBid" | "SetBid" }>

export const of = (ground: Ground, action: BidAction): Intent => {
  const target = targetOf(ground)
  const bid = BidRows.read(ground, action.placement)
  if (Either.isLeft(bid)) {
    return { ground, target, slot: BidRows.slotWithoutBid(ground, action.placement), outcome: bid.left }
  }
  const live = bid.right
  const waits = Standing.ofItsItem(ground, live)
  if (waits !== undefined) return { ground, target, slot: live.slot, outcome: waits }
  const overlay = Standing.of(ground.slots.get(live.slot), live.current)
  const base = overlay === undefined ? live : { ...live, current: overlay.baseKopecks }
  const steered = isOverlayAlone(ground, base, overlay)
    ? moved(base, base.current, [])
    : Either.match(arrive(ground, action, base), {
        onLeft: (stopped) => stopped,
        onRight: (arrival) => settle(ground, action, base, arrival)
      })
  const outcome = overlay === undefined ? steered : Standing.carry(ground, overlay, live, steered)
  return { ground, target, slot: bid.right.slot, outcome }
}

/** True when a base is within `max_bid` and only its overlay is above: then the overlay comes down, and no base goes up. */
const isOverlayAlone = (ground: Ground, base: BidRow, overlay: Overlay | undefined): boolean => {
  if (ground.policy.isOfLimits !== true || overlay === undefined) return false
  const { maxBid } = roadOf(ground, base)
  return maxBid !== undefined && base.current <= maxBid.kopecks
}

const arrive = (ground: Ground, action: BidAction, bid: BidRow): Either.Either<Clamp.Arrival, Outcome> =>
  Either.gen(function* () {
    const road = roadOf(ground, bid)
    const bound = (by: ClampRecord["by"], expr: Expr) => BidLimits.of(ground, action, by, expr)
    if (action._tag === "RaiseBid") {
      const cap = yield* bound("cap", action.cap)
      const toward = action.toward === undefined ? undefined : yield* bound("toward", action.toward)
      return Clamp.raise(road, distance(action.by, bid), { cap, toward })
    }
    const minimum = road.minimum
    if (minimum === undefined) {
      return yield* Either.left(undecided({ code: "minimum_bid_unknown" }, true))
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
  const dayFirstBid = dayFirstOf(ground, bid) ?? bid.current
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

/**
 * The bid with which a bid's day began, kopecks; undefined where it has not moved today. A cluster that runs on its item's bid
 * was moved with it: else item and cluster would each move as far.
 */
export const dayFirstOf = (
  ground: Pick<Ground, "slots" | "target">,
  { inherited, slot }: Pick<BidRow, "inherited" | "slot">
): number | undefined => {
  const own = ground.slots.get(slot)?.dayFirstBid
  return own !== undefined || inherited !== true ? own : Standing.itemsHistory(ground)?.dayFirstBid
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

const settle = (ground: Ground, action: BidAction, bid: BidRow, arrival: Clamp.Arrival): Outcome => {
  const limit = (bound: Clamp.Bound) => BidLimits.named(action, bound)
  switch (arrival._tag) {
    case "CapBelowMinimum":
      return stay(
        { code: "cap_below_minimum", cap: limit(arrival.cap), minimum: limit(arrival.minimum) },
        restrains(ground)
      )
    case "Stopped":
      return stay(
        {
          code: arrival.satisfied ? "bid_already" : "no_room",
          bidKopecks: bid.current,
          limit: limit(arrival.by)
        },
        restrains(ground)
      )
    case "Moved":
      return moved(bid, arrival.kopecks, arrival.clamps, dayFirstOf(ground, bid))
  }
}

const moved = (
  bid: BidRow,
  after: number,
  clamps: ReadonlyArray<ClampRecord>,
  dayFirst = bid.current
): Outcome => ({
  _tag: "Move",
  dearer: after > bid.current,
  setting: {
    before: bid.current,
    after,
    ...BidRows.which(
      bid,
      bid.inherited !== true || dayFirst === bid.current ? {} : { dayFirstKopecks: dayFirst }
    ),
    clamps,
    reversible: true
  }
})
