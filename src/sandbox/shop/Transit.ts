/** Units on their way between a warehouse and buyers (seed 002 "Inventory records": toClient, fromClient). */
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Course from "./Course.js"
import * as Sales from "./Sales.js"
import * as Stock from "./Stock.js"
import type * as Warehouses from "./Warehouses.js"

export interface InWay {
  readonly toClient: number
  readonly fromClient: number
}

/** Nothing is on its way longer than this, days. */
const longestWayDays = 40

/** Units of a size that one warehouse sent and that are under way at an instant. */
export const ofSize = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  nowMs: number
): InWay => {
  const size = Sales.size(world, sizeId)
  const count = { toClient: 0, fromClient: 0 }
  if (size === undefined) return count
  const today = Moscow.dayOf(nowMs)
  const days = { from: today - longestWayDays, to: today }
  for (const sale of Stock.sentFrom(world, size, warehouse, days, nowMs)) {
    const way = Course.transit(world, sale, nowMs)
    if (way !== "none") count[way]++
  }
  return count
}
