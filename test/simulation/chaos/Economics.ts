/** What the seller says that items cost: a table with holes, drawn from the seed, and what it says as plain numbers. */

import type * as Load from "../../../src/engine/language/Load.js"
import * as Blueprint from "../../../src/sandbox/market/Blueprint.js"
import * as Scenario from "../../scenario/Scenario.js"
import { Chance } from "./Chance.js"

/** Kopecks, and shares in percent; undefined where the table has an empty cell. */
export interface Terms {
  readonly unitCost: number | undefined
  readonly packaging: number | undefined
  readonly commissionInPromo: number | undefined
  readonly acquiring: number | undefined
  readonly logisticsOut: number | undefined
  readonly logisticsBack: number | undefined
  readonly storage: number | undefined
  readonly extra: number | undefined
  readonly taxRate: number | undefined
  readonly isTaxOnProfit: boolean | undefined
  readonly buyoutShare: number | undefined
  /** The least that it may cost; most items have none. */
  readonly floor: number | undefined
}

/** Of the accounts of the simulation. */
const items = 9

/** By item; the same of a seed, whoever asks. */
export const draw = (seed: number): ReadonlyMap<number, Terms> =>
  new Map(
    Array.from({ length: items }, (_, i) => {
      const chance = new Chance(seed, `economics ${i}`)
      return [Blueprint.firstItemId + i, termsOf(chance)]
    })
  )

const termsOf = (chance: Chance): Terms => {
  const some = <A>(value: A, holes = 0.04): A | undefined => (chance.happens(holes) ? undefined : value)
  return {
    unitCost: some(chance.int(200, 2200) * 100, 0.15),
    packaging: some(chance.int(5, 40) * 100),
    commissionInPromo: some(chance.int(8, 25)),
    acquiring: some(chance.pick([1, 2])),
    logisticsOut: some(chance.int(30, 120) * 100),
    logisticsBack: some(chance.int(30, 60) * 100),
    storage: some(chance.int(0, 12) * 100),
    extra: some(chance.int(0, 20) * 100),
    taxRate: some(chance.pick([0, 6, 15])),
    isTaxOnProfit: some(chance.happens(0.5)),
    buyoutShare: some(chance.int(50, 98)),
    floor: some(chance.int(500, 2500) * 100, 0.65)
  }
}

const path = "rules/_shared/economics.csv"

/** The table as the seller saves it. */
export const table = (seed: number): Load.File => ({
  path,
  text: "",
  data: {
    path,
    modifiedMs: Scenario.startMs,
    readMs: Scenario.startMs,
    content: { _tag: "Rows", rows: rowsOf(draw(seed)).map((cells, i) => ({ line: i + 1, cells })) }
  }
})

const rowsOf = (all: ReadonlyMap<number, Terms>): ReadonlyArray<ReadonlyArray<string>> => [
  [
    "item",
    "unit cost",
    "packaging",
    "commission in promo, %",
    "acquiring, %",
    "logistics out",
    "logistics back",
    "storage",
    "extra",
    "tax rate, %",
    "tax base",
    "buyout, %",
    "price floor"
  ],
  ...[...all].map(([itemId, terms]) => [
    `${itemId}`,
    money(terms.unitCost),
    money(terms.packaging),
    percent(terms.commissionInPromo),
    percent(terms.acquiring),
    money(terms.logisticsOut),
    money(terms.logisticsBack),
    money(terms.storage),
    money(terms.extra),
    percent(terms.taxRate),
    terms.isTaxOnProfit === undefined ? "" : terms.isTaxOnProfit ? "profit" : "revenue",
    percent(terms.buyoutShare),
    money(terms.floor)
  ])
]

const money = (kopecks: number | undefined): string => (kopecks === undefined ? "" : `${kopecks / 100}`)
const percent = (whole: number | undefined): string => (whole === undefined ? "" : `${whole}`)

/**
 * What a kept unit leaves of its price in a promotion without any advertising, as a share of the price: the most that it may be.
 * Undefined where a term is; a share of orders kept that nobody states is measured, so it may be all of them. Computed as the decision on economics has it, and by nothing of the program.
 */
export const mostMargin = (terms: Terms, price: number): number | undefined => {
  const { acquiring, buyoutShare = 100, commissionInPromo, extra, isTaxOnProfit, logisticsBack } = terms
  const { logisticsOut, packaging, storage, taxRate, unitCost } = terms
  if (
    acquiring === undefined ||
    commissionInPromo === undefined ||
    extra === undefined ||
    isTaxOnProfit === undefined ||
    logisticsBack === undefined ||
    logisticsOut === undefined ||
    packaging === undefined ||
    storage === undefined ||
    taxRate === undefined ||
    unitCost === undefined
  )
    return undefined
  const kept = buyoutShare / 100
  const carried = (logisticsOut + (1 - kept) * logisticsBack) / kept
  const shares = (price * (commissionInPromo + acquiring)) / 100
  const left = price - unitCost - packaging - storage - extra - carried - shares
  const taxed = isTaxOnProfit ? Math.max(0, left) : price
  return (left - (taxed * taxRate) / 100) / price
}
