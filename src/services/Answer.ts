/**
 * An HTTP answer read to its end within bounds, and what it means: an error of the one vocabulary, or a response fit
 * for decoding. Text is read first and JSON tried after, since error bodies and content types cannot be trusted (T10).
 */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { Withheld } from "../domain/BeforeSend.js"
import * as Days from "../domain/Days.js"
import * as Json from "../domain/Json.js"
import * as ErrorText from "./ErrorText.js"
import type { Feedback } from "./Limiter.js"
import * as DailyQuota from "./limiter/DailyQuota.js"
import { fromAnswer, type MarketplaceError, Outdated, Transport, Undecodable } from "./MarketplaceError.js"
import type { Facts } from "./Operation.js"

/** Largest body that is read, bytes. */
const largestBody = 64 * 1024 * 1024

export interface Answer {
  readonly status: number
  /** The body as text; what is no text has replacement characters. */
  readonly body: string
  readonly bytes: Uint8Array
  readonly retryAfterMs: number | undefined
  readonly remaining: number | undefined
  /** Where a redirect leads, in its own words. */
  readonly location?: string | undefined
  /** How long ago the answer was made, when somebody who kept it says so (`Age`). */
  readonly ageMs: number | undefined
  /** When it was made by the marketplace's clock, if it says so (`Date`); epoch milliseconds, whole seconds. */
  readonly madeAtMs: number | undefined
}

/**
 * The oldest copy that may be read, milliseconds: the looks of a read-back are as far apart, and a value that is written
 * shows no sooner (seed 001 "Timing").
 */
const oldestCopyMs = 30_000

/** Reads the whole body; a broken or short one is a transport fault, one beyond the bound is not read on. */
export const read = Effect.fnUntraced(function* (
  operation: string,
  response: HttpClientResponse.HttpClientResponse
) {
  const { headers, status } = response
  const promised = Number(headers["content-length"])
  const isPlain = headers["content-encoding"] === undefined
  // In one piece where the marketplace says how long it is, which costs a tenth of a stream.
  const isShort = isPlain && promised >= 0 && promised <= largestBody
  const bytes = yield* (isShort ? whole(response) : inPieces(operation, response)).pipe(
    Effect.catchTag("ResponseError", (error) =>
      error.reason === "EmptyBody"
        ? Effect.succeed(Buffer.alloc(0))
        : Effect.fail(broken(operation, reasonOf(error)))
    )
  )
  if (isPlain && bytes.byteLength < promised) {
    return yield* broken(operation, `${bytes.byteLength} of ${promised} bytes came`)
  }
  const nowMs = yield* Clock.currentTimeMillis
  let text: string | undefined
  return {
    status,
    // Most answers are read from their bytes.
    get body() {
      text ??= new TextDecoder().decode(bytes)
      return text
    },
    bytes,
    retryAfterMs: retryAfterMs(headers, nowMs),
    remaining: remaining(headers),
    location: headers.location,
    ageMs: age(headers.age),
    madeAtMs: instant(headers.date)
  } satisfies Answer
})

/** Whole seconds (RFC 9111, 5.1); what is no number says nothing. */
const age = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,10}$/.test(header.trim()) ? Number(header) * 1000 : undefined

const instant = (header: string | undefined): number | undefined => {
  const ms = Date.parse(header ?? "")
  return Number.isNaN(ms) ? undefined : ms
}

const whole = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (bytes) => Buffer.from(bytes))

const inPieces = (operation: string, response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return response.stream.pipe(
      Stream.runForEach((chunk) => {
        size += chunk.byteLength
        chunks.push(chunk)
        return size > largestBody ? Effect.fail(tooLarge(operation, response.status)) : Effect.void
      }),
      Effect.map(() => Buffer.concat(chunks))
    )
  })

/** What the limiter learns from an answer, or from its absence. */
export const feedback = (facts: Facts, exit: Exit.Exit<Answer, MarketplaceError | Withheld>): Feedback =>
  Exit.match(exit, {
    onSuccess: (answer) => ({
      status: answer.status,
      retryAfterMs: answer.retryAfterMs,
      remaining: answer.remaining,
      ...(isDaily(facts, answer) ? { daily: true } : {})
    }),
    onFailure: (cause) => {
      const silent = { status: undefined, retryAfterMs: undefined, remaining: undefined }
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      if (failure?.arrived !== "no") return silent
      return { ...silent, arrived: "no", ...(failure._tag === "Withheld" ? { withheld: true } : {}) }
    }
  })

