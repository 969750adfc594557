import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { Day } from "../../src/domain/Days.js"
import { ItemId } from "../../src/domain/Ids.js"
import * as ItemReaders from "../../src/marketplace/ItemReaders.js"
import { json, withMarketplace } from "../services/FakeMarketplace.js"

const week = { from: Day("2026-11-14"), to: Day("2026-11-20") }
const keys = [{ itemId: ItemId.make(1001) }]

const answeredFor = (start: string, end: string) =>
  withMarketplace(
    () =>
      json({
        data: {
          products: [
            {
              product: { nmId: 1001 },
              statistic: { selected: { period: { start, end }, orderCount: 12, orderSum: 24500 } },
              currency: "RUB"
            }
          ]
        }
      }),
    ({ client }) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00+03:00"))
        const { itemFunnel } = ItemReaders.make(client, () => "RUB")
        return yield* itemFunnel({ source: "itemFunnel", keys, days: week })
      })
  )

describe("a report of items", () => {
  it.effect("of the days that were asked for is taken", () =>
    Effect.map(answeredFor("2026-11-14", "2026-11-20"), ({ failures, rows }) => {
      assert.strictEqual(rows.length, 1)
      assert.deepStrictEqual(failures, [])
    })
  )

  it.effect("of other days could not be read: nothing says that there were no orders", () =>
    Effect.map(answeredFor("2026-11-13", "2026-11-19"), ({ failures, rows }) => {
      assert.deepStrictEqual(rows, [])
      assert.deepStrictEqual(failures, [
        {
          operation: "getFunnelProducts",
          keys: 1,
          message:
            "getFunnelProducts: the report was asked for 2026-11-14 to 2026-11-20 and answered for 2026-11-13 to 2026-11-19; its figures of these items stay unknown",
          stopsAccount: false,
          reason: "failed"
        }
      ])
    })
  )
})
