/**
 * Bodies of refusals as the marketplace documents them, by operation and status. They feed the OpenAPI text and the
 * sandbox; the client never decodes by them, because a status may carry any body (field note T10).
 */

import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { Host } from "./Host.js"

const text = Schema.optional(Schema.String)
const number = Schema.optional(Schema.Number)

/** `{title, detail, code, requestId, origin, status, statusText, timestamp}`: 401, 402, 403 and 429 everywhere. */
const Problem = Schema.Struct({
  title: text,
  detail: text,
  code: text,
  requestId: text,
  origin: text,
  status: number,
  statusText: text,
  timestamp: text
})

const shapes = {
  /** Cluster, placement and bid operations. */
  problem: Schema.Struct({
    detail: text,
    origin: text,
    request_id: text,
    status: number,
    title: text
  }),
  /** delete, start, pause, stop, deposit. */
  error: Schema.Struct({ error: Schema.String }),
  /** A bare JSON string: createCampaign, getBalance, getPaymentHistory. */
  string: Schema.String,
  /** Plain text, no JSON. */
  text: HttpApiSchema.Text(),
  /** getCampaignStats. */
  fields: Schema.Struct({
    errors: Schema.optional(Schema.Array(Schema.Struct({ detail: text, field: text }))),
    detail: text,
    origin: text,
    request_id: text,
    status: number,
    title: text,
    type: text
  }),
  /** Marketplace host: 400, 403, 404, 409. `code` and `data` may be missing (not-shown §3.1). */
  code: Schema.Struct({ code: text, message: text, data: Schema.optional(Schema.Unknown) }),
  /** 400 of the order archive. */
  archive: Schema.Struct({
    title: text,
    detail: text,
    code: text,
    errors: Schema.optional(
      Schema.Array(Schema.Struct({ location: text, message: text, value: Schema.optional(Schema.Unknown) }))
    ),
    requestId: text,
    origin: text,
    status: number
  }),
  /** 400 and 403 of the analytics host, and its daily quota (429). */
  detail: Schema.Struct({ title: text, detail: text, requestId: text, origin: text }),
  /** 402. */
  title: Schema.Struct({ title: text, detail: text }),
  /** Promo calendar. */
  errorText: Schema.Struct({ errorText: Schema.String }),
  /** No body at all. */
  none: Schema.Void
} as const

/** Shape of a refusal's body. */
export type Shape = keyof typeof shapes | "problem8"

/** Shape of a documented status (not-shown §3.1); `of400` is what the operation declares. */
export const shapeOf = (status: number, of400: Shape, host: Host): Shape => {
  switch (status) {
    case 400:
      return of400
    case 402:
      return "title"
    case 403:
      return host === "marketplace" ? "code" : host === "analytics" ? "detail" : "problem8"
    case 404:
      return host === "marketplace" ? "code" : "none"
    case 409:
      return "code"
    case 422:
      return host === "calendar" ? "errorText" : "text"
    default:
      return "problem8"
  }
}

/** One schema for all documented refusals of an operation, each member bound to its status. */
export const union = (statuses: ReadonlyArray<number>, of400: Shape, host: Host): Schema.Schema<unknown> =>
  Schema.Union(...statuses.map((status) => withStatus(shapeOf(status, of400, host), status)))

/** Schema of a refusal's body. */
export const schemaOf = (shape: Shape): Schema.Schema.AnyNoContext =>
  shape === "problem8" ? Problem : shapes[shape]

const withStatus = (shape: Shape, status: number): Schema.Schema.AnyNoContext =>
  schemaOf(shape).annotations({ identifier: names[shape], ...HttpApiSchema.annotations({ status }) })

/** Names in the OpenAPI document, so that a shape stands there once. */
const names: Readonly<Record<Shape, string>> = {
  problem: "RequestProblem",
  error: "ErrorText",
  string: "ErrorString",
  text: "ErrorPlainText",
  fields: "FieldProblems",
  code: "CodedRefusal",
  archive: "ArchiveProblem",
  detail: "DetailProblem",
  title: "TitleProblem",
  errorText: "CalendarError",
  none: "NoBody",
  problem8: "Problem"
}
