/** What policies that optimise expected of days and what came, for JSON and for a terminal. */
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import * as Calibration from "../../engine/decide/forecasts/Calibration.js"
import type { DayExpected, Figure, ForecastDay, Realised } from "../../engine/decide/forecasts/ForecastDay.js"
import { figures } from "../../engine/decide/forecasts/ForecastDay.js"
import * as Forecasts from "../../engine/decide/limits/Forecasts.js"
import * as Print from "../../engine/facts/Print.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as HeldReasons from "../HeldReasons.js"

/** A day, with why it is not judged, or whether what came lay inside. */
export interface ShownDay {
  readonly day: string
  /** With the bids that were in force, as far as that is known; else with all changes made. */
  readonly expected: DayExpected
  /** Share of the planned changes that was in force, 0 to 1. */
  readonly sent?: number
  readonly realised?: Realised
  readonly isInside?: Readonly<Record<Figure, boolean>>
  readonly unjudged?: Calibration.Unjudged
}

export interface ShownBudget extends Calibration.Calibration {
  readonly days: ReadonlyArray<ShownDay>
}

/** The last so many days of each budget, or of one; counts are of all days. */
export const of = (
  all: ReadonlyArray<ForecastDay>,
  {
    budget,
    days,
    nowMs
  }: { readonly nowMs: number; readonly days: number; readonly budget: string | undefined }
): ReadonlyArray<ShownBudget> => {
  const today = Days.ofMarket(nowMs)
  const since = Days.shift(today, 1 - days)
  const wanted = all.filter((one) => budget === undefined || one.budget === budget)
  return Calibration.of(wanted, today).map((calibration) => ({
    ...calibration,
    days: wanted
      .filter((one) => one.budget === calibration.budget && one.policy === calibration.policy)
      .filter(({ day }) => day >= since)
      .sort(Calibration.byDay)
      .map((one) => shownDay(one, today))
  }))
}

const shownDay = (one: ForecastDay, today: Days.Day): ShownDay => {
  const { after, day, outcome, realised } = one
  const verdict = Calibration.judge(one, today)
  const common = {
    day,
    ...(outcome?.code === "stood" ? { sent: outcome.sent } : {}),
    ...(realised === undefined ? {} : { realised })
  }
  return verdict._tag === "Judged"
    ? { ...common, expected: verdict.expected, isInside: verdict.isInside }
    : { ...common, expected: after, unjudged: verdict.because }
}

const because: Readonly<Record<Calibration.Unjudged, string>> = {
  forgiven: "a person said that it counts no more",
  paused: "a rule stopped the campaign for a part of the day",
  bids_moved: "bids were changed beside this rule, by hand or by another one",
  bids_unknown: "it is not known whether the bids stood",
  not_settled: "not known yet",
  not_read: "no plan read its statistics"
}

/** A table of days for each budget, with a line above it that says how well they came as expected. */
export const text = (
  policy: string,
  budgets: ReadonlyArray<ShownBudget>,
  currency: string,
  among: OperatorHold.Among
): string => {
  if (budgets.length === 0)
    return `no forecasts of ${policy} yet: the first is kept with its next run by bidhelm run or bidhelm apply, and held against what came a day later`
  return budgets.map((budget) => ofBudget(budget, Print.currencySign(currency), among)).join("\n\n")
}

const ofBudget = (budget: ShownBudget, sign: string, among: OperatorHold.Among): string => {
  const rows = [["day", "spend expected", "came", "", "orders expected", "came", ""]]
  for (const day of budget.days) rows.push(cellsOf(day, sign))
  return [
    `${budget.policy}, ${HeldReasons.budgetText(budget)}: ${summary(budget)}`,
    ...fallenLines(budget, among),
    ...table(rows)
  ].join("\n")
}

const summary = ({ inside, judged, offPercent, unjudged }: ShownBudget): string => {
  const left = unjudged.map((one) => `${Plural.of(one.days, "day")} ${because[one.because]}`)
  const rest = left.length === 0 ? "" : `; not judged: ${left.join(", ")}`
  if (judged === 0) return `no day can be judged yet${rest}`
  const parts = figures.map((figure) => `${figure} inside on ${inside[figure]}${off(offPercent[figure])}`)
  return `${Plural.of(judged, "day")} judged, of which 9 of 10 should lie inside: ${parts.join(", ")}${rest}`
}

const off = (percent: number | undefined): string => {
  if (percent === undefined) return ""
  return percent === 0
    ? " (in all as expected)"
    : ` (in all ${Math.abs(percent)}% ${percent < 0 ? "less" : "more"})`
}

const fallenLines = (budget: ShownBudget, among: OperatorHold.Among): ReadonlyArray<string> =>
  budget.fallen === undefined
    ? []
    : [
        `  only looks since the turn after ${budget.fallen.since}: ${HeldReasons.missed(budget.fallen)}; resume with: ${OperatorHold.resumeWith(Forecasts.scopeOf(budget), among)}`
      ]

const cellsOf = ({ day, expected, isInside, realised, unjudged }: ShownDay, sign: string): Array<string> => {
  const money = (kopecks: number) => Print.money(Math.round(kopecks / 100) * 100, sign)
  const { orders, spendKopecks: spend } = expected
  const word = (figure: Figure) => (isInside === undefined ? "" : isInside[figure] ? "inside" : "OUTSIDE")
  return [
    day,
    `${money(spend.mean)} (${money(spend.low)} to ${money(spend.high)})`,
    realised === undefined ? "-" : money(realised.spendKopecks),
    word("spend"),
    `${orders.mean.toFixed(1)} (${Math.floor(orders.low)} to ${Math.ceil(orders.high)})`,
    realised === undefined ? "-" : String(realised.orders),
    unjudged === undefined ? word("orders") : because[unjudged]
  ]
}

/** Columns as wide as their widest cell. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map(
    (row) =>
      `  ${row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd()}`
  )
}
