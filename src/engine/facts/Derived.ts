/** Ratios and prices computed from sums, never averaged: the loaders call this, so every source agrees. */
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"

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
  readonly ctr: Cell
  readonly cr: Cell
  readonly cpc: Cell
  readonly cpm: Cell
  readonly cpo: Cell
  readonly acos: Cell
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

const divide = (above: number | undefined, below: number | undefined): Cell => {
  if (above === undefined || below === undefined) return Cells.unknown("absent")
  if (below !== 0) return Cells.known(above / below)
  return above > 0 ? Cells.known(Number.POSITIVE_INFINITY) : Cells.unknown("zeroOverZero")
}
