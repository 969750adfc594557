/** What would stop the hand-over of a supply, with its remedy: the one place that makes sentences of it. */

import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import type { Doubt, OrderReason, Reason, ShippingReason } from "../../engine/fulfilment/HandOver.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import { cleanLine } from "../Clean.js"
import * as LeftWords from "./LeftWords.js"
import * as VerdictWords from "./VerdictWords.js"

/** `says` is a sentence, `remedy` begins with what to do. Neither ends with a stop. Instants are shown in `zone`. */
export interface Words {
  readonly says: string
  readonly remedy: string
}

/**
 * Why a turn does not hand a supply over, in one line: what is to be taken out of the pile before all else, for nobody sees it in the
 * supply. Empty where nothing stops it.
 */
export const ofStop = ({ reasons, supplyId }: HandOver.Checked, zone: string): string => {
  const [first, ...others] = [
    ...reasons.filter(HandOver.isToTakeOut),
    ...reasons.filter((reason) => !HandOver.isToTakeOut(reason))
  ]
  if (first === undefined) return ""
  const { remedy, says } = ofReason(first, zone)
  const more = others.length === 0 ? "" : `; ${Plural.of(others.length, "more reason")}`
  return `${supplyId} is not handed over: ${says} → ${remedy}${more} (bidhelm supplies check ${supplyId})`
}

export const ofReason = (reason: Reason, zone: string): Words => {
  const at = (ms: number) => When.text(ms, zone)
  switch (reason.code) {
    case "closed_already":
      return { says: "the supply is closed already", remedy: "nothing is left to hand over: print its code" }
    case "scanned_already":
      return {
        says: `the supply is closed already, and was scanned at ${at(reason.atMs)}`,
        remedy: "look in the evening which of its orders were not accepted: they come back for reshipment"
      }
    case "state_unknown":
      return {
        says: "the marketplace did not say whether the supply is open",
        remedy: "read it again in a minute"
      }
    case "no_orders":
      return { says: "the supply has no orders", remedy: "put orders into it, or delete it" }
    case "wave_unknown":
      return {
        says: "it goes with no wave that the journal or the rules know",
        remedy: "nothing more is put into it, and no turn hands it over: bidhelm supplies deliver does"
      }
    case "policy_gone":
      return {
        says: `policy ${cleanLine(reason.policy)}, which made it, is gone from the rules or disabled, and no other has its warehouse`,
        remedy:
          "add the warehouse to a policy, or set marks and hand it over yourself: bidhelm orders marks import and bidhelm supplies deliver do"
      }
    case "being_packed":
      return {
        says: `the supply is being packed at a table (${cleanLine(reason.packer)})`,
        remedy: "pack what is left of it, or end packing there"
      }
    case "packed_in_part":
      return {
        says: `only a part of the supply was packed at a table: ${unscanned(reason.left)}`,
        remedy:
          "go on with bidhelm pack, move what is not packed to another supply, or say that all is packed: bidhelm supplies deliver with --all-packed"
      }
    case "refused_before":
      return {
        says: `${LeftWords.refuser(reason)} refused the hand-over, and turns leave it alone until ${at(reason.untilMs)}`,
        remedy: "look with bidhelm history --state rejected why it was refused"
      }
    case "units_unread":
      return { says: "how many shipping units the supply has could not be read", remedy: "read them again" }
    case "units_unwanted":
      return {
        says: `the supply has ${reason.units} shipping units and does not go to a pickup point`,
        remedy: "delete the units"
      }
    case "units_too_many":
      return {
        says: `the supply has ${reason.units} shipping units; its orders allow ${reason.most}, half of their number`,
        remedy: `delete ${reason.units - reason.most} of them`
      }
    case "passes_unread":
      return {
        says: `whether there is a pass for office ${reason.officeId} could not be read`,
        remedy: "read the passes again"
      }
    case "pass_missing":
      return {
        says: `office ${reason.officeId} asks for a pass, and there is none of this car and driver`,
        remedy:
          "make one (one can be made in ten minutes, and it holds for 48 hours), or name the car that comes in the policy"
      }
    case "pass_ends_early":
      return {
        says: `the pass of this car and driver for office ${reason.officeId} ends at ${at(reason.untilMs)}, before the hand-over at ${at(reason.handOverAtMs)}`,
        remedy: "make another one, or come earlier"
      }
    case "shipping_missing":
    case "shipping_day_past":
    case "shipping_method_unknown":
    case "pickup_point_not_allowed":
      return ofShipping(reason)
    default:
      return ofOrder(reason)
  }
}

/** `2 orders were not scanned (5001, 5002)`. */
export const unscanned = (orders: ReadonlyArray<number>): string =>
  `${Plural.of(orders.length, "order")} ${Plural.choose(orders.length, "was", "were")} not scanned (${Plural.named(orders, 5)})`

