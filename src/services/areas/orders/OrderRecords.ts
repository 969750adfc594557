/** Assembly orders in the seller's words. One order is one unit of goods (field note O05); what is absent is undefined. */
import { SupplyId } from "../../../domain/Ids.js"
import type * as Orders from "../../endpoints/Orders.js"
import * as State from "../State.js"
import * as OrderDates from "./OrderDates.js"

/** Whole minor units of the currency with this numeric ISO 4217 code. No price of an order is revenue (O07). */
export interface Amount {
  readonly minorUnits: number
  readonly currencyCode: number | undefined
}

/** An order of the last three months. */
export const fromListed = (wire: typeof Orders.Order.Type) => ({
  ...recent(wire),
  /** Undefined until it is in a supply. */
  supplyId: supplyId(wire.supplyId)
})

export type Order = Readonly<ReturnType<typeof fromListed>>

/** An order that waits to be put into a supply. */
export const fromNew = (wire: typeof Orders.NewOrder.Type) => ({
  ...recent(wire),
  supplyId: undefined,
  pickupPointAllowed: wire.isPickupPointShipmentAllowed,
  /** What the buyer pays. */
  finalPrice: amount(wire.finalPrice, wire.currencyCode),
  convertedFinalPrice: amount(wire.convertedFinalPrice, wire.convertedCurrencyCode),
  /** With the seller's discount, without the club's. */
  salePrice: amount(wire.salePrice, wire.currencyCode),
  /** Label keys that must be and that may be attached. */
  requiredLabels: wire.requiredMeta,
  optionalLabels: wire.optionalMeta,
  /** Oversize goods only: promised to the buyer, and advised at the sorting centre. */
  deliveryDay: OrderDates.dottedDay(wire.ddate),
  sellerDay: OrderDates.dottedDay(wire.sellerDate)
})

export type NewOrder = Readonly<ReturnType<typeof fromNew>>

/** A supply id in a form of its own is kept: only a request that names it has to bear with the form. */
export const supplyId = (text: string | undefined): SupplyId | undefined =>
  text === undefined || text === "" ? undefined : SupplyId.make(text, { disableValidation: true })

type Shared = Omit<typeof Orders.Order.Type, "supplyId">

const recent = (wire: Shared) => ({
  orderId: wire.id,
  /** Joins with the reports and the order feed (O06); `rid` on the wire. */
  srid: wire.rid,
  /** Orders of one basket share it (O05). */
  basketId: wire.orderUid,
  article: wire.article,
  itemId: wire.nmId,
  sizeId: wire.chrtId,
  barcodes: wire.skus,
  /** The seller's warehouse. */
  warehouseId: wire.warehouseId,
  cargo: cargoFromCode(wire.cargoType),
  crossBorder: crossBorderCodes.get(wire.crossBorderType ?? -1),
  /** In the currency of the sale, without the wallet discount. */
  price: amount(wire.price, wire.currencyCode),
  /** The same in the currency of the seller's country. */
  convertedPrice: amount(wire.convertedPrice, wire.convertedCurrencyCode),
  /** Price at acceptance, minor units of another meaning (O07). */
  scanPriceMinorUnits: wire.scanPrice,
  /** Ordered when the stock was used up: can be cancelled without a penalty. */
  zeroStock: wire.isZeroOrder,
  b2b: wire.options?.isB2B,
  colorCode: wire.colorCode,
  /** Epoch milliseconds. */
  createdAtMs: OrderDates.instant(wire.createdAt),
  /** Platform warehouse the seller's warehouse is tied to. */
  officeId: wire.officeId,
  offices: wire.offices,
  deliveryType: wire.deliveryType,
  comment: wire.comment,
  address: address(wire.address)
})

/** Degrees of longitude and latitude. */
const address = (wire: Shared["address"]) =>
  wire === undefined
    ? undefined
    : { text: wire.fullAddress, longitude: degrees(wire.longitude), latitude: degrees(wire.latitude) }

const degrees = (value: number | string | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

const amount = (minorUnits: number | undefined, currencyCode: number | undefined): Amount | undefined =>
  minorUnits === undefined ? undefined : { minorUnits, currencyCode }

/** Codes of not-shown §4.3. */
const crossBorderCodes: ReadonlyMap<number, boolean> = new Map([
  [0, false],
  [1, true]
])
// States of an assembly order (seed 000 "States and transitions"). What is not known counts as open (O04).

/** Changed by the seller or the carrier only. */
type SupplierStatus = ReturnType<typeof supplierStatus>
export const supplierStatus = State.reader(["new", "confirm", "complete", "cancel", "cancel_carrier"])

/** The platform's side. Transitions are not documented: accept any order of values (not-shown §4.7). */
type PlatformStatus = ReturnType<typeof platformStatus>
export const platformStatus = State.reader([
  "waiting",
  "sorted",
  "sold",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "defect",
  "ready_for_pickup",
  "postponed_delivery",
  "accepted_by_carrier",
  "sent_to_carrier",
  "canceled_by_carrier"
])

/** Both sides of one order. */
export interface OrderState {
  readonly supplier: SupplierStatus
  readonly platform: PlatformStatus
}

const endsForSupplier: ReadonlySet<string> = new Set(["cancel", "cancel_carrier"])
const endsForPlatform: ReadonlySet<string> = new Set([
  "sold",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "defect",
  "canceled_by_carrier"
])

/** True when nothing more is expected: sold, cancelled by anyone, or defective. A code that is not known is not final. */
export const isFinal = (state: OrderState): boolean => endOf(state) !== undefined

/** The code that says so, of whichever side has it. */
export const endOf = ({ platform, supplier }: OrderState): string | undefined => {
  if (platform._tag === "unknown" || supplier._tag === "unknown") return undefined
  if (endsForSupplier.has(supplier._tag)) return supplier._tag
  return endsForPlatform.has(platform._tag) ? platform._tag : undefined
}

/** True when its goods go to no buyer: cancelled by anyone, declined, or defective. */
export const isCancelled = (state: OrderState): boolean =>
  endsForSupplier.has(state.supplier._tag) || (isFinal(state) && state.platform._tag !== "sold")

const cancellers = {
  cancel: "seller",
  cancel_carrier: "carrier",
  canceled: "seller",
  canceled_by_client: "buyer",
  declined_by_client: "buyer",
  canceled_by_carrier: "carrier"
} as const satisfies Readonly<Record<string, string>>

/** Who cancelled an order; undefined where nobody did, or its goods are defective. A buyer's shows on the platform's side alone. */
export const cancelledBy = ({ platform, supplier }: OrderState) =>
  Object.entries(cancellers).find(([state]) => state === supplier._tag || state === platform._tag)?.[1]

/** True while stickers can be made: in assembly or in delivery (O12). */
export const hasSticker = ({ supplier }: OrderState): boolean =>
  supplier._tag === "confirm" || supplier._tag === "complete"

/** Dimensional type of orders and supplies (not-shown §4.3). */
export type Cargo = ReturnType<typeof cargoOf>
const cargoOf = State.reader(["small", "oversize", "bulky"])

const byCode: ReadonlyMap<number, string> = new Map([
  [1, "small"],
  [2, "oversize"],
  [3, "bulky"]
])
/** `cargoType` of orders and supplies. */
export const cargoFromCode = (code: number | undefined): Cargo =>
  cargoOf(code === undefined ? undefined : (byCode.get(code) ?? String(code)))
