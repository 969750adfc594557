/** A fact that the seller's own table gives. Plain data. */

import type { Cell } from "../../facts/Cell.js"
import type { Fact } from "../../facts/FactType.js"

/** What a row of the table is looked up by. */
export type Key = number | string

/** A fact of campaigns, items or clusters from a table of the seller's, see `OwnFacts.ts`. */
export interface OwnFact {
  readonly fact: Fact
  /** The file that declares it. */
  readonly file: string
  /** The table, when it was last written and when it was read, epoch milliseconds; absent when nobody has read it. */
  readonly data?: { readonly path: string; readonly modifiedMs: number; readonly readMs: number }
  /** Older values are not used. */
  readonly maxAgeMs?: number
  /** By number of the campaign or item, or by the cluster's query (see `Texts.label`). */
  readonly values: ReadonlyMap<Key, Cell>
  /** Of the economics table: whether its column for this says anything; absent where it has no such column. */
  readonly column?: "filled" | "empty"
  /** Of a table with days; then `values` is empty. */
  readonly dated?: DatedTerm
  /** What is so of all that the table does not name. */
  readonly rest: Cell
}

/** What a table with days says of one fact. The facts of a table share their numbers of keys: one look finds a key for all of them. */
export interface DatedTerm {
  readonly numbers: ReadonlyMap<Key, number>
  /** By a key's number: what was said of it, ascending by day. */
  readonly said: ReadonlyArray<ReadonlyArray<Dated> | undefined>
  /** By a key's number: the last day from which any fact of the table says something else. Keys whose rows have no day are not in it. */
  readonly lastFrom: ReadonlyMap<number, string>
  /** The latest day of `lastFrom`; empty where it has none. */
  readonly latestFrom: string
}

/** From a day on (`YYYY-MM-DD`; the empty text is from the beginning of time). */
export interface Dated {
  readonly from: string
  readonly cell: Cell
}

/** A table of own facts as it was found beside the rules: read by whoever may read files, checked by `OwnFacts.ts`. */
export interface DataFile {
  /** As people know it. */
  readonly path: string
  /** Where it really is, when it is a link out of its folder: then nothing of it is quoted. */
  readonly linkedTo?: string
  /** When it was last written, and when it was read; epoch milliseconds. */
  readonly modifiedMs: number
  readonly readMs: number
  readonly content:
    | { readonly _tag: "Rows"; readonly rows: ReadonlyArray<DataRow> }
    | { readonly _tag: "Missing" }
    /** `why` is a sentence; `line` counts from 1. */
    | { readonly _tag: "Unreadable"; readonly why: string; readonly line?: number }
}

/** The first row holds the names of the columns. `line` counts from 1. */
export interface DataRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /**
   * Of CSV: something stands beyond the last column that has a name; or, between commas, the row ends before it. Nobody knows which cell
   * belongs to which.
   */
  readonly moved?: "long" | "short"
  /** Of a workbook: columns whose number has three digits behind the mark. As text it may be thousands. */
  readonly exact?: ReadonlyArray<number>
}

/** What a file of own facts asks to be read: a path relative to that file, and how its cells are written. */
export interface Wanted {
  readonly path: string
  /** A comma unless said; of an economics table what its first line shows. */
  readonly delimiter?: string
  /** The mark before a fraction. */
  readonly decimal: string
}
