/** Orders that somebody makes instead of a buyer: one for the test environment, a whole morning of them for a story. */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Buyers from "../market/Buyers.js"
import type * as World from "../market/World.js"
import * as Orders from "./Orders.js"
import * as Sales from "./Sales.js"
import type { LabelKey, Order, Sale } from "./State.js"
import * as Warehouses from "./Warehouses.js"

/** A sale that only a tester made: no report, feed or statistic counts it. */
export const sale = (world: World.World, size: Sales.Size, orderedAt: number, business = false): Sale => {
  const index = world.shop.orders.size
  const seed = Dice.roll(world.seed, 801, index)
  return {
    itemId: size.itemId,
    sizeId: size.id,
    day: Moscow.dayOf(orderedAt),
    index,
    srid: `test${Dice.uint(seed).toString(16).padStart(8, "0")}.${index}.0`,
    orderedAt,
    priceKopecks: Buyers.priceKopecks(world, size.itemId, orderedAt),
    business,
    fulfilledBy: "seller",
    advertised: false,
    seed
  }
}

/** What is made. Of each list an order takes one by chance, and a share is of all orders. */
export interface Staged {
  readonly count: number
  /** Numbers of the seller's warehouses. */
  readonly warehouses: ReadonlyArray<number>
  readonly cargo: ReadonlyArray<Order["cargoType"]>
  readonly crossBorderShare: number
  readonly businessShare: number
  /** Share of orders that must have a mark, and which one it is. */
  readonly markedShare: number
  readonly marks: ReadonlyArray<LabelKey>
  /** How long ago they were ordered. */
  readonly minutesAgo: number
}

/** Makes new orders, all at one instant; the same seed makes the same. Answers their ids, or what forbids it. */
export const make = (
  world: World.World,
  staged: Staged,
  nowMs: number
): ReadonlyArray<number> | { readonly problem: string } => {
  const strange = staged.warehouses.find((id) => Warehouses.ofSeller(id) === undefined)
  if (strange !== undefined) return { problem: `the seller has no warehouse ${strange}` }
  Orders.settle(world, nowMs)
  return Array.from({ length: staged.count }, () => one(world, staged, nowMs).id)
}

const one = (world: World.World, staged: Staged, nowMs: number): Order => {
  const { shop } = world
  const drawn = (key: number) => Dice.roll(world.seed, 802, shop.orders.size, key)
  const happens = (key: number, share: number) => Dice.unit(drawn(key)) < share
  const size = Dice.pick(drawn(1), Sales.sizes(world, Dice.pick(drawn(2), Sales.items(world))))
  const orderedAt = nowMs - staged.minutesAgo * 60_000
  const business = happens(3, staged.businessShare)
  const warehouse =
    Warehouses.ofSeller(Dice.pick(drawn(4), staged.warehouses)) ?? Warehouses.sellerOf(world, size.id)
  const cargoType = Dice.pick(drawn(5), staged.cargo)
  const crossBorder = happens(6, staged.crossBorderShare)
  const order: Order = {
    ...Orders.file(world, sale(world, size, orderedAt, business)),
    warehouseId: warehouse.id,
    officeId: warehouse.officeId,
    cargoType,
    crossBorder,
    pickupPointAllowed: cargoType === 1 && !crossBorder,
    required: happens(7, staged.markedShare) ? [Dice.pick(drawn(8), staged.marks)] : [],
    optional: []
  }
  shop.orders.set(order.id, order)
  return order
}
