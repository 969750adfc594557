/**
 * How well a budget's predictions hold, and whether they are so far off that its policy only looks: a day has missed a figure where what
 * came lies outside of the range that promises nine of ten days. Decision 0100 has the numbers. Pure.
 */
import * as Days from "../../../domain/Days.js"
import * as Groups from "../../../domain/Groups.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Spread from "../../optimise/Spread.js"
import type { DayExpected, Figure, ForecastDay, Realised } from "./ForecastDay.js"
import { expectedOf, figures } from "./ForecastDay.js"

/** Why a day is not judged. `not_settled`: its statistics may still come. `not_read`: they came in no plan. */
export type Unjudged = "forgiven" | "paused" | "bids_moved" | "bids_unknown" | "not_settled" | "not_read"

export type Verdict =
  | {
      readonly _tag: "Judged"
      readonly expected: DayExpected
      readonly realised: Realised
      /** By figure. */
      readonly isInside: Readonly<Record<Figure, boolean>>
    }
  | { readonly _tag: "Unjudged"; readonly because: Unjudged }

/** Days after which nobody waits for statistics any more: the longest window and its longest settling are shorter. */
const longestWaitDays = 45

/** `today`: the day of the marketplace on which it is asked. */
export const judge = (day: ForecastDay, today: Days.Day): Verdict => {
  const { forgivenAtMs, outcome, realised } = day
  if (forgivenAtMs !== undefined) return unjudged("forgiven")
  if (outcome !== undefined && outcome.code !== "stood") return unjudged(outcome.code)
  if (outcome === undefined || realised === undefined)
    return unjudged(day.day <= Days.shift(today, -longestWaitDays) ? "not_read" : "not_settled")
  const expected = expectedOf(day, outcome.sent)
  return {
    _tag: "Judged",
    expected,
    realised,
    isInside: {
      spend: isWithin(realised.spendKopecks, expected.spendKopecks, 1),
      orders: isWithin(realised.orders, expected.orders, 0)
    }
  }
}

const unjudged = (because: Unjudged): Verdict => ({ _tag: "Unjudged", because })

/** Ends belong to the range. Between two plans they are fractions, and what is counted has none. */
const isWithin = (value: number, { high, low }: DayExpected["orders"], slack: number): boolean =>
  value >= Math.floor(low) - slack && value <= Math.ceil(high) + slack

/** What made a budget only look: so many of the last judged days outside, and by how much they were off in the mean. */
interface Fallen {
  readonly figure: Figure
  readonly outside: number
  readonly judged: number
  /** Percent by which those days' sum lies over (or, below 0, under) what was expected; whole. None where nothing was expected. */
  readonly offPercent?: number
  /** The day with which it began. */
  readonly since: string
}

export interface Calibration {
  readonly policy: string
  readonly budget: string
  readonly judged: number
  readonly inside: Readonly<Record<Figure, number>>
  /** As `Fallen.offPercent`, of all judged days; undefined where nothing was expected. */
  readonly offPercent: Readonly<Record<Figure, number | undefined>>
  readonly unjudged: ReadonlyArray<{ readonly because: Unjudged; readonly days: number }>
  /** Present while its policy only looks. */
  readonly fallen?: Fallen
}

/** One for each policy and budget, in the order of their names. `days` come in any order. */
export const of = (days: ReadonlyArray<ForecastDay>, today: Days.Day): ReadonlyArray<Calibration> => {
  const byBudget = Groups.by([...days].sort(byDay), ({ budget, policy }) => `${policy}\u0000${budget}`)
  return [...byBudget].sort(TextOrder.byKey).map(([, own]) => ofBudget(own, today))
}

export const byDay = (a: Pick<ForecastDay, "day">, b: Pick<ForecastDay, "day">): number =>
  TextOrder.compare(a.day, b.day)

type Judged = Extract<Verdict, { readonly _tag: "Judged" }> & { readonly day: string }

