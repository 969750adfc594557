/**
 * One request and its answer on behalf of one account: base URL, token header, operator's word, limiter, timeout,
 * retry. Redirects are not followed: the base client must not follow them either (undici does not).
 */

import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { BeforeSend } from "../domain/BeforeSend.js"
import type { AccountName } from "../domain/Ids.js"
import * as ScaledClock from "../domain/ScaledClock.js"
import * as TextOrder from "../domain/TextOrder.js"
import * as Answer from "./Answer.js"
import * as CallFigures from "./CallFigures.js"
import type { Host } from "./Host.js"
import { bucketOf, type Limiter } from "./Limiter.js"
import * as MarketClock from "./MarketClock.js"
import {
  type CallError,
  Forbidden,
  local,
  type MarketplaceError,
  Refused,
  Unauthorised
} from "./MarketplaceError.js"
import type { Retry } from "./Operation.js"
import * as Operation from "./Operation.js"
import * as PlainAnswers from "./PlainAnswers.js"
import * as PlainBytes from "./PlainBytes.js"
import type { SwitchedOff } from "./SwitchedOff.js"
import type { Token } from "./Token.js"
import type { Wire } from "./Wire.js"

export interface Options {
  readonly account: AccountName
  readonly token: Token
  /** Base URLs without a slash at the end; an operation of a host that is not given is refused before sending. */
  readonly hosts: Readonly<Partial<Record<Host, string>>>
  /** Header that carries the token, and the word before it; an empty scheme sends the bare token. */
  readonly header?: { readonly name: string; readonly scheme: string }
  /** Operator's word on the wire; absent when it is the neutral one. */
  readonly wire?: Wire | undefined
  /** The machine's milliseconds for one try, from connecting to the last byte; 15 s unless set. */
  readonly timeoutMs?: number
}

/** The operation a request belongs to, and whose it is; the generated client does not tell its HTTP client. */
export interface Current {
  readonly exchange: Exchange
  readonly facts: Operation.Facts
  readonly expectsNothing: boolean
  /** Read a body that is plainly as declared, from its bytes or, in neutral words, from its text. Undefined for files. */
  readonly plainBytes: PlainBytes.ReadBytes | undefined
  readonly plain: ((body: string) => unknown) | undefined
  /** What the answer's bytes say; `PlainAnswers.doubt` where they were not read. */
  value: unknown
  /** Status of the answer, once there was one, and its body in neutral words. */
  answered: number | undefined
  body: string | undefined
}
export class CurrentCall extends Context.Tag("bidhelm/CurrentCall")<CurrentCall, Current>() {}

