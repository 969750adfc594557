import * as Either from "effect/Either"
import * as fc from "fast-check"
import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import type { Sheet } from "../../../src/cli/tables/Sheet.js"
import * as Workbook from "../../../src/cli/tables/Workbook.js"
import * as Depth from "../../Depth.js"

const sheet = (...rows: ReadonlyArray<ReadonlyArray<string | number | undefined>>): Sheet => ({
  name: "Себестоимость",
  columns: [
    { title: "Артикул", holds: "text", width: 20 },
    { title: "nm", holds: "number", width: 14 },
    { title: "Цена", holds: "money", width: 12 },
    { title: "Скидка", holds: "percent", width: 8 }
  ],
  rows
})

const read = (bytes: Uint8Array, mark?: string) => Either.getOrThrow(Workbook.read(bytes, mark))
const refused = (bytes: Uint8Array) => Either.getOrThrow(Either.flip(Workbook.read(bytes)))

/** A workbook of ours with some of its files exchanged. */
const altered = (files: Readonly<Record<string, string | undefined>>): Uint8Array => {
  const made: Zippable = unzipSync(Workbook.write([sheet(["a", 1, 100, 5])]))
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) delete made[name]
    else made[name] = strToU8(text)
  }
  return zipSync(made)
}

const xmlns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const withCells = (cells: string, others: Readonly<Record<string, string>> = {}) =>
  read(
    altered({
      "xl/worksheets/sheet1.xml": `<worksheet ${xmlns}><sheetData>${cells}</sheetData></worksheet>`,
      ...others
    })
  )

