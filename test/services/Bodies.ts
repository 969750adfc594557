/** Bodies of answers as a marketplace might send them: whole, surprising, broken, refusing. Same seed, same bodies. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type { Entry } from "../../src/services/Catalogue.js"
import * as ErrorBody from "../../src/services/ErrorBody.js"

// Small lists: what matters is their fields, and a thousand bodies for each of ninety operations take long enough.
fc.configureGlobal({ baseSize: "xsmall" })

export interface Body {
  readonly status: number
  readonly body: string
}

const sample = <A>(arbitrary: fc.Arbitrary<A>, count: number, seed: number): ReadonlyArray<A> =>
  fc.sample(arbitrary, { numRuns: count, seed })

/** Answers the declaration can describe, as the wire spells them. */
export const answers = (entry: Entry, count: number, seed: number): ReadonlyArray<unknown> => {
  const schema: Schema.Schema.AnyNoContext = entry.endpoint.successSchema
  const encode = Schema.encodeSync(schema)
  return sample(Arbitrary.make(schema), count, seed).map((value) => encode(value))
}

/** Adds fields nobody declared to every record (field note T19). */
export const surprised = (value: unknown, surprise: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => surprised(item, surprise))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(([key, inner]) => [key, surprised(inner, surprise)])
  return { ...Object.fromEntries(fields), unheardOf: surprise }
}

/** Anything JSON can hold. */
export const anything = fc.jsonValue({ maxDepth: 2 })

// Made once: fast-check counts every sign there is for each text of any signs.
const page = fc
  .tuple(fc.constantFrom("<!DOCTYPE html>", "<html>", " <HTML><head>", "<?xml version='1'?>"), fc.string())
  .map(([start, rest]) => start + rest)
const other = anything.map((value) => JSON.stringify(value))
const garbage = fc.string({ unit: "binary" })

/** Half bodies, pages, other JSON, and one value replaced by another anywhere. */
export const broken = (whole: ReadonlyArray<unknown>, count: number, seed: number): ReadonlyArray<string> => {
  const texts = whole.map((value) => JSON.stringify(value ?? null))
  const oneOf = fc.constantFrom(...texts)
  const cut = fc
    .tuple(oneOf, fc.double({ min: 0, max: 0.999, noNaN: true }))
    .map(([text, share]) => text.slice(0, Math.floor(text.length * share)))
  const replaced = fc
    .tuple(fc.constantFrom(...whole), fc.nat(), anything)
    .map(([value, at, instead]) => JSON.stringify(replacedAt(value ?? null, at, instead)))
  return sample(fc.oneof(cut, page, other, replaced, garbage), count, seed)
}

/** Replaces one value of a tree, chosen by number. */
const replacedAt = (value: unknown, at: number, instead: unknown): unknown => {
  if (typeof value !== "object" || value === null) return instead
  const keys = Object.keys(value)
  const key = keys[at % (keys.length + 1)]
  if (key === undefined) return instead
  const inner = (value as Record<string, unknown>)[key]
  const changed = replacedAt(inner, Math.floor(at / (keys.length + 1)), instead)
  return Array.isArray(value)
    ? value.map((item, i) => (String(i) === key ? changed : item))
    : { ...value, [key]: changed }
}

/** A whole answer without one of its fields, and where that stood, for every field of it. */
export const lacking = (
  value: unknown,
  above: ReadonlyArray<string> = []
): ReadonlyArray<{ readonly body: unknown; readonly path: string }> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...above, key]
    const put = (body: unknown) =>
      Array.isArray(value)
        ? value.map((item, i) => (String(i) === key ? body : item))
        : { ...value, [key]: body }
    const { [key]: _, ...rest } = value as Readonly<Record<string, unknown>>
    const own = Array.isArray(value) ? [] : [{ body: rest as unknown, path: path.join(".") }]
    return [...own, ...lacking(inner, path).map(({ body, path }) => ({ body: put(body), path }))]
  })
}

/** The single values of an answer, each with its place. A list or a record without any says nothing. */
export const leaves = (value: unknown, above = ""): ReadonlyArray<string> => {
  if (value === undefined || value === null) return []
  return typeof value === "object" && !(value instanceof Date)
    ? Object.entries(value).flatMap(([key, one]) => leaves(one, above === "" ? key : `${above}.${key}`))
    : [`${above} = ${String(value)}`]
}

/** Every documented refusal in its documented shape, and refusals nobody documented. */
export const refusals = (entry: Entry, count: number, seed: number): ReadonlyArray<Body> => {
  const documented = entry.errors.map((status) =>
    documentedBody(entry, status).map((body) => ({ status, body }))
  )
  const undocumented = fc
    .tuple(fc.integer({ min: 400, max: 499 }), anything)
    .map(([status, value]) => ({ status, body: JSON.stringify(value) }))
  const page = fc.constantFrom({ status: 404, body: "path not found" }, { status: 403, body: "" })
  return sample(fc.oneof(...documented, undocumented, page), count, seed)
}

const texts = new Set<ErrorBody.Shape>(["text", "none"])

const documentedBody = (entry: Entry, status: number): fc.Arbitrary<string> => {
  const shape = ErrorBody.shapeOf(status, entry.errorShape, entry.host)
  if (texts.has(shape)) return shape === "none" ? fc.constant("") : fc.string()
  const codes = entry.errorCodes?.[status] ?? ["IncorrectRequest"]
  return fc
    .tuple(Arbitrary.make(ErrorBody.schemaOf(shape)), fc.constantFrom(...codes))
    .map(([body, code]) =>
      JSON.stringify(shape === "code" ? { ...(body as object), code, message: "as documented" } : body)
    )
}
