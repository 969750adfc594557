/**
 * Control routes of the shop, for tests and stories; `Control.ts` serves them.
 *
 * - `GET shop` counts of orders by status, the supplies and passes, and what `order=ID` asks for in full
 * - `POST shop` `{orderId, play}` plays the buyer or the platform; `{supplyId, play: "scan", unscanned}` acceptance;
 *   `{supplyId, play: "ask_shipping"}` makes shipping data obligatory, `"give_shipping"` with them sets them (not-shown §4.6);
 *   `{itemId, play: "count_stock", units}` so many units of the item are there from now on
 */
import * as Schema from "effect/Schema"
import * as World from "./market/World.js"
import { defaultSeller } from "./SandboxToken.js"
import type { Service } from "./Service.js"
import * as Orders from "./shop/Orders.js"
import * as Play from "./shop/Play.js"
import type { Order, Supply } from "./shop/State.js"
import * as Stock from "./shop/Stock.js"
import * as Supplies from "./shop/Supplies.js"

const seller = Schema.optional(Schema.String)

/** What is to happen to an order, to a supply at acceptance, or to an item's stock. */
export const Played = Schema.Union(
  Schema.Struct({ seller, orderId: Schema.Int, play: Schema.Literal(...Play.whats) }),
  Schema.Struct({
    seller,
    supplyId: Schema.String,
    play: Schema.Literal("scan"),
    unscanned: Schema.optionalWith(Schema.Array(Schema.Int), { default: () => [] })
  }),
  Schema.Struct({ seller, supplyId: Schema.String, play: Schema.Literal("ask_shipping") }),
  Schema.Struct({
    seller,
    supplyId: Schema.String,
    play: Schema.Literal("give_shipping"),
    date: Schema.String,
    pointId: Schema.Int,
    type: Schema.Literal("selfShipping", "transportCompany")
  }),
  Schema.Struct({
    seller,
    itemId: Schema.Int,
    play: Schema.Literal("count_stock"),
    units: Schema.NonNegative.pipe(Schema.int())
  })
)
export type Played = typeof Played.Type

/** Plays a step at once; answers what forbids it, if anything. */
export const play = (sandbox: Service, played: Played, nowMs: number): string | undefined => {
  const world = sandbox.world(played.seller ?? defaultSeller)
  if ("orderId" in played) {
    const order = Orders.find(world, played.orderId, nowMs)
    return order === undefined
      ? `order ${played.orderId} does not exist`
      : Play.order(world, order, played.play, nowMs)
  }
  if ("itemId" in played) {
    return World.hasItem(world, played.itemId)
      ? void Stock.count(world, played.itemId, played.units, nowMs)
      : `item ${played.itemId} does not exist`
  }
  const supply = Supplies.find(world, played.supplyId, nowMs)
  if (supply === undefined) return `supply ${played.supplyId} does not exist`
  switch (played.play) {
    case "scan":
      return Play.scan(world, supply, played.unscanned, nowMs)
    case "ask_shipping":
      return void Supplies.requireShipping(supply)
    case "give_shipping": {
      const { date, pointId, type } = played
      return void Supplies.giveShipping(supply, { date, pointId, type })
    }
  }
}

const mostListed = 200

/** The shop as it is now. Supplies are the newest ones; orders those named, or else the newest ones still open. */
export const report = (sandbox: Service, query: URLSearchParams, nowMs: number) => {
  const world = sandbox.world(query.get("seller") ?? defaultSeller)
  const orders = Orders.all(world, nowMs)
  const named = new Set(query.getAll("order").map(Number))
  const counts: Record<string, number> = {}
  for (const order of orders) {
    const key = `${Orders.status(world, order, nowMs)} ${Orders.platformStatus(world, order, nowMs)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  const shown = orders.filter((order) =>
    named.size > 0 ? named.has(order.id) : Orders.isCancellable(world, order, nowMs)
  )
  return {
    seller: world.seller,
    orderCount: orders.length,
    orderStatuses: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    orders: shown.slice(-mostListed).map((order) => orderRow(world, order, nowMs)),
    supplyCount: world.shop.supplies.size,
    supplies: [...world.shop.supplies.values()]
      .slice(-mostListed)
      .map((supply) => supplyRow(supply, orders.filter((order) => order.supplyId === supply.id).length)),
    passes: [...world.shop.passes.values()],
    reports: [...world.shop.reports.keys()]
  }
}

const orderRow = (world: World.World, order: Order, nowMs: number) => ({
  id: order.id,
  itemId: order.sale.itemId,
  srid: order.sale.srid,
  supplierStatus: Orders.status(world, order, nowMs),
  platformStatus: Orders.platformStatus(world, order, nowMs),
  warehouseId: order.warehouseId,
  cargoType: order.cargoType,
  crossBorder: order.crossBorder,
  business: order.sale.business,
  pickupPointAllowed: order.pickupPointAllowed,
  required: order.required,
  supplyId: order.supplyId ?? null,
  reshipment: order.reshipment
})

const supplyRow = (supply: Supply, orderCount: number) => ({
  id: supply.id,
  name: supply.name,
  closedAt: supply.closedAt ?? null,
  scannedAt: supply.scannedAt ?? null,
  orderCount,
  units: supply.units.length
})
