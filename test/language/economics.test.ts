/** The economics table: headers in two languages, days, what holds for all items, and every problem of it at once. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ItemId } from "../../src/domain/Ids.js"
import * as PriceFloor from "../../src/engine/decide/limits/PriceFloor.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as OwnFacts from "../../src/engine/gather/OwnFacts.js"
import * as Load from "../../src/engine/language/Load.js"
import * as EconomicsColumns from "../../src/engine/language/shared/EconomicsColumns.js"
import type { DataFile } from "../../src/engine/language/shared/OwnFact.js"
import * as Depth from "../Depth.js"

const path = "rules/_shared/economics.csv"
const now = Date.parse("2026-11-25T09:00:00Z")

const table = (lines: ReadonlyArray<ReadonlyArray<string>>): DataFile => ({
  path,
  modifiedMs: now,
  readMs: now,
  content: { _tag: "Rows", rows: lines.map((cells, at) => ({ line: at + 1, cells })) }
})

const policy = (condition: string) => ({
  path: "rules/join.yaml",
  text: `version: 1
name: Join
mode: preview
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where: promotion.type = regular
when: ${condition}
do: enrol
`
})

const check = (lines: ReadonlyArray<ReadonlyArray<string>>, condition = "margin_at_plan_price >= 18%") =>
  Load.check([policy(condition), { path, text: "", data: table(lines) }])

const messages = (lines: ReadonlyArray<ReadonlyArray<string>>) =>
  check(lines).diagnostics.map(({ code, message, span }) => `${code} ${span.line} ${message}`)

/** What the table says of an item on a day, by the word of a term. */
const said = (
  lines: ReadonlyArray<ReadonlyArray<string>>,
  itemId: number,
  word: string,
  { at = now, code }: { readonly at?: number; readonly code?: string } = {}
) => {
  const { ruleSet } = check(lines)
  const tables = OwnFacts.tablesOf(ruleSet!, () => true)
  const rows = Table.make("item")
  const id = ItemId.make(itemId)
  rows.add({ itemId: id })
  OwnFacts.enter(tables, rows, [{ itemId: id }], at)
  if (code !== undefined) OwnFacts.enterCoded(tables, rows, id, code, at)
  return rows.get(0, `item.${word}`)
}

