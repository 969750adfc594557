/** What a bid brought in some days, and in how much of them it was shown. */
import * as Days from "../../../domain/Days.js"
import * as Reason from "../../../domain/Reason.js"
import * as Window from "../../../domain/Window.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as FactRefs from "../../facts/FactRefs.js"
import { factKey, type Table } from "../../facts/Table.js"
import type * as Unlisted from "../../facts/Unlisted.js"
import type * as Core from "../../optimise/Stream.js"
import * as Past from "./Past.js"

/** Days that are looked at together. */
export interface Period {
  readonly window: Window.Window
  readonly span: Past.Span
  readonly days: number
}

/** All days of a policy's window, and ever fewer of the newest of them. */
export type Periods = readonly [Period, ...Array<Period>]

export const periods = (window: Window.Window, nowMs: number): Periods => {
  const [whole, ...newer] = FactRefs.optimiseWindows(window).map((one) => period(one, nowMs))
  return [whole!, ...newer]
}

const period = (window: Window.Window, nowMs: number): Period => {
  const range = Window.resolve(window, nowMs)
  const fromMs = Days.startOfMarket(range.from)
  const toMs = Days.startOfMarket(Days.shift(range.to, 1))
  return { window, span: { fromMs, toMs }, days: Math.round((toMs - fromMs) / Days.dayMs) }
}

/** Statistics of one level of a table, found once for all rows. Nothing may be set in the table meanwhile. */
export class Statistics {
  private readonly read = new Map<
    Period,
    { readonly numbers: ReadonlyArray<(row: number) => number | undefined>; readonly cells: Readers }
  >()

  constructor(
    readonly table: Table,
    level: "cluster" | "campaign_item",
    private readonly payment: string,
    periods: Periods
  ) {
    for (const one of periods) {
      const keys = words.map((word) => factKey({ id: `${level}.${word}`, window: one.window }))
      this.read.set(one, {
        numbers: keys.map((key) => table.numbers(key)),
        cells: keys.map((key) => table.cells(key))
      })
    }
  }

  /** Of a row; absent where the marketplace tells nothing, or could not be read. */
  of(row: number, one: Period, liveDays: number): Core.Maybe<Core.Counts> {
    const readers = this.read.get(one)!
    const { numbers } = readers
    const counts = counted(
      numbers[0]!(row),
      numbers[1]!(row),
      numbers[2]!(row),
      numbers[3]!(row),
      numbers[4]!(row),
      liveDays
    )
    return counts === undefined ? this.told(readers.cells, row, liveDays) : { _tag: "Known", value: counts }
  }

  /** Where not all of them are numbers. */
  private told(readers: Readers, row: number, liveDays: number): Core.Maybe<Core.Counts> {
    const cells = readers.map((read) => read(row))
    // Where clicks are paid the marketplace may count no views (field note M20).
    if (this.payment === "cpc" && isMissing(cells[0]!)) cells[0] = { _tag: "Known", value: 0 }
    const carts = Cells.numberOf(cells.pop()!)
    const [views, clicks, orders, spendKopecks] = cells.map(Cells.numberOf)
    const counts = counted(views, clicks, orders, spendKopecks, carts, liveDays)
    return counts === undefined
      ? { _tag: "Absent", reason: worst(cells.flatMap(reasonOf)) }
      : { _tag: "Known", value: counts }
  }
}

type Readers = ReadonlyArray<(row: number) => Cell>
type Count = number | undefined

const counted = (
  views: Count,
  clicks: Count,
  orders: Count,
  spendKopecks: Count,
  carts: Count,
  liveDays: number
): Core.Counts | undefined => {
  if (views === undefined || clicks === undefined || orders === undefined || spendKopecks === undefined)
    return undefined
  const counts = { views, clicks, orders, spendKopecks, liveDays }
  return carts === undefined ? counts : { ...counts, carts }
}

const words = ["views", "clicks", "orders", "spend", "carts"]

export interface Counting {
  /** Absent where the marketplace tells nothing, or could not be read. */
  of(period: Period): Core.Maybe<Core.Counts>
  /** Days of the period in which nothing that is known had hidden it. */
  liveDays(period: Period): number
}

/**
 * Of one row; `hidden` says when it was not shown, none of it twice. A class, for functions of its own would cost each row more than
 * its counts.
 */
export class OfRow implements Counting {
  /** What was asked last, and the answer: of the whole window several ask. */
  private asked: Period | undefined
  private told: Core.Maybe<Core.Counts> | undefined

  constructor(
    private readonly statistics: Statistics,
    private readonly row: number,
    private readonly hidden: ReadonlyArray<Past.Span>
  ) {}

  of(one: Period): Core.Maybe<Core.Counts> {
    if (this.told === undefined || this.asked !== one) {
      this.asked = one
      this.told = this.statistics.of(this.row, one, this.liveDays(one))
    }
    return this.told
  }

