/** Seed 000, "Supplies": shipping units of a supply that goes to a pickup point. The group is in `Supplies.ts`. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { SupplyId, UnitId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { batch, list, orEmpty } from "./Shapes.js"
import { area, Code, CodeFormat, ShippingUnit } from "./SupplyRecords.js"

const supplyId = HttpApiSchema.param("supplyId", SupplyId)
const row = {
  ...area,
  errors: [400, 401, 402, 403, 404, 429],
  errorCodes: { 400: ["IncorrectParameter"], 404: ["NotFound"] }
} as const
/** The bound is stated nowhere; 100 to a call is safe (contract `batch`). */
const Units = Schema.Struct({ trbxIds: batch(UnitId, 100) })

export const listShippingUnits = Operation.read(
  HttpApiEndpoint.get("listShippingUnits")`/api/v3/supplies/${supplyId}/trbx`.addSuccess(
    orEmpty(Schema.Struct({ trbxes: list(ShippingUnit) }), {})
  ),
  {
    ...row,
    entries: Operation.whole("the units before and after are compared to find what was added"),
    notes: ["O22"]
  }
)

export const addShippingUnits = Operation.write(
  HttpApiEndpoint.post("addShippingUnits")`/api/v3/supplies/${supplyId}/trbx`
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

export const deleteShippingUnits = Operation.write(
  /** The list goes in the body of the DELETE (field note T14). */
  HttpApiEndpoint.del("deleteShippingUnits")`/api/v3/supplies/${supplyId}/trbx`
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

export const getShippingUnitStickers = Operation.read(
  HttpApiEndpoint.post("getShippingUnitStickers")`/api/v3/supplies/${supplyId}/trbx/stickers`
    .setUrlParams(Schema.Struct({ type: CodeFormat }))
    .setPayload(Units)
    .addSuccess(orEmpty(Schema.Struct({ stickers: list(Code) }), {})),
  { ...row, batch: { field: "trbxIds" }, entries: Operation.apart("stickers", Code), notes: ["O22"] }
)
