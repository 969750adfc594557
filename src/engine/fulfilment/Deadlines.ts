/**
 * By when orders on the board are handed over, and which of them may be late. Pure: policies, orders and the instant are
 * arguments.
 */
import type { OrderId, PolicyId } from "../../domain/Ids.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import type { Board, OpenSupply } from "./Board.js"
import * as Waves from "./Waves.js"

/** An order that is not handed over yet. */
export interface Open {
  readonly orderId: OrderId
  readonly warehouseId: number | undefined
  /** Epoch milliseconds; undefined where no list says it. */
  readonly createdAtMs: number | undefined
  /** True for one that must be shipped again: it goes with the next wave. */
  readonly isAgain: boolean
  /** Of one in a supply that was made for a wave, as the plan that made it says. */
  readonly goesWith?: { readonly wave: string; readonly handOverByMs: number } | undefined
  /** True for one in a supply that goes with no wave: a person hands it over. */
  readonly byHand?: boolean
  /** True when nothing of it is missing before the hand-over. */
  readonly isReady: boolean
}

export interface Deadline {
  readonly policyId: PolicyId
  /** The wave that the order came in time for. */
  readonly own: Waves.Trip
  /** The wave that it goes with, which is a later one when it missed its own; undefined where only a person hands it over. */
  readonly goes: Waves.Trip | undefined
  readonly risk: Waves.Risk | undefined
}

/** Orders of no policy, or of an unknown age, are left out: nobody knows by when they go. */
export const of = (
  policies: ReadonlyArray<
    Pick<FulfilmentPolicy, "id" | "mode" | "warehouseIds" | "waves" | "confirmAfterMs">
  >,
  orders: ReadonlyArray<Open>,
  nowMs: number
): ReadonlyMap<OrderId, Deadline> => {
  const byWarehouse = new Map(
    policies.flatMap((policy) => policy.warehouseIds.map((id) => [id, policy] as const))
  )
  const placed = orders.flatMap((order) => {
    const policy = order.warehouseId === undefined ? undefined : byWarehouse.get(order.warehouseId)
    const trips = policy === undefined ? undefined : tripsOf(policy, order, nowMs)
    return policy === undefined || trips === undefined ? [] : [{ order, policy, ...trips }]
  })
  return new Map(
    placed.map(({ goes, order, own, policy }) => {
      const isOver = own.handOverByMs <= nowMs || (goes?.handOverByMs ?? nowMs + 1) <= nowMs
      const ahead = order.isReady && goes !== undefined ? undefined : Waves.riskOf(goes ?? own, nowMs)
      const risk = isOver ? ({ because: "over" } as const) : ahead
      return [order.orderId, { policyId: policy.id, own, goes, risk }] as const
    })
  )
}

/** Orders that are not handed over and late, or in the last half hour of their wave, each counted once. */
export interface Counts {
  readonly late: number
  readonly atRisk: number
}

/**
 * As a board alone tells it: orders that wait by their own wave, those of an open supply by the wave it was made for (`waveOf`,
 * by its name); of other supplies nothing is known.
 */
export const counts = (
  policies: Parameters<typeof of>[0],
  {
    supplies,
    waiting
  }: Pick<Board, "waiting"> & { readonly supplies: ReadonlyArray<Pick<OpenSupply, "name" | "orders">> },
  waveOf: (supplyName: string) => Open["goesWith"],
  nowMs: number
): Counts => {
  const open = waiting.filter(({ status }) => status?.isFinal !== true)
  const risks = of(
    policies,
    open.map(({ createdAtMs, from, orderId, warehouseId }) => ({
      orderId,
      warehouseId,
      createdAtMs,
      isAgain: from !== undefined,
      isReady: false
    })),
    nowMs
  )
  const told = [...risks.values()].flatMap(({ risk }) => (risk === undefined ? [] : [risk.because]))
  for (const { name, orders = [] } of supplies) {
    const leftMs = (waveOf(name)?.handOverByMs ?? Number.POSITIVE_INFINITY) - nowMs
    if (leftMs > Waves.nearHandOverMs) continue
    const inside = orders.filter(({ status }) => status?.isFinal !== true)
    told.push(...inside.map(() => (leftMs <= 0 ? ("over" as const) : ("soon" as const))))
  }
  const late = told.filter((because) => because === "over").length
  return { late, atRisk: told.length - late }
}

const tripsOf = (
  policy: Pick<FulfilmentPolicy, "mode" | "waves" | "confirmAfterMs">,
  { byHand, createdAtMs, goesWith, isAgain }: Open,
  nowMs: number
): Pick<Deadline, "goes" | "own"> | undefined => {
  const made =
    goesWith === undefined
      ? undefined
      : Waves.trips(policy.waves, goesWith.handOverByMs, goesWith.handOverByMs).find(
          ({ handOverByMs, wave }) => handOverByMs === goesWith.handOverByMs && wave.name === goesWith.wave
        )
  if (isAgain) {
    const own = made ?? Waves.ofOrder(policy, nowMs)
    return { own, goes: byHand === true ? undefined : own }
  }
  if (createdAtMs === undefined) return undefined
  const own = Waves.ofOrder(policy, Math.min(createdAtMs, nowMs))
  return { own, goes: byHand === true ? undefined : (made ?? nextOf(policy, own, createdAtMs, nowMs)) }
}

/** Where an order goes that nobody has planned for: with its own wave as long as that is not over. */
const nextOf = (
  policy: Pick<FulfilmentPolicy, "mode" | "waves" | "confirmAfterMs">,
  own: Waves.Trip,
  createdAtMs: number,
  nowMs: number
): Waves.Trip => {
  if (own.handOverByMs > nowMs) return own
  const place = Waves.placeOf(policy, createdAtMs, nowMs)
  return place._tag === "Dock" ? place.next : place.trip
}
