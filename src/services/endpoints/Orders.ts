/** Seed 000, "Assembly orders". Every call but the cancel draws from the bucket of orders, supplies and passes. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrderId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import * as Records from "./OrderRecords.js"
import { answer, batch, idIn, list, whole } from "./Shapes.js"

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
  HttpApiEndpoint.get("listNewOrders", "/api/v3/orders/new").addSuccess(
    answer({ orders: list(Records.NewOrder) })
  ),
  {
    ...area,
    errors: [401, 402, 403, 429],
    entries: Operation.apart("orders", Records.NewOrder),
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
    .addSuccess(answer({ next: whole, orders: list(Records.Order) })),
  {
    ...area,
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter"] },
    paging: { kind: "cursor", rows: "orders", most: 1_000 },
    entries: Operation.apart("orders", Records.Order),
    notes: ["O01", "O02"]
  }
)

const getOrderStatuses = Operation.read(
  HttpApiEndpoint.post("getOrderStatuses", "/api/v3/orders/status")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 1000) }))
    .addSuccess(answer({ orders: list(Records.OrderStatus) })),
  {
    ...area,
    batch: { field: "orders", min: 1, max: 1000 },
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter", "IncorrectRequestBody", "IncorrectRequest"] },
    entries: Operation.apart("orders", Records.OrderStatus),
    notes: ["O04"]
  }
)

const listReshipmentOrders = Operation.read(
  HttpApiEndpoint.get("listReshipmentOrders", "/api/v3/supplies/orders/reshipment").addSuccess(
    answer({ orders: list(Records.ReshipmentOrder) })
  ),
  {
    ...area,
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectParameter"] },
    entries: Operation.apart("orders", Records.ReshipmentOrder),
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
    .addSuccess(answer({ stickers: list(Records.Sticker) })),
  {
    ...area,
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 409, 429],
    errorCodes: {
      400: ["IncorrectRequestBody", "IncorrectRequest", "IncorrectParameter"],
      409: ["CustomsDeclarationIsRequired"]
    },
    entries: Operation.apart("stickers", Records.Sticker),
    notes: ["O12"]
  }
)

const getCrossBorderStickers = Operation.read(
  HttpApiEndpoint.post("getCrossBorderStickers", "/api/v3/orders/stickers/cross-border")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ stickers: list(Records.CrossBorderSticker) })),
  {
    /** The published files name no test host, but the seed says that the test environment always answers 200. */
    ...area,
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["IncorrectRequestBody", "IncorrectRequest"] },
    entries: Operation.apart("stickers", Records.CrossBorderSticker),
    notes: ["O13"]
  }
)

const getOrderStatusHistory = Operation.read(
  HttpApiEndpoint.post("getOrderStatusHistory", "/api/v3/orders/status/history")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ orders: list(Records.OrderHistory) })),
  {
    ...area,
    errorShape: "none",
    batch: { field: "orders", min: 1, max: 100 },
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 404: ["NotFound"] },
    entries: Operation.apart("orders", Records.OrderHistory),
    notes: ["O25", "O27"]
  }
)

const getOrderClients = Operation.read(
  HttpApiEndpoint.post("getOrderClients", "/api/v3/orders/client")
    /** No bound is stated; more than 100 are not sent. */
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ orders: list(Records.OrderClient) })),
  {
    ...area,
    batch: { field: "orders" },
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 400: ["IncorrectParameter"], 404: ["NotFound"] },
    entries: Operation.apart("orders", Records.OrderClient),
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
    .addSuccess(answer({ next: whole, orders: list(Records.ArchivedOrder) })),
  {
    ...area,
    testHost: false,
    errorShape: "archive",
    errors: [400, 401, 402, 403, 429],
    errorCodes: { 400: ["BadRequest"] },
    paging: { kind: "cursor", rows: "orders", most: 1_000 },
    entries: Operation.apart("orders", Records.ArchivedOrder),
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
