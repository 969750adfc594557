/**
 * Facts of an item as such, wherever it is advertised: its card, stock and sales by all ways, from the analytics
 * reports (seed 002). What advertising brought has other names: `orders` is of ads, `item.all_orders` is of everything.
 */
import * as FactType from "./FactType.js"
import type { SourceId } from "./Sources.js"

/** See `Vocabulary.Fact`. */
export interface ItemWord {
  readonly word: string
  readonly type: FactType.FactType
  readonly source: SourceId
  readonly unit: string
  readonly about: string
}

/** Days whose orders tell how fast stock is sold: the last 14, today included. */
export const stockRateDays = 14

/** In the order of the docs. */
export const itemWords: ReadonlyArray<ItemWord> = [
  {
    word: "item.price",
    type: FactType.money,
    source: "itemStocks",
    unit: "",
    about: "Current price of the item in the stock report; the lowest where sizes differ."
  },
  {
    word: "item.stock",
    type: FactType.count,
    source: "itemStocks",
    unit: "units",
    about: "Units on hand, in warehouses of the platform and of the seller together."
  },
  {
    word: "item.stock_days",
    type: FactType.number,
    source: "itemStocks",
    unit: "days",
    about: `How many days the stock lasts, at the pace of the last ${stockRateDays} days, today included; 0 when nothing is left, endless when nothing is sold.`
  },
  {
    word: "item.vendor_code",
    type: FactType.text,
    source: "itemStocks",
    unit: "",
    about: "The seller's own code of the item."
  },
  {
    word: "item.stock.platform",
    type: FactType.count,
    source: "itemCards",
    unit: "units",
    about: "Units in warehouses of the platform."
  },
  {
    word: "item.stock.seller",
    type: FactType.count,
    source: "itemCards",
    unit: "units",
    about: "Units in warehouses of the seller."
  },
  {
    word: "item.rating",
    type: FactType.number,
    source: "itemCards",
    unit: "stars, 1 to 5",
    about: "Buyers' rating of the item; unknown while nobody has rated it."
  },
  {
    word: "item.card_opens",
    type: FactType.count,
    source: "itemFunnel",
    unit: "opens",
    about: "How often the item's card was opened, from ads and otherwise."
  },
  {
    word: "item.all_carts",
    type: FactType.count,
    source: "itemFunnel",
    unit: "adds to cart",
    about: "Adds to cart, from ads and otherwise."
  },
  {
    word: "item.all_orders",
    type: FactType.count,
    source: "itemFunnel",
    unit: "orders",
    about: "Orders, from ads and otherwise, those cancelled later included."
  },
  {
    word: "item.all_revenue",
    type: FactType.money,
    source: "itemFunnel",
    unit: "",
    about: "Value of all orders, from ads and otherwise, those cancelled later included."
  },
  {
    word: "item.buyouts",
    type: FactType.count,
    source: "itemFunnel",
    unit: "orders",
    about: "Orders of these days that buyers kept; grows for up to 30 days, because orders arrive late."
  },
  {
    word: "item.buyout_revenue",
    type: FactType.money,
    source: "itemFunnel",
    unit: "",
    about: "Value of the orders of these days that buyers kept; grows for up to 30 days."
  },
  {
    word: "item.reviews",
    type: FactType.count,
    source: "itemReviews",
    unit: "reviews",
    about: "New reviews of these days, up to yesterday. Not for Base tokens."
  }
]
