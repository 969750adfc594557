/** From `--params` to the request of an operation: the flat names of the documentation, sorted into their places. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Json from "../../domain/Json.js"
import * as Source from "../../engine/language/yaml/Source.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import type { Entry } from "../../services/Catalogue.js"

type Place = "path" | "urlParams" | "payload"
const places: ReadonlyArray<Place> = ["path", "urlParams", "payload"]

export type Request = Readonly<Partial<Record<Place, unknown>>>

/** Names of an operation's parameters by place, for `--list`; `payload` alone when its body is a list. */
export const parameters = (entry: Entry): ReadonlyArray<string> =>
  places.flatMap((place) => {
    const schema = schemaOf(entry, place)
    if (schema === undefined) return []
    const keys = keysOf(schema.ast)
    return keys.length > 0 ? keys : [place]
  })

/**
 * Reads the JSON of `--params`. Left: one message of all that is wrong, and where. `defaults` are flat parameters that
 * stand in where none was given.
 */
export const read = (
  entry: Entry,
  params: string | undefined,
  defaults: Readonly<Record<string, unknown>> = {}
): Either.Either<Request, string> =>
  Either.gen(function* () {
    const json = yield* params === undefined
      ? Either.right({})
      : Either.flatMap(
          Either.mapLeft(Json.read(params), (why) => `--params is ${why}`),
          unlessChanged(params)
        )
    const sorted = yield* split(entry, json)
    const parts = filled(entry, sorted.parts, defaults)
    const request: Partial<Record<Place, unknown>> = {}
    const problems = [...sorted.strangers]
    for (const place of places) {
      const schema = schemaOf(entry, place)
      if (schema === undefined) continue
      const found =
        place === "payload"
          ? decode(schema, parts[place], place)
          : Either.orElse(decode(schema, parts[place], place, asText), (problem) =>
              Either.mapLeft(
                decode(schema, parts[place], place, (given) => asText(given, ",")),
                () => problem
              )
            )
      if (Either.isRight(found)) request[place] = found.right
      else problems.push(found.left)
    }
    return problems.length === 0 ? request : yield* Either.left(problems.join("\n"))
  })

/** JSON takes the last of two keys of one name, and rounds long numbers; whoever wrote them meant something else. */
const unlessChanged =
  (params: string) =>
  (json: unknown): Either.Either<unknown, string> => {
    const numbers = params.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/(?<![\d.])\d{16,}(?![\d.eE])/g) ?? []
    const rounded = numbers.find(isInexact)
    if (rounded !== undefined) return Either.left(`--params: ${inexact(rounded)}`)
    const twice = Yaml.parse(Source.make("--params", params))
      .problems.list()
      .filter(({ code }) => code === "Y13")
    return twice.length === 0
      ? Either.right(json)
      : Either.left(`--params: ${twice.map(({ message }) => message).join(" ")}`)
  }

type AnySchema = Schema.Schema<unknown, unknown>

const schemaOf = (entry: Entry, place: Place): AnySchema | undefined => {
  const { pathSchema, payloadSchema, urlParamsSchema } = entry.endpoint
  const schema = { path: pathSchema, urlParams: urlParamsSchema, payload: payloadSchema }[place]
  return Option.getOrUndefined(schema) as AnySchema | undefined
}

const decode = (
  schema: AnySchema,
  given: unknown,
  place: Place,
  spelt: (given: unknown) => unknown = (same) => same
): Either.Either<unknown, string> =>
  Schema.decodeUnknownEither(schema)(spelt(given) ?? {}, { errors: "all", onExcessProperty: "error" }).pipe(
    Either.mapLeft((error) => {
      const found = new Map<string, { readonly path: ReadonlyArray<PropertyKey>; messages: Array<string> }>()
      for (const { message, path } of ParseResult.ArrayFormatter.formatErrorSync(error)) {
        // What may be left out is told as what it is when it is there.
        if (message.startsWith("Expected undefined,")) continue
        const name = path.length === 0 ? place : path.map(String).join(".")
        const known = found.get(name)
        if (known === undefined) found.set(name, { path, messages: [message] })
        else known.messages.push(message)
      }
      return [...found]
        .map(([name, { messages, path }]) => `${name}: ${inWords(messages, valueAt(given, path))}`)
        .join("\n")
    })
  )

const valueAt = (given: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => (Predicate.hasProperty(value, key) ? value[key] : undefined), given)

