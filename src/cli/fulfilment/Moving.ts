/** Orders that a person moves to an open supply, by its id or its name, or into a new one. Needs the layers of `Planning`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Hash from "../../domain/Hash.js"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import type { SupplyRef as Ref } from "../../domain/Target.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as SupplyCreation from "../../engine/kinds/fulfilment/SupplyCreation.js"
import * as SupplyRef from "../../engine/kinds/fulfilment/SupplyRef.js"
import { longestName, markerRoom } from "../../engine/language/Fulfilment.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import * as OrderLook from "../../marketplace/fulfilment/OrderLook.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type * as Account from "../account/Account.js"
import * as SupplyLines from "../supplies/SupplyLines.js"
import { stop } from "../terminal/Stop.js"

/** Where they go: a supply that is there, or one that is made first. */
export interface Goal {
  readonly ref: Ref
  readonly name: string
  /** Undefined where it is made first. */
  readonly supply: Supply | undefined
}

/** An order and the supply it is in, if any: an open one, or a closed one that left it to be shipped again. */
export interface Placed {
  readonly orderId: OrderId
  readonly from: SupplyId | undefined
  readonly isReshipment?: true
}

/** Open supplies with their orders. Fails where one cannot be read: an order in it would be moved unseen. */
export const openSupplies = Effect.gen(function* () {
  const supplies = Supplies.make(yield* MarketplaceClient)
  const open = [...(yield* Stream.runCollect(supplies.list))].filter(({ closed }) => closed === false)
  return yield* Effect.forEach(open, (supply) =>
    Effect.map(supplies.orderIds(supply.supplyId), (orders) => ({ supply, orders }))
  )
})

export type OpenSupplies = Effect.Effect.Success<typeof openSupplies>

/**
 * The open supply that was typed, by id or by its name, with its marker or without; a name that no open supply has is that of a
 * new one. Its marker is of `seed`, so that the same wish finds the supply of an earlier try again.
 */
export const goal = (
  chosen: Account.Chosen,
  typed: string,
  open: OpenSupplies,
  seed: ReadonlyArray<unknown>
) =>
  Effect.gen(function* () {
    const name = typed.trim()
    const asId = /^\d+$|gi-/i.test(name) ? yield* SupplyLines.idOf(name, chosen.config.word) : undefined
    if (asId !== undefined) {
      const found = open.find(({ supply }) => supply.supplyId === asId)
      return found === undefined
        ? yield* stop(1, `${asId} is no open supply of this account; bidhelm supplies lists them`)
        : there(found.supply)
    }
    if (name === "" || name.length > longestName - markerRoom)
      return yield* stop(1, `a supply's name has 1 to ${longestName - markerRoom} characters`)
    const made = `${name} #${Hash.of([chosen.name, name, ...seed]).slice(0, 8)}`
    const called = open.filter(({ supply }) => supply.name === name || bare(supply.name ?? "") === name)
    const earlier = called.filter(({ supply }) => supply.name === made)
    const same = earlier.length > 0 ? earlier : called
    const [first, ...others] = same
    if (others.length > 0)
      return yield* stop(
        1,
        `${same.length} open supplies are called "${cleanLine(name)}": name one by its id: ${same.map(({ supply }) => supply.supplyId).join(", ")}`
      )
    return first === undefined ? newOne(made) : there(first.supply)
  })

/** A name without the marker that tells supplies of one name apart. */
export const bare = (name: string): string => name.replace(/ #[0-9a-f]{8}$/, "")

const newOne = (name: string): Goal => ({ ref: SupplyRef.ofName(name), name, supply: undefined })
const there = (supply: Supply): Goal => ({ ref: supply.supplyId, name: supply.name ?? "", supply })

/** What is asked for: the supply where it is not there, then each order. */
export const wanted = (to: Goal, orders: ReadonlyArray<Placed>): ReadonlyArray<Wanted> => [
  ...(to.supply === undefined
    ? [
        {
          kind: SupplyCreation.name,
          action: "create_supply" as const,
          subject: { supply: to.ref },
          details: { name: to.name, orders: orders.length },
          after: () => to.name
        }
      ]
    : []),
  ...orders.map(({ from, isReshipment, orderId }) => ({
    kind: OrderInSupply.name,
    action: "put_in_supply" as const,
    subject: { orderId },
    details: { supplyName: to.name, ...(isReshipment === undefined ? {} : { isReshipment }) },
    ...(from === undefined ? {} : { from }),
    after: () => to.ref
  }))
]

/** Why these orders cannot go there together, as far as records tell: a refusal costs ten requests and names no order (O10). */
export const misfits = (to: Goal, orders: ReadonlyArray<OrderId>, open: OpenSupplies) =>
  Effect.gen(function* () {
    // The record of a supply does not tell its warehouse; any order in it does.
    const inside = open.find(({ supply }) => supply.supplyId === to.ref)?.orders.slice(0, 1) ?? []
    const { found } = yield* OrderLook.find(
      yield* MarketplaceClient,
      [...orders, ...inside],
      to.supply?.createdAtMs
    )
    const groups = Supplies.grouped(orders.flatMap((orderId) => found.get(orderId) ?? []))
    const house = inside.flatMap((orderId) => found.get(orderId)?.warehouseId ?? [])[0]
    if (groups.length > 1)
      return [
        `these orders do not go into one supply: ${groups
          .map((group) => `${group.orders.map(({ orderId }) => orderId).join(", ")} (${kindOf(group)})`)
          .join("; ")}`
      ]
    const { supply } = to
    if (supply === undefined) return []
    return groups.flatMap((group) => [
      ...(house !== undefined && group.warehouseId !== undefined && group.warehouseId !== house
        ? [`the supply holds orders of warehouse ${house}, these are of warehouse ${group.warehouseId}`]
        : []),
      ...Supplies.misfits(supply, group)
    ])
  })

type Group = Omit<ReturnType<typeof Supplies.grouped>[number], "orders">

const kindOf = ({ b2b, cargo, crossBorder, warehouseId }: Group): string =>
  [
    `warehouse ${warehouseId ?? "unknown"}`,
    cargo === undefined ? "cargo unknown" : State.textOf(cargo),
    ...(crossBorder === true ? ["cross-border"] : []),
    ...(b2b === true ? ["business"] : [])
  ].join(" ")

/** Where each order is now; `left`: of those that must be shipped again, the closed supply where it is known. */
export const placed = (
  orders: ReadonlyArray<OrderId>,
  open: OpenSupplies,
  left: ReadonlyMap<OrderId, SupplyId | undefined>
): ReadonlyArray<Placed> =>
  orders.map((orderId) => {
    const from = open.find((one) => one.orders.includes(orderId))?.supply.supplyId
    return from === undefined && left.has(orderId)
      ? { orderId, from: left.get(orderId), isReshipment: true }
      : { orderId, from }
  })
