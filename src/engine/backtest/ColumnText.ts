/**
 * A column of facts as text and back. Only known values are written, in the order of the rows; beside them stands, in
 * runs, which rows have one and why the others do not.
 */
import * as Reason from "../../domain/Reason.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import type { Column } from "../facts/Column.js"

interface Written {
  readonly kind: Column["kind"]
  /** Distinct texts, in the order they first occur; a value of a text column is a place in it. */
  readonly texts?: ReadonlyArray<string>
  /** Numbers; those that JSON lacks are written as words. */
  readonly values: ReadonlyArray<number | string>
  /** How many rows in a row, and their reason code; 0 is known. */
  readonly runs: ReadonlyArray<readonly [number, number]>
}

/** `order` are the numbers of the rows as they are to be written. */
export const encode = (column: Column, order: Int32Array): string => {
  const values: Array<number | string> = []
  const runs: Array<[number, number]> = []
  const texts = new Map<string, number>()
  for (const number of order) {
    const code = column.reasons[number] ?? notFetched
    const last = runs.at(-1)
    if (last !== undefined && last[1] === code) last[0] += 1
    else runs.push([1, code])
    if (code !== Reason.known) continue
    const value = column.values[number]!
    values.push(column.kind === "text" ? codeOf(column.texts[value] ?? "", texts) : numberText(value))
  }
  const written: Written = {
    kind: column.kind,
    ...(column.kind === "text" ? { texts: [...texts.keys()] } : {}),
    values,
    runs
  }
  return JSON.stringify(written)
}

/** Tells the cell of each row that has one, by its place in the order. What was never fetched is left out. */
export const decode = (text: string, each: (row: number, cell: Cell) => void): void => {
  const { kind, runs, texts = [], values } = JSON.parse(text) as Written
  let row = 0
  let at = 0
  for (const [length, code] of runs) {
    const reason = Reason.fromCode(code)
    const end = row + length
    if (reason !== undefined && code !== notFetched) {
      const cell = Cells.unknown(reason)
      for (let i = row; i < end; i++) each(i, cell)
    } else if (code === Reason.known) {
      for (let i = row; i < end; i++) each(i, Cells.known(valueOf(kind, values[at++]!, texts)))
    }
    row = end
  }
}

const notFetched = Reason.code("notFetched")

const codeOf = (text: string, texts: Map<string, number>): number => {
  const existing = texts.get(text)
  if (existing !== undefined) return existing
  texts.set(text, texts.size)
  return texts.size - 1
}

const numberText = (value: number): number | string => {
  if (Object.is(value, -0)) return "-0"
  return Number.isFinite(value) ? value : String(value)
}

const valueOf = (kind: Column["kind"], written: number | string, texts: ReadonlyArray<string>) => {
  const value = Number(written)
  return kind === "text" ? (texts[value] ?? "") : kind === "yesNo" ? value !== 0 : value
}
