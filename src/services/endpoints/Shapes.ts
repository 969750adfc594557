/**
 * Building blocks of the wire schemas: strict in what is asked, tolerant in what is answered (field notes M03, M15,
 * T15, T19, T22). Unknown fields are ignored and unknown codes stay text or numbers.
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Days from "../../domain/Days.js"

/** A field of an answer that may be missing or null; both read as absent. */
export const maybe = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { nullable: true })

/** A list in an answer: missing and null read as empty. */
export const list = <A, I, R>(item: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(Schema.Array(item), { nullable: true, default: () => [] })

/** A list that an answer must name, because its absence would be acted on; null reads as empty (M03). */
export const listNamed = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.transform(Schema.NullOr(Schema.Array(item)), Schema.Array(Schema.typeSchema(item)), {
    strict: true,
    decode: (rows) => rows ?? [],
    encode: (rows) => rows
  })

/** As `list`, absent where the answer does not name it: an absence that would be acted on as if it were empty. */
export const listIfNamed = <A, I>(item: Schema.Schema<A, I>) => Schema.optional(listNamed(item))

/** A whole answer that may be null or missing, which both read as `empty`. */
export const orEmpty = <A, I, R>(schema: Schema.Schema<A, I, R>, empty: NoInfer<I>) =>
  orElse(schema, Schema.Null, empty)

/** A whole answer of fields that may all be absent; null and nothing read as one without any. */
export const answer = <F extends Schema.Struct.Fields>(
  fields: F & (object extends Schema.Struct.Encoded<F> ? unknown : never)
) => {
  const schema = Schema.Struct<F>(fields)
  return orEmpty(schema, {} as typeof schema.Encoded)
}

/** An answer whose `data` may be null or missing, as may the whole of it (A18, A19). */
export const underData = <A, I>(data: Schema.Schema<A, I>) =>
  orEmpty(Schema.Struct({ data: maybe(data) }), {})

/** As `orEmpty`, for any `other` body that stands for no data. The usual shape is tried first, and once. */
export const orElse = <A, I, R, O>(
  schema: Schema.Schema<A, I, R>,
  other: Schema.Schema<O>,
  empty: NoInfer<I>
) =>
  Schema.Union(
    schema,
    Schema.transformOrFail(Schema.encodedSchema(other), Schema.typeSchema(schema), {
      strict: false,
      decode: () => ParseResult.decode(schema)(empty),
      encode: () => ParseResult.succeed(null)
    })
  )

/** A whole answer that is a list; null, nothing and 204 read as no rows. */
export const rows = <A, I>(item: Schema.Schema<A, I>) => orEmpty(Schema.Array(item), [])

/** Fields of an answer that nearly every record shares. */
export const text = maybe(Schema.String)
export const whole = maybe(Schema.Int)
export const number = maybe(Schema.Finite)
export const flag = maybe(Schema.Boolean)

/** A list in a request with at least one entry and at most `max`. */
export const batch = <A, I, R>(item: Schema.Schema<A, I, R>, max: number) =>
  upTo(item, max).pipe(Schema.minItems(1))

/** A list in a request that may also be empty. */
export const upTo = <A, I, R>(item: Schema.Schema<A, I, R>, max: number) =>
  Schema.Array(item).pipe(Schema.maxItems(max))

/** As `batch`, and nothing may be named twice. */
export const distinct = <A, I, R>(item: Schema.Schema<A, I, R>, max: number) =>
  batch(item, max).pipe(
    Schema.filter((items) => new Set(items).size === items.length || "each may be named once")
  )

/** `YYYY-MM-DD`. */
export const Day = Schema.String.pipe(
  Schema.filter((text) => Days.parse(text) !== undefined || `"${text}" is not a day; write YYYY-MM-DD`, {
    jsonSchema: {}
  }),
  Schema.fromBrand(Days.Day)
).annotations({
  description: "a day as YYYY-MM-DD",
  jsonSchema: { pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
  arbitrary: () => (fc) =>
    fc.integer({ min: 18_000, max: 22_000 }).map((day) => Days.shift(Days.Day("1970-01-01"), day))
})

/** A number in a query. */
export const idIn = <A extends number>(schema: Schema.Schema<A, number>) =>
  Schema.compose(Schema.NumberFromString, schema)

/** `1,2,3` in a query, at least one and at most `max`. */
export const commaList = <A extends number>(schema: Schema.Schema<A, number>, max: number) =>
  Schema.compose(Schema.split(","), batch(idIn(schema), max))

/** True when both days are given in order and the range counts at most `maxDays`, both ends included. */
export const spanWithin = (from: Days.Day, to: Days.Day, maxDays: number): true | string => {
  const days = Days.length({ from, to })
  return (
    (days >= 1 && days <= maxDays) || `from ${from} to ${to} is ${days} days; allowed are 1 to ${maxDays}`
  )
}