/** One number in a cell of this format. */
const numberIn = (format: string, value: string, workbook = ""): string | undefined =>
  withCells(`<row r="1"><c r="A1" s="0"><v>${value}</v></c></row>`, {
    "xl/styles.xml": `<styleSheet ${xmlns}><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
    ...(workbook === "" ? {} : { "xl/workbook.xml": workbook })
  })[0]?.cells[0]

describe("what we write", () => {
  it("is read back as a person sees it: money with its kopecks, percentages, Cyrillic, the sheet's own lines", () => {
    const bytes = Workbook.write([
      sheet(["Ёлка «2»", 123456789012, 120050, 7], [], ["=1+1", undefined, 10, 15])
    ])
    expect(read(bytes)).toEqual([
      { line: 1, cells: ["Артикул", "nm", "Цена", "Скидка"] },
      { line: 2, cells: ["Ёлка «2»", "123456789012", "1200.5", "7%"] },
      { line: 4, cells: ["=1+1", "", "0.1", "15%"] }
    ])
  })

  it("is the same bytes for the same sheets, whatever the zone of the machine", () => {
    const before = process.env.TZ
    const make = () => Buffer.from(Workbook.write([sheet(["a", 1, 2, 3])])).toString("base64")
    const first = make()
    try {
      process.env.TZ = "Asia/Vladivostok"
      expect(make()).toBe(first)
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  it("gives back any text and any amount", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("_x000D_", "\r\n", "<&>\"'", " a ", "\ufffe")
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 99 })), {
          maxLength: 5
        }),
        (rows) => {
          const bytes = Workbook.write([
            sheet(...rows.map(([name, kopecks, off]) => [name, 1, kopecks, off]))
          ])
          const back = read(bytes)
            .slice(1)
            .map(({ cells }) => cells)
          const rouble = (kopecks: number) => (kopecks / 100).toFixed(2).replace(/\.?0+$/, "")
          expect(back).toEqual(rows.map(([name, kopecks, off]) => [name, "1", rouble(kopecks), `${off}%`]))
        }
      ),
      { numRuns: Depth.cases(400) }
    )
  })

  it("has a name for each sheet that programs accept", () => {
    const long = "Акция: осень/зима [2026], очень длинное название"
    const bytes = Workbook.write([
      { ...sheet(), name: long },
      { ...sheet(), name: long },
      { ...sheet(), name: "" }
    ])
    const names = [...strFromU8(unzipSync(bytes)["xl/workbook.xml"]!).matchAll(/name="([^"]*)"/g)].map(
      ([, name]) => name!
    )
    expect(names).toEqual(["Акция  осень зима  2026 , очень", "Акция  осень зима  2026 , оче 2", "Sheet"])
    expect(names.every((name) => name.length <= 31)).toBe(true)
  })
})

describe("numbers of a cell", () => {
  it.each([
    ["General", "0.30000000000000004", "0.3"],
    ["0.00", "12.345", "12.345"],
    ["0", "1.23456789012E11", "123456789012"],
    ["General", "33.333333333333336", "33.3333333333"],
    ["General", "-1E-12", "0"],
    ["General", "123456789012345", "123456789012345"],
    ["General", "6430123456789030", "6.4301234567890E+15"],
    ["General", "1E21", "1.0000000000000E+21"],
    ["0%", "0.15", "15%"],
    ["0.00%", "7.0000000000000007E-2", "7%"],
    ["0.0%", "0.155", "15.5%"],
    ["0%", "1", "100%"],
    ["0%", "-0.05", "-5%"],
    ["#,##0.00\\ &quot;руб. % d&quot;", "1234.5", "1234.5 руб. % d"],
    ["[$₽-419]#,##0", "99", "99 ₽"],
    ["[$¥-804]#,##0.00", "330", "330 ¥"],
    ["&quot;$&quot;#,##0.00_);(&quot;$&quot;#,##0.00)", "330", "330 $"],
    ["[$$-409]#,##0.00", "330", "330 $"],
    ["[$€-2]\\ #,##0.00;[Red]-0", "330", "330 €"],
    ["#,##0.00\\ &quot;USD&quot;", "330", "330 USD"],
    ["#,##0.00\\ [$USD]", "330", "330 USD"],
    ["_-* #,##0.00\\ &quot;€&quot;_-;-* #,##0.00\\ &quot;€&quot;_-", "330", "330 €"],
    ["#,##0.00\\ \\р\\.", "330", "330 р."],
    ["$#,##0", "330", "330 $"],
    ["General\\ ₸", "330.5", "330.5 ₸"],
    ["0&quot; тыс.&quot;", "330", "330 тыс."],
    ["#,##0_р_.;#,##0&quot;$&quot;", "330", "330"],
    ["0&quot; шт.&quot;", "5", "5"],
    ["0&quot; pcs&quot;", "5", "5"],
    ["0.00&quot; AMD&quot;", "5", "5 AMD"],
    ["[$-419]#,##0", "5", "5"],
    ["0.0&quot;$&quot;%", "0.15", "15%"],
    ["00000", "123", "00123"],
    ["00000", "123456", "123456"],
    ["00000", "1.5", "1.5"],
    ["0", "7", "7"],
    ["[Red]0.00;[Blue]-0.00%", "5", "5"],
    ["dd.mm.yyyy", "46266", "2026-09-01"],
    ["[$-419]d\\ mmmm\\ yyyy", "46266.75", "2026-09-01"],
    ["dd.mm.yyyy hh:mm", "46266.75", "2026-09-01 18:00"],
    ["h:mm", "0.5", "12:00"],
    ["[h]:mm", "1.5", "1.5 days"],
    ["[ss]&quot; c&quot;", "1.5", "1.5 days"],
    ["mmm", "46266", "2026-09-01"],
    ["yyyy", "59", "1900-02-28"],
    ["yyyy", "61", "1900-03-01"],
    ["yyyy-mm-dd", "-5", "-5"],
    ["0.00E+00", "12", "12"],
    ["# ?/?", "330.5", "330.5"],
    ["# ??/16", "330.5", "330.5"],
    ["@", "330", "330"],
    ["[Color 5][&lt;=100]0_);[Red]\\-0", "330", "330"]
  ])("format %s of %s is %s", (format, value, text) => {
    expect(numberIn(format, value)).toBe(text)
  })

  it.each([
    ["#,##0.00\\ [$Br-423]", "330 Br BY"],
    ["#,##0.00[$р.-423]", "330 р. BY"],
    ["#,##0.00\\ [$zł-415]", "330 zł"],
    ["#,##0.00\\ [$Kč-405]", "330 Kč"],
    ["#,##0\\ [$сўм-843]", "330 сўм"],
    ["#,##0\\ [$so'm-443]", "330 so'm"],
    ["#,##0\\ [$грн.-422]", "330 грн."],
    ["[$Lei-418]\\ 0", "330 Lei"],
    ["#,##0.00\\ [$₴-422]", "330 ₴"],
    ["#,##0.00&quot; сомони&quot;", "330 сомони"],
    ["#,##0.00&quot; лв&quot;", "330 лв"],
    ["#,##0&quot; tenge&quot;", "330 tenge"],
    ["0&quot; cent&quot;", "330 cent"],
    ["0.00 zl", "330 zl"],
    ["0&quot; сотен&quot;", "330 сотен"],
    ["0.0,,\\ &quot;M&quot;", "330 M, shown in millions"],
    ["#,##0,", "330 shown in thousands"],
    ["0,.00", "330 shown in thousands"],
    ["0&quot; M&quot;", "330 M"],
    ["0&quot;%&quot;", "330 %"],
    ["0.00\\%", "330 %"],
    ["0.00%%", "330 %%"],
    ["0&quot; ‰&quot;", "330 ‰"],
    ["0&quot;000&quot;", '330 "000"'],
    ["0\\.00", "330 ."],
    ["0\\ 5", '330 "5"'],
    ["0&quot; кг&quot;", "330 кг"],
    ["&quot;от &quot;0&quot; руб&quot;", "330 от руб"]
  ])("whose format %s may say more than the number have it beside them: %s", (format, text) => {
    expect(numberIn(format, "330")).toBe(text)
  })

  it.each([
    ["#,##0.00_ ;\\-#,##0.00\\ "],
    ["#\\ ##0"],
    ["(0)"],
    ["&quot;№ &quot;0"],
    ["+0;-0"],
    ["0&quot; (шт.)&quot;"],
    ["0&quot; штук&quot;"],
    ["0\\ "],
    ["_-* #,##0_-;\\-* #,##0_-;_-* &quot;-&quot;_-;_-@_-"],
    ["[$-423]#,##0;@"]
  ])("whose format %s says nothing more are the number alone", (format) => {
    expect(numberIn(format, "330")).toBe("330")
  })

  it("have what the section of their size shows", () => {
    const scaled = "[&gt;=1000000]0.0,,&quot; M&quot;;[&gt;=1000]0.0,&quot; K&quot;;0"
    expect(["2000000", "2000", "200", "-5"].map((value) => numberIn(scaled, value))).toEqual([
      "2000000 M, shown in millions",
      "2000 K, shown in thousands",
      "200",
      "-5"
    ])
    const three = "0&quot; ₽&quot;;0&quot; $&quot;;&quot;нет&quot;"
    expect(["5", "-5", "0"].map((value) => numberIn(three, value))).toEqual(["5 ₽", "-5 $", "0 нет"])
    const two = "0;[Red]\\(0&quot; Br&quot;\\);"
    expect(["5", "-5", "0"].map((value) => numberIn(two, value))).toEqual(["5", "-5 Br", "0"])
    expect(["1", "2"].map((value) => numberIn("[=1]0&quot; Br&quot;;0", value))).toEqual(["1 Br", "2"])
    expect(numberIn("0;0;&quot;-&quot;", "0")).toBe("0")
  })

  it("are days from 1904 where the workbook counts so", () => {
    const book = `<workbook ${xmlns} xmlns:q="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="1"/><sheets><sheet name="a" sheetId="1" q:id="rId1"/></sheets></workbook>`
    expect(numberIn("yyyy", "44804", book)).toBe("2026-09-01")
  })

  it("have the mark that the table says", () => {
    expect(read(Workbook.write([sheet(["a", 1, 1250, 7])]), ",")[1]?.cells).toEqual(["a", "1", "12,5", "7%"])
  })

  it("with two decimals, or of percent, are exact for all kopecks", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (kopecks) => {
        const digits = String(kopecks).padStart(3, "0")
        const exact = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, "")
        expect(numberIn("0.00", String(kopecks / 100))).toBe(exact)
        expect(numberIn("0.00%", String(kopecks / 10_000))).toBe(`${exact}%`)
      }),
      { numRuns: Depth.cases(100) }
    )
  })
})

