/** Connections that break: the app only says so, and whoever carries the answer breaks it in its own way. */

import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type Answer, bytesOf } from "./Answer.js"

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
export const breakSocket = (
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
