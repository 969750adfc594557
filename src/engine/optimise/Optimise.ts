/**
 * `optimise`: which bids earn most within a budget. Pure: same input, same output, whatever the order of the rows.
 *
 * Rates are learned across the account first (`learn`), then each budget is decided for itself, so a large account may be planned
 * budget by budget with one `Learned`.
 */
import type { BudgetOutlook, Decision } from "./Decision.js"
import type { Input, Stream } from "./Stream.js"

/** What the account's streams say together: rates of kinds of streams, curves, and how clicks follow places. */
export interface Learned {
  readonly _tag: "Learned"
}

export interface Plan {
  readonly budgets: ReadonlyArray<BudgetOutlook>
  /** As many as the input's streams, in their order. */
  readonly size: number
  /** True where something is changed: cheap, for most of a large account is left as it is. */
  readonly acts: (index: number) => boolean
  /** The decision on the stream of this index, with its reasons; made when asked for. */
  readonly decision: (index: number) => Decision
}

/** What the account's streams say together; all of them, or as many as can be had. */
export declare const learn: (streams: ReadonlyArray<Stream>) => Learned

/** Decides every stream. `learned` is made of the input's own streams when it is left out. */
export declare const plan: (input: Input, learned?: Learned) => Plan
