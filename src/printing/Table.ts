/** Tables on A4: headings above every page, a box to tick before every row, what belongs together under one line. */
import { a4, type Fonts, type Letters, Paper, type Sheet } from "./Paper.js"

interface Column {
  readonly title: string
  /** Share of the page's width. */
  readonly share: number
  readonly right?: boolean
}

/** A line across the page, a row with its box, or a sum. */
export type Row =
  | { readonly _tag: "heading"; readonly text: string }
  | { readonly _tag: "row"; readonly cells: ReadonlyArray<string> }
  | { readonly _tag: "sum"; readonly text: string; readonly count: number }

export interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<Row>
}

const margin = 12
const width = a4.width - 2 * margin
const boxWidth = 6
const lineHeight = 4
const bottom = a4.height - 15
const letters: Letters = { size: 9 }
const bold: Letters = { size: 9, bold: true }
/** A cell goes over so many lines. */
const mostLines = 3

export const make = async ({ columns, rows, title }: Table, fonts: Fonts): Promise<Uint8Array> => {
  const paper = await Paper.open(fonts, title)
  const shares = columns.reduce((sum, { share }) => sum + share, 0)
  const laid = columns.map(({ share, ...column }, i) => {
    const before = columns.slice(0, i).reduce((sum, one) => sum + one.share, 0)
    const scale = (width - boxWidth) / shares
    return { ...column, x: margin + boxWidth + before * scale, width: share * scale }
  })
  const sheets: Array<Sheet> = []
  let y = 0
  const turn = () => {
    const sheet = paper.page(a4)
    sheets.push(sheet)
    y = 15
    sheet.text(title, margin, y, { size: sheets.length === 1 ? 14 : 9, bold: true })
    y += 8
    for (const column of laid) put(sheet, column, [column.title], y, bold)
    y += 2
    sheet.line(margin, y, width)
    return sheet
  }
  let sheet = turn()
  for (const row of rows) {
    const cells = row._tag === "row" ? laid.map((column, i) => cellOf(paper, row.cells[i] ?? "", column)) : []
    const height = row._tag === "row" ? Math.max(1, ...cells.map(({ length }) => length)) * lineHeight + 2 : 8
    // What is under a heading begins on its page.
    if (y + height + (row._tag === "heading" ? mostLines * lineHeight + 2 : 0) > bottom) sheet = turn()
    if (row._tag === "row") {
      sheet.box(margin, y + 1.8, 3.4)
      for (const [i, column] of laid.entries()) put(sheet, column, cells[i] ?? [], y + 4.8, letters)
    } else if (row._tag === "heading")
      sheet.text(paper.lines(row.text, bold, width, 1)[0] ?? "", margin, y + 6, bold)
    else {
      sheet.text(paper.lines(row.text, letters, width - 25, 1)[0] ?? "", margin + boxWidth, y + 5.5, letters)
      sheet.textTo(`${row.count} шт.`, margin + width, y + 5.5, bold)
    }
    y += height
    sheet.line(margin, y, width)
  }
  for (const [i, one] of sheets.entries())
    one.textTo(`стр. ${i + 1} из ${sheets.length}`, margin + width, a4.height - 8, { size: 8 })
  return paper.bytes()
}

interface Laid extends Omit<Column, "share"> {
  readonly x: number
  readonly width: number
}

const cellOf = (paper: Paper, text: string, column: Laid): ReadonlyArray<string> =>
  paper.lines(text, letters, column.width - 2, mostLines)

const put = (sheet: Sheet, column: Laid, lines: ReadonlyArray<string>, y: number, style: Letters): void => {
  for (const [i, line] of lines.entries()) {
    const at = y + i * lineHeight
    if (column.right === true) sheet.textTo(line, column.x + column.width - 2, at, style)
    else sheet.text(line, column.x, at, style)
  }
}