describe("other cells", () => {
  it("are texts of any kind, yes and no, errors, days as text, and formulas that nobody computed", () => {
    const rows = withCells(
      '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c>' +
        '<c t="str"><f>A1</f><v>ж</v></c><c><f>1+1</f></c><c t="d"><v>2026-09-01T00:00:00</v></c><c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c></row>',
      {
        "xl/sharedStrings.xml": `<x:sst xmlns:x="${xmlns.slice(7, -1)}"><x:si><x:t>one</x:t></x:si><x:si><x:r><x:t>t</x:t></x:r><x:r><x:t xml:space="preserve">wo </x:t></x:r><x:rPh><x:t>sound</x:t></x:rPh></x:si></x:sst>`,
        "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="a/worksheet" Target="/xl/worksheets/sheet1.xml"/><Relationship Id="rId2" Type="a/sharedStrings" Target="./sharedStrings.xml"/></Relationships>`
      }
    )
    expect(rows).toEqual([
      { line: 1, cells: ["one", "two ", "yes", "no", "#N/A", "ж", "=1+1", "2026-09-01", "ab"] }
    ])
  })

  it("of a formula that stands in another cell are uncomputed ones too, and one computed to no text is empty", () => {
    const shared = '<f t="shared" si="0"/>'
    const rows = withCells(
      `<row><c><f t="shared" ref="A1:D1" si="0">G1*2</f><v>4</v></c><c>${shared}<v>6</v></c><c>${shared}</c><c>${shared}<v/></c>` +
        '<c t="str"><f>IF(1=1,"","x")</f><v></v></c><c t="str"><f>G1</f><v/></c><c t="str"><f>G1</f></c><c><f>G1</f><v/></c><c><f>G1</f><v></v></c><c t="str"><f>G1</f><v>x</v></c></row>'
    )
    expect(rows[0]?.cells).toEqual(["4", "6", "=", "=", "", "", "=G1", "=G1", "=G1", "x"])
  })

  const text = (at: string) => `<c r="${at}" t="inlineStr"><is><t>${at}</t></is></c>`
  const row = (line: number, ...cells: ReadonlyArray<string>) =>
    `<row r="${line}">${cells.map((at) => text(`${at}${line}`)).join("")}</row>`
  const merging = (rows: string, areas: ReadonlyArray<string>) =>
    altered({
      "xl/worksheets/sheet1.xml": `<worksheet ${xmlns}><sheetData>${rows}</sheetData><mergeCells>${areas.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells></worksheet>`
    })

  it("have the text of the merged one that covers them, each", () => {
    const rows = `${row(1, "A", "B")}${row(2, "A")}${row(3, "A", "B", "C")}${row(4, "A", "D")}`
    expect(read(merging(rows, ["B1:B2", "C3:D4"]))).toEqual([
      { line: 1, cells: ["A1", "B1"] },
      { line: 2, cells: ["A2", "B1"] },
      // What a program keeps below a merged cell nobody sees.
      { line: 3, cells: ["A3", "B3", "C3", "C3"] },
      { line: 4, cells: ["A4", "", "C3", "C3"] }
    ])
    expect(read(merging(rows, ["B2:B3"]))[2]).toEqual({ line: 3, cells: ["A3", "", "C3"] })
  })

  it("with three digits behind the mark are told from texts that look so", () => {
    const cell = (at: string, value: string) => `<c r="${at}"><v>${value}</v></c>`
    const rows = `<row r="1">${cell("A1", "4")}${cell("B1", "4.125")}<c r="C1" t="str"><v>4.000</v></c>${cell("D1", "0.1255")}</row>${row(2, "A")}`
    expect(read(merging(rows, []))[0]).toEqual({
      line: 1,
      cells: ["4", "4.125", "4.000", "0.1255"],
      exact: [1]
    })
    expect(read(merging(rows, ["B1:B2"]))[1]).toEqual({ line: 2, cells: ["A2", "4.125"], exact: [1] })
  })

  it("are no more for being merged to the end of the sheet, and a workbook of merged cells alone is refused", () => {
    const rows = `${row(1, "A", "B")}${row(2, "A")}${row(5, "B")}`
    expect(read(merging(rows, ["B1:XFD1048576"]))).toEqual([
      { line: 1, cells: ["A1", "B1"] },
      { line: 2, cells: ["A2", "B1"] }
    ])
    expect(refused(merging(rows, Array<string>(500_000).fill("A1:A9")))).toBe(
      "has merged cells over more than 2000000 cells. Unmerge them"
    )
    expect(refused(merging(rows + row(5, "A"), ["A1:A2"]))).toBe("is damaged: two rows of it have one number")
  })

  it("keep their columns and lines where others are empty", () => {
    expect(
      withCells(
        `<row r="2">${text("B2")}<c r="C2"/>${text("AA2")}</row><row r="9"><c r="A9" s="3"/></row><row r="12">${text("A12")}</row>`
      )
    ).toEqual([
      { line: 2, cells: ["", "B2", ...Array<string>(24).fill(""), "AA2"] },
      { line: 12, cells: ["A12"] }
    ])
  })

  it("are those of the first sheet that can be seen", () => {
    const book = (first: string) =>
      `<workbook ${xmlns} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" ${first} r:id="rId1"/><sheet name="b" sheetId="2" r:id="rId2"/></sheets></workbook>`
    const two = unzipSync(Workbook.write([sheet(["first", 1, 1, 1]), sheet(["second", 1, 1, 1])]))
    const hidden = zipSync({ ...two, "xl/workbook.xml": strToU8(book('state="hidden"')) })
    expect(read(zipSync(two))[1]?.cells[0]).toBe("first")
    expect(read(hidden)[1]?.cells[0]).toBe("second")
  })
})

