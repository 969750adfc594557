/**
 * What a unit costs, from the seller's economics table, and what it earns by it: words that every row with an item has
 * (decision 0083). A column that the table does not fill is unknown, and so is everything computed with it.
 */
import type { FactRef } from "../language/Policy.js"
import type { DerivedFact } from "./FactType.js"
import * as FactType from "./FactType.js"
import { type FigureName, paceDays } from "./UnitEconomics.js"

/** A word of the table. */
export interface Term {
  readonly word: string
  readonly type: FactType.FactType
  readonly about: string
}

/** In the order of the docs. */
export const terms: ReadonlyArray<Term> = [
  { word: "unit_cost", type: FactType.money, about: "What the seller pays for a unit." },
  { word: "packaging", type: FactType.money, about: "Packaging of a unit." },
  { word: "commission", type: FactType.ratio, about: "Commission of the marketplace." },
  { word: "commission_in_promo", type: FactType.ratio, about: "Commission while in a promotion." },
  { word: "acquiring", type: FactType.ratio, about: "What taking the payment costs." },
  { word: "logistics_out", type: FactType.money, about: "Carrying an order to its buyer." },
  { word: "logistics_back", type: FactType.money, about: "Carrying an order back that is not kept." },
  { word: "storage", type: FactType.money, about: "Storage of a unit until it is sold." },
  { word: "tax_rate", type: FactType.ratio, about: "Rate of the tax." },
  {
    word: "tax_on_profit",
    type: FactType.yesNo,
    about: "The tax is taken of what is left after costs, and not of what comes in."
  },
  { word: "extra", type: FactType.money, about: "Whatever else a unit costs." },
  {
    word: "price_floor",
    type: FactType.money,
    about:
      "The least that the item may ever cost; it joins no promotion whose price is below it on any of its days."
  },
  {
    word: "stated_buyout_share",
    type: FactType.ratio,
    about: "Share of orders that buyers keep, as the seller states it."
  }
]

const ids: ReadonlySet<string> = new Set(terms.map(({ word }) => `item.${word}`))

/** Whether a fact is read from the economics table. */
export const isTerm = (id: string): boolean => ids.has(id)

/** Terms that may be left out: no floor is none, and a share of orders kept that nobody states is measured. */
export const isOptional = (id: string): boolean => /^item\.(price_floor|stated_buyout_share)$/.test(id)

/** Orders of 30 days that ended 30 days ago: nearly all that comes back is back by then (seed 002: buyouts grow for 30 days). */
const settledDays = 30
const settled = `[${settledDays}d before ${settledDays}d]`

/** Sales of goods so long ago that no bid of these weeks has a part in them. */
export const isOfLongAgo = ({ id, window }: FactRef): boolean =>
  (id === "item.buyouts" || id === "item.all_orders") &&
  window?._tag === "Last" &&
  window.settleDays >= settledDays

const fixed = ["unit_cost", "packaging", "storage", "extra", "logistics_out", "logistics_back"] as const

/** The terms of `UnitEconomics`, in their order. */
const unitAt = (price: string, commission: string): ReadonlyArray<string> => [
  price,
  commission,
  "acquiring",
  ...fixed,
  "tax_rate",
  "tax_on_profit",
  "buyout_share"
]

const sold = unitAt("item.price", "commission")
const soldInPromotion = (price: string, commission: string) => [
  ...unitAt(price, commission),
  "ad_cost_per_order"
]
const now = soldInPromotion("promotion_item.price", "commission")
const then = soldInPromotion("plan_price", "commission_in_promo")
/** Both, in exact terms: profits that are rounded already would be rounded twice. */
const both = [...now, "plan_price", "commission_in_promo"]

const figure =
  (level: "item" | "promotion_item") =>
  (
    word: string,
    type: FactType.FactType,
    about: string,
    name: FigureName,
    of: ReadonlyArray<string>,
    ahead?: FactType.WorstDay
  ): DerivedFact => ({
    level,
    word,
    type,
    source: "own",
    formula: `${name}(${of.join(", ")})`,
    figure: { name, of, ...(ahead === undefined ? {} : { ahead }) },
    about
  })

