/**
 * An HttpClient that asks the sandbox in the caller's own fiber: no sockets, so a virtual clock drives both sides.
 * Broken connections of the sandbox become the errors a real client would see.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, bytesOf } from "../../src/sandbox/Answer.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { type BrokenConnection, halfOf, headersOf } from "../../src/sandbox/Sandbox.js"
import * as WholeResponse from "../../src/services/Answer.js"

/** The sandbox in memory: a client that reaches it, and the sandbox itself for looking inside. */
export const layer = (options: Sandbox.Options = {}): Layer.Layer<HttpClient.HttpClient | Sandbox.Sandbox> =>
  Layer.provideMerge(client, Sandbox.layer(options))

/** The client alone, of a sandbox that somebody else made. */
export const client: Layer.Layer<HttpClient.HttpClient, never, Sandbox.Sandbox> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Sandbox.Sandbox, (sandbox) =>
    HttpClient.make((request, url) =>
      Sandbox.answer({
        method: request.method,
        url,
        authorization: request.headers.authorization,
        accept: request.headers.accept,
        body: bodyOf(request)
      }).pipe(
        Effect.map((answer) => responseOf(request, answer)),
        Effect.catchTag("BrokenConnection", (broken) => brokenFor(request, broken)),
        Effect.provideService(Sandbox.Sandbox, sandbox)
      )
    )
  )
)

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  answer: Answer
): HttpClientResponse.HttpClientResponse => {
  const bytes = bytesOf(answer)
  const headers = { ...headersOf(answer), "content-length": `${bytes.length}` }
  return WholeResponse.makeWholeResponse(request, { status: answer.status, headers, bytes })
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
