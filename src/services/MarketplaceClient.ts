/**
 * The typed client of one account. Every call goes the same way: check token and bounds → limiter → HTTP → one error
 * vocabulary → decode; `Retry` repeats what may be repeated. A write demands a `WritePermit` of the same account.
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import type { Simplify } from "effect/Types"
import type { AccountName } from "../domain/Ids.js"
import { WritePermit } from "../domain/WritePermit.js"
import * as Answer from "./Answer.js"
import * as Catalogue from "./Catalogue.js"
import * as Exchange from "./Exchange.js"
import { MarketplaceApi } from "./endpoints/Api.js"
import { Limiter, type TokenKind } from "./Limiter.js"
import { type CallError, Forbidden, local, Refused } from "./MarketplaceError.js"
import type * as Operation from "./Operation.js"

/** A client method: the operation's request, its answer, and the permit when it writes. */
export type Method<E> =
  E extends HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer P,
    infer U,
    infer B,
    infer H,
    infer A,
    infer _E,
    infer _R,
    infer _RE
  >
    ? (
        request: Simplify<HttpApiEndpoint.HttpApiEndpoint.ClientRequest<P, U, B, H, false>>
      ) => Effect.Effect<A, CallError, E extends Operation.Writes ? WritePermit : never>
    : never

type Groups = MarketplaceApi["groups"][string]

/** One method per operation, by area: `api.clusters.getClusterBids({ payload })`. */
export type Methods = {
  readonly [G in Groups as G["identifier"]]: {
    readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: Method<E>
  }
}

export interface Client {
  readonly account: AccountName
  readonly tokenKind: TokenKind
  readonly api: Methods
  /** HTTP calls made so far, repeats included, by operation id. */
  readonly calls: Effect.Effect<Readonly<Record<string, number>>>
}

/** The client of the account at hand. */
export class MarketplaceClient extends Context.Tag("bidhelm/MarketplaceClient")<
  MarketplaceClient,
  Client
>() {}

/** Makes the client of an account over the `HttpClient` and the `Limiter` at hand. */
export const make = Effect.fn("MarketplaceClient.make")(function* (options: Exchange.Options) {
  const exchange = Exchange.make(options, yield* HttpClient.HttpClient, yield* Limiter)
  const raw = yield* HttpApiClient.makeWith(MarketplaceApi, { httpClient: exchange.client })
  const client: Client = {
    account: options.account,
    tokenKind: options.token.kind,
    api: interpret(raw, options.account),
    calls: exchange.calls
  }
  return client
})

/**
 * The interpreter: the one place where endpoints are handled without knowing which. `any` stands for the request and
 * answer of whichever operation it is; `Methods` gives the types back.
 */
const interpret = (
  raw: Readonly<Record<string, Readonly<Record<string, any>>>>,
  account: AccountName
): Methods => {
  const areas: any = {}
  for (const entry of Catalogue.operations) {
    const method: Send | undefined = raw[entry.area]?.[entry.id]
    if (method !== undefined)
      areas[entry.area] = { ...areas[entry.area], [entry.id]: bound(method, entry, account) }
  }
  return areas
}

type Send = (request: any) => Effect.Effect<unknown, unknown>

const bound = (send: Send, entry: Catalogue.Entry, account: AccountName) => {
  const expectsNothing = HttpApiSchema.isVoid(entry.endpoint.successSchema.ast)
  const call = (request: unknown) =>
    Effect.suspend(() => {
      const current: Exchange.Current = { facts: entry, expectsNothing, answered: undefined }
      return send(request).pipe(
        Effect.provideService(Exchange.CurrentCall, current),
        Effect.mapError((error) => asCallError(error, current))
      )
    }).pipe(Effect.withSpan(`marketplace.${entry.id}`, { attributes: { account, area: entry.area } }))
  if (entry.access === "read") return call
  return (request: unknown) =>
    Effect.flatMap(WritePermit, (grant) =>
      grant.account === account
        ? call(request)
        : Effect.fail(
            new Forbidden(
              local(entry.id, `the approved plan is of the account ${grant.account}, not ${account}`)
            )
          )
    )
}

/** Errors of the exchange pass; a schema problem is ours before sending and the marketplace's after. */
const asCallError = (error: unknown, current: Exchange.Current): CallError => {
  if (Exchange.isCallError(error)) return error
  const text = ParseResult.isParseError(error)
    ? ParseResult.TreeFormatter.formatErrorSync(error)
    : String(error)
  return current.answered === undefined
    ? new Refused(local(current.facts.id, `the request breaks a bound: ${Answer.brief(text)}`))
    : Answer.undecodable(current.facts.id, current.answered, Answer.brief(text))
}
