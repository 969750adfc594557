/**
 * Everything that would stop the hand-over of a supply, known before it is tried: a hand-over fails as a whole, names little
 * and costs ten requests (field notes O18, O20, O22, O24). Pure: records in, reasons out; sentences are made in
 * `reporting/fulfilment/HandOverWords`.
 */
import * as Days from "../../domain/Days.js"
import { OfficeId, type OrderId, type SupplyId } from "../../domain/Ids.js"
import type { PassForm } from "../../domain/PassForm.js"
import * as Verdict from "./marks/Verdict.js"
import * as Passes from "./Passes.js"

export interface Supply {
  readonly supplyId: SupplyId
  /** Undefined when the marketplace did not say. */
  readonly closed: boolean | undefined
  readonly scannedAtMs: number | undefined
  readonly shipping: {
    /** As the marketplace spells it. */
    readonly method: string | undefined
    readonly day: Days.Day | undefined
    readonly pointId: number | undefined
    /** Whether the point is a pickup point; undefined when it was not looked up. */
    readonly isPickupPoint: boolean | undefined
    readonly waybillUuid: string | undefined
  }
  readonly pickupPointAllowed: boolean | undefined
  /** Shipping units; undefined when they were not read. */
  readonly units: number | undefined
}

export interface SupplyOrder {
  readonly orderId: OrderId
  /** Seller's side, as the marketplace spells it; undefined when it did not answer. */
  readonly status: string | undefined
  /** Marketplace's side. */
  readonly platformStatus: string | undefined
  /** Kinds the order must have; undefined when that is not known, which blocks. */
  readonly required: ReadonlyArray<string> | undefined
  /** Its label record; undefined when it was not read, which blocks. */
  readonly labels: ReadonlyArray<Verdict.Label> | undefined
}

/** What was packed into the supply and whose order is not in it any more: its goods would travel with the others. */
export interface Parcel {
  readonly orderId: OrderId
  /** As of an order of the supply. */
  readonly status: string | undefined
  readonly platformStatus: string | undefined
}

export interface Situation {
  readonly supply: Supply
  readonly orders: ReadonlyArray<SupplyOrder>
  readonly parcels: ReadonlyArray<Parcel>
  /** Orders whose parcels are in its pile, as far as a table of ours knows. */
  readonly packed: ReadonlySet<OrderId>
  /** Which of its orders were packed at a table of ours; undefined where none ever was, or a person says that all are packed. */
  readonly scanned: ReadonlySet<OrderId> | undefined
  /** Who packs it at this moment; undefined where nobody does. */
  readonly packer: string | undefined
  /** Whether the seller has to give shipping data: then what is missing stops, else it is a doubt (O20). */
  readonly shippingRequired: boolean
  /** Which car and driver go where, when that office asks for a pass. */
  readonly passForm: PassForm | undefined
  /** Undefined when they were not read. */
  readonly passes: ReadonlyArray<Passes.Listed> | undefined
  /** When the car is to be there; epoch milliseconds, undefined when nobody said. */
  readonly handOverAtMs: number | undefined
  readonly nowMs: number
}

/** What a supply lacks as a whole. */
export type SupplyReason =
  | { readonly code: "closed_already" }
  | { readonly code: "scanned_already"; readonly atMs: number }
  | { readonly code: "state_unknown" }
  | { readonly code: "no_orders" }
  /**
   * A person made it, or a turn did and neither the journal nor the rules know for which wave: the store was restored, and rules have other
   * names since.
   */
  | { readonly code: "wave_unknown" }
  /** The policy whose turn made it is gone from the rules or disabled, and no other has its warehouse: told when it leaves, or its marks wait. */
  | { readonly code: "policy_gone"; readonly policy: string }
  /** Somebody packs it at this moment. */
  | { readonly code: "being_packed"; readonly packer: string }
  /** A table packed some of its orders, and not these, which nothing else keeps back. */
  | { readonly code: "packed_in_part"; readonly left: ReadonlyArray<OrderId> }
  | ShippingReason
  /**
   * The marketplace refused the hand-over a while ago, or with `page` a web page of somebody on the way did; no turn tries it again
   * before.
   */
  | { readonly code: "refused_before"; readonly untilMs: number; readonly page?: true }
  | { readonly code: "units_unread" }
  | { readonly code: "units_unwanted"; readonly units: number }
  | { readonly code: "units_too_many"; readonly units: number; readonly most: number }
  | { readonly code: "passes_unread"; readonly officeId: OfficeId }
  | { readonly code: "pass_missing"; readonly officeId: OfficeId }
  | {
      readonly code: "pass_ends_early"
      readonly officeId: OfficeId
      readonly untilMs: number
      readonly handOverAtMs: number
    }

