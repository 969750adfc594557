/** Where goods lie: the seller's own warehouses, each tied to an office of the platform, and the platform's. */

import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import type { Sale } from "./State.js"

export interface Warehouse {
  readonly id: number
  readonly name: string
  readonly regionName: string
  /** Office of the platform a seller's warehouse delivers to; 0 for the platform's own. */
  readonly officeId: number
  readonly officeName: string
}

/** Region name the seller's warehouses stand under in reports (seed 002 "Inventory records"). */
export const sellerRegion = "Свой склад"

/** The seller's warehouses. */
export const seller: readonly [Warehouse, Warehouse] = [
  {
    id: 71_001,
    name: "Склад на Лесной",
    regionName: sellerRegion,
    officeId: 158,
    officeName: "Приёмка на севере"
  },
  {
    id: 71_002,
    name: "Склад на Речной",
    regionName: sellerRegion,
    officeId: 206,
    officeName: "Приёмка на юге"
  }
]

/** One that was opened lately: nothing lies there, and only orders that somebody made are of it. */
export const lately: Warehouse = {
  id: 71_003,
  name: "Склад на Заречной",
  regionName: sellerRegion,
  officeId: 305,
  officeName: "Приёмка на востоке"
}

/** All of the seller's warehouses that an order may be of. */
export const ofOrders: ReadonlyArray<Warehouse> = [...seller, lately]

/** The seller's warehouse of this number. */
export const ofSeller = (warehouseId: number): Warehouse | undefined =>
  ofOrders.find(({ id }) => id === warehouseId)

/** All platform warehouses of the country stand under one number and one name (not-shown §7.5, field note A14). */
export const aggregateId = -999_999
export const platformName = "Склад платформы"

/** The platform's warehouses: the aggregate, and two exempt ones that are still told apart. */
export const platform: readonly [Warehouse, Warehouse, Warehouse] = [
  { id: aggregateId, name: platformName, regionName: platformName, officeId: 0, officeName: "" },
  {
    id: 301_805,
    name: "Склад за рубежом 1",
    regionName: "Соседняя страна 1",
    officeId: 0,
    officeName: "Склад за рубежом 1"
  },
  {
    id: 301_983,
    name: "Склад за рубежом 2",
    regionName: "Соседняя страна 2",
    officeId: 0,
    officeName: "Склад за рубежом 2"
  }
]

/** The seller's warehouse that keeps a size. */
export const sellerOf = (world: World.World, sizeId: number): Warehouse =>
  Dice.pick(Dice.roll(world.seed, 521, sizeId), seller)

/** Where a sale is sent from. */
export const ofSale = (world: World.World, sale: Sale): Warehouse => {
  if (sale.fulfilledBy === "seller") return sellerOf(world, sale.sizeId)
  const u = Dice.unit(Dice.mix(sale.seed, 21))
  return platform[u < 0.7 ? 0 : u < 0.9 ? 1 : 2]
}
