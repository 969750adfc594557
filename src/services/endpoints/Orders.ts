/** Seed 000, "Assembly orders". Every call but the cancel draws from the bucket of orders, supplies and passes. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { ItemId, OfficeId, OrderId, SizeId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { LabelDetail } from "./Labels.js"
import { answer, batch, flag, idIn, list, maybe, text, whole } from "./Shapes.js"

// Records of assembly orders as the wire shows them (seed 000 "Assembly order", not-shown §4.1..§4.4). Nearly every
// field may be missing or null, codes stay text or numbers, and instants stay text: their formats differ by record
// (field note O09), so the areas parse them.

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
const ArchivedOrder = Schema.Struct({
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
const ReshipmentOrder = Schema.Struct({ supplyID: text, orderID: OrderId })

/** `file` is base64 in the asked format; `partA` and `partB` are the two parts of the readable id. */
export const Sticker = Schema.Struct({
  orderId: OrderId,
  partA: text,
  partB: text,
  barcode: text,
  file: text
})

/** `status` is awaitingTrackNumber or ready; all texts are empty until ready (O13). `file` is a base64 PDF. */
const CrossBorderSticker = Schema.Struct({
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
const OrderClient = Schema.Struct({
  orderID: OrderId,
  firstName: text,
  lastName: text,
  middleName: text,
  fullName: text,
  phone: text,
  phoneCode: text
})

const host = { area: "orders", host: "marketplace", tokenCategory: "marketplace" } as const
const area = {
  ...host,
  limitGroup: "marketplace.general",
  limits: { personal: Operation.limit("1 min", 300, 20), base: "same" },
  testHost: true,
  errorShape: "code"
} as const

/** 0 first, then the `next` of the answer before. */
const next = idIn(Schema.Int.pipe(Schema.nonNegative()))

/** Seconds, never milliseconds (field note O02): a value beyond the year 2286 is refused. */
const UnixSeconds = idIn(Schema.Int.pipe(Schema.between(0, 9_999_999_999)))
const longestWindowSeconds = 30 * 86_400

const listNewOrders = Operation.read(
  HttpApiEndpoint.get("listNewOrders", "/api/v3/orders/new").addSuccess(answer({ orders: list(NewOrder) })),
  {
    ...area,
    errors: [401, 402, 403, 429],
    entries: Operation.apart("orders", NewOrder),
    notes: ["O03", "O08"]
  }
)

const listOrders = Operation.read(
  HttpApiEndpoint.get("listOrders", "/api/v3/orders")
    .setUrlParams(
      Schema.Struct({
        limit: idIn(Schema.Int.pipe(Schema.between(1, 1000))),
        next,
        dateFrom: Schema.optional(UnixSeconds),
        dateTo: Schema.optional(UnixSeconds)
      }).pipe(Schema.filter(({ dateFrom, dateTo }) => windowWithin(dateFrom, dateTo)))
    )
    .addSuccess(answer({ next: whole, orders: list(Order) })),
  {
    ...area,
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter"] },
    paging: { kind: "cursor", rows: "orders", most: 1_000 },
    entries: Operation.apart("orders", Order),
    notes: ["O01", "O02"]
  }
)

const getOrderStatuses = Operation.read(
  HttpApiEndpoint.post("getOrderStatuses", "/api/v3/orders/status")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 1000) }))
    .addSuccess(answer({ orders: list(OrderStatus) })),
  {
    ...area,
    batch: { field: "orders", min: 1, max: 1000 },
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter", "IncorrectRequestBody", "IncorrectRequest"] },
    entries: Operation.apart("orders", OrderStatus),
    notes: ["O04"]
  }
)

const listReshipmentOrders = Operation.read(
  HttpApiEndpoint.get("listReshipmentOrders", "/api/v3/supplies/orders/reshipment").addSuccess(
    answer({ orders: list(ReshipmentOrder) })
  ),
  {
    ...area,
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter"] },
    entries: Operation.apart("orders", ReshipmentOrder),
    notes: ["O21", "O27"]
  }
)

