import { it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { strToU8, zipSync } from "fflate"
import { assert, describe } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import * as CsvCells from "../../../src/services/areas/reports/CsvCells.js"
import * as ReportFile from "../../../src/services/areas/reports/ReportFile.js"
import type { ReportType } from "../../../src/services/areas/reports/ReportRow.js"

const read = <T extends ReportType>(type: T, csv: string) =>
  Effect.map(Stream.runCollect(ReportFile.read(type, strToU8(csv))), Chunk.toReadonlyArray)

/** Compares the named fields of a row. */
const shows = (row: object | undefined, wanted: Readonly<Record<string, unknown>>) => {
  for (const [name, value] of Object.entries(wanted)) {
    assert.deepStrictEqual(Reflect.get(row ?? {}, name), value, name)
  }
}

const detail =
  "nmID,dt,openCardCount,addToCartCount,ordersCount,ordersSumRub,buyoutsCount,buyoutsSumRub,cancelCount,cancelSumRub,addToCartConversion,cartToOrderConversion,buyoutPercent,addToWishlist,currency"
const metrics = [
  "AveragePosition",
  "OpenCard",
  "AddToCart",
  "OpenToCart",
  "Orders",
  "CartToOrder",
  "Visibility"
]
const past = metrics.map((name) => `${name}Past`)

describe("rows of the detail report", () => {
  it.effect("carry the seller's words, sums to the kopeck, days unshifted (A01, A05)", () =>
    Effect.gen(function* () {
      const [row] = yield* read(
        "DETAIL_HISTORY_REPORT",
        `${detail}\n1001,2026-09-01,120,30,4,"5160,50",2,2580,1,1290,25,13,67,5,RUB\n`
      )
      shows(row, {
        itemId: 1001,
        day: "2026-09-01",
        opens: 120,
        carts: 30,
        orders: 4,
        ordersSumKopecks: 516_050,
        cancelsSumKopecks: 129_000,
        addToCartPercent: 25,
        addsToWishlist: 5,
        currency: "RUB",
        rest: false
      })
    })
  )

  it.effect("are read by column name: order is free, unknown columns are ignored, a BOM is no letter", () =>
    Effect.gen(function* () {
      const [row] = yield* read(
        "DETAIL_HISTORY_REPORT",
        `\uFEFF"ordersCount",novelty,DT,nmID,openCardCount,ordersSumRub,addToCartCount\r\n4,?,2026-09-01,1001,120,1,30\r\n`
      )
      shows(row, { itemId: 1001, day: "2026-09-01", opens: 120, orders: 4 })
      assert.isUndefined(row?.buyouts)
    })
  )

  it.effect("are refused as a whole when a needed column is missing, and the error names it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        read(
          "DETAIL_HISTORY_REPORT",
          "nmID,dt,openCardCount,addToCartCount,ordersSumRub\n1,2026-09-01,1,1,1\n"
        )
      )
      assert.strictEqual(
        error.message,
        'the report cannot be read: line 1: the report DETAIL_HISTORY_REPORT lacks the column "ordersCount". The marketplace changed the report: update bidhelm; the kept file can be read then'
      )
      const empty = yield* Effect.flip(read("GROUPED_HISTORY_REPORT", "\n\n"))
      assert.match(empty.message, /no header line/)
    })
  )

  it.effect("of groups have no item", () =>
    Effect.gen(function* () {
      const [row] = yield* read(
        "GROUPED_HISTORY_REPORT",
        `${detail.slice(5)}\n2026-09-01,120,30,4,5160,2,2580,1,1290,25,13,67,5,RUB\n`
      )
      shows(row, { itemId: undefined, day: "2026-09-01", orders: 4 })
    })
  )
})

