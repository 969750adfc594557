/** Holds a run's statistics against those of past runs, what was charged and what was bid, and remembers them. */

import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Window from "../../domain/Window.js"
import * as Prices from "../decide/intents/Prices.js"
import * as Plausibility from "../decide/limits/Plausibility.js"
import { type Figure, isOfSameRows, type Run, type Seen } from "../decide/limits/Plausibility.js"
import { Journal } from "../door/Journal.js"
import * as Charges from "../facts/Charges.js"
import type { Table } from "../facts/Table.js"
import { FactSource } from "../gather/FactSource.js"
import type { Gathered } from "../gather/Gather.js"
import { RuleMemory } from "./RuleMemory.js"

/** Why a run must only look. Of statistics alone: what needs none may be done nevertheless. */
export interface Doubt {
  readonly observeOnly: string
  readonly observeOnlyFor?: "statistics"
}

/** Why a run must only look; undefined when its figures may be true. */
export const verdict = (
  gathered: Pick<Gathered, "table" | "nowMs" | "currency" | "charges">,
  options: { readonly currency?: string; readonly rules: string }
): Effect.Effect<Doubt | undefined, StoreFailure, FactSource | Journal | RuleMemory> =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const { account } = source
    const { currency, nowMs } = gathered
    if (options.currency !== undefined && options.currency !== currency) {
      return {
        observeOnly: `this run only looks, nothing of it can be applied: the account is in ${currency}, the configuration says ${options.currency}; mend currency: and check every amount in the rules`
      }
    }
    const memory = yield* RuleMemory
    const now = Plausibility.figures(gathered.table)
    if (now.length === 0) return undefined
    const earlier = yield* memory.figures(account, nowMs - Plausibility.rememberedMs)
    yield* memory.keepFigures(account, nowMs, options.rules, now)
    const objections = yield* Effect.gen(function* () {
      const charged = yield* chargedFor(gathered, now)
      const run = { nowMs, rules: options.rules }
      const borneOut = yield* fallsBorneOut(gathered, Plausibility.falls(now, earlier, run))
      return [
        ...Plausibility.objections(now, earlier, run, { borneOut, charged }),
        ...Plausibility.vanished(gathered.table),
        ...vanishedDays(now, earlier, run),
        ...(yield* overpaid(gathered)),
        ...(yield* silent(gathered, now)),
        ...(yield* idle(gathered, now))
      ]
    }).pipe(Effect.provideService(FactSource, askingOnce(source, gathered.charges)))
    return objections.length === 0
      ? undefined
      : { observeOnly: Plausibility.notice(objections), observeOnlyFor: "statistics" as const }
  })

/** Charges of the same days are asked for once in a run: a Base token has one such call an hour. */
const askingOnce = (source: typeof FactSource.Service, asked: Charges.Charges): typeof FactSource.Service => {
  const { charged } = source
  if (charged === undefined) return source
  const known = new Map(asked)
  return {
    ...source,
    charged: (days) => {
      const key = Charges.keyOf(days)
      return Effect.suspend(() =>
        known.has(key)
          ? Effect.succeed(known.get(key))
          : Effect.tap(charged(days), (answer) => Effect.sync(() => known.set(key, answer)))
      )
    }
  }
}

/**
 * Spends that nobody can have paid. Where the bids of now say so, the bids of those days are asked for, as far as the
 * journal knows them, and then what was charged: bids may have been lowered since, by rules, an overlay or a person.
 */
const overpaid = ({ nowMs, table }: Pick<Gathered, "table" | "nowMs">) =>
  Effect.gen(function* () {
    const doubtful = Prices.doubtful(Prices.paid(table))
    if (doubtful.length === 0) return []
    const { account, charged } = yield* FactSource
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const { edits } = yield* journal.stops(account)
    const left: Array<Prices.Paid> = []
    for (const window of Prices.windows(doubtful)) {
      const days = Window.resolve(window, nowMs)
      const sinceMs = startOf(days.from)
      const bids = Prices.remembered(yield* memory.slots(account, sinceMs), edits, sinceMs)
      const again = Prices.doubtful(
        Prices.paid(table, bids).filter(({ fact }) => Prices.isOver(window, fact))
      )
      const answer = again.length === 0 || charged === undefined ? undefined : yield* charged(days)
      left.push(...again.filter((one) => answer === undefined || !Prices.isCharged(one, answer)))
    }
    return left.map(Prices.objection)
  })

/** Facts of falls that what was charged bears out. Asks for the charges only where there is one. */
const fallsBorneOut = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  falls: ReadonlyArray<Plausibility.Fall>
): Effect.Effect<ReadonlySet<string>, never, FactSource> =>
  Effect.map(
    Effect.forEach(falls, ({ spend, views }) =>
      Effect.gen(function* () {
        const [level = "", asked = ""] = spend.fact.split(".spend@")
        const rows = isLevel(level) ? table(level) : undefined
        if (rows === undefined || !/^(today|\d+d)$/.test(asked)) return []
        const campaigns = campaignsOf(rows, (row) => rows.get(row, spend.fact)._tag === "Known")
        const window = asked === "today" ? Window.today : windowOf(spend)
        const kopecks = yield* chargedTo(campaigns, Window.resolve(window, nowMs))
        return kopecks !== undefined && Plausibility.bearsOut(spend.total, kopecks)
          ? [spend.fact, ...views]
          : []
      })
    ),
    (facts) => new Set(facts.flat())
  )

const isLevel = (level: string): level is "campaign" | "campaign_item" | "cluster" =>
  level === "campaign" || level === "campaign_item" || level === "cluster"

