/**
 * One fact of many rows, held as a column: numbers beside a reason byte (0 is known, see `domain/Reason`). Text
 * and enum words are codes into the column's dictionary, yes/no is 1 and 0. An unknown value is NaN.
 */
import * as Reason from "../../domain/Reason.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"

const notFetched = Reason.code("notFetched")
const absent = Reason.code("absent")

/**
 * A number of each row. Single precision holds every count and amount below 2^24 as it is, and what is read from it is a double
 * like any other; a column that is given something else becomes one of doubles.
 */
export type Values = Float32Array | Float64Array

/** From here on a column grows by a quarter: half of a large one would stand empty. */
const manyRows = 65_536

/** How a column's numbers are read back. */
export type Kind = "number" | "text" | "yesNo"

/** Fills the first `count` answers, one per row: a `Kleene.Truth` and, for unknown, its reason's byte. */
export type Kernel = (rows: Int32Array, count: number, truth: Uint8Array, reason: Uint8Array) => void

/** Fills the first `count` values; a value with a reason other than 0 is unknown and must not be read. */
export type NumberKernel = (
  rows: Int32Array,
  count: number,
  values: Float64Array,
  reasons: Uint8Array
) => void

export class Column {
  values: Values = new Float32Array(0)
  reasons = new Uint8Array(0)
  /** Distinct texts; a text value is an index into it. */
  readonly texts: Array<string> = []
  /** How many values are known. */
  knownCount = 0
  private readonly codes = new Map<string, number>()

  constructor(readonly kind: Kind) {}

  /** Makes room for `size` values; new ones are unknown (`notFetched`). */
  reserve(size: number): void {
    const before = this.values.length
    if (size <= before) return
    const capacity = Math.max(size, before < manyRows ? before * 2 : Math.ceil(before * 1.25), 16)
    const values =
      this.values instanceof Float32Array ? new Float32Array(capacity) : new Float64Array(capacity)
    const reasons = new Uint8Array(capacity).fill(notFetched, before)
    values.fill(Number.NaN, before)
    values.set(this.values)
    reasons.set(this.reasons)
    this.values = values
    this.reasons = reasons
  }

  /** A value that is not of the column's kind, or not a number at all, is stored as unknown (`absent`). */
  set(index: number, cell: Cell): void {
    this.put(index, Cells.given(cell))
  }

  /** As `set`, of a value as its source gives it. */
  put(index: number, given: Cells.Given): void {
    this.reserve(index + 1)
    const isUnknown = typeof given === "object"
    const value = isUnknown ? Number.NaN : this.encode(given)
    const reason = isUnknown ? Reason.code(given.reason) : Number.isNaN(value) ? absent : Reason.known
    this.knownCount += (reason === Reason.known ? 1 : 0) - (this.reasons[index] === Reason.known ? 1 : 0)
    // NaN is unlike itself, and fits.
    if (Math.fround(value) !== value && reason === Reason.known && this.values instanceof Float32Array)
      this.values = Float64Array.from(this.values)
    this.values[index] = value
    this.reasons[index] = reason
  }

  get(index: number): Cell {
    const reason = Reason.fromCode(this.reasons[index] ?? notFetched)
    if (reason !== undefined) return Cells.unknown(reason)
    const value = this.values[index] ?? Number.NaN
    if (this.kind === "text") return Cells.known(this.texts[value] ?? "")
    return Cells.known(this.kind === "yesNo" ? value !== 0 : value)
  }

  private encode(value: number | string | boolean): number {
    if (this.kind === "text") return typeof value === "string" ? this.codeOf(value) : Number.NaN
    if (typeof value === "boolean") return value ? 1 : 0
    return typeof value === "number" ? value : Number.NaN
  }

  private codeOf(text: string): number {
    const existing = this.codes.get(text)
    if (existing !== undefined) return existing
    const code = this.texts.push(text) - 1
    this.codes.set(text, code)
    return code
  }
}
