/** Seed 000 "Supplies": shipping units. Only 400 and 404 are documented for them, so a wrong state is 400. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Images from "../shop/Images.js"
import * as Orders from "../shop/Orders.js"
import type { Supply } from "../shop/State.js"
import * as Supplies from "../shop/Supplies.js"
import * as Units from "../shop/Units.js"
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
      const trbxIds = Units.add(call.world, supply, call.payload.amount)
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
      Units.remove(supply, trbxIds)
      record(call, supply, before)
      return Either.right(Answer.empty(204))
    }),

  /** Units without orders, and units of other supplies, are silently missing. */
  getShippingUnitStickers: (call) =>
    Either.map(named(call, call.path.supplyId), (supply) => {
      const orders = Orders.inSupply(call.world, supply.id, call.nowMs)
      const stickers = [...new Set(call.payload.trbxIds)]
        .filter((id) => Units.ordersIn(supply, id, orders).length > 0)
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
  const room = Units.room(supply, orders.length)
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
