/**
 * Every fact a rule may name: what it means, its type and unit, which rows have it and where it comes from. One
 * entry per fact; the language, the planner, the loaders and the docs read this table.
 */

import * as ClockFacts from "./ClockFacts.js"
import { derivedFacts } from "./DerivedFacts.js"
import * as Economics from "./Economics.js"
import type { Fact } from "./FactType.js"
import * as FactType from "./FactType.js"
import { itemWords } from "./ItemWords.js"
import type { Level } from "./Level.js"
import * as Levels from "./Level.js"
import * as Own from "./Own.js"
import { type SourceId, sources } from "./Sources.js"

const statuses = ["ready", "active", "paused", "completed", "declined", "deleted"]
const status = FactType.oneOf("campaign status", statuses)
const payment = FactType.oneOf("payment type", ["cpm", "cpc"])
const bidType = FactType.oneOf("bid type", ["manual", "unified"])
const promotionType = FactType.oneOf("promotion type", ["regular", "auto"])
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

/** How a rule writes a fact, its type, what it means, and its unit where it has one that the type does not tell. */
type Row = readonly [word: string, type: FactType.FactType, about: string, unit?: string]

/** Facts of one level that one source answers. */
const from = (level: Level, source: SourceId, rows: ReadonlyArray<Row>): ReadonlyArray<Fact> =>
  rows.map(([word, type, about, unit = ""]) => fact(level, word, type, source, unit, about))

const statistics = (level: "campaign" | "campaign_item" | "cluster", source: SourceId): ReadonlyArray<Fact> =>
  from(level, source, [
    ["views", FactType.count, "How often the ad was shown.", "impressions"],
    ["clicks", FactType.count, "How often the ad was clicked.", "clicks"],
    ["carts", FactType.count, "Items put into the cart after a click.", "adds to cart"],
    ["orders", FactType.count, "Orders after a click.", "orders"],
    ["spend", FactType.money, "Money spent on the ad."],
    ["ctr", FactType.ratio, "Click-through rate.", "clicks / views"],
    ["cr", FactType.ratio, "Conversion rate from click to order.", "orders / clicks"],
    ["cpc", FactType.money, "Price of a click.", "spend / clicks"],
    ["cpm", FactType.money, "Price of 1000 impressions.", "spend / views × 1000"],
    ["cpo", FactType.money, "Price of an order.", "spend / orders"]
  ])

