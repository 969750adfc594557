/** The contract of `bidhelm plan --format json` as a JSON Schema (draft 7), for other programs. */
import * as JSONSchema from "effect/JSONSchema"
import { Plan } from "./Plan.js"

export const make = (): JSONSchema.JsonSchema7Root => JSONSchema.make(Plan, { target: "jsonSchema7" })