/**
 * The second kind of 429 (not-shown §2): the body has no `status`, and its detail speaks of the day or names the
 * daily number. Known only of operations that have a daily quota.
 */
const isDaily = ({ quota }: Facts, answer: Answer): boolean =>
  answer.status === 429 &&
  quota !== undefined &&
  Option.exists(
    ErrorText.parse(answer.body),
    (json) =>
      Predicate.isRecord(json) &&
      json.status === undefined &&
      typeof json.detail === "string" &&
      (dailyWords.test(json.detail) || new RegExp(`(^|\\D)${quota.perDay}(\\D|$)`).test(json.detail))
  )

const dailyWords = /\b(daily|day)\b|сут(ки|ок|очн)|в день|дневн/i

/** Fault of a request that got no answer; a connection that was never made is known not to have arrived. */
export const fault = (operation: string, error: HttpClientError.RequestError): Transport =>
  new Transport({
    operation,
    status: undefined,
    text: ErrorText.clean(reasonOf(error)),
    retryAfterMs: undefined,
    arrived: error.reason === "Transport" && !neverConnected(error.cause) ? "maybe" : "no"
  })

/** No answer within the time allowed. */
export const timeout = (operation: string, ms: number): Transport =>
  broken(operation, `no whole answer within ${ms / 1000} s`)

/** The answer with its body in other words, in its bytes as well; a file stays as it came. */
export const saying = (facts: Facts, answer: Answer, body: string): Answer =>
  body === answer.body
    ? answer
    : { ...answer, body, bytes: facts.file === undefined ? encoder.encode(body) : answer.bytes }

/**
 * The answer as a response whose status is a declared one, so that decoding by the declaration works: nothing, null
 * and 204 mean the same empty result (field note T22). An answer outside 2xx, a page, and a refusal dressed as
 * success become errors.
 */
