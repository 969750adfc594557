/**
 * Every fact a rule may name: what it means, its type and unit, which rows have it and where it comes from. One
 * entry per fact; the language, the planner, the loaders and the docs read this table.
 */
import * as ClockFacts from "./ClockFacts.js"
import { derivedFacts } from "./DerivedFacts.js"
import * as FactType from "./FactType.js"
import { itemWords } from "./ItemWords.js"
import * as Levels from "./Level.js"
import * as Own from "./Own.js"
import { type SourceId, sources } from "./Sources.js"

/** Level a fact belongs to. A finer row may use the facts of every coarser level. */
export type Level = Levels.Level

export interface Fact {
  /** `level.word`, such as `cluster.ctr`. */
  readonly id: string
  readonly level: Level
  /** How a rule writes it on a row of its own level: `ctr`, `campaign.status`, `recommended.reach_max`. */
  readonly word: string
  readonly type: FactType.FactType
  /** Unit for people: `per 1000 impressions`, `days`. */
  readonly unit: string
  readonly source: SourceId
  readonly windowed: boolean
  /** One sentence for hover and docs; formula for derived facts. */
  readonly about: string
  /** Of a derived fact: its formula in the rules language, on a row of its own level. */
  readonly formula?: string
}

const statuses = ["ready", "active", "paused", "completed", "declined", "deleted"]
const status = FactType.oneOf("campaign status", statuses)
const payment = FactType.oneOf("payment type", ["cpm", "cpc"])
const bidType = FactType.oneOf("bid type", ["manual", "unified"])
const clusterState = FactType.oneOf("cluster state", ["active", "excluded", "archived"])

const fact = (
  level: Level,
  word: string,
  type: FactType.FactType,
  source: SourceId,
  unit: string,
  about: string
): Fact => {
  const tail = word.startsWith(`${level}.`) ? word.slice(level.length + 1) : word
  const windowed = "maxWindowDays" in sources[source]
  return { id: `${level}.${tail}`, level, word, type, source, unit, windowed, about }
}

const recommended = (level: "campaign_item" | "cluster", word: string, about: string): Fact =>
  fact(level, `recommended.${word}`, FactType.money, "recommendations", "", about)

const statistics = (
  level: "campaign" | "campaign_item" | "cluster",
  source: SourceId
): ReadonlyArray<Fact> => [
  fact(level, "views", FactType.count, source, "impressions", "How often the ad was shown."),
  fact(level, "clicks", FactType.count, source, "clicks", "How often the ad was clicked."),
  fact(level, "carts", FactType.count, source, "adds to cart", "Items put into the cart after a click."),
  fact(level, "orders", FactType.count, source, "orders", "Orders after a click."),
  fact(level, "spend", FactType.money, source, "", "Money spent on the ad."),
  fact(level, "ctr", FactType.ratio, source, "clicks / views", "Click-through rate."),
  fact(level, "cr", FactType.ratio, source, "orders / clicks", "Conversion rate from click to order."),
  fact(level, "cpc", FactType.money, source, "spend / clicks", "Price of a click."),
  fact(level, "cpm", FactType.money, source, "spend / views × 1000", "Price of 1000 impressions."),
  fact(level, "cpo", FactType.money, source, "spend / orders", "Price of an order.")
]