const inAccount = "in the seller's account"
const missing = {
  method: "shipping method",
  day: "shipping date",
  point: "shipping point",
  waybill: "electronic waybill, which a transport company needs"
}

const ofShipping = (reason: ShippingReason): Words => {
  switch (reason.code) {
    case "shipping_missing":
      return { says: `the supply has no ${missing[reason.what]}`, remedy: `set it ${inAccount}` }
    case "shipping_day_past":
      return {
        says: `its shipping date ${reason.day} is past: today is ${reason.today}`,
        remedy: `set another date ${inAccount}`
      }
    case "shipping_method_unknown":
      return {
        says: `its shipping method "${cleanLine(reason.method).slice(0, 60)}" is not known to this program`,
        remedy: `look at the supply ${inAccount}`
      }
    case "pickup_point_not_allowed":
      return {
        says: "its shipping point is a pickup point, and its goods may not go to one",
        remedy: `choose another point ${inAccount}`
      }
  }
}

/** A rule moves nothing of which it knows nothing bad. */
const byHand = "; when its car leaves before that, a person may move it to another supply"

const ofOrder = (reason: OrderReason): Words => {
  if ("isCancelled" in reason) {
    const { isCancelled, ...mark } = reason
    return { says: `${ofOrder(mark).says}, and the order is cancelled`, remedy: ofCancelled[mark.code] }
  }
  const order = `order ${reason.orderId}`
  switch (reason.code) {
    case "order_cancelled":
      return {
        says: `${order} is cancelled (${cleanLine(reason.status)})`,
        remedy: outOf(reason)
      }
    case "order_left":
      return {
        says: `${order} was packed here and is not in this supply any more`,
        remedy: "take its parcel out of the pile"
      }
    case "order_not_in_assembly":
      return {
        says: `${order} is not in assembly (${cleanLine(reason.status)})`,
        remedy: "read it again in a minute; if it stays so, move it to another supply"
      }
    case "status_unread":
      return { says: `the status of ${order} was not answered`, remedy: `ask for it again${byHand}` }
    case "required_unread":
      return { says: `which marks ${order} needs is not known`, remedy: `read the order again${byHand}` }
    case "labels_unread":
      return { says: `the marks of ${order} were not answered`, remedy: `ask for them again${byHand}` }
    case "mark_not_exposed":
      return {
        says: `${order} needs a ${VerdictWords.keyName(reason.key)}, and its record takes none`,
        remedy: `look at the order ${inAccount}; until it is clear, move it to another supply`
      }
    case "mark_missing":
      return {
        says: `${order}: ${VerdictWords.keyName(reason.key)}: ${VerdictWords.refused("required").says}`,
        remedy: VerdictWords.refused("required").action
      }
    case "mark_pending": {
      const { action, says } = VerdictWords.pending(reason.key)
      return { says: `${order}: ${VerdictWords.keyName(reason.key)}: ${says}`, remedy: action }
    }
    case "mark_refused": {
      const { action, says } = VerdictWords.refused(reason.refusal, reason.decision)
      return { says: `${order}: ${VerdictWords.keyName(reason.key)}: ${says}`, remedy: action }
    }
  }
}

/** A cancelled order cannot be moved, and nobody sets a mark for it. */
const moveOthers =
  "move its other orders to another supply with bidhelm supplies move: no supply goes with this one"
const ofCancelled = {
  labels_unread:
    "ask for them again; when the car leaves before that, move its other orders to another supply",
  mark_pending: `wait until the check ends; if the mark is refused, or the car leaves before that, ${moveOthers}`,
  mark_missing: moveOthers,
  mark_refused: moveOthers
}

/** A buyer's cancellation leaves the order in its supply: only a person's word lets the others go. */
const outOf = ({ hasLeft, isOut, keepsBack }: Extract<OrderReason, { code: "order_cancelled" }>): string => {
  const rest = "hand the others over with bidhelm supplies deliver and --taken-out"
  if (hasLeft === true)
    return "take its parcel out of the pile; it was packed here, and is not in this supply any more"
  if (keepsBack === true)
    return isOut === true
      ? "by the packing table its goods are in no parcel"
      : "take its goods out of the parcel"
  return isOut === true
    ? `${rest}: by the packing table its goods are in no parcel`
    : `take its goods out of the parcel, then ${rest}`
}

export const ofDoubt = (doubt: Doubt): Words => {
  switch (doubt.code) {
    case "may_fail_later":
      return {
        says: `order ${doubt.orderId}: ${VerdictWords.keyName(doubt.key)}: ${VerdictWords.allowed.deadlineExceeded}`,
        remedy: "hand over, and look at it again afterwards"
      }
    case "hand_over_time_unknown":
      return {
        says: "nobody said when the car comes, so the pass was held against this minute",
        remedy: "say when the supply is handed over"
      }
    default:
      return ofShipping(doubt)
  }
}