export type ShippingReason =
  | { readonly code: "shipping_missing"; readonly what: "method" | "day" | "point" | "waybill" }
  | { readonly code: "shipping_day_past"; readonly day: Days.Day; readonly today: Days.Day }
  | { readonly code: "shipping_method_unknown"; readonly method: string }
  | { readonly code: "pickup_point_not_allowed" }

/** What is in the way of one order. `key` is the kind of label as the marketplace spells it. */
export type OrderReason =
  | {
      readonly code: "order_cancelled"
      readonly orderId: OrderId
      readonly status: string
      /** It was packed into the supply, and no list of the supply has it any more. */
      readonly hasLeft?: true
      /** A table packed orders of the supply, and not this one, or its parcel was taken out there. */
      readonly isOut?: true
      /** Its marks stop the supply too: the others cannot go without it. */
      readonly keepsBack?: true
    }
  /** It was packed into the supply, and is in it no more. */
  | { readonly code: "order_left"; readonly orderId: OrderId }
  | { readonly code: "order_not_in_assembly"; readonly orderId: OrderId; readonly status: string }
  | { readonly code: "status_unread"; readonly orderId: OrderId }
  | { readonly code: "required_unread"; readonly orderId: OrderId }
  | OfRecord
  /** The order needs a mark that its record does not have a place for. */
  | { readonly code: "mark_not_exposed"; readonly orderId: OrderId; readonly key: string }

/** What its label record, or that it was not read, has in its way. */
type OfRecord = {
  readonly orderId: OrderId
  /** Its buyer cancelled it, and it stays in the supply: nobody sets its marks any more, and the hand-over asks for them. */
  readonly isCancelled?: true
} & (
  | { readonly code: "labels_unread" }
  | { readonly code: "mark_missing"; readonly key: string }
  | { readonly code: "mark_pending"; readonly key: string }
  | {
      readonly code: "mark_refused"
      readonly key: string
      readonly refusal: Verdict.RefusalCode
      /** What the marketplace said, where no code is for it. */
      readonly decision?: string
    }
)

export type Reason = SupplyReason | OrderReason

/** What does not stop it and may still go wrong. */
export type Doubt =
  /** Its check goes on and may still fail. */
  | { readonly code: "may_fail_later"; readonly orderId: OrderId; readonly key: string }
  | ShippingReason
  | { readonly code: "hand_over_time_unknown" }

export interface Checked {
  readonly supplyId: SupplyId
  /** Those of the supply first, then by order; empty when nothing that is known stops it. */
  readonly reasons: ReadonlyArray<Reason>
  readonly doubts: ReadonlyArray<Doubt>
  /** Orders to be moved to another supply so that the rest can go (O18). */
  readonly moveOut: ReadonlyArray<OrderId>
  /** Those of `moveOut` about which nothing bad is known, for something could not be read: a person may move them, no rule does. */
  readonly unread: ReadonlyArray<OrderId>
  /** Orders whose checks only take time: wait, or move them out too when there is none. */
  readonly waitFor: ReadonlyArray<OrderId>
  /** Orders that cannot be moved and whose goods must leave the parcel: cancelled ones, and those that left after they were packed. */
  readonly takeOut: ReadonlyArray<OrderId>
  /** Orders that can go. */
  readonly rest: ReadonlyArray<OrderId>
  /** True when the rest could go once the others are gone: neither the supply nor a mark that nobody can mend is in the way, and there is a rest. */
  readonly restCanGo: boolean
}

/** Every reason, at `nowMs`. What is not known stops the hand-over. */
export const check = (situation: Situation): Checked => {
  const { orders, packed, packer, parcels, scanned, supply } = situation
  if (supply.closed === true || supply.scannedAtMs !== undefined)
    return stopped(supply.supplyId, stateReasons(supply))
  const shipping = shippingReasons(situation)
  const sorted = orders.toSorted((a, b) => a.orderId - b.orderId)
  const isOutOfPile = (reason: OrderReason): OrderReason =>
    reason.code === "order_cancelled" && scanned !== undefined && !packed.has(reason.orderId)
      ? { ...reason, isOut: true }
      : reason
  const each = [
    ...sorted.map((order) => ({ orderId: order.orderId, reasons: orderReasons(order).map(isOutOfPile) })),
    ...ofParcels(parcels).map((reason) => ({ orderId: reason.orderId, reasons: [reason] }))
  ].sort((a, b) => a.orderId - b.orderId)
  const having = (fits: (reasons: ReadonlyArray<OrderReason>) => boolean) =>
    each.filter(({ reasons }) => fits(reasons)).map(({ orderId }) => orderId)
  const rest = having((reasons) => reasons.length === 0)
  // What is being packed at this moment is in part by nature.
  const left = packer === undefined ? unscanned(rest, scanned) : []
  const ofSupply: ReadonlyArray<SupplyReason> = [
    ...stateReasons(supply),
    ...(orders.length === 0 ? [{ code: "no_orders" } as const] : []),
    ...(packer === undefined ? [] : [{ code: "being_packed", packer } as const]),
    ...(left.length === 0 ? [] : [{ code: "packed_in_part", left } as const]),
    ...(situation.shippingRequired ? shipping : []),
    ...unitReasons(supply, orders.length),
    ...passReasons(situation)
  ]
  return {
    supplyId: supply.supplyId,
    reasons: [...ofSupply, ...each.flatMap(({ reasons }) => reasons)],
    doubts: [
      ...(situation.shippingRequired ? [] : shipping),
      ...(situation.passForm !== undefined && situation.handOverAtMs === undefined
        ? [{ code: "hand_over_time_unknown" } as const]
        : []),
      ...sorted.flatMap(laterDoubts)
    ],
    moveOut: having(isOut),
    unread: having((reasons) => isOut(reasons) && reasons.every((one) => isPending(one) || isUnread(one))),
    waitFor: having((reasons) => reasons.length > 0 && reasons.every(isPending)),
    takeOut: having((reasons) => reasons.some(isToTakeOut)),
    rest,
    restCanGo:
      ofSupply.length === 0 && rest.length > 0 && having((reasons) => reasons.some(isStuck)).length === 0
  }
}

