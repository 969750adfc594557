/** Seed 000, "Supplies". Operations on shipping units are in `Units.ts`, records in `SupplyRecords.ts`. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OrderId, SupplyId, UnitId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, batch, flag, idIn, list, listNamed, text, whole } from "./Shapes.js"

// Records that the supply and shipping-unit operations answer with (contract `records`); one shape for all readers.

/** What every operation of the area shares. */
const area = {
  area: "supplies",
  host: "marketplace",
  tokenCategory: "marketplace",
  limitGroup: "marketplace.general",
  limits: { personal: Operation.limit("1 min", 300, 20), base: "same" },
  errorShape: "code",
  testHost: true
} as const

/** `svg`, `zplv` (vertical), `zplh` (horizontal) or `png`. */
const CodeFormat = Schema.Literal("svg", "zplv", "zplh", "png")

/**
 * Until its first order a supply has `cargoType` 0 and null `crossBorderType` and `isB2b` (field note O29);
 * `recommendedWhId` 0 means none. The last five fields are set by operations outside the contract (O20).
 */
export const Supply = Schema.Struct({
  id: SupplyId,
  name: text,
  done: flag,
  createdAt: text,
  closedAt: text,
  scanDt: text,
  cargoType: whole,
  crossBorderType: whole,
  isB2b: flag,
  isPickupPointShipmentAllowed: flag,
  destinationOfficeId: whole,
  recommendedWhId: whole,
  shippingDt: text,
  shippingPointId: whole,
  shippingType: text,
  waybillUuid: text,
  spotAvailable: flag
})

const ShippingUnit = Schema.Struct({ id: UnitId })

/** A code to print, of a supply or a unit: its value, and a base64 file in the asked format. */
const Code = Schema.Struct({ barcode: text, file: text })

const supplyId = HttpApiSchema.param("supplyId", SupplyId)
const unnamed = { ...area, errors: [400, 401, 402, 403, 429] } as const
const named = {
  ...area,
  errors: [400, 401, 402, 403, 404, 429],
  errorCodes: { 400: ["IncorrectParameter"], 404: ["NotFound"] }
} as const
/** Where the state of the supply may forbid the call. */
const conflicts = [400, 401, 402, 403, 404, 409, 429]

const createSupply = Operation.write(
  HttpApiEndpoint.post("createSupply", "/api/v3/supplies")
    .setPayload(
      Schema.Struct({
        name: Schema.optional(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(128)))
      })
    )
    .addSuccess(Schema.Struct({ id: SupplyId }), { status: 201 }),
  {
    ...unnamed,
    success: [201],
    errorCodes: { 400: ["IncorrectRequestBody"] },
    retry: "verify",
    verifyBy: "listSupplies (give each supply a unique name and look for it)",
    notes: ["O29", "T16"]
  }
)

const listSupplies = Operation.read(
  HttpApiEndpoint.get("listSupplies", "/api/v3/supplies")
    .setUrlParams(
      Schema.Struct({
        limit: idIn(Schema.Int.pipe(Schema.between(1, 1000))),
        /** 0 first, then the value of the previous answer. */
        next: idIn(Schema.Int.pipe(Schema.nonNegative()))
      })
    )
    // A list that is not named is not an empty one: a supply would be made a second time.
    .addSuccess(Schema.Struct({ next: whole, supplies: listNamed(Supply) })),
  {
    ...unnamed,
    errorCodes: { 400: ["IncorrectParameter"] },
    paging: { kind: "cursor", rows: "supplies", most: 1_000 },
    entries: Operation.apart("supplies", Supply),
    notes: ["O01", "O29"]
  }
)

const addOrdersToSupply = Operation.write(
  HttpApiEndpoint.patch("addOrdersToSupply")`/api/marketplace/v3/supplies/${supplyId}/orders`
    .setPayload(Schema.Struct({ orders: batch(OrderId, 100) }))
    .addSuccess(HttpApiSchema.NoContent),
  {
    ...named,
    success: [204],
    errors: conflicts,
    errorCodes: { ...named.errorCodes, 409: ["FailedToAddSupplyOrder"] },
    retry: "verify",
    verifyBy: "getSupplyOrderIds",
    batch: { field: "orders", min: 1, max: 100 },
    notes: ["O10", "O21"]
  }
)

const getSupply = Operation.read(
  HttpApiEndpoint.get("getSupply")`/api/v3/supplies/${supplyId}`.addSuccess(Supply),
  { ...named, notes: ["O29", "O20"] }
)

