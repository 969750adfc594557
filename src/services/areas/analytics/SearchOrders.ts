/** Orders and positions of one item by day and search text (seed 002, "Search reports"). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Days from "../../../domain/Days.js"
import type { ItemId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import * as Periods from "../../endpoints/Periods.js"
import type * as Wire from "../../endpoints/SearchReports.js"
import type { Client } from "../../MarketplaceClient.js"
import * as Windows from "../../Windows.js"
import * as PaidPlan from "./PaidPlan.js"
import * as Records from "./SearchRecords.js"

export interface Request {
  readonly days: Days.DayRange
  readonly item: ItemId
  readonly texts: ReadonlyArray<string>
}

export interface TextHistory {
  readonly text: string
  /** Times the text was searched for, as the newest window that tells says. */
  readonly searches: number | undefined
  readonly rows: ReadonlyArray<Records.TextDay>
}

export interface TextWindow {
  readonly text: string
  readonly days: Days.DayRange
}

export interface TextOrders {
  /** The days that were asked for, which may be fewer than wanted. */
  readonly days: Days.DayRange
  readonly texts: ReadonlyArray<TextHistory>
  /** Sums as answered; absent where the texts took several calls, whose sums cannot be joined. */
  readonly total: ReadonlyArray<Records.TextDay> | undefined
  /** Texts and windows that could not be read. */
  readonly failures: ReadonlyArray<Batches.Failure<TextWindow>>
}

/** Days of one call. */
const windowDays = 7

/** Asks window by window, `textsPerCall` texts at a time; the days must be within the reach of the report. */
export const fetch = (
  api: Client["api"],
  { days, item, texts: named }: Request,
  textsPerCall: number
): Effect.Effect<TextOrders, PaidPlan.PlanMissing> =>
  Effect.gen(function* () {
    const texts = [...new Set(named)]
    const parts = Windows.cut(days, windowDays).flatMap((window) =>
      Arr.chunksOf(texts, textsPerCall).map((chunk) => chunk.map((text) => ({ text, days: window })))
    )
    const unlessMissing = PaidPlan.stopping()
    const read = yield* Batches.runChunks(parts, (part) =>
      Effect.map(
        unlessMissing(
          api.searchReports.getProductSearchOrders({
            payload: {
              period: Periods.ofRange(part[0]?.days ?? days),
              nmId: item,
              searchTexts: part.map(({ text }) => text)
            }
          })
        ),
        ({ data }) => [data]
      )
    )
    const { failures, values } = read
    yield* PaidPlan.failIfMissing(read)
    return {
      days,
      texts: histories(values.flatMap((data) => data?.items ?? [])),
      total:
        texts.length > textsPerCall
          ? undefined
          : Windows.join(
              values.map((data) => Records.textDays(data?.total)),
              ({ day }) => day
            ),
      failures
    }
  })

/** One text per entry, its days from all windows; an item without shows has days without a position. */
const histories = (
  entries: ReadonlyArray<(typeof Wire.TextOrders.Type)["items"][number]>
): ReadonlyArray<TextHistory> => {
  const texts = new Map<string, TextHistory>()
  for (const { dateItems, frequency, text } of entries) {
    if (text === undefined) continue
    const before = texts.get(text)
    texts.set(text, {
      text,
      searches: frequency ?? before?.searches,
      rows: Windows.join([before?.rows ?? [], Records.textDays(dateItems)], ({ day }) => day)
    })
  }
  return [...texts.values()]
}