/** Epoch milliseconds at which a day of the marketplace began. */
const startOf = (day: Days.Day): number =>
  DateTime.toEpochMillis(
    DateTime.unsafeMakeZoned(day, { timeZone: Days.marketZone, adjustForTimeZone: true })
  )

/**
 * What was charged to the campaigns whose spend of whole days is known, over the most days of which it is: of few days the
 * sums may be too small to tell anything. Undefined when nobody can tell.
 */
const chargedFor = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>
): Effect.Effect<Plausibility.Charged | undefined, never, FactSource> =>
  Effect.gen(function* () {
    const spend = now
      .filter(({ fact }) => /^campaign\.spend@\d+d$/.test(fact))
      .reduce<Plausibility.Figure | undefined>(
        (most, one) => (most === undefined || daysOf(one) > daysOf(most) ? one : most),
        undefined
      )
    if (spend === undefined) return undefined
    const known = table("campaign")
    const campaigns = campaignsOf(known, (row) => known.get(row, spend.fact)._tag === "Known")
    const chargedKopecks = yield* chargedTo(campaigns, Window.resolve(windowOf(spend), nowMs))
    return chargedKopecks === undefined
      ? undefined
      : { fact: spend.fact, statedKopecks: spend.total, chargedKopecks }
  })

/**
 * Clusters of which nothing was shown for days, in campaigns that are shown in search alone and were charged for these
 * days. Asks for the charges only then.
 */
const silent = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>
): Effect.Effect<ReadonlyArray<string>, never, FactSource> =>
  Effect.gen(function* () {
    const zero = now.find((figure) => /^cluster\.spend@\d+d$/.test(figure.fact) && isZero(figure))
    if (zero === undefined) return []
    const clusters = table("cluster")
    const campaigns = campaignsOf(clusters, (row) => {
      const recommended = clusters.get(row, "campaign.recommendations")
      const isSearchAlone = recommended._tag === "Known" && recommended.value === false
      return isSearchAlone && clusters.get(row, zero.fact)._tag === "Known"
    })
    const kopecks = yield* chargedTo(campaigns, Window.resolve(windowOf(zero), nowMs))
    return kopecks === undefined ? [] : Plausibility.silence(zero, kopecks)
  })

/** Campaigns that spent nothing today, though they were charged today. Asks for the charges only then. */
const idle = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>
): Effect.Effect<ReadonlyArray<string>, never, FactSource> =>
  Effect.gen(function* () {
    const zero = now.find((figure) => /^campaign(_item)?\.spend@today$/.test(figure.fact) && isZero(figure))
    if (zero === undefined) return []
    const rows = table(zero.fact.startsWith("campaign_item.") ? "campaign_item" : "campaign")
    const campaigns = campaignsOf(rows, (row) => rows.get(row, zero.fact)._tag === "Known")
    const kopecks = yield* chargedTo(campaigns, Window.resolve(Window.today, nowMs))
    return kopecks === undefined ? [] : Plausibility.idleness(zero, kopecks)
  })

const isZero = ({ active, rows }: Plausibility.Figure): boolean => rows > 0 && active === 0

/** Of a figure of whole days: `campaign.spend@7d`. */
const windowOf = (figure: Plausibility.Figure) => Window.last(daysOf(figure))
const daysOf = ({ fact }: Plausibility.Figure): number => Number(/@(\d+)d$/.exec(fact)?.[1])

const campaignsOf = (rows: Table, isMeant: (row: number) => boolean): ReadonlySet<number> => {
  const found = new Set<number>()
  for (let row = 0; row < rows.size; row++) {
    const { campaignId } = rows.target(row)
    if (campaignId !== undefined && isMeant(row)) found.add(campaignId)
  }
  return found
}

/** Kopecks that were charged to the campaigns; undefined when nobody can tell. */
const chargedTo = (campaigns: ReadonlySet<number>, days: Days.DayRange) =>
  Effect.gen(function* () {
    const { charged } = yield* FactSource
    const answer = charged === undefined ? undefined : yield* charged(days)
    if (answer === undefined) return undefined
    return [...answer].reduce((sum, [id, { kopecks }]) => sum + (campaigns.has(id) ? kopecks : 0), 0)
  })

// Views of days that are over, seen twice on one day by the same rules or of the same rows: they are corrected a
// little, they never vanish. Needs a single earlier run, where `Plausibility` wants three of other days. Pure.

/** Figures that an earlier run of today contradicts, in words for people. */
export const vanishedDays = (
  now: ReadonlyArray<Figure>,
  earlier: ReadonlyArray<Seen>,
  run: Run
): ReadonlyArray<string> => {
  const today = Days.ofMarket(run.nowMs)
  const ofToday = earlier.filter(({ at }) => at < run.nowMs && Days.ofMarket(at) === today)
  return now.filter(isOfWholeDays).flatMap((figure) => {
    const most = ofToday
      .filter((seen) => seen.fact === figure.fact && isOfSameRows(seen, figure, run.rules))
      .reduce<Seen | undefined>((best, one) => (one.total > (best?.total ?? 0) ? one : best), undefined)
    return most !== undefined && most.total >= leastViews && figure.total * farFactor <= most.total
      ? [
          `${figure.fact} is ${Math.round(figure.total)} in all, earlier today it was ${most.total} for the same days`
        ]
      : []
  })
}

const leastViews = 100
const farFactor = 10

/** Views alone: a spend that was too large an hour ago would make the right one look small. */
const isOfWholeDays = ({ fact }: Figure): boolean => /\.views@\d+d$/.test(fact)
