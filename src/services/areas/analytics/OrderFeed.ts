/**
 * Feed of orders, one row per ordered unit, by the time of its current status (seed 002, "Order feed"). One call a
 * minute, or one in three hours with a Base token: ask for few, long windows.
 */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Days from "../../../domain/Days.js"
import { SizeId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Answer from "../../Answer.js"
import type * as Wire from "../../endpoints/OrderFeed.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import { mostPages } from "../../Pages.js"
import * as Windows from "../../Windows.js"
import * as Amounts from "../Amounts.js"
import * as Asked from "../Asked.js"
import * as OrderDates from "../orders/OrderDates.js"
import * as State from "../State.js"
import * as Measures from "./Measures.js"
import * as Reach from "./Reach.js"

const statuses = ["created", "buyout", "cancel", "return", "returnDefective"] as const

/** In the application, refused at receipt, the term ran out, other (not-shown §7.2). */
const cancelTypes = ["app", "receipt", "expire", "other"] as const

export interface Request extends Asked.Filters {
  /** Moscow days, by the time of the current status. */
  readonly days: Days.DayRange
  readonly items?: Asked.Items
  /** Days of one snapshot, 1 to 31; 31 unless set. */
  readonly windowDays?: number
}

/** The last 31 days, today among them. */
const reach: Reach.Reach = { oldest: 30, newest: 0 }

/** Rows of a page: the most there are, because a call is dear (field note A09). */
export const pageSize = 10_000

const operation = "getOrderFeed"

export const make = ({ api }: Client) => {
  const page = (
    request: Request,
    selectedPeriod: Period,
    nmIds: Asked.Items,
    at: { readonly offset: number; readonly snapshotTime: string | undefined }
  ) =>
    Effect.map(
      api.orderFeed.getOrderFeed({
        payload: {
          selectedPeriod,
          nmIds,
          ...Asked.filtersToWire(request),
          pagination: { ...at, limit: pageSize }
        }
      }),
      ({ data }) => ({
        rows: (data?.orders ?? []).map((row) => fromWire(row, data?.currency)),
        snapshotTime: at.snapshotTime ?? data?.snapshotTime
      })
    )

  /** The pages of one filter and window, all of the snapshot that the first one named (A09). */
  const snapshot = (request: Request, period: Period, nmIds: Asked.Items) =>
    Stream.paginateChunkEffect(
      { nth: 0, snapshotTime: undefined as string | undefined },
      ({ nth, ...kept }) =>
        Effect.flatMap(page(request, period, nmIds, { offset: nth * pageSize, ...kept }), (answer) => {
          const rows = Chunk.fromIterable(answer.rows)
          const { snapshotTime } = answer
          if (answer.rows.length < pageSize || nth + 1 >= mostPages) {
            return Effect.succeed([rows, Option.none()] as const)
          }
          return snapshotTime === undefined
            ? Effect.fail(
                Answer.undecodable(operation, 200, "no snapshotTime, so the next page cannot be asked")
              )
            : Effect.succeed([rows, Option.some({ nth: nth + 1, snapshotTime })] as const)
        })
    )

  /**
   * Rows as they come, the oldest window first: a row whose status changes meanwhile comes again in a later one, and
   * none is missed. Fold them with `latest`. Days are clipped to the last 31.
   */
  const rows = (request: Request): Stream.Stream<OrderRow, CallError> =>
    Stream.unwrap(
      Effect.map(Reach.clip(operation, request.days, reach), (days) =>
        Stream.fromIterable(Windows.cut(days, Math.min(request.windowDays ?? 31, 31))).pipe(
          Stream.mapEffect(periodOf),
          Stream.flatMap((period) =>
            Stream.flatMap(Stream.fromIterable(Asked.chunks(request.items, 1000)), (nmIds) =>
              snapshot(request, period, nmIds).pipe(Asked.onlyAsked<OrderRow>(operation, nmIds))
            )
          )
        )
      )
    )

  return {
    rows,
    /** All rows of the days, each unit once with its newest status. */
    read: (request: Request): Effect.Effect<ReadonlyArray<OrderRow>, CallError> =>
      Effect.map(Stream.runCollect(rows(request)), latest)
  }
}

/**
 * Each unit once, with the newest `updatedAt`; of equally new rows the one read later. Kept rows may be given first
 * and fresh ones after them (field note A10). In the order of `srid`.
 */
export const latest = (rows: Iterable<OrderRow>): ReadonlyArray<OrderRow> => {
  const units = new Map<string, OrderRow>()
  for (const row of rows) {
    const known = units.get(row.srid)
    if (known === undefined || (row.updatedAt ?? 0) >= (known.updatedAt ?? 0)) units.set(row.srid, row)
  }
  return [...units.values()].sort(TextOrder.by(({ srid }) => srid))
}

/** True when the status cannot change any more; one that is not known may. */
export const isFinal = ({ status }: OrderRow): boolean =>
  status._tag === "cancel" || status._tag === "return" || status._tag === "returnDefective"

interface Period {
  readonly start: string
  readonly end: string
}

/** The days of a window as instants, none of them to come; the end of one is the start of the next. */
const periodOf = ({ from, to }: Days.DayRange): Effect.Effect<Period> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const end = `${Days.shift(to, 1)}T00:00:00+03:00`
    const now = `${new Date(nowMs + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`
    return { start: `${from}T00:00:00+03:00`, end: now < end ? now : end }
  })

const readStatus = State.reader(statuses)
const readCancelType = State.reader(cancelTypes)

/** Absent when the row does not say which unit or item it is: it could not be told from others. */
const fromWire = (row: typeof Wire.FeedRow.Type, currency: string | undefined) => {
  const itemId = Asked.itemId(row.nmId)
  const srid = Measures.filled(row.srid)
  if (itemId === undefined || srid === undefined) return undefined
  const cancelType = Measures.filled(row.cancelType)
  return {
    /** Unique per ordered unit; `rid` of an assembly order. */
    srid,
    itemId,
    sizeId: row.chrtId !== undefined && row.chrtId > 0 ? SizeId.make(row.chrtId) : undefined,
    /** Epoch milliseconds. */
    orderedAt: OrderDates.instant(row.createdAt),
    /** When the status last changed, epoch milliseconds. */
    updatedAt: OrderDates.instant(row.updatedAt),
    /** One that is not known keeps its text; treat it as open. */
    status: readStatus(row.status),
    /** On cancelled rows only (field note A10). */
    cancelType: cancelType === undefined ? undefined : readCancelType(cancelType),
    /** True: sent from the seller's own stock; false: from a warehouse of the platform. */
    sellerFulfilled: row.isMp,
    /** Of platform warehouses the fixed name of the aggregate only (not-shown §7.5). */
    warehouse: Measures.filled(row.warehouseName),
    warehouseRegion: Measures.filled(row.warehouseRegion),
    city: Measures.filled(row.destinationCity),
    district: Measures.filled(row.destinationDistrict),
    priceKopecks: Amounts.decimal(row.sellerPrice),
    business: row.isB2b,
    currency
  }
}

export type OrderRow = Readonly<NonNullable<ReturnType<typeof fromWire>>>
