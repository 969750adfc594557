/**
 * Which parcels were put together in a supply at a table of ours. Where the order of one is not in the supply any more, its goods may lie
 * in the pile all the same, and would travel with the others.
 */
import * as Effect from "effect/Effect"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import { type OrderEvent, OrderEvents } from "../../services/ports/OrderEvents.js"
import { SupplyOrders } from "../../services/ports/SupplyOrders.js"

export interface Parcels {
  /** Orders whose parcels are in the pile of the supply, as far as is known here. */
  readonly packed: ReadonlySet<OrderId>
  /** Those of them that are not among the orders of the supply any more. */
  readonly left: ReadonlyArray<OrderId>
  /** Packed into it, without those that are to be packed once more; undefined where no order ever was packed into it here. */
  readonly scanned: ReadonlySet<OrderId> | undefined
}

/** `inside` are the orders that the supply has now. */
export const look = (account: string, supplyId: SupplyId, inside: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const stored = yield* (yield* SupplyOrders).list(account, supplyId)
    const events = yield* (yield* OrderEvents).of(account, [...new Set([...inside, ...stored])])
    const pile = piledInto(events, supplyId)
    const here = new Set(inside)
    const isUsed = events.some(({ detail, kind }) => kind === "packed" && detail.supplyId === supplyId)
    return {
      packed: new Set(pile.keys()),
      left: stored.filter((orderId) => pile.has(orderId) && !here.has(orderId)),
      scanned: isUsed
        ? new Set([...pile].flatMap(([orderId, event]) => (isPacked(event) ? [orderId] : [])))
        : undefined
    } satisfies Parcels
  })

/** How the parcel of each order came into the pile of this supply. A parcel is in one pile only. */
export const piledInto = (
  events: ReadonlyArray<OrderEvent>,
  supplyId: SupplyId
): ReadonlyMap<OrderId, OrderEvent> =>
  new Map([...piled(events)].filter(([, { detail }]) => detail.supplyId === supplyId))

/** How the parcel of each order came into a pile, of whichever supply; those that were taken out since are left out. */
export const piled = (events: ReadonlyArray<OrderEvent>): ReadonlyMap<OrderId, OrderEvent> => {
  const last = new Map(events.filter(({ kind }) => kind === "packed").map((one) => [one.orderId, one]))
  return new Map([...last].filter(([, one]) => isPacked(one) || one.detail.refused === true))
}

/** False of what was undone: taken out, or to be packed once more because a mark was refused, with its parcel in the pile. */
export const isPacked = ({ detail }: OrderEvent): boolean => detail.undone !== true