export const decodable = (
  facts: Facts,
  expectsNothing: boolean,
  request: HttpClientRequest.HttpClientRequest,
  answer: Answer
): Effect.Effect<HttpClientResponse.HttpClientResponse, MarketplaceError> => {
  const { body, retryAfterMs } = answer
  if (!isSuccess(answer)) {
    const { status } = answer
    const page = ErrorText.isHtml(body) ? ({ page: true } as const) : {}
    const words = { text: ErrorText.of(body), ...ErrorText.codeOf(body), ...page }
    const said = { operation: facts.id, status, ...(redirects.has(status) ? redirected(answer) : words) }
    return isDaily(facts, answer)
      ? Effect.flatMap(untilMidnight, (ms) =>
          Effect.fail(fromAnswer({ ...said, retryAfterMs: ms, daily: true }))
        )
      : Effect.fail(fromAnswer({ ...said, retryAfterMs }))
  }
  if (isOld(facts, answer)) {
    const text = `it was made ${Math.round((answer.ageMs ?? 0) / 1000)} s ago, by its header Age`
    return Effect.fail(
      new Outdated({
        operation: facts.id,
        status: answer.status,
        text,
        retryAfterMs: undefined,
        arrived: "yes"
      })
    )
  }
  if (ErrorText.isHtml(body) || ((expectsNothing || facts.access === "write") && refusesInside(body))) {
    return Effect.fail(undecodable(facts.id, answer.status, ErrorText.of(body)))
  }
  if (facts.file !== undefined) return file(facts, request, answer)
  const declared = declaredOf(facts, answer)
  const content = declared === 204 ? "" : body.trim() === "" && !expectsNothing ? "null" : body
  if (Json.isTooDeep(content)) {
    return Effect.fail(undecodable(facts.id, answer.status, `the answer is ${Json.tooDeep}`))
  }
  const bytes = content === body ? answer.bytes : encoder.encode(content)
  return Effect.succeed(makeWholeResponse(request, { status: declared, bytes }))
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

const isOld = ({ access }: Facts, { ageMs }: Answer): boolean =>
  access === "read" && ageMs !== undefined && ageMs > oldestCopyMs

/** The declared status that an answer within 2xx stands for. */
const declaredOf = ({ success }: Facts, { status }: Answer): number =>
  success.includes(status) ? status : (success[0] ?? 200)

/** Whether an answer may be read from its bytes: all others are looked at by `decodable` first. */
export const isPlain = (facts: Facts, answer: Answer): boolean =>
  facts.access === "read" &&
  facts.file === undefined &&
  isSuccess(answer) &&
  !isOld(facts, answer) &&
  declaredOf(facts, answer) !== 204

/** The response that stands for an answer whose value is known: of its declared status, and empty. */
export const emptyResponse = (
  facts: Facts,
  request: HttpClientRequest.HttpClientRequest,
  answer: Answer
): HttpClientResponse.HttpClientResponse =>
  makeWholeResponse(request, { status: declaredOf(facts, answer), bytes: new Uint8Array(0) })

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The host a redirect leads to. Neither its path nor its body is told: both may hold a session or the token. */
const redirected = ({ location }: Answer) => {
  const isOfAnother = location !== undefined && /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(location)
  const base = "https://same.invalid"
  const url = isOfAnother && URL.canParse(location, base) ? ErrorText.clean(new URL(location, base).host) : ""
  const unnamed = location === undefined || isOfAnother ? "a place that it does not name" : "the same host"
  return { text: "", redirect: url === "" ? unnamed : url }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Milliseconds to the end of the Moscow day. */
const untilMidnight = Effect.map(Clock.currentTimeMillis, (nowMs) => DailyQuota.midnightAfter(nowMs) - nowMs)

/** A file is handed on byte for byte; nothing at all is no file, and neither is a refusal inside a 200 (T15). */
const file = (facts: Facts, request: HttpClientRequest.HttpClientRequest, { bytes, status }: Answer) => {
  if (bytes.byteLength === 0) return Effect.fail(undecodable(facts.id, status, "the file is empty"))
  const beginning = decoder.decode(bytes.subarray(0, 64)).trimStart()
  return /^[{[]/.test(beginning)
    ? Effect.fail(undecodable(facts.id, status, ErrorText.of(decoder.decode(bytes))))
    : Effect.succeed(makeWholeResponse(request, { status: 200, bytes }))
}

/** An error for a 2xx whose content is not what was promised. */
export const undecodable = (operation: string, status: number | undefined, text: string): Undecodable =>
  new Undecodable({
    operation,
    status,
    text: ErrorText.clean(text),
    retryAfterMs: undefined,
    arrived: "yes"
  })

/**
 * The innermost complaint of a schema, with its place: `bids.0.bid: Expected a positive number, actual 0`. `at`: where
 * what it read lies.
 */
export const complaint = (error: ParseResult.ParseError, at: ReadonlyArray<string | number> = []): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const deepest = issues.reduce((a, b) => (b.path.length > a.path.length ? b : a), issues[0]!)
  const place = [...at, ...deepest.path].map(String).join(".")
  return place === "" ? deepest.message : `${place}: ${deepest.message}`
}

/** A 200 that carries a refusal where nothing was promised, or a change was asked for (field note T15). */
const refusesInside = (body: string): boolean =>
  Option.exists(
    ErrorText.parse(body),
    (json) =>
      Predicate.isRecord(json) &&
      ((typeof json.status === "number" && json.status >= 400) ||
        (json.error !== undefined && json.error !== false && json.error !== null && json.error !== ""))
  )

const tooLarge = (operation: string, status: number): Undecodable =>
  undecodable(operation, status, `the answer is larger than ${largestBody / 1024 / 1024} MiB`)

const broken = (operation: string, text: string): Transport =>
  new Transport({
    operation,
    status: undefined,
    text: ErrorText.clean(text),
    retryAfterMs: undefined,
    arrived: "maybe"
  })

/** Whether an error of the chain tells that there never was a connection to send on. */
const neverConnected = (cause: unknown, depth = 0): boolean => {
  if (!Predicate.isRecord(cause) || depth > 5) return false
  const { code, syscall } = cause
  if (typeof code === "string" && (noConnection.test(code) || (noWay.test(code) && syscall === "connect")))
    return true
  const inner = Array.isArray(cause.errors) ? cause.errors : []
  return [...inner, cause.cause].some((one) => neverConnected(one, depth + 1))
}

const noConnection = /ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|CERT_|_CERT|ERR_TLS/
/** The network says so of a connection too that a request has left on, and whose answer does not come. */
const noWay = /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/

/** Error codes along the chain of causes. */
const codes = (cause: unknown, depth = 0): string => {
  if (!Predicate.isRecord(cause) || depth > 5) return ""
  const own = typeof cause.code === "string" ? cause.code : ""
  const inner = Array.isArray(cause.errors) ? cause.errors.map((e) => codes(e, depth + 1)).join(" ") : ""
  return `${own} ${inner} ${codes(cause.cause, depth + 1)}`
}

const reasonOf = (error: HttpClientError.HttpClientError): string => {
  const { cause } = error
  const code = codes(cause).trim()
  const said = cause instanceof Error ? cause.message : (error.description ?? error.reason)
  return code === "" || said.includes(code) ? said : `${said} (${code})`
}

// When to call again, as the answer's headers say. Order of trust: `X-Ratelimit-Retry`, then `Retry-After` in seconds
// or as an HTTP date (not-shown §2, field note T08).

type AnswerHeaders = Readonly<Record<string, string | undefined>>

/** Milliseconds to wait; undefined when nothing usable was said. Nonsense beyond a day is cut to a day. */
export const retryAfterMs = (headers: AnswerHeaders, nowMs: number): number | undefined =>
  seconds(headers["x-ratelimit-retry"]) ??
  seconds(headers["retry-after"]) ??
  date(headers["retry-after"], nowMs)

/** Tokens left in the bucket, as the marketplace counts them. */
export const remaining = (headers: AnswerHeaders): number | undefined => {
  const text = headers["x-ratelimit-remaining"]
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined
}

const seconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text)
    ? Math.min(Number(text) * 1000, Days.dayMs)
    : undefined

const date = (text: string | undefined, nowMs: number): number | undefined => {
  if (text === undefined || !/^[A-Za-z]{3,9},/.test(text.trim())) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - nowMs), Days.dayMs)
}

