/**
 * Workbooks (`.xlsx`): the first sheet that a person sees, as texts of cells, and sheets of ours as a file. What a cell
 * shows is its number with its format, and no library tells it (docs/decisions/0085).
 */

import * as Either from "effect/Either"
import { strToU8, zipSync } from "fflate"
import { SaxesParser, type SaxesTagPlain } from "saxes"
import * as Archive from "./Archive.js"
import * as CellFormat from "./CellFormat.js"
import type { Sheet } from "./Sheet.js"
import * as SheetXml from "./SheetXml.js"

/** `line` is the row's number in the sheet, from 1. Rows without a text are left out. */
export interface Row {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** Columns whose number has three digits behind the mark; no text that looks so. */
  readonly exact?: ReadonlyArray<number>
}

/** Whether a file of this name is read as a workbook. */
export const isNamed = (path: string): boolean => /\.xlsx$/i.test(path)

/**
 * Cells as a person sees them: numbers with all their digits (15 at most, longer ones with `E`; `mark` before the fraction), percentages as
 * `15%`, days as `2026-09-01`, whatever their formats show beside them, such as a currency, yes and no. Merged cells have their text in each. Left is a clause that follows "it".
 */
export const read = (bytes: Uint8Array, mark = "."): Either.Either<ReadonlyArray<Row>, string> => {
  try {
    return Either.right(rowsOf(bytes, mark))
  } catch (cause) {
    if (cause instanceof Archive.Refusal) return Either.left(cause.message)
    throw cause
  }
}

/** The file of these sheets; equal sheets are equal bytes. */
export const write = (sheets: ReadonlyArray<Sheet>): Uint8Array =>
  zipSync(
    Object.fromEntries(Object.entries(SheetXml.files(sheets)).map(([name, text]) => [name, strToU8(text)])),
    // Without an offset this very time stands in the file, wherever it is written.
    { mtime: "2000-01-01T12:00:00", level: 6 }
  )

const rowsOf = (bytes: Uint8Array, mark: string): ReadonlyArray<Row> => {
  kindOf(bytes)
  const files = Archive.files(
    bytes,
    (name) => /\.(xml|rels)$/i.test(name) && !/\/(media|drawings)\//.test(name)
  )
  const part = (name: string): Uint8Array => files.get(name) ?? missing()
  const book = linksOf(files.get("_rels/.rels") ?? missing()).find(({ type }) => type === "officeDocument")
  if (book === undefined || !files.has(book.target))
    throw new Archive.Refusal("is no workbook. Save it as .xlsx")
  const folder = book.target.slice(0, book.target.lastIndexOf("/") + 1)
  const links = linksOf(part(`${folder}_rels/${book.target.slice(folder.length)}.rels`), folder)
  const { is1904, sheets } = bookOf(part(book.target))
  const sheet = sheets.flatMap(
    (id) => links.find((link) => link.id === id && link.type === "worksheet") ?? []
  )[0]
  if (sheet === undefined) throw new Archive.Refusal("has no sheet that can be seen")
  const linked = (type: string): Uint8Array | undefined => {
    const link = links.find((one) => one.type === type)
    return link === undefined ? undefined : part(link.target)
  }
  const [texts, styles] = [linked("sharedStrings"), linked("styles")]
  return cellsOf(part(sheet.target), {
    texts: texts === undefined ? [] : textsOf(texts),
    formats: styles === undefined ? [] : formatsOf(styles),
    is1904,
    mark
  })
}

const missing = (): never => {
  throw new Archive.Refusal("is no workbook, or a part of it is missing. Save it as .xlsx again")
}

/** Says what other files are that people give the name of a workbook. */
const kindOf = (bytes: Uint8Array): void => {
  const starts = (...signs: ReadonlyArray<number>) => signs.every((sign, at) => bytes[at] === sign)
  if (bytes.length === 0) throw new Archive.Refusal("is empty")
  if (starts(0xd0, 0xcf, 0x11, 0xe0))
    throw new Archive.Refusal("is an old .xls, or has a password. Save it as .xlsx without a password")
  if (!starts(0x50, 0x4b))
    throw new Archive.Refusal(
      "is no .xlsx, whatever its name says. Save it as .xlsx in your spreadsheet program"
    )
}

interface Link {
  readonly id: string
  /** The last word of its type, which is the same in both dialects of the format. */
  readonly type: string
  readonly target: string
}

const linksOf = (bytes: Uint8Array, folder = ""): ReadonlyArray<Link> => {
  const links: Array<Link> = []
  walk(bytes, {
    open: (name, { Id, Target, Type }) => {
      if (name !== "Relationship" || Id === undefined || Target === undefined || Type === undefined) return
      const target = Target.startsWith("/") ? Target.slice(1) : `${folder}${Target.replace(/^\.\//, "")}`
      links.push({ id: Id, type: Type.slice(Type.lastIndexOf("/") + 1), target })
    }
  })
  return links
}

