/** What happened to an order on its way, one row each: the timeline that tells which step made it late. Events decide nothing. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrderId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"

export const kinds = ["seen", "grouped", "printed", "packed", "checked", "delivered", "accepted"] as const
export type Kind = (typeof kinds)[number]

export interface OrderEvent {
  readonly orderId: OrderId
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: Kind
  /** Nothing but JSON; never a mark or a buyer's data. */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
}

export class OrderEvents extends Context.Tag("bidhelm/OrderEvents")<
  OrderEvents,
  {
    /** All of them or none; an event that is there already (order, instant, kind) stays as it is. */
    readonly record: (account: string, events: ReadonlyArray<OrderEvent>) => Effect.Effect<void, StoreFailure>
    /** Of these orders, the earliest first. */
    readonly of: (
      account: string,
      orders: ReadonlyArray<OrderId>
    ) => Effect.Effect<ReadonlyArray<OrderEvent>, StoreFailure>
  }
>() {}
