/** `adjust_bid` for one row: the overlay it wants over the base bid, or the base that returns when it is over. */
import * as Either from "effect/Either"
import type { Clamp as ClampRecord } from "../../kinds/Change.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import type { BidOverlay } from "../../kinds/Parts.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import type { Action } from "../../language/Policy.js"
import type { UnchangedReason } from "../RowReason.js"
import * as BidLimits from "./BidLimits.js"
import type { BidRow } from "./BidRow.js"
import * as BidRows from "./BidRow.js"
import * as Daytime from "./Daytime.js"
import { type Ground, type Intent, type Outcome, type Setting, stay, targetOf, undecided } from "./Intent.js"
import * as Standing from "./Standing.js"

type AdjustBid = Extract<Action, { readonly _tag: "AdjustBid" }>

/** For a row that matches while `during:` lasts. */
export const begin = (ground: Ground, action: AdjustBid): Intent => {
  const bid = BidRows.read(ground, action.placement)
  const target = targetOf(ground)
  if (Either.isLeft(bid)) {
    const slot = BidRows.slotWithoutBid(ground, action.placement)
    return { ground, target, slot, outcome: bid.left, layer: "overlay" }
  }
  const history = ground.slots.get(bid.right.slot)
  return {
    ground,
    target,
    slot: bid.right.slot,
    outcome: lay(ground, action, bid.right, history),
    layer: "overlay"
  }
}

const lay = (ground: Ground, action: AdjustBid, live: BidRow, history: SlotHistory | undefined): Outcome => {
  if (history?.pendingSince !== undefined) return undecided({ code: "change_pending" }, true)
  const standing = Standing.of(history, live.current)
  if (standing === undefined && wasDisturbed(ground, history, live.current)) {
    return stay({ code: "overlay_disturbed" }, false)
  }
  const waits = Standing.ofItsItem(ground, live)
  if (waits !== undefined) return waits
  const base = standing?.baseKopecks ?? live.current
  const over = Either.flatMap(Standing.lay(ground, action, { ...live, current: base }), (laid) =>
    // Without room what stands of an earlier overlay gives way to the base, as far as the limits allow.
    standing === undefined || laid.why === undefined
      ? Either.right(laid)
      : Either.map(Standing.returned(ground, live, base), (returned) => ({ ...laid, ...returned }))
  )
  return Either.match(over, {
    onLeft: (stopped) => stopped,
    onRight: ({ clamps, kopecks, why }) => {
      if (kopecks === live.current) return stay(stillness(action, why), true)
      const other = Standing.inTheWay(ground, standing, live, kopecks)
      if (other !== undefined) return other
      const isInherited = standing === undefined ? live.inherited === true : standing.inherited === true
      const overlay = Standing.carried(ground.policy.id, action.basisPoints, base, base, isInherited)
      return {
        _tag: "Move",
        dearer: kopecks > live.current,
        setting: setting(live, kopecks, clamps, overlay)
      }
    }
  })
}

const stillness = (action: AdjustBid, why: Standing.Laid["why"]): UnchangedReason =>
  why === undefined
    ? { code: "overlay_already" }
    : { code: "overlay_no_room", limit: BidLimits.named(action, why._tag === "Stopped" ? why.by : why.cap) }

/** The overlay of this time began, is not there any more, and it was not we who took it away. */
const wasDisturbed = (
  { nowMs, policy, zone }: Ground,
  history: SlotHistory | undefined,
  live: number
): boolean => {
  const edge = history?.lastEdge
  const begun =
    policy.during === undefined
      ? undefined
      : Daytime.begunAt(policy.during, policy.schedule?.tz ?? zone, nowMs)
  if (edge === undefined || begun === undefined || !edge.on || edge.policy !== policy.id) return false
  return edge.at >= begun && history?.overlay?.afterKopecks !== live
}

/** For a slot over which an overlay of the policy stands that nobody wants any more; undefined where it has ended. */
export const end = (ground: Ground, history: SlotHistory): Intent | undefined => {
  const target = targetOf(ground)
  const make = (outcome: Outcome): Intent => ({
    ground,
    target,
    slot: history.slot,
    outcome,
    layer: "ending"
  })
  const bid = BidRows.read(ground, ItemBid.placementOf(history.slot), "any step")
  if (Either.isLeft(bid)) return make(bid.left)
  const live = bid.right
  if (live.slot !== history.slot) return undefined
  if (history.pendingSince !== undefined) return make(undecided({ code: "change_pending" }, true))
  const standing = Standing.of(history, live.current)
  if (standing === undefined || (standing.inherited === true && live.inherited === true)) return undefined
  const base = standing.inherited === true ? BidRows.itemsBid(ground) : Either.right(standing.baseKopecks)
  const returned = Either.flatMap(base, (kopecks) => Standing.returned(ground, live, kopecks))
  if (Either.isLeft(returned)) return make(returned.left)
  const { clamps, kopecks } = returned.right
  // Where a limit of today bends the item's bid, the cluster keeps one of its own.
  const clears = standing.inherited === true && clamps.length === 0
  if (kopecks === live.current && !clears) return undefined
  const overlay = Standing.carried(standing.policy, 0, standing.baseKopecks, kopecks, clears)
  return make({
    _tag: "Move",
    dearer: kopecks > live.current,
    setting: setting(live, kopecks, clamps, overlay, clears)
  })
}

/** A row that nobody can decide on keeps its overlay, and lets nobody lay a dearer one. */
export const keep = (ground: Ground, slot: string): Intent => ({
  ground,
  target: targetOf(ground),
  slot,
  outcome: stay({ code: "overlay_kept" }, true),
  layer: "overlay"
})

const setting = (
  live: BidRow,
  after: number,
  clamps: ReadonlyArray<ClampRecord>,
  overlay: BidOverlay,
  clears = false
): Setting => ({
  before: live.current,
  after,
  ...BidRows.which(live, { overlay, clears }),
  clamps,
  reversible: true
})
