/** Where the board of an account's assembly comes from; `marketplace` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Board } from "../fulfilment/Board.js"
import type { SourceFailure } from "../gather/FactSource.js"

/** The board, or why none can be made: without the lists of new orders and supplies nothing is decided. */
export type Looked =
  | { readonly _tag: "Board"; readonly board: Board; readonly failures: ReadonlyArray<SourceFailure> }
  | { readonly _tag: "Unread"; readonly failure: SourceFailure }

export interface Asked {
  /** Also what must be shipped again. */
  readonly reshipments: boolean
  readonly passes: boolean
}

/** Reads the marketplace; never fails. */
export class BoardSource extends Context.Tag("bidhelm/BoardSource")<
  BoardSource,
  { readonly look: (asked: Asked) => Effect.Effect<Looked> }
>() {}
