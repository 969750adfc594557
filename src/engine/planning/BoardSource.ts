/** Where the board of an account's assembly comes from; `marketplace` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { SwitchedOff } from "../decide/limits/SwitchedOff.js"
import type { Board, Closing, KeptMark, OpenSupply } from "../fulfilment/Board.js"
import type { SourceFailure } from "../gather/FactSource.js"

/** The board, or why none can be made: without the lists of new orders and supplies nothing is decided. */
export type Looked =
  | { readonly _tag: "Board"; readonly board: Board; readonly failures: ReadonlyArray<SourceFailure> }
  | { readonly _tag: "Unread"; readonly failure: SourceFailure }

export interface Asked {
  /** Also what must be shipped again. */
  readonly reshipments: boolean
  readonly passes: boolean
  /** Orders whose status is wanted beside that of those that wait. */
  readonly statusesOf: ReadonlyArray<OrderId>
}

/** Reads the marketplace, and fails by what the store keeps alone. */
export class BoardSource extends Context.Tag("bidhelm/BoardSource")<
  BoardSource,
  {
    readonly look: (asked: Asked) => Effect.Effect<Looked>
    /** Supplies with what is in them; those that could not be read stay without. */
    readonly inside: (supplies: ReadonlyArray<OpenSupply>) => Effect.Effect<{
      readonly supplies: ReadonlyArray<OpenSupply>
      readonly failures: ReadonlyArray<SourceFailure>
    }>
    /** The warehouse of what is in these supplies; those of which no list tells it are left out. */
    readonly warehouses: (supplies: ReadonlyArray<OpenSupply>) => Effect.Effect<{
      readonly bySupply: ReadonlyMap<SupplyId, number>
      readonly failures: ReadonlyArray<SourceFailure>
    }>
    /** What of their orders decides whether these supplies may go; what could not be read is undefined, and told. */
    readonly closing: (supplies: ReadonlyArray<OpenSupply>) => Effect.Effect<
      {
        readonly closings: ReadonlyArray<Closing>
        readonly failures: ReadonlyArray<SourceFailure>
      },
      StoreFailure
    >
    /** Marks that the seller gave for orders, of the last days. */
    readonly keptMarks: Effect.Effect<ReadonlyArray<KeptMark>, StoreFailure>
    /** Offices that ask for passes; undefined where they could not be read. */
    readonly passOffices: Effect.Effect<ReadonlySet<number> | undefined>
    /** What the marketplace refuses to the account's token. */
    readonly switchedOff: Effect.Effect<ReadonlyArray<SwitchedOff>>
  }
>() {}
