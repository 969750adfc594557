/** Assembly orders: which there are, how they stand, cancelling (seed 000, "Assembly orders"). */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Stream from "effect/Stream"
import type { OrderId, SupplyId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import * as Batches from "../../Batches.js"
import type * as Orders from "../../endpoints/Orders.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, effectOf } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as OrderDates from "./OrderDates.js"
import * as OrderRecords from "./OrderRecords.js"
import { type OrderState, platformStatus, supplierStatus } from "./OrderRecords.js"

export interface OrderStatus extends OrderState {
  readonly orderId: OrderId
  readonly cancellable: boolean | undefined
}

/** An order of a closed supply that was left unscanned; adding it to an active supply moves it (field note O21). */
export interface Reshipment {
  readonly orderId: OrderId
  readonly supplyId: SupplyId | undefined
}

export const make = ({ api }: Client) => ({
  /** All orders that wait for a supply. One that is no longer here may be assembled or cancelled: ask its status (O03). */
  new: Effect.map(
    api.orders.listNewOrders(),
    ({ orders }): ReadonlyArray<OrderRecords.NewOrder> => orders.map(OrderRecords.fromNew)
  ),

  /** Orders created between two instants (epoch ms) of the last three months, each once; without their status. */
  between: (fromMs: number, toMs: number): Stream.Stream<OrderRecords.Order, CallError> =>
    Stream.fromIterable(windows(fromMs, toMs)).pipe(
      Stream.flatMap(({ dateFrom, dateTo }) =>
        Pages.walk(
          (next) =>
            Effect.map(
              api.orders.listOrders({ urlParams: { limit: 1000, next, dateFrom, dateTo } }),
              (answer) => ({ next: answer.next, rows: answer.orders })
            ),
          ({ id }) => id
        )
      ),
      Pages.distinct(({ id }) => id),
      Stream.map(OrderRecords.fromListed)
    ),

  /** An order that is missing was not answered, which says nothing about its state. */
  statuses: (orders: ReadonlyArray<OrderId>): Effect.Effect<Answered<OrderStatus>> =>
    askByOrder(orders, 1000, (chunk) =>
      Effect.map(api.orders.getOrderStatuses({ payload: { orders: chunk } }), (answer) =>
        answer.orders.map(status)
      )
    ),

  reshipment: Effect.map(
    api.orders.listReshipmentOrders(),
    ({ orders }): ReadonlyArray<Reshipment> =>
      orders.map(({ orderID, supplyID }) => ({
        orderId: orderID,
        supplyId: OrderRecords.supplyId(supplyID)
      }))
  ),

  /** Cancels an order; ask first whether it is `cancellable`, since a refusal costs ten requests (O11, T09). */
  cancel: (orderId: OrderId): Effect.Effect<void, CallError, WritePermit> =>
    api.orders.cancelOrder({ path: { orderId } }),

  /**
   * Whether a cancel that failed has come true all the same: a 409 of an order that is cancelled is success (O11), and
   * after an unknown outcome only the status tells (T16).
   */
  isCancelled: (orderId: OrderId, error: CallError): Effect.Effect<boolean, CallError> =>
    effectOf(error) === "unknown" || (error._tag === "Refused" && error.status === 409)
      ? Effect.map(api.orders.getOrderStatuses({ payload: { orders: [orderId] } }), ({ orders }) =>
          orders.some(({ id, supplierStatus }) => id === orderId && supplierStatus === "cancel")
        )
      : Effect.succeed(false),

  /** Cross-border orders only. */
  history: (orders: ReadonlyArray<OrderId>): Effect.Effect<Answered<ReturnType<typeof history>>> =>
    askByOrder(orders, 100, (chunk) =>
      Effect.map(api.orders.getOrderStatusHistory({ payload: { orders: chunk } }), (answer) =>
        answer.orders.map(history)
      )
    )
})

/** A period of a request, unix seconds. */
export interface Window {
  readonly dateFrom: number
  readonly dateTo: number
}

const mostSeconds = 29 * 86_400
const overlapSeconds = 3600

/** Cuts a period into windows of at most 29 days, each overlapping the one before by an hour (O02); oldest first. */
export const windows = (fromMs: number, toMs: number): ReadonlyArray<Window> => {
  const end = Math.ceil(toMs / 1000)
  const found: Array<Window> = []
  let dateFrom = Math.floor(fromMs / 1000)
  while (dateFrom <= end) {
    const dateTo = Math.min(dateFrom + mostSeconds, end)
    found.push({ dateFrom, dateTo })
    if (dateTo === end) break
    dateFrom = dateTo - overlapSeconds
  }
  return found
}

const status = (wire: typeof Orders.OrderStatus.Type): OrderStatus => ({
  orderId: wire.id,
  supplier: supplierStatus(wire.supplierStatus),
  platform: platformStatus(wire.platformStatus),
  cancellable: wire.isCancellable
})

/** The way of a cross-border order. */
const history = (wire: typeof Orders.OrderHistory.Type) => ({
  orderId: wire.orderID,
  /** Epoch milliseconds. */
  deliveryAtMs: OrderDates.instant(wire.deliveryDate),
  steps: wire.statuses.map(({ code, date }) => ({
    /** In lower case, since the marketplace writes both (O25); one that is not known is kept. */
    code: code?.toLowerCase() ?? "",
    atMs: OrderDates.instant(date)
  }))
})

// Questions about a list of orders, in chunks. The answers name the orders they know and leave the others out.

/** Every asked order is in exactly one of `values`, `missing` and the keys of `failures`. */
export interface Answered<V> extends Batches.Batched<OrderId, V> {
  /** Orders of answered chunks that the answer left out, in the order they were asked. */
  readonly missing: ReadonlyArray<OrderId>
}

/** Asks for each order once, `max` to a call; rows of orders that were not asked for are not handed on. */
export const askByOrder = <V extends { readonly orderId: OrderId }>(
  orders: ReadonlyArray<OrderId>,
  max: number,
  call: (chunk: ReadonlyArray<OrderId>) => Effect.Effect<ReadonlyArray<V>, CallError>
): Effect.Effect<Answered<V>> => {
  const asked = [...new Set(orders)]
  return Effect.map(Batches.run(asked, max, call, { concurrency: 4 }), ({ failures, values }) => {
    const open = new Set(asked)
    const known = values.filter(({ orderId }) => open.delete(orderId))
    for (const orderId of failures.flatMap(({ keys }) => keys)) open.delete(orderId)
    return { values: known, failures, missing: [...open] }
  })
}

// Stickers of assembly orders, printed files in bytes (seed 000 "Stickers").

/** Vertical and horizontal printer code are `zplv` and `zplh`. */
type Format = "svg" | "zplv" | "zplh" | "png"

/** Width by height; the only two there are. */
type Size = "58x40" | "40x30"

/** A PDF that is there, or an order whose track number is still awaited (field note O13). */
type CrossBorderSticker =
  | (Printed & { readonly _tag: "ready"; readonly parcelId: string | undefined })
  | { readonly _tag: "awaiting"; readonly orderId: OrderId }

/** How long to wait between questions: from `firstMs`, doubling up to `longestMs`, `patienceMs` in all. */
interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
  readonly patienceMs: number
}

