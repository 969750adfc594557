/** Seed 000 "Supplies": shipping units. Only 400 and 404 are documented for them, so a wrong state is 400. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import type * as World from "../market/World.js"
import * as Images from "../shop/Images.js"
import * as Orders from "../shop/Orders.js"
import type { Order, Supply } from "../shop/State.js"
import * as Supplies from "../shop/Supplies.js"
import { named } from "./Supplies.js"

export const handlers: Call.Handlers<
  "listShippingUnits" | "addShippingUnits" | "deleteShippingUnits" | "getShippingUnitStickers"
> = {
  listShippingUnits: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) =>
      Answer.json({ trbxes: supply.units.map((id) => ({ id })) })
    ),

  addShippingUnits: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const refused = noRoomFor(call, supply, call.payload.amount)
      if (refused !== undefined) return Either.left(refuseCode(400, "IncorrectParameter", refused))
      const before = supply.units
      const trbxIds = addUnits(call.world, supply, call.payload.amount)
      record(call, supply, before)
      return Either.right(Answer.json({ trbxIds }, 201))
    }),

  deleteShippingUnits: (call) =>
    Either.flatMap(named(call, call.path.supplyId), (supply) => {
      const { trbxIds } = call.payload
      if (supply.closedAt !== undefined)
        return Either.left(refuseCode(400, "IncorrectParameter", "the supply is not being assembled"))
      const unknown = trbxIds.find((id) => !supply.units.includes(id))
      if (unknown !== undefined)
        return Either.left(refuseCode(404, "NotFound", `unit ${unknown} is not in the supply`))
      const before = supply.units
      removeUnits(supply, trbxIds)
      record(call, supply, before)
      return Either.right(Answer.empty(204))
    }),

  /** Units without orders, and units of other supplies, are silently missing. */
  getShippingUnitStickers: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) => {
      const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
      const stickers = [...new Set(call.payload.trbxIds)]
        .filter((id) => ordersIn(supply, id, orders).length > 0)
        .map((id) => ({
          barcode: id,
          file: Images.base64({ barcode: id, lines: [id] }, call.query.type, Images.large)
        }))
      return Answer.json({ stickers })
    })
}

const noRoomFor = (call: Call.Context, supply: Supply, amount: number): string | undefined => {
  const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
  if (supply.closedAt !== undefined) return "the supply is closed"
  if (!Supplies.toPickupPoint(orders)) return "the supply does not go to a pickup point"
  const room = roomIn(supply, orders.length)
  return amount > room
    ? `${orders.length} orders allow ${Math.floor(orders.length / 2)} units; ${Math.max(0, room)} may be added`
    : undefined
}

const record = (call: Call.Context, supply: Supply, before: ReadonlyArray<string>): void =>
  Call.record(call, {
    slot: "units",
    target: { supplyId: supply.id },
    before,
    after: supply.units,
    effectiveAt: call.nowMs
  })

// Shipping units of a supply to a pickup point (seed 000 "Shipping unit", field note O22).

/** How many more units a supply of so many orders may take: half of the orders, counting what is there. */
const roomIn = (supply: Supply, orders: number): number => Math.floor(orders / 2) - supply.units.length

/** Adds units; answers their ids, `PLATFORM-TRBX-<digits>`. */
export const addUnits = (world: World.World, supply: Supply, amount: number): ReadonlyArray<string> => {
  const letters = world.shop.testEnvironment ? "SAND-" : ""
  const ids = Array.from(
    { length: amount },
    () => `PLATFORM-TRBX-${letters}${world.firstId + world.shop.nextUnit++}`
  )
  supply.units = [...supply.units, ...ids]
  return ids
}

const removeUnits = (supply: Supply, ids: ReadonlyArray<string>): void => {
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
