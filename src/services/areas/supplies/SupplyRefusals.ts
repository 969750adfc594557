/** Why the marketplace refused an operation on a supply, and what can be done about it (not-shown §3.2). */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Plural from "../../../domain/Plural.js"
import * as When from "../../../domain/When.js"
import * as Wire from "../../endpoints/Labels.js"
import { type CallError, Refused } from "../../MarketplaceError.js"
import * as LabelRecords from "../labels/LabelRecords.js"
import { blocking, type Label, type OrderLabels } from "../labels/LabelRecords.js"
import * as State from "../State.js"

export type Why =
  /** Delete: it still holds orders. */
  | { readonly _tag: "hasOrders" }
  /** Deliver: it holds none. */
  | { readonly _tag: "hasNoOrders" }
  /** Deliver: labels are missing or failed their check, for these orders; none are named where the body names none. */
  | { readonly _tag: "labelsFail"; readonly orders: ReadonlyArray<OrderLabels> }
  /** Add orders: at least one does not fit; the marketplace does not say which (field note O10). */
  | { readonly _tag: "ordersDoNotFit" }
  /** Barcode: it was not handed over yet. */
  | { readonly _tag: "notClosed" }
  /** Deliver: shipping method, date or point are missing (O20). */
  | { readonly _tag: "shippingMissing" }
  /** Deliver: the waybill belongs to something else. */
  | { readonly _tag: "waybillConflict" }
  | { readonly _tag: "notFound" }

/** The documented reason of a refusal; undefined for any other error and for a code that is not documented. */
export const why = (error: CallError): Why | undefined => {
  if (error._tag !== "Refused") return undefined
  switch (error.code) {
    case "SupplyHasOrders":
      return { _tag: "hasOrders" }
    case "SupplyHasZeroOrders":
      return { _tag: "hasNoOrders" }
    case "MetaValidationFail":
      return { _tag: "labelsFail", orders: failingOrders(error) }
    case "FailedToAddSupplyOrder":
      return { _tag: "ordersDoNotFit" }
    case "SupplyNotClosed":
      return { _tag: "notClosed" }
    case "SupplyShippingRequired":
      return { _tag: "shippingMissing" }
    case "WaybillUUIDConflict":
      return { _tag: "waybillConflict" }
    case "NotFound":
      return { _tag: "notFound" }
    default:
      return undefined
  }
}

/** The refusal with how to mend it, where that is documented. `nowMs`: when it came. */
export const advised = (error: CallError, nowMs: number): CallError => {
  const reason = why(error)
  return reason === undefined || error._tag !== "Refused"
    ? error
    : new Refused({ ...error, advice: advice(reason, nowMs) })
}

/** How to mend it, in one sentence or two. `nowMs`: when it was refused. */
export const advice = (reason: Why, nowMs: number): string => {
  switch (reason._tag) {
    case "hasOrders":
      return "Move its orders to another supply first; only an empty supply can be deleted"
    case "hasNoOrders":
      return "Add orders to the supply before handing it over"
    case "labelsFail":
      return labelAdvice(reason.orders, nowMs)
    case "ordersDoNotFit":
      return "Put orders of one warehouse, cargo, cross-border and business kind together, in assembly or new"
    case "notClosed":
      return "Hand the supply over first; its code exists only after that"
    case "shippingMissing":
      return "Set shipping method, date and point of the supply in the seller's account first"
    case "waybillConflict":
      return "Check the waybill of the supply in the seller's account: it belongs to another one"
    case "notFound":
      return "Check the supply id: this seller has no such supply"
  }
}

/** A pending check ends by itself (not-shown §4.5); what failed, or is missing, a person must mend. */
const labelAdvice = (orders: ReadonlyArray<OrderLabels>, nowMs: number): string => {
  const blocked = orders.map(({ labels, orderId }) => ({ orderId, labels: blocking(labels) }))
  const [failing, pending] = Arr.partition(
    blocked,
    ({ labels }) => labels.length > 0 && labels.every(isPending)
  )
  if (pending.length === 0) return `${mend(failing)}, then hand over again`
  const wait = `Wait for the check of ${told(pending)}, which ends by itself: getOrderLabels tells when. Try again after ${minute(checkedBy(pending, nowMs))}`
  return failing.length === 0 ? wait : `${mend(failing)}. ${wait}`
}

const mend = (orders: ReadonlyArray<OrderLabels>): string =>
  `Set or mend the label identifiers of ${told(orders)}, or move them to another supply`

const isPending = ({ decision }: Label): boolean => decision._tag === "pending"

/** `order 5001 (sgtin pending) and order 5002 (uin uinNotFound)`. */
const told = (orders: ReadonlyArray<OrderLabels>): string =>
  orders.length === 0
    ? "its orders"
    : Plural.named(
        orders.map(({ labels, orderId }) => {
          const states = labels.map(({ decision, key }) => `${key} ${State.textOf(decision) ?? "undecided"}`)
          return states.length === 0 ? `order ${orderId}` : `order ${orderId} (${states.join(", ")})`
        }),
        10
      )

/** The check of a contract's number may take half an hour (field note O16); of others no time is stated, minutes are usual. */
const checkedBy = (pending: ReadonlyArray<OrderLabels>, nowMs: number): number => {
  const isSlow = pending.some(({ labels }) => labels.some(({ key }) => key === "uin"))
  return nowMs + (isSlow ? 30 : 2) * 60_000
}

/** `2026-09-01 09:00 UTC`, never earlier than it is. */
const minute = (ms: number): string => `${When.text(Math.ceil(ms / 60_000) * 60_000, "UTC")} UTC`

// Which orders a refused hand-over names: `MetaValidationFail` carries `data.orders` (not-shown §3.2, field note
// O18).

const decode = Schema.decodeUnknownOption(Wire.OrderLabels)

/** The orders that failed with the identifiers the refusal names; empty when it names none that can be read. */
export const failingOrders = (error: Refused): ReadonlyArray<LabelRecords.OrderLabels> =>
  Predicate.isRecord(error.data) && Array.isArray(error.data.orders)
    ? error.data.orders.flatMap((row: unknown) =>
        Option.toArray(Option.map(decode(row), LabelRecords.fromWire))
      )
    : []
