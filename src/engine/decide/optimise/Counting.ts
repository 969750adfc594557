/** What a bid brought in some days, and in how much of them it was shown. */
import * as Days from "../../../domain/Days.js"
import * as Reason from "../../../domain/Reason.js"
import * as Window from "../../../domain/Window.js"
import type { Cell } from "../../facts/Cell.js"
import * as FactRefs from "../../facts/FactRefs.js"
import { factKey, type Table } from "../../facts/Table.js"
import type * as Core from "../../optimise/Stream.js"
import * as Past from "./Past.js"

export interface Counting {
  /** Absent where the marketplace tells nothing, or could not be read. */
  readonly of: (window: Window.Window) => Core.Maybe<Core.Counts>
  /** Days of the window in which nothing of ours had hidden it. */
  readonly liveDays: (window: Window.Window) => number
}

export interface Counted {
  readonly table: Table
  readonly row: number
  readonly level: "cluster" | "campaign_item"
  readonly payment: string
  /** When it was not shown. */
  readonly hidden: ReadonlyArray<ReadonlyArray<Past.Span>>
  readonly nowMs: number
}

export const make = ({ hidden, level, nowMs, payment, row, table }: Counted): Counting => {
  const liveDays = (window: Window.Window): number => {
    const span = spanOf(window, nowMs)
    const gone = hidden.reduce((sum, spans) => sum + Past.overlapDays(spans, span), 0)
    return Math.max(0, (span.toMs - span.fromMs) / Past.dayMs - gone)
  }
  return {
    liveDays,
    of: (window) => {
      const read = (name: string) => table.get(row, factKey({ id: `${level}.${name}`, window }))
      const cells = ["views", "clicks", "orders", "spend"].map(read)
      // Where clicks are paid the marketplace may count no views (field note M20).
      if (payment === "cpc" && isMissing(cells[0]!)) cells[0] = { _tag: "Known", value: 0 }
      const [views, clicks, orders, spendKopecks] = cells.map(numberOf)
      if (views === undefined || clicks === undefined || orders === undefined || spendKopecks === undefined)
        return { _tag: "Absent", reason: worst(cells.flatMap(reasonOf)) }
      return { _tag: "Known", value: { views, clicks, orders, spendKopecks, liveDays: liveDays(window) } }
    }
  }
}

/** A failed reading says less than a value that is not there. */
const worst = (reasons: ReadonlyArray<Reason.Reason>): Reason.Reason =>
  reasons.find((reason) => !Reason.isMissing(Reason.code(reason))) ?? reasons[0] ?? "unreadable"

const reasonOf = (cell: Cell): ReadonlyArray<Reason.Reason> =>
  cell._tag === "Unknown" ? [cell.reason] : numberOf(cell) === undefined ? ["unreadable"] : []

const isMissing = (cell: Cell): boolean =>
  cell._tag === "Unknown" && Reason.isMissing(Reason.code(cell.reason))

const numberOf = (cell: Cell): number | undefined =>
  cell._tag === "Known" && typeof cell.value === "number" && Number.isFinite(cell.value)
    ? cell.value
    : undefined

/**
 * The whole without some of its parts. A part of which there are no figures brought nothing; one that could not be read makes
 * the rest unknown. Two statistics of the same days may disagree by a little: what is left is never below nothing.
 */
export const without = (all: Counting, parts: ReadonlyArray<Counting>): Counting => ({
  liveDays: all.liveDays,
  of: (window) => {
    const whole = all.of(window)
    if (whole._tag === "Absent") return whole
    const gone = { ...nothing }
    for (const part of parts) {
      const found = part.of(window)
      if (found._tag === "Known") for (const key of summed) gone[key] += found.value[key]
      else if (isUnread(found)) return found
    }
    return { _tag: "Known", value: less(whole.value, gone) }
  }
})

const summed = ["views", "clicks", "orders", "spendKopecks"] as const

const nothing = { views: 0, clicks: 0, orders: 0, spendKopecks: 0 }

const less = (whole: Core.Counts, part: typeof nothing): Core.Counts => ({
  views: Math.max(0, whole.views - part.views),
  clicks: Math.max(0, whole.clicks - part.clicks),
  orders: Math.max(0, whole.orders - part.orders),
  spendKopecks: Math.max(0, whole.spendKopecks - part.spendKopecks),
  liveDays: whole.liveDays
})

/** There may be figures, and nobody knows them. */
export const isUnread = (counts: Core.Maybe<Core.Counts>): boolean =>
  counts._tag === "Absent" && !Reason.isMissing(Reason.code(counts.reason))

/** What a day of what nobody steers brings. */
export interface Daily {
  readonly spendKopecksPerDay: number
  readonly ordersPerDay: number
}

/** Over the whole window; nothing where the marketplace tells of nothing. */
export const perDay = (counts: Core.Maybe<Core.Counts>, window: Window.Window, nowMs: number): Daily => {
  if (counts._tag === "Absent") return { spendKopecksPerDay: 0, ordersPerDay: 0 }
  const days = Days.length(Window.resolve(window, nowMs))
  const { orders, spendKopecks } = counts.value
  return { spendKopecksPerDay: spendKopecks / days, ordersPerDay: orders / days }
}

/**
 * Days at the bids that stood then, where a policy has moved the bid in the window; undefined where none has. What is told of
 * several days together is told of each as their mean.
 */
export const history = (
  counting: Counting,
  moved: ReadonlyArray<Past.Moved>,
  whole: Window.Window,
  nowMs: number
): ReadonlyArray<Core.Day> | undefined => {
  const { fromMs } = spanOf(whole, nowMs)
  const moves = moved.filter(({ atMs }) => atMs >= fromMs)
  const windows = FactRefs.optimiseWindows(whole)
  if (moves.length === 0 || windows.length < 2) return undefined
  return windows.flatMap((window, i) => bucket(counting, moves, window, windows[i + 1], nowMs))
}

/** The days of a window that are not in the next, newer one. */
const bucket = (
  counting: Counting,
  moves: ReadonlyArray<Past.Moved>,
  window: Window.Window,
  newer: Window.Window | undefined,
  nowMs: number
): ReadonlyArray<Core.Day> => {
  const { fromMs, toMs: end } = spanOf(window, nowMs)
  const toMs = newer === undefined ? end : spanOf(newer, nowMs).fromMs
  const own = counting.of(window)
  const later = newer === undefined ? undefined : counting.of(newer)
  if (isUnread(own) || (later !== undefined && isUnread(later))) return []
  const [all, gone] = [own, later].map((one) => (one?._tag === "Known" ? one.value : nothing))
  const live = counting.liveDays(window) - (newer === undefined ? 0 : counting.liveDays(newer))
  const { clicks, spendKopecks, views } = less({ ...nothing, ...all, liveDays: live }, gone!)
  const count = Math.round((toMs - fromMs) / Past.dayMs)
  return Array.from({ length: count }, (_, day) => ({
    daysAgo: Math.round((nowMs - toMs) / Past.dayMs) + day,
    bidKopecks: Past.meanBid(moves, { fromMs, toMs }),
    views: views / count,
    clicks: clicks / count,
    spendKopecks: spendKopecks / count,
    liveShare: Math.min(1, Math.max(0, live) / count)
  }))
}

const spanOf = (window: Window.Window, nowMs: number): Past.Span => {
  const range = Window.resolve(window, nowMs)
  return {
    fromMs: Days.startOfMarket(range.from),
    toMs: Days.startOfMarket(Days.shift(range.to, 1))
  }
}
