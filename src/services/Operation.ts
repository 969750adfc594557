/**
 * What an operation of the marketplace is, beyond its method, path and schemas: who may call it, how often, in what
 * batches, and what to do when its outcome is unknown. Each endpoint carries these facts as one annotation, so the
 * typed client, the sandbox's route, the limiter, the `call` command and the catalogue read one declaration.
 */

import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Context from "effect/Context"
import type * as Schema from "effect/Schema"
import * as ErrorBody from "./ErrorBody.js"
import type { Host } from "./Host.js"

/** Areas in the order of the seeds 000, 001 and 002; each is one `HttpApiGroup`. */
export const areas = [
  "orders",
  "labels",
  "supplies",
  "passes",
  "campaigns",
  "campaignCreation",
  "campaignManagement",
  "clusters",
  "finance",
  "statistics",
  "promo",
  "funnel",
  "orderFeed",
  "searchReports",
  "inventory",
  "itemRating",
  "csvReports"
] as const
export type Area = (typeof areas)[number]

/** Permission the token must carry. */
export const tokenCategories = ["analytics", "pricesAndDiscounts", "marketplace", "promotion"] as const
export type TokenCategory = (typeof tokenCategories)[number]

export type TokenKind = "personal" | "service" | "base_with_secret" | "base"

/** A token bucket: `burst` calls at once, then one every `intervalMs`; `requests` per `periodMs` follows from it. */
export interface Limit {
  readonly periodMs: number
  readonly requests: number
  readonly intervalMs: number
  readonly burst: number
}

/** `personal` serves the Personal, Service and Base-with-secret kinds. */
interface Limits {
  readonly personal: Limit
  readonly base: Limit | "same" | "not available"
}

/** So many calls per Moscow day. */
export interface Quota {
  readonly group: string
  readonly perDay: number
}

/** The list of a request that is bounded. `max` is absent where no bound is stated anywhere. */
export interface Batch {
  readonly field: string
  readonly max?: number
  readonly min?: number
  readonly inner?: { readonly field: string; readonly max: number }
}

/**
 * What to do after an unknown outcome (timeout, broken connection, 5xx): `safe` repeat; `verify` read the state and
 * repeat only if the change is absent; `manual` never repeat without a person.
 */
export type Retry = "safe" | "verify" | "manual"

/**
 * How a list is walked. `rows` is where an answer holds them, such as `data.items`; `most` the largest page. `cursor`:
 * the answer's `next` goes into the next request (O01). `offset`: a page shorter than its limit is the last.
 * `snapshot`: offsets inside `pagination`, under the first answer's `snapshotTime` (A09).
 */
export interface Paging {
  readonly kind: "cursor" | "offset" | "snapshot"
  readonly rows: string
  readonly most: number
}

/**
 * A list whose entries stand each by itself. `at`: where it lies in the answer, such as `adverts` or `stats.*.stats` (in
 * every entry of `stats`); "" is the answer itself. `of`: the shape of an entry.
 */
export interface Apart {
  readonly at: string
  readonly of: Schema.Schema.AnyNoContext
}

/**
 * What one entry that cannot be read makes of the others of its list. `apart`: they stand, and what it would have said is
 * unknown. `whole`: nothing of the answer stands, and why; so it is also where nothing is declared.
 */
export type Entries = { readonly apart: ReadonlyArray<Apart> } | { readonly whole: string }

/** An answer that is a file. `accept`: the media types it can be read in, as the request asks for them. */
interface File {
  readonly accept: string
}

export interface Facts {
  /** Operation id of the contract; also the endpoint's name. */
  readonly id: string
  readonly area: Area
  readonly host: Host
  readonly tokenCategory: TokenCategory
  /** Present only where some kinds of token are refused. */
  readonly tokenKinds?: ReadonlyArray<TokenKind>
  /** Declared, never inferred: four GETs write and many POSTs only read. */
  readonly access: "read" | "write"
  readonly retry: Retry
  /** A GET that changes state (field note M01). */
  readonly sideEffectGet: boolean
  /** Bucket the call draws from; operations of one group share it. */
  readonly limitGroup: string
  readonly limits: Limits
  /** Tokens a 4xx answer costs: 10 on the marketplace host (seed 000 "Limits"), 1 where nothing is stated. */
  readonly cost4xx: number
  /** A further bound beside the bucket, of all operations that name the same `group`. */
  readonly quota?: Quota
  readonly batch?: Batch
  readonly paging?: Paging
  readonly success: ReadonlyArray<number>
  readonly errors: ReadonlyArray<number>
  /** Shape of the 400 body; see `ErrorBody.ts`. */
  readonly errorShape: ErrorBody.Shape
  /** Documented values of the `code` field by status; the list is never complete (not-shown §3.2). */
  readonly errorCodes?: Readonly<Record<number, ReadonlyArray<string>>>
  /** Stated by every operation that reads and answers lists. */
  readonly entries?: Entries
  /** Present where the answer is a file, not JSON. */
  readonly file?: File
  /** Whether the test environment serves it (not-shown §5). */
  readonly testHost: boolean
  /** Asked when the path is not found (404), and first for a day from then on. */
  readonly altPath?: string
  /** How to learn whether a write arrived. */
  readonly verifyBy?: string
  /** Ids of field notes that concern it. */
  readonly notes: ReadonlyArray<string>
}

