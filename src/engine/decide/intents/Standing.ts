/** A bid's base and the overlay that stands over it: final = base × overlay, and steering moves the base only. */

import * as Either from "effect/Either"
import * as Bids from "../../kinds/Bids.js"
import type { Clamp as ClampRecord } from "../../kinds/Change.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { BidOverlay } from "../../kinds/Parts.js"
import type { Overlay, SlotHistory } from "../../kinds/SlotHistory.js"
import { acts } from "../../language/Mode.js"
import { type Action, type Policy, type RuleSet, tiers } from "../../language/Policy.js"
import * as BidLimits from "./BidLimits.js"
import type { BidRow } from "./BidRow.js"
import * as BidRows from "./BidRow.js"
import * as Clamp from "./Clamp.js"
import * as Daytime from "./Daytime.js"
import { type Ground, type Outcome, restrains, stay, undecided } from "./Intent.js"

type AdjustBid = Extract<Action, { readonly _tag: "AdjustBid" }>

/** The overlay of a slot whose bid is `live`; none when somebody else has changed the bid since: theirs is the base. */
export const of = (history: SlotHistory | undefined, live: number): Overlay | undefined => {
  const overlay = history?.overlay
  if (overlay === undefined || overlay.afterKopecks !== live) return undefined
  return overlay.baseKopecks === live ? undefined : overlay
}

/**
 * Why a cluster without a bid of its own waits: its bid is its item's, over which an overlay stands or a change is on its way. A bid
 * of its own that is counted from there would keep the share after the overlay has gone. Undefined where nothing speaks against it.
 */
export const ofItsItem = (
  ground: Pick<Ground, "rule" | "rules" | "slots" | "target">,
  live: Pick<BidRow, "current" | "inherited" | "placement">
): Outcome | undefined => {
  if (live.placement !== undefined || live.inherited === false) return undefined
  const history = itemsHistory(ground)
  if (history?.pendingSince !== undefined)
    return undecided({ code: "items_change_pending" }, restrains(ground))
  const overlay = of(history, live.current)
  if (history === undefined || overlay === undefined) return undefined
  const code = endsByItself(ground.rules, { slot: history.slot, overlay })
    ? "items_overlay"
    : "items_overlay_left"
  return stay({ code, policy: overlay.policy }, restrains(ground))
}

/** Whether a policy ends an overlay when its time is over. */
export const endsByItself = (
  rules: Pick<RuleSet, "policies">,
  standing: Pick<SlotHistory, "overlay" | "slot">
): boolean => enderOf(rules, standing) !== undefined

/**
 * Why a share may not take the place of another policy's overlay whose time still runs: of one tier the cheaper stays, of two the
 * higher. What nobody ends, and what is over, is in nobody's way.
 */
export const inTheWay = (
  { nowMs, policy, rules, zone }: Ground,
  overlay: Overlay | undefined,
  live: BidRow,
  kopecks: number
): Outcome | undefined => {
  const owner = overlay === undefined ? undefined : enderOf(rules, { overlay, slot: live.slot })
  if (owner?.during === undefined || owner.id === policy.id) return undefined
  if (Daytime.begunAt(owner.during, owner.schedule?.tz ?? zone, nowMs) === undefined) return undefined
  const below = tiers.indexOf(owner.tier) - tiers.indexOf(policy.tier)
  if (below > 0 || (below === 0 && kopecks <= live.current)) return undefined
  const tier = below === 0 ? {} : { tier: owner.tier }
  return stay({ code: "overlay_of_other", policy: owner.id, ...tier }, false)
}

const enderOf = (
  { policies }: Pick<RuleSet, "policies">,
  { overlay, slot }: Pick<SlotHistory, "overlay" | "slot">
): Policy | undefined =>
  policies.find(
    (one) =>
      one.id === overlay?.policy &&
      acts(one) &&
      one.during !== undefined &&
      one.each === Kinds.placeOf(slot)?.each
  )

/** Of the bid that a cluster without one of its own follows: its item's in search. */
export const itemsHistory = ({
  slots,
  target
}: Pick<Ground, "slots" | "target">): SlotHistory | undefined => {
  const { campaignId, itemId } = target
  return campaignId === undefined || itemId === undefined
    ? undefined
    : slots.get(ItemBid.slot({ campaignId, itemId }, "search"))
}

/** Where a bid arrives when a share is laid over its base; `why` says what kept it at the base. */
export interface Laid {
  readonly kopecks: number
  readonly clamps: ReadonlyArray<ClampRecord>
  readonly why?: Extract<Clamp.Arrival, { readonly _tag: "Stopped" | "CapBelowMinimum" }>
}

/**
 * Lays an action's share over `base`, within its own bound and every limit of `ground.policy`. `move_per_day` bounds how
 * far the overlay may be from its base.
 */
export const lay = (ground: Ground, action: AdjustBid, base: BidRow): Either.Either<Laid, Outcome> =>
  Either.gen(function* () {
    const { policy, rules, row, table } = ground
    const minimum: Clamp.Bound | undefined =
      base.minimum === undefined
        ? undefined
        : { by: "min_bid", kopecks: base.minimum, where: "the marketplace's minimum bid" }
    const road: Clamp.Road = {
      current: base.current,
      stepKopecks: base.stepKopecks,
      minimum,
      maxBid: BidLimits.maxBid(base.payment, rules.limits, policy, table, row),
      ...BidLimits.movePerDay(base.current, rules.limits, policy)
    }
    const distance = Clamp.share(base.current, Math.abs(action.basisPoints))
    if (action.basisPoints > 0) {
      if (action.cap === undefined) return yield* Either.left(stay({ code: "overlay_needs_cap" }, true))
      const cap = yield* BidLimits.of(ground, action, "cap", action.cap)
      return laid(base, Clamp.raise(road, distance, { cap }))
    }
    if (minimum === undefined) {
      return yield* Either.left(undecided({ code: "minimum_bid_unknown" }, true))
    }
    const floor =
      action.floor === undefined ? minimum : yield* BidLimits.of(ground, action, "floor", action.floor)
    return laid(base, Clamp.lower({ ...road, minimum }, distance, { floor }))
  })

