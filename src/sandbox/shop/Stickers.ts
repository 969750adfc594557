/** What is printed for an order (seed 000 "Stickers"), and when the sticker of a cross-border parcel is there (O13). */

import * as Days from "../../domain/Days.js"
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import * as Code128 from "./Code128.js"
import type { Code } from "./Images.js"
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

/** When the track number is there: 2 to 10 minutes after the order came into assembly. Undefined before that. */
export const readyAt = (world: World.World, order: Order): number | undefined => {
  const confirmed = order.statuses.find(({ status }) => status === "confirm")
  if (confirmed === undefined) return undefined
  return (
    confirmed.at + Dice.between(Dice.roll(world.seed, 602, order.id), 2 * Days.minuteMs, 10 * Days.minuteMs)
  )
}

export const parcelId = (order: Order): string => `CB${stickerId(order)}`

/** The sticker of a cross-border parcel: Base64 of a PDF. */
export const crossBorderFile = (order: Order): string => {
  const { barcode, partA, partB } = parts(order)
  return file(barcode, [parcelId(order), `${partA} ${partB}`]).toString("base64")
}

// A small valid PDF of one page: what a cross-border sticker is printed from.

/** Bars, and lines of plain ASCII in Helvetica, on a page of 58 mm by 40 mm; no brackets or backslashes in the lines. */
const file = (barcode: string, lines: ReadonlyArray<string>): Buffer => {
  const text = lines.map((line, i) => `1 0 0 1 12 ${28 - i * 18} Tm (${line}) Tj`).join("\n")
  const { bars, modules } = Code128.of(barcode)
  const left = (164 - modules) / 2
  const dark = bars.map(([from, width]) => `${left + from} 50 ${width} 55 re`).join(" ")
  const content = `${dark} f\nBT /F1 14 Tf\n${text}\nET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 164 113] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
  ]
  let body = "%PDF-1.4\n"
  const offsets: Array<number> = []
  for (const [i, object] of objects.entries()) {
    offsets.push(body.length)
    body += `${i + 1} 0 obj\n${object}\nendobj\n`
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + trailer, "latin1")
}