const ofBudget = (days: ReadonlyArray<ForecastDay>, today: Days.Day): Calibration => {
  const judged: Array<Judged> = []
  const counts = new Map<Unjudged, number>()
  for (const day of days) {
    const verdict = judge(day, today)
    if (verdict._tag === "Judged") judged.push({ ...verdict, day: day.day })
    else counts.set(verdict.because, (counts.get(verdict.because) ?? 0) + 1)
  }
  const latest = days.at(-1)!
  const fallen = fallenOf(judged)
  const insideOf = (figure: Figure) => judged.filter(({ isInside }) => isInside[figure]).length
  return {
    policy: latest.policy,
    budget: latest.budget,
    judged: judged.length,
    inside: { spend: insideOf("spend"), orders: insideOf("orders") },
    offPercent: { spend: offPercent(judged, "spend"), orders: offPercent(judged, "orders") },
    unjudged: [...counts]
      .map(([because, count]) => ({ because, days: count }))
      .sort(TextOrder.by(({ because }) => because)),
    ...(fallen === undefined ? {} : { fallen })
  }
}

const offPercent = (days: ReadonlyArray<Judged>, figure: Figure): number | undefined => {
  const valueOf = ({ orders, spendKopecks }: Realised) => (figure === "spend" ? spendKopecks : orders)
  const meanOf = ({ orders, spendKopecks }: DayExpected) => (figure === "spend" ? spendKopecks : orders).mean
  const came = days.reduce((sum, { realised }) => sum + valueOf(realised), 0)
  const expected = days.reduce((sum, day) => sum + meanOf(day.expected), 0)
  return expected > 0 ? Math.round((came / expected - 1) * 100) : undefined
}

/** Of the last judged days so many are looked at, the fewer ones too: what breaks at once shows in few, what creeps in many. */
export const leastDays = 4
export const mostDays = 14
/** So rare is it that so many of so many days miss while predictions are right. */
export const rareness = 0.0002
/** So many days inside in a row, in every figure, and the policy acts again. */
const daysBack = 3

/** Day by day: misses that are too many make it fall, good days bring it back, and what was before them counts no more. */
const fallenOf = (judged: ReadonlyArray<Judged>): Fallen | undefined => {
  let recent: Array<Judged> = []
  let fallen: Fallen | undefined
  for (const day of judged) {
    recent.push(day)
    if (fallen === undefined) fallen = worstOf(recent)
    else if (recent.slice(-daysBack).every(isAllInside)) [fallen, recent] = [undefined, []]
  }
  return fallen
}

const isAllInside = ({ isInside }: Judged): boolean => figures.every((figure) => isInside[figure])

/** The run of last days, and the figure, that is least likely to be chance; undefined where none is rare enough. */
const worstOf = (days: ReadonlyArray<Judged>): Fallen | undefined => {
  let found: { readonly fallen: Fallen; readonly chance: number } | undefined
  for (const figure of figures)
    for (let count = leastDays; count <= Math.min(mostDays, days.length); count++) {
      const last = days.slice(-count)
      const outside = last.filter(({ isInside }) => !isInside[figure]).length
      const chance = chanceOf(outside, count)
      if (chance >= rareness || (found !== undefined && chance >= found.chance)) continue
      const off = offPercent(last, figure)
      found = {
        chance,
        fallen: {
          figure,
          outside,
          judged: count,
          ...(off === undefined ? {} : { offPercent: off }),
          since: last.at(-1)!.day
        }
      }
    }
  return found?.fallen
}

/** P(at least so many of these days miss), each by the share that its range does not promise. */
export const chanceOf = (misses: number, days: number): number => {
  const missShare = 1 - Spread.promised
  let [term, sum] = [(1 - missShare) ** days, 0]
  for (let k = 0; k <= days; k++) {
    if (k >= misses) sum += term
    term *= ((days - k) / (k + 1)) * (missShare / (1 - missShare))
  }
  return sum
}
