/** Seed 000 "Assembly orders": stickers of orders, and of cross-border parcels. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuseCode } from "../Answer.js"
import type * as Call from "../Call.js"
import * as Images from "../shop/Images.js"
import * as LabelChecks from "../shop/LabelChecks.js"
import * as Orders from "../shop/Orders.js"
import type { Order } from "../shop/State.js"
import * as Stickers from "../shop/Stickers.js"

export const handlers: Call.Handlers<"getOrderStickers" | "getCrossBorderStickers"> = {
  getOrderStickers: (call) => {
    const orders = printable(call, call.payload.orders)
    if (orders.some((order) => lacksDeclaration(call, order)))
      return Either.left(
        refuseCode(409, "CustomsDeclarationIsRequired", "an order lacks its customs declaration")
      )
    const size = call.query.width === 58 ? Images.large : Images.small
    const stickers = orders.map((order) => ({
      orderId: order.id,
      ...Stickers.parts(order),
      file: Images.base64(Stickers.code(order), call.query.type, size)
    }))
    return Either.right(Answer.json({ stickers }))
  },

  /** Domestic orders are silently missing too. */
  getCrossBorderStickers: (call) => {
    const stickers = printable(call, call.payload.orders)
      .filter((order) => order.crossBorder)
      .map((order) => crossBorderSticker(call, order))
    return Either.right(Answer.json({ stickers }))
  }
}

/** Orders in confirm or complete; any other is silently missing (field note O12). */
const printable = (call: Call.Context, ids: ReadonlyArray<number>): ReadonlyArray<Order> =>
  Orders.known(call.world, ids, call.nowMs).filter((order) => {
    const status = Orders.status(call.world, order, call.nowMs)
    return status === "confirm" || status === "complete"
  })

const lacksDeclaration = (call: Call.Context, order: Order): boolean =>
  order.required.includes("customsDeclaration") &&
  LabelChecks.detail(call.world, order, "customsDeclaration", call.nowMs).value === null

const crossBorderSticker = (call: Call.Context, order: Order) => {
  const readyAt = Stickers.readyAt(call.world, order)
  return readyAt !== undefined && readyAt <= call.nowMs
    ? {
        orderId: order.id,
        status: "ready",
        parcelId: Stickers.parcelId(order),
        file: Stickers.crossBorderFile(order),
        ...Stickers.parts(order)
      }
    : {
        orderId: order.id,
        status: "awaitingTrackNumber",
        parcelId: "",
        file: "",
        partA: "",
        partB: "",
        barcode: ""
      }
}