describe("rows of the search reports", () => {
  const columns = ["NmID", "VendorCode", "Name", "Subject", "Brand", "IsAdvertised", "IsRated", "Rating"]
  const product = [...columns, "FeedbackRating", "MinPrice", "MaxPrice", ...metrics, ...past]

  it.effect("know both spellings of a column, blanks, words for no number, and position 0 (A13, A25)", () =>
    Effect.gen(function* () {
      const csv = [
        [...product, "IsSubstitutedSKU", "Currency"].join(","),
        '1001,v-1,"Кеды, белые",Обувь,Acme,true,false,no rating,"4,8",990,"1 990,00",0,12,3,25,1,33,"7,5",,,,,,,,false,RUB'
      ].join("\n")
      const [row] = yield* read("SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT", csv)
      shows(row, {
        itemId: 1001,
        name: "Кеды, белые",
        subject: "Обувь",
        brand: "Acme",
        advertised: true,
        rated: false,
        rating: undefined,
        feedbackRating: 4.8,
        minPriceKopecks: 99_000,
        maxPriceKopecks: 199_000,
        substituted: false
      })
      shows(row?.current, { position: undefined, opens: 12, visibilityPercent: 7.5 })
      assert.deepStrictEqual(Object.values(row?.past ?? {}), Array(7).fill(undefined))
    })
  )

  it.effect("mark the rest row, so that sums by item leave it out (A25)", () =>
    Effect.gen(function* () {
      const header = ["Text", "NmID", ...metrics, "Frequency", "MedianPosition"].join(",")
      const csv = `${header}\nкеды,1001,3,1,1,1,1,1,1,500,2\nОстальные,1001,0,9,9,9,9,9,9,,\n,Остальные,0,9,9,9,9,9,9,,\n`
      const rows = yield* read("SEARCH_QUERIES_PREMIUM_REPORT_TEXT", csv)
      assert.deepStrictEqual(
        rows.map(({ rest }) => rest),
        [false, true, true]
      )
      const kept = yield* Stream.runCollect(ReportFile.ofItems(Stream.fromIterable(rows)))
      assert.deepStrictEqual(
        [...kept].map(({ current, text }) => [text, current.frequency, current.medianPosition]),
        [["кеды", 500, 2]]
      )
    })
  )

  it.effect("of groups have a subject and no item", () =>
    Effect.gen(function* () {
      const [row] = yield* read(
        "SEARCH_QUERIES_PREMIUM_REPORT_GROUP",
        `SubjectName,SubjectID,BrandName,TagID,${metrics.join(",")},${past.join(",")}\nОбувь,7,Acme,,3,1,2,3,4,5,6,2,1,1,1,1,1,1\n`
      )
      shows(row, { itemId: undefined, subject: "Обувь", subjectId: 7, tagId: undefined })
      assert.strictEqual(row?.past.position, 2)
    })
  )
})

describe("rows of the stock reports", () => {
  it.effect("tell codes from numbers, and a month before the item from a month without orders (A17)", () =>
    Effect.gen(function* () {
      const header =
        "VendorCode,Name,NmID,SubjectName,BrandName,SizeName,ChrtID,RegionName,OfficeName,Availability,OrdersCount,OrdersSum,StockCount,SaleRate,AvgStockTurnover,OfficeMissingTime,LostOrdersCount,LostOrdersSum,LostBuyoutsCount,LostBuyoutsSum,AvgOrdersByMonth_08.2026,AvgOrdersByMonth_09.2026,Currency"
      const csv = `${header}\nv,Кеды,1001,Обувь,Acme,0,5,Свой склад,,deficient,4,5160,0,-1,-2,-4,-2,-1,3,"10,5",,0,RUB\n`
      const [row] = yield* read("STOCK_HISTORY_REPORT_CSV", csv)
      shows(row, { itemId: 1001, sizeId: 5, seller: true, office: undefined, stock: 0 })
      assert.deepStrictEqual(
        [row?.lasts, row?.turnover, row?.missing, row?.lostOrders, row?.lostOrdersSum, row?.lostBuyoutsSum],
        [
          { _tag: "Endless" },
          { _tag: "Known", value: 0 },
          { _tag: "WholePeriod" },
          { _tag: "Known", value: 0 },
          { _tag: "NotComputed" },
          { _tag: "Known", value: 1050 }
        ]
      )
      assert.deepStrictEqual(row?.ordersPerDayByMonth, [
        { month: "2026-08", value: undefined },
        { month: "2026-09", value: 0 }
      ])
    })
  )

  it.effect("by day: a blank day is a day without the item, not a day without stock", () =>
    Effect.gen(function* () {
      const csv = "NmID,ChrtID,OfficeName,01.09.2026,02.09.2026,03.09.2026\n1001,5,North,,0,12\n"
      const [row] = yield* read("STOCK_HISTORY_DAILY_CSV", csv)
      assert.deepStrictEqual(row?.days, [
        { day: Day("2026-09-01"), stock: undefined },
        { day: Day("2026-09-02"), stock: 0 },
        { day: Day("2026-09-03"), stock: 12 }
      ])
    })
  )
})

