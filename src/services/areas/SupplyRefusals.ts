/** Why the marketplace refused an operation on a supply, and what can be done about it (not-shown §3.2). */
import type { CallError } from "../MarketplaceError.js"
import { failingOrders } from "./FailingOrders.js"
import type { OrderLabels } from "./LabelRecords.js"

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

/** How to mend it, in one sentence. */
export const advice = (reason: Why): string => {
  switch (reason._tag) {
    case "hasOrders":
      return "Move its orders to another supply first; only an empty supply can be deleted"
    case "hasNoOrders":
      return "Add orders to the supply before handing it over"
    case "labelsFail": {
      const ids = reason.orders.map(({ orderId }) => orderId).join(", ")
      const which = ids === "" ? "its orders" : `order ${ids}`
      return `Set or mend the label identifiers of ${which}, or move them to another supply, then hand over again`
    }
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
