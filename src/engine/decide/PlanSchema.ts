/** The contract of `bidhelm plan --format json` as a JSON Schema (draft 7), for other programs. */
import * as JSONSchema from "effect/JSONSchema"
import { Document } from "./PlanJson.js"

export const make = (): JSONSchema.JsonSchema7Root => JSONSchema.make(Document, { target: "jsonSchema7" })
