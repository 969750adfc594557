/** Calling an operation by its id with plain text and JSON, as `bidhelm call` does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Answer from "./Answer.js"
import type { Entry } from "./Catalogue.js"
import { local, Refused } from "./MarketplaceError.js"

/** Query as it stands in an address, body as JSON. */
export interface Input {
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body?: unknown
}

/** The typed request of an operation out of plain input, or what is wrong with it. Nothing unknown is let through. */
export const request = Effect.fnUntraced(function* (entry: Entry, input: Input) {
  const { urlParamsSchema, payloadSchema } = entry.endpoint
  const query = yield* part(
    entry,
    "query",
    urlParamsSchema,
    (ast) => repeated(ast, input.query ?? {}),
    input.query
  )
  const payload = yield* part(entry, "body", payloadSchema, () => input.body, input.body)
  return { ...query("urlParams"), ...payload("payload") }
})

const part = Effect.fnUntraced(function* (
  entry: Entry,
  name: "query" | "body",
  schema: Option.Option<Schema.Schema<never, unknown>>,
  value: (ast: AST.AST) => unknown,
  given: unknown
) {
  if (Option.isNone(schema)) {
    if (given === undefined || Object.keys(Object(given)).length === 0) return () => ({})
    return yield* new Refused(local(entry.id, `takes no ${name}; leave it out`))
  }
  const decoded: unknown = yield* Schema.decodeUnknown(schema.value, { onExcessProperty: "error" })(
    value(schema.value.ast)
  ).pipe(
    Effect.mapError(
      (error) =>
        new Refused(
          local(
            entry.id,
            `the ${name} is not right: ${Answer.brief(ParseResult.TreeFormatter.formatErrorSync(error))}`
          )
        )
    )
  )
  return (key: string) => ({ [key]: decoded })
})

/** A parameter that may be repeated reads a single value as a list of one. */
const repeated = (ast: AST.AST, query: NonNullable<Input["query"]>) => {
  const lists = new Set(
    AST.getPropertySignatures(AST.encodedAST(ast))
      .filter((property) => AST.isTupleType(property.type))
      .map((property) => property.name)
  )
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      lists.has(name) && typeof value === "string" ? value.split(",") : value
    ])
  )
}
