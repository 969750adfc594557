/** An assembly order as it comes into being from a sale (seed 000 "Assembly order"). */
import * as Dice from "../Dice.js"
import type * as World from "../World.js"
import type { Sale } from "./Sales.js"
import type { LabelKey, Order } from "./State.js"
import * as Stock from "./Stock.js"
import * as Warehouses from "./Warehouses.js"

/** Makes the order of a sale, new, and files it under the next number. */
export const file = (world: World.World, sale: Sale): Order => {
  const { orders } = world.shop
  const warehouse = Warehouses.sellerOf(world, sale.sizeId)
  const own = Dice.roll(world.seed, 541, sale.itemId)
  const cargo = Dice.unit(Dice.mix(own, 1))
  const cargoType = cargo < 0.92 ? 1 : cargo < 0.98 ? 2 : 3
  const crossBorder = Dice.unit(Dice.mix(sale.seed, 41)) < 0.08
  const order: Order = {
    id: firstId + world.firstId + orders.size,
    sale,
    orderUid: basket(world, sale),
    warehouseId: warehouse.id,
    officeId: warehouse.officeId,
    cargoType,
    crossBorder,
    pickupPointAllowed: cargoType === 1 && !crossBorder && Dice.unit(Dice.mix(own, 2)) < 0.8,
    zeroStock: Stock.isOversold(world, sale),
    ...labelsOf(own, crossBorder),
    labels: new Map(),
    statuses: [{ status: "new", at: sale.orderedAt }],
    supplyId: undefined,
    scannedAt: undefined,
    reshipment: false,
    played: undefined
  }
  orders.set(order.id, order)
  return order
}

const firstId = 4_100_000_000

/** A few baskets are open at a time: what falls into the same one within five minutes is one purchase. */
const basket = (world: World.World, sale: Sale): string => {
  const hash = Dice.roll(world.seed, 542, Math.floor(sale.orderedAt / 300_000), Dice.uint(sale.seed) % 6)
  return [1, 2, 3, 4].map((key) => Dice.uint(Dice.mix(hash, key)).toString(16).padStart(8, "0")).join("")
}

interface Labels {
  readonly required: ReadonlyArray<LabelKey>
  readonly optional: ReadonlyArray<LabelKey>
}

/** What the goods are decides; a foreign one that crosses a border needs its customs declaration. */
const labelsOf = (item: number, crossBorder: boolean): Labels => {
  const u = Dice.unit(Dice.mix(item, 3))
  const goods: Labels =
    u < 0.15
      ? { required: ["sgtin"], optional: [] }
      : u < 0.22
        ? { required: ["uin"], optional: [] }
        : u < 0.29
          ? { required: ["imei"], optional: [] }
          : u < 0.36
            ? { required: ["expiration"], optional: [] }
            : u < 0.46
              ? { required: [], optional: ["gtin"] }
              : { required: [], optional: [] }
  if (!crossBorder) return goods
  return Dice.unit(Dice.mix(item, 4)) < 0.4
    ? { ...goods, required: [...goods.required, "customsDeclaration"] }
    : { ...goods, optional: [...goods.optional, "customsDeclaration"] }
}