const deleteSupply = Operation.write(
  HttpApiEndpoint.del("deleteSupply")`/api/v3/supplies/${supplyId}`.addSuccess(HttpApiSchema.NoContent),
  {
    ...named,
    success: [204],
    errors: conflicts,
    errorCodes: { ...named.errorCodes, 409: ["SupplyHasOrders"] },
    retry: "verify",
    verifyBy: "getSupply answers 404",
    notes: []
  }
)

const getSupplyOrderIds = Operation.read(
  HttpApiEndpoint.get("getSupplyOrderIds")`/api/marketplace/v3/supplies/${supplyId}/order-ids`.addSuccess(
    Schema.Struct({ orderIds: listNamed(OrderId) })
  ),
  { ...named, entries: Operation.whole("a supply is handed over with all its orders"), notes: ["O08"] }
)

const deliverSupply = Operation.write(
  HttpApiEndpoint.patch("deliverSupply")`/api/v3/supplies/${supplyId}/deliver`.addSuccess(
    HttpApiSchema.NoContent
  ),
  {
    ...named,
    success: [204],
    errors: conflicts,
    errorCodes: {
      ...named.errorCodes,
      409: ["SupplyHasZeroOrders", "MetaValidationFail", "SupplyShippingRequired", "WaybillUUIDConflict"]
    },
    retry: "verify",
    verifyBy: "getSupply: done is true",
    notes: ["O18", "O20", "T09"]
  }
)

const getSupplyBarcode = Operation.read(
  HttpApiEndpoint.get("getSupplyBarcode")`/api/v3/supplies/${supplyId}/barcode`
    .setUrlParams(Schema.Struct({ type: CodeFormat }))
    .addSuccess(Code),
  {
    ...named,
    errors: conflicts,
    errorCodes: { ...named.errorCodes, 409: ["SupplyNotClosed"] },
    notes: ["O19"]
  }
)

// Seed 000, "Supplies": shipping units of a supply that goes to a pickup point. The group is in `Supplies.ts`.

const unitSupplyId = HttpApiSchema.param("supplyId", SupplyId)
const row = {
  ...area,
  errors: [400, 401, 402, 403, 404, 429],
  errorCodes: { 400: ["IncorrectParameter"], 404: ["NotFound"] }
} as const
/** The bound is stated nowhere; 100 to a call is safe (contract `batch`). */
const Units = Schema.Struct({ trbxIds: batch(UnitId, 100) })

const listShippingUnits = Operation.read(
  HttpApiEndpoint.get("listShippingUnits")`/api/v3/supplies/${unitSupplyId}/trbx`.addSuccess(
    answer({ trbxes: list(ShippingUnit) })
  ),
  {
    ...row,
    entries: Operation.whole("the units before and after are compared to find what was added"),
    notes: ["O22"]
  }
)

const addShippingUnits = Operation.write(
  HttpApiEndpoint.post("addShippingUnits")`/api/v3/supplies/${unitSupplyId}/trbx`
    .setPayload(Schema.Struct({ amount: Schema.Int.pipe(Schema.between(1, 1000)) }))
    .addSuccess(Schema.Struct({ trbxIds: list(UnitId) }), { status: 201 }),
  {
    ...row,
    success: [201],
    retry: "verify",
    verifyBy: "listShippingUnits (compare the set before and after)",
    notes: ["O22"]
  }
)

const deleteShippingUnits = Operation.write(
  /** The list goes in the body of the DELETE (field note T14). */
  HttpApiEndpoint.del("deleteShippingUnits")`/api/v3/supplies/${unitSupplyId}/trbx`
    .setPayload(Units)
    .addSuccess(HttpApiSchema.NoContent),
  {
    ...row,
    success: [204],
    retry: "verify",
    verifyBy: "listShippingUnits",
    batch: { field: "trbxIds" },
    notes: ["T14"]
  }
)

const getShippingUnitStickers = Operation.read(
  HttpApiEndpoint.post("getShippingUnitStickers")`/api/v3/supplies/${unitSupplyId}/trbx/stickers`
    .setUrlParams(Schema.Struct({ type: CodeFormat }))
    .setPayload(Units)
    .addSuccess(answer({ stickers: list(Code) })),
  { ...row, batch: { field: "trbxIds" }, entries: Operation.apart("stickers", Code), notes: ["O22"] }
)

export const group = HttpApiGroup.make("supplies")
  .add(createSupply)
  .add(listSupplies)
  .add(addOrdersToSupply)
  .add(getSupply)
  .add(deleteSupply)
  .add(getSupplyOrderIds)
  .add(deliverSupply)
  .add(getSupplyBarcode)
  .add(listShippingUnits)
  .add(addShippingUnits)
  .add(deleteShippingUnits)
  .add(getShippingUnitStickers)