  liveDays({ days, span }: Period): number {
    return this.hidden.length === 0 ? days : Math.max(0, days - Past.overlapDays(this.hidden, span))
  }
}

/** A failed reading says less than a value that is not there. */
const worst = (reasons: ReadonlyArray<Reason.Reason>): Reason.Reason =>
  reasons.find((reason) => !Reason.isMissing(Reason.code(reason))) ?? reasons[0] ?? "unreadable"

const reasonOf = (cell: Cell): ReadonlyArray<Reason.Reason> =>
  cell._tag === "Unknown" ? [cell.reason] : Cells.numberOf(cell) === undefined ? ["unreadable"] : []

const isMissing = (cell: Cell): boolean =>
  cell._tag === "Unknown" && Reason.isMissing(Reason.code(cell.reason))

/** Of the clusters that have no row, by the window. They were shown when their item was. */
export const unlisted = (
  shown: Counting,
  named: ReadonlyMap<string, Unlisted.Unlisted> | undefined
): Counting => ({
  liveDays: (period) => shown.liveDays(period),
  of: (period) => {
    const found = named?.get(Window.key(period.window))
    if (found === undefined) return { _tag: "Absent", reason: "absent" }
    const { listable: _, ...sums } = found
    return { _tag: "Known", value: { ...sums, liveDays: shown.liveDays(period) } }
  }
})

/**
 * The whole without some of its parts. A part of which there are no figures brought nothing; one that could not be read makes
 * the rest unknown. Two statistics of the same days may disagree by a little: what is left is never below nothing.
 */
export const without = (all: Counting, parts: ReadonlyArray<Counting>): Counting => ({
  liveDays: (period) => all.liveDays(period),
  of: (period) => {
    const whole = all.of(period)
    if (whole._tag === "Absent") return whole
    let gone: Sums = nothing
    for (const part of parts) {
      const found = part.of(period)
      if (found._tag === "Known") gone = combined(gone, found.value, (one, other) => one + other)
      else if (isUnread(found)) return found
    }
    return { _tag: "Known", value: { ...less(whole.value, gone), liveDays: whole.value.liveDays } }
  }
})

type Sums = Omit<Core.Counts, "liveDays">

const nothing: Sums = { views: 0, clicks: 0, orders: 0, spendKopecks: 0, carts: 0 }

/** Without carts where one of the two tells of none. */
const combined = (one: Sums, other: Sums, of: (a: number, b: number) => number): Sums => ({
  views: of(one.views, other.views),
  clicks: of(one.clicks, other.clicks),
  orders: of(one.orders, other.orders),
  spendKopecks: of(one.spendKopecks, other.spendKopecks),
  ...(one.carts === undefined || other.carts === undefined ? {} : { carts: of(one.carts, other.carts) })
})

const less = (whole: Sums, part: Sums): Sums => combined(whole, part, (a, b) => Math.max(0, a - b))

/** There may be figures, and nobody knows them. */
export const isUnread = (counts: Core.Maybe<Core.Counts>): boolean =>
  counts._tag === "Absent" && !Reason.isMissing(Reason.code(counts.reason))

/**
 * Days at the bids that stood then, where a policy has moved the bid in the window; undefined where none has. What is told of
 * several days together is told of each as their mean.
 */
export const history = (
  counting: Counting,
  moved: ReadonlyArray<Past.Moved>,
  all: Periods,
  nowMs: number
): ReadonlyArray<Core.Day> | undefined => {
  if (moved.length === 0) return undefined
  const moves = moved.filter(({ atMs }) => atMs >= all[0].span.fromMs)
  if (moves.length === 0 || all.length < 2) return undefined
  return all.flatMap((period, i) => bucket(counting, moves, period, all[i + 1], nowMs))
}

/** The days of a period that are not in the next, newer one. */
const bucket = (
  counting: Counting,
  moves: ReadonlyArray<Past.Moved>,
  period: Period,
  newer: Period | undefined,
  nowMs: number
): ReadonlyArray<Core.Day> => {
  const { fromMs } = period.span
  const toMs = newer === undefined ? period.span.toMs : newer.span.fromMs
  const own = counting.of(period)
  const later = newer === undefined ? undefined : counting.of(newer)
  if (isUnread(own) || (later !== undefined && isUnread(later))) return []
  const [all, gone] = [own, later].map((one) => (one?._tag === "Known" ? one.value : nothing))
  const live = counting.liveDays(period) - (newer === undefined ? 0 : counting.liveDays(newer))
  const { clicks, spendKopecks, views } = less(all!, gone!)
  const count = Math.round((toMs - fromMs) / Days.dayMs)
  return Array.from({ length: count }, (_, day) => ({
    daysAgo: Math.round((nowMs - toMs) / Days.dayMs) + day,
    bidKopecks: Past.meanBid(moves, { fromMs, toMs }),
    views: views / count,
    clicks: clicks / count,
    spendKopecks: spendKopecks / count,
    liveShare: Math.min(1, Math.max(0, live) / count)
  }))
}
