import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { Day } from "../../src/domain/Days.js"
import { ItemId } from "../../src/domain/Ids.js"
import * as ItemReaders from "../../src/marketplace/ItemReaders.js"
import * as Funnel from "../../src/services/areas/analytics/Funnel.js"
import * as OddEntries from "../../src/services/OddEntries.js"
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

describe("a report with an odd entry", () => {
  const many = Array.from({ length: 1001 }, (_, nth) => ({ itemId: ItemId.make(1001 + nth) }))
  const reports = [
    ["itemCards", "data.products", (nmId: number) => ({ product: { nmId, feedbackRating: 4.5 } })],
    ["itemStocks", "data.items", (nmID: number) => ({ nmID, metrics: { stockCount: 5 } })],
    ["itemReviews", "data.items", (nmId: number) => ({ nmId, feedbackCount: { current: 3 } })]
  ] as const

  it.effect.each(reports)(
    "leaves the items of %s that it may tell of unknown, and reads the others",
    (report) => {
      const [source, at, row] = report
      const [, list = ""] = at.split(".")
      return withMarketplace(
        () => json({ data: { [list]: [row(1001), { ...row(1002), ...broken(row(1002)) }, row(1003)] } }),
        ({ client }) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00+03:00"))
            const read = ItemReaders.make(client, () => "RUB")[source]
            const found = yield* read({ source, keys: many.slice(0, 3), days: week })
            const items = found.rows.map(({ target }) => (target === "account" ? undefined : target.itemId))
            assert.deepStrictEqual(items, [ItemId.make(1001), ItemId.make(1003)])
            assert.lengthOf(found.failures, 1)
            assert.deepInclude(found.failures[0], { reason: "failed", keys: 1 })
            assert.include(found.failures[0]?.message, `${at}.1.`)
          })
      ).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
    }
  )

  it.effect("goes on to the next page: the odd one belongs to the length of its page", () =>
    withMarketplace(
      ({ body }) => {
        const { offset } = body as { readonly offset: number }
        const page = many.slice(offset, offset + 1000).map(({ itemId }) => ({ product: { nmId: itemId } }))
        return json({ data: { products: page.map((one, nth) => (nth === 7 ? 7 : one)) } })
      },
      ({ client }) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00+03:00"))
          const { rows } = yield* Effect.map(
            OddEntries.apart(
              Stream.runCollect(Funnel.make(client).products({ days: week, items: undefined }))
            ),
            ({ answer }) => ({ rows: [...answer] })
          )
          assert.lengthOf(rows, 1000)
        })
    ).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
  )
})

/** Its last field is of another type. */
const broken = (row: object): object => {
  const [[key, value] = ["", undefined]] = Object.entries(row).slice(-1)
  return typeof value === "object" ? { [key]: "odd" } : { [key]: ["odd"] }
}
