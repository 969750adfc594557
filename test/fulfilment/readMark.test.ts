/** Marks as people, scanners and spreadsheets leave them. */
import { inspect } from "node:util"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Mark from "../../src/engine/fulfilment/marks/Mark.js"
import type { MarkProblem, MendedCode } from "../../src/engine/fulfilment/marks/MarkProblem.js"
import * as ReadMark from "../../src/engine/fulfilment/marks/ReadMark.js"
import * as MarkWords from "../../src/reporting/fulfilment/MarkWords.js"
import * as Depth from "../Depth.js"
import * as Marks from "./Marks.js"

const nowMs = Date.parse("2026-09-01T12:00:00Z")
const { gs } = Marks

const read = (kind: Mark.MarkKind, text: string, now = nowMs) => ReadMark.read(kind, text, now)
const whole = (kind: Mark.MarkKind, text: string) => {
  const made = read(kind, text)
  return made._tag === "Mark" ? Mark.Mark.whole(made.mark) : made.problem
}
const problem = (kind: Mark.MarkKind, text: string): MarkProblem | undefined => {
  const made = read(kind, text)
  return made._tag === "Wrong" ? made.problem : undefined
}
const mended = (kind: Mark.MarkKind, text: string): ReadonlyArray<MendedCode> =>
  read(kind, text).mended.map(({ code }) => code)

const runs = { numRuns: Depth.cases(400) }

const head = "010460123456789321"
const full = `${head}5aQ7xK+9pL2cD${gs}91EE11${gs}92dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q=`
const short = `${head}5aQ7xK+9pL2cD${gs}91EE11`

describe("a mark that follows the standard", () => {
  it("is read as it is, of every kind", () => {
    fc.assert(
      fc.property(Marks.sgtin, (code) => {
        expect(whole("sgtin", code)).toBe(code)
      }),
      runs
    )
    fc.assert(
      fc.property(Marks.imei, (code) => {
        expect(whole("imei", code)).toBe(code)
      }),
      runs
    )
    fc.assert(
      fc.property(Marks.gtin13, (code) => {
        expect(whole("gtin", code)).toBe(code)
      }),
      runs
    )
    fc.assert(
      fc.property(Marks.uin, (code) => {
        expect(whole("uin", code)).toBe(code)
      }),
      runs
    )
    for (const number of ["10702070/010125/0001234", "10702070/010125/П001234/1"])
      expect(whole("customsDeclaration", number)).toBe(number)
  })

  it("is refused with any one digit of a number with a check digit changed", () => {
    const changed = (kind: Mark.MarkKind, code: string, of: string): void => {
      expect(problem(kind, code)).toEqual({ code: "check_digit", of })
    }
    fc.assert(
      fc.property(Marks.imei.chain(Marks.oneDigitWrong), (code) => changed("imei", code, "imei")),
      runs
    )
    fc.assert(
      fc.property(Marks.gtin13.chain(Marks.oneDigitWrong), (code) => changed("gtin", code, "gtin")),
      runs
    )
    fc.assert(
      fc.property(Marks.gtin14.chain(Marks.oneDigitWrong), (gtin) =>
        changed("sgtin", `01${gtin}21abcdef${gs}91EE11`, "sgtin")
      ),
      runs
    )
  })

  it("is found again, and nothing is mended, when what was read is read once more", () => {
    const noisy = fc
      .tuple(
        Marks.sgtin,
        fc.constantFrom("", " ", "\u00a0", "]d2", gs, "\ufeff"),
        fc.constantFrom("", " ", "\t")
      )
      .map(([code, before, after]) => `${before}${code}${after}`)
    const written = fc
      .tuple(noisy, fc.constantFrom("\\u001D", "<GS>", "^]", "_x001D_", "{GS}", "␝", "↔", gs))
      .map(([code, spelling]) => code.replaceAll(gs, spelling))
    const kinds = fc.constantFrom(...Mark.kinds)
    fc.assert(
      fc.property(kinds, fc.oneof(noisy, written, Marks.imei, Marks.gtin14, fc.string()), (kind, text) => {
        const first = read(kind, text)
        if (first._tag === "Wrong") return
        const again = read(kind, Mark.Mark.whole(first.mark))
        expect(again.mended).toEqual([])
        expect(again._tag === "Mark" && Mark.Mark.whole(again.mark)).toBe(Mark.Mark.whole(first.mark))
      }),
      runs
    )
  })

  it("is refused with words where a sign is another one, is missing, or was added", () => {
    const whole = fc.oneof(Marks.sgtin, Marks.imei, Marks.gtin13, Marks.uin, fc.string())
    const signs = fc.oneof(fc.constantFrom(..."ЫйА№\u0000\u00e8 ]^(", gs), fc.string({ maxLength: 3 }))
    const spoiled = fc
      .tuple(whole, fc.nat(60), fc.nat(2), signs)
      .map(([text, at, gone, sign]) => text.slice(0, at) + sign + text.slice(at + gone))
    fc.assert(
      fc.property(fc.constantFrom(...Mark.kinds), spoiled, (kind, text) => {
        const found = problem(kind, text)
        if (found !== undefined) expect(MarkWords.ofMark(found, kind)).toMatch(/^\S.{10,}[^.\s]$/s)
      }),
      runs
    )
  })
})

