/** Stickers of assembly orders, printed files in bytes (seed 000 "Stickers"). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { OrderId } from "../../../domain/Ids.js"
import type { Client } from "../../MarketplaceClient.js"
import * as Orders from "./Orders.js"

/** Vertical and horizontal printer code are `zplv` and `zplh`. */
export type Format = "svg" | "zplv" | "zplh" | "png"

/** Width by height; the only two there are. */
export type Size = "58x40" | "40x30"

interface Printed {
  readonly orderId: OrderId
  /** The two parts of the readable id. */
  readonly partA: string | undefined
  readonly partB: string | undefined
  /** The encoded value. */
  readonly barcode: string | undefined
  /** Never empty. */
  readonly file: Uint8Array
}

/** `file` is in the asked format. */
export interface Sticker extends Printed {}

/** A PDF that is there, or an order whose track number is still awaited (field note O13). */
export type CrossBorderSticker =
  | (Printed & { readonly _tag: "ready"; readonly parcelId: string | undefined })
  | { readonly _tag: "awaiting"; readonly orderId: OrderId }

const usualPauses: Orders.Pauses = { firstMs: 5000, longestMs: 60_000, patienceMs: 15 * 60_000 }

const sizes = { "58x40": { width: 58, height: 40 }, "40x30": { width: 40, height: 30 } } as const

export const make = ({ api }: Client) => {
  /** Orders in confirm or complete only. An order that is missing is in another state, or came without a file (O12). */
  const stickers = (
    orders: ReadonlyArray<OrderId>,
    type: Format,
    size: Size
  ): Effect.Effect<Orders.Answered<Sticker>> =>
    Orders.askByOrder(orders, 100, (chunk) =>
      Effect.map(
        api.orders.getOrderStickers({ urlParams: { type, ...sizes[size] }, payload: { orders: chunk } }),
        (answer) => answer.stickers.flatMap((row) => printed(row) ?? [])
      )
    )

  /** Asks once; whatever has no file yet is awaiting. */
  const crossBorder = (orders: ReadonlyArray<OrderId>): Effect.Effect<Orders.Answered<CrossBorderSticker>> =>
    Orders.askByOrder(orders, 100, (chunk) =>
      Effect.map(api.orders.getCrossBorderStickers({ payload: { orders: chunk } }), (answer) =>
        answer.stickers.map((row): CrossBorderSticker => {
          const found = row.status === "ready" ? printed(row) : undefined
          return found === undefined
            ? { _tag: "awaiting", orderId: row.orderId }
            : { _tag: "ready", ...found, parcelId: row.parcelId }
        })
      )
    )

  /** Asks again for those that are awaiting, with growing pauses, until all are ready or patience ends. */
  const crossBorderUntilReady = (
    orders: ReadonlyArray<OrderId>,
    pauses: Orders.Pauses = usualPauses
  ): Effect.Effect<Orders.Answered<CrossBorderSticker>> =>
    Orders.askUntil(orders, crossBorder, ({ _tag }) => _tag === "awaiting", pauses)

  return { stickers, crossBorder, crossBorderUntilReady }
}

interface WireSticker {
  readonly orderId: OrderId
  readonly partA?: string | undefined
  readonly partB?: string | undefined
  readonly barcode?: string | undefined
  readonly file?: string | undefined
}

/** Undefined unless there is a file with content. */
const printed = ({ barcode, file = "", orderId, partA, partB }: WireSticker): Printed | undefined => {
  const bytes = Encoding.decodeBase64(file)
  return Either.isLeft(bytes) || bytes.right.byteLength === 0
    ? undefined
    : { orderId, partA, partB, barcode, file: bytes.right }
}
