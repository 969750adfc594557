/** Seed 000, "Passes": they admit a vehicle to a platform warehouse for 48 hours. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { OfficeId, PassId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { idIn, maybe, rows, text } from "./Shapes.js"

const area = {
  area: "passes",
  host: "marketplace",
  tokenCategory: "marketplace",
  limitGroup: "marketplace.general",
  limits: { personal: Operation.limit("1 min", 300, 20), base: "same" },
  errors: [401, 402, 403, 429],
  errorShape: "code",
  testHost: true
} as const
const passId = HttpApiSchema.param("passId", idIn(PassId))

const Name = Schema.String.pipe(Schema.minLength(1))

/** What a pass says of driver and car (seed 000 "Pass"); first and last name count 6 to 100 characters together. */
export const PassBody = Schema.Struct({
  firstName: Name,
  lastName: Name,
  carModel: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(100)),
  carNumber: Schema.String.pipe(
    Schema.pattern(/^[\p{L}\p{Nd}]{6,9}$/u, { description: "6 to 9 letters and digits, such as А123ВС777" })
  ),
  officeId: OfficeId
}).pipe(
  Schema.filter(({ firstName, lastName }) => {
    const length = firstName.length + lastName.length
    return (
      (length >= 6 && length <= 100) ||
      `first and last name together are ${length} characters; allowed are 6 to 100`
    )
  })
)

/** An office that asks for a pass; the list changes (not-shown §4.2). */
const PassOffice = Schema.Struct({ id: OfficeId, name: text, address: text })

/** `dateEnd` has a space where others have T, and an offset (field note O09). */
export const PassRecord = Schema.Struct({
  id: PassId,
  firstName: text,
  lastName: text,
  carModel: text,
  carNumber: text,
  officeId: maybe(OfficeId),
  officeName: text,
  officeAddress: text,
  dateEnd: text
})

const listPassOffices = Operation.read(
  HttpApiEndpoint.get("listPassOffices", "/api/v3/passes/offices").addSuccess(rows(PassOffice)),
  { ...area, entries: Operation.apart("", PassOffice), notes: ["O24"] }
)

const listPasses = Operation.read(
  HttpApiEndpoint.get("listPasses", "/api/v3/passes").addSuccess(rows(PassRecord)),
  { ...area, entries: Operation.apart("", PassRecord), notes: ["O24"] }
)

const createPass = Operation.write(
  HttpApiEndpoint.post("createPass", "/api/v3/passes")
    .setPayload(PassBody)
    .addSuccess(Schema.Struct({ id: PassId }), { status: 201 }),
  {
    ...area,
    limitGroup: "marketplace.passCreate",
    limits: { personal: Operation.limit("10 min", 1, 1), base: "same" },
    success: [201],
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 400: ["IncorrectRequestBody"], 404: ["NotFound"] },
    retry: "verify",
    verifyBy: "listPasses (same names, car number and office)",
    notes: ["O24"]
  }
)

const updatePass = Operation.write(
  HttpApiEndpoint.put("updatePass")`/api/v3/passes/${passId}`
    .setPayload(PassBody)
    .addSuccess(HttpApiSchema.NoContent),
  {
    ...area,
    success: [204],
    errors: [400, 401, 402, 403, 404, 429],
    errorCodes: { 400: ["IncorrectRequestBody", "WarehouseNameInvalid"], 404: ["NotFound"] },
    retry: "verify",
    verifyBy: "listPasses",
    notes: ["O24"]
  }
)

const deletePass = Operation.write(
  HttpApiEndpoint.del("deletePass")`/api/v3/passes/${passId}`.addSuccess(HttpApiSchema.NoContent),
  {
    ...area,
    success: [204],
    errors: [401, 402, 403, 404, 429],
    errorCodes: { 404: ["NotFound"] },
    retry: "verify",
    verifyBy: "listPasses",
    notes: []
  }
)

export const group = HttpApiGroup.make("passes")
  .add(listPassOffices)
  .add(listPasses)
  .add(createPass)
  .add(updatePass)
  .add(deletePass)
