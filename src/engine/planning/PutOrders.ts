/** What the journal knows of orders that were put into supplies, whose times no list of supplies tells. */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { OrderId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import type { OpenSupply } from "../fulfilment/Board.js"
import type * as Deadlines from "../fulfilment/Deadlines.js"
import type * as Turns from "../fulfilment/Turns.js"
import * as Waves from "../fulfilment/Waves.js"
import * as OrderInSupply from "../kinds/fulfilment/OrderInSupply.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"
import { type PutOrder, RuleMemory } from "./RuleMemory.js"

/** When each of these was ordered, as far as turns put it into a supply, and whether an earlier supply had left it over. */
export const of = (
  account: string,
  orderIds: ReadonlyArray<OrderId>
): Effect.Effect<ReadonlyMap<OrderId, Deadlines.Put>, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const slots = orderIds.map((orderId) => OrderInSupply.slot({ orderId }))
    const rows = slots.length === 0 ? [] : yield* (yield* ChangeLog).ofSlots(account, slots)
    return told(rows.flatMap(({ change }) => (change.kind === OrderInSupply.name ? [change] : [])))
  })

const told = (puts: ReadonlyArray<PutOrder>): ReadonlyMap<OrderId, Deadlines.Put> => {
  const known = new Map<OrderId, Deadlines.Put>()
  for (const { details, subject } of puts) {
    const { createdAtMs, isReshipment = false } = details
    const before = known.get(subject.orderId)
    // What moves it on to another supply does not know when it was ordered.
    known.set(subject.orderId, {
      createdAtMs: createdAtMs ?? before?.createdAtMs,
      isAgain: isReshipment || before?.isAgain === true
    })
  }
  return known
}

/** The marketplace's clock and ours, and the way from a run's beginning to the supply that it makes. */
const clocksDifferMs = Days.hourMs

/** Which of these supplies took in orders whose own wave is over; these may have been cancelled or moved since. */
export const late = (
  account: string,
  supplies: ReadonlyArray<Turns.Ours>,
  nowMs: number
): Effect.Effect<ReadonlyArray<OpenSupply>, StoreFailure, ChangeLog | RuleMemory> =>
  Effect.gen(function* () {
    if (supplies.length === 0) return []
    const oldestMs = Math.min(...supplies.map(({ supply }) => supply.createdAtMs ?? nowMs - 7 * Days.dayMs))
    const puts = yield* (yield* RuleMemory).putOrders(account, oldestMs - clocksDifferMs)
    const byMarker = new Map(supplies.map((one) => [SupplyRef.markerOf(one.supply.name), one] as const))
    const into = new Map<OrderId, Turns.Ours | undefined>()
    for (const { details, subject } of puts)
      into.set(subject.orderId, byMarker.get(SupplyRef.markerOf(details.supplyName ?? "")))
    const lately = told(puts)
    const movedOn = [...into.keys()].filter((orderId) => lately.get(orderId)?.createdAtMs === undefined)
    const put = new Map([...lately, ...(yield* of(account, movedOn))])
    const missed = [...into].filter(([orderId, ours]) => {
      const { createdAtMs = nowMs, isAgain = true } = put.get(orderId) ?? {}
      const own = ours === undefined ? undefined : Waves.ofOrder(ours.policy, Math.min(createdAtMs, nowMs))
      return !isAgain && own !== undefined && own.handOverByMs <= nowMs
    })
    return [...new Set(missed.flatMap(([, ours]) => ours?.supply ?? []))]
  })
