/** Looking for the records of orders that are known by their number. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { assert } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import * as OrderLook from "../../src/marketplace/fulfilment/OrderLook.js"
import { json, type Sent, withMarketplace } from "../services/FakeMarketplace.js"

const nowMs = Date.parse("2026-11-20T10:00:00Z")

/** Three pages of two orders each, in any window: 1 and 2, 3 and 4, 5 and 6. */
const pages = ({ url }: Sent) => {
  const cursor = Number(url.searchParams.get("next"))
  const orders = [cursor + 1, cursor + 2].map((id) => ({
    id,
    createdAt: new Date(nowMs - 3_600_000).toISOString(),
    warehouseId: 71_000 + id
  }))
  return json({ next: cursor >= 4 ? 0 : cursor + 2, orders })
}

/** How many pages are asked for until the look ends, and what it found. */
const looked = (ids: ReadonlyArray<number>, isEnough?: Parameters<typeof OrderLook.find>[3]) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowMs)
    return yield* withMarketplace(pages, ({ client, sent }) =>
      Effect.map(
        OrderLook.find(
          client,
          ids.map((id) => OrderId.make(id)),
          undefined,
          isEnough
        ),
        ({ found }) => ({
          found: [...found.keys()].map(Number),
          pages: sent.length
        })
      )
    )
  })

it.effect("asks for no page more once all orders are found", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* looked([2]), { found: [2], pages: 1 })
    assert.deepStrictEqual(yield* looked([1, 2]), { found: [1, 2], pages: 1 })
    assert.deepStrictEqual(yield* looked([1, 4]), { found: [1, 4], pages: 2 })
    assert.deepStrictEqual(yield* looked([6]), { found: [6], pages: 3 })
  })
)

it.effect("asks for no page more once enough is found to tell the warehouse of a supply", () =>
  Effect.gen(function* () {
    const ids = [OrderId.make(1), OrderId.make(6)]
    const isEnough = (found: OrderLook.Found["found"]) => OrderLook.houseOf(found, ids) !== undefined
    assert.deepStrictEqual(yield* looked([1, 6], isEnough), { found: [1], pages: 1 })
  })
)
