/** What a change of `optimise` was made of, in words: what views leave, what they cost, what a day is expected to bring. */
import * as Plural from "../domain/Plural.js"
import * as Print from "../engine/facts/Print.js"
import * as Bids from "../engine/kinds/Bids.js"
import type { Part } from "../engine/kinds/Change.js"
import * as Optimised from "../engine/kinds/Optimised.js"
import type { Optimised as Facts } from "../engine/kinds/Parts.js"

/** Empty for every other change. */
export const lines = (
  change: Part<"kind" | "details" | "after">,
  currency: string
): ReadonlyArray<string> => {
  const optimised = Optimised.of(change)
  if (optimised === undefined) return []
  const money = (kopecks: number) => Print.money(kopecks, Print.currencySign(currency))
  return [
    worth(optimised, Bids.detailsOf(change).payment === "cpc", money),
    expected(optimised, money),
    ...why(optimised, Number(change.after), money)
  ]
}

type Money = (kopecks: number) => string

const worth = ({ nextKopecks, seen, verb, worthKopecks }: Facts, isClick: boolean, money: Money): string => {
  const { high, low } = worthKopecks
  const carts = seen.carts === undefined ? [] : [count(seen.carts, "cart")]
  const led = [count(seen.orders, "order"), ...carts, ...(isClick ? [] : [count(seen.clicks, "click")])]
  const from = `${listed(led)} of ${isClick ? count(seen.clicks, "click") : count(seen.views, "view")}`
  const what = isClick ? "a click leaves" : "1000 views leave"
  const next =
    nextKopecks === null || verb !== "bid"
      ? ""
      : `; ${isClick ? "the next" : "the next 1000"} would cost ${money(nextKopecks)}`
  return `${what} ${money(low)} to ${money(high)} before advertising (${from} in ${Plural.of(seen.days, "day")}, and what similar ones do)${next}`
}

/** `a`, `a and b`, `a, b and c`. */
const listed = (all: ReadonlyArray<string>): string =>
  all.length === 1 ? all[0]! : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`

const grouped = (whole: number): string => String(whole).replace(/\B(?=(\d{3})+$)/g, " ")

const count = (of: number, noun: string): string => `${grouped(of)} ${Plural.choose(of, noun, `${noun}s`)}`

const expected = ({ after, before }: Facts, money: Money): string =>
  `a day is expected to bring ${grouped(before.views)} → ${grouped(after.views)} views, ${before.orders} → ${after.orders} orders, ${money(before.spendKopecks)} → ${money(after.spendKopecks)} spent, ${money(before.profitKopecks)} → ${money(after.profitKopecks)} earned`

const why = (
  { bound, roubleEarns, targetKopecks, verb }: Facts,
  after: number,
  money: Money
): ReadonlyArray<string> => {
  switch (verb) {
    case "minus":
      return ["hardly ever earns what its lowest bid costs"]
    case "park":
      return ["parked while the budget has better uses; it comes back after some days"]
    case "unpark":
      return ["was parked, and is shown again"]
    case "bid":
      return [
        ...(bound === "exploration" ? ["shown to learn what it brings"] : []),
        ...(bound === "move" && targetKopecks !== after ? [`on its way to ${money(targetKopecks)}`] : []),
        ...(roubleEarns > 1
          ? [
              `the budget does not pay for every bid, today or at its target: a rouble must bring ${roubleEarns}`
            ]
          : [])
      ]
  }
}