describe("a group separator", () => {
  it("is read from every text that stands for it, and that is told", () => {
    for (const spelling of [
      "\\u001D",
      "\\u001d",
      "\\x1d",
      "^]",
      "<GS>",
      "<gs>",
      "{GS}",
      "[GS]",
      "_x001D_",
      "␝",
      "↔",
      "&#29;",
      "%1D"
    ]) {
      const text = full.replaceAll(gs, spelling)
      expect(whole("sgtin", text), spelling).toBe(full)
      expect(read("sgtin", text).mended).toEqual([{ code: "separator_written", written: spelling, count: 2 }])
    }
  })

  it("is left alone where a code that has separators holds such a text by chance", () => {
    const code = `${head}a<GS>b${gs}91EE11`
    expect(whole("sgtin", code)).toBe(code)
  })

  it("is said to be lost, with how to set the scanner up", () => {
    const lost = problem("sgtin", full.replaceAll(gs, ""))
    expect(lost).toEqual({ code: "separator_lost" })
    expect(MarkWords.ofMark(lost!, "sgtin")).toMatch(/GS, ASCII 29.*scan the code again/)
    expect(problem("sgtin", full.replace(`${gs}92`, "92"))).toEqual({ code: "separator_missing", place: 39 })
    expect(problem("sgtin", `${head}5aQ7xK+9pL2cD91EE11${gs}92dGVzdA==`)).toEqual({
      code: "separator_missing",
      place: 32
    })
  })

  it("is lost to a blank, which is told by its place", () => {
    expect(problem("sgtin", full.replace(gs, " "))).toEqual({ code: "space_inside", place: 32 })
  })
})

