/**
 * Which share of a day's spend a campaign usually has spent by an hour of the marketplace's day, learned from readings of
 * today's spend. Pure; estimates are plain numbers, and what leaves here is a share.
 *
 * **Watched time.** Two readings of one day, at most two hours apart, say what was spent in between; it counts where the
 * campaign certainly ran the whole time: active at both, no pause or start of ours between them, and running for two hours
 * before, since late statistics still tell of the pause until then. Money and minutes are shared out to the hours they lie in.
 * So an hour in which the campaign stood still says nothing, instead of saying that nobody buys then.
 *
 * **A day that is over** is folded in: days differ in how many buyers they have, and a campaign is stopped early on the days of
 * most, so only the form of a day counts. Its level is the watched money over what the curve would have spent in the same minutes,
 * `level = Σ kopecks(h) / Σ rate(h)·minutes(h)`; hour `h` gains `kopecks(h) / level` in amount and `minutes(h)` in time.
 * What is older fades by half in 14 days.
 *
 * **The curve.** `rate(h) = (amount(h) + w·prior(h)) / (minutes(h) + w)` with `w` = 120 minutes, scaled to a mean of 1. The prior of a
 * campaign is the account's curve, made in the same way of the sums over all its campaigns; the account's prior is a flat day.
 * The share at an instant is the integral of the rate from midnight over that of the whole day: 0 at midnight, never falling.
 *
 * **Late statistics** (by one to two hours) shift curve and spend alike: the share says what *the figure of today* usually shows by now of
 * what it shows at the day's end, and compared with that figure it is right. What is spent in a day's last hour or two no
 * figure of that day ever shows, and nothing here can hold it back.
 *
 * A person who pauses a campaign and starts it again between two readings is not seen.
 */
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"

/** The fact, as a fraction of 1. */
export const fact = "campaign.day_share"

/** By hour of the marketplace's day, 0 to 23. */
interface Hours {
  /** Of the running day kopecks; of the days before what they would have been at a mean rate of one a minute. */
  readonly amounts: ReadonlyArray<number>
  readonly minutes: ReadonlyArray<number>
}

/** What is remembered of a campaign. Plain data that the store keeps. */
export interface Watched {
  readonly campaignId: CampaignId
  readonly last: {
    readonly atMs: number
    readonly spendKopecks: number
    /** Since when it has been seen running without a break, epoch milliseconds; undefined while it stands still. */
    readonly runsSinceMs: number | undefined
  }
  /** The marketplace's day that `today` is of. */
  readonly day: Days.Day
  readonly today: Hours
  /** Of the days before `day`, faded. */
  readonly past: Hours
}

/** What a run read of a campaign. */
export interface Reading {
  readonly campaignId: CampaignId
  /** Of today, as the statistics show it. */
  readonly spendKopecks: number
  readonly isActive: boolean
  /** When a pause or start of ours last left, epoch milliseconds. */
  readonly changedAtMs: number | undefined
}

/** The curves of an account. */
export interface Curves {
  readonly ofAccount: ReadonlyArray<number>
  readonly pasts: ReadonlyMap<CampaignId, Hours>
  /** Some campaign was watched for long enough, so that there is a curve of the account. */
  readonly isLearned: boolean
}

/** Farther apart, two readings say too little of what was spent when. */
const longestGapMs = 2 * Days.hourMs
/** How late statistics may be: until then they tell of the time before a start. */
const settlesMs = 2 * Days.hourMs
/** One that starts so early has the whole day before it. */
const wholeDayMs = Days.hourMs
const halfLifeDays = 14
/** Of every hour, what its prior weighs: two days of that hour. */
const priorMinutes = 120
/** A day that was watched for less has no level. */
const leastOfDay = 180
/** A day and a half: two whole days reach it, less than two do not. */
const leastMinutes = 36 * 60

const flat: ReadonlyArray<number> = Array.from({ length: 24 }, () => 1)
const nothing: Hours = { amounts: flat.map(() => 0), minutes: flat.map(() => 0) }

/** The account's curves at an instant, from everything that is remembered of it. */
export const curves = (known: ReadonlyMap<CampaignId, Watched>, nowMs: number): Curves => {
  const all = upTo(known, Days.ofMarket(nowMs))
  const pasts = all.map(({ past }) => past)
  return {
    ofAccount: ratesOf(together(pasts), flat),
    pasts: new Map(all.map(({ campaignId, past }) => [campaignId, past])),
    isLearned: pasts.some(({ minutes }) => total(minutes) >= leastMinutes)
  }
}

/** The share that has usually been spent by now, 0 to 1; undefined where too little was watched to say. */
export const shareAt = (
  { isLearned, ofAccount, pasts }: Curves,
  campaignId: CampaignId,
  nowMs: number
): number | undefined => {
  if (!isLearned) return undefined
  const rates = ratesOf(pasts.get(campaignId) ?? nothing, ofAccount)
  const passed =
    Math.min(Math.max(0, nowMs - Days.startOfMarket(Days.ofMarket(nowMs))), Days.dayMs) / Days.hourMs
  const spent = rates.reduce((sum, rate, hour) => sum + rate * Math.min(1, Math.max(0, passed - hour)), 0)
  return Math.min(1, rounded(spent / total(rates), 1e6))
}