const sizes = { "58x40": { width: 58, height: 40 }, "40x30": { width: 40, height: 30 } } as const

export const makeStickers = ({ api }: Client) => {
  /** Orders in confirm or complete only. An order that is missing is in another state, or came without a file (O12). */
  const stickers = (
    orders: ReadonlyArray<OrderId>,
    type: Format,
    size: Size
  ): Effect.Effect<Answered<Printed>> =>
    askByOrder(orders, 100, (chunk) =>
      Effect.map(
        api.orders.getOrderStickers({ urlParams: { type, ...sizes[size] }, payload: { orders: chunk } }),
        (answer) => answer.stickers.flatMap((row) => printed(row) ?? [])
      )
    )

  /** Asks once; whatever has no file yet is awaiting. */
  const crossBorder = (orders: ReadonlyArray<OrderId>): Effect.Effect<Answered<CrossBorderSticker>> =>
    askByOrder(orders, 100, (chunk) =>
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
    { firstMs, longestMs, patienceMs }: Pauses
  ): Effect.Effect<Answered<CrossBorderSticker>> =>
    Effect.gen(function* () {
      const deadlineMs = (yield* Clock.currentTimeMillis) + patienceMs
      let answer = yield* crossBorder(orders)
      let pauseMs = firstMs
      for (;;) {
        const [ready, awaiting] = Arr.partition(answer.values, ({ _tag }) => _tag === "awaiting")
        const leftMs = deadlineMs - (yield* Clock.currentTimeMillis)
        if (awaiting.length === 0 || leftMs <= 0) return answer
        yield* Effect.sleep(Math.min(pauseMs, leftMs))
        pauseMs = Math.min(pauseMs * 2, longestMs)
        const again = yield* crossBorder(awaiting.map(({ orderId }) => orderId))
        answer = {
          values: [...ready, ...again.values],
          failures: [...answer.failures, ...again.failures],
          missing: [...answer.missing, ...again.missing]
        }
      }
    })

  return { stickers, crossBorderUntilReady }
}

/** The two parts of the readable id, the encoded value and the bytes of the file; undefined unless it has content. */
const printed = ({ barcode, file = "", orderId, partA, partB }: typeof Orders.Sticker.Type) => {
  const bytes = Encoding.decodeBase64(file)
  if (Either.isLeft(bytes) || bytes.right.byteLength === 0) return undefined
  return { orderId, partA, partB, barcode, file: bytes.right }
}

type Printed = Readonly<NonNullable<ReturnType<typeof printed>>>
