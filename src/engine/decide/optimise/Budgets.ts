/** The budgets of `optimise`: what there is to share out, what is expected of a day, and the bids it is expected with. */
import * as Days from "../../../domain/Days.js"
import * as Groups from "../../../domain/Groups.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Window from "../../../domain/Window.js"
import * as Charges from "../../facts/Charges.js"
import { factKey } from "../../facts/Table.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { Optimised } from "../../kinds/Parts.js"
import type * as Decision from "../../optimise/Decision.js"
import * as Demand from "../../optimise/Demand.js"
import type { Budget, Daily } from "../../optimise/Stream.js"
import * as Standing from "../forecasts/Standing.js"
import type { Ground } from "../intents/Intent.js"
import type { Forecast } from "../Plan.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import * as Buyers from "./Buyers.js"
import type * as Past from "./Past.js"
import type * as Streams from "./Streams.js"

/** A campaign with what pays for it, and what may be set in it. */
export interface Found extends Streams.Offers {
  readonly id: string
  readonly ground: Ground
  readonly kopecks: number
}

/** The campaigns that one budget pays for. */
export type Own = readonly [Found, ...ReadonlyArray<Found>]

/** By the id of the budget, in the order in which campaigns name one. */
export const byId = (found: ReadonlyArray<Found>): ReadonlyMap<string, Own> =>
  Groups.by(found, ({ id }) => id)

/** What there is of a budget: of several campaigns' wishes the least holds. */
export const dailyKopecks = (own: ReadonlyArray<Found>): number =>
  Math.min(...own.map(({ kopecks }) => kopecks))

/** Charges are rounded by the day, and may be booked a day later. */
const tolerated = 1.2
/** Of a budget: less than that makes no room that matters. */
const slight = 0.05

/**
 * Why nobody knows what a budget is spent on. An answer of statistics without some of its records is well formed, and a budget planned
 * without what these spend looks as if it had room: what was charged says so (decision 0110). Undefined where its campaigns were charged no
 * more than their statistics tell of, or nobody asks what they were charged.
 */
export const untold = (
  own: Own,
  window: Window.Window,
  charges: Charges.Charges
): UnknownReason | undefined => {
  const range = Window.resolve(window, own[0].ground.nowMs)
  const key = Charges.keyOf(range)
  if (!charges.has(key)) return undefined
  const charged = charges.get(key)
  if (charged === undefined) return { code: "fact_unknown", fact: "charges", reason: "failed" }
  let [statedKopecks, chargedKopecks] = [0, 0]
  for (const { ground } of own) {
    const { row, table, target } = ground
    const spend = table.get(row, factKey({ id: "campaign.spend", window }))
    if (spend._tag === "Known") statedKopecks += Number(spend.value)
    if (target.campaignId !== undefined) chargedKopecks += charged.get(target.campaignId)?.kopecks ?? 0
  }
  const days = Days.length(range)
  const more = (chargedKopecks - statedKopecks) / days
  return chargedKopecks > statedKopecks * tolerated && more > dailyKopecks(own) * slight
    ? { code: "spend_untold", statedKopecks, chargedKopecks, days }
    : undefined
}

/**
 * Why nothing of a budget is decided that pays campaigns whose bids the rule may not set, for `cap:` has no amount for how they are paid:
 * all others would be lowered and parked to make room for bids that nobody judged. Undefined where there are none, or one has it to itself.
 */
export const uncapped = (own: Own): UnchangedReason | undefined => {
  if (own.length === 1) return undefined
  const those = own.flatMap(({ elsewhere, uncapped: payment }) =>
    payment !== undefined && elsewhere.spendKopecksPerDay > 0
      ? [{ payment, spendKopecks: elsewhere.spendKopecksPerDay }]
      : []
  )
  const [first] = those
  return first === undefined
    ? undefined
    : {
        code: "budget_pays_uncapped",
        payment: first.payment,
        campaigns: those.length,
        spendKopecks: Math.round(those.reduce((sum, one) => sum + one.spendKopecks, 0))
      }
}

/** What is spent on what nobody steers is no longer there to be shared out. */
export const of = (
  found: ReadonlyArray<Found>,
  window: Window.Window,
  past: Past.Past
): ReadonlyArray<Budget> => {
  return [...byId(found)]
    .map(([id, own]) => {
      const elsewhere = elsewhereOf(own)
      return {
        id,
        dailyKopecks: Math.max(0, dailyKopecks(own) - Math.ceil(elsewhere.spendKopecksPerDay)),
        elsewhere,
        dailySpends: dailySpendsOf(own, window, past)
      }
    })
    .sort(TextOrder.by(({ id }) => id))
}

