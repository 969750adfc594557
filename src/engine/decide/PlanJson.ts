/**
 * A plan as JSON (`bidhelm plan --format json`, version 2): the plan with a sentence beside each reason. The sentences are
 * for people and are made in `reporting/PlanDocument`; who reads a plan back leaves them out, so that nobody decides by
 * them, whatever a file says.
 */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Held } from "../kinds/Change.js"
import { Notice, Plan, Unchanged, Undecided } from "./Plan.js"

const words = { why: Schema.String }
const heldWords = { limit: Schema.String, over: Schema.String }

/** What is written. */
export const Document = Schema.Struct({
  ...Plan.fields,
  held: Schema.Array(Schema.Struct({ ...Held.fields, ...heldWords })),
  unknown: Schema.Array(Schema.Struct({ ...Undecided.fields, ...words })),
  unchanged: Schema.Array(Schema.Struct({ ...Unchanged.fields, ...words })),
  notices: Schema.optional(Schema.Array(Schema.Struct({ ...Notice.fields, text: Schema.String })))
})
export type Document = typeof Document.Type

/** The contract of `bidhelm plan --format json` as the text of a JSON Schema (draft 7), for other programs. */
export const schema = (): string =>
  // Schemas of anything and of nothing have an id, which may not occur twice in one document.
  JSON.stringify(
    JSONSchema.make(Document, { target: "jsonSchema7" }),
    (key, value) => (key === "$id" && String(value).startsWith("/schemas/") ? undefined : value),
    2
  )

const text = Schema.optional(Schema.String)
const optionalWords = { why: text }

/** What is read: the words may be missing. */
const Written = Schema.Struct({
  ...Document.fields,
  held: Schema.Array(Schema.Struct({ ...Held.fields, limit: text, over: text })),
  unknown: Schema.Array(Schema.Struct({ ...Undecided.fields, ...optionalWords })),
  unchanged: Schema.Array(Schema.Struct({ ...Unchanged.fields, ...optionalWords })),
  notices: Plan.fields.notices
})

type Read = (json: unknown) => Either.Either<Plan, ParseResult.ParseError>

/** To be shown. Left: what does not fit; what no plan has is passed over. */
export const read: Read = (json) => Either.map(decode(json), silent)

/** To be applied: what no plan has does not fit either. */
export const readExactly: Read = (json) => Either.map(decode(json, { onExcessProperty: "error" }), silent)

const decode = Schema.decodeUnknownEither(Written)

/** Without the words that a code stands beside. */
const silent = ({ notices, ...plan }: typeof Written.Type): Plan => ({
  ...plan,
  held: plan.held.map(({ limit: _, over: __, ...row }) => row),
  unknown: plan.unknown.map(({ why: _, ...row }) => row),
  unchanged: plan.unchanged.map(({ why: _, ...row }) => row),
  ...(notices === undefined
    ? {}
    : { notices: notices.map((notice) => (notice.because === undefined ? notice : wordless(notice))) })
})

const wordless = ({ text: _, ...notice }: Notice): Notice => notice