describe("files that are no good workbook", () => {
  const good = Workbook.write([sheet(["a", 1, 100, 5])])
  /** The directory says another size of its first file. */
  const resized = (size: number) => {
    const bytes = Buffer.from(good)
    bytes.writeUInt32LE(size, bytes.indexOf("504b0102", 0, "hex") + 24)
    return bytes
  }
  const damaged = () => {
    const stored = zipSync(unzipSync(good), { level: 0 })
    const text = Buffer.from(stored).toString("latin1")
    const at = text.indexOf("<v>1</v>")
    return Buffer.from(`${text.slice(0, at)}<v>9</v>${text.slice(at + 8)}`, "latin1")
  }
  it.each<[string, () => Uint8Array, string]>([
    ["empty", () => new Uint8Array(), "is empty"],
    ["text", () => strToU8("nm;cost"), "is no .xlsx, whatever its name says"],
    [
      "an old workbook",
      () => new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 0]),
      "is an old .xls, or has a password"
    ],
    ["cut short", () => good.slice(0, good.length - 40), "is cut short or damaged"],
    ["with one digit changed on the disk", damaged, "a checksum in it does not agree"],
    ["another archive", () => zipSync({ "a.txt": strToU8("a") }), "is no workbook"],
    [
      "without its sheet",
      () => altered({ "xl/worksheets/sheet1.xml": undefined }),
      "a part of it is missing"
    ],
    [
      "broken in the middle",
      () => altered({ "xl/worksheets/sheet1.xml": "<worksheet><row>" }),
      "a part of it is no XML"
    ],
    [
      "not Unicode",
      () => zipSync({ ...unzipSync(good), "xl/workbook.xml": new Uint8Array([0xfe, 0xc3, 0x28]) }),
      "a text in it cannot be read"
    ],
    [
      "with all sheets hidden",
      () =>
        altered({
          "xl/workbook.xml": `<workbook ${xmlns}><sheets><sheet state="veryHidden" r:id="rId1" xmlns:r="r"/></sheets></workbook>`
        }),
      "has no sheet that can be seen"
    ],
    [
      "wider than any table",
      () =>
        altered({
          "xl/worksheets/sheet1.xml":
            '<worksheet><sheetData><row><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>'
        }),
      "has more than 1000 columns"
    ],
    ["a bomb", () => resized(200 * 1024 * 1024), "unpacks to more than 128 MiB"]
  ])("are refused with a sentence: %s", (_, bytes, why) => {
    expect(refused(bytes())).toContain(why)
  })

  it("never have an entity opened, nor a size believed that is too small", () => {
    const entity =
      '<!DOCTYPE a [<!ENTITY e "eeee">]><worksheet><sheetData><row><c t="str"><v>&e;</v></c></row></sheetData></worksheet>'
    expect(refused(altered({ "xl/worksheets/sheet1.xml": entity }))).toContain("no XML")
    expect(refused(resized(3))).toMatch(/damaged/)
  })

  it("are a sentence and no crash, wherever a byte is changed", () => {
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = good.slice()
        bytes[at] = (bytes[at]! + by) % 256
        const outcome = Workbook.read(bytes)
        if (Either.isRight(outcome)) expect(outcome.right).toEqual(read(good))
      }),
      { numRuns: Depth.cases(2000) }
    )
  })
})
