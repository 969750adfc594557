/**
 * Facts that are formulas of other facts, in the rules language itself: each word of a formula means what it means on
 * a row of the fact's own level, and every statistic in it is read over the days for which the fact is asked. A
 * campaign that has no statistics for these days adds nothing (field note M21); one that could not be read makes the
 * sum unknown.
 */

import * as Cells from "./Cell.js"
import * as Economics from "./Economics.js"
import type { DerivedFact } from "./FactType.js"
import * as FactType from "./FactType.js"

const sums = (level: "item" | "account", prefix: string, of: string): ReadonlyArray<DerivedFact> => {
  const sum = (word: string, type: FactType.FactType, summed: string, what: string): DerivedFact => ({
    level,
    word: `${prefix}${word}`,
    type,
    source: "campaignStats",
    formula: `sum(${summed} default ${type._tag === "Money" ? "0 ₽" : "0"})`,
    about: `${what} ${of}.`
  })
  return [
    sum("ad_views", FactType.count, "views", "Impressions of the ads"),
    sum("ad_clicks", FactType.count, "clicks", "Clicks on the ads"),
    sum("ad_orders", FactType.count, "orders", "Orders after a click"),
    sum("ad_spend", FactType.money, "spend", "Money spent on ads"),
    sum("ad_revenue", FactType.money, "revenue", "Value of the orders after a click")
  ]
}

/** In the order of the docs. */
export const derivedFacts: ReadonlyArray<DerivedFact> = [
  ...sums("item", "item.", "of the item in all its campaigns"),
  {
    level: "item",
    word: "item.drr",
    type: FactType.ratio,
    source: "campaignStats",
    formula: "ad_spend / item.all_revenue",
    about: "Share of advertising in the value of all orders of the item, from ads and otherwise."
  },
  {
    level: "item",
    word: "item.romi",
    type: FactType.ratio,
    source: "campaignStats",
    formula: "(ad_revenue - item.cost * ad_orders - ad_spend) / ad_spend",
    about: "What a rouble of advertising earned after the cost of the goods; below zero it lost money."
  },
  ...Economics.derived,
  ...sums("account", "", "in all campaigns"),
  {
    level: "account",
    word: "acos",
    type: FactType.ratio,
    source: "campaignStats",
    formula: "ad_spend / ad_revenue",
    about: "Advertising cost of sales, over all campaigns."
  }
]

// Ratios and prices computed from sums, never averaged: the loaders call this, so every source agrees.

/** Sums over a window; one that was not reported is undefined, never zero. Money in kopecks. */
export interface Totals {
  readonly views?: number | undefined
  readonly clicks?: number | undefined
  readonly orders?: number | undefined
  readonly spendKopecks?: number | undefined
  readonly revenueKopecks?: number | undefined
}

/** By the last word of the fact's id. */
export interface Ratios {
  readonly ctr: Cells.Given
  readonly cr: Cells.Given
  readonly cpc: Cells.Given
  readonly cpm: Cells.Given
  readonly cpo: Cells.Given
  readonly acos: Cells.Given
}

/** Something over nothing is infinite, nothing over nothing is unknown (`zeroOverZero`). */
export const ratios = (totals: Totals): Ratios => ({
  ctr: divide(totals.clicks, totals.views),
  cr: divide(totals.orders, totals.clicks),
  cpc: divide(totals.spendKopecks, totals.clicks),
  cpm: divide(totals.spendKopecks === undefined ? undefined : totals.spendKopecks * 1000, totals.views),
  cpo: divide(totals.spendKopecks, totals.orders),
  acos: divide(totals.spendKopecks, totals.revenueKopecks)
})

const divide = (above: number | undefined, below: number | undefined): Cells.Given => {
  if (above === undefined || below === undefined) return Cells.unknown("absent")
  if (below !== 0) return above / below
  return above > 0 ? Number.POSITIVE_INFINITY : Cells.unknown("zeroOverZero")
}
