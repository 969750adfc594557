/**
 * By when orders on the board are handed over, and which of them may be late. Pure: policies, orders and the instant are
 * arguments.
 */
import type { OrderId, PolicyId } from "../../domain/Ids.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import type { Board, OpenSupply } from "./Board.js"
import * as Waves from "./Waves.js"

/** What decides which wave is an order's own. */
export interface Put {
  /** Epoch milliseconds; undefined where nobody says it. */
  readonly createdAtMs: number | undefined
  /** True for one that must be shipped again: it goes with the next wave. */
  readonly isAgain: boolean
}

/** An order that is not handed over yet. */
export interface Open extends Put {
  readonly orderId: OrderId
  readonly warehouseId: number | undefined
  /** Of one in a supply that was made for a wave, as the plan that made it says. */
  readonly goesWith?: { readonly wave: string; readonly handOverByMs: number } | undefined
  /** True for one in a supply that goes with no wave: a person hands it over. */
  readonly byHand?: boolean
}

export interface Deadline {
  readonly policyId: PolicyId
  /** The wave that the order came in time for. */
  readonly own: Waves.Trip
  /** The wave that it goes with, which is a later one when it missed its own; undefined where only a person hands it over. */
  readonly goes: Waves.Trip | undefined
  readonly risk: Waves.Risk | undefined
}

/**
 * Orders of no policy are left out, and of an unknown age unless their supply's wave is known: nobody knows by when they go. In its
 * wave's last half hour also one that lacks nothing is at risk: a supply goes whole, and something or somebody keeps it.
 */
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
      const risk = isOver ? ({ because: "over" } as const) : Waves.riskOf(goes ?? own, nowMs)
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
 * Of a board and what is known of orders in supplies (`put`). `waveOf` tells by a supply's name what it was made for; what is in others
 * is not counted.
 */
export const counts = (
  policies: Parameters<typeof of>[0],
  {
    supplies,
    waiting
  }: Pick<Board, "waiting"> & { readonly supplies: ReadonlyArray<Pick<OpenSupply, "name" | "orders">> },
  waveOf: (
    supplyName: string
  ) => (NonNullable<Open["goesWith"]> & { readonly warehouseId: number | undefined }) | undefined,
  put: ReadonlyMap<OrderId, Put>,
  nowMs: number
): Counts => {
  const inSupplies = supplies.flatMap(({ name, orders = [] }) => {
    const goesWith = waveOf(name)
    if (goesWith === undefined) return []
    const { warehouseId } = goesWith
    return orders.map((order) => {
      const { createdAtMs, isAgain = false } = put.get(order.orderId) ?? {}
      return { ...order, createdAtMs, isAgain, warehouseId, goesWith }
    })
  })
  const open = [...waiting.map((order) => ({ ...order, isAgain: order.from !== undefined })), ...inSupplies]
  const deadlines = of(
    policies,
    open.filter(({ status }) => status?.isFinal !== true),
    nowMs
  )
  const told = [...deadlines.values()].flatMap(({ risk }) => (risk === undefined ? [] : [risk.because]))
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
  if (createdAtMs === undefined) return made && { own: made, goes: made }
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
