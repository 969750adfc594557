/** `bidhelm orders marks check`: sheets as people keep them, in a folder without account or configuration. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Workbook from "../../../src/cli/tables/Workbook.js"
import * as MarkColumns from "../../../src/engine/fulfilment/marks/MarkColumns.js"
import * as MemoryFolder from "../../MemoryFolder.js"
import * as Shop from "../Shop.js"

const folder = mkdtempSync(join(MemoryFolder.path, "bidhelm-marks-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (...words: ReadonlyArray<string>) =>
  Shop.runIn({ folder, environment: { PATH: process.env.PATH ?? "" } }, [
    "orders",
    "marks",
    "check",
    ...words
  ])
const put = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)
const csv = (...lines: ReadonlyArray<string>) => put("marks.csv", `${lines.join("\n")}\n`)

const gs = "\u001d"
const proof = "dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q="
const code = (serial: string) => `010460123456789321${serial}${gs}91EE11${gs}92${proof}`

interface Told {
  readonly kind: string
  readonly marks: ReadonlyArray<Record<string, unknown>>
  readonly problems: ReadonlyArray<Record<string, unknown>>
  readonly mended: ReadonlyArray<Record<string, unknown>>
  readonly repeated: ReadonlyArray<unknown>
  readonly unknownColumns: ReadonlyArray<string>
}
const told = async (file = "marks.csv") => {
  const { code, stdout } = await check(file, "--json")
  return { code, ...(JSON.parse(stdout) as Told) }
}
const places = ({ problems }: Told) => problems.map(({ code, column, row }) => [row, column, code])

describe("the page about marks", () => {
  const page = readFileSync("docs/fulfilment/marks.md", "utf8")

  it("shows sheets without a problem, for the command that it shows", async () => {
    const sheets = [...page.matchAll(/```csv (\S+)\n([\s\S]*?)```/g)]
    expect(sheets.length).toBe(2)
    expect(page).toContain("bidhelm orders marks check marks.csv")
    for (const [, name, text] of sheets) {
      put(name!, text!)
      const { code, stdout } = await check(name!)
      expect([code, stdout]).toEqual([0, expect.stringContaining("are right")])
    }
    const [, name] = sheets[0]!
    expect((await check(name!)).stdout).toMatch(/\\u001D read as a group separator: row 2, C "value"/)
  })

  it("names every column as the sheet's reader knows it, in English and Russian", () => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm)]
    expect(rows.map(([, name]) => MarkColumns.headerOf(name!))).toEqual(
      MarkColumns.columns.map(({ meaning }) => meaning)
    )
    for (const [, name, others] of rows)
      for (const [, other] of others!.matchAll(/`([^`]+)`/g))
        expect(MarkColumns.headerOf(other!), other).toEqual(MarkColumns.headerOf(name!))
  })

  it("shows the problems as the command words them", async () => {
    const lines = [
      "order;kind;value",
      "1234567890;imei;352099001761481",
      `1234567891;sgtin;${code("aB7777xK9pL2c").replaceAll(gs, "")}`,
      "1234567892;gtin;4601234567894",
      `1234567893;sgtin;${code("5фЙ7чЛ")}`
    ]
    put("wrong.csv", lines.join("\n"))
    const { code: ended, stdout } = await check("wrong.csv")
    const shown = /```\n(wrong\.csv: [\s\S]*?)```/.exec(page)![1]!.trim().split("\n")
    const said = stdout.trim().split("\n")
    expect([ended, said.length]).toEqual([3, shown.length])
    for (const [at, line] of shown.entries()) expect(said[at]).toContain(line.replace(/ …$/, ""))
  })
})

describe("bidhelm orders marks check", () => {
  it("counts one sign as one", async () => {
    csv("order;uin", "1;7", "2;77")
    const { stdout } = await check("marks.csv")
    expect(stdout).toContain("the UIN has 1 sign; exactly 16 are needed")
    expect(stdout).toContain("the UIN has 2 signs;")
  })

  it("tells every problem at once, by row and column, and what can be set without them", async () => {
    csv(
      "Номер заказа,Вид,Значение,мой столбец",
      `1,КИЗ,"${code("one")}",x`,
      `2,КИЗ,"${code("one")}",x`,
      "x,IMEI,352099001761482,",
      "4,хвост,12,",
      "5,,12,",
      "6,УИН,,",
      "7,УИН,6430123456789012,",
      "7,УИН,6430123456789013,",
      "7,УИН,6430123456789012,",
      ",УИН,6430123456789014,"
    )
    const found = await told()
    expect(found.code).toBe(3)
    expect(places(found)).toEqual([
      [2, 3, "claimed_twice"],
      [3, 3, "claimed_twice"],
      [4, 1, "order_unreadable"],
      [4, 3, "check_digit"],
      [5, 2, "kind_unknown"],
      [6, 2, "kind_missing"],
      [7, 3, "no_mark"],
      [9, 3, "second_value"],
      [11, 1, "order_missing"]
    ])
    expect(found.marks).toEqual([
      { orderId: 7, kind: "uin", mark: "6430…12", row: 8, column: 3, name: "Значение" }
    ])
    expect([found.repeated.length, found.unknownColumns]).toEqual([1, ["мой столбец"]])
    expect(found.problems[0]).toMatchObject({
      orderId: 1,
      kind: "sgtin",
      message: expect.stringMatching(/row 3, C.*order 2/)
    })
  })

  it("never prints what proves a mark, nor its serial number whole, in any form of answer", async () => {
    csv(
      "order;sgtin;kind;value",
      `1;${code("serialNumber1")};${code("serialNumber2")};${code("serialNumber3")}`
    )
    for (const words of [["marks.csv"], ["marks.csv", "--json"]]) {
      const { code: ended, stderr, stdout } = await check(...words)
      expect(ended).toBe(3)
      expect(stdout + stderr).not.toMatch(/serialNumber|dGVzd/)
    }
  })

  it("reads codes with quotes and separators of cells in them, or says that a mark was cut", async () => {
    csv(
      "order;sgtin",
      `1;010460123456789321a"b${gs}91EE11`,
      `2;"010460123456789321a;b${gs}91EE11"`,
      `3;010460123456789321a${gs}91EE;1`
    )
    const found = await told()
    expect(found.marks.map(({ orderId }) => orderId)).toEqual([1, 2])
    expect(places(found)).toEqual([[4, 2, "cells_beyond"]])
  })

  it("takes several codes of one order from rows, columns and lines of a cell, up to 100", async () => {
    csv("order;sgtin;sgtin", `1;${code("a1")};${code("a2")}`, `1;"${code("a3")}\n${code("a4")}";`)
    expect((await told()).marks.length).toBe(4)
    csv("order;sgtin", ...Array.from({ length: 101 }, (_, at) => `1;${code(`s${at}`)}`))
    expect(places(await told())).toEqual([[102, 2, "too_many"]])
  })

  it("reads a workbook: separators as spreadsheets keep them, days, and numbers with all their digits", async () => {
    const sheet = {
      name: "marks",
      columns: ["order", "sgtin", "imei", "expiration"].map((title) => ({
        title,
        holds: "text" as const,
        width: 20
      })),
      rows: [
        [1234567890, code("aB7777xK9pL2c").replaceAll(gs, "_x001D_"), undefined, "2099-12-31"],
        ["1234567891", undefined, "352099001761481", undefined]
      ]
    }
    put("marks.xlsx", Workbook.write([sheet]))
    const found = await told("marks.xlsx")
    expect(found.problems).toEqual([])
    expect(found.marks.map(({ kind }) => kind)).toEqual(["sgtin", "expiration", "imei"])
  })

  it("takes no number of a workbook's cell for a mark of sixteen digits: a spreadsheet keeps fifteen", async () => {
    const column = (title: string) => ({ title, holds: "number" as const, width: 20 })
    const rows = [
      ["1234567890", 6430123456789030],
      ["1234567891", "6430123456789031"]
    ]
    put("marks.xlsx", Workbook.write([{ name: "marks", columns: ["order", "uin"].map(column), rows }]))
    const found = await told("marks.xlsx")
    expect(found.problems).toEqual([expect.objectContaining({ row: 2, code: "shortened" })])
    expect(found.marks).toHaveLength(1)
  })

  it("says what is wrong with a file or a sheet as a whole, and ends with 1 or 3", async () => {
    expect(await check("none.csv")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no file")
    })
    expect(await check(".")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(". is a folder, and no file")
    })
    put("old.xlsx", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]))
    expect(await check("old.xlsx")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Save it as .xlsx")
    })
    csv("заказчик;цена", "1;2")
    const { code: ended, stderr } = await check("marks.csv")
    expect(ended).toBe(3)
    expect(stderr).toMatch(/no column says of which order.*\n.*no column has marks/)
    csv("order;value", "1;2")
    expect((await check("marks.csv")).stderr).toContain("add a column kind")
    csv("order;imei;IMEI 1", "1;2;3")
    expect((await check("marks.csv")).stderr).toContain('columns B "imei" and C "IMEI 1" mean the same')
    put("marks.csv", "")
    expect((await check("marks.csv")).stderr).toContain("the sheet is empty")
    csv("order;imei")
    expect(await check("marks.csv")).toMatchObject({ code: 3, stdout: expect.stringContaining("0 rows") })
  })

  it("names the option that was misspelt, and the part that is not there", async () => {
    csv("order;imei", "1;352099001761481")
    expect((await check("marks.csv", "--jsn")).stderr).toContain("Did you mean --json")
    const { code: ended, stderr } = await Shop.runIn({ folder, environment: {} }, ["orders", "mark", "check"])
    expect([ended, stderr]).toEqual([1, expect.stringContaining("Did you mean marks")])
  })
})

describe("a sheet that is none", () => {
  it("is the one answer in JSON, with what is wrong with its header", async () => {
    csv("goods,price", "1,2")
    const found = await told()
    expect([found.code, found.kind, found.marks]).toEqual([3, "orders-marks-check", []])
    expect(places(found)).toEqual([
      [1, null, "no_order_column"],
      [1, null, "no_mark_column"]
    ])
    expect(found.problems[0]?.message).toContain("no column says of which order a row is")
  })

  it("is the one answer in JSON where it is empty, or no text", async () => {
    put("marks.csv", "")
    expect([(await told()).code, places(await told())]).toEqual([3, [[null, null, "sheet_empty"]]])
    put("marks.csv", Uint8Array.from([0xff, 0xfe, 0x00]))
    expect([(await told()).code, places(await told())]).toEqual([3, [[null, null, "unreadable"]]])
  })
})
