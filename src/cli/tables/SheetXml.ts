/** The files inside a workbook of ours: plain sheets with a header that stays in sight. */
import type { Cell, Column, Sheet } from "./Sheet.js"

/** By their names, in the order that programs expect. */
export const files = (sheets: ReadonlyArray<Sheet>): Readonly<Record<string, string>> => ({
  "[Content_Types].xml": contentTypes(sheets.length),
  "_rels/.rels": links([["officeDocument", "xl/workbook.xml"]]),
  "xl/workbook.xml": workbook(sheets),
  "xl/_rels/workbook.xml.rels": links([
    ...sheets.map((_, index) => ["worksheet", `worksheets/sheet${index + 1}.xml`] as const),
    ["styles", "styles.xml"]
  ]),
  "xl/styles.xml": styles,
  ...Object.fromEntries(
    sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, worksheet(sheet)])
  )
})

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const packaged = "http://schemas.openxmlformats.org/package/2006"
const typed = "application/vnd.openxmlformats-officedocument.spreadsheetml"

const contentTypes = (sheets: number): string => {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${typed}.${type}+xml"/>`
  const each = Array.from({ length: sheets }, (_, index) =>
    override(`worksheets/sheet${index + 1}`, "worksheet")
  )
  return `${declaration}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override("workbook", "sheet.main")}${override("styles", "styles")}${each.join("")}</Types>`
}

const links = (targets: ReadonlyArray<readonly [type: string, target: string]>): string => {
  const each = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`
  )
  return `${declaration}<Relationships xmlns="${packaged}/relationships">${each.join("")}</Relationships>`
}

const workbook = (sheets: ReadonlyArray<Sheet>): string => {
  const names = new Set<string>()
  const each = sheets.map(({ name }, index) => {
    const free = freeName(name, names)
    names.add(free.toLowerCase())
    return `<sheet name="${escaped(free)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`
  })
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${each.join("")}</sheets></workbook>`
}

/** Programs refuse a workbook with a name of more than 31 characters, with some signs in it, or twice the same. */
const freeName = (name: string, taken: ReadonlySet<string>): string => {
  const allowed =
    name
      .replace(/[[\]:*?/\\\p{Cc}]/gu, " ")
      .replace(/^'+|'+$/g, "")
      .trim() || "Sheet"
  for (let count = 1; ; count++) {
    const end = count === 1 ? "" : ` ${count}`
    const free = `${allowed.slice(0, 31 - end.length).trim()}${end}`
    if (!taken.has(free.toLowerCase())) return free
  }
}

/** The formats of cells by place: as it is, header, whole number, money, percentage. */
const styles = `${declaration}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">${[
  ["0", "0"],
  ["0", "1"],
  ["1", "0"],
  ["4", "0"],
  ["10", "0"]
]
  .map(
    ([format, font]) =>
      `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  )
  .join("")}</cellXfs></styleSheet>`
const headerStyle = 1
const styleOf = { text: 0, number: 0, money: 3, percent: 4 } as const
/** Without it a program shows a long number as 1.2E+12. */
const wholeStyle = 2

const worksheet = ({ columns, rows }: Sheet): string => {
  const widths = columns.map(
    ({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  )
  const header = row(
    1,
    columns.map(({ title }, index) => textCell(reference(index, 1), title, headerStyle))
  )
  const body = rows.map((cells, index) =>
    row(
      index + 2,
      columns.map((column, at) => cellOf(reference(at, index + 2), cells[at], column.holds))
    )
  )
  return `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length === 0 ? "" : `<cols>${widths.join("")}</cols>`}<sheetData>${header}${body.join("")}</sheetData></worksheet>`
}

const row = (line: number, cells: ReadonlyArray<string>): string => `<row r="${line}">${cells.join("")}</row>`

const cellOf = (at: string, cell: Cell, holds: Column["holds"]): string => {
  if (cell === undefined) return ""
  if (typeof cell === "string" || holds === "text") return textCell(at, String(cell), 0)
  const value = holds === "money" || holds === "percent" ? cell / 100 : cell
  const style = holds === "number" && Number.isSafeInteger(cell) ? wholeStyle : styleOf[holds]
  return `<c r="${at}" s="${style}"><v>${value}</v></c>`
}

const textCell = (at: string, text: string, style: number): string =>
  `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text.slice(0, mostCharacters))}</t></is></c>`

/** More in one cell makes programs call the workbook damaged. */
const mostCharacters = 32_767

/** 27, 12 → `AB12`. */
const reference = (column: number, line: number): string => {
  let letters = ""
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return `${letters}${line}`
}

const escaped = (text: string): string =>
  text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(notOfXml, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)

/** What XML cannot hold. */
const notOfXml = /(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff]/gu
