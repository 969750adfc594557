/** Shipping units of a supply to a pickup point (seed 000 "Shipping unit", field note O22). */
import type * as World from "../market/World.js"
import type { Order, Supply } from "./State.js"

/** How many more units a supply of so many orders may take: half of the orders, counting what is there. */
export const room = (supply: Supply, orders: number): number => Math.floor(orders / 2) - supply.units.length

/** Adds units; answers their ids, `PLATFORM-TRBX-<digits>`. */
export const add = (world: World.World, supply: Supply, amount: number): ReadonlyArray<string> => {
  const letters = world.shop.testEnvironment ? "SAND-" : ""
  const ids = Array.from(
    { length: amount },
    () => `PLATFORM-TRBX-${letters}${world.firstId + world.shop.nextUnit++}`
  )
  supply.units = [...supply.units, ...ids]
  return ids
}

export const remove = (supply: Supply, ids: ReadonlyArray<string>): void => {
  supply.units = supply.units.filter((id) => !ids.includes(id))
}

/** Orders in a unit: the supply's orders by id go round the units one by one, so a surplus unit stays empty. */
export const ordersIn = (
  supply: Supply,
  unit: string,
  orders: ReadonlyArray<Order>
): ReadonlyArray<Order> => {
  const at = supply.units.indexOf(unit)
  return at < 0 ? [] : orders.filter((_, i) => i % supply.units.length === at)
}
