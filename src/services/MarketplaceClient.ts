/**
 * The typed client of one account. Every call goes the same way: check token and bounds → limiter → HTTP → one error
 * vocabulary → decode; the exchange repeats what may be repeated. A write demands a `WritePermit` of the same account.
 */

import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { AccountName } from "../domain/Ids.js"
import { WritePermit } from "../domain/WritePermit.js"
import * as Answer from "./Answer.js"
import * as CallFigures from "./CallFigures.js"
import * as Catalogue from "./Catalogue.js"
import * as ErrorText from "./ErrorText.js"
import * as Exchange from "./Exchange.js"
import { MarketplaceApi } from "./endpoints/Api.js"
import { Limiter } from "./Limiter.js"
import { type CallError, Forbidden, local, ofWrite, Refused } from "./MarketplaceError.js"
import * as OddEntries from "./OddEntries.js"
import type * as Operation from "./Operation.js"
import type { TokenKind } from "./Operation.js"
import * as PlainAnswers from "./PlainAnswers.js"
import * as PlainBytes from "./PlainBytes.js"
import * as PlainRequests from "./PlainRequests.js"
import { type Refusal, TokenMemory, type TokenMemoryFailure } from "./ports/TokenMemory.js"
import * as SwitchedOff from "./SwitchedOff.js"

/** A client method: the operation's request, its answer, and the permit when it writes. */
type Method<E> =
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
  /** The token says of itself that it is for reading only: no write leaves with it. */
  readonly isReadOnly?: boolean
  readonly api: Methods
  /** Calls an operation that only reads by its id, as `api` does; refuses one that writes. */
  readonly read: (id: string, request: object) => Effect.Effect<unknown, CallError>
  /** Calls any operation by its id; the request `{ urlParams?, payload? }` is checked by the operation's schemas. */
  readonly call: (id: string, request: object) => Effect.Effect<unknown, CallError, WritePermit>
  /** HTTP calls made so far, repeats included, by operation id. */
  readonly calls: Effect.Effect<Readonly<Record<string, number>>>
  /** Milliseconds that the clock at hand is ahead of the marketplace's; undefined where they agree, or no answer said. */
  readonly clockAheadMs: Effect.Effect<number | undefined>
  /** What the marketplace has refused to this token and is not asked for now. */
  readonly switchedOff?: Effect.Effect<ReadonlyArray<Refusal>, TokenMemoryFailure>
  /** Campaigns whose clusters it refuses; absent when nothing is remembered. */
  readonly refusedCampaigns?: SwitchedOff.RefusedCampaigns
}

/** The client of the account at hand. */
export class MarketplaceClient extends Context.Tag("bidhelm/MarketplaceClient")<
  MarketplaceClient,
  Client
>() {}

/**
 * Makes the client of an account over the `HttpClient` and the `Limiter` at hand. With a `TokenMemory` at hand, what
 * the marketplace refuses to the token is not asked again and again.
 */
export const make = Effect.fn("MarketplaceClient.make")(function* (options: Exchange.Options) {
  const memory = yield* Effect.serviceOption(TokenMemory)
  const switchedOff = Option.isSome(memory)
    ? yield* SwitchedOff.make(options, memory.value)
    : SwitchedOff.none
  const exchange = Exchange.make(options, yield* HttpClient.HttpClient, yield* Limiter, switchedOff)
  const methods = interpret(yield* generated, options.account, exchange)
  const client: Client = {
    account: options.account,
    tokenKind: options.token.kind,
    isReadOnly: options.token.readOnly,
    api: methods.api,
    read: (id, request) =>
      Catalogue.find(id)?.access === "write"
        ? Effect.fail(new Refused(local(id, "it changes the account, so it cannot be called as a read")))
        : byId(methods.reads, id)(request),
    call: (id, request) => byId(methods.all, id)(request),
    calls: exchange.calls,
    clockAheadMs: exchange.clockAheadMs,
    switchedOff: switchedOff.standing,
    ...(switchedOff.campaigns === undefined ? {} : { refusedCampaigns: switchedOff.campaigns })
  }
  return client
})

/** The same operations with payloads that are written quickly. As below, `any` stands for whichever operation it is. */
const written = <A extends { readonly groups: object; readonly identifier: string }>(api: A): A => {
  // biome-ignore lint/suspicious/noExplicitAny: see above
  let made: any = HttpApi.make(api.identifier)
  // biome-ignore lint/suspicious/noExplicitAny: see above
  for (const { endpoints, identifier } of Object.values<any>(api.groups)) {
    // biome-ignore lint/suspicious/noExplicitAny: see above
    let group: any = HttpApiGroup.make(identifier)
    // biome-ignore lint/suspicious/noExplicitAny: see above
    for (const endpoint of Object.values<any>(endpoints)) {
      const payload = Option.map(endpoint.payloadSchema as Option.Option<Schema.Schema.All>, PlainRequests.of)
      group = group.add(Option.isNone(payload) ? endpoint : endpoint.setPayload(payload.value))
    }
    made = made.add(group)
  }
  return made
}

/** Made once, whoever is first: it takes as long as a whole plan, and a program may have a thousand accounts. */
const generated = Effect.suspend(() => (made === undefined ? making : Effect.succeed(made)))

const making = HttpApiClient.makeWith(written(MarketplaceApi), {
  httpClient: Exchange.client,
  transformResponse: (decode) => Effect.flatMap(Effect.serviceOption(Exchange.CurrentCall), plainOr(decode))
}).pipe(
  // It keeps what is at hand when it is made, which must be nothing of whoever is first.
  Effect.mapInputContext((_: Context.Context<never>) => Context.empty()),
  Effect.tap((raw) => {
    made = raw
    return Effect.void
  })
)