describe("a CSV report of any kind", () => {
  it.effect("streams from its ZIP: a hundred thousand rows, and as few as are wanted", () =>
    Effect.gen(function* () {
      const line = (i: number) =>
        `${1000 + i},2026-09-01,${(i * 7919) % 997},${i % 31},${i % 7},${(i * 104729) % 65521}`
      const csv = ["nmID,dt,openCardCount,addToCartCount,ordersCount,ordersSumRub"]
      for (let i = 0; i < 100_000; i++) csv.push(line(i))
      const file = zipSync({ "a.csv": strToU8(csv.join("\n")) })
      const rows = ReportFile.read("DETAIL_HISTORY_REPORT", file)
      assert.strictEqual(yield* Stream.runCount(rows), 100_000)
      const some = yield* Stream.runCollect(Stream.take(rows, 3))
      assert.deepStrictEqual(
        [...some].map(({ itemId }) => Number(itemId)),
        [1000, 1001, 1002]
      )
    })
  )

  it.effect("that is cut in a quoted cell, or unpacks badly, fails as unreadable", () =>
    Effect.gen(function* () {
      const open = yield* Effect.flip(read("DETAIL_HISTORY_REPORT", `${detail}\n1001,"2026`))
      assert.strictEqual(open._tag, "ReportUnreadable")
      const file = zipSync({ "a.csv": strToU8(`${detail}\n`) })
      const cut = ReportFile.read("DETAIL_HISTORY_REPORT", file.subarray(0, 40))
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(cut)))._tag, "ReportUnreadable")
    })
  )

  it.effect("never crashes a reader, whatever its cells hold", () =>
    Effect.promise(() => {
      const types = [
        "DETAIL_HISTORY_REPORT",
        "SEARCH_QUERIES_PREMIUM_REPORT_TEXT",
        "STOCK_HISTORY_REPORT_CSV",
        "STOCK_HISTORY_DAILY_CSV"
      ] as const
      const headers = [
        detail,
        `Text,NmID,Frequency,MedianPosition,${metrics.join(",")}`,
        "NmID,OrdersCount,StockCount,SaleRate,LostOrdersSum,AvgOrdersByMonth_01.2026",
        "NmID,01.09.2026,99.99.9999"
      ] as const
      const cell = fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom(
          "",
          "-1",
          "-9",
          "1e99",
          "1,5",
          '"',
          "Остальные",
          "NaN",
          "999999999999999999",
          "\u0000"
        ),
        fc.integer().map(String)
      )
      return fc.assert(
        fc.asyncProperty(
          fc.nat(types.length - 1),
          fc.array(fc.array(cell, { maxLength: 16 }), { maxLength: 8 }),
          async (kind, rows) => {
            const csv = [headers[kind], ...rows.map((cells) => cells.join(","))].join("\n")
            const answer = await Effect.runPromise(Effect.either(read(types[kind]!, csv)))
            if (Either.isLeft(answer)) assert.strictEqual(answer.left._tag, "ReportUnreadable")
            else assert.isAtMost(answer.right.length, csv.length)
          }
        ),
        { numRuns: 200 }
      )
    })
  )

  it("reads every number a person would, and nothing else as one", () => {
    const pairs: ReadonlyArray<readonly [string, number | undefined]> = [
      ["12", 12],
      ["1 234,5", 1234.5],
      ["1\u00A0234", 1234],
      ['"7"', 7],
      ["12.50%", 12.5],
      ["-3", -3],
      ["−3", -3],
      ["", undefined],
      ["-", undefined],
      ["no rating", undefined],
      ["1,2,3", undefined],
      ["0x10", undefined],
      ["Infinity", undefined]
    ]
    for (const [text, value] of pairs) assert.strictEqual(CsvCells.number(text), value, text)
  })
})