const laid = (base: BidRow, arrival: Clamp.Arrival): Laid =>
  arrival._tag === "Moved"
    ? { kopecks: arrival.kopecks, clamps: arrival.clamps }
    : { kopecks: base.current, clamps: [], why: arrival }

/**
 * A value from before, as far as today's limits allow: below `max_bid`, and not below the minimum where it is known.
 * Left where no bid is both.
 */
export const returned = (
  { policy, row, rules, table }: Ground,
  { minimum, payment, stepKopecks }: BidRow,
  before: number
): Either.Either<{ readonly kopecks: number; readonly clamps: ReadonlyArray<ClampRecord> }, Outcome> => {
  const most = BidLimits.maxBid(payment, rules.limits, policy, table, row)
  const clamps: Array<ClampRecord> = []
  let kopecks = before
  const bend = (by: ClampRecord["by"], to: number, where: string) => {
    clamps.push({ by, from: kopecks, to, where })
    kopecks = to
  }
  if (minimum !== undefined && kopecks < minimum) {
    bend("min_bid", Math.ceil(minimum / stepKopecks) * stepKopecks, "the marketplace's minimum bid")
  }
  if (most !== undefined && kopecks > most.kopecks) {
    bend("max_bid", Math.floor(most.kopecks / stepKopecks) * stepKopecks, most.where)
  }
  if (most === undefined || minimum === undefined || kopecks >= minimum)
    return Either.right({ kopecks, clamps })
  const { kopecks: mostKopecks, where } = most
  return Either.left(stay({ code: "max_bid_below_minimum", mostKopecks, where, leastKopecks: minimum }, true))
}

/**
 * What steering decided about the base, as a change of the bid that carries the overlay along. `isInherited`: the base is the
 * item's bid again, which the cluster follows when the overlay is over.
 */
export const carry = (
  ground: Ground,
  overlay: Overlay,
  live: BidRow,
  outcome: Outcome,
  isInherited = false
): Outcome => {
  if (outcome._tag !== "Move" || typeof outcome.setting.after !== "number") return outcome
  const base = outcome.setting.after
  const over = layAgain(ground, overlay, { ...live, current: base }, live.current)
  if (Either.isLeft(over)) return over.left
  const { clamps, kopecks } = over.right
  if (kopecks === live.current) {
    return stay({ code: "overlay_keeps_bid", policy: overlay.policy }, restrains(ground))
  }
  return {
    ...outcome,
    // A lower base can have a higher overlay, where a cap has moved since.
    dearer: outcome.dearer || kopecks > live.current,
    setting: {
      ...outcome.setting,
      ...BidRows.which(live, {
        ...Bids.detailsOf(outcome.setting),
        overlay: {
          ...carried(overlay.policy, overlay.basisPoints, overlay.baseKopecks, base, isInherited),
          ...(overlay.inherited === true ? { inheritedBefore: true } : {})
        }
      }),
      before: live.current,
      after: kopecks,
      clamps: [...outcome.setting.clamps, ...clamps]
    }
  }
}

/** How a change remembers its overlay. */
export const carried = (
  policy: string,
  basisPoints: number,
  baseBeforeKopecks: number,
  baseKopecks: number,
  isInherited = false
): BidOverlay => ({
  policy,
  basisPoints,
  baseBeforeKopecks,
  baseKopecks,
  ...(isInherited ? { inherited: true } : {})
})

/** By the rule that laid it. Without that rule nothing says how far it may go: then never above where it stands. */
const layAgain = (
  ground: Ground,
  overlay: Overlay,
  base: BidRow,
  liveKopecks: number
): Either.Either<Laid, Outcome> => {
  const policy = ground.rules.policies.find(({ id }) => id === overlay.policy)
  const action = policy === undefined ? undefined : ruleOf(policy, overlay.basisPoints)
  if (policy !== undefined && action !== undefined) {
    const over = lay({ ...ground, policy }, action, base)
    if (Either.isRight(over)) return over
  }
  const kopecks = base.current + Math.trunc((base.current * overlay.basisPoints) / 10_000)
  const most = BidLimits.maxBid(base.payment, ground.rules.limits, ground.policy, ground.table, ground.row)
  const onStep = Math.floor(Math.min(kopecks, most?.kopecks ?? kopecks) / base.stepKopecks) * base.stepKopecks
  const least = Math.ceil((base.minimum ?? onStep) / base.stepKopecks) * base.stepKopecks
  const safe = Math.max(Math.min(onStep, liveKopecks), least)
  return safe > liveKopecks || (overlay.basisPoints > 0 && base.current > liveKopecks)
    ? Either.left(stay({ code: "overlay_unbounded", policy: overlay.policy }, false))
    : Either.right({ kopecks: safe, clamps: [] })
}

const ruleOf = (policy: Policy, basisPoints: number): AdjustBid | undefined => {
  const actions = policy.rules.flatMap(({ action }) => (action._tag === "AdjustBid" ? [action] : []))
  return (
    actions.find((action) => action.basisPoints === basisPoints) ??
    actions.find((action) => Math.sign(action.basisPoints) === Math.sign(basisPoints))
  )
}
