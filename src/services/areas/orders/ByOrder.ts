/** Questions about a list of orders, in chunks. The answers name the orders they know and leave the others out. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { OrderId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import type { CallError } from "../../MarketplaceError.js"

/** Every asked order is in exactly one of `values`, `missing` and the keys of `failures`. */
export interface Answered<V> extends Batches.Batched<OrderId, V> {
  /** Orders of answered chunks that the answer left out, in the order they were asked. */
  readonly missing: ReadonlyArray<OrderId>
}

/** Asks for each order once, `max` to a call; rows of orders that were not asked for are not handed on. */
export const ask = <V extends { readonly orderId: OrderId }>(
  orders: ReadonlyArray<OrderId>,
  max: number,
  call: (chunk: ReadonlyArray<OrderId>) => Effect.Effect<ReadonlyArray<V>, CallError>
): Effect.Effect<Answered<V>> => {
  const asked = [...new Set(orders)]
  return Effect.map(Batches.run(asked, max, call, { concurrency: 4 }), ({ failures, values }) => {
    const open = new Set(asked)
    const known = values.filter(({ orderId }) => open.delete(orderId))
    for (const orderId of failures.flatMap(({ keys }) => keys)) open.delete(orderId)
    return { values: known, failures, missing: [...open] }
  })
}

/** How long to wait between questions: from `firstMs`, doubling up to `longestMs`, `patienceMs` in all. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
  readonly patienceMs: number
}

/** As `ask`, and asks again for the orders whose value is `unsettled`, until none is or patience ends. */
export const askUntil = <V extends { readonly orderId: OrderId }>(
  orders: ReadonlyArray<OrderId>,
  once: (orders: ReadonlyArray<OrderId>) => Effect.Effect<Answered<V>>,
  unsettled: (value: V) => boolean,
  { firstMs, longestMs, patienceMs }: Pauses
): Effect.Effect<Answered<V>> =>
  Effect.gen(function* () {
    const deadlineMs = (yield* Clock.currentTimeMillis) + patienceMs
    let answer = yield* once(orders)
    let pauseMs = firstMs
    while (answer.values.some(unsettled)) {
      const leftMs = deadlineMs - (yield* Clock.currentTimeMillis)
      if (leftMs <= 0) break
      yield* Effect.sleep(Math.min(pauseMs, leftMs))
      pauseMs = Math.min(pauseMs * 2, longestMs)
      const again = yield* once(answer.values.filter(unsettled).map(({ orderId }) => orderId))
      answer = {
        values: [...answer.values.filter((value) => !unsettled(value)), ...again.values],
        failures: [...answer.failures, ...again.failures],
        missing: [...answer.missing, ...again.missing]
      }
    }
    return answer
  })
