/** What rows are asked about. */
import type { Table } from "../Table.js"

export interface Ground {
  readonly table: Table
  /** Rows asked about in all. */
  readonly total: number
  /** Rows asked about by one call, at most. */
  readonly block: number
  /** Whether loops are compiled for each question: with few rows that costs more than it saves. */
  readonly isCompiled: boolean
  /** By their expression: sums over the rows below a key are added up once, however many conditions ask. */
  readonly sums: Map<string, Sums>
  /** By their question: answers about each text of a column, or each key of a coarser level. */
  readonly answers: Map<string, Uint8Array>
}

/** Of every key of a level: the sum and its reason (`domain/Reason`), and whether all of them are known. */
export interface Sums {
  readonly values: Float64Array
  readonly reasons: Uint8Array
  readonly certain: boolean
}

/** Rows per step: small enough that a block's columns stay in the processor's cache. */
export const blockRows = 2048

/** With fewer rows the kernels have answered before a loop is compiled. */
const fewestCompiled = 20_000

/** False where Node runs with `--disallow-code-generation-from-strings`: then the kernels answer alone. */
const mayCompile = (): boolean => {
  try {
    return new Function("return true")()
  } catch {
    return false
  }
}
let allowed: boolean | undefined

const pays = (total: number): boolean => {
  if (total < fewestCompiled) return false
  allowed ??= mayCompile()
  return allowed
}

/** For `total` rows of a table, asked in blocks. */
export const of = (
  table: Table,
  total: number,
  isCompiled = pays(total),
  sums: Ground["sums"] = new Map()
): Ground => ({
  table,
  total,
  block: Math.min(blockRows, total),
  isCompiled,
  sums,
  answers: new Map()
})

/** Asks once, however many conditions ask the same. */
export const answered = ({ answers }: Ground, question: string, ask: () => Uint8Array): Uint8Array => {
  const found = answers.get(question) ?? ask()
  answers.set(question, found)
  return found
}
