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
}

/**
 * Rows with the text of merged cells in each of them. What programs keep hidden below a merged cell is dropped, and so is a row without
 * a text of its own: a cell that is merged down to the sheet's end makes no rows. No row gets longer than the longest is.
 */
export const filled = <A extends Row>(
  rows: ReadonlyArray<A>,
  areas: ReadonlyArray<Area>
): ReadonlyArray<A> => {
  if (areas.length === 0) return rows
  const sheet = new Map(rows.map((row) => [row.line, [...row.cells]]))
  if (sheet.size < rows.length) throw new Archive.Refusal("is damaged: two rows of it have one number")
  const [lastLine, width] = rows.reduce(
    ([line, most], row) => [Math.max(line, row.line), Math.max(most, row.cells.length)],
    [0, 0]
  )
  const texts = areas.map(({ columns, lines }) => sheet.get(lines[0])?.[columns[0]] ?? "")
  const look = (visit: (cells: Array<string>, column: number, area: number, isFirst: boolean) => void) => {
    let seen = 0
    for (const [at, { columns, lines }] of areas.entries())
      for (let line = lines[0]; line <= Math.min(lines[1], lastLine); line++) {
        const cells = sheet.get(line)
        const last = cells === undefined ? columns[0] : Math.min(columns[1], width - 1)
        for (let column = columns[0]; column <= last; column++) {
          if (++seen > mostCovered)
            throw new Archive.Refusal(`has merged cells over more than ${mostCovered} cells. Unmerge them`)
          if (cells !== undefined) visit(cells, column, at, line === lines[0] && column === columns[0])
        }
      }
  }
  look((cells, column, _, isFirst) => {
    if (!isFirst && column < cells.length) cells[column] = ""
  })
  const own = new Set(
    [...sheet].flatMap(([line, cells]) => (cells.some((text) => text !== "") ? [line] : []))
  )
  look((cells, column, area) => {
    const text = texts[area] ?? ""
    if (text === "") return
    while (cells.length < column) cells.push("")
    cells[column] = text
  })
  return rows.flatMap((row) =>
    own.has(row.line) ? [{ ...row, cells: sheet.get(row.line) ?? row.cells }] : []
  )
}

/** Many times what a table of a person merges. */
const mostCovered = 2_000_000
