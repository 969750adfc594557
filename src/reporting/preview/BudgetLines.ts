/** What a day of each budget of `optimise` is expected to come to once the plan is made: one line each, those over their budget first. */
import * as Plural from "../../domain/Plural.js"
import type { Forecast, Plan } from "../../engine/decide/Plan.js"
import * as Print from "../../engine/facts/Print.js"

/** Budgets that are listed; the others are counted. */
const most = 20

export const of = ({
  currency,
  forecasts = [],
  policies
}: Pick<Plan, "currency" | "forecasts" | "policies">): ReadonlyArray<string> => {
  const all = forecasts.toSorted((a, b) => Number(isOverspent(b)) - Number(isOverspent(a)))
  const more = all.slice(most)
  const shown = new Set(policies.filter(({ mode }) => mode === "preview").map(({ id }) => id))
  const lines = all
    .slice(0, most)
    .map((one) => line(one, Print.currencySign(currency), shown.has(one.policy) ? "would go" : "go"))
  if (more.length === 0) return lines
  const overToo = more.filter(isOverspent).length
  return [
    ...lines,
    `${Plural.of(more.length, "more budget")}, ${overToo === 0 ? "none" : overToo} over what it has a day; --json has them all`
  ]
}

/** Whole bids leave a little of a budget that is short. */
const nearly = 0.95

const isOverspent = (forecast: Forecast): boolean => spentOf(forecast) >= forecast.dailyKopecks + 50

/** What is expected to be spent with what goes. */
const spentOf = ({ goes, spendKopecks }: Forecast): number => goes?.spendKopecks ?? spendKopecks.mean

/** Expectations are no better than a rouble. */
const about = (kopecks: number, sign: string): string => Print.money(Math.round(kopecks / 100) * 100, sign)

/** `10-optimise, campaign 1000001: 900 ₽ a day; 870 ₽ expected to be spent (700 ₽ to 1 040 ₽) with 12.4 orders` */
const line = (forecast: Forecast, sign: string, go: string): string => {
  const money = (kopecks: number) => about(kopecks, sign)
  const {
    budget,
    dailyKopecks,
    elsewhereKopecks = 0,
    goes,
    orders,
    overlaysKopecks = 0,
    overspent,
    policy,
    reckonedKopecks = 0,
    roubleEarns,
    spendKopecks
  } = forecast
  const { high, low, mean } = spendKopecks
  const name = budget === "account" ? "the account" : `campaign ${budget}`
  const spent = spentOf(forecast)
  const range = `(${money(low)} to ${money(high)})`
  const reckoned =
    reckonedKopecks < 50
      ? ""
      : `, ${money(reckonedKopecks)} of it reckoned: some were raised, and few days have told of that yet`
  const others =
    elsewhereKopecks * 2 > Math.min(dailyKopecks, spent) || reckoned !== ""
      ? `, of which ${money(elsewhereKopecks)} by bids that the rule does not move${reckoned}`
      : ""
  const overlays =
    overlaysKopecks < 50 ? "" : `, ${money(overlaysKopecks)} of it because overlays will raise bids today`
  const why =
    elsewhereKopecks > dailyKopecks
      ? ": what it does not move spends more by itself"
      : overspent
        ? ": bids go down no faster than move: and floors let them"
        : ""
  return [
    `${policy}, ${name}: ${Print.money(dailyKopecks, sign)} a day`,
    `${money(spent)} expected to be spent${goes === undefined ? ` ${range}` : ""} with ${Plural.of(goes?.orders ?? orders.mean, "order")}${others}${overlays}`,
    ...(isOverspent(forecast) ? [`${money(spent - dailyKopecks)} over the budget${why}`] : []),
    ...(goes === undefined && roubleEarns > 1 && spent < dailyKopecks * nearly
      ? ["the rest is for where bids are on their way to: move: and waits keep them from it today"]
      : []),
    ...(goes === undefined
      ? []
      : [
          `${goes.changes} of ${Plural.of(goes.of, "change")} ${go}, the others are held, left to later runs, or kept by another rule, an overlay or a wait: with all ${money(mean)} ${range}`
        ])
  ].join("; ")
}
