/**
 * What stands beside the curve: how many views there are to win, what a view costs by the bid, and how clicks per view follow the bid.
 */
import * as Curve from "./Curve.js"
import type { Counts, Daily, Day, Payment, Stream } from "./Stream.js"

/** Recent days say more of rivals who drift: a day's weight halves in this time (assumed). */
const halfLifeDays = 7

const weightOf = (daysAgo: number): number => 0.5 ** (daysAgo / halfLifeDays)

const noDays: ReadonlyArray<Day> = []

/** Sorted, for sums depend on the order of what is added. */
const days = (history: ReadonlyArray<Day> | undefined): ReadonlyArray<Day> =>
  history === undefined || history.length === 0
    ? noDays
    : history
        .filter(({ bidKopecks, liveShare }) => bidKopecks > 0 && liveShare > 0)
        .sort((a, b) => a.daysAgo - b.daysAgo || a.bidKopecks - b.bidKopecks || a.views - b.views)

/**
 * Views a day at a share of 1: what was seen, by the share that the bids of then win. At the present bid this gives back the present
 * views, so that the curve is only asked for the difference.
 */
export const viewsPerDay = (
  counts: Counts,
  history: ReadonlyArray<Day> | undefined,
  bidKopecks: number,
  exponent: number,
  half: number
): number => {
  let views = 0
  let shown = 0
  for (const day of days(history)) {
    const weight = weightOf(day.daysAgo)
    views += weight * day.views
    shown += weight * day.liveShare * Curve.share(day.bidKopecks, exponent, half)
  }
  return shown > 0
    ? views / shown
    : counts.views / (counts.liveDays * Curve.share(bidKopecks, exponent, half))
}

/** So many days at about the bid that stands speak for themselves, where it was shown for so much of them together. */
const enoughDays = 7
const enoughLive = 3
const about = 0.05

/** Of nothing. */
export const none: Daily = { spendKopecksPerDay: 0, ordersPerDay: 0, reckonedKopecksPerDay: 0 }

export const together = (one: Daily, other: Daily): Daily => ({
  spendKopecksPerDay: one.spendKopecksPerDay + other.spendKopecksPerDay,
  ordersPerDay: one.ordersPerDay + other.ordersPerDay,
  reckonedKopecksPerDay: one.reckonedKopecksPerDay + other.reckonedKopecksPerDay
})

/**
 * A day of a bid that nothing decides about, as it stands. Days at other bids say little of that: once a week was counted at about this
 * one, that week alone is asked. Until then it is all days, those at lower bids with what the curve says a raise brings and those at higher
 * ones as they were; and never less than what the few days at this bid say.
 */
export const asItStands = (
  stream: Pick<Stream, "bidKopecks" | "counts" | "floorKopecks" | "history" | "levels">,
  prior: Curve.Belief
): Daily => {
  const { bidKopecks, counts, history } = stream
  if (counts._tag === "Absent" || !(counts.value.liveDays > 0)) return none
  const { liveDays, orders, spendKopecks } = counts.value
  const perDay = (count: number) => (Number.isFinite(count) ? Math.max(0, count) / liveDays : 0)
  const whole = { ...none, spendKopecksPerDay: perDay(spendKopecks), ordersPerDay: perDay(orders) }
  const own = days(history)
  if (own.length === 0) return whole
  const reckon = reckoning(bidKopecks, shareOf(stream, prior))
  const all = reckon(own)
  const now = reckon(own.filter((day) => Math.abs(day.bidKopecks / bidKopecks - 1) <= about))
  const isKnown = now.days >= enoughDays && now.liveDays >= enoughLive
  const most = (of: (some: Reckoned) => number) => Math.max(isKnown ? 0 : of(all), of(now))
  const kopecks = most(({ spendKopecks }) => spendKopecks)
  const seen = Math.max(all.seenKopecks, now.seenKopecks)
  // Orders are told of the window alone, and follow the views.
  const views = all.seenViews > 0 ? most(({ views }) => views) / all.seenViews : 1
  return {
    spendKopecksPerDay: kopecks,
    ordersPerDay: whole.ordersPerDay * views,
    reckonedKopecksPerDay: isKnown ? 0 : Math.max(0, kopecks - seen)
  }
}

/** Days, and what a whole day of them brought (`seen`) and would bring at the bid that stands; 0 of no days. */
interface Reckoned {
  readonly days: number
  readonly liveDays: number
  readonly seenKopecks: number
  readonly seenViews: number
  readonly spendKopecks: number
  readonly views: number
}

/** What a raise brings by the curve is added to days at lower bids, and what a view costs more; days at higher bids stay as they were. */
const reckoning =
  (bidKopecks: number, share: (bidKopecks: number) => number) =>
  (some: ReadonlyArray<Day>): Reckoned => {
    let [liveDays, seenKopecks, seenViews, spendKopecks, views] = [0, 0, 0, 0, 0]
    for (const day of some) {
      const more = day.bidKopecks < bidKopecks ? share(bidKopecks) / share(day.bidKopecks) : 1
      liveDays += day.liveShare
      seenKopecks += day.spendKopecks
      seenViews += day.views
      spendKopecks += day.spendKopecks * more * Math.max(1, bidKopecks / day.bidKopecks)
      views += day.views * more
    }
    const perDay = (sum: number) => (liveDays > 0 ? sum / liveDays : 0)
    return {
      days: some.length,
      liveDays,
      seenKopecks: perDay(seenKopecks),
      seenViews: perDay(seenViews),
      spendKopecks: perDay(spendKopecks),
      views: perDay(views)
    }
  }

