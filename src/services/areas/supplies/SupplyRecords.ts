/** Supplies in the seller's words (seed 000 "Supply"); what is absent is undefined. */
import type * as Supplies from "../../endpoints/Supplies.js"
import * as OrderDates from "../orders/OrderDates.js"
import * as OrderRecords from "../orders/OrderRecords.js"
import * as State from "../State.js"

const shippingMethod = State.reader(["selfShipping", "transportCompany"])

/** The first order gives a supply its cargo, cross-border and business kinds: until then they are undefined (O29). */
export const fromWire = (wire: typeof Supplies.Supply.Type) => ({
  supplyId: wire.id,
  name: wire.name,
  /** By deliver or by the first scan (O23); undefined when the marketplace did not say. */
  closed: wire.done,
  /** Epoch milliseconds. */
  createdAtMs: OrderDates.instant(wire.createdAt),
  closedAtMs: OrderDates.instant(wire.closedAt),
  /** First scan at acceptance. */
  scannedAtMs: OrderDates.instant(wire.scanDt),
  cargo: orNone(wire.cargoType, OrderRecords.cargoFromCode),
  crossBorder: wire.crossBorderType === undefined ? undefined : wire.crossBorderType !== 0,
  b2b: wire.isB2b,
  pickupPointAllowed: wire.isPickupPointShipmentAllowed,
  destinationOfficeId: wire.destinationOfficeId,
  recommendedWarehouseId: orNone(wire.recommendedWhId, (id) => id),
  /** Set by operations outside the contract (field note O20). */
  shipping: {
    method: wire.shippingType === undefined ? undefined : shippingMethod(wire.shippingType),
    day: OrderDates.archiveDay(wire.shippingDt),
    pointId: wire.shippingPointId,
    waybillUuid: wire.waybillUuid,
    spotAvailable: wire.spotAvailable
  }
})

export type Supply = Readonly<ReturnType<typeof fromWire>>

/** 0 stands for none: no cargo in an empty supply, no warehouse (not-shown §4.3). */
const orNone = <A>(code: number | undefined, read: (code: number) => A): A | undefined =>
  code === undefined || code === 0 ? undefined : read(code)
