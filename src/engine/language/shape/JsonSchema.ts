/** The JSON Schemas of rule files, made from the declarations the loader checks with. */
import * as JSONSchema from "effect/JSONSchema"
import { Facts, FulfilmentPolicy, Limits, Policy, Templates, Vars } from "./Schema.js"

/** The JSON Schema (draft-07) editors use for completion and hover, chosen by the keys a file has. */
export const print = (which: keyof typeof files): string => {
  const { make, title } = files[which]
  return `${JSON.stringify(oneAction({ ...make(), title: `${title}, version 1` }), null, 2)}\n`
}

/** `do: optimise`, which says itself when to act. */
const optimises = { properties: { do: { required: ["optimise"] } }, required: ["do"] }

/** Said with a condition, so that an editor names the missing key instead of two alternatives. */
const whatIsMissing = {
  if: { not: { required: ["use"] } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word, never awaited
  then: {
    required: ["each"],
    if: { not: { anyOf: [{ required: ["rules"] }, { required: ["during"] }, optimises] } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word, never awaited
    then: { required: ["when", "do"] }
  }
}

/** A template may give the rows, and the rest of what a policy needs. */
const policy = () => ({ ...JSONSchema.make(Policy), required: ["version", "name"], ...whatIsMissing })

const files = {
  policy: { make: policy, title: "Bidhelm policy" },
  limits: { make: () => JSONSchema.make(Limits), title: "Bidhelm limits" },
  vars: { make: () => JSONSchema.make(Vars), title: "Bidhelm variables" },
  templates: { make: () => JSONSchema.make(Templates), title: "Bidhelm templates" },
  facts: { make: () => JSONSchema.make(Facts), title: "Bidhelm own facts" },
  fulfilment: { make: () => JSONSchema.make(FulfilmentPolicy), title: "Bidhelm fulfilment policy" }
}

/** Exactly one action: a map of optional actions says it without a pile of alternatives. */
const oneAction = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(oneAction)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, oneAction(inner)] as const)
  const isAction = entries.some(
    ([key, inner]) =>
      key === "properties" && typeof inner === "object" && inner !== null && "raise_bid" in inner
  )
  return Object.fromEntries(isAction ? [...entries, ["minProperties", 1], ["maxProperties", 1]] : entries)
}
