/** The operations as a list, read from their declarations: for the `call` command, the docs and OpenAPI. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { MarketplaceApi } from "./endpoints/Api.js"
import * as Operation from "./Operation.js"

/** An operation's facts, and its place in HTTP. */
export interface Entry extends Operation.Facts {
  readonly method: HttpMethod
  /** As the contract writes it: `/api/v3/orders/{orderId}/cancel`. */
  readonly path: string
  readonly endpoint: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod>
}

/** All operations in the order of the seeds. */
export const operations: ReadonlyArray<Entry> = collect()

const byId: ReadonlyMap<string, Entry> = new Map(operations.map((entry) => [entry.id, entry]))

/** The operation of an id, if there is one. */
export const find = (id: string): Entry | undefined => byId.get(id)

/**
 * OpenAPI 3.1 of the whole declaration. The library adds a 400 of its own to every operation, which goes where none is
 * documented, and ids to schemas of anything, which may not occur twice in one document.
 */
export const openApi = (): OpenApi.OpenAPISpec => {
  const spec = OpenApi.fromApi(MarketplaceApi)
  for (const entry of operations) {
    const method = entry.method.toLowerCase() as Lowercase<Exclude<HttpMethod, "HEAD" | "OPTIONS">>
    const responses = spec.paths[entry.path]?.[method]?.responses
    if (responses !== undefined && !entry.errors.includes(400)) delete responses[400]
  }
  dropIds(spec)
  return spec
}

const dropIds = (value: unknown): void => {
  if (Array.isArray(value)) for (const item of value) dropIds(item)
  if (!Predicate.isRecord(value) || Array.isArray(value)) return
  if (typeof value.$id === "string" && value.$id.startsWith("/schemas/")) delete value.$id
  for (const inner of Object.values(value)) dropIds(inner)
}

/** `docs/operations.md`: one table per area. */
export const markdown = (): string =>
  [
    "# Operations",
    "",
    "Generated from the declarations in `src/services/endpoints`. Limits read: requests per period, burst.",
    "Personal, Service and Base-with-secret tokens share the first limit; the Base token has the second.",
    "`write` operations change the seller's data or money: they go through the review only.",
    "",
    ...Operation.areas.flatMap(section),
    ...oddEntries
  ].join("\n")

const section = (area: Operation.Area): ReadonlyArray<string> => [
  `## ${area}`,
  "",
  "| operation | method and path | access | after an unknown outcome | limit | Base limit | batch | statuses |",
  "|---|---|---|---|---|---|---|---|",
  ...operations.filter((entry) => entry.area === area).map(row),
  ""
]

/** What one entry that cannot be read makes of the others, for every operation that reads lists. */
const oddEntries: ReadonlyArray<string> = [
  "## One entry that cannot be read",
  "",
  "Of some lists the other entries stand, and what that one would have said is unknown; other answers are then unreadable as",
  "a whole ([why](decisions/0052-one-odd-entry-does-not-lose-the-others.md)). An answer to a write is never read in part: what",
  "became of its rows is read back.",
  "",
  "| operation | the others stand in | nothing stands, because |",
  "|---|---|---|",
  ...operations.flatMap(({ entries, id }) => {
    if (entries === undefined) return []
    const [stands, falls] =
      "whole" in entries ? ["", entries.whole] : [entries.apart.map(({ at }) => placeOf(at)).join(", "), ""]
    return [`| \`${id}\` | ${stands} | ${falls} |`]
  }),
  ""
]

function placeOf(at: string): string {
  return at === "" ? "the answer itself" : `\`${at}\``
}

const row = (entry: Entry): string =>
  `| ${[
    `\`${entry.id}\``,
    `${entry.method} \`${entry.path}\``,
    entry.sideEffectGet ? "write (a GET that changes state)" : entry.access,
    entry.retry === "verify" ? `look first: ${entry.verifyBy ?? ""}` : entry.retry,
    limit(entry.limits.personal),
    base(entry),
    batch(entry.batch),
    [...entry.success, ...entry.errors].join(", ")
  ].join(" | ")} |`

const limit = (of: Operation.Limit): string => `${of.requests} per ${period(of.periodMs)}, burst ${of.burst}`

const base = (entry: Entry): string => {
  const own = Operation.limitOf(entry, "base")
  return own === undefined ? "not available" : limit(own)
}

const batch = (of: Operation.Batch | undefined): string => {
  if (of === undefined) return ""
  const inner = of.inner === undefined ? "" : `; ${of.inner.field} up to ${of.inner.max}`
  return `${of.field} ${of.max === undefined ? "without a stated bound" : `up to ${of.max}`}${inner}`
}

const period = (ms: number): string =>
  ms % 3_600_000 === 0 ? `${ms / 3_600_000} h` : ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`

function collect(): ReadonlyArray<Entry> {
  const found: Array<Entry> = []
  HttpApi.reflect(MarketplaceApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const facts = Context.getOption(endpoint.annotations, Operation.Annotation)
      if (Option.isSome(facts)) {
        const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
        found.push({ ...facts.value, method: endpoint.method, path, endpoint })
      }
    }
  })
  return found
}