/** Sends the requests of one account, and counts them. */
export interface Exchange {
  readonly execute: (
    current: Current,
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, CallError>
  readonly calls: Effect.Effect<Readonly<Record<string, number>>>
  /** As `MarketClock.aheadMs`. */
  readonly clockAheadMs: Effect.Effect<number | undefined>
}

/** The HTTP client of the generated API client: of every account, the call at hand knows which. */
export const client: HttpClient.HttpClient.With<CallError, CurrentCall> = HttpClient.makeWith<
  never,
  never,
  CallError,
  CurrentCall
>(
  Effect.flatMap((request) =>
    Effect.flatMap(CurrentCall, (current) => current.exchange.execute(current, request))
  ),
  Effect.succeed
)

export const make = (
  options: Options,
  http: HttpClient.HttpClient,
  limiter: Context.Tag.Service<Limiter>,
  switchedOff: SwitchedOff
): Exchange => {
  const sent = new Map<string, number>()
  /** Operations whose first path was not found, and until when the other one is asked first; epoch milliseconds. */
  const retired = new Map<string, number>()
  const quiet = HttpClient.withTracerDisabledWhen(http, () => true)
  const timeoutMs = options.timeoutMs ?? 15_000
  const marketClock = MarketClock.make(options.account)

  const once = (facts: Operation.Facts, request: HttpClientRequest.HttpClientRequest) => {
    let sentMs = 0
    return Effect.clockWith((clock) => {
      sentMs = clock.unsafeCurrentTimeMillis()
      sent.set(facts.id, (sent.get(facts.id) ?? 0) + 1)
      return quiet.execute(request)
    }).pipe(
      Effect.catchTags({
        RequestError: (error) => Effect.fail(Answer.fault(facts.id, error)),
        ResponseError: (error) =>
          Effect.fail(Answer.undecodable(facts.id, error.response.status, error.message))
      }),
      Effect.flatMap((response) => Answer.read(facts.id, response)),
      Effect.tap((answer) => marketClock.heard(answer, sentMs)),
      (answer) =>
        Effect.flatMap(ScaledClock.ofMachine(timeoutMs), (duration) =>
          Effect.timeoutFail(answer, { duration, onTimeout: () => Answer.timeout(facts.id, timeoutMs) })
        )
    )
  }

  const tried = Effect.fnUntraced(function* (
    current: Current,
    request: HttpClientRequest.HttpClientRequest,
    path: Path
  ) {
    const { facts } = current
    const bucket = yield* drawnFrom(facts, options)
    const host = options.hosts[facts.host]
    if (host === undefined) {
      return yield* new Refused(local(facts.id, `the settings give no address for hosts.${facts.host}`))
    }
    const outgoing = prepare(request, host, facts, options, path)
    const timed = once(facts, outgoing).pipe(CallFigures.timed(facts, yield* Clock.currentTimeMillis))
    const permitted = facts.access === "write" ? Effect.zipRight(lastLook, timed) : timed
    const answer = yield* limiter.call(bucket, permitted, (exit) => Answer.feedback(facts, exit))
    current.answered = answer.status
    current.value = plainly(current, answer, options, yield* PlainBytes.LeavingOut)
    if (current.value !== PlainAnswers.doubt) return Answer.emptyResponse(facts, request, answer)
    const body = readable(answer, options)
    current.body = body
    return yield* Answer.decodable(facts, current.expectsNothing, request, {
      ...Answer.saying(facts, answer, body),
      location: answer.location?.replaceAll(Redacted.value(options.token.value), "")
    })
  })

  const limited = (current: Current, request: HttpClientRequest.HttpClientRequest, path: Path) =>
    tried(current, request, path).pipe(CallFigures.counted(current.facts))

  const withFallback = Effect.fnUntraced(function* (
    current: Current,
    request: HttpClientRequest.HttpClientRequest
  ) {
    const { altPath, id } = current.facts
    const nowMs = yield* Clock.currentTimeMillis
    const first: Path = nowMs < (retired.get(id) ?? 0) ? "other" : "first"
    return yield* Effect.catchTag(limited(current, request, first), "Refused", (error) => {
      if (error.status !== 404 || altPath === undefined) return Effect.fail(error)
      const second: Path = first === "first" ? "other" : "first"
      retired.delete(id)
      if (second === "other") retired.set(id, nowMs + retiredMs)
      // Found under neither, it says nothing about the paths.
      return Effect.tapErrorTag(limited(current, request, second), "Refused", ({ status }) =>
        Effect.sync(() => status === 404 && retired.delete(id))
      )
    })
  })

  return {
    execute: (current, request) =>
      switchedOff.guard(
        current.facts,
        request,
        withFallback(current, request).pipe(byClass(current.facts.retry))
      ),
    calls: Effect.sync(() => Object.fromEntries([...sent].sort(TextOrder.byKey))),
    clockAheadMs: marketClock.aheadMs
  }
}

/** Of the two paths that an operation may have: the one of the seed, and `altPath`. */
type Path = "first" | "other"

/** A day after it was not found the first path is asked again: it is the documented one (docs/decisions/0053). */
const retiredMs = 86_400_000

/** Whether the write may still leave, asked once the limit has let it through. */
const lastLook = Effect.flatten(BeforeSend)

const callErrors: ReadonlySet<string> = new Set<CallError["_tag"]>([
  "Refused",
  "Unauthorised",
  "Forbidden",
  "Throttled",
  "Unavailable",
  "Undecodable",
  "Outdated",
  "Transport",
  "LimitStopped",
  "Withheld"
])

/** Tells errors of this vocabulary from those of the generated client. */
export const isCallError = (error: unknown): error is CallError =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && callErrors.has(error._tag)

/** The bucket the call draws from, unless the token cannot serve it at all. */
const drawnFrom = Effect.fnUntraced(function* (facts: Operation.Facts, { account, token }: Options) {
  const objection = tokenObjection(facts, token, yield* Clock.currentTimeMillis)
  if (objection !== undefined) return yield* objection
  const bucket = bucketOf(facts, account, token)
  return bucket ?? (yield* new Forbidden(local(facts.id, "not available to this token")))
})

/**
 * The body in neutral words; one that echoes the token loses it here, before it becomes a message: what says success may
 * be a page of somebody on the way, or another shape that is quoted.
 */
const readable = ({ body, status }: Answer.Answer, { token, wire }: Options): string => {
  const secret = Redacted.value(token.value)
  const isMeant = status >= 300 || secret.length >= leastSecret
  const plain = isMeant ? body.replaceAll(secret, "[removed]") : body
  return wire === undefined ? plain : wire.textFromWire(plain)
}

/** What the bytes say that hold neither the token nor the operator's word; everything else is read as a text. */
const plainly = (
  { expectsNothing, facts, plainBytes }: Current,
  answer: Answer.Answer,
  { token, wire }: Options,
  leftOut: PlainBytes.LeftOut | undefined
): unknown => {
  if (plainBytes === undefined || expectsNothing || !Answer.isPlain(facts, answer)) return PlainAnswers.doubt
  const secret = Redacted.value(token.value)
  const { buffer, byteLength, byteOffset } = answer.bytes
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const isOdd = (secret.length >= leastSecret && bytes.includes(secret)) || wire?.isIn(bytes) === true
  return isOdd ? PlainAnswers.doubt : plainBytes(bytes, leftOut)
}

/** A shorter word, such as the one of a demonstration, may stand in the data itself. */
const leastSecret = 12

const prepare = (
  request: HttpClientRequest.HttpClientRequest,
  host: string,
  facts: Operation.Facts,
  { token, header, wire }: Options,
  which: Path
): HttpClientRequest.HttpClientRequest => {
  const scheme = header?.scheme ?? "Bearer"
  const secret = Redacted.value(token.value)
  const path = which === "other" && facts.altPath !== undefined ? facts.altPath : request.url
  return withWire(request, wire).pipe(
    HttpClientRequest.setUrl(host + (wire === undefined ? path : wire.pathToWire(path))),
    HttpClientRequest.setHeader(
      header?.name ?? "Authorization",
      scheme === "" ? secret : `${scheme} ${secret}`
    ),
    HttpClientRequest.setHeader("Accept", Operation.acceptOf(facts)),
    // Nothing here unpacks, and whoever hears no word of it may compress (RFC 9110, 12.5.3).
    HttpClientRequest.setHeader("Accept-Encoding", "identity"),
    HttpClientRequest.setHeader("User-Agent", "bidhelm")
  )
}

const withWire = (request: HttpClientRequest.HttpClientRequest, wire: Wire | undefined) => {
  if (wire === undefined || request.body._tag !== "Uint8Array") return request
  const text = wire.textToWire(new TextDecoder().decode(request.body.body))
  return HttpClientRequest.setBody(request, HttpBody.text(text, request.body.contentType))
}

// How often a call is tried (field notes M01, T04, T16). A call that may be repeated safely is repeated on transport
// faults and 5xx with growing, jittered pauses; any other never, because it may have arrived. After a 429 both are
// repeated: nothing happened, and the limiter holds the repeat back until the marketplace's deadline. A daily quota is
// not waited for. What only a person may repeat (`manual`) is tried once.

/** Tries of one call, the first included. */
const attempts = 3

/** Longest advice of a 5xx that is still waited for inside the call. */
const patienceMs = 30_000

const schedule = Schedule.exponential("500 millis", 2).pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(attempts - 1))
)

