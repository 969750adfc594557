/** A response at hand as bytes answers what the platform's own response of the same bytes answers. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Answer from "../../src/services/Answer.js"

const request = HttpClientRequest.get("http://sandbox/adv/v1/list")
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const whole = (text: string, status = 200) =>
  Answer.makeWholeResponse(request, { status, bytes: bytesOf(text) })
const platform = (bytes: Uint8Array, status: number, headers: Readonly<Record<string, string>>) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(Uint8Array.from(bytes), { status, headers: { ...headers } })
  )

/** Everything that can be read of a body, each by a response of its own: the platform's can be read once. */
const read = async (make: () => HttpClientResponse.HttpClientResponse) => {
  const { headers, status } = make()
  const json = await Effect.runPromise(Effect.either(make().json))
  const streamed = await Effect.runPromise(Stream.runCollect(make().stream))
  return {
    status,
    headers: { ...headers },
    text: await Effect.runPromise(make().text),
    json: Either.mapLeft(json, ({ _tag, message, reason }) => ({ _tag, message, reason })),
    params: await Effect.runPromise(make().urlParamsBody),
    buffer: [...new Uint8Array(await Effect.runPromise(make().arrayBuffer))],
    stream: Chunk.toReadonlyArray(streamed).flatMap((part) => [...part])
  }
}

describe("a whole response", () => {
  it("has the status, the headers in any case, and the request it answers", () => {
    const headers = { "Content-Type": "text/csv", "X-Retry": "3" }
    const response = Answer.makeWholeResponse(request, { status: 429, headers, bytes: bytesOf("a;b") })
    expect(response.status).toBe(429)
    expect(response.headers["content-type"]).toBe("text/csv")
    expect(response.headers["x-retry"]).toBe("3")
    expect(response.request).toBe(request)
  })

  it("reads an empty body as nothing: no text, no bytes, null as JSON", async () => {
    const empty = await read(() => whole("", 204))
    expect([empty.text, empty.buffer, empty.json]).toEqual(["", [], Either.right(null)])
  })

  it("says of a body that is no JSON that it cannot be decoded, and can still be read as text", async () => {
    const response = whole("<html>busy</html>", 502)
    const error = await Effect.runPromise(Effect.flip(response.json))
    expect([error._tag, error.reason, error.response.status]).toEqual(["ResponseError", "Decode", 502])
    expect(await Effect.runPromise(response.text)).toBe("<html>busy</html>")
    expect((await Effect.runPromise(Effect.flip(response.formData)))._tag).toBe("ResponseError")
  })

  it("is decoded by a declaration, more than once", async () => {
    const response = whole('{"adverts": [1, 2]}')
    const decode = HttpClientResponse.schemaBodyJson(Schema.Struct({ adverts: Schema.Array(Schema.Number) }))
    const both = Effect.all([decode(response), decode(response)])
    expect(await Effect.runPromise(both)).toEqual([{ adverts: [1, 2] }, { adverts: [1, 2] }])
  })

  it("gives bytes of its own: whoever changes them changes nobody else's", async () => {
    const response = whole("abc")
    new Uint8Array(await Effect.runPromise(response.arrayBuffer)).fill(0)
    expect(await Effect.runPromise(response.text)).toBe("abc")
  })

  it("answers what the platform's response answers, for any body", async () => {
    const bodies = fc.oneof(
      fc.json().map(bytesOf),
      fc.string({ unit: "grapheme" }).map(bytesOf),
      fc.webQueryParameters().map(bytesOf),
      fc.string().map((text) => bytesOf(`\uFEFF${text}`)),
      fc.uint8Array()
    )
    const headers = fc.dictionary(
      fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,11}$/),
      fc.stringMatching(/^[\x21-\x7e]{1,12}$/),
      { maxKeys: 3 }
    )
    const statuses = fc.constantFrom(200, 201, 400, 401, 404, 429, 500, 503)
    await fc.assert(
      fc.asyncProperty(bodies, headers, statuses, async (bytes, given, status) => {
        const names = Object.keys(given).map((name) => name.toLowerCase())
        fc.pre(new Set(names).size === names.length && !names.includes("content-type"))
        const all = { ...given, "content-type": "application/json" }
        const ours = await read(() => Answer.makeWholeResponse(request, { status, headers: all, bytes }))
        expect(ours).toEqual(await read(() => platform(bytes, status, all)))
      }),
      { numRuns: 300 }
    )
  })
})
