/**
 * Orders that may share a supply: one warehouse, cargo, cross-border and business kind (seed 000 "Supply", field note
 * O10). A refused batch costs ten requests and names no order, so sets are parted before they are sent.
 */
import * as Order from "effect/Order"
import type { OrderId } from "../../../domain/Ids.js"
import * as State from "../State.js"
import type { Supply } from "../supplies/SupplyRecords.js"
import type { Cargo } from "./Cargo.js"

/** What of an order decides about its company; absent values go together, apart from all others. */
export interface Groupable {
  readonly orderId: OrderId
  readonly warehouseId: number | undefined
  readonly cargo: Cargo | undefined
  readonly crossBorder: boolean | undefined
  readonly b2b: boolean | undefined
}

export interface OrderGroup<O extends Groupable> extends Omit<Groupable, "orderId"> {
  /** Each once, ascending by id; never empty, of any number. */
  readonly orders: ReadonlyArray<O>
}

/** Parts orders into groups that fit together; groups and orders come in a fixed sequence. */
export const grouped = <O extends Groupable>(orders: ReadonlyArray<O>): ReadonlyArray<OrderGroup<O>> => {
  const once = new Map(orders.map((order) => [order.orderId, order]))
  const groups = new Map<string, [O, ...Array<O>]>()
  for (const order of [...once.values()].sort(byId)) {
    const key = JSON.stringify(kind(order).map((part) => part ?? null))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [order])
    else group.push(order)
  }
  return [...groups.values()]
    .map((members) => {
      const { b2b, cargo, crossBorder, warehouseId } = members[0]
      return { warehouseId, cargo, crossBorder, b2b, orders: members }
    })
    .sort(byKind)
}

/** Why a group cannot go into a supply, as far as the supply's record tells; an empty supply takes any. */
export const misfits = (
  supply: Supply,
  group: Omit<Groupable, "orderId" | "warehouseId">
): ReadonlyArray<string> => [
  ...(supply.closed === true ? [`supply ${supply.supplyId} is closed`] : []),
  ...(differ(cargoText(supply), cargoText(group))
    ? [`the supply holds ${cargoText(supply)} goods, these are ${cargoText(group)}`]
    : []),
  ...(differ(supply.crossBorder, group.crossBorder)
    ? [supply.crossBorder === true ? "the supply is cross-border, these are not" : "these are cross-border"]
    : []),
  ...(differ(supply.b2b, group.b2b)
    ? [supply.b2b === true ? "the supply is for business buyers, these are not" : "these are business sales"]
    : [])
]

const cargoText = ({ cargo }: { readonly cargo: Cargo | undefined }): string | undefined =>
  cargo === undefined ? undefined : State.textOf(cargo)

const differ = <A>(supply: A | undefined, group: A | undefined): boolean =>
  supply !== undefined && group !== undefined && supply !== group

const kind = (of: Omit<Groupable, "orderId">) =>
  [of.warehouseId, cargoText(of), of.crossBorder, of.b2b] as const

const byId = Order.mapInput(Order.number, ({ orderId }: Groupable) => orderId)

/** Absent values come last. */
const byKind = Order.combineAll<Omit<Groupable, "orderId">>([
  Order.mapInput(Order.number, ({ warehouseId }) => warehouseId ?? Number.POSITIVE_INFINITY),
  Order.mapInput(Order.string, (of) => cargoText(of) ?? "~"),
  Order.mapInput(Order.number, ({ crossBorder }) => (crossBorder === undefined ? 2 : Number(crossBorder))),
  Order.mapInput(Order.number, ({ b2b }) => (b2b === undefined ? 2 : Number(b2b)))
])
