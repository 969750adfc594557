/** A backtest for a terminal and for machines: what would have fired and why, never what would have been earned. */
import type { Coded } from "../domain/Coded.js"
import type * as Days from "../domain/Days.js"
import * as Plural from "../domain/Plural.js"
import * as Target from "../domain/Target.js"
import * as TextOrder from "../domain/TextOrder.js"
import * as When from "../domain/When.js"
import type { BacktestDay, PolicyDay, Tally, WouldChange } from "../engine/backtest/Backtest.js"
import type { Flapping, Gap, PolicyTotal, Totals } from "../engine/backtest/Totals.js"
import * as HeldReason from "../engine/kinds/HeldReason.js"
import type { RuleSet } from "../engine/language/Policy.js"
import { cleanLine } from "./Clean.js"
import * as HeldReasons from "./HeldReasons.js"
import * as OptimiseWords from "./OptimiseWords.js"
import * as RowReasons from "./RowReasons.js"
import * as Wording from "./Wording.js"

export interface Options {
  /** Every change, reason and row that turned back, instead of the first ones. */
  readonly all: boolean
}

/** Changes, reasons and rows shown of each list unless all are. */
const fewChanges = 2
const fewReasons = 3
const fewRows = 20

/** Stands above every backtest, and in its JSON. */
export const caveat =
  "The recorded facts do not answer to these changes: bids, statuses and statistics stay as they were on each day, " +
  "whatever the rules would have done the day before. This says what would have fired and why, not what would have been earned."

/** What stands above the days. What the account's own limits do is no policy that anybody wrote. */
export const head = (
  account: string,
  rules: RuleSet,
  { from, to }: Days.DayRange,
  recorded: number
): string => {
  const written = rules.policies.filter(({ isOfLimits }) => isOfLimits !== true).length
  const what = written === 0 ? "the account's limits" : Plural.of(written, "policy", "policies")
  return [
    `Backtest of ${what} for account ${account}, ${from} to ${to}: ${Plural.of(recorded, "recorded day")}`,
    caveat
  ].join("\n")
}

/** One day. */
export const day = (one: BacktestDay, options: Options): string =>
  [
    `${one.day}, facts of ${When.clock(one.atMs, one.zone)} (${one.zone})`,
    ...one.policies.flatMap((policy) => policyLines(policy, one, options)),
    ""
  ].join("\n")

const policyLines = (
  one: PolicyDay,
  { atMs, currency }: BacktestDay,
  { all }: Options
): ReadonlyArray<string> => {
  if (one.state === "notDue") return [`  ${one.policy}: not due that day`]
  const asleep = one.state === "asleep" ? "outside of its during: at that time; " : ""
  const spoken = inWords(one, { currency, nowMs: atMs, isPast: true })
  const few = all ? one.changes : one.changes.slice(0, fewChanges)
  const rest = one.changes.length - few.length
  return [
    `  ${one.policy}: ${asleep}${one.rowsMatched} of ${Plural.of(one.rowsInScope, "row")} match, ${Plural.of(one.changes.length, "change")}${actions(byAction(one.changes))}`,
    ...few.flatMap((change) => changeLines(change, currency)),
    ...(rest > 0 ? [`    and ${Plural.of(rest, "more change", "more changes")} (--all shows them)`] : []),
    ...tallyLines("held", spoken.held, all),
    ...tallyLines("unchanged", spoken.unchanged, all),
    ...tallyLines("unknown", spoken.unknown, all),
    ...tallyLines("says", spoken.notices, all)
  ]
}

const changeLines = (change: WouldChange, currency: string): ReadonlyArray<string> => [
  `    ${Wording.symbol(change)} ${cleanLine(Target.key(change.subject))}  ${Wording.effect(change, currency)}   ${Wording.lineOf(change.origin)}`,
  ...change.reason.map(
    (line) => `        ${line.holds.padEnd(7)} ${line.condition}   ${cleanLine(line.value)}`
  ),
  ...OptimiseWords.lines(change, currency).map((line) => `        ${line}`),
  ...change.clamps.map((bound) => `        ${Wording.clamp(bound, currency)}`)
]

/** Rows with one reason, and the sentence that says it. */
interface Spoken extends Tally<Coded> {
  readonly why: string
}

const inWords = ({ held, notices, unchanged, unknown }: PolicyDay, near: RowReasons.Around) => ({
  held: said(held, (because) => `${HeldReason.by(because)}: ${HeldReasons.text({ because }, near)}`),
  unchanged: said(unchanged, (because) => RowReasons.text(because, near)),
  unknown: said(unknown, (because) => RowReasons.text(because, near)),
  notices: said(notices, (because) =>
    because.code === "said" ? because.said : RowReasons.text(because, near)
  )
})

