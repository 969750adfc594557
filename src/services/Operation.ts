/**
 * What an operation of the marketplace is, beyond its method, path and schemas: who may call it, how often, in what
 * batches, and what to do when its outcome is unknown. Each endpoint carries these facts as one annotation, so the
 * typed client, the sandbox's route, the limiter, the `call` command and the catalogue read one declaration.
 */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Context from "effect/Context"
import * as ErrorBody from "./ErrorBody.js"
import type { TokenKind } from "./Limiter.js"

/** Areas in the order of seed 001; each is one `HttpApiGroup`. */
export const areas = [
  "campaigns",
  "campaignCreation",
  "campaignManagement",
  "clusters",
  "finance",
  "statistics",
  "promo"
] as const
export type Area = (typeof areas)[number]

/** Key of a base URL in the configuration. */
export type Host = "advert" | "calendar"

/** Permission the token must carry. */
export type TokenCategory = "promotion" | "pricesAndDiscounts"

/** A token bucket: `burst` calls at once, then one every `intervalMs`; `requests` per `periodMs` follows from it. */
export interface Limit {
  readonly periodMs: number
  readonly requests: number
  readonly intervalMs: number
  readonly burst: number
}

/** `personal` serves the Personal, Service and Base-with-secret kinds. */
export interface Limits {
  readonly personal: Limit
  readonly base: Limit | "same" | "not available"
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
  /** Tokens a 4xx answer costs: 1, as nothing is stated for these hosts. */
  readonly cost4xx: number
  readonly batch?: Batch
  readonly success: ReadonlyArray<number>
  readonly errors: ReadonlyArray<number>
  /** Shape of the 400 body; see `ErrorBody.ts`. */
  readonly errorShape: ErrorBody.Shape
  /** Tried when the path is retired (404). */
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

type Derived = "id" | "access" | "retry" | "sideEffectGet" | "limitGroup" | "cost4xx" | "success"

/** What a declaration states about a read. */
export interface ReadFacts extends Omit<Facts, Derived> {
  /** Only where operations share a bucket; else each has its own, `<host>.<id>`. */
  readonly limitGroup?: string
  /** 200 unless stated. */
  readonly success?: ReadonlyArray<number>
}

/** What a declaration states about a write. */
export interface WriteFacts extends ReadFacts {
  readonly retry: "verify" | "manual"
}

/** Declares an operation that only reads; it may be repeated freely. */
export const read = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: ReadFacts
) => documented(endpoint, facts).annotate(Annotation, complete(endpoint, facts, "read", "safe"))

/** Declares an operation that changes the seller's data or money. */
export const write = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: WriteFacts
) =>
  Object.assign(
    documented(endpoint, facts).annotate(Annotation, complete(endpoint, facts, "write", facts.retry)),
    { [writes]: true as const } satisfies Writes
  )

const periods = { "1 s": 1000, "6 s": 6000, "12 s": 12_000, "1 min": 60_000, "1 h": 3_600_000 } as const

/** A cell of the seed's limit table: period, allowed requests, burst; the interval is their quotient. */
export const limit = (period: keyof typeof periods, requests: number, burst: number): Limit => {
  const periodMs = periods[period]
  return { periodMs, requests, intervalMs: periodMs / requests, burst }
}

/** The Base column of the seed: always per hour, one at a time. */
export const hourly = (requests: number): Limit => limit("1 h", requests, 1)

/** Limit of a token kind; undefined where the kind is not served. An unknown kind must be passed as `base`. */
export const limitOf = (facts: Facts, kind: TokenKind): Limit | undefined => {
  if (facts.tokenKinds !== undefined && !facts.tokenKinds.includes(kind)) return undefined
  if (kind !== "base" || facts.limits.base === "same") return facts.limits.personal
  return facts.limits.base === "not available" ? undefined : facts.limits.base
}

const complete = (
  endpoint: { readonly name: string; readonly method: HttpMethod },
  facts: ReadFacts,
  access: "read" | "write",
  retry: Retry
): Facts => ({
  limitGroup: `${facts.host}.${endpoint.name}`,
  success: [200],
  cost4xx: 1,
  ...facts,
  id: endpoint.name,
  access,
  retry,
  sideEffectGet: access === "write" && endpoint.method === "GET"
})

const documented = <Name extends string, Method extends HttpMethod, P, U, B, H, S, E, R, RE>(
  endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, Method, P, U, B, H, S, E, R, RE>,
  facts: ReadFacts
) => endpoint.addError(ErrorBody.union(facts.errors, facts.errorShape, facts.host))