/** The annotation under which an endpoint carries its facts; absent on a foreign endpoint. */
export class Annotation extends Context.Tag("bidhelm/Operation")<Annotation, Facts>() {}

/** Marks the type of an endpoint that writes, so that its client method demands a `WritePermit`. */
export const writes: unique symbol = Symbol("bidhelm/Operation/writes")
export interface Writes {
  readonly [writes]: true
}

type Derived = "id" | "access" | "retry" | "sideEffectGet" | "limitGroup" | "cost4xx" | "success" | "testHost"

/** What a declaration states about a read. */
export interface ReadFacts extends Omit<Facts, Derived> {
  /** Only where operations share a bucket; else each has its own, `<host>.<id>`. */
  readonly limitGroup?: string
  /** 200 unless stated. */
  readonly success?: ReadonlyArray<number>
  /** False unless stated. */
  readonly testHost?: boolean
  /** `safe` unless stated: a read that leaves something behind, such as a report task, is not simply repeated. */
  readonly retry?: "verify"
}

/** What a declaration states about a write. */
export interface WriteFacts extends Omit<ReadFacts, "retry"> {
  readonly retry: "verify" | "manual"
}

/** Declares an operation that changes nothing of the seller's; it may be repeated freely unless it says otherwise. */
export const read = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: ReadFacts
) =>
  documented(endpoint, facts).annotate(Annotation, complete(endpoint, facts, "read", facts.retry ?? "safe"))

/** Declares an operation that changes the seller's data or money. */
export const write = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: WriteFacts
) =>
  Object.assign(
    documented(endpoint, facts).annotate(Annotation, complete(endpoint, facts, "write", facts.retry)),
    { [writes]: true as const } satisfies Writes
  )

const periods = {
  "1 s": 1000,
  "6 s": 6000,
  "12 s": 12_000,
  "1 min": 60_000,
  "10 min": 600_000,
  "1 h": 3_600_000,
  "3 h": 10_800_000
} as const

/** One list whose entries stand each by itself; see `Entries`. */
export const apart = (at: string, of: Schema.Schema.AnyNoContext): Entries => ({ apart: [{ at, of }] })

/** Lists of which no entry may be missing, and why. */
export const whole = (why: string): Entries => ({ whole: why })

/** What a request says it can read: JSON, or the kinds of file that the operation may answer. */
export const acceptOf = ({ file }: Pick<Facts, "file">): string => file?.accept ?? "application/json"

/** A cell of the seed's limit table: period, allowed requests, burst; the interval is their quotient. */
export const limit = (period: keyof typeof periods, requests: number, burst: number): Limit => {
  const periodMs = periods[period]
  return { periodMs, requests, intervalMs: periodMs / requests, burst }
}

/** The Base column of the seed: per hour, one at a time. */
export const hourly = (requests: number): Limit => limit("1 h", requests, 1)

/** Limit of a token kind; undefined where the kind is not served. An unknown kind must be passed as `base`. */
export const limitOf = (facts: Facts, kind: TokenKind): Limit | undefined => {
  if (facts.tokenKinds !== undefined && !facts.tokenKinds.includes(kind)) return undefined
  if (kind !== "base" || facts.limits.base === "same") return facts.limits.personal
  return facts.limits.base === "not available" ? undefined : facts.limits.base
}

/**
 * As `limitOf`, with the caution of not-shown §2: where seed 000 has one row for all kinds, a Base token keeps to the
 * 150 per minute (400 ms, burst 10) that a help page once named for it.
 */
export const prudentLimitOf = (facts: Facts, kind: TokenKind): Limit | undefined => {
  const stated = limitOf(facts, kind)
  const cautious = kind === "base" && facts.host === "marketplace" && facts.limits.base === "same"
  if (stated === undefined || !cautious || stated.intervalMs >= 400) return stated
  return { periodMs: 60_000, requests: 150, intervalMs: 400, burst: Math.min(10, stated.burst) }
}

const complete = (
  endpoint: { readonly name: string; readonly method: HttpMethod },
  facts: ReadFacts | WriteFacts,
  access: "read" | "write",
  retry: Retry
): Facts => ({
  limitGroup: `${facts.host}.${endpoint.name}`,
  success: [200],
  cost4xx: facts.host === "marketplace" ? 10 : 1,
  testHost: false,
  ...facts,
  id: endpoint.name,
  access,
  retry,
  sideEffectGet: access === "write" && endpoint.method === "GET"
})

const documented = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: ReadFacts | WriteFacts
) => endpoint.addError(ErrorBody.union(facts.errors, facts.errorShape, facts.host))