const all: ReadonlyArray<Fact> = [
  ...ClockFacts.facts,
  fact("account", "balance", FactType.money, "balance", "", "Prepaid account balance."),
  fact("account", "balance.net", FactType.money, "balance", "", "Settlement limit for advertising."),
  fact("account", "balance.bonus", FactType.money, "balance", "", "Bonuses of the marketplace."),
  fact(
    "account",
    "bid_step.cpm",
    FactType.money,
    "promotionConfig",
    "",
    "Smallest step of a bid per 1000 impressions."
  ),
  fact("account", "bid_step.cpc", FactType.money, "promotionConfig", "", "Smallest step of a bid per click."),
  fact("campaign", "campaign.id", FactType.number, "campaigns", "", "Campaign number."),
  fact("campaign", "campaign.name", FactType.text, "campaigns", "", "Campaign name."),
  fact(
    "campaign",
    "campaign.age",
    FactType.duration,
    "campaigns",
    "",
    "How long ago the campaign was created, whether or not it ran since."
  ),
  fact("campaign", "campaign.status", status, "campaigns", "", "State of the campaign."),
  fact(
    "campaign",
    "campaign.payment",
    payment,
    "campaigns",
    "",
    "Paid per 1000 impressions (cpm) or per click (cpc)."
  ),
  fact(
    "campaign",
    "campaign.bid_type",
    bidType,
    "campaigns",
    "",
    "Custom bids (manual) or one standard bid (unified)."
  ),
  fact("campaign", "campaign.search", FactType.yesNo, "campaigns", "", "Shown in search results."),
  fact("campaign", "campaign.recommendations", FactType.yesNo, "campaigns", "", "Shown in recommendations."),
  fact("campaign", "budget", FactType.money, "budgets", "", "What is left of the campaign's budget."),
  fact("campaign", "revenue", FactType.money, "campaignStats", "", "Value of the orders after a click."),
  fact("campaign", "acos", FactType.ratio, "campaignStats", "spend / revenue", "Advertising cost of sales."),
  fact("campaign", "cancelled", FactType.count, "campaignStats", "orders", "Orders cancelled later."),
  ...statistics("campaign", "campaignStats"),
  fact("campaign_item", "item.id", FactType.number, "campaigns", "", "Item number."),
  fact("campaign_item", "item.subject", FactType.text, "campaigns", "", "Subject of the item."),
  fact(
    "campaign_item",
    "bid",
    FactType.money,
    "campaigns",
    "",
    "Bid of the item: in search, or the standard bid."
  ),
  fact(
    "campaign_item",
    "bid.recommendations",
    FactType.money,
    "campaigns",
    "",
    "Bid of the item in recommendations."
  ),
  fact(
    "campaign_item",
    "min_bid",
    FactType.money,
    "minimumBids",
    "",
    "Smallest bid in search, or smallest standard bid."
  ),
  fact(
    "campaign_item",
    "min_bid.recommendations",
    FactType.money,
    "minimumBids",
    "",
    "Smallest bid in recommendations."
  ),
  fact("campaign_item", "minus.count", FactType.count, "minusPhrases", "phrases", "Number of minus phrases."),
  recommended("campaign_item", "competitive", "Typical bid for similar goods."),
  recommended("campaign_item", "leaders", "Average bid that holds leading places."),
  recommended("campaign_item", "top2", "Bid for the first two places."),
  recommended("campaign_item", "place_1_2", "Bid per click for places 1 to 2."),
  recommended("campaign_item", "place_3_10", "Bid per click for places 3 to 10."),
  recommended("campaign_item", "place_11_34", "Bid per click for places 11 to 34."),
  fact("campaign_item", "revenue", FactType.money, "campaignStats", "", "Value of the orders after a click."),
  fact(
    "campaign_item",
    "acos",
    FactType.ratio,
    "campaignStats",
    "spend / revenue",
    "Advertising cost of sales."
  ),
  ...statistics("campaign_item", "campaignStats"),
  fact("item", "item.id", FactType.number, "campaigns", "", "Item number."),
  fact("item", "item.subject", FactType.text, "campaigns", "", "Subject of the item."),
  ...derivedFacts.map(({ about, formula, level, source, type, word }) => ({
    ...fact(level, word, type, source, formula, about),
    formula
  })),
  ...itemWords.map(({ about, source, type, unit, word }) => fact("item", word, type, source, unit, about)),
  fact("cluster", "query", FactType.text, "clusters", "", "Text of the search cluster."),
  fact(
    "cluster",
    "cluster.state",
    clusterState,
    "clusters",
    "",
    "Whether the cluster is shown, excluded or archived."
  ),
  fact(
    "cluster",
    "cluster.in_minus",
    FactType.yesNo,
    "minusPhrases",
    "",
    "The cluster is among the minus phrases."
  ),
  fact(
    "cluster",
    "cluster.has_own_bid",
    FactType.yesNo,
    "clusterBids",
    "",
    "The cluster has a bid of its own."
  ),
  fact(
    "cluster",
    "bid",
    FactType.money,
    "clusterBids",
    "",
    "Bid of the cluster; the item's search bid if it has none of its own."
  ),
  fact("cluster", "avg_pos", FactType.number, "clusterStats", "place", "Average place, weighted by views."),
  recommended("cluster", "reach_max", "Bid that reaches 76 to 100% of the views."),
  recommended("cluster", "reach_medium", "Bid that reaches 61 to 75% of the views."),
  recommended("cluster", "reach_min", "Bid that reaches 50 to 60% of the views."),
  ...statistics("cluster", "clusterStats")
]

/** Every fact, in the order of the docs. */
export const facts: ReadonlyArray<Fact> = all

/** Ids of the facts that say how much money of a kind is there. */
export const balanceOf = {
  balance: "account.balance",
  net: "account.balance.net",
  bonus: "account.balance.bonus"
} as const

const byId = new Map(all.map((f) => [f.id, f]))
/** A fact by its id. */
export const byFactId = (id: string): Fact | undefined => byId.get(id) ?? ClockFacts.byId(id) ?? Own.byId(id)

const prefixes: Readonly<Record<string, Level>> = { campaign: "campaign", item: "campaign_item" }

/**
 * What a word means on a row: its own level first, then coarser ones. A statistic never slips to a coarser level by
 * itself (an `acos` on a cluster would be the whole item's): `campaign.spend` and `item.spend` name the level, and so
 * does the word of an item as such (`item.drr`). On an item's own row its formulas need no prefix: `drr`.
 */
export const resolve = (word: string, level: Level): Fact | undefined => {
  const reachable = Levels.reachable(level)
  for (const l of reachable) {
    const own = all.find((f) => f.level === l && isCalled(f, word, level) && (l === level || crosses(f)))
    if (own !== undefined) return own
  }
  const dot = word.indexOf(".")
  const to = dot > 0 ? prefixes[word.slice(0, dot)] : undefined
  return to !== undefined && reachable.includes(to) ? byId.get(`${to}.${word.slice(dot + 1)}`) : undefined
}

const isCalled = (fact: Fact, word: string, level: Level): boolean =>
  fact.word === word || (fact.formula !== undefined && fact.level === level && fact.id === `${level}.${word}`)

/** True for facts that finer rows may name as they are. */
const crosses = (fact: Fact): boolean => !fact.windowed || fact.word.startsWith("item.")

/** Every word that means something on a row of this level, sorted. */
export const words = (level: Level): ReadonlyArray<string> =>
  [
    ...new Set(
      Levels.reachable(level)
        .flatMap((l) => all.filter((f) => f.level === l))
        .flatMap((f) => {
          if (f.level === level || crosses(f)) return [f.word]
          return f.level === "account" ? [] : [`${f.level === "campaign" ? "campaign" : "item"}.${f.word}`]
        })
    )
  ].sort()