/** Repeats `call` by the retry class of its operation. Uses Clock and Random. */
const byClass =
  (retry: Retry) =>
  <A, R>(call: Effect.Effect<A, CallError, R>): Effect.Effect<A, CallError, R> =>
    Effect.retry(call, { schedule, while: (error) => worthRepeating(error, retry) })

const worthRepeating = (error: CallError, retry: Retry): boolean => {
  if (retry === "manual") return false
  switch (error._tag) {
    case "Throttled":
      return error.daily !== true
    case "Transport":
      return retry === "safe"
    case "Unavailable":
      return retry === "safe" && (error.retryAfterMs ?? 0) <= patienceMs
    default:
      return false
  }
}

// What can be known about a call from the token alone, before anything is sent (field notes T01, T12).

/** Why this token cannot serve the operation; undefined when nothing speaks against it. */
const tokenObjection = (
  facts: Operation.Facts,
  token: Token,
  nowMs: number
): MarketplaceError | undefined => {
  const forbidden = (text: string) => new Forbidden(local(facts.id, text))
  if (token.expiresAt !== undefined && token.expiresAt <= nowMs) {
    return new Unauthorised(local(facts.id, "the token has expired"))
  }
  if (Operation.limitOf(facts, token.kind) === undefined) {
    const text = `not available to a token of the kind ${kindNames[token.kind]}`
    return new Forbidden({ ...local(facts.id, text), unserved: true })
  }
  if (token.test && !facts.testHost) return forbidden("the test environment does not serve it")
  if (token.readOnly && facts.access === "write") return forbidden("the token is for reading only")
  if (token.categories !== undefined && !token.categories.has(facts.tokenCategory)) {
    return forbidden(`the token lacks the category ${categoryNames[facts.tokenCategory]}`)
  }
  return undefined
}

const kindNames = {
  personal: "Personal",
  service: "Service",
  base_with_secret: "Base with secret",
  base: "Base"
} as const

const categoryNames = {
  analytics: "Analytics",
  pricesAndDiscounts: "Prices and Discounts",
  marketplace: "Marketplace",
  promotion: "Promotion"
} as const