let made: Effect.Effect.Success<typeof making> | undefined

/** The answer as the reader of texts takes it, or the schema; what the bytes said is with the call at hand, see `taken`. */
const plainOr =
  (decode: Effect.Effect<unknown, unknown>) =>
  (current: Option.Option<Exchange.Current>): Effect.Effect<unknown, unknown> => {
    const { body, plain, value: known = PlainAnswers.doubt } = Option.getOrUndefined(current) ?? {}
    if (known !== PlainAnswers.doubt) return Effect.void
    const value = body === undefined || plain === undefined ? PlainAnswers.doubt : plain(body)
    return value === PlainAnswers.doubt ? decode : Effect.succeed(value)
  }

const byId = <R>(methods: ReadonlyMap<string, Call<R>>, id: string): Call<R> =>
  methods.get(id) ??
  (() => Effect.fail(new Refused(local(id, "there is no such operation; see docs/operations.md"))))

type Call<R> = (request: unknown) => Effect.Effect<unknown, CallError, R>

/**
 * The interpreter: the one place where endpoints are handled without knowing which. `any` stands for the methods of
 * whichever operation it is; `Methods` gives their types back.
 */
const interpret = (
  // biome-ignore lint/suspicious/noExplicitAny: see above
  raw: Readonly<Record<string, Readonly<Record<string, any>>>>,
  account: AccountName,
  exchange: Exchange.Exchange
) => {
  const reads = new Map<string, Call<never>>()
  const all = new Map<string, Call<WritePermit>>()
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const api: any = {}
  for (const entry of Catalogue.operations) {
    const send: Send = raw[entry.area]?.[entry.id]
    const call = bound(send, entry, exchange)
    const permitted = entry.access === "read" ? call : withPermit(call, entry, account)
    if (entry.access === "read") reads.set(entry.id, call)
    all.set(entry.id, permitted)
    api[entry.area] = { ...api[entry.area], [entry.id]: permitted }
  }
  const methods: Methods = api
  return { api: methods, reads, all }
}

type Send = (request: unknown) => Effect.Effect<unknown, unknown, Exchange.CurrentCall>

const bound = (send: Send, entry: Catalogue.Entry, exchange: Exchange.Exchange): Call<never> => {
  const expectsNothing = HttpApiSchema.isVoid(entry.endpoint.successSchema.ast)
  const attributes = { area: entry.area, access: entry.access }
  const isFile = entry.file !== undefined
  const plain = isFile ? undefined : PlainAnswers.of(entry.endpoint.successSchema)
  const plainBytes = isFile ? undefined : PlainBytes.of(entry.endpoint.successSchema)
  return (request) =>
    Effect.suspend(() => {
      const current: Exchange.Current = {
        exchange,
        facts: entry,
        expectsNothing,
        plain,
        plainBytes,
        value: PlainAnswers.doubt,
        answered: undefined,
        body: undefined
      }
      return send(request).pipe(
        Effect.provideService(Exchange.CurrentCall, current),
        Effect.catchAll((error) => inPart(error, entry, current)),
        Effect.tapError((error) =>
          Exchange.isCallError(error) || current.answered === undefined
            ? Effect.void
            : CallFigures.misshapen(entry)
        ),
        Effect.mapError((error) => {
          const failed = asCallError(error, current)
          return entry.access === "write" ? ofWrite(failed, "open") : failed
        }),
        Effect.withSpan(`marketplace.${entry.id}`, { attributes, captureStackTrace: false }),
        Effect.map((decoded) => {
          const said = taken(current)
          return said === PlainAnswers.doubt ? decoded : said
        })
      )
    })
}

/**
 * What the bytes said, or that they are doubted. Whoever waited for an answer is old by the time it comes, and what a dead old
 * object holds, V8 copies as alive until it looks at all: so the call lets go of it, and neither its span, which keeps how the
 * call ended, nor a generator, which keeps what it was given, sees it.
 */
const taken = (current: Exchange.Current): unknown => {
  const { value } = current
  current.value = PlainAnswers.doubt
  return value
}

/** What a misshapen answer says beside its odd entries, where that may be taken apart. */
const inPart = (error: unknown, entry: Catalogue.Entry, { body }: Exchange.Current) =>
  body === undefined || Exchange.isCallError(error)
    ? Effect.fail(error)
    : Effect.flatMap(OddEntries.without(entry, entry.endpoint.successSchema, body), (rest) =>
        Option.isSome(rest) ? Effect.succeed(rest.value) : Effect.fail(error)
      )

const withPermit =
  (call: Call<never>, entry: Catalogue.Entry, account: AccountName): Call<WritePermit> =>
  (request) =>
    Effect.flatMap(WritePermit, (grant) =>
      grant.account === account
        ? call(request)
        : Effect.fail(
            new Forbidden(
              local(entry.id, `the approved plan is of the account ${grant.account}, not ${account}`)
            )
          )
    )

/** Errors of the exchange pass; a schema problem is ours before sending and the marketplace's after. */
const asCallError = (error: unknown, current: Exchange.Current): CallError => {
  if (Exchange.isCallError(error)) return error
  const text = ParseResult.isParseError(error) ? Answer.complaint(error) : String(error)
  return current.answered === undefined
    ? new Refused(local(current.facts.id, ErrorText.clean(text)))
    : Answer.undecodable(current.facts.id, current.answered, text)
}
