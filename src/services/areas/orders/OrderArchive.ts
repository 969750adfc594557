/** Orders created more than three months ago, and the seam between the archive and the current list (field note O26). */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Days from "../../../domain/Days.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as OrderRecords from "./OrderRecords.js"
import * as Orders from "./Orders.js"

/** Month of creation; `month` is 1 to 12. */
export interface Month {
  readonly year: number
  readonly month: number
}

export const make = (client: Client) => {
  /** Archived orders of one month of creation, each once. */
  const month = ({ month, year }: Month): Stream.Stream<OrderRecords.ArchivedOrder, CallError> =>
    Pages.walk(
      (next) =>
        Effect.map(
          client.api.orders.listArchivedOrders({ urlParams: { year, month, next, limit: 1000 } }),
          (answer) => ({ next: answer.next, rows: answer.orders })
        ),
      ({ id }) => id
    ).pipe(Stream.map(OrderRecords.fromArchived))

  /** Archived orders of all months that two instants (epoch ms) touch, oldest month first. */
  const between = (fromMs: number, toMs: number): Stream.Stream<OrderRecords.ArchivedOrder, CallError> =>
    Stream.fromIterable(months(fromMs, toMs)).pipe(
      Stream.flatMap(month),
      Pages.distinct(({ orderId }) => orderId)
    )

  /**
   * Orders of the last four months from both lists, each once: around the age of three months an order may be in
   * either, and for a while in neither (O26), so a caller that misses one asks again later.
   */
  const lookBack = (nowMs: number): Stream.Stream<OrderRecords.OrderCore, CallError> => {
    const archived: Stream.Stream<OrderRecords.OrderCore, CallError> = between(back(nowMs, 4), nowMs)
    const listed: Stream.Stream<OrderRecords.OrderCore, CallError> = Orders.make(client).between(
      back(nowMs, 3),
      nowMs
    )
    return Stream.concat(archived, listed).pipe(Pages.distinct(({ orderId }) => orderId))
  }

  return { month, between, lookBack }
}

/** Months of two instants and all between; the edges count in UTC and in Moscow time, for the zone is not stated. */
export const months = (fromMs: number, toMs: number): ReadonlyArray<Month> => {
  const first = index(Days.at(fromMs, "UTC"))
  const last = index(Days.ofMarket(toMs))
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => ({
    year: Math.floor((first + i) / 12),
    month: ((first + i) % 12) + 1
  }))
}

const index = (day: Days.Day): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1

/** So many calendar months earlier, at the start of the UTC day; a day the month does not have becomes its last. */
const back = (nowMs: number, count: number): number => {
  const today = Days.at(nowMs, "UTC")
  const target = index(today) - count
  const lastDay = new Date(Date.UTC(Math.floor(target / 12), (target % 12) + 1, 0)).getUTCDate()
  return Date.UTC(Math.floor(target / 12), target % 12, Math.min(Number(today.slice(8)), lastDay))
}
