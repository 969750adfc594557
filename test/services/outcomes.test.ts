import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterEach, assert, describe } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import { effectOf } from "../../src/services/MarketplaceError.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { type Fake, json, type Reply, withMarketplace, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

const call = ({ client }: Fake, id: string) => withPermit(client.call(id, inputs[id]!))

/** Lets retries' pauses and timeouts pass in virtual time. */
const hurried = <A, E, R>(effect: Effect.Effect<A, E, R>) => VirtualClock.make().run(effect)

/** What becomes of a call for each of these replies in turn, and how many requests it took. */
const outcomes = (entry: Catalogue.Entry, replies: ReadonlyArray<Reply>) => {
  let current: Reply = "silence"
  return withMarketplace(
    () => current,
    (fake) =>
      Effect.forEach(replies, (reply) =>
        Effect.suspend(() => {
          current = reply
          const before = fake.sent.length
          return Effect.map(Effect.either(call(fake, entry.id)), (result) => ({
            result,
            sent: fake.sent.length - before
          }))
        })
      )
  )
}

const outcome = (entry: Catalogue.Entry, reply: Reply) =>
  Effect.map(outcomes(entry, [reply]), ([only]) => only!)

const isVoid = (entry: Catalogue.Entry) => HttpApiSchema.isVoid(entry.endpoint.successSchema.ast)

/** Lets the test runner's messages through: these tests never wait for anything. */
afterEach(() => new Promise((resolve) => setImmediate(resolve)))

describe.each(Catalogue.operations.map((entry) => [entry.id, entry] as const))("%s", (id, entry) => {
  it.effect("says that a page, half a body or another shape cannot be read", () =>
    Effect.gen(function* () {
      const shapes =
        isVoid(entry) || entry.file !== undefined ? [] : ['{"adverts":[{"id', '{"half": tru', '"a sentence"']
      const bodies = ["<!DOCTYPE html><title>Sign in</title>", ...shapes]
      const results = yield* outcomes(
        entry,
        bodies.map((body) => ({ status: 200, body }))
      )
      for (const [i, { result, sent }] of results.entries()) {
        assert.isTrue(result._tag === "Left" && result.left._tag === "Undecodable", `${id}: ${bodies[i]}`)
        assert.strictEqual(sent, 1)
        if (result._tag === "Left") assert.strictEqual(effectOf(result.left), "unknown")
      }
    })
  )

  it.effect("tells a refusal by its status, with the marketplace's words, and a redirect as one", () =>
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
      const results = yield* outcomes(
        entry,
        tags.map(([status]) => json({ detail: "no such thing", status: 200 }, status))
      )
      for (const [i, { result, sent }] of results.entries()) {
        const [status, tag] = tags[i]!
        assert.isTrue(result._tag === "Left" && result.left._tag === tag, `${id} ${status}`)
        if (result._tag === "Left") {
          assert.include(result.left.message, status === 301 ? "was a redirect" : "no such thing")
          assert.strictEqual(effectOf(result.left), "none")
        }
        assert.strictEqual(sent, entry.altPath !== undefined && status === 404 ? 2 : 1)
      }
    })
  )
})

describe("an answer that is no word of the marketplace's own", () => {
  it.effect.each([302, 303, 408, 499])("leaves open whether a write took effect: %i", (status) =>
    Effect.gen(function* () {
      const deposit = Catalogue.find("depositCampaignBudget")!
      const { result, sent } = yield* outcome(deposit, { status, body: "" })
      assert.isTrue(result._tag === "Left" && effectOf(result.left) === "unknown")
      assert.strictEqual(sent, 1)
    })
  )

  it.effect("is no success where a refusal stands inside", () =>
    Effect.gen(function* () {
      const bids = Catalogue.find("setItemBids")!
      for (const [body, tag] of [
        ['{"error":"the bid is too low"}', "Left"],
        ['{"status":400,"detail":"no such item"}', "Left"],
        ['{"bids":[],"currency":"RUB"}', "Right"]
      ] as const) {
        const { result } = yield* outcome(bids, { status: 200, body })
        assert.strictEqual(result._tag, tag, body)
        if (result._tag === "Left") assert.strictEqual(effectOf(result.left), "unknown")
      }
    })
  )
})

describe("every operation", () => {
  const all = (reply: Reply) =>
    hurried(
      Effect.forEach(
        Catalogue.operations,
        (entry) => Effect.map(outcome(entry, reply), (answer) => ({ entry, ...answer })),
        { concurrency: "unbounded" }
      )
    )

  it.effect.each([
    ["a broken connection", { fault: "ECONNRESET" }, "Transport"],
    ["a failing marketplace", { status: 503, body: "<html><h1>Bad day</h1>" }, "Unavailable"],
    ["silence", "silence", "Transport"]
  ] as const)("is repeated after %s if that is safe, and never otherwise", ([, reply, tag]) =>
    Effect.gen(function* () {
      for (const { entry, result, sent } of yield* all(reply)) {
        assert.isTrue(result._tag === "Left" && result.left._tag === tag, entry.id)
        if (result._tag === "Left") assert.strictEqual(effectOf(result.left), "unknown")
        assert.strictEqual(sent, entry.retry === "safe" ? 3 : 1, entry.id)
      }
    })
  )

  it.effect("is repeated after a 429, read or write, but not for ever, and a deposit not at all", () =>
    Effect.gen(function* () {
      const throttled = { status: 429, body: "{}", headers: { "X-Ratelimit-Retry": "7" } }
      for (const { entry, result, sent } of yield* all(throttled)) {
        assert.isTrue(result._tag === "Left" && result.left._tag === "Throttled", entry.id)
        if (result._tag === "Left" && result.left._tag === "Throttled") {
          assert.strictEqual(result.left.retryAfterMs, 7000)
        }
        assert.strictEqual(sent, entry.id === "depositCampaignBudget" ? 1 : 3, entry.id)
      }
    })
  )
})

it.effect(
  "an answer about cluster bids that names no list is unreadable: no bid must not be read from silence",
  () =>
    Effect.gen(function* () {
      const entry = Catalogue.find("getClusterBids")!
      for (const body of [null, {}, []]) {
        const { result } = yield* outcome(entry, json(body))
        assert.strictEqual(result._tag === "Left" && result.left._tag, "Undecodable")
      }
    })
)
