/** A server of this process for the scope: an `HttpApi` at a TCP address or at a socket that only its owner may open. */
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { dirname } from "node:path"
import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Address } from "../config/Config.js"
import { stop } from "../terminal/Stop.js"

export type Place = { readonly _tag: "Socket"; readonly path: string } | ({ readonly _tag: "Tcp" } & Address)

export interface Options {
  readonly place: Place
  /** What stands before every endpoint, and before the answer that there is none. */
  readonly guard?: (app: HttpApp.Default) => HttpApp.Default
  /** Asks answers that still run to end; done when the scope ends, before connections are closed. */
  readonly closing?: Effect.Effect<void>
}

/** Larger than any command line as JSON: Linux takes arguments of 6 MB at most, and a quotation mark becomes two signs. */
const mostBytes = 16_000_000

/** Longest that answers are waited for at the end, milliseconds of the machine. */
const closingMs = 3000

/** Serves an implemented API. A defect is logged, and whoever asked hears that there is one; what cannot be read is none. */
export const serve = <R>(
  api: Layer.Layer<HttpApi.Api, never, R>,
  { closing = Effect.void, guard = (app) => app, place }: Options
) =>
  Effect.gen(function* () {
    const built = Layer.mergeAll(HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer)
    const context = yield* Layer.build(
      Layer.mergeAll(Layer.provideMerge(api, built), NodeHttpServer.layerContext)
    )
    const app = yield* Effect.provide(HttpApiBuilder.httpApp, context)
    const answers = new Set<object>()
    const handler = yield* NodeHttpServer.makeHandler(
      guard(Effect.provide(Effect.catchAllDefect(app, broken), context)),
      (answer) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const one = {}
            answers.add(one)
            return one
          }),
          () => answer,
          (one) => Effect.sync(() => answers.delete(one))
        )
    ).pipe(
      HttpMiddleware.withTracerDisabledWhenEffect(() => true),
      HttpIncomingMessage.withMaxBodySize(Option.some(mostBytes))
    )
    const server = createServer((request, response) => {
      // An answer is over when it has left, not when it was handed over.
      answers.add(response)
      response.once("close", () => answers.delete(response))
      handler(request, response)
    })
    yield* Effect.acquireRelease(listen(server, place), () =>
      Effect.gen(function* () {
        server.close()
        yield* closing
        yield* Effect.promise(() => gone(answers, closingMs))
        server.closeAllConnections()
      })
    )
  })

/** Whoever asked would wait for ever. */
const broken = (defect: unknown) =>
  Effect.gen(function* () {
    if (defect instanceof HttpServerError.RequestError && defect.reason === "Decode") return unread
    const { url } = yield* HttpServerRequest.HttpServerRequest
    yield* Effect.logError(`bidhelm has a defect: ${url} has no answer`, defect)
    return HttpServerResponse.text(`${JSON.stringify({ broken: "the log says why" })}\n`, {
      status: 500,
      contentType: "application/json"
    })
  })

const unread = HttpServerResponse.text(`${JSON.stringify({ message: "what was sent is no JSON" })}\n`, {
  status: 400,
  contentType: "application/json"
})

/** Waits until a set is empty, by the machine's time, whatever the accounts live by. */
export const gone = async (
  set: ReadonlySet<unknown>,
  mostMs: number,
  signal?: AbortSignal
): Promise<void> => {
  for (let waited = 0; set.size > 0 && waited < mostMs && signal?.aborted !== true; waited += 20) {
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

const listen = (server: Server, place: Place) =>
  Effect.async<void, ReturnType<typeof stop>>((resume) => {
    // An error later on, such as too many open files, is of one connection and must not end the program.
    server.on("error", (error) => resume(Effect.fail(stop(1, cannot(place, error.message)))))
    const listening = () => resume(Effect.void)
    if (place._tag === "Tcp") return void server.listen(place.port, place.host, listening)
    const { path } = place
    if (process.platform === "win32") return void server.listen(path, listening)
    // Whoever has the run lock is alone, so an old socket there is a dead one's.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(path, { force: true })
    // The socket is made within `listen`, and must not be open to others for a moment.
    const before = process.umask(0o177)
    server.listen(path, () => {
      chmodSync(path, 0o600)
      listening()
    })
    process.umask(before)
  })

const cannot = (place: Place, why: string): string =>
  place._tag === "Socket"
    ? `the socket ${place.path} cannot be opened: ${why}`
    : `${place.host}:${place.port} cannot be used (${why}); choose another as runner: http`
