/** Merged cells of a sheet: the text of the first stands in each cell that they cover, as a person sees it. */
import * as Archive from "./Archive.js"

/** Lines of the sheet from 1, columns from 0, both with their last. */
export interface Area {
  readonly lines: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
}

/** `N3:N6`; undefined for what is no area. */
export const areaOf = (reference: string | undefined): Area | undefined => {
  const [, left, top, right, bottom] =
    /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference ?? "") ?? []
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined
  return { lines: [Number(top), Number(bottom)], columns: [columnOf(left), columnOf(right)] }
}

/** `AB` → 27. */
export const columnOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

interface Row {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  readonly exact?: ReadonlyArray<number>
}

/**
 * Rows with the text of merged cells in each of them. What programs keep hidden below a merged cell is dropped, and so is a row without
 * a text of its own: a cell that is merged down to the sheet's end makes no rows. No row gets longer than the longest is.
 */
export const filled = (rows: ReadonlyArray<Row>, areas: ReadonlyArray<Area>): ReadonlyArray<Row> => {
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
      ? [{ line: row.line, cells: sheet.get(row.line) ?? row.cells, ...exactOf(exact.get(row.line)) }]
      : []
  )
}

const exactOf = (columns: ReadonlySet<number> | undefined): Pick<Row, "exact"> =>
  columns === undefined || columns.size === 0 ? {} : { exact: [...columns].sort((a, b) => a - b) }

/** Many times what a table of a person merges. */
const mostCovered = 2_000_000
