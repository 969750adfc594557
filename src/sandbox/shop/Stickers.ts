/** What is printed for an order (seed 000 "Stickers"), and when the sticker of a cross-border parcel is there (O13). */
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import type { Code } from "./Images.js"
import * as Pdf from "./Pdf.js"
import type { Order } from "./State.js"

/** Number of an order's sticker; its last four digits are the second part of the readable id. */
export const stickerId = (order: Order): number => 20_000_000_000 + order.id

export interface Parts {
  readonly partA: string
  readonly partB: string
  readonly barcode: string
}

export const parts = (order: Order): Parts => {
  const digits = String(stickerId(order))
  return {
    partA: digits.slice(0, -4),
    partB: digits.slice(-4),
    barcode: `*${stickerId(order).toString(36).toUpperCase()}`
  }
}

export const code = (order: Order): Code => {
  const { barcode, partA, partB } = parts(order)
  return { barcode, lines: [partA, partB] }
}

const minuteMs = 60_000

/** When the track number is there: 2 to 10 minutes after the order came into assembly. Undefined before that. */
export const readyAt = (world: World.World, order: Order): number | undefined => {
  const confirmed = order.statuses.find(({ status }) => status === "confirm")
  if (confirmed === undefined) return undefined
  return confirmed.at + Dice.between(Dice.roll(world.seed, 602, order.id), 2 * minuteMs, 10 * minuteMs)
}

export const parcelId = (order: Order): string => `CB${stickerId(order)}`

/** The sticker of a cross-border parcel: Base64 of a PDF. */
export const crossBorderFile = (order: Order): string => {
  const { barcode, partA, partB } = parts(order)
  return Pdf.file([parcelId(order), `${partA} ${partB}`, barcode]).toString("base64")
}