/** What one argument may be, of which the library says each possibility in its own words, and what was given. */
const inWords = (messages: ReadonlyArray<string>, given: unknown): string => {
  const [, shape, actual] = /^Expected (\{|ReadonlyArray<).*, actual (.*)$/s.exec(messages[0] ?? "") ?? []
  if (shape !== undefined) return `must be ${shape === "{" ? "an object" : "a list"}, and is ${actual}`
  const isRounded = messages.some((message) => message.startsWith("Expected an integer"))
  if (isRounded && typeof given === "string" && /^\d{16,}$/.test(given)) return inexact(given)
  const wanted = messages.flatMap((message) => {
    const [, allowed, was] = expected.exec(message) ?? expected.exec(decoded(message)) ?? []
    return allowed === undefined ? [] : [{ allowed: words[allowed] ?? allowed, was }]
  })
  const last = wanted.at(-1)
  if (last === undefined || wanted.length < messages.length) return messages.join("; ")
  const others = wanted.slice(0, -1).map(({ allowed }) => allowed)
  const allowed = [...(others.length === 0 ? [] : [others.join(", ")]), last.allowed].join(" or ")
  return `${allowed}, not ${given === undefined ? last.was : JSON.stringify(given)}`
}

const expected = /^Expected (.*), actual (.*)$/s

const decoded = (message: string): string =>
  message.replace(/^Unable to decode (.*) into a number$/s, "Expected a number, actual $1")

const words: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false"
}

const isInexact = (digits: string): boolean => !Number.isSafeInteger(Number(digits))

const inexact = (digits: string): string =>
  `${digits} is beyond ${Number.MAX_SAFE_INTEGER}, up to which numbers are exact; check its digits`

/**
 * `{path, urlParams, payload}` is taken as it is; other names go where the operation declares them. `strangers` tells those that it
 * does not.
 */
const split = (
  entry: Entry,
  json: unknown
): Either.Either<{ readonly parts: Request; readonly strangers: ReadonlyArray<string> }, string> => {
  if (Array.isArray(json))
    return schemaOf(entry, "payload") === undefined
      ? Either.left(`--params must be a JSON object: ${entry.id} has no body that could be a list`)
      : Either.right({ parts: { payload: json }, strangers: [] })
  if (typeof json !== "object" || json === null) return Either.left("--params must be a JSON object or list")
  const known = parameters(entry).join(", ") || "none"
  const keys = Object.keys(json)
  if (keys.length > 0 && keys.every((key) => places.some((place) => place === key))) {
    const lacking = places.filter((place) => keys.includes(place) && schemaOf(entry, place) === undefined)
    const strangers =
      lacking.length === 0 ? [] : [`${entry.id} has no ${lacking.join(", no ")}; it has ${known}`]
    return Either.right({ parts: json, strangers })
  }
  const parts: Record<Place, Record<string, unknown>> = { path: {}, urlParams: {}, payload: {} }
  const unknown: Array<string> = []
  for (const [key, value] of Object.entries(json)) {
    const place = places.find((candidate) => {
      const schema = schemaOf(entry, candidate)
      return schema !== undefined && keysOf(schema.ast).includes(key)
    })
    if (place === undefined) unknown.push(key)
    else parts[place][key] = value
  }
  const strangers =
    unknown.length === 0 ? [] : [`${entry.id} has no parameter ${unknown.join(", ")}; it has ${known}`]
  return Either.right({ parts, strangers })
}

const filled = (entry: Entry, parts: Request, defaults: Readonly<Record<string, unknown>>): Request => {
  if (Object.keys(defaults).length === 0) return parts
  const [stand] = places.flatMap((place) => {
    const schema = schemaOf(entry, place)
    const known = schema === undefined ? [] : keysOf(schema.ast)
    return Object.keys(defaults).every((key) => known.includes(key)) ? [place] : []
  })
  if (stand === undefined) return parts
  const given = parts[stand]
  return { ...parts, [stand]: { ...defaults, ...(typeof given === "object" ? given : {}) } }
}

/** Paths and queries carry text; a person writes numbers and lists. With `joint`, a list becomes one text. */
const asText = (value: unknown, joint?: string): unknown => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) return joint === undefined ? value.map((v) => asText(v)) : value.join(joint)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asText(inner, joint)]))
}

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.map((property) => String(property.name))
    case "Refinement":
    case "Transformation":
      return keysOf(ast.from)
    case "Union":
      return [...new Set(ast.types.flatMap(keysOf))]
    default:
      return []
  }
}

/** An answer in the wire's spelling, as the documentation has it; what cannot be spelt is given as it is. */
export const spelt = (entry: Entry): ((answer: unknown) => unknown) => {
  const encode = Schema.encodeUnknownOption(entry.endpoint.successSchema as Schema.Schema<unknown, unknown>)
  return (answer) => Option.getOrElse(encode(answer), () => answer)
}
