import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import { effectOf } from "../../src/services/MarketplaceError.js"
import { type Fake, json, type Reply, withMarketplace, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

const call = ({ client }: Fake, id: string) => withPermit(client.call(id, inputs[id]!))

/** Lets retries' pauses and timeouts pass in virtual time. */
const hurried = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

const outcome = (entry: Catalogue.Entry, reply: Reply) =>
  withMarketplace(
    () => reply,
    (fake) =>
      Effect.map(Effect.either(call(fake, entry.id)), (result) => ({ result, sent: fake.sent.length }))
  )

const isVoid = (entry: Catalogue.Entry) => HttpApiSchema.isVoid(entry.endpoint.successSchema.ast)

describe.each(Catalogue.operations.map((entry) => [entry.id, entry] as const))("%s", (id, entry) => {
  it.effect("decodes every answer its schema can describe", () =>
    Effect.gen(function* () {
      const schema: Schema.Schema.AnyNoContext = entry.endpoint.successSchema
      const answers = isVoid(entry)
        ? [undefined]
        : fc.sample(Arbitrary.make(schema), { numRuns: 15, seed: 35 })
      for (const value of answers) {
        const body = value === undefined ? "" : JSON.stringify(Schema.encodeSync(schema)(value))
        const { result } = yield* outcome(entry, { status: entry.success[0]!, body })
        assert.strictEqual(result._tag, "Right", `${id}: ${body}`)
      }
    })
  )

  it.effect("ignores fields it does not know", () =>
    Effect.gen(function* () {
      if (isVoid(entry) || id === "createCampaign") return
      const list = [
        "listCampaignSubjects",
        "listCampaignItems",
        "getCostHistory",
        "getPaymentHistory",
        "getCampaignStats"
      ]
      const { result } = yield* outcome(entry, json(list.includes(id) ? [] : { surprise: { nested: [1] } }))
      assert.strictEqual(result._tag, "Right")
    })
  )

  it.effect("says that a page, half a body or another shape cannot be read", () =>
    Effect.gen(function* () {
      const shapes = isVoid(entry) ? [] : ['{"adverts":[{"id', '{"half": tru', '"a sentence"']
      for (const body of ["<!DOCTYPE html><title>Sign in</title>", ...shapes]) {
        const { result, sent } = yield* outcome(entry, { status: 200, body })
        assert.isTrue(result._tag === "Left" && result.left._tag === "Undecodable", `${id}: ${body}`)
        assert.strictEqual(sent, 1)
        if (result._tag === "Left") assert.strictEqual(effectOf(result.left), "unknown")
      }
    })
  )

  it.effect("tells a refusal by its status, with the marketplace's words", () =>
    Effect.gen(function* () {
      const tags = [
        [400, "Refused"],
        [401, "Unauthorised"],
        [402, "Forbidden"],
        [403, "Forbidden"],
        [404, "Refused"],
        [409, "Refused"],
        [422, "Refused"],
        [461, "Refused"],
        [301, "Refused"]
      ] as const
      for (const [status, tag] of tags) {
        const { result, sent } = yield* outcome(entry, json({ detail: "no such thing", status: 200 }, status))
        assert.isTrue(result._tag === "Left" && result.left._tag === tag, `${id} ${status}`)
        if (result._tag === "Left") {
          assert.include(result.left.message, "no such thing")
          assert.strictEqual(effectOf(result.left), "none")
        }
        assert.strictEqual(sent, entry.altPath !== undefined && status === 404 ? 2 : 1)
      }
    })
  )

  it.effect("repeats a read on transport faults and 5xx, and never a write", () =>
    Effect.gen(function* () {
      const tries = entry.access === "read" ? 3 : 1
      const [broken, down, silent] = yield* hurried(
        Effect.all(
          [
            outcome(entry, { fault: "ECONNRESET" }),
            outcome(entry, { status: 503, body: "<html><h1>Bad day</h1>" }),
            outcome(entry, "silence")
          ],
          { concurrency: "unbounded" }
        )
      )
      assert.isTrue(broken.result._tag === "Left" && broken.result.left._tag === "Transport")
      assert.isTrue(down.result._tag === "Left" && down.result.left._tag === "Unavailable")
      assert.isTrue(silent.result._tag === "Left" && silent.result.left._tag === "Transport")
      assert.deepStrictEqual([broken.sent, down.sent, silent.sent], [tries, tries, tries])
      for (const { result } of [broken, down, silent]) {
        if (result._tag === "Left") assert.strictEqual(effectOf(result.left), "unknown")
      }
    })
  )

  it.effect("repeats after a 429, reads and writes alike, but not for ever", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* hurried(
        outcome(entry, { status: 429, body: "{}", headers: { "X-Ratelimit-Retry": "7" } })
      )
      assert.isTrue(result._tag === "Left" && result.left._tag === "Throttled")
      assert.isTrue(
        result._tag === "Left" && result.left._tag === "Throttled" && result.left.retryAfterMs === 7000
      )
      assert.strictEqual(sent, 3)
    })
  )
})
