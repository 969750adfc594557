/**
 * Records of assembly orders as the wire shows them (seed 000 "Assembly order", not-shown §4.1..§4.4). Nearly every
 * field may be missing or null, codes stay text or numbers, and instants stay text: their formats differ by record
 * (field note O09), so the areas parse them.
 */
import * as Schema from "effect/Schema"
import { ItemId, OfficeId, OrderId, SizeId } from "../../domain/Ids.js"
import { LabelDetail } from "./Labels.js"
import { flag, list, maybe, text, whole } from "./Shapes.js"

/** A coordinate; an unknown one may be an empty text. */
const coordinate = maybe(Schema.Union(Schema.Finite, Schema.String))

const shared = {
  id: OrderId,
  /** The same value is `srid` in the reports and in the order feed (O06). */
  rid: text,
  /** Groups the orders of one basket (O05). */
  orderUid: text,
  article: text,
  nmId: maybe(ItemId),
  chrtId: maybe(SizeId),
  skus: list(Schema.String),
  warehouseId: whole,
  officeId: maybe(OfficeId),
  offices: list(Schema.String),
  /** RFC 3339, UTC. */
  createdAt: text,
  /** Times 100, in the currency beside it (O07). */
  price: whole,
  convertedPrice: whole,
  /** Numeric ISO 4217. */
  currencyCode: whole,
  convertedCurrencyCode: whole,
  /** Minor units, after acceptance; always null among new orders. */
  scanPrice: whole,
  /** 1 small, 2 oversize, 3 bulky. */
  cargoType: whole,
  /** 0 domestic, 1 cross-border. */
  crossBorderType: whole,
  deliveryType: text,
  isZeroOrder: flag,
  options: maybe(Schema.Struct({ isB2B: flag })),
  comment: text,
  colorCode: text,
  address: maybe(Schema.Struct({ fullAddress: text, longitude: coordinate, latitude: coordinate }))
}

/** An order of `listNewOrders`. */
export const NewOrder = Schema.Struct({
  ...shared,
  finalPrice: whole,
  convertedFinalPrice: whole,
  salePrice: whole,
  isPickupPointShipmentAllowed: flag,
  /** Label keys; all of them decide whether the supply can be handed over. */
  requiredMeta: list(Schema.String),
  optionalMeta: list(Schema.String),
  /** dd.mm.yyyy, oversize goods only. */
  ddate: text,
  sellerDate: text
})

/** An order of `listOrders`; `supplyId` is present once it is in a supply. */
export const Order = Schema.Struct({ ...shared, supplyId: text })

/** An order of `listArchivedOrders`: nested, with text codes. */
export const ArchivedOrder = Schema.Struct({
  id: OrderId,
  rid: text,
  orderUid: text,
  /** A bare date `YYYY-MM-DD` (O09). */
  createdAt: text,
  /** mgt, sgt or kgtPlus: 1, 2 and 3 of the other lists. */
  cargoType: text,
  /** local or crossBorder. */
  crossBorderType: text,
  crossBorder: maybe(Schema.Struct({ parcel: text })),
  colorCode: text,
  isZeroOrder: flag,
  metaDetails: list(LabelDetail),
  options: maybe(Schema.Struct({ isB2B: flag })),
  priceInfo: maybe(
    Schema.Struct({
      price: whole,
      currencyCode: whole,
      convertedPrice: whole,
      convertedCurrencyCode: whole
    })
  ),
  product: maybe(
    Schema.Struct({
      article: text,
      chrtId: maybe(SizeId),
      nmId: maybe(ItemId),
      skus: list(Schema.String)
    })
  ),
  scanPrice: whole,
  status: maybe(Schema.Struct({ supplierStatus: text, platformStatus: text })),
  stickerId: whole,
  supplyId: text,
  warehouseId: whole
})

/** A row of `getOrderStatuses`. Both enumerations are open (T19). */
export const OrderStatus = Schema.Struct({
  id: OrderId,
  supplierStatus: text,
  platformStatus: text,
  isCancellable: flag
})

/** A row of `listReshipmentOrders` (O21, O27). */
export const ReshipmentOrder = Schema.Struct({ supplyID: text, orderID: OrderId })

/** `file` is base64 in the asked format; `partA` and `partB` are the two parts of the readable id. */
export const Sticker = Schema.Struct({
  orderId: OrderId,
  partA: text,
  partB: text,
  barcode: text,
  file: text
})

/** `status` is awaitingTrackNumber or ready; all texts are empty until ready (O13). `file` is a base64 PDF. */
export const CrossBorderSticker = Schema.Struct({
  orderId: OrderId,
  status: text,
  parcelId: text,
  file: text,
  partA: text,
  partB: text,
  barcode: text
})

/** Codes come in both cases and dates may be null (O25). */
export const OrderHistory = Schema.Struct({
  orderID: OrderId,
  deliveryDate: text,
  statuses: list(Schema.Struct({ code: text, date: text }))
})

/** Personal data of a buyer: never printed, never stored beyond need (not-shown §4.4). */
export const OrderClient = Schema.Struct({
  orderID: OrderId,
  firstName: text,
  lastName: text,
  middleName: text,
  fullName: text,
  phone: text,
  phoneCode: text
})
