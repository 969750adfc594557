/**
 * One fact of many rows, held as a column: numbers, and beside them a reason byte (0 is known, see `domain/Reason`) as soon as one
 * is needed. Text and enum words are codes into the column's dictionary, yes/no is 1 and 0. An unknown value is NaN.
 */
import * as Reason from "../../domain/Reason.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import { Words } from "./Words.js"

const notFetched = Reason.code("notFetched")
const absent = Reason.code("absent")

/**
 * A number of each row. Single precision holds every count and amount below 2^24 as it is, and what is read from it is a double
 * like any other; a column that is given something else becomes one of doubles.
 */
export type Values = Float32Array | Float64Array

/**
 * The same number, and no object of its own where it is whole and small: what is read out of a column is one until the code that reads is
 * compiled, and V8 then keeps such a field for objects ever after.
 */
export const small = (value: number): number => {
  const whole = value | 0
  return whole === value ? whole : value
}

/** How a column's numbers are read back. */
export type Kind = "number" | "text" | "yesNo"

/** Keys that rows of an answer are about: the number of each, and the place of its row. The first `count` of them. */
export interface Keys {
  count: number
  numbers: Int32Array
  rows: Int32Array
}

/** What a row of an answer says of each of its facts. */
export interface Told {
  readonly values: ReadonlyArray<Cells.Given>
}

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
  /** How many values are known. */
  knownCount = 0
  /** Rows that there is an answer for, unknown or not. */
  private size = 0
  /** While it is absent, whatever is unknown has not been fetched. */
  private told: Uint8Array | undefined

  /** `words`: the dictionary to use; a cluster's `query` shares that of the clusters' names. */
  constructor(
    readonly kind: Kind,
    private readonly words = new Words()
  ) {}

  /** Distinct texts; a text value is an index into it. */
  get texts(): ReadonlyArray<string> {
    return this.words.texts
  }

  /** Memory of the numbers and the reasons. */
  get bytes(): number {
    return this.values.byteLength + (this.told?.byteLength ?? 0)
  }

  /** One for each row that has an answer; to be read, and asked for anew after something was set. */
  get reasons(): Uint8Array {
    if (this.told === undefined && this.knownCount >= this.size) return noReasons(this.size)
    return this.reasonsTold().subarray(0, this.size)
  }

  /** Makes room for `size` values; new ones are unknown (`notFetched`). */
  reserve(size: number): void {
    if (size <= this.size) return
    if (size > this.values.length) this.grow(size)
    // Mostly one more, for which calling `fill` takes longer than filling.
    for (let i = this.size; i < size; i++) this.values[i] = Number.NaN
    if (this.told !== undefined) for (let i = this.size; i < size; i++) this.told[i] = notFetched
    this.size = size
  }

  /** To twice its length: what no row has asked for stays untouched, and takes no memory. */
  private grow(size: number): void {
    const capacity = Math.max(size, this.values.length * 2, 16)
    const values =
      this.values instanceof Float32Array ? new Float32Array(capacity) : new Float64Array(capacity)
    values.set(this.values)
    this.values = values
    if (this.told === undefined) return
    const told = new Uint8Array(capacity)
    told.set(this.told)
    this.told = told
  }

  private reasonsTold(): Uint8Array {
    if (this.told !== undefined) return this.told
    const told = new Uint8Array(this.values.length)
    for (let i = 0; i < this.size; i++) if (Number.isNaN(this.values[i]!)) told[i] = notFetched
    this.told = told
    return told
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
    const isKnown = !Number.isNaN(value)
    const wasKnown = !Number.isNaN(this.values[index]!)
    this.knownCount += Number(isKnown) - Number(wasKnown)
    if (isKnown && Math.fround(value) !== value && this.values instanceof Float32Array)
      this.values = Float64Array.from(this.values)
    this.values[index] = value
    const reason = isUnknown ? Reason.code(given.reason) : isKnown ? Reason.known : absent
    if (this.told !== undefined) this.told[index] = reason
    else if (!isKnown && reason !== notFetched) this.reasonsTold()[index] = reason
  }

  /** As `put`, of many keys: what the row of each says in this place. */
  putAll({ count, numbers, rows }: Keys, told: ReadonlyArray<Told>, place: number): void {
    const isNumber = this.kind === "number"
    for (let i = 0; i < count; i++) {
      const index = numbers[i]!
      const given = told[rows[i]!]!.values[place]!
      // There may be millions: a number is written here, without a call.
      if (!isNumber || typeof given !== "number" || index >= this.size || Number.isNaN(given)) {
        this.put(index, given)
        continue
      }
      if (Number.isNaN(this.values[index]!)) this.knownCount += 1
      this.values[index] = given
      if (this.told !== undefined) this.told[index] = Reason.known
      if (this.values[index] === given) continue
      this.values = Float64Array.from(this.values)
      this.values[index] = given
    }
  }

  /** Why it is unknown, of those rows that nothing was told of. */
  leave(indexes: ReadonlyArray<number>, why: Cells.Unknown): void {
    for (let i = 0; i < indexes.length; i++) {
      const index = indexes[i]!
      this.reserve(index + 1)
      if (!Number.isNaN(this.values[index]!)) continue
      if ((this.told?.[index] ?? notFetched) === notFetched) this.put(index, why)
    }
  }

  get(index: number): Cell {
    const value = index < this.size ? this.values[index]! : Number.NaN
    if (Number.isNaN(value))
      return Cells.unknown(Reason.fromCode(this.told?.[index] ?? notFetched) ?? "notFetched")
    if (this.kind === "text") return Cells.known(this.texts[value] ?? "")
    return Cells.known(this.kind === "yesNo" ? value !== 0 : value)
  }

  private encode(value: number | string | boolean): number {
    if (this.kind === "text") return typeof value === "string" ? this.words.codeOf(value) : Number.NaN
    if (typeof value === "boolean") return value ? 1 : 0
    return typeof value === "number" ? value : Number.NaN
  }
}

/** Those of columns all of whose values are known: one for all of them. */
let known = new Uint8Array(0)
const noReasons = (size: number): Uint8Array => {
  if (known.length < size) known = new Uint8Array(size)
  return known.subarray(0, size)
}
