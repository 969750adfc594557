/** Seed 000, "Label identifiers". An order must be in confirm and its label record must expose the key. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrderId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, batch, idIn, list, text } from "./Shapes.js"

const area = {
  area: "labels",
  host: "marketplace",
  tokenCategory: "marketplace",
  testHost: true,
  errorShape: "code"
} as const
const readOrDelete = {
  ...area,
  limitGroup: "marketplace.labelsReadDelete",
  limits: { personal: Operation.limit("1 min", 300, 20), base: "same" }
} as const
const set = {
  ...area,
  limitGroup: "marketplace.labelsWrite",
  limits: { personal: Operation.limit("1 min", 1000, 20), base: "same" },
  retry: "verify",
  verifyBy: "getOrderLabels",
  success: [204]
} as const

/** Codes a set operation refuses with; three of the six may also miss the order. */
const badValue = ["IncorrectRequestBody", "IncorrectRequest", "IncorrectParameter"]
const notNow = ["FailedToUpdateMeta", "MetaKeyNotRequired"]
const refusals = { errors: [400, 401, 402, 403, 409, 429], errorCodes: { 400: badValue, 409: notNow } }
const refusalsWith404 = {
  errors: [400, 401, 402, 403, 404, 409, 429],
  errorCodes: { 400: badValue, 404: ["NotFound"], 409: notNow }
}

/** Keys whose values can be removed; `expiration` can only be overwritten (field note O17). */
export const DeletableKey = Schema.Literal("imei", "uin", "gtin", "sgtin", "customsDeclaration")

/** One identifier of an order. `value` is null, or sometimes the text "null", while there is none (O14). */
export const LabelDetail = Schema.Struct({ key: text, value: text, decision: text })

/** A key that is absent is not exposed for the order (not-shown §4.5). */
export const OrderLabels = Schema.Struct({ id: OrderId, metaDetails: list(LabelDetail) })

const orderId = HttpApiSchema.param("orderId", idIn(OrderId))

/** One marking code. The group separators inside it travel as the control character U+001D (O15). */
const Sgtin = Schema.String.pipe(Schema.minLength(16), Schema.maxLength(135))

const getOrderLabels = Operation.read(
  HttpApiEndpoint.post("getOrderLabels", "/api/marketplace/v3/orders/meta")
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(answer({ orders: list(OrderLabels) })),
  {
    ...readOrDelete,
    batch: { field: "orders", max: 100 },
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 400: ["BadRequest"], 404: ["NotFound"] },
    entries: Operation.apart("orders", OrderLabels),
    notes: ["O14"]
  }
)

const deleteOrderLabel = Operation.write(
  HttpApiEndpoint.del("deleteOrderLabel")`/api/v3/orders/${orderId}/meta`
    .setUrlParams(Schema.Struct({ key: DeletableKey }))
    .addSuccess(HttpApiSchema.NoContent),
  {
    ...readOrDelete,
    retry: "verify",
    verifyBy: "getOrderLabels",
    success: [204],
    errors: [400, 401, 402, 403, 409, 429],
    errorCodes: { 400: ["IncorrectRequest", "IncorrectParameter"], 409: ["FailedToUpdateMeta"] },
    notes: ["O16", "O17"]
  }
)

const setOrderSgtins = Operation.write(
  HttpApiEndpoint.put("setOrderSgtins")`/api/v3/orders/${orderId}/meta/sgtin`
    .setPayload(Schema.Struct({ sgtins: batch(Sgtin, 100) }))
    .addSuccess(HttpApiSchema.NoContent),
  { ...set, ...refusalsWith404, batch: { field: "sgtins", min: 1, max: 100 }, notes: ["O14", "O15"] }
)

const setOrderUin = Operation.write(
  HttpApiEndpoint.put("setOrderUin")`/api/v3/orders/${orderId}/meta/uin`
    .setPayload(Schema.Struct({ uin: Schema.String.pipe(Schema.length(16)) }))
    .addSuccess(HttpApiSchema.NoContent),
  { ...set, ...refusals, notes: ["O14", "O16"] }
)

const setOrderImei = Operation.write(
  HttpApiEndpoint.put("setOrderImei")`/api/v3/orders/${orderId}/meta/imei`
    /** The first IMEI only, where a device has two. */
    .setPayload(Schema.Struct({ imei: Schema.String.pipe(Schema.length(15)) }))
    .addSuccess(HttpApiSchema.NoContent),
  { ...set, ...refusals, notes: ["O14"] }
)

const setOrderGtin = Operation.write(
  HttpApiEndpoint.put("setOrderGtin")`/api/v3/orders/${orderId}/meta/gtin`
    .setPayload(Schema.Struct({ gtin: Schema.String.pipe(Schema.length(13)) }))
    .addSuccess(HttpApiSchema.NoContent),
  { ...set, ...refusals, notes: ["O14"] }
)

const setOrderExpiration = Operation.write(
  HttpApiEndpoint.put("setOrderExpiration")`/api/v3/orders/${orderId}/meta/expiration`
    /** `dd.mm.yyyy`, at least 30 days after the marketplace's date (O17). */
    .setPayload(
      Schema.Struct({
        expiration: Schema.String.pipe(
          Schema.pattern(/^\d{2}\.\d{2}\.\d{4}$/, { description: "a day as dd.mm.yyyy, such as 31.12.2027" })
        )
      })
    )
    .addSuccess(HttpApiSchema.NoContent),
  {
    ...set,
    ...refusalsWith404,
    errorCodes: { ...refusalsWith404.errorCodes, 400: ["LowExpirationDate", ...badValue] },
    notes: ["O14", "O17"]
  }
)

const setOrderCustomsDeclaration = Operation.write(
  HttpApiEndpoint.put(
    "setOrderCustomsDeclaration"
  )`/api/marketplace/v3/orders/${orderId}/meta/customs-declaration`
    .setPayload(
      Schema.Struct({
        customsDeclaration: Schema.String.pipe(Schema.minLength(17), Schema.maxLength(29))
      })
    )
    .addSuccess(HttpApiSchema.NoContent),
  { ...set, ...refusalsWith404, notes: ["O14"] }
)

export const group = HttpApiGroup.make("labels")
  .add(getOrderLabels)
  .add(deleteOrderLabel)
  .add(setOrderSgtins)
  .add(setOrderUin)
  .add(setOrderImei)
  .add(setOrderGtin)
  .add(setOrderExpiration)
  .add(setOrderCustomsDeclaration)