const elsewhereOf = (own: ReadonlyArray<Found>): Daily =>
  own.reduce((sum, { elsewhere }) => Demand.together(sum, elsewhere), Demand.none)

/** A day of which less was left says too little of the rest. */
const leastOfDay = 0.4

/**
 * Days of the window of which every campaign of a budget has a figure. A day that a rule cut short is told as what it would have come to:
 * those are the days of most buyers, and without them days would look alike.
 */
const dailySpendsOf = (
  own: Own,
  window: Window.Window,
  { days, pauses }: Past.Past
): ReadonlyArray<number> => {
  const { nowMs } = own[0].ground
  const { from, to } = Window.resolve(window, nowMs)
  const found: Array<number> = []
  for (let day = from; day <= to; day = Days.shift(day, 1)) {
    const spends = own.map(({ ground: { target } }) => {
      const { campaignId } = target
      if (campaignId === undefined) return undefined
      const shown = Buyers.shareOutside(pauses.get(campaignId) ?? [], Days.startOfMarket(day))
      const spend = days.get(campaignId)?.days.find((one) => one.day === day)?.spendKopecks
      return shown < leastOfDay || spend === undefined ? undefined : spend / shown
    })
    if (spends.every((spend) => spend !== undefined))
      found.push(spends.reduce<number>((sum, spend) => sum + (spend ?? 0), 0))
  }
  return found
}

/** What the plan tells of a budget, and what the store keeps of it. */
export const forecast = (
  budget: Decision.BudgetOutlook,
  policy: string,
  nowMs: number,
  own: ReadonlyArray<Found>
): Forecast => {
  const elsewhere = elsewhereOf(own)
  const reckoned = Math.round(budget.undecidedReckonedKopecksPerDay + elsewhere.reckonedKopecksPerDay)
  const overlays = Math.round(budget.overlaysKopecksPerDay)
  return {
    policy,
    budget: budget.id,
    campaigns: own.map(({ ground }) => Number(ground.target.campaignId)).sort((a, b) => a - b),
    dailyKopecks: dailyKopecks(own),
    bids: budget.streams,
    roubleEarns: hundredths(1 + budget.lambda),
    spendKopecks: whole(budget.spendKopecksPerDay),
    orders: toHundredths(budget.ordersPerDay),
    profitKopecks: whole(budget.profitKopecksPerDay),
    profitBeforeKopecks: Math.round(budget.profitBeforeKopecksPerDay),
    explorationKopecks: Math.round(budget.explorationKopecksPerDay),
    elsewhereKopecks: Math.round(budget.undecidedSpendKopecksPerDay + elsewhere.spendKopecksPerDay),
    ...(reckoned === 0 ? {} : { reckonedKopecks: reckoned }),
    ...(overlays === 0 ? {} : { overlaysKopecks: overlays }),
    overspent: budget.isOverspent,
    day: Days.ofMarket(nowMs),
    before: {
      spendKopecks: whole(budget.spendBeforeKopecksPerDay),
      orders: toHundredths(budget.ordersBeforePerDay)
    },
    standing: Standing.digest(standing(own))
  }
}

/** What each change says of the budget that pays for it. */
export const paying = ({ before, budget, dailyKopecks }: Forecast): Optimised["budget"] =>
  before === undefined ? undefined : { of: budget, dailyKopecks, spendKopecks: before.spendKopecks.mean }

/** Bids of a budget, and whether clusters are minus phrases. */
export const standing = (own: ReadonlyArray<Found>): Standing.Told => ({
  forEach: (each) => {
    for (const { offers } of own)
      for (const { bidKopecks, parts = [], slot, standing, target } of offers) {
        each(bidKopecks, slot)
        for (const part of parts) each(part.standing._tag !== "Live", part.slot)
        if (target.cluster !== undefined) each(standing._tag !== "Live", MinusPhrase.slot(target))
      }
  }
})

/** As plans keep what is no money. */
export const hundredths = (value: number): number => Math.round(value * 100) / 100

const whole = (of: Decision.Interval): Decision.Interval => ({
  low: Math.round(of.low),
  mean: Math.round(of.mean),
  high: Math.round(of.high)
})

const toHundredths = (of: Decision.Interval): Decision.Interval => ({
  low: hundredths(of.low),
  mean: hundredths(of.mean),
  high: hundredths(of.high)
})