const all: ReadonlyArray<Fact> = [
  ...ClockFacts.facts,
  ...from("account", "balance", [
    ["balance", FactType.money, "Prepaid account balance."],
    ["balance.net", FactType.money, "Settlement limit for advertising."],
    ["balance.bonus", FactType.money, "Bonuses of the marketplace."]
  ]),
  ...from("account", "promotionConfig", [
    ["bid_step.cpm", FactType.money, "Smallest step of a bid per 1000 impressions."],
    ["bid_step.cpc", FactType.money, "Smallest step of a bid per click."]
  ]),
  ...from("campaign", "campaigns", [
    ["campaign.id", FactType.number, "Campaign number."],
    ["campaign.name", FactType.text, "Campaign name."],
    [
      "campaign.age",
      FactType.duration,
      "How long ago the campaign was created, whether or not it ran since."
    ],
    ["campaign.status", status, "State of the campaign."],
    ["campaign.payment", payment, "Paid per 1000 impressions (cpm) or per click (cpc)."],
    ["campaign.bid_type", bidType, "Custom bids (manual) or one standard bid (unified)."],
    ["campaign.search", FactType.yesNo, "Shown in search results."],
    ["campaign.recommendations", FactType.yesNo, "Shown in recommendations."]
  ]),
  ...from("campaign", "spendCurve", [
    [
      "campaign.day_share",
      FactType.ratio,
      "Share of a day's spend that the campaign usually has spent by this time of the marketplace's day; learned while a policy asks for it, from the hours the campaign ran.",
      "spent by now / whole day"
    ]
  ]),
  ...from("campaign", "budgets", [["budget", FactType.money, "What is left of the campaign's budget."]]),
  ...from("campaign", "campaignStats", [
    ["revenue", FactType.money, "Value of the orders after a click."],
    ["acos", FactType.ratio, "Advertising cost of sales.", "spend / revenue"],
    ["cancelled", FactType.count, "Orders cancelled later.", "orders"]
  ]),
  ...statistics("campaign", "campaignStats"),
  ...from("campaign_item", "campaigns", [
    ["item.id", FactType.number, "Item number."],
    ["item.subject", FactType.text, "Subject of the item."],
    ["bid", FactType.money, "Bid of the item: in search, or the standard bid."],
    ["bid.recommendations", FactType.money, "Bid of the item in recommendations."]
  ]),
  ...from("campaign_item", "minimumBids", [
    ["min_bid", FactType.money, "Smallest bid in search, or smallest standard bid."],
    ["min_bid.recommendations", FactType.money, "Smallest bid in recommendations."]
  ]),
  ...from("campaign_item", "minusPhrases", [
    ["minus.count", FactType.count, "Number of minus phrases.", "phrases"]
  ]),
  ...from("campaign_item", "recommendations", [
    ["recommended.competitive", FactType.money, "Typical bid for similar goods."],
    ["recommended.leaders", FactType.money, "Average bid that holds leading places."],
    ["recommended.top2", FactType.money, "Bid for the first two places."],
    ["recommended.place_1_2", FactType.money, "Bid per click for places 1 to 2."],
    ["recommended.place_3_10", FactType.money, "Bid per click for places 3 to 10."],
    ["recommended.place_11_34", FactType.money, "Bid per click for places 11 to 34."]
  ]),
  ...from("campaign_item", "campaignStats", [
    ["revenue", FactType.money, "Value of the orders after a click."],
    ["acos", FactType.ratio, "Advertising cost of sales.", "spend / revenue"]
  ]),
  ...statistics("campaign_item", "campaignStats"),
  ...from("item", "campaigns", [
    ["item.id", FactType.number, "Item number."],
    ["item.subject", FactType.text, "Subject of the item."]
  ]),
  ...from("promotion", "promotions", [
    ["promotion.id", FactType.number, "Number of the promotion."],
    ["promotion.name", FactType.text, "Name of the promotion."],
    [
      "promotion.type",
      promotionType,
      "Entered by its seller (regular), or filled by the marketplace (auto)."
    ],
    ["promotion.starts_in", FactType.duration, "Time until it starts; below zero once it has."],
    ["promotion.ends_in", FactType.duration, "Time until it ends."],
    ["promotion.lasts", FactType.duration, "Time from its start to its end."],
    [
      "promotion.participation",
      FactType.ratio,
      "Share of the seller's items that take part.",
      "items in / all"
    ],
    ["promotion.boost", FactType.ratio, "Boost of the tier that the participation has reached."],
    ["promotion.boost.next", FactType.ratio, "Boost of the next tier."],
    ["promotion.items_to_next_tier", FactType.count, "Further items that reach the next tier.", "items"]
  ]),
  ...from("promotion_item", "promotionItems", [
    ["promotion_item.in_action", FactType.yesNo, "The item is in the promotion."],
    ["promotion_item.price", FactType.money, "Price of the item now, as the promotion shows it."],
    ["plan_price", FactType.money, "The most the item may cost in the promotion."],
    ["promotion_item.discount", FactType.ratio, "Discount of the item now."],
    ["plan_discount", FactType.ratio, "The least discount for entry."],
    [
      "price_drop",
      FactType.ratio,
      "How far the price falls in the promotion; below zero where the shop's is lower already. Unknown while the item is in a promotion that is over before this one begins: today's price is that one's.",
      "1 - plan price / price"
    ]
  ]),
  ...from(
    "item",
    "own",
    Economics.terms.map(({ about, type, word }): Row => [word, type, about])
  ),
  ...derivedFacts.map(({ about, figure, formula, level, source, type, word }) => ({
    ...fact(level, word, type, source, formula, about),
    formula,
    ...(figure === undefined ? {} : { figure })
  })),
  ...itemWords.map(({ about, source, type, unit, word }) => fact("item", word, type, source, unit, about)),
  ...from("cluster", "clusters", [
    ["query", FactType.text, "Text of the search cluster."],
    ["cluster.state", clusterState, "Whether the cluster is shown, excluded or archived."]
  ]),
  ...from("cluster", "minusPhrases", [
    ["cluster.in_minus", FactType.yesNo, "The cluster is among the minus phrases."]
  ]),
  ...from("cluster", "clusterBids", [
    ["cluster.has_own_bid", FactType.yesNo, "The cluster has a bid of its own."],
    ["bid", FactType.money, "Bid of the cluster; the item's search bid if it has none of its own."]
  ]),
  ...from("cluster", "clusterStats", [
    ["avg_pos", FactType.number, "Average place, weighted by views.", "place"]
  ]),
  ...from("cluster", "recommendations", [
    ["recommended.reach_max", FactType.money, "Bid that reaches 76 to 100% of the views."],
    ["recommended.reach_medium", FactType.money, "Bid that reaches 61 to 75% of the views."],
    ["recommended.reach_min", FactType.money, "Bid that reaches 50 to 60% of the views."]
  ]),
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

/** Times until something that may be over already, and the fall of a price that may rise: the shop's may be lower already. */
const belowZero: ReadonlySet<string> = new Set([
  "promotion.starts_in",
  "promotion.ends_in",
  "promotion_item.price_drop"
])

/** True of a fact by itself that can be below zero: amounts, shares and numbers of the seller's own tables can, but for a cost. */
export const mayBeNegative = (id: string): boolean =>
  belowZero.has(id) ||
  (id !== "item.cost:money" && /^(Money|Ratio|Number)$/.test(Own.byId(id)?.type._tag ?? ""))

const prefixes: Readonly<Record<string, Level>> = { campaign: "campaign", item: "campaign_item" }

/**
 * What a word means on a row: its own level first, then coarser ones. A statistic never slips to a coarser level by
 * itself (an `acos` on a cluster would be the whole item's): `campaign.spend` and `item.spend` name the level, and so
 * does the word of an item as such (`item.drr`). On an item's own row its formulas need no prefix: `drr`.
 */
export const resolve = (word: string, level: Level): Fact | undefined =>
  word === "price" ? resolved(priceOn(level), level) : resolved(word, level)

/** `price` is the price of the row's item, as the row's own answer has it. */
const priceOn = (level: Level): string => (level === "promotion_item" ? "promotion_item.price" : "item.price")

const resolved = (word: string, level: Level): Fact | undefined => {
  const own = meaningsOn(level).get(word)
  if (own !== undefined) return own
  const dot = word.indexOf(".")
  const to = dot > 0 ? prefixes[word.slice(0, dot)] : undefined
  return to !== undefined && Levels.reaches(level, to) ? byId.get(`${to}.${word.slice(dot + 1)}`) : undefined
}

/** Words without a prefix, by level: each rule and each test asks for hundreds. */
const meanings = new Map<Level, ReadonlyMap<string, Fact>>()

const meaningsOn = (level: Level): ReadonlyMap<string, Fact> => {
  const known = meanings.get(level)
  if (known !== undefined) return known
  const made = new Map<string, Fact>()
  for (const l of Levels.reachable(level))
    for (const fact of all)
      if (fact.level === l && (l === level || crosses(fact)))
        for (const word of wordsOf(fact, level)) if (!made.has(word)) made.set(word, fact)
  meanings.set(level, made)
  return made
}

const wordsOf = (fact: Fact, level: Level): ReadonlyArray<string> => {
  const own = `${level}.`
  const isBare = fact.formula !== undefined && fact.level === level && fact.id.startsWith(own)
  return [
    fact.word,
    ...(fact.level === "item" ? [fact.id] : []),
    ...(isBare ? [fact.id.slice(own.length)] : [])
  ]
}

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
