/** A fact that the seller's own table gives. Plain data. */
import type { Cell } from "../../facts/Cell.js"
import type { Fact } from "../../facts/Vocabulary.js"

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
  /** What is so of all that the table does not name. */
  readonly rest: Cell
}