/** What is remembered after a run's readings, of the campaigns it read, in the order of their numbers. */
export const learn = (
  known: ReadonlyMap<CampaignId, Watched>,
  readings: ReadonlyArray<Reading>,
  nowMs: number
): ReadonlyArray<Watched> => {
  const day = Days.ofMarket(nowMs)
  const current = new Map(upTo(known, day).map((one) => [one.campaignId, one]))
  return [...readings]
    .sort((a, b) => a.campaignId - b.campaignId)
    .map((reading) => after(current.get(reading.campaignId), reading, day, nowMs))
}

const after = (before: Watched | undefined, reading: Reading, day: Days.Day, nowMs: number): Watched => {
  const { campaignId, changedAtMs, isActive, spendKopecks } = reading
  const last = before?.last
  const isFollowed =
    last !== undefined &&
    isActive &&
    last.atMs <= nowMs &&
    nowMs - last.atMs <= longestGapMs &&
    (changedAtMs === undefined || changedAtMs < last.atMs)
  const runsOn = isFollowed ? last.runsSinceMs : undefined
  const runsSinceMs = isActive ? (runsOn ?? nowMs) : undefined
  const today = before?.day === day ? before.today : nothing
  return {
    campaignId,
    day,
    last: { atMs: nowMs, spendKopecks, runsSinceMs },
    today:
      last === undefined || runsOn === undefined ? today : watched(today, last, runsOn, spendKopecks, nowMs),
    past: before?.past ?? nothing
  }
}

/** With what was spent since the last reading, or since midnight where that was of the day before. */
const watched = (
  today: Hours,
  last: Watched["last"],
  runsSinceMs: number,
  spendKopecks: number,
  nowMs: number
): Hours => {
  const midnightMs = Days.startOfMarket(Days.ofMarket(nowMs))
  const isOfToday = last.atMs >= midnightMs
  const fromMs = isOfToday ? last.atMs : midnightMs
  const kopecks = spendKopecks - (isOfToday ? last.spendKopecks : 0)
  const isSettled = runsSinceMs <= midnightMs + wholeDayMs || fromMs - runsSinceMs >= settlesMs
  // Statistics that were corrected downwards say nothing of this time.
  if (!isSettled || kopecks < 0 || fromMs >= nowMs) return today
  const parts = flat.map((_, hour) => {
    const beginsMs = midnightMs + hour * Days.hourMs
    return Math.max(0, Math.min(nowMs, beginsMs + Days.hourMs) - Math.max(fromMs, beginsMs))
  })
  return {
    amounts: today.amounts.map((sum, hour) =>
      rounded(sum + (kopecks * parts[hour]!) / (nowMs - fromMs), 1000)
    ),
    minutes: today.minutes.map((sum, hour) => rounded(sum + parts[hour]! / Days.minuteMs, 1000))
  }
}

/** With every day that is over folded in; each by the account's curve as it was remembered, whatever comes first. */
const upTo = (known: ReadonlyMap<CampaignId, Watched>, day: Days.Day): ReadonlyArray<Watched> => {
  const all = [...known.values()].sort((a, b) => a.campaignId - b.campaignId)
  const ofAccount = ratesOf(together(all.map(({ past }) => past)), flat)
  return all.map((one) => (one.day === day ? one : folded(one, day, ofAccount)))
}

const folded = (one: Watched, day: Days.Day, ofAccount: ReadonlyArray<number>): Watched => {
  const { past, today } = one
  const rates = ratesOf(past, ofAccount)
  const level = total(today.amounts) / total(rates.map((rate, hour) => rate * today.minutes[hour]!))
  const counts = total(today.minutes) >= leastOfDay && level > 0
  // A clock that was ahead, and is no longer, makes nothing older.
  const days = Math.max(0, Days.between(one.day, day))
  const left = 0.5 ** (days / halfLifeDays)
  const faded = (sums: ReadonlyArray<number>, more: ReadonlyArray<number>, unit: number) =>
    sums.map((sum, hour) => rounded((sum + (counts ? more[hour]! / unit : 0)) * left, 1000))
  return {
    ...one,
    day,
    today: nothing,
    past: {
      amounts: faded(past.amounts, today.amounts, level),
      minutes: faded(past.minutes, today.minutes, 1)
    }
  }
}

/** The rate of each hour, with a mean of 1. */
const ratesOf = ({ amounts, minutes }: Hours, prior: ReadonlyArray<number>): ReadonlyArray<number> => {
  const rates = prior.map(
    (rate, hour) => (amounts[hour]! + rate * priorMinutes) / (minutes[hour]! + priorMinutes)
  )
  const mean = total(rates) / rates.length
  return rates.map((rate) => rate / mean)
}

const together = (all: ReadonlyArray<Hours>): Hours => ({
  amounts: flat.map((_, hour) => all.reduce((sum, { amounts }) => sum + amounts[hour]!, 0)),
  minutes: flat.map((_, hour) => all.reduce((sum, { minutes }) => sum + minutes[hour]!, 0))
})

const total = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

/** To so many parts of one, so that what is kept stays short. */
const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts
