/** An assembly order as it comes into being from a sale (seed 000 "Assembly order"). */
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import * as Memo from "./Memo.js"
import * as Sales from "./Sales.js"
import type { LabelKey, Order } from "./State.js"
import * as Stock from "./Stock.js"
import * as Warehouses from "./Warehouses.js"

/** Makes the order of a sale, new, and files it under the next number. */
export const file = (world: World.World, sale: Sales.Sale): Order => {
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
    ...labelsOf(world, sale.itemId, own, crossBorder),
    labels: new Map(),
    statuses: [{ status: "new", at: sale.orderedAt }],
    supplyId: undefined,
    scannedAt: undefined,
    reshipment: false,
    plays: []
  }
  orders.set(order.id, order)
  return order
}

const firstId = 4_100_000_000

/** A few baskets are open at a time: what falls into the same one within five minutes is one purchase. */
const basket = (world: World.World, sale: Sales.Sale): string => {
  const hash = Dice.roll(world.seed, 542, Math.floor(sale.orderedAt / 300_000), Dice.uint(sale.seed) % 6)
  return [1, 2, 3, 4].map((key) => Dice.uint(Dice.mix(hash, key)).toString(16).padStart(8, "0")).join("")
}

interface Labels {
  readonly required: ReadonlyArray<LabelKey>
  readonly optional: ReadonlyArray<LabelKey>
}

const none: Labels = { required: [], optional: [] }
const kinds = {
  sgtin: { required: ["sgtin"], optional: [] },
  uin: { required: ["uin"], optional: [] },
  imei: { required: ["imei"], optional: [] },
  expiration: { required: ["expiration"], optional: [] },
  gtin: { required: [], optional: ["gtin"] }
} as const satisfies Record<string, Labels>

/** The first goods a seller sends are chosen, so that even a small shop has one of each kind. */
const chosen: ReadonlyArray<Labels> = [
  none,
  kinds.sgtin,
  none,
  kinds.uin,
  none,
  kinds.imei,
  none,
  kinds.expiration
]

/** The first items the seller sends, as many as are chosen. */
const sent = Memo.perWorld(
  (world): ReadonlyArray<number> =>
    Sales.items(world)
      .filter((item) => Sales.fulfilment(world, item) !== "platform")
      .slice(0, chosen.length)
)

/** What the goods are decides; a foreign one that crosses a border needs its customs declaration. */
const labelsOf = (world: World.World, itemId: number, item: number, crossBorder: boolean): Labels => {
  const goods = chosen[sent(world).indexOf(itemId)] ?? kindOf(Dice.unit(Dice.mix(item, 3)))
  if (!crossBorder) return goods
  return Dice.unit(Dice.mix(item, 4)) < 0.4
    ? { ...goods, required: [...goods.required, "customsDeclaration"] }
    : { ...goods, optional: [...goods.optional, "customsDeclaration"] }
}

const kindOf = (u: number): Labels => {
  if (u < 0.15) return kinds.sgtin
  if (u < 0.22) return kinds.uin
  if (u < 0.29) return kinds.imei
  if (u < 0.36) return kinds.expiration
  return u < 0.46 ? kinds.gtin : none
}