describe("the economics table", () => {
  it("understands headers in English and Russian, with units, whatever their case and order", () => {
    const wanted = new Map(EconomicsColumns.columns.map(({ meaning, names }) => [names, meaning]))
    for (const [names, meaning] of wanted)
      for (const name of names)
        for (const written of [
          name,
          name.toUpperCase(),
          `${name}, руб.`,
          `${name} (₽)`,
          `${name} (руб.)`,
          name.replaceAll(" ", "_"),
          ...(meaning._tag === "Term" && meaning.reads === "share" ? [`${name}, %`, `${name} (%)`] : [])
        ])
          expect(EconomicsColumns.headerOf(written)?.meaning, written).toEqual(meaning)
    for (const { meaning, title } of EconomicsColumns.columns)
      expect(EconomicsColumns.headerOf(title)?.meaning).toEqual(meaning)
    expect(EconomicsColumns.headerOf("комментарий")).toBeUndefined()
  })

  it("takes no other unit for its own: the term stays unknown of every item, and is told", () => {
    for (const [header, word, title] of [
      ["себестоимость, коп", "unit_cost", "unit cost"],
      ["себестоимость (USD)", "unit_cost", "unit cost"],
      ["логистика (тыс. руб.)", "logistics_out", "logistics out"],
      ["возврат, %", "logistics_back", "logistics back"],
      ["Возврат", "logistics_back", "logistics back"],
      ["налоговая база, %", "tax_on_profit", "tax base"],
      ["price floor (USD)", "price_floor", "price floor"],
      ...[
        "Минимальная цена, тыс.руб",
        "Минимальная цена, т.р.",
        "Минимальная цена, тенге",
        "Минимальная цена, тг",
        "Минимальная цена, у.е.",
        "Минимальная цена, дол.",
        "Минимальная цена, доллары",
        "Минимальная цена, юань",
        "Минимальная цена, GBP",
        "Минимальная цена £",
        "Минимальная цена продажи",
        "МИН. ЦЕНА за ед.",
        "Порог_цены_$"
      ].map((one) => [one, "price_floor", "price floor"] as const),
      ["Процент выкупа за 30 дней", "stated_buyout_share", "buyout, %"],
      ["Комиссия в акции за 2025", "commission_in_promo", "commission in promo, %"]
    ] as const) {
      const lines = [
        ["item", header],
        ["*", "20"],
        ["1", "12050"]
      ]
      expect(EconomicsColumns.headerOf(header), header).toBeUndefined()
      expect(check(lines).ruleSet?.unknownColumns).toEqual([header])
      expect(messages(lines)).toEqual([
        `F02 1 "${header}" (B) may be ${title} in another unit, or something else, and is not read; ${title} stays unknown. If it is ${title} in the account's currency, call it "${title}"; else convert it, or give it another name.`
      ])
      for (const item of [1, 2]) expect(said(lines, item, word), header).toEqual(Cells.unknown("unreadable"))
    }
    const beside = [
      ["item", "unit cost", "себестоимость (USD)"],
      ["1", "450", "5"]
    ]
    expect(messages(beside)).toEqual([])
    expect(said(beside, 1, "unit_cost")).toEqual(Cells.known(45_000))
  })

  it("reads no column whose unit is told in a second line of names, unless it is the account's own", () => {
    const table = (...units: ReadonlyArray<string>) => [
      ["item", "unit cost", "storage"],
      ["", ...units],
      ["1", "5", "7"]
    ]
    for (const unit of ["USD", "$", "тыс. руб.", "коп/шт", "за упаковку"]) {
      const lines = table(unit, "руб.")
      expect(messages(lines), unit).toEqual([
        `F02 2 "unit cost" (B) has "${unit}" below its name, which may be another unit, and is not read; it stays unknown. If its amounts are in the account's currency, take that line out; else convert them.`
      ])
      for (const item of [1, 2])
        expect(said(lines, item, "unit_cost"), unit).toEqual(Cells.unknown("unreadable"))
      expect(said(lines, 1, "storage")).toEqual(Cells.known(700))
    }
    for (const unit of ["₽", "руб/шт", "(руб.)"]) {
      expect(messages(table(unit, unit)), unit).toEqual([])
      expect(said(table(unit, unit), 1, "unit_cost"), unit).toEqual(Cells.known(500))
    }
  })

  it("takes a sign below a name for its unit only where the column is read in it", () => {
    const lines = (...units: ReadonlyArray<string>) => [
      ["item", "unit cost", "packaging", "commission, %"],
      ["", ...units],
      ["1", "400", "5", "12"]
    ]
    for (const unit of ["%", "процент", "percent"]) {
      expect(messages(lines("₽", unit, "%")), unit).toEqual([
        `F02 2 "packaging" (C) has "${unit}" below its name, which may be another unit, and is not read; it stays unknown. If its amounts are in the account's currency, take that line out; else convert them.`
      ])
      expect(said(lines("₽", unit, "%"), 1, "packaging"), unit).toEqual(Cells.unknown("unreadable"))
    }
    expect(said(lines("₽", "%", "%"), 1, "unit_cost")).toEqual(Cells.known(40_000))
    expect(messages(lines("₽", "₽", "%"))).toEqual([])
    expect(said(lines("₽", "₽", "%"), 1, "commission")).toEqual(Cells.known(0.12))
    for (const unit of ["₽", "руб/шт", "коп"]) {
      expect(messages(lines("₽", "₽", unit)), unit).toEqual([
        `F02 2 "commission, %" (D) has "${unit}" below its name, which may be another unit, and is not read; it stays unknown. If it is in percent, take that line out; else convert it.`
      ])
      expect(said(lines("₽", "₽", unit), 1, "commission"), unit).toEqual(Cells.unknown("unreadable"))
    }
  })

  it("looks for units in every row before the first that is about an item", () => {
    const lines = (...before: ReadonlyArray<ReadonlyArray<string>>) => [
      ["item", "unit cost", "storage"],
      ...before,
      ["1", "5", "7"]
    ]
    for (const before of [
      [["Одежда"], ["", "тыс. руб", "₽"]],
      [
        ["", "₽", "₽"],
        ["", "тыс. руб", ""]
      ],
      [["", ""], ["Наши товары"], ["номер", "тыс. руб", "₽"]],
      [["Одежда"], ["тыс. руб", "тыс. руб", ""]]
    ]) {
      const found = messages(lines(...before)).filter((one) => /^F02/.test(one))
      expect(found.length, JSON.stringify(before)).toBe(1)
      expect(found[0]).toContain('"unit cost" (B) has "тыс. руб" below its name')
      for (const item of [1, 2])
        expect(said(lines(...before), item, "unit_cost")).toEqual(Cells.unknown("unreadable"))
      expect(said(lines(...before), 1, "storage")).toEqual(Cells.known(700))
    }
    // A merged name of what stands below it is no unit, nor is anything once an item has come.
    const heading = lines(["", "₽", "₽"], ["Одежда", "Одежда", "Одежда"])
    expect(messages(heading)).toEqual(['F04 3 "Одежда" stands in all cells of the row; the row is left out.'])
    expect(said(heading, 1, "unit_cost")).toEqual(Cells.known(500))
    const merged = lines(
      ["", "₽", "₽"],
      ["цены в тысячах рублей", "цены в тысячах рублей", "цены в тысячах рублей"]
    )
    expect(said(merged, 1, "unit_cost")).toEqual(Cells.unknown("unreadable"))
    const after = [...lines(), ["", "тыс. руб", "₽"]]
    expect(said(after, 1, "unit_cost")).toEqual(Cells.known(500))
  })

  it("takes no letter of another alphabet for its own: the term stays unknown, and is told", () => {
    for (const header of ["Mинимальная цена", "Mинимальная цeна, руб."]) {
      const lines = [
        ["item", header],
        ["1", "90000"]
      ]
      expect(messages(lines)).toEqual([
        `F02 1 "${header}" (B) has letters of another alphabet that look like those of price floor, and is not read; price floor stays unknown. Call it "price floor".`
      ])
      expect(said(lines, 1, "price_floor")).toEqual(Cells.unknown("unreadable"))
    }
  })

  it("is refused where its days may stand in a column that it does not know", () => {
    for (const header of ["Дaта", "Действует с (мск)", "valid from, day"])
      expect(
        messages([
          ["item", "cost", header],
          ["1", "1", "2027-01-01"]
        ])
      ).toEqual([
        `F02 1 ${path}: column "${header}" (C) may be valid from, and is not read. Call it "valid from", or give it another name.`
      ])
  })

  it("is refused where names of columns stand below the first row: a floor there would be none", () => {
    const told = (line: number, names: string) => [
      `F02 1 ${path}: names of columns stand in row ${line} too (${names}), and those of the first row alone are read. Put all names into the first row, and remove the others.`
    ]
    const costs = ["1", "420", "15", "2000"]
    const merged = ["item", "Расходы", "Расходы", "Цены"]
    expect(messages([merged, ["item", "Себестоимость", "Упаковка", "Минимальная цена"], costs])).toEqual(
      told(2, "item, Себестоимость, Упаковка, Минимальная цена")
    )
    expect(
      messages([
        ["item", "Расходы", "", "Цены"],
        ["", "в рублях"],
        ["", "", "", "Минимальная цена, тг"],
        costs
      ])
    ).toEqual(told(3, "Минимальная цена, тг"))
    expect(messages([["Экономика"], ["артикул", "Себестоимость"], ["a-1", "420"]])).toEqual(
      told(2, "артикул, Себестоимость")
    )
    expect(messages([["item", "unit cost"], ["артикул WB", "Себестоимость"], costs])).toEqual(
      told(2, "артикул WB, Себестоимость")
    )
    // What an item is called, and headings, are no names of columns.
    for (const row of [
      ["1", "420", "Прочее", "Упаковка"],
      ["*", "420", "Прочее", "Упаковка"],
      ["Упаковка"],
      ["", "", "Упаковка"]
    ])
      expect(
        messages([["item", "unit cost", "name", "Категория"], row, costs]).filter((one) => /F02/.test(one))
      ).toEqual([])
  })

  it("leaves columns of the seller's own alone, whatever they are called", () => {
    const others =
      "Комментарий;Бренд;Категория;Цена;Цена со скидкой;Цена конкурента;РРЦ;Средняя цена;Максимальная цена;Остаток;Заказы, шт;Выкупили, шт;Выкупы, ₽;" +
      "Маржа, %;Прибыль;ROI;Логистика до склада;Логистика, км;Комиссия за прошлый год, %;Налоги уплачено;Налог уплачен, руб;Хранение, дней;Доставка из Китая, юань;" +
      "Прочее описание;Упаковка, тип;Закупка, юань;Дата поставки;Дата последнего заказа;Товарная группа;Размер;Себестоимость прошлой партии;Price;min stock;Other notes;" +
      "Date of delivery;Item name;SKU count;Storage place;Cost center;Склад;С/с;Итого"
    const mine = others.split(";")
    const titles = EconomicsColumns.columns
      .filter(({ meaning }) => meaning._tag !== "Term" || !/floor|stated/.test(meaning.word))
      .map(({ title }) => title)
    const values = titles.map((title) =>
      title === "item" ? "1" : title === "tax base" ? "revenue" : /code|name|from/.test(title) ? "" : "5"
    )
    const lines = [
      [...titles, ...mine],
      [...values, ...mine.map(() => "7")]
    ]
    expect(messages(lines)).toEqual([])
    expect(check(lines).ruleSet?.unknownColumns).toEqual(mine)
    expect(said(lines, 1, "price_floor")).toEqual(Cells.unknown("unlisted"))
  })

  it("reads amounts with the account's sign, and none of another currency or in thousands", () => {
    for (const text of [
      "330 ₽",
      "330₽",
      "330 р",
      "330 р.",
      "330 руб",
      "330 руб.",
      "330 рублей",
      "330 RUB",
      "330 ₽/шт"
    ])
      expect(EconomicsColumns.readTerm(text, "unit_cost", "money", false), text).toEqual({
        _tag: "Value",
        cell: Cells.known(33_000)
      })
    for (const text of [
      "330 ¥",
      "330 $",
      "$330",
      "330 USD",
      "330 €",
      "330 тыс.",
      "330 тыс. руб.",
      "330 у.е."
    ])
      expect(EconomicsColumns.readTerm(text, "unit_cost", "money", false), text).toMatchObject({
        _tag: "Wrong",
        wanted: expect.stringMatching(/^an amount of money/)
      })
    expect(
      messages([
        ["item", "price floor"],
        ["1", "330 ¥"]
      ])
    ).toEqual([
      'F04 2 "330 ¥" in price floor (B2) is not an amount of money, such as 120.50 or 120,50, without another currency or unit; it stays unknown.'
    ])
  })

  it("reads no amount that may be thousands, but a number of a workbook's cell", () => {
    const lines = [
      ["item", "cost", "price floor", "commission"],
      ["1", "4.000", "90.000 ₽", "17.125%"],
      ["2", "0.125", "1 234.500", ""]
    ]
    expect(messages(lines)).toEqual([
      'F04 2 "4.000" in cost (B2) is not an amount of money, such as 120.50 or 120,50, and may be thousands; it stays unknown.',
      'F04 2 "90.000 ₽" in price floor (C2) is not an amount of money, such as 120.50 or 120,50, and may be thousands; it stays unknown.'
    ])
    expect(said(lines, 1, "commission")).toEqual(Cells.known(0.17125))
    expect(said(lines, 2, "price_floor")).toEqual(Cells.known(123_450))
    const read = (isNumber: boolean) =>
      EconomicsColumns.readTerm("4.125", "unit_cost", "money", false, isNumber)
    expect([read(true), read(false)]).toMatchObject([{ cell: Cells.known(413) }, { _tag: "Wrong" }])
    const rows = [
      ["item", "cost"],
      ["1", "4.125"],
      ["2", "4.125"]
    ].map((cells, at) => ({
      line: at + 1,
      cells,
      ...(at === 1 ? { exact: [1] } : {})
    }))
    const { diagnostics } = Load.check([
      policy("margin_at_plan_price >= 18%"),
      { path, text: "", data: { ...table([]), content: { _tag: "Rows", rows } } }
    ])
    expect(diagnostics.map(({ code, span }) => `${code} ${span.line}`)).toEqual(["F04 3"])
  })

  it("takes no fraction for a percentage: a share below one needs its sign", () => {
    const lines = [
      ["item", "commission, %", "commission in promo, %", "acquiring, %", "buyout, %"],
      ["1", "0.17", "0,25", "0.9", "0.8"],
      ["2", "0.17%", "0", "0.015", "80"],
      ["3", "17", "1", "1,5", ""]
    ]
    const bare = [
      ["item", "комиссия в акции", "acquiring"],
      ["1", "0,2", "0.9"]
    ]
    const is = "a percentage for sure: write"
    expect(messages(lines)).toEqual([
      `F04 2 "0,25" in commission in promo, % (C2) is not ${is} 25% or 0,25%; it stays unknown.`,
      `F04 2 "0.17" in commission, % (B2) is not ${is} 17% or 0.17%; it stays unknown.`,
      `F04 2 "0.8" in buyout, % (E2) is not ${is} 80% or 0.8%; it stays unknown.`,
      `F04 3 "0.015" in acquiring, % (D3) is not ${is} 1.5% or 0.015%; it stays unknown.`
    ])
    // Where a column's name says no percent, its mend must not lead to the wrong one of the two.
    expect(messages(bare)).toEqual([
      `F04 2 "0,2" in комиссия в акции (B2) is not ${is} 20% or 0,2%; it stays unknown.`,
      `F04 2 "0.9" in acquiring (C2) is not a percentage: write 0.9%, or put % into the column's name; it stays unknown.`
    ])
    expect(said(lines, 1, "stated_buyout_share")).toEqual(Cells.unknown("unreadable"))
    expect(said(lines, 1, "acquiring")).toEqual(Cells.known(0.009))
    expect(said(lines, 2, "commission")).toEqual(Cells.known(0.0017))
    expect(said(lines, 2, "commission_in_promo")).toEqual(Cells.known(0))
    expect(said(lines, 3, "commission_in_promo")).toEqual(Cells.known(0.01))
  })

  it("reads an item number with spaces between its thousands, and a day that shows its midnight", () => {
    const lines = [
      ["item", "valid from", "price floor"],
      ["200 000 005", "2026-11-01 00:00", "5 000"],
      ["200\u00a0000\u202f006", "01.11.2026 0:00:00", "990"]
    ]
    expect(messages(lines)).toEqual([])
    expect(said(lines, 200_000_005, "price_floor")).toEqual(Cells.known(500_000))
    expect(said(lines, 200_000_006, "price_floor")).toEqual(Cells.known(99_000))
  })

  it("takes what a row without a readable item fills for unknown, of all that no row names", () => {
    const lines = [
      ["item", "vendor code", "cost", "packaging", "price floor", "valid from"],
      ["*", "", "100", "7", "", ""],
      ["*", "", "110", "", "", "2026-06-01"],
      ["1", "", "", "", "", ""],
      ["4", "", "50", "", "", "2026-09-01"],
      ["20000О005", "", "420", "", "5000", ""]
    ]
    expect(messages(lines)).toEqual([
      'F04 6 "20000О005" in item (A6) is not an item number; the row is left out, and what it fills is unknown of items that no row names.'
    ])
    const on = (item: number, word: string, day = "2026-11-25") =>
      said(lines, item, word, { at: Date.parse(`${day}T12:00:00+03:00`) })
    expect(on(1, "unit_cost")).toEqual(Cells.known(11_000))
    expect(on(1, "unit_cost", "2026-05-31")).toEqual(Cells.known(10_000))
    expect(on(1, "price_floor")).toEqual(Cells.unknown("unlisted"))
    // Before the first day of its rows it may be the item that cannot be read.
    expect(on(4, "unit_cost", "2026-08-31")).toEqual(Cells.unknown("unreadable"))
    expect(on(4, "price_floor")).toEqual(Cells.unknown("unreadable"))
    expect(on(4, "unit_cost")).toEqual(Cells.known(5000))
    for (const word of ["unit_cost", "price_floor"])
      expect(on(200_000_005, word)).toEqual(Cells.unknown("unreadable"))
    expect(on(200_000_005, "packaging")).toEqual(Cells.known(700))
  })

  it("says of its floors whether it has a column for them, and whether anything stands in it", () => {
    const column = (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
      PriceFloor.columnOf(check(lines).ruleSet!)?.column
    expect(column(["item", "cost"], ["1", "100"], ["1", "200"])).toBeUndefined()
    expect(column(["item", "cost", "price floor"], ["1", "100", ""], ["1", "200", " "])).toBe("empty")
    for (const floor of ["990", "990 ¥", "0"])
      expect(column(["item", "cost", "price floor"], ["1", "100", ""], ["2", "", floor])).toBe("filled")
    expect(column(["item", "price floor"], ["2OO", "990"])).toBe("filled")
    expect(column(["item", "cost", "price floor (USD)"], ["1", "100", ""])).toBe("filled")
    expect(PriceFloor.columnOf(Load.check([policy("margin >= 18%")]).ruleSet!)).toBeUndefined()
  })

  it("does so of items by their codes too, and takes a sum at the end for no item", () => {
    const lines = [
      ["item", "артикул", "cost", "price floor"],
      ["*", "", "300", ""],
      ["", "shirt-1", "", ""],
      ["2", "", "", ""],
      ["", "", "150", "90"]
    ]
    const coded = (item: number, code: string, word = "unit_cost") => said(lines, item, word, { code })
    expect(coded(1, "shirt-1")).toEqual(Cells.known(30_000))
    expect(coded(1, "shirt-1", "price_floor")).toEqual(Cells.unknown("unlisted"))
    expect(coded(2, "shirt-2")).toEqual(Cells.known(30_000))
    expect(coded(3, "shirt-3")).toEqual(Cells.unknown("unreadable"))
    const summed = [...lines.slice(0, 4), ["Итого:", "", "150", "90"], ["", "Total", "150", "90"]]
    expect(said(summed, 3, "unit_cost", { code: "shirt-3" })).toEqual(Cells.known(30_000))
    expect(said(summed, 3, "price_floor", { code: "shirt-3" })).toEqual(Cells.unknown("unlisted"))
  })

  it("names every problem of its cells with row and column, at once, and the rest stands", () => {
    const lines = [
      ["item", "unit cost", "commission", "tax base", "valid from"],
      ["1", "12O", "17", "pribyl", ""],
      ["2", "1,000", "100.5%", "profit", ""],
      ["3", "abc", "17%", "revenue", "31.02.2026"],
      ["x", "10", "no", "", ""],
      ["", "10", "", "", ""],
      ["4", "10.005", "0,12345%", "", ""],
      ["6", "10.0051", "", "", ""],
      ["5", "7", "12,5 %", "Доход", "1.12.2026"]
    ]
    expect(messages(lines)).toEqual([
      'F04 2 "12O" in unit cost (B2) is not an amount of money, such as 120.50 or 120,50; it stays unknown.',
      'F04 2 "17" in commission (C2) is not a percentage: write 17%, or put % into the column\'s name; it stays unknown.',
      'F04 2 "pribyl" in tax base (D2) is not revenue or profit; it stays unknown.',
      'F04 3 "1,000" in unit cost (B3) is not an amount of money, such as 120.50 or 120,50, and may be thousands; it stays unknown.',
      'F04 3 "100.5%" in commission (C3) is not a share of at most 100%; it stays unknown.',
      'F04 4 "31.02.2026" in valid from (E4) is not a day, such as 2026-12-01 or 01.12.2026; item 3 stays unknown.',
      'F04 4 "abc" in unit cost (B4) is not an amount of money, such as 120.50 or 120,50; it stays unknown.',
      'F04 5 "no" in commission (C5) is not a percentage, such as 12.5%; it stays unknown.',
      'F04 5 "x" in item (A5) is not an item number; the row is left out, and what it fills is unknown of items that no row names.',
      "F04 6 The row does not say which item it is about; it is left out, and what it fills is unknown of items that no row names.",
      'F04 7 "0,12345%" in commission (C7) is not a percentage with at most four digits after the point; it stays unknown.',
      'F04 7 "10.005" in unit cost (B7) is not an amount of money, such as 120.50 or 120,50, and may be thousands; it stays unknown.'
    ])
    expect(said(lines, 1, "unit_cost")).toEqual(Cells.unknown("unreadable"))
    expect(said(lines, 3, "unit_cost")).toEqual(Cells.unknown("unreadable"))
    expect(said(lines, 6, "unit_cost")).toEqual(Cells.known(1001))
    const december = { at: Date.parse("2026-12-01T00:00:00+03:00") }
    expect(said(lines, 5, "commission", december)).toEqual(Cells.known(0.125))
    expect(said(lines, 5, "tax_on_profit", december)).toEqual(Cells.known(false))
    expect(said(lines, 5, "commission")).toEqual(Cells.unknown("unreadable"))
  })

  it("takes a row of one merged text for a heading, of no item and of none that cannot be read", () => {
    const lines = [
      ["item", "артикул", "cost", "packaging", "price floor"],
      ["*", "", "300", "5", ""],
      ["Футболки", "Футболки", "Футболки", "Футболки", "Футболки"],
      ["1", "", "300", "300", "300"],
      ["", "Шорты", "Шорты", "Шорты", "Шорты"]
    ]
    expect(messages(lines)).toEqual([
      'F04 3 "Футболки" stands in all cells of the row; the row is left out.',
      'F04 5 "Шорты" stands in all cells of the row; the row is left out.'
    ])
    expect(said(lines, 2, "unit_cost")).toEqual(Cells.known(30_000))
    expect(check(lines).ruleSet?.needsVendorCodes).toBeUndefined()
  })

  it("is refused as a whole without a column of items, or with two of one meaning", () => {
    expect(
      messages([
        ["name", "cost"],
        ["a", "1"]
      ])
    ).toEqual([
      `F02 1 ${path} has no column that says which item a row is about: item (the marketplace's number) or vendor code. It has name, cost.`
    ])
    expect(
      messages([
        ["item", "cost", "себестоимость"],
        ["1", "1", "2"]
      ])
    ).toEqual([`F02 1 ${path}: columns "cost" (B) and "себестоимость" (C) mean the same. Remove one.`])
  })

  it("lets a later row change what it fills and nothing else, from its day on", () => {
    const lines = [
      ["item", "valid from", "cost", "packaging"],
      ["1", "01.12.2026", "120", ""],
      ["1", "", "100", "5"]
    ]
    const on = (day: string) => ({ at: Date.parse(`${day}T12:00:00+03:00`) })
    expect(said(lines, 1, "unit_cost", on("2026-11-30"))).toEqual(Cells.known(10_000))
    expect(said(lines, 1, "unit_cost", on("2026-12-01"))).toEqual(Cells.known(12_000))
    expect(said(lines, 1, "packaging", on("2027-01-01"))).toEqual(Cells.known(500))
  })

  it("takes the row of all items where an item says nothing, and never a zero where nobody says anything", () => {
    const lines = [
      ["item", "cost", "packaging", "storage"],
      ["*", "", "7", ""],
      ["1", "100", "", ""]
    ]
    expect(said(lines, 1, "packaging")).toEqual(Cells.known(700))
    expect(said(lines, 2, "packaging")).toEqual(Cells.known(700))
    expect(said(lines, 2, "unit_cost")).toEqual(Cells.unknown("unlisted"))
    expect(said(lines, 1, "storage")).toEqual(Cells.unknown("unlisted"))
    expect(said(lines, 1, "acquiring")).toEqual(Cells.unknown("unlisted"))
  })

  it("finds items by the seller's code once the marketplace has told it, and by number before", () => {
    const lines = [
      ["item", "артикул", "cost"],
      ["", "shirt-1", "100"],
      ["2", "shirt-2", "200"],
      ["*", "", "300"]
    ]
    expect(check(lines).ruleSet?.needsVendorCodes).toBe(true)
    expect(said(lines, 1, "unit_cost")).toEqual(Cells.unknown("failed"))
    expect(said(lines, 1, "unit_cost", { code: "shirt-1" })).toEqual(Cells.known(10_000))
    expect(said(lines, 2, "unit_cost")).toEqual(Cells.known(20_000))
    expect(said(lines, 3, "unit_cost", { code: "shirt-3" })).toEqual(Cells.known(30_000))
  })

  it("finds an item by its code whatever its case, and knows nothing of one whose code only looks the same", () => {
    const lines = [
      ["артикул", "cost", "price floor", "packaging"],
      ["*", "300", "", "5"],
      ["ART-0001", "100", "900", ""],
      ["аrt-0002", "200", "900", ""],
      ["Art-0003", "7", "", ""],
      ["art-0003", "8", "", ""]
    ]
    const of = (item: number, code: string, word: string) => said(lines, item, word, { code })
    expect(messages(lines)).toEqual([
      'F03 6 vendor code "Art-0003" is already on line 5 with other values; it stays unknown.'
    ])
    expect(of(1, " art-0001", "price_floor")).toEqual(Cells.known(90_000))
    expect(of(2, "art-0002", "price_floor")).toEqual(Cells.unknown("unreadable"))
    expect(of(2, "art-0002", "unit_cost")).toEqual(Cells.unknown("unreadable"))
    expect(of(2, "art-0002", "packaging")).toEqual(Cells.known(500))
    expect(of(2, "аrt-0002", "price_floor")).toEqual(Cells.known(90_000))
    expect(of(4, "art-0004", "unit_cost")).toEqual(Cells.known(30_000))
  })

  it("leaves unknown for good what two rows of one day say in two ways", () => {
    const lines = [
      ["item", "cost"],
      ["1", "100"],
      ["1", "110"],
      ["2", "5"],
      ["2", "5"]
    ]
    expect(messages(lines)).toEqual([
      "F03 3 item 1 is already on line 2 with other values; it stays unknown."
    ])
    expect(said(lines, 1, "unit_cost")).toEqual(Cells.unknown("unreadable"))
    expect(said(lines, 2, "unit_cost")).toEqual(Cells.known(500))
  })

  it("takes two rows for the same that say the same in other words, whatever else stands in them", () => {
    const lines = [
      ["item", "name", "cost", "commission, %", "valid from", "mine"],
      ["1", "Shirt", "120", "17", "2026-09-01", "a"],
      ["1", "shirt", "120,00 ", "17,0%", "01.09.2026", "b"],
      ["2", "", "120", "17", "", ""],
      ["2", "", "120", "", "", ""]
    ]
    expect(messages(lines)).toEqual([
      "F03 5 item 2 is already on line 4 with other values; it stays unknown."
    ])
    expect(said(lines, 1, "unit_cost")).toEqual(Cells.known(12_000))
  })

  it("reads many days of one item about as fast as as many items", () => {
    const count = 12_000
    const day = (at: number) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10)
    const titles = EconomicsColumns.columns.flatMap(({ meaning, title }) =>
      meaning._tag === "Term" && meaning.reads === "money" ? [title] : []
    )
    const lines = (item: (at: number) => number) => [
      ["item", "valid from", ...titles],
      ...Array.from({ length: count }, (_, at) => [
        String(item(at)),
        day(at),
        ...titles.map(() => String(at))
      ])
    ]
    const taken = (item: (at: number) => number) => {
      const rows = lines(item)
      const begun = performance.now()
      expect(check(rows).diagnostics).toEqual([])
      return performance.now() - begun
    }
    const [many] = [taken((at) => at + 1), taken((at) => at + 1)].sort((a, b) => a - b)
    expect(taken(() => 1)).toBeLessThan(5 * many!)
    expect(
      said(
        lines(() => 1),
        1,
        "unit_cost",
        { at: Date.parse("2000-01-03T12:00:00+03:00") }
      )
    ).toEqual(Cells.known(200))
  })

  it("is told to be unknown of the items whose code was needed, and of no others", () => {
    const { ruleSet } = check(
      [
        ["item", "vendor code", "cost"],
        ["", "a-1", "7"]
      ],
      "unit_cost > 0 ₽"
    )
    const tables = OwnFacts.tablesOf(ruleSet!, () => true)
    const rows = Table.make("item")
    const ids = [1, 2, 3, 4].map((id) => ItemId.make(id))
    for (const itemId of ids) rows.add({ itemId })
    OwnFacts.enter(
      tables,
      rows,
      ids.map((itemId) => ({ itemId })),
      now
    )
    const [coded, other, unread] = ids
    for (const [itemId, code] of [
      [coded!, "a-1"],
      [other!, "b-1"]
    ] as const) {
      rows.setFor({ itemId }, "item.vendor_code", Cells.known(code))
      OwnFacts.enterCoded(tables, rows, itemId, code, now)
    }
    const told = () => OwnFacts.notices(ruleSet!, () => rows, now).map(({ text }) => text)
    expect(told()).toEqual(["S05 unit_cost is known for 1 of 2 items; 1 is skipped"])
    rows.setFor({ itemId: unread! }, "item.vendor_code", Cells.unknown("failed"))
    expect(told()).toEqual(["S05 unit_cost is known for 1 of 3 items; 2 are skipped"])
  })

  it("is told to be missing where a rule asks what a unit earns, and nowhere else", () => {
    const codes = (condition: string) => Load.check([policy(condition)]).diagnostics.map(({ code }) => code)
    expect(codes("margin_at_plan_price >= 18%")).toEqual(["S12"])
    expect(codes("price_drop <= 10%")).toEqual([])
  })

  it("lies where a file says that it lies, and then the usual place is none", () => {
    const named = {
      path: "rules/_shared/economics.yaml",
      text: "version: 1\nkind: economics\nsource: {csv: ../data/costs.csv}\nmax_age: 30d\n",
      data: {
        ...table([
          ["item", "cost"],
          ["1", "100"]
        ]),
        path: "rules/data/costs.csv",
        modifiedMs: now - 40 * 86_400_000
      }
    }
    const usual = { path, text: "", data: table([["item"], ["x"]]) }
    const { diagnostics, ruleSet } = Load.check([policy("margin_now >= 1%"), named, usual])
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "F05 rules/_shared/economics.yaml"
    ])
    const [cost] = ruleSet!.ownFacts!
    expect(cost).toMatchObject({ data: { path: "rules/data/costs.csv" }, maxAgeMs: 30 * 86_400_000 })
  })

  it("reads a text of digits and marks as it reads it with the currency's sign", () => {
    const signs = fc.array(fc.constantFrom(..."00123456789.,-"), { minLength: 1, maxLength: 13 })
    const amounts = fc.tuple(
      fc.nat(10 ** 10),
      fc.constantFrom("", ".", ",", ".5", ",5", ".05", ",50", ".005")
    )
    fc.assert(
      fc.property(fc.oneof(signs, amounts), (parts) => {
        const read = (text: string) => {
          const found = EconomicsColumns.readTerm(text, "unit_cost", "money", false)
          return found._tag === "Value" ? found.cell : "wrong"
        }
        const text = parts.join("")
        expect(read(text), text).toEqual(read(`${text} ₽`))
      }),
      { numRuns: Depth.cases(2000) }
    )
    const lines = [
      ["item", "cost", "commission, %"],
      ["1", "12,5", "12,5"],
      ["2", "12.50", "12.50"]
    ]
    for (const item of [1, 2]) {
      expect(said(lines, item, "unit_cost")).toEqual(Cells.known(1250))
      expect(said(lines, item, "commission")).toEqual(Cells.known(0.125))
    }
  })

  it("reads any amount and any percentage that it wrote itself", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (kopecks, millionths) => {
          const amount = `${Math.floor(kopecks / 100)},${String(kopecks % 100).padStart(2, "0")}`
          const percent = `${Math.floor(millionths / 10_000)}.${String(millionths % 10_000).padStart(4, "0")}%`
          expect(EconomicsColumns.readTerm(amount, "unit_cost", "money", false)).toEqual({
            _tag: "Value",
            cell: Cells.known(kopecks)
          })
          expect(EconomicsColumns.readTerm(percent, "commission", "share", false)).toEqual({
            _tag: "Value",
            cell: Cells.known(millionths / 1_000_000)
          })
        }
      ),
      { numRuns: Depth.cases(1000) }
    )
  })
})
