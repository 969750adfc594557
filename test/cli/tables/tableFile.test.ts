/** Tables of CSV as sellers' programs write them: what stands between columns, where lines end, and cells that moved. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as DataFiles from "../../../src/cli/rules/DataFiles.js"
import * as TableFile from "../../../src/cli/tables/TableFile.js"
import { ItemId } from "../../../src/domain/Ids.js"
import * as Cells from "../../../src/engine/facts/Cell.js"
import * as Table from "../../../src/engine/facts/Table.js"
import * as OwnFacts from "../../../src/engine/gather/OwnFacts.js"
import * as Load from "../../../src/engine/language/Load.js"
import * as Depth from "../../Depth.js"

const folder = mkdtempSync(join(tmpdir(), "bidhelm-tables-"))
mkdirSync(join(folder, "_shared"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rows = (text: string, written = TableFile.bySight) => {
  const path = join(folder, "table.csv")
  writeFileSync(path, text)
  const content = TableFile.read(path, written)
  return content._tag === "Rows" ? content.rows : content
}
const cells = (text: string) => {
  const read = rows(text)
  return "why" in read ? read : read.map((row) => row.cells)
}

describe("what stands between columns", () => {
  it("is seen in the first row that is not empty, outside of quotes, and commas within names do not count", () => {
    for (const head of [
      "item;commission, %;tax rate, %",
      "item\tcommission, %\ttax rate, %",
      "себестоимость, руб;комиссия, %",
      '"item;id",cost',
      '"a,b\nc, d, e";cost',
      "item,cost",
      "item"
    ]) {
      const separator = head.includes("\t") ? "\t" : /;(?!id)/.test(head) ? ";" : ","
      const [names] = cells(`${head}\n1${separator}2\n`) as ReadonlyArray<ReadonlyArray<string>>
      const wanted = head.replaceAll(/"[^"]*"/g, (quoted) => quoted.replaceAll(separator, "\0"))
      expect(names, head).toEqual(
        wanted.split(separator).map((name) => name.replaceAll('"', "").replaceAll("\0", separator))
      )
    }
  })

  it("may be said in a line of its own, and every row keeps its number", () => {
    for (const end of ["\n", "\r\n"])
      for (const last of ["3", '"3"'])
        expect(rows(["sep=;", "", "item;cost, a, b", "1;2", "", `2;${last}`].join(end))).toEqual([
          { line: 3, cells: ["item", "cost, a, b"] },
          { line: 4, cells: ["1", "2"] },
          { line: 6, cells: ["2", "3"] }
        ])
    expect(rows("\n\nitem;cost, %\n1;2\n")).toEqual([
      { line: 3, cells: ["item", "cost, %"] },
      { line: 4, cells: ["1", "2"] }
    ])
  })
})

it("lines may end in several ways in one file: each is a row, and a quoted cell may hold line ends", () => {
  expect(cells("item;cost\r\n1;2\n3;4\n5;6\r7;8")).toEqual([
    ["item", "cost"],
    ["1", "2"],
    ["3", "4"],
    ["5", "6"],
    ["7", "8"]
  ])
  const end = fc.constantFrom("\n", "\r\n", "\r")
  const cell = fc.constantFrom("a", "12,5", '"x\ny"', '"x\r\ny"', '"p;q"')
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, end), { maxLength: 8 }), (lines) => {
      const text = lines.map(([a, b, mark]) => `${a};${b}${mark}`).join("")
      expect(cells(`item;cost\r\n${text}`)).toEqual([
        ["item", "cost"],
        ...lines.map(([a, b]) => [a.replaceAll('"', ""), b.replaceAll('"', "")])
      ])
    }),
    { numRuns: Depth.cases(400) }
  )
})

/** What is said of a table, and what it says of an item: the economics table, or own facts that `yaml` declares. */
const checked = (text: string, file = "economics.csv", yaml = "") => {
  const path = join(folder, "_shared", file)
  writeFileSync(path, text)
  const told = yaml === "" ? { path, text: "" } : { path: join(folder, "_shared", "own.yaml"), text: yaml }
  const now = Date.parse("2026-11-25T09:00:00Z")
  const { diagnostics, ruleSet } = Load.check(Effect.runSync(DataFiles.attach([told])))
  const of = (itemId: number, word: string) => {
    const table = Table.make("item")
    const id = ItemId.make(itemId)
    table.add({ itemId: id })
    OwnFacts.enter(
      OwnFacts.tablesOf(ruleSet!, () => true),
      table,
      [{ itemId: id }],
      now
    )
    return table.get(0, `item.${word}`)
  }
  return { problems: diagnostics.map(({ code, message, span }) => `${code} ${span.line} ${message}`), of }
}

const long =
  "The row has more cells than the first line has names (name the last column, quote what has a comma in it, or put ; between columns)"
const unreadable = Cells.unknown("unreadable")