// A response whose body is at hand as bytes: nothing of it is read, so there is nothing to wait for or to abort.

export interface Content {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** The answer to `request`, as decoding by the declaration wants it. */
export const makeWholeResponse = (
  request: HttpClientRequest.HttpClientRequest,
  { bytes, headers = {}, status }: Content
): HttpClientResponse.HttpClientResponse => new WholeResponse(request, status, headers, bytes)

class WholeResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly headers: Headers.Headers
  readonly cookies = Cookies.empty
  readonly remoteAddress = Option.none<string>()

  constructor(
    readonly request: HttpClientRequest.HttpClientRequest,
    readonly status: number,
    headers: Readonly<Record<string, string>>,
    private readonly bytes: Uint8Array
  ) {
    super()
    this.headers = Headers.fromInput(headers)
  }

  get arrayBuffer() {
    // The constructor copies in one piece; `from` would take each byte by itself.
    return Effect.sync(() => new Uint8Array(this.bytes).buffer)
  }

  get text() {
    return Effect.sync(() => new TextDecoder().decode(this.bytes))
  }

  get json(): Effect.Effect<unknown, HttpClientError.ResponseError> {
    return Effect.flatMap(this.text, (text) =>
      text === ""
        ? Effect.succeed(null)
        : Effect.mapError(Json.read(text), (why) => this.undecodable(`the answer is ${why}`))
    )
  }

  get urlParamsBody() {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.ResponseError> {
    return Effect.fail(this.undecodable("a form was not asked for"))
  }

  get stream() {
    return Stream.make(this.bytes)
  }

  toJSON(): unknown {
    return { _id: "WholeResponse", request: this.request.toJSON(), status: this.status }
  }

  private undecodable(cause: unknown): HttpClientError.ResponseError {
    return new HttpClientError.ResponseError({
      request: this.request,
      response: this,
      reason: "Decode",
      cause
    })
  }
}
