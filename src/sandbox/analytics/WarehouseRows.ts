/** What lies in each warehouse now: one row is one size in one warehouse, and only where something is or moves (A15). */
import type { Context } from "../Call.js"
import * as Sales from "../shop/Sales.js"
import * as Stock from "../shop/Stock.js"
import * as Transit from "../shop/Transit.js"
import type * as Goods from "./Goods.js"
import * as StockFigures from "./StockFigures.js"

/** Rows of the platform's or of the seller's warehouses, by item, size and warehouse. */
export const of = (
  { world, nowMs }: Context,
  goods: ReadonlyArray<Goods.Good>,
  sizeIds: ReadonlySet<number> | undefined,
  type: "platform" | "mp"
) =>
  goods.flatMap((good) => {
    const sizes = Sales.sizes(world, good.id).filter((size) => sizeIds?.has(size.id) ?? true)
    return StockFigures.placesOf(world, sizes, type).flatMap(({ sizeId, warehouse }) => {
      const quantity = Stock.left(world, sizeId, warehouse, nowMs)
      const way = Transit.ofSize(world, sizeId, warehouse, nowMs)
      const shown = {
        nmId: good.id,
        chrtId: sizeId,
        warehouseId: warehouse.id,
        warehouseName: warehouse.name,
        regionName: warehouse.regionName,
        quantity
      }
      if (type === "mp") return quantity === 0 ? [] : [shown]
      return quantity + way.toClient + way.fromClient === 0
        ? []
        : [{ ...shown, inWayToClient: way.toClient, inWayFromClient: way.fromClient }]
    })
  })
