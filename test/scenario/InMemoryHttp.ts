/**
 * An HttpClient that calls an HttpApp in the caller's own fiber: no sockets, so a virtual clock drives both sides.
 * Broken connections of the sandbox become the errors a real client would see.
 */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BrokenConnection, halfOf, headersOf } from "../../src/sandbox/Connection.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"

type App<R> = HttpApp.Default<BrokenConnection, R>

/** A client of an app; the app's requirements are taken once, here. */
export const fromApp = <R>(app: App<R>) =>
  Effect.map(Effect.context<Exclude<R, HttpServerRequest.HttpServerRequest>>(), (context) =>
    HttpClient.make(
      (request, url) =>
        app.pipe(
          Effect.scoped,
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(webRequest(request, url))
          ),
          Effect.map((response) => HttpClientResponse.fromWeb(request, HttpServerResponse.toWeb(response))),
          Effect.catchTag("BrokenConnection", (broken) => brokenFor(request, broken)),
          Effect.provide(context)
        ) as Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
    )
  )

/** The sandbox in memory: a client that reaches it, and the sandbox itself for looking inside. */
export const layer = (options: Sandbox.Options = {}): Layer.Layer<HttpClient.HttpClient | Sandbox.Sandbox> =>
  Layer.effect(HttpClient.HttpClient, fromApp(Sandbox.app)).pipe(Layer.provideMerge(Sandbox.layer(options)))

const webRequest = (request: HttpClientRequest.HttpClientRequest, url: URL): Request => {
  const headers = new Headers(request.headers)
  const { body } = request
  if (body.contentType !== undefined) headers.set("content-type", body.contentType)
  const content =
    body._tag === "Uint8Array"
      ? body.body
      : body._tag === "Raw" && typeof body.body === "string"
        ? body.body
        : undefined
  return new Request(url, {
    method: request.method,
    headers,
    ...(content === undefined ? {} : { body: typeof content === "string" ? content : Buffer.from(content) })
  })
}

const brokenFor = (
  request: HttpClientRequest.HttpClientRequest,
  broken: BrokenConnection
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError> => {
  const { half } = broken
  if (half === undefined)
    return Effect.fail(
      new HttpClientError.RequestError({
        request,
        reason: "Transport",
        cause: broken,
        description: broken.message
      })
    )
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(halfOf(half)))
    },
    pull: (controller) => controller.error(broken)
  })
  return Effect.succeed(
    HttpClientResponse.fromWeb(
      request,
      new Response(stream, { status: half.status, headers: headersOf(half) })
    )
  )
}
