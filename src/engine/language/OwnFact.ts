/** A fact of items that the seller's own table gives. Plain data. */
import type { Cell } from "../facts/Cell.js"
import type { Fact } from "../facts/Vocabulary.js"

/** A fact of items from a table of the seller's, see `OwnFacts.ts`. */
export interface OwnFact {
  readonly fact: Fact
  /** The file that declares it. */
  readonly file: string
  /** The table, when it was last written and when it was read, epoch milliseconds; absent when nobody has read it. */
  readonly data?: { readonly path: string; readonly modifiedMs: number; readonly readMs: number }
  /** Older values are not used. */
  readonly maxAgeMs?: number
  /** By item number; items that are not here have no value. */
  readonly values: ReadonlyMap<number, Cell>
}