/** Orders that a table has not packed though it packed others of their supply. */
export const unscanned = (
  orders: ReadonlyArray<OrderId>,
  scanned: ReadonlySet<OrderId> | undefined
): ReadonlyArray<OrderId> => (scanned === undefined ? [] : orders.filter((orderId) => !scanned.has(orderId)))

/** Of a supply that is not looked into: of one that is gone what its orders lack is no matter. */
export const stopped = (supplyId: SupplyId, reasons: ReadonlyArray<SupplyReason>): Checked => ({
  supplyId,
  reasons,
  doubts: [],
  moveOut: [],
  unread: [],
  waitFor: [],
  takeOut: [],
  rest: [],
  restCanGo: false
})

const isOut = (reasons: ReadonlyArray<OrderReason>): boolean =>
  reasons.length > 0 && !reasons.some(isToTakeOut) && !reasons.every(isPending)

const isUnread = ({ code }: OrderReason): boolean =>
  code === "status_unread" || code === "required_unread" || code === "labels_unread"
const isPending = ({ code }: OrderReason): boolean => code === "mark_pending"
/** It can neither leave the supply nor be mended. */
const isStuck = (reason: OrderReason): boolean => "isCancelled" in reason

/** What stops nothing any more once a person says that the goods are out of the parcel. */
export const isToTakeOut = ({ code }: Reason): boolean => code === "order_cancelled" || code === "order_left"

const stateReasons = ({ closed, scannedAtMs }: Supply): ReadonlyArray<SupplyReason> => {
  if (scannedAtMs !== undefined) return [{ code: "scanned_already", atMs: scannedAtMs }]
  if (closed === true) return [{ code: "closed_already" }]
  return closed === undefined ? [{ code: "state_unknown" }] : []
}

const shippingReasons = ({ nowMs, supply }: Situation): ReadonlyArray<ShippingReason> => {
  const { day, isPickupPoint, method, pointId, waybillUuid } = supply.shipping
  const today = Days.ofMarket(nowMs)
  const lacks = (what: "method" | "day" | "point" | "waybill", is: boolean): ReadonlyArray<ShippingReason> =>
    is ? [{ code: "shipping_missing", what }] : []
  return [
    ...lacks("method", method === undefined),
    ...(method === undefined || /^(selfShipping|transportCompany)$/.test(method)
      ? []
      : [{ code: "shipping_method_unknown", method } as const]),
    ...lacks("day", day === undefined),
    ...(day !== undefined && day < today ? [{ code: "shipping_day_past", day, today } as const] : []),
    ...lacks("point", pointId === undefined),
    ...lacks("waybill", method === "transportCompany" && waybillUuid === undefined),
    ...(isPickupPoint === true && supply.pickupPointAllowed === false
      ? [{ code: "pickup_point_not_allowed" } as const]
      : [])
  ]
}

/** Units are of supplies to a pickup point, and at most half of the orders (O22). */
const unitReasons = (
  { pickupPointAllowed, shipping, units }: Supply,
  orders: number
): ReadonlyArray<SupplyReason> => {
  if (units === undefined) return shipping.isPickupPoint === true ? [{ code: "units_unread" }] : []
  if (units === 0) return []
  if (pickupPointAllowed === false) return [{ code: "units_unwanted", units }]
  const most = Math.floor(orders / 2)
  return units > most ? [{ code: "units_too_many", units, most }] : []
}

