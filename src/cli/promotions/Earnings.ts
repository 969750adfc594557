/** What a preview says of the earnings of an item that may join: now and then, and which terms are missing to say it. */
import type * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import type { Reason } from "../../domain/Reason.js"
import * as Reasons from "../../domain/Reason.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Cell } from "../../engine/facts/Cell.js"
import * as Economics from "../../engine/facts/Economics.js"
import * as FactType from "../../engine/facts/FactType.js"
import * as Print from "../../engine/facts/Print.js"

/** Facts of an item by their words. */
export type Facts = ReadonlyMap<string, Cell>

/** What an item earns now and then, and what joining asks. */
export const figures = [
  "margin_now",
  "profit_now",
  "margin_at_plan_price",
  "profit_at_plan_price",
  "break_even_uplift",
  "join_cost"
]

/** These are no cost of every unit: without a floor there is none, and a share of buyouts that nobody states is measured. */
const apart: ReadonlySet<string> = new Set(["price_floor", "stated_buyout_share"])

/** What the figures are made of, but for the prices. */
export const terms: ReadonlyArray<string> = [
  ...Economics.terms.map(({ word }) => word).filter((word) => !apart.has(word)),
  "buyout_share",
  "ad_cost_per_order",
  "orders_per_day"
]

/** `margin 31.67% → 27.52%, 424.64 ₽ → 359.49 ₽ a unit, needs 1.18 × the orders, costs 492.51 ₽ a day`; empty where nobody knows. */
export const text = (facts: Facts, sign: string): string => {
  const pair = (now: string, then: string, type: FactType.FactType) => {
    const shown = [now, then].map((word) => {
      const cell = facts.get(word)
      return cell?._tag === "Known" ? Print.cell(cell, type, sign) : undefined
    })
    return shown.every((one) => one === undefined)
      ? undefined
      : shown.map((one) => one ?? "unknown").join(" → ")
  }
  const margin = pair("margin_now", "margin_at_plan_price", FactType.ratio)
  const profit = pair("profit_now", "profit_at_plan_price", FactType.money)
  return [
    ...(margin === undefined ? [] : [`margin ${margin}`]),
    ...(profit === undefined ? [] : [`${profit} a unit`]),
    ...uplift(numberOf(facts, "break_even_uplift")),
    ...cost(numberOf(facts, "join_cost"), sign)
  ].join(", ")
}

const numberOf = (facts: Facts, word: string): number | undefined => {
  const cell = facts.get(word)
  return cell?._tag === "Known" ? Number(cell.value) : undefined
}

const uplift = (times: number | undefined): ReadonlyArray<string> => {
  if (times === undefined || times <= 1) return []
  return Number.isFinite(times)
    ? [`needs ${Print.cell({ _tag: "Known", value: times }, FactType.number, "")} × the orders`]
    : ["no number of orders makes up for it"]
}

const cost = (kopecks: number | undefined, sign: string): ReadonlyArray<string> => {
  if (kopecks === undefined || kopecks === 0) return []
  const amount = Print.money(Math.abs(kopecks), sign)
  return [`${kopecks > 0 ? "costs" : "brings"} ${amount} a day at today's orders`]
}

/** An item with the terms that are known today, and not on a later day of the promotion. */
export interface Item {
  readonly facts: Facts
  readonly later: ReadonlyMap<string, Later>
}

export interface Later {
  readonly from: Days.Day
  readonly reason: Reason
}

/** A term that is not known of some items, and why; `from` where it is known today. */
export interface Missing {
  readonly term: string
  readonly from?: Days.Day
  readonly items: number
  readonly reasons: ReadonlyArray<Reason>
}

/** The terms that are missing of the items whose earnings are not all known, the most frequent first. */
export const missing = (items: ReadonlyArray<Item>): ReadonlyArray<Missing> =>
  terms
    .flatMap((term): ReadonlyArray<Missing> => {
      const found = new Map<Days.Day | undefined, Array<Reason>>()
      for (const { facts, later } of incomplete(items)) {
        const cell = facts.get(term)
        const lack = cell?._tag === "Unknown" ? { from: undefined, reason: cell.reason } : later.get(term)
        if (lack === undefined) continue
        found.set(lack.from, [...(found.get(lack.from) ?? []), lack.reason])
      }
      return [...found]
        .sort(([a = ""], [b = ""]) => TextOrder.compare(a, b))
        .map(([from, reasons]) => ({
          term,
          ...(from === undefined ? {} : { from }),
          items: reasons.length,
          reasons: [...new Set(reasons)].sort(TextOrder.compare)
        }))
    })
    .sort((a, b) => b.items - a.items)

const incomplete = (items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.filter(({ facts }) => figures.some((word) => facts.get(word)?._tag !== "Known"))

/** `cannot compute the earnings of 37 of 50 items:` and a line for each term, `commission missing for 37 items (…)`. */
export const missingText = (items: ReadonlyArray<Item>): ReadonlyArray<string> => {
  const [few, lacks] = [incomplete(items).length, missing(items)]
  if (few === 0) return []
  const head = `cannot compute all earnings of ${few} of ${Plural.of(items.length, "item")}`
  return lacks.length === 0
    ? [head]
    : [
        `${head}:`,
        ...lacks.map(({ from, items: count, reasons, term }) => {
          const why = reasons.map((reason) => Reasons.explain[reason]).join("; ")
          const since = from === undefined ? "" : ` from ${from}`
          return `  ${term} missing for ${Plural.of(count, "item")}${since} (${why})`
        })
      ]
}