/** The links of the sheets that can be seen, in their order, and from which year days count. */
const bookOf = (bytes: Uint8Array): { readonly is1904: boolean; readonly sheets: ReadonlyArray<string> } => {
  const sheets: Array<string> = []
  let is1904 = false
  walk(bytes, {
    open: (name, attributes) => {
      if (name === "workbookPr") is1904 = isTrue(attributes.date1904)
      const id = prefixed(attributes, "id")
      if (name === "sheet" && id !== undefined && (attributes.state ?? "visible") === "visible")
        sheets.push(id)
    }
  })
  return { is1904, sheets }
}

const isTrue = (text: string | undefined): boolean => text === "1" || text === "true"

/** Texts that cells name by their place; parts of one text have formats of their own, and how it sounds is left out. */
const textsOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let [text, isText, isSound] = ["", false, false]
  walk(bytes, {
    open: (name) => {
      if (name === "si") text = ""
      if (name === "rPh") isSound = true
      isText = name === "t" && !isSound
    },
    text: (part) => {
      if (isText) text += part
    },
    close: (name) => {
      isText = false
      if (name === "rPh") isSound = false
      if (name === "si") texts.push(unescaped(text))
    }
  })
  return texts
}

/** `_x000D_` is a character that XML cannot hold. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** What numbers show, by the number of the cell's style. */
const formatsOf = (bytes: Uint8Array): ReadonlyArray<CellFormat.Format> => {
  const codes = new Map<string, string>()
  const formats: Array<string> = []
  let isOfCells = false
  walk(bytes, {
    open: (name, { formatCode, numFmtId }) => {
      if (name === "cellXfs") isOfCells = true
      if (name === "numFmt" && numFmtId !== undefined && formatCode !== undefined)
        codes.set(numFmtId, formatCode)
      if (name === "xf" && isOfCells) formats.push(numFmtId ?? "0")
    },
    close: (name) => {
      if (name === "cellXfs") isOfCells = false
    }
  })
  return formats.map((id) => CellFormat.formatOf(Number(id), codes.get(id)))
}

interface Known {
  readonly texts: ReadonlyArray<string>
  readonly formats: ReadonlyArray<CellFormat.Format>
  readonly is1904: boolean
  readonly mark: string
}

interface Open {
  readonly column: number
  readonly type: string
  readonly style: number
  value: string | undefined
  formula: string | undefined
}

/** No table of a person is wider; one cell far to the right would make every row long. */
const mostColumns = 1000

const cellsOf = (bytes: Uint8Array, known: Known): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const merged: Array<Area> = []
  let [line, column, within, isSound] = [0, -1, "", false]
  let [cells, exact]: [Array<string>, Array<number>] = [[], []]
  let cell: Open | undefined
  walk(bytes, {
    open: (name, { r, ref, s, t }) => {
      within = name
      if (name === "row") {
        line = /^\d{1,7}$/.test(r ?? "") ? Number(r) : line + 1
        ;[cells, exact, column] = [[], [], -1]
      } else if (name === "c") {
        column = columnOf(r) ?? column + 1
        cell = { column, type: t ?? "n", style: Number(s ?? 0), value: undefined, formula: undefined }
      } else if (name === "rPh") isSound = true
      // The rest of a formula that several cells share stands in the first of them alone.
      else if (name === "f" && cell !== undefined) cell.formula ??= ""
      // A formula whose result is a text has computed it, be it no letter long.
      else if (name === "v" && cell?.type === "str") cell.value ??= ""
      else if (name === "mergeCell") {
        const area = mergedArea(ref)
        if (area !== undefined) merged.push(area)
      }
    },
    text: (part) => {
      if (cell === undefined || isSound) return
      if (within === "v" || within === "t") cell.value = (cell.value ?? "") + part
      else if (within === "f") cell.formula = (cell.formula ?? "") + part
    },
    close: (name) => {
      within = ""
      if (name === "rPh") isSound = false
      else if (name === "c" && cell !== undefined) {
        const text = shown(cell, known)
        if (text !== "") put(cells, cell.column, text)
        if (cell.type === "n" && /[.,]\d{3}(?!\d)/.test(text)) exact.push(cell.column)
        cell = undefined
      } else if (name === "row" && cells.length > 0)
        rows.push({ line, cells, ...(exact.length === 0 ? {} : { exact }) })
    }
  })
  return unmerged(rows, merged)
}

const put = (cells: Array<string>, column: number, text: string): void => {
  if (column >= mostColumns) throw new Archive.Refusal(`has more than ${mostColumns} columns`)
  while (cells.length < column) cells.push("")
  cells[column] = text
}

/** `AB12` → 27. */
const columnOf = (reference: string | undefined): number | undefined => {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference ?? "")?.[1]
  return letters === undefined ? undefined : columnAt(letters)
}