const passReasons = (situation: Situation): ReadonlyArray<SupplyReason> => {
  const { nowMs, passForm: form, passes } = situation
  if (form === undefined) return []
  const officeId = OfficeId.make(form.officeId)
  if (passes === undefined) return [{ code: "passes_unread", officeId }]
  // A pass without a known end may be one that ended long ago (O24): it admits nobody for sure.
  const ends = passes.flatMap((pass) =>
    Passes.sameForm(pass, form) && pass.validUntilMs !== undefined && pass.validUntilMs > nowMs
      ? [pass.validUntilMs]
      : []
  )
  if (ends.length === 0) return [{ code: "pass_missing", officeId }]
  const untilMs = Math.max(...ends)
  const handOverAtMs = situation.handOverAtMs ?? nowMs
  return untilMs < handOverAtMs ? [{ code: "pass_ends_early", officeId, untilMs, handOverAtMs }] : []
}

/** Of either side; the buyer's cancellation shows on the marketplace's side alone. */
const cancelled: ReadonlySet<string> = new Set([
  "cancel",
  "cancel_carrier",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "canceled_by_carrier"
])

/** The marketplace has had the goods in its hands: they went with another supply. */
const accepted: ReadonlySet<string> = new Set([
  "sorted",
  "ready_for_pickup",
  "postponed_delivery",
  "accepted_by_carrier",
  "sold"
])

/** What is in the way of orders, by itself: of a supply whose hand-over was planned a while ago. */
export const ofOrders = (orders: ReadonlyArray<SupplyOrder>): ReadonlyArray<OrderReason> =>
  orders.flatMap(orderReasons)

/** What was packed into a supply and has left it, as far as its goods may lie in the pile. */
export const ofParcels = (parcels: ReadonlyArray<Parcel>): ReadonlyArray<OrderReason> =>
  parcels
    .filter(({ platformStatus }) => platformStatus === undefined || !accepted.has(platformStatus))
    .map(parcelReason)

const cancelledReason = ({
  orderId,
  platformStatus,
  status
}: Parcel): Extract<OrderReason, { code: "order_cancelled" }> | undefined => {
  const end = [status, platformStatus].find((one) => one !== undefined && cancelled.has(one))
  return end === undefined ? undefined : { code: "order_cancelled", orderId, status: end }
}

const parcelReason = (parcel: Parcel): OrderReason => {
  const over = cancelledReason(parcel)
  return over === undefined ? { code: "order_left", orderId: parcel.orderId } : { ...over, hasLeft: true }
}

const orderReasons = (order: SupplyOrder): ReadonlyArray<OrderReason> => {
  const { orderId, status } = order
  const over = cancelledReason(order)
  if (over !== undefined) {
    // One that the seller cancelled leaves the supply by itself.
    const stuck = over.status === status ? [] : ofRecord(order)
    return stuck.length === 0
      ? [over]
      : [{ ...over, keepsBack: true }, ...stuck.map((one) => ({ ...one, isCancelled: true }) as const)]
  }
  const state: ReadonlyArray<OrderReason> =
    status === undefined
      ? [{ code: "status_unread", orderId }]
      : status === "confirm"
        ? []
        : [{ code: "order_not_in_assembly", orderId, status }]
  return [...state, ...markReasons(order)]
}

const markReasons = (order: SupplyOrder): ReadonlyArray<OrderReason> => {
  const { labels, orderId, required } = order
  const exposed = new Set(labels?.map(({ key }) => key))
  return [
    ...(required === undefined ? [{ code: "required_unread", orderId } as const] : []),
    ...(labels === undefined ? [] : (required ?? []))
      .filter((key) => !exposed.has(key))
      .map((key) => ({ code: "mark_not_exposed", orderId, key }) as const),
    ...ofRecord(order)
  ]
}

const ofRecord = ({ labels, orderId }: SupplyOrder): ReadonlyArray<OfRecord> =>
  labels?.flatMap((label) => labelReasons(orderId, label)) ?? [{ code: "labels_unread", orderId }]

const labelReasons = (orderId: OrderId, label: Verdict.Label): ReadonlyArray<OfRecord> => {
  const { key } = label
  const verdict = Verdict.of(label)
  if (verdict._tag === "Pending") return [{ code: "mark_pending", orderId, key }]
  if (verdict._tag === "Ready") return []
  if (verdict.code === "required") return [{ code: "mark_missing", orderId, key }]
  const said = verdict.decision === undefined ? {} : { decision: verdict.decision }
  return [{ code: "mark_refused", orderId, key, refusal: verdict.code, ...said }]
}

const laterDoubts = ({ labels, orderId }: SupplyOrder): ReadonlyArray<Doubt> =>
  (labels ?? []).flatMap((label) => {
    const verdict = Verdict.of(label)
    return verdict._tag === "Ready" && !verdict.isFinal
      ? [{ code: "may_fail_later", orderId, key: label.key } as const]
      : []
  })
