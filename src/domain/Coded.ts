/**
 * Reasons as codes with typed fields: how one is declared, and when two say the same. The program decides by the code and
 * its fields; sentences are made of them in `reporting`, and nothing compares those.
 */
import * as Schema from "effect/Schema"
import * as TextOrder from "./TextOrder.js"

/** What every reason has: the code names its fields. */
export interface Coded {
  readonly code: string
}

/** A reason: its code with its fields. */
export const coded = <C extends string, F extends Schema.Struct.Fields>(code: C, fields: F) =>
  Schema.Struct({ code: Schema.Literal(code), ...fields })

/** Equal for reasons of one code with equal fields. */
export const key = (reason: Coded): string => JSON.stringify(sorted(reason))

/** Equal for reasons that differ in numbers alone: amounts, counts, instants. */
export const keyWithoutNumbers = (reason: Coded): string =>
  JSON.stringify(sorted(reason), (_, value) => (typeof value === "number" ? 0 : value))

/** The same data with the names of records in their order. */
const sorted = (value: unknown): unknown =>
  typeof value !== "object" || value === null
    ? value
    : Array.isArray(value)
      ? value.map(sorted)
      : Object.fromEntries(
          Object.entries(value)
            .sort(TextOrder.byKey)
            .map(([name, one]) => [name, sorted(one)])
        )