/** A formula that nobody has computed stands for itself: it is no empty cell. */
const shown = ({ formula, style, type, value }: Open, { formats, texts, ...as }: Known): string => {
  if (value === undefined) return formula === undefined ? "" : `=${formula}`
  switch (type) {
    case "s":
      return texts[Number(value)] ?? ""
    case "b":
      return isTrue(value) ? "yes" : "no"
    case "n":
      return CellFormat.textOf(value, formats[style] ?? CellFormat.plain, as) ?? value
    case "d":
      return value.replace(/T00:00(:00(\.0+)?)?Z?$/, "").replace("T", " ")
    default:
      return unescaped(value)
  }
}

// Merged cells: the text of the first stands in each cell that they cover, as a person sees it.

/** Lines of the sheet from 1, columns from 0, both with their last. */
interface Area {
  readonly lines: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
}

/** `N3:N6`; undefined for what is no area. */
const mergedArea = (reference: string | undefined): Area | undefined => {
  const [, left, top, right, bottom] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference ?? "") ?? []
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined
  return { lines: [Number(top), Number(bottom)], columns: [columnAt(left), columnAt(right)] }
}

/** `AB` → 27. */
const columnAt = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/**
 * Rows with the text of merged cells in each of them. What programs keep hidden below a merged cell is dropped, and so is a row without
 * a text of its own: a cell that is merged down to the sheet's end makes no rows. No row gets longer than the longest is.
 */
const unmerged = (rows: ReadonlyArray<Row>, areas: ReadonlyArray<Area>): ReadonlyArray<Row> => {
  if (areas.length === 0) return rows
  const sheet = new Map(rows.map((row) => [row.line, [...row.cells]]))
  if (sheet.size < rows.length) throw new Archive.Refusal("is damaged: two rows of it have one number")
  const [lastLine, width] = rows.reduce(
    ([line, most], row) => [Math.max(line, row.line), Math.max(most, row.cells.length)],
    [0, 0]
  )
  const exact = new Map(rows.map((row) => [row.line, new Set(row.exact)]))
  const isExact = areas.map(({ columns, lines }) => exact.get(lines[0])?.has(columns[0]) ?? false)
  const texts = areas.map(({ columns, lines }) => sheet.get(lines[0])?.[columns[0]] ?? "")
  const look = (visit: (cells: Array<string>, column: number, area: number, line: number) => void) => {
    let seen = 0
    for (const [at, { columns, lines }] of areas.entries())
      for (let line = lines[0]; line <= Math.min(lines[1], lastLine); line++) {
        const cells = sheet.get(line)
        const last = cells === undefined ? columns[0] : Math.min(columns[1], width - 1)
        for (let column = columns[0]; column <= last; column++) {
          if (++seen > mostCovered)
            throw new Archive.Refusal(`has merged cells over more than ${mostCovered} cells. Unmerge them`)
          if (cells !== undefined) visit(cells, column, at, line)
        }
      }
  }
  look((cells, column, area, line) => {
    const { columns, lines } = areas[area]!
    if (column < cells.length && (line !== lines[0] || column !== columns[0])) cells[column] = ""
  })
  const own = new Set(
    [...sheet].flatMap(([line, cells]) => (cells.some((text) => text !== "") ? [line] : []))
  )
  look((cells, column, area, line) => {
    const text = texts[area] ?? ""
    if (isExact[area] === true) exact.get(line)?.add(column)
    else exact.get(line)?.delete(column)
    if (text === "") return
    while (cells.length < column) cells.push("")
    cells[column] = text
  })
  return rows.flatMap((row) =>
    own.has(row.line)
      ? [{ line: row.line, cells: sheet.get(row.line) ?? row.cells, ...exactColumns(exact.get(row.line)) }]
      : []
  )
}

const exactColumns = (columns: ReadonlySet<number> | undefined): Pick<Row, "exact"> =>
  columns === undefined || columns.size === 0 ? {} : { exact: [...columns].sort((a, b) => a - b) }

/** Many times what a table of a person merges. */
const mostCovered = 2_000_000

// Elements of an XML text one after another, without the prefixes of their names; what is not well-formed is refused.

type Attributes = Readonly<Record<string, string>>

/** `text` comes in one or several parts. */
interface Hooks {
  readonly open?: (name: string, attributes: Attributes) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

const walk = (bytes: Uint8Array, { close, open, text }: Hooks): void => {
  const parser = new SaxesParser({ position: false, xmlns: false })
  parser.on("error", () => {
    throw new Archive.Refusal("is damaged: a part of it is no XML")
  })
  if (open !== undefined)
    parser.on("opentag", ({ attributes, name }: SaxesTagPlain) => open(local(name), attributes))
  if (close !== undefined) parser.on("closetag", ({ name }: SaxesTagPlain) => close(local(name)))
  if (text !== undefined) {
    parser.on("text", text)
    parser.on("cdata", text)
  }
  parser.write(decoded(bytes)).close()
}

/** An attribute whose prefix each program chooses for itself. */
const prefixed = (attributes: Attributes, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key !== name && local(key) === name)?.[1]

const local = (name: string): string => name.slice(name.indexOf(":") + 1)

const decoded = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Archive.Refusal("is damaged: a text in it cannot be read")
  }
}
