/**
 * The stored order of a supply: in which order its orders are picked, labelled and packed. It is made once; what comes
 * later is appended, and what leaves keeps its place, so that a number on a label that sticks already stays right.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"

export class SupplyOrders extends Context.Tag("bidhelm/SupplyOrders")<
  SupplyOrders,
  {
    /** Every order that ever was in the supply, by its place; none when nobody sorted it yet. */
    readonly list: (
      account: string,
      supplyId: SupplyId
    ) => Effect.Effect<ReadonlyArray<OrderId>, StoreFailure>
    /**
     * Appends those of the orders that have no place yet, in the order they are handed in; answers all. Two that append at
     * once give each order one place. `at` is epoch milliseconds.
     */
    readonly append: (
      account: string,
      supplyId: SupplyId,
      sorted: ReadonlyArray<OrderId>,
      at: number
    ) => Effect.Effect<ReadonlyArray<OrderId>, StoreFailure>
  }
>() {}