describe("a row with more cells than there are names", () => {
  it("says nothing of its item: a decimal comma between commas moves all that follows", () => {
    const { of, problems } = checked(
      'item,unit cost,price floor\n*,300,\n200000005,420,50,5000,00\n200000006,"420,50","5000,00"\n'
    )
    expect(problems).toEqual([`F04 3 ${long}; nothing is known of item 200000005.`])
    expect([of(200_000_005, "price_floor"), of(200_000_005, "unit_cost")]).toEqual([unreadable, unreadable])
    expect([of(200_000_006, "price_floor"), of(200_000_006, "unit_cost")]).toEqual([
      Cells.known(500_000),
      Cells.known(42_050)
    ])
    expect(of(200_000_007, "unit_cost")).toEqual(Cells.known(30_000))
  })

  it("may be any item's where its number may have moved too", () => {
    const { of, problems } = checked("unit cost,item,price floor\n420,50,200000005,5000\n1,200000006,900\n")
    expect(problems).toEqual([`F04 2 ${long}; nothing is known of item 50 and of items that no row names.`])
    expect(of(200_000_006, "price_floor")).toEqual(Cells.known(90_000))
    expect([50, 200_000_005].map((item) => of(item, "price_floor"))).toEqual([unreadable, unreadable])
  })

  it("leaves an item of a table of own facts unknown, labels included", () => {
    const yaml = `version: 1
kind: facts
source: {csv: cost.csv, decimal: ","}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}, item.labels: {column: labels, type: labels}}
`
    const { of, problems } = checked(
      'nm,cost,labels\n1001,120,50,season\n1001,"120,50",sale\n1002,7,sale\n',
      "cost.csv",
      yaml
    )
    expect(problems).toEqual([
      `F04 2 ${long}; the item stays unknown.`,
      "F03 3 Item 1001 is already on line 2 with other values; the item stays unknown."
    ])
    expect([of(1001, "cost:money"), of(1001, "labels:labels")]).toEqual([unreadable, unreadable])
    expect([of(1002, "cost:money"), of(1002, "labels:labels")]).toEqual([
      Cells.known(700),
      Cells.known("sale")
    ])
  })
})

it("a table of own facts takes two rows for the same that say the same in other words", () => {
  const yaml = `version: 1
kind: facts
source: {csv: cost.csv, delimiter: ";", decimal: ","}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}, item.note: {column: note, type: text}}
`
  const { of, problems } = checked("nm;cost;note\n1;120;a\n1;120,00;a \n2;120;a\n2;121;a\n", "cost.csv", yaml)
  expect(problems).toEqual(["F03 5 Item 2 is already on line 4 with other values; the item stays unknown."])
  expect(of(1, "cost:money")).toEqual(Cells.known(12_000))
})

describe("a row with more cells than the first line has", () => {
  const long = (...lines: ReadonlyArray<string>) => {
    const read = rows(`${lines.join("\n")}\n`)
    return "why" in read ? read : read.flatMap(({ line, moved }) => (moved === "long" ? [line] : []))
  }

  it("has moved, though what was pushed out is empty", () => {
    expect(long("item,cost,floor", "1,420,50,990", "2,420,50,,", "3,420,990", "4,420", "Total")).toEqual([
      2, 3
    ])
    expect(long("item,cost,,", "1,420,50,", "2,420,,")).toEqual([2])
    expect(long("item;cost", "1;420;", "2;420;50")).toEqual([3])
  })

  it("has not where every row ends with an empty one", () =>
    expect(long("item,cost", "1,420,", "2,430,")).toEqual([]))
})

describe("between commas, a name that may be two cells", () => {
  const own = `version: 1
kind: facts
source: {csv: cost.csv}
join: item.id = nm
fields: {item.group: {column: group, type: labels}}
`

  it("is told where its second half is a unit, but for codes and other separators", () => {
    for (const unit of ["%", " ₽", " руб./шт.", "коп"])
      expect(rows(`item,cost,${unit},floor\n1,420,990\n`)).toMatchObject({
        line: 1,
        why: expect.stringMatching(/^what stands first in column C is a unit/)
      })
    for (const [text, written] of [
      ["item;cost;%\n1;2;3\n", TableFile.bySight],
      ['item,"cost, %"\n1,2\n', TableFile.bySight],
      ["0104,%,x\n1,2,3\n", { ...TableFile.bySight, looseQuotes: true }]
    ] as const)
      expect(rows(text, written)).toHaveLength(2)
  })

  it("is told where a space follows the comma behind a name that is known, unless one follows every comma", () => {
    for (const head of ["nm,упаковка,себестоимость, с НДС", "артикул, поставщика,cost,floor"])
      expect(rows(`${head}\n1,15,50,420\n`)).toMatchObject({
        line: 1,
        why: expect.stringMatching(
          /^what stands first in column [BD] begins with a space and may be the rest/
        )
      })
    for (const head of [
      'nm,упаковка,"себестоимость, с НДС",x',
      "nm, упаковка, себестоимость, с НДС",
      "nm, упаковка, себестоимость, бренд,",
      "nm, упаковка, себестоимость, , бренд",
      "nm,упаковка, себестоимость,с НДС",
      "nm,brand, full,group"
    ])
      expect(rows(`${head}\n1,15,50,420\n`)).toHaveLength(2)
  })

  it("leaves an item unknown whose row has fewer cells, labels included; a table of own facts is refused too", () => {
    const short = checked("nm,brand, full,group\n1,Нить,keep\n2,Нить,,keep\n", "cost.csv", own)
    expect(short.problems).toEqual([
      expect.stringMatching(
        /^F04 2 The row has fewer cells than the first line has names .*the item stays unknown\.$/
      )
    ])
    expect([short.of(1, "group:labels"), short.of(2, "group:labels")]).toEqual([
      Cells.unknown("unreadable"),
      Cells.known("keep")
    ])
    expect(checked("nm,cost, ₽,group\n1,300,keep\n", "cost.csv", own).problems).toEqual([
      expect.stringContaining("is a unit, and no name")
    ])
  })

  it("loses no floor to a heading or a sum", () =>
    expect(rows("item,cost,floor\nПлатья\n1,2,3\n")).toMatchObject([{}, { moved: "short" }, { line: 3 }]))
})
