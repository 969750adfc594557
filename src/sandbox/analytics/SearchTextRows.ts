/** Search texts of items as rows (seed 002 "Search-text row"), and a text's days. */
import type { Context } from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import * as Change from "./Change.js"
import type * as Goods from "./Goods.js"
import * as Periods from "./Periods.js"
import * as SearchFigures from "./SearchFigures.js"
import * as SearchRows from "./SearchRows.js"
import * as SearchTexts from "./SearchTexts.js"

export interface Row {
  readonly good: Goods.Good
  readonly now: SearchFigures.TextFigures
  /** Undefined without a past period. */
  readonly past: SearchFigures.Figures | undefined
}

export type Top = "openCard" | "addToCart" | "openToCart" | "orders" | "cartToOrder"

/** The best texts of an item, those it was shown under only. */
export const best = (row: SearchRows.Row, top: Top, limit: number): ReadonlyArray<Row> => {
  const read = SearchFigures.fields[top]
  const past = new Map(row.past?.texts.map((text) => [text.text, text]))
  return row.now.texts
    .filter((text) => text.position > 0)
    .map((text, i) => ({ text, i, key: read(text) }))
    .sort((a, b) => b.key - a.key || a.i - b.i)
    .slice(0, limit)
    .map(({ text }) => ({ good: row.good, now: text, past: past.get(text.text) }))
}

/** How many competitors do worse, percent; by chance, for the market knows no others. */
export const percentile = (row: Row, key: number): number =>
  Dice.uint(Dice.mix(Dice.ofText(row.good.id, row.now.text), 970 + key)) % 101

export const wire = (context: Context, row: Row) => {
  const { good, now, past } = row
  const metrics = SearchFigures.metrics(now, past)
  const pair = (read: (figures: SearchFigures.Figures) => number) =>
    Change.pair(read(now), past === undefined ? undefined : read(past))
  return {
    text: now.text,
    ...SearchRows.described(context, good),
    frequency: pair((f) => f.frequency),
    weekFrequency: weekFrequency(context, good.id, now.text),
    medianPosition: pair((f) => f.median),
    avgPosition: metrics.avgPosition,
    openCard: { ...metrics.openCard, percentile: percentile(row, 1) },
    addToCart: { ...metrics.addToCart, percentile: percentile(row, 2) },
    openToCart: { ...metrics.openToCart, percentile: percentile(row, 3) },
    orders: { ...metrics.orders, percentile: percentile(row, 4) },
    cartToOrder: { ...metrics.cartToOrder, percentile: percentile(row, 5) },
    visibility: metrics.visibility
  }
}

const weekFrequency = ({ world, nowMs }: Context, itemId: number, text: string): number => {
  const today = Moscow.dayOf(nowMs)
  const week = SearchTexts.ofDays(world, itemId, { from: today - 7, to: today - 1 }, nowMs)
  return [...week.values()].reduce(
    (sum, texts) => sum + (texts.find((day) => day.text === text)?.frequency ?? 0),
    0
  )
}

/** Orders and positions of the asked texts by day; a text the item was never found by has zeros. */
export const byDay = (
  { world, nowMs }: Context,
  itemId: number,
  texts: ReadonlyArray<string>,
  days: Days
) => {
  const known = SearchTexts.ofDays(world, itemId, days, nowMs)
  const asked = [...new Set(texts)]
  const dayOf = (day: number, text: string) => known.get(day)?.find((one) => one.text === text)
  const shown = Periods.each(days).filter((day) => known.has(day))
  return {
    total: shown.map((day) => {
      const own = asked.flatMap((text) => dayOf(day, text) ?? [])
      const { orders, position } = SearchFigures.ofTextDays(own)
      return { dt: Moscow.dayText(day), avgPosition: position, orders }
    }),
    items: asked.map((text) => ({
      text,
      frequency: shown.reduce((sum, day) => sum + (dayOf(day, text)?.frequency ?? 0), 0),
      dateItems: shown.map((day) => {
        const own = dayOf(day, text)
        return { dt: Moscow.dayText(day), avgPosition: own?.position ?? 0, orders: own?.orders ?? 0 }
      })
    }))
  }
}