const ofItem = figure("item")
const inPromotion = figure("promotion_item")

const plain = (
  level: "item" | "promotion_item",
  word: string,
  type: FactType.FactType,
  formula: string,
  about: string
): DerivedFact => ({ level, word, type, source: "own", formula, about })

/** In the order of the docs. */
export const derived: ReadonlyArray<DerivedFact> = [
  ofItem(
    "measured_buyout_share",
    FactType.ratio,
    "Share of orders that buyers kept, of the 30 days that ended 30 days ago.",
    "share_kept",
    [`item.buyouts${settled}`, `item.all_orders${settled}`]
  ),
  plain(
    "item",
    "buyout_share",
    FactType.ratio,
    "stated_buyout_share default measured_buyout_share",
    "Share of orders that buyers keep: as the table states it, or else as measured."
  ),
  plain(
    "item",
    "orders_per_day",
    FactType.count,
    `item.all_orders[${paceDays}d] / ${paceDays}`,
    `Orders a day over ${paceDays} days, from ads and otherwise.`
  ),
  ofItem(
    "ad_cost_per_order",
    FactType.money,
    `Advertising of ${paceDays} days by all orders of these days; nothing where the item is not advertised.`,
    "cost_per_order",
    [`item.ad_spend[${paceDays}d] default 0 ₽`, `item.all_orders[${paceDays}d]`]
  ),
  plain("item", "days_of_cover", FactType.number, "item.stock_days", "How many days the stock lasts."),
  ofItem(
    "profit_per_order",
    FactType.money,
    "What an order placed earns after all costs and taxes, before advertising: orders that come back are counted in.",
    "order_profit",
    sold
  ),
  ofItem(
    "break_even_cpo",
    FactType.money,
    "The most that an order may cost in advertising before it loses money.",
    "order_break_even",
    sold
  ),
  ofItem(
    "profit",
    FactType.money,
    "What a kept unit earns after all costs, advertising included.",
    "unit_profit",
    [...sold, "ad_cost_per_order"]
  ),
  ofItem("margin", FactType.ratio, "The profit of a kept unit as a share of its price.", "unit_margin", [
    ...sold,
    "ad_cost_per_order"
  ]),
  inPromotion(
    "profit_now",
    FactType.money,
    "What a kept unit earns at today's price, by what it costs today.",
    "unit_profit",
    now
  ),
  inPromotion("margin_now", FactType.ratio, "The same as a share of the price.", "unit_margin", now),
  inPromotion(
    "profit_at_plan_price",
    FactType.money,
    "What a kept unit earns in the promotion; where the economics table has other costs on some of its days, on the dearest of them.",
    "unit_profit",
    then,
    "least"
  ),
  inPromotion(
    "margin_at_plan_price",
    FactType.ratio,
    "The same as a share of the plan price.",
    "unit_margin",
    then,
    "least"
  ),
  inPromotion(
    "break_even_uplift",
    FactType.number,
    "How many times the orders must grow so that the promotion earns as much as no promotion; endless where it earns nothing. Where the economics table has other costs on some of its days, both profits are counted with those of each day, and the most counts.",
    "uplift",
    both,
    "most"
  ),
  plain(
    "promotion_item",
    "days_of_cover_at_uplift",
    FactType.number,
    "days_of_cover / break_even_uplift",
    "How many days the stock lasts when orders grow that much."
  ),
  inPromotion(
    "join_cost",
    FactType.money,
    "What the promotion costs a day at today's orders: the profit that its lower price gives away, below zero where it earns more. Where the economics table has other costs on some of its days, both profits are counted with those of each day, and the most counts.",
    "cost_per_day",
    [...both, `item.all_orders[${paceDays}d]`],
    "most"
  )
]
