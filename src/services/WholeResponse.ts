/** A response whose body is at hand as bytes: nothing of it is read, so there is nothing to wait for or to abort. */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Json from "../domain/Json.js"

export interface Content {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** The answer to `request`, as decoding by the declaration wants it. */
export const make = (
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
    return Effect.sync(() => Uint8Array.from(this.bytes).buffer)
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