/** By the stream's own curve, or where that contradicts itself by that of the others; as steep as it may well be, for what is too little is spent twice. */
const shareOf = (
  { floorKopecks, history, levels }: Pick<Stream, "floorKopecks" | "history" | "levels">,
  prior: Curve.Belief
): ((bidKopecks: number) => number) => {
  const own = Curve.of({ floorKopecks, levels, ...(history === undefined ? {} : { history }) }, prior)
  // Its own days say that a raise brings no more views: what they cost rises all the same.
  if ("code" in own && own.code === "contradictory_history") return () => 1
  const curve = "code" in own ? Curve.ofOthers(floorKopecks, prior) : own
  const exponent = Math.exp(curve.lnExponent + Math.sqrt(curve.varExponent))
  return (bidKopecks) => Curve.share(bidKopecks, exponent, Math.exp(curve.lnHalf))
}

/** Spend, what it would have been at the full bid, and the bid that the views were won at. */
export interface Paid {
  readonly spendKopecks: number
  readonly bidCostKopecks: number
  /** Mean by views. */
  readonly bidKopecks: number
}

export const paid = (
  payment: Payment,
  counts: Counts,
  history: ReadonlyArray<Day> | undefined,
  bidKopecks: number
): Paid => {
  const costOf = (bid: number, views: number, clicks: number): number =>
    payment === "cpm" ? (bid * views) / 1000 : bid * clicks
  let spend = 0
  let cost = 0
  let views = 0
  let bids = 0
  for (const day of days(history)) {
    spend += day.spendKopecks
    cost += costOf(day.bidKopecks, day.views, day.clicks)
    views += day.views
    bids += day.views * day.bidKopecks
  }
  return views > 0
    ? { spendKopecks: spend, bidCostKopecks: cost, bidKopecks: bids / views }
    : {
        spendKopecks: counts.spendKopecks,
        bidCostKopecks: costOf(bidKopecks, counts.views, counts.clicks),
        bidKopecks
      }
}

/** Auctions may charge less than the bid, never more. Below this it is taken for missing spend. */
const leastPaid = 0.4

/** Share of the bid that is paid, over many streams; the whole bid where nothing was. */
export const paidShare = (all: ReadonlyArray<Paid>): number => {
  const spend = all.reduce((sum, { spendKopecks }) => sum + spendKopecks, 0)
  const cost = all.reduce((sum, { bidCostKopecks }) => sum + bidCostKopecks, 0)
  return cost > 0 ? within(spend / cost) : 1
}

/** A stream's own share, drawn to the account's by as much as 2000 views or 40 clicks weigh. */
export const ownPaidShare = (
  payment: Payment,
  { bidCostKopecks, bidKopecks, spendKopecks }: Paid,
  account: number
): number => {
  const prior = bidKopecks * (payment === "cpm" ? 2 : 40)
  return within((spendKopecks + prior * account) / (bidCostKopecks + prior))
}

const within = (share: number): number => Math.min(1, Math.max(leastPaid, share))

/**
 * η in CTR(b) ∝ b^η: a higher bid stands in a better place, where more of the viewers click. From streams whose bid moved: clicks per
 * view at their higher bids by those at their lower ones. Drawn to 0, and never below it or above a half, where the sums of
 * `Allocate` would no longer fall.
 */
export const clickExponent = (histories: ReadonlyArray<ReadonlyArray<Day>>): number => {
  let [xx, xy] = [1 / (priorError * priorError), 0]
  for (const history of histories) {
    const own = days(history)
    const views = own.reduce((sum, day) => sum + day.views, 0)
    const mean = own.reduce((sum, day) => sum + day.views * day.bidKopecks, 0) / views
    const low = halfOf(own.filter(({ bidKopecks }) => bidKopecks <= mean))
    const high = halfOf(own.filter(({ bidKopecks }) => bidKopecks > mean))
    if (low === undefined || high === undefined) continue
    const x = high.lnBid - low.lnBid
    if (x < 0.1) continue
    const weight = 1 / (high.variance + low.variance)
    xx += weight * x * x
    xy += weight * x * (high.lnCtr - low.lnCtr)
  }
  return Math.min(0.5, Math.max(0, xy / xx))
}

const priorError = 0.15

const halfOf = (part: ReadonlyArray<Day>) => {
  const views = part.reduce((sum, day) => sum + day.views, 0)
  const clicks = part.reduce((sum, day) => sum + day.clicks, 0)
  if (clicks < 3) return undefined
  const lnBid = part.reduce((sum, day) => sum + day.views * Math.log(day.bidKopecks), 0) / views
  return { lnBid, lnCtr: Math.log((clicks + 0.5) / (views + 1)), variance: 1 / (clicks + 0.5) }
}