/** The most frequent first, then by their words. */
const said = <R extends Coded>(
  tallies: ReadonlyArray<Tally<R>>,
  words: (because: R) => string
): ReadonlyArray<Spoken> =>
  tallies
    .map((tally) => ({ ...tally, why: words(tally.because) }))
    .sort((a, b) => b.rows - a.rows || TextOrder.compare(a.why, b.why))

const tallyLines = (word: string, tallies: ReadonlyArray<Spoken>, all: boolean): ReadonlyArray<string> => {
  const few = all ? tallies : tallies.slice(0, fewReasons)
  const rest = tallies.slice(few.length).reduce((rows, tally) => rows + tally.rows, 0)
  return [
    ...few.map(({ rows, such, why }) => {
      const named = such === undefined ? "" : `, such as ${cleanLine(such)}`
      return `    ${word} ${rows}: ${cleanLine(why)}${named}`
    }),
    ...(rest > 0 ? [`    ${word} ${rest} for other reasons (--all shows them)`] : [])
  ]
}

/** What stands below the days. */
export const totals = (sums: Totals, options: Options): string =>
  [
    "Over all days",
    ...sums.byPolicy.map(totalLine),
    ...flappingLines(sums.flapping, options.all),
    ...sums.gaps.map(gapLine)
  ].join("\n")

const totalLine = (one: PolicyTotal): string => {
  const changes = Object.values(one.byAction).reduce((sum, count) => sum + count, 0)
  const counts = [
    `${Plural.of(changes, "change")}${actions(one.byAction)} on ${one.daysWithChanges} of ${Plural.of(one.daysRun, "day")}`,
    `${one.rowsMatched} matched`,
    `${one.rowsHeld} held`,
    `${one.rowsUnknown} unknown`
  ]
  return `  ${one.policy}: ${counts.join(", ")}`
}

const flappingLines = (rows: ReadonlyArray<Flapping>, all: boolean): ReadonlyArray<string> => {
  if (rows.length === 0) return ["No row went one way and then back."]
  const few = all ? rows : rows.slice(0, fewRows)
  return [
    `${Plural.of(rows.length, "row")} went one way and then back:`,
    ...few.map(
      ({ last, policies, subject: target, turns }) =>
        `  ${cleanLine(Target.key(target))}: ${Plural.of(turns, "turn")} by ${policies.join(", ")}, the latest ${last}`
    ),
    ...(rows.length > few.length ? [`  and ${rows.length - few.length} more (--all shows them)`] : [])
  ]
}

const gapLine = ({ days, fact, recordedFrom }: Gap): string => {
  const could = `${Plural.of(days.length, "day")} could not be decided`
  if (recordedFrom !== undefined) return `${fact} was not recorded before ${recordedFrom}: ${could}`
  return `${fact} was not recorded on ${ranges(days)}: ${could}`
}

/** Days of the range without a snapshot. */
export const without = (days: ReadonlyArray<Days.Day>): string =>
  days.length === 0 ? "" : `No snapshot of ${ranges(days)}: no plan was made, or it is no longer kept.`

/** `2026-11-01, 2026-11-03`; of many the first and the last. */
const ranges = (days: ReadonlyArray<Days.Day>): string =>
  days.length <= 3 ? days.join(", ") : `${days.length} days between ${days[0]} and ${days.at(-1)}`

const byAction = (changes: ReadonlyArray<WouldChange>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1
  return counts
}

const actions = (counts: Readonly<Record<string, number>>): string => {
  const words = Object.entries(counts)
    .sort(TextOrder.byKey)
    .map(([action, count]) => `${action} ${count}`)
  return words.length === 0 ? "" : ` (${words.join(", ")})`
}

/** One day for machines; without `all` it names the first changes only, and counts every one. */
export const dayJson = ({ atMs, policies, ...one }: BacktestDay, { all }: Options) => ({
  ...one,
  at: new Date(atMs).toISOString(),
  policies: policies.map(({ changes, ...policy }) => ({
    ...policy,
    ...inWords({ ...policy, changes }, { currency: one.currency, nowMs: atMs, isPast: true }),
    changeCount: changes.length,
    byAction: byAction(changes),
    changes: all ? changes : changes.slice(0, fewChanges)
  }))
})

/** Everything below the days, for machines. */
export const totalsJson = ({ byPolicy, flapping, gaps }: Totals) => ({
  totals: byPolicy,
  flapping,
  notRecorded: gaps
})