const cancelOrder = Operation.write(
  HttpApiEndpoint.patch(
    "cancelOrder"
  )`/api/v3/orders/${HttpApiSchema.param("orderId", idIn(OrderId))}/cancel`.addSuccess(
    HttpApiSchema.NoContent
  ),
  {
    ...area,
    limitGroup: "marketplace.cancel",
    limits: { personal: Operation.limit("1 min", 100, 20), base: "same" },
    retry: "verify",
    verifyBy: "getOrderStatuses: supplierStatus is cancel",
    success: [204],
    errors: [400, 401, 402, 403, 404, 409, 429],
    errorCodes: {
      400: ["IncorrectParameter"],
      404: ["NotFound"],
      409: ["StatusMismatch", "StatusChangeNotAllowed"]
    },
    notes: ["O11", "T09"]
  }
)

const getOrderStickers = Operation.read(
  HttpApiEndpoint.post("getOrderStickers", "/api/v3/orders/stickers")
    .setUrlParams(
      Schema.Struct({
        type: Schema.Literal("svg", "zplv", "zplh", "png"),
        width: Schema.transformLiterals(["58", 58], ["40", 40]),
        height: Schema.transformLiterals(["40", 40], ["30", 30])
      }).pipe(
        Schema.filter(
          ({ height, width }) =>
            (width === 58) === (height === 40) ||
            `a sticker of ${width}x${height} does not exist; allowed are 58x40 and 40x30`
        )
      )
    )
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ stickers: list(Sticker) })),
  {
    ...area,
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 409, 429],
    errorCodes: {
      400: ["IncorrectRequestBody", "IncorrectRequest", "IncorrectParameter"],
      409: ["CustomsDeclarationIsRequired"]
    },
    entries: Operation.apart("stickers", Sticker),
    notes: ["O12"]
  }
)

const getCrossBorderStickers = Operation.read(
  HttpApiEndpoint.post("getCrossBorderStickers", "/api/v3/orders/stickers/cross-border")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ stickers: list(CrossBorderSticker) })),
  {
    /** The published files name no test host, but the seed says that the test environment always answers 200. */
    ...area,
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectRequestBody", "IncorrectRequest"] },
    entries: Operation.apart("stickers", CrossBorderSticker),
    notes: ["O13"]
  }
)

const getOrderStatusHistory = Operation.read(
  HttpApiEndpoint.post("getOrderStatusHistory", "/api/v3/orders/status/history")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ orders: list(OrderHistory) })),
  {
    ...area,
    errorShape: "none",
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 404: ["NotFound"] },
    entries: Operation.apart("orders", OrderHistory),
    notes: ["O25", "O27"]
  }
)

const getOrderClients = Operation.read(
  HttpApiEndpoint.post("getOrderClients", "/api/v3/orders/client")
    /** No bound is stated; more than 100 are not sent. */
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ orders: list(OrderClient) })),
  {
    ...area,
    batch: { field: "orders" },
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 400: ["IncorrectParameter"], 404: ["NotFound"] },
    entries: Operation.apart("orders", OrderClient),
    notes: ["O25", "O27"]
  }
)

const listArchivedOrders = Operation.read(
  HttpApiEndpoint.get("listArchivedOrders", "/api/marketplace/v3/fbs/orders/archive")
    .setUrlParams(
      Schema.Struct({
        year: idIn(Schema.Int.pipe(Schema.between(2000, 2999))),
        month: idIn(Schema.Int.pipe(Schema.between(1, 12))),
        next,
        limit: idIn(Schema.Int.pipe(Schema.between(100, 1000)))
      })
    )
    .addSuccess(answer({ next: whole, orders: list(ArchivedOrder) })),
  {
    ...area,
    testHost: false,
    errorShape: "archive",
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["BadRequest"] },
    paging: { kind: "cursor", rows: "orders", most: 1_000 },
    entries: Operation.apart("orders", ArchivedOrder),
    notes: ["O26", "O01"]
  }
)

/** True unless both ends are given and are out of order or more than 30 days apart. */
const windowWithin = (from: number | undefined, to: number | undefined): true | string => {
  if (from === undefined || to === undefined) return true
  if (from > to) return `dateFrom ${from} is after dateTo ${to}`
  return (
    to - from <= longestWindowSeconds ||
    `from ${from} to ${to} is more than 30 days; ask for shorter periods one after the other`
  )
}

export const group = HttpApiGroup.make("orders")
  .add(listNewOrders)
  .add(listOrders)
  .add(getOrderStatuses)
  .add(listReshipmentOrders)
  .add(cancelOrder)
  .add(getOrderStickers)
  .add(getCrossBorderStickers)
  .add(getOrderStatusHistory)
  .add(getOrderClients)
  .add(listArchivedOrders)
