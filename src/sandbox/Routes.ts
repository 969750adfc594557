/** The sandbox's routes, read from the one declaration: method, path, facts, and how a request is decoded. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Json from "../domain/Json.js"
import { MarketplaceApi } from "../services/endpoints/Api.js"
import * as Operation from "../services/Operation.js"
import { type Answer, type Refusal, refuse } from "./Answer.js"
import type * as Call from "./Call.js"
import * as Advice from "./handlers/Advice.js"
import * as Campaigns from "./handlers/Campaigns.js"
import * as Clusters from "./handlers/Clusters.js"
import * as Creation from "./handlers/Creation.js"
import * as CsvReports from "./handlers/CsvReports.js"
import * as Finance from "./handlers/Finance.js"
import * as Funnel from "./handlers/Funnel.js"
import * as Inventory from "./handlers/Inventory.js"
import * as ItemRating from "./handlers/ItemRating.js"
import * as Labels from "./handlers/Labels.js"
import * as OrderFeed from "./handlers/OrderFeed.js"
import * as Orders from "./handlers/Orders.js"
import * as Passes from "./handlers/Passes.js"
import * as Promotions from "./handlers/Promotions.js"
import * as SearchReports from "./handlers/SearchReports.js"
import * as Settings from "./handlers/Settings.js"
import * as Statistics from "./handlers/Statistics.js"
import * as Supplies from "./handlers/Supplies.js"

export interface Route {
  readonly method: string
  /** With its parameters as `:name`. */
  readonly path: string
  readonly facts: Operation.Facts
  /** Decodes a request and answers it; a refusal leaves everything as it was. */
  readonly answer: (
    context: Call.Context,
    path: string,
    query: URLSearchParams,
    body: string
  ) => Either.Either<Answer, Refusal>
}

const handlers: Call.Handlers<Call.OperationId> = {
  ...Orders.handlers,
  ...Labels.handlers,
  ...Supplies.handlers,
  ...Supplies.unitHandlers,
  ...Orders.stickerHandlers,
  ...Passes.handlers,
  ...Campaigns.handlers,
  ...Creation.handlers,
  ...Campaigns.lifecycleHandlers,
  ...Settings.handlers,
  ...Advice.handlers,
  ...Clusters.handlers,
  ...Clusters.minusHandlers,
  ...Finance.handlers,
  ...Statistics.clusterHandlers,
  ...Statistics.handlers,
  ...Promotions.handlers,
  ...Funnel.handlers,
  ...OrderFeed.handlers,
  ...SearchReports.handlers,
  ...Inventory.handlers,
  ...ItemRating.handlers,
  ...CsvReports.handlers
}

type Decode = (input: unknown) => Either.Either<unknown, ParseResult.ParseError>
/** A handler whose call was decoded elsewhere. */
export type Named = (
  call: Call.Context & { readonly path: unknown; readonly payload: unknown; readonly query: unknown }
) => Either.Either<Answer, Refusal>

/** The handler of an operation. Its call is typed by the declaration that also decodes it, under the same name. */
export const handlerOf = (id: string): Named | undefined =>
  Object.entries(handlers).find(([name]) => name === id)?.[1] as Named | undefined

/** Every route of the declaration; an operation with a second path has two. */
export const all: ReadonlyArray<Route> = read()

const templates = all.map((route) => ({ route, wanted: route.path.split("/") }))

/** What a request asks for: a route, a known path with another verb, or nothing. */
export const find = (method: string, path: string): Route | "wrong method" | undefined => {
  const exact = all.filter((route) => route.path === path)
  const found = path.split("/")
  const onPath =
    exact.length > 0
      ? exact
      : templates.flatMap(({ route, wanted }) => (parameters(wanted, found) === undefined ? [] : [route]))
  return onPath.find((route) => route.method === method) ?? (onPath.length > 0 ? "wrong method" : undefined)
}

function read(): ReadonlyArray<Route> {
  const routes: Array<Route> = []
  HttpApi.reflect(MarketplaceApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const facts = Option.getOrUndefined(Context.getOption(mergedAnnotations, Operation.Annotation))
      if (facts === undefined) return
      const handler = handlerOf(facts.id)
      if (handler === undefined) return
      const path = decoder(endpoint.pathSchema)
      const query = decoder(endpoint.urlParamsSchema)
      const payload = decoder(endpoint.payloadSchema)
      const answer: Route["answer"] = (context, asked, params, body) =>
        Either.gen(function* () {
          const named = parameters(endpoint.path.split("/"), asked.split("/")) ?? {}
          const readPath = path === undefined ? undefined : yield* Either.mapLeft(path(named), badInput)
          const readQuery = query === undefined ? undefined : yield* decodedQuery(query, params, facts)
          const readBody = payload === undefined ? undefined : yield* decodedBody(payload, body, facts)
          return yield* handler({ ...context, path: readPath, query: readQuery, payload: readBody })
        })
      for (const path of [endpoint.path, ...(facts.altPath === undefined ? [] : [facts.altPath])])
        routes.push({ method: endpoint.method, path, facts, answer })
    }
  })
  return routes
}

/** Values of a template's `:name` segments in a path, both cut at slashes; undefined where the path is another. */
const parameters = (
  wanted: ReadonlyArray<string>,
  found: ReadonlyArray<string>
): Readonly<Record<string, string>> | undefined => {
  if (wanted.length !== found.length) return undefined
  if (wanted.some((segment, i) => !segment.startsWith(":") && segment !== found[i])) return undefined
  const values: Record<string, string> = {}
  for (const [i, segment] of wanted.entries()) {
    const text = found[i] ?? ""
    const value = segment.startsWith(":") && text !== "" ? unescaped(text) : undefined
    if (value !== undefined) values[segment.slice(1)] = value
    else if (segment !== text) return undefined
  }
  return values
}

/** Undefined where the percent signs of a segment stand for no text. */
const unescaped = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function decoder(schema: Option.Option<Schema.Schema<never, unknown>>): Decode | undefined {
  return Option.isNone(schema) ? undefined : Schema.decodeUnknownEither(schema.value)
}

/** A list of one in a query looks like a single value: when that does not fit, it is read as a list. */
const decodedQuery = (
  decode: Decode,
  params: URLSearchParams,
  facts: Operation.Facts
): Either.Either<unknown, Refusal> => {
  const input: Record<string, string | Array<string>> = {}
  for (const key of new Set(params.keys())) {
    const values = params.getAll(key)
    input[key] = values.length === 1 ? (values[0] as string) : values
  }
  const field = facts.batch?.field ?? ""
  const single = decode(input)
  const one = input[field]
  if (Either.isRight(single) || typeof one !== "string") return Either.mapLeft(single, badInput)
  return Either.orElse(decode({ ...input, [field]: [one] }), () => Either.mapLeft(single, badInput))
}

/** An unreadable body is 400, and 422 where the operation tells the two apart (contract "Errors", rename). */
const decodedBody = (
  decode: Decode,
  body: string,
  facts: Operation.Facts
): Either.Either<unknown, Refusal> => {
  const unreadable = refuse(facts.id === "renameCampaign" ? 422 : 400, "the body is not readable JSON")
  return Either.flatMap(
    Either.mapLeft(Json.read(body), () => unreadable),
    (json) => Either.mapLeft(decode(json), badInput)
  )
}

const badInput = (error: ParseResult.ParseError): Refusal => {
  const issue = ParseResult.ArrayFormatter.formatErrorSync(error)[0]
  const where = issue === undefined || issue.path.length === 0 ? "request" : issue.path.join(".")
  return refuse(400, `invalid ${where}: ${issue?.message ?? "not as documented"}`)
}
