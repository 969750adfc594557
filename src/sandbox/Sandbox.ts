/**
 * The marketplace in a box: the operations of the declaration with their own state, limits, faults and clock, as an
 * `HttpApp`. `serve` puts it on loopback; tests may call the app in the same fiber. Time is Effect's Clock.
 */
import { createServer } from "node:http"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, bytesOf } from "./Answer.js"
import * as Buckets from "./Buckets.js"
import * as Control from "./Control.js"
import * as Dice from "./Dice.js"
import * as Faults from "./Faults.js"
import * as Gate from "./Gate.js"
import * as Ledger from "./Ledger.js"
import type { MarketKind } from "./market/Kinds.js"
import * as Model from "./market/model/Model.js"
import * as Scale from "./market/Scale.js"
import * as World from "./market/World.js"
import { defaultSeller } from "./SandboxToken.js"
import type { Service } from "./Service.js"

export interface Options {
  /** Same seed, same marketplace; 1 unless given. */
  readonly seed?: number
  /** The demo's size unless given. */
  readonly scale?: Scale.Scale
  /** The instant history ends and the present begins, epoch milliseconds; now unless given. */
  readonly originMs?: number
  /** How fast the clock runs; only reported, the clock itself is provided by the caller. */
  readonly speed?: number
  /** The marketplace's test environment: Test tokens only, one request per second, ids of its own (not-shown §5). */
  readonly testEnvironment?: boolean
  /** The plain market unless given, or it with other clusters; the borderline ones are for measuring wrong judgements. */
  readonly market?: Model.Model | MarketKind
  /** Buyers answer to promotions by price and boost; otherwise promotions change nothing in the shop. */
  readonly buyers?: boolean
  /** Entries that the ledger keeps at least, the latest; all unless given. A server that runs for months needs an end. */
  readonly ledgerEntries?: number
}

export class Sandbox extends Context.Tag("bidhelm/Sandbox")<Sandbox, Service>() {}

/** Makes a fresh marketplace; nothing is computed until it is asked for. */
export const make = (options: Options = {}): Effect.Effect<Service> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const seed = options.seed ?? 1
    const scale = options.scale ?? Scale.demo
    const originMs = options.originMs ?? nowMs
    const worlds = new Map<string, World.World>()
    return {
      seed,
      speed: options.speed ?? 1,
      originMs,
      testEnvironment: options.testEnvironment ?? false,
      ledger: Ledger.make(options.ledgerEntries),
      faults: Faults.make(seed),
      buckets: Buckets.make(),
      world: (seller) => {
        const kept = worlds.get(seller)
        if (kept !== undefined) return kept
        const made = worldOf(seller, seed, scale, originMs, options)
        worlds.set(seller, made)
        return made
      }
    }
  })

/** The default seller's campaigns are numbered from 1000001, another seller's from a million of their own. */
const worldOf = (
  seller: string,
  seed: number,
  scale: Scale.Scale,
  originMs: number,
  { buyers = false, market = Model.plain, testEnvironment = false }: Options
): World.World => {
  const same = { seller, scale, originMs, testEnvironment, market, buyers }
  if (seller === defaultSeller) return World.make({ ...same, seed, firstId: 1_000_001 })
  const own = Dice.ofText(seed, seller)
  const firstId = 1_000_000 * (2 + (Dice.uint(own) % 1000)) + 1
  return World.make({ ...same, seed: own, firstId })
}

export const layer = (options: Options = {}): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(options))

/** The marketplace as an app. It fails with `BrokenConnection` where the wire is to break. */
const app: HttpApp.Default<BrokenConnection, Sandbox> = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const base = "http://sandbox"
  const url = new URL(URL.canParse(request.url, base) ? request.url : "/", base)
  const { accept, authorization } = request.headers
  const answered = yield* answer({
    method: request.method,
    url,
    authorization,
    accept,
    body: yield* bodyOf(request)
  })
  // By its own clock, which may be none of the machine's.
  const date = new Date(yield* Clock.currentTimeMillis).toUTCString()
  return HttpServerResponse.setHeader(responseOf(answered), "date", date)
})

/** What the marketplace answers, for a caller within the process. */
export const answer = (asked: Gate.Asked): Effect.Effect<Answer, BrokenConnection, Sandbox> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const isControl = asked.url.pathname.startsWith(Control.prefix)
    const delayMs = isControl ? 0 : Gate.delay(sandbox, asked)
    if (delayMs > 0) yield* Effect.sleep(delayMs)
    const nowMs = yield* Clock.currentTimeMillis
    if (isControl) return Control.answer(sandbox, asked.method, asked.url, asked.body, nowMs)
    const preciseMs = Number(yield* Clock.currentTimeNanos) / 1e6
    const outcome = Gate.pass(sandbox, asked, { nowMs, preciseMs })
    return outcome._tag === "Answered" ? outcome.answer : yield* new BrokenConnection({ half: outcome.half })
  })

const bodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  request.method === "GET" ? Effect.succeed("") : Effect.orElseSucceed(request.text, () => "")

const responseOf = (answer: Answer): HttpServerResponse.HttpServerResponse =>
  answer.body === ""
    ? HttpServerResponse.empty({ status: answer.status, headers: headersOf(answer) })
    : HttpServerResponse.uint8Array(bytesOf(answer), {
        status: answer.status,
        headers: answer.headers,
        contentType: answer.contentType ?? "application/octet-stream"
      })

/** Serves the app on 127.0.0.1; port 0 takes a free one, `HttpServer.address` tells which. */
export const serve = (options: {
  readonly port: number
}): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, Sandbox> =>
  Layer.provideMerge(
    HttpServer.serve(
      Effect.catchTag(app, "BrokenConnection", (broken) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => breakSocket(request, broken))
      )
    ),
    NodeHttpServer.layerServer(() => createServer(), { port: options.port, host: "127.0.0.1" })
  )

// Connections that break: the app only says so, and whoever carries the answer breaks it in its own way.

/** No answer will come; `half` is one that breaks off in the middle of its body. */
export class BrokenConnection extends Data.TaggedError("BrokenConnection")<{
  readonly half: Answer | undefined
}> {
  override get message(): string {
    return this.half === undefined ? "the connection was reset" : "the connection broke inside the answer"
  }
}

/** Headers of an answer as they go over the wire. */
export const headersOf = (answer: Answer): Record<string, string> => ({
  ...answer.headers,
  ...(answer.contentType === undefined ? {} : { "content-type": answer.contentType })
})

/** The part of the body that still arrives. */
export const halfOf = (answer: Answer): Buffer => {
  const body = bytesOf(answer)
  return body.subarray(0, Math.floor(body.length / 2))
}

/** Breaks the socket under a request; ends when the server notices. */
const breakSocket = (
  request: HttpServerRequest.HttpServerRequest,
  broken: BrokenConnection
): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      const socket = response.socket
      if (broken.half === undefined) {
        socket?.resetAndDestroy()
        return
      }
      const headers = { ...headersOf(broken.half), "content-length": bytesOf(broken.half).length }
      response.writeHead(broken.half.status, headers)
      response.write(halfOf(broken.half), () => socket?.destroy())
    }),
    Effect.never
  )