describe("what scanners and spreadsheets do to marks", () => {
  const damage: ReadonlyArray<
    readonly [string, Mark.MarkKind, string, string | MarkProblem, ReadonlyArray<MendedCode>]
  > = [
    ["blanks around", "sgtin", `  ${full}\r\n`, full, ["blanks"]],
    ["a symbology prefix", "sgtin", `]d2${full}`, full, ["scanner_prefix"]],
    ["a separator in front", "sgtin", `${gs}${short}`, short, ["scanner_prefix"]],
    [
      "a written separator in front",
      "sgtin",
      `<GS>${short.replace(gs, "<GS>")}`,
      short,
      ["separator_written", "scanner_prefix"]
    ],
    ["an apostrophe", "imei", "'352099001761481", "352099001761481", ["spreadsheet_quotes"]],
    ["a formula", "gtin", '="4601234567893"', "4601234567893", ["spreadsheet_quotes"]],
    ["a decimal", "imei", "352099001761481.0", "352099001761481", ["decimals"]],
    ["dashes", "imei", "35-209900-176148-1", "352099001761481", ["grouping"]],
    ["blanks between digits", "uin", "6430 1234 5678 9012", "6430123456789012", ["grouping"]],
    ["a GTIN of a package", "gtin", "04601234567893", "4601234567893", ["gtin14"]],
    ["a date of a workbook", "expiration", "2027-12-31", "31.12.2027", ["day_spelling"]],
    ["a date with a midnight", "expiration", "2027-12-31 00:00", "31.12.2027", ["day_spelling"]],
    ["a date without zeros", "expiration", "1.2.2027", "01.02.2027", ["day_spelling"]],
    [
      "blanks around slashes",
      "customsDeclaration",
      "10702070 / 010125 / 0001234",
      "10702070/010125/0001234",
      ["grouping"]
    ],
    [
      "slashes on the Russian layout",
      "customsDeclaration",
      "10702070.010125.П001234.1",
      "10702070/010125/П001234/1",
      ["layout_dots"]
    ],
    ["a number with E", "imei", "3,52099E+14", { code: "shortened" }, []],
    ["a lost zero", "gtin", "460123456785", { code: "length", length: 12, least: 13, most: 13 }, []],
    ["a lost zero that fits", "gtin", "036000291452", { code: "zero_lost" }, []],
    ["two IMEIs", "imei", "352099001761481/352099001761499", { code: "two_imeis" }, []],
    [
      "a letter O",
      "imei",
      "35209900176148O",
      { code: "no_digit", place: 15, sign: '"O" (U+004F)', likely: "0" },
      []
    ],
    [
      "the Russian layout",
      "sgtin",
      full.replace("QaK", "").replace("5aQ7xK", "5фЙ7чЛ"),
      { code: "cyrillic_layout", place: 20 },
      []
    ],
    [
      "one Russian letter",
      "sgtin",
      full.replace("EE11", "ЕE11"),
      { code: "look_alike", place: 35, sign: '"Е" (U+0415)' },
      []
    ],
    ["brackets", "sgtin", "(01)04601234567893(21)5aQ7xK(91)EE11", { code: "bracketed" }, []],
    ["a barcode instead", "sgtin", "4601234567893000000", { code: "no_gtin" }, []],
    ["goods alone", "sgtin", "0104601234567893", { code: "no_serial" }, []],
    [
      "a long serial",
      "sgtin",
      `${head}${"a".repeat(21)}${gs}91EE11`,
      { code: "serial_length", length: 21, most: 20 },
      []
    ],
    ["no serial", "sgtin", `${head}${gs}91EE11`, { code: "serial_length", length: 0, most: 20 }, []],
    ["a broken part", "sgtin", `${short}${gs}${gs}92abcd`, { code: "part_unreadable", place: 40 }, []],
    ["too short a code", "sgtin", "0104601234", { code: "length", length: 10, least: 16, most: 135 }, []],
    [
      "a tab inside",
      "customsDeclaration",
      "10702070\t010125/0001234",
      { code: "space_inside", place: 9 },
      []
    ],
    [
      "a short declaration",
      "customsDeclaration",
      "10702070/010125",
      { code: "length", length: 15, least: 17, most: 29 },
      []
    ],
    ["no day", "expiration", "31.02.2027", { code: "no_day" }, []],
    ["nothing but blanks", "uin", " \u200b", { code: "empty" }, ["blanks"]]
  ]
  it.each(damage)("%s (%s)", (_, kind, text, wanted, codes) => {
    expect(whole(kind, text)).toEqual(wanted)
    expect(mended(kind, text)).toEqual(codes)
  })

  it("counts an expiration from the day in Moscow, with a day to spare (O17)", () => {
    const lateMs = Date.parse("2026-09-01T21:30:00Z")
    const at = (now: number, text: string) => read("expiration", text, now)
    expect(at(nowMs, "02.10.2026")._tag).toBe("Mark")
    expect(at(nowMs, "01.10.2026")).toMatchObject({ problem: { code: "too_soon", earliest: "2026-10-02" } })
    expect(at(lateMs, "02.10.2026")).toMatchObject({ problem: { earliest: "2026-10-03" } })
    const any = fc.integer({ min: 0, max: 400 })
    fc.assert(
      fc.property(any, (ahead) => {
        const day = Days.shift(Days.ofMarket(nowMs), ahead)
        expect(at(nowMs, day)._tag).toBe(ahead >= 31 ? "Mark" : "Wrong")
      }),
      runs
    )
  })
})

describe("a mark's text", () => {
  it("shows in no string, no JSON and no inspection: neither proof nor most of the serial", () => {
    fc.assert(
      fc.property(Marks.parts, Marks.plainSerial(), (given, serial) => {
        const one = { ...given, serial }
        const mark = Mark.Mark.of("sgtin", Marks.sgtinOf(one))
        for (const text of [String(mark), JSON.stringify({ mark }), inspect({ mark }), `${mark}`]) {
          expect(text).not.toContain(one.serial)
          expect(text).not.toContain(one.proof.slice(0, 6))
          expect(text).not.toContain(gs)
        }
      }),
      runs
    )
    expect(String(Mark.Mark.of("sgtin", full))).toBe("010460…L2cD")
    expect(String(Mark.Mark.of("imei", "352099001761481"))).toBe("3520…81")
    expect(String(Mark.Mark.of("gtin", "4601234567893"))).toBe("4601234567893")
  })

  it("is the same mark in its full and its short form", () => {
    expect(Mark.identity(Mark.Mark.of("sgtin", full))).toBe(Mark.identity(Mark.Mark.of("sgtin", short)))
    expect(Mark.gtinOf(Mark.Mark.of("sgtin", full))).toBe("04601234567893")
  })
})
