/** What came is held against what was asked: no order is without its sticker or a reason, whatever the marketplace does. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { assert, describe, test } from "vitest"
import * as Stickers from "../../../src/cli/labels/Stickers.js"
import type { OrderId } from "../../../src/domain/Ids.js"
import { MarketplaceClient } from "../../../src/services/MarketplaceClient.js"
import * as Depth from "../../Depth.js"
import * as Supply from "../../printing/Supply.js"
import { json, type Reply, type Sent, withMarketplace } from "../../services/FakeMarketplace.js"

const base64 = (file: Uint8Array | string) => Buffer.from(file).toString("base64")
const idsOf = ({ body }: Sent) => (body as { readonly orders: ReadonlyArray<number> }).orders

/** What the marketplace does about one order. */
type Fate =
  | "fine"
  | "new"
  | "no status"
  | "undeclared"
  | "left out"
  | "empty"
  | "torn"
  | "other size"
  | "sinks its batch"

const answer =
  (fates: ReadonlyMap<number, Fate>) =>
  (sent: Sent): Reply => {
    const orders = idsOf(sent).map((id) => ({ id, fate: fates.get(id) ?? "fine" }))
    if (sent.url.pathname.endsWith("/status"))
      return json({
        orders: orders
          .filter(({ fate }) => fate !== "no status")
          .map(({ fate, id }) => ({
            id,
            supplierStatus: fate === "new" ? "new" : "confirm",
            platformStatus: "waiting",
            isCancellable: true
          }))
      })
    if (sent.url.pathname.endsWith("/orders/meta"))
      return json({
        orders: orders.map(({ fate, id }) => ({
          id,
          metaDetails:
            fate === "undeclared" ? [{ key: "customsDeclaration", value: null, decision: "required" }] : []
        }))
      })
    if (orders.some(({ fate }) => fate === "sinks its batch"))
      return json({ code: "IncorrectRequest", message: "an order does not fit" }, 400)
    return json({
      stickers: orders
        .filter(({ fate }) => fate !== "left out")
        .map(({ fate, id }) => {
          const whole = Supply.png(id - Supply.orderId(0), fate === "other size" ? "40x30" : "58x40")
          const file = fate === "torn" ? whole.subarray(0, whole.length - 20) : whole
          return {
            orderId: id,
            partA: "1",
            partB: String(id).slice(-4),
            barcode: "*A",
            file: fate === "empty" ? "" : base64(file)
          }
        })
    })
  }

const reasons: Readonly<Record<Exclude<Fate, "fine">, string>> = {
  new: "wrong_status",
  "no status": "no_status",
  undeclared: "no_declaration",
  "left out": "left_out",
  empty: "left_out",
  torn: "torn",
  "other size": "other_size",
  "sinks its batch": "refused"
}

const asked = (orders: ReadonlyArray<OrderId>): Stickers.Asked => ({
  orders,
  size: "58x40",
  format: "pdf",
  crossBorder: false,
  waitMs: 0
})

const codeOf = ({ lack }: Stickers.Lacking) => Stickers.codeOf(lack)

const fateOf = fc.oneof(
  { arbitrary: fc.constant<Fate>("fine"), weight: 12 },
  { arbitrary: fc.constantFrom<Fate>(...(Object.keys(reasons) as Array<Exclude<Fate, "fine">>)), weight: 1 }
)

describe("stickers of a supply", () => {
  test("are there, or lack for the reason that is so, each order once", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fateOf, { minLength: 1, maxLength: 120 }), async (drawn) => {
        // More than one that sinks its batch may use up what is spent on refusals.
        const fates = drawn.map((fate, i) =>
          fate === "sinks its batch" && drawn.indexOf(fate) !== i ? "fine" : fate
        )
        const orders = fates.map((_, i) => Supply.orderId(i + 1))
        const byId = new Map(orders.map((id, i) => [id as number, fates[i]!]))
        const got = await Effect.runPromise(
          withMarketplace(answer(byId), ({ client }) =>
            Effect.provideService(Stickers.read(asked(orders)), MarketplaceClient, client)
          )
        )
        for (const [i, id] of orders.entries()) {
          const fate = fates[i]!
          assert.strictEqual(got.stickers.has(id), fate === "fine", `${id} ${fate}`)
          const why = got.lacking.filter(({ orderId }) => orderId === id).map(codeOf)
          assert.deepEqual(why, fate === "fine" ? [] : [reasons[fate]], `${id} ${fate}`)
        }
      }),
      { numRuns: Depth.cases(120) }
    ))

  it.effect("that are refused spend few refusals, and name the reason for every order left", () => {
    const orders = Array.from({ length: 200 }, (_, i) => Supply.orderId(i + 1))
    const fates = new Map(orders.map((id) => [id as number, "sinks its batch" as const]))
    return withMarketplace(answer(fates), ({ client, sent }) =>
      Effect.gen(function* () {
        const got = yield* Effect.provideService(Stickers.read(asked(orders)), MarketplaceClient, client)
        assert.strictEqual(got.stickers.size, 0)
        assert.lengthOf(got.lacking, 200)
        const calls = sent.filter(({ url }) => url.pathname.endsWith("/stickers"))
        assert.isAtMost(calls.length, 2 + 2 * 8)
      })
    )
  })

  it.effect("are not asked for any more when the token is refused", () => {
    const orders = Array.from({ length: 300 }, (_, i) => Supply.orderId(i + 1))
    const refuse = (sent: Sent): Reply =>
      sent.url.pathname.endsWith("/stickers") ? json({ title: "no" }, 401) : answer(new Map())(sent)
    return withMarketplace(refuse, ({ client, sent }) =>
      Effect.gen(function* () {
        const got = yield* Effect.provideService(Stickers.read(asked(orders)), MarketplaceClient, client)
        assert.lengthOf(got.lacking, 300)
        assert.deepEqual([...new Set(got.lacking.map(codeOf))], ["refused"])
        assert.lengthOf(
          sent.filter(({ url }) => url.pathname.endsWith("/stickers")),
          1
        )
      })
    )
  })

  it.effect("of cross-border orders that are awaited and never come are told so when patience ends", () => {
    const orders = [Supply.orderId(1), Supply.orderId(2)]
    const reply = (sent: Sent): Reply =>
      sent.url.pathname.endsWith("/cross-border")
        ? json({
            stickers: idsOf(sent).map((orderId) => ({ orderId, status: "awaitingTrackNumber", file: "" }))
          })
        : answer(new Map())(sent)
    return withMarketplace(reply, ({ client, sent }) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(
          Effect.provideService(
            Stickers.read({ ...asked(orders), crossBorder: true, waitMs: 120_000 }),
            MarketplaceClient,
            client
          )
        )
        yield* TestClock.adjust("3 minutes")
        const got = yield* Fiber.join(reading)
        assert.deepEqual(got.lacking.map(codeOf), ["awaiting_track", "awaiting_track"])
        // At once, and after 5, 15, 35, 75 and 120 seconds.
        assert.lengthOf(
          sent.filter(({ url }) => url.pathname.endsWith("/cross-border")),
          6
        )
      })
    )
  })
})
