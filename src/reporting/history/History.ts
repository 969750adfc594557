/** Runs and their changes, for a terminal. */

import type { Day } from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import * as Ids from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import type * as Inverse from "../../engine/decide/Inverse.js"
import type { Browsed, ChangeFilter, Undone } from "../../engine/door/ChangeLog.js"
import type { JournalRow, JournalState, RunRecord } from "../../engine/door/Journal.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import { cleanLine } from "../Clean.js"
import * as Reasons from "../Reasons.js"
import * as WayBackReasons from "../WayBackReasons.js"
import * as Wording from "../Wording.js"

const meanings: Readonly<Record<JournalState, string>> = {
  planned: "not sent yet",
  claimed: "about to be sent; nothing has left yet",
  dispatching: "being sent; its outcome is read back first by the next apply",
  accepted: "accepted, not visible yet",
  rejected: "refused by the marketplace",
  unknown: "may or may not have arrived; read back before anything else is sent",
  applied: "done and seen",
  not_applied: "did not take effect",
  conflict: "changed by someone else meanwhile",
  parked:
    "cannot be proved paid or unpaid; never sent again, counted as paid until somebody says which it is",
  skipped: "left alone"
}

/**
 * An unknown deposit is not read back: nothing but a person's look at the money tells. What did not enter a promotion nobody need have
 * changed.
 */
const meaningOf = ({ change, reason, state }: JournalRow): string => {
  if (Kinds.isPayment(change) && state === "unknown")
    return "may or may not have been paid; never sent again, counted as paid: compare the campaign's budget with its top-ups"
  return state === "conflict" && reason?.code === "not_entered" ? "filed, and not in it" : meanings[state]
}

/** One line per run, latest first as given; `zone` is the IANA name of the zone of its beginning. */
export const runs = (
  records: ReadonlyArray<RunRecord>,
  undone: ReadonlyArray<Undone> = [],
  zone = "UTC"
): string =>
  records.length === 0
    ? "no runs yet"
    : records
        .map(
          (run) =>
            `${run.runId}  ${When.text(run.startedAt, zone)} ${zone}  ${run.account}  ${run.status}  ${counted(run.counts)}${undoneText(run.runId, undone)}`
        )
        .join("\n")

/** `  taken back: 3 by RUN`; nothing for a run that stands. */
const undoneText = (runId: string, undone: ReadonlyArray<Undone>): string => {
  const own = undone.filter((one) => one.runId === runId)
  return own.length === 0
    ? ""
    : `  taken back: ${own.map((one) => `${one.changes} by ${one.byRunId}`).join(", ")}`
}

/** Whether a change can be taken back, by the journal alone; nothing where there is nothing to take back. */
const undoText = (verdict: Inverse.Verdict | undefined): string => {
  if (verdict === undefined) return ""
  switch (verdict._tag) {
    case "Possible":
      return "\n    can be taken back while nobody changes it"
    case "Done":
      return `\n    ${WayBackReasons.text(verdict.because)}`
    case "Left":
      return `\n    ${verdict.irreversible ? "irreversible" : "cannot be taken back now"}: ${WayBackReasons.text(verdict.because)}`
  }
}

/** How a person settles what nothing else can. */
const resolveText = ({ change, runId, state }: JournalRow): string =>
  state === "parked" ? `\n    settle it with: ${Deposit.resolveWith(runId, change)}` : ""

/** `applied 3, skipped 1`; nothing for counts of zero. */
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .sort(TextOrder.byKey)
    .map(([state, n]) => `${state} ${n}`)
    .join(", ")

/** Changes that should have ended by now, in one line with their runs. */
export const overdue = (rows: ReadonlyArray<JournalRow>): string => {
  const runs = [...new Set(rows.map(({ runId }) => runId))]
  const named = runs.slice(0, 3).join(", ")
  return `${Plural.of(rows.length, "change")} should have ended by now (${counted(countStates(rows))}): ${named}${runs.length > 3 ? ", ..." : ""}. The next apply settles what it can; parked deposits wait for bidhelm resolve.`
}

/** Rows by state. */
export const countStates = (rows: ReadonlyArray<JournalRow>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/** Every change of a run and what became of it, in the order of targets. */
export const changes = (
  rows: ReadonlyArray<JournalRow>,
  currency: string,
  verdicts: ReadonlyMap<string, Inverse.Verdict> = new Map()
): string =>
  rows.length === 0
    ? "no changes"
    : rows
        .toSorted((a, b) => Wording.bySubject(a.change, b.change) || TextOrder.compare(a.slot, b.slot))
        .map((row) => entry(row, currency, undoText(verdicts.get(row.change.id))))
        .join("\n")

/** A run of more changes is told by what became of them. */
const mostWhole = 12
/** Changes with one outcome that are named before they are counted. */
const mostNamed = 5

/** What became of a run's changes: each of a few; of many those of one outcome together, what is not done first. */
export const outcomes = (runId: string, rows: ReadonlyArray<JournalRow>, currency: string): string => {
  if (rows.length <= mostWhole) return changes(rows, currency)
  const groups = Groups.by(
    rows.toSorted((a, b) => Wording.bySubject(a.change, b.change)),
    (row) => `${row.state} (${meaningOf(row)})${row.state === "applied" ? "" : detailOf(row)}`
  )
  return [
    ...[...groups]
      .sort(([a, x], [b, y]) => rank(x) - rank(y) || y.length - x.length || TextOrder.compare(a, b))
      .flatMap(([head, own]) => [
        `${Plural.of(own.length, "change")}: ${head}`,
        ...own.slice(0, mostNamed).map((row) => `    ${what(row, currency)}${resolveText(row)}`),
        ...(own.length > mostNamed ? [`    and ${own.length - mostNamed} more`] : [])
      ]),
    `Each of them: bidhelm history ${runId}`
  ].join("\n")
}

const rank = ([row]: ReadonlyArray<JournalRow>): number => (row?.state === "applied" ? 1 : 0)

const detailOf = (row: JournalRow): string => {
  const text = Reasons.ofRow(row)
  return `${text === undefined || text === "" ? "" : `: ${cleanLine(text)}`}${taskOf(row)}`
}

/** `; task 7001`, `; pass 12`: what the marketplace's answer left behind, or the look at what was made. */
const taskOf = ({ change, evidence }: JournalRow): string => {
  if (evidence === undefined) return ""
  const { answered, makes } = Kinds.of(change)
  const text = makes === undefined ? answered?.(evidence) : cleanLine(`${makes} ${evidence}`)
  return text === undefined ? "" : `; ${text}`
}

const what = ({ change }: JournalRow, currency: string): string =>
  `${Wording.symbol(change)} ${cleanLine(Target.key(change.subject))}  ${Wording.effect(change, currency)}`

/** One change: what it does, what became of it, whose it is; `more` stands at its end, `when` behind its state. */
export const entry = (row: JournalRow, currency: string, more = "", when = ""): string => {
  return `${what(row, currency)}\n    ${row.state} (${meaningOf(row)})${when}${detailOf(row)}\n    ${Wording.ruleOf(row.change)}; change ${Ids.shortChange(row.change.id)}${resolveText(row)}${more}`
}

// Calls by hand that were sent as they are: of their runs the journal has no changes, only what was called and how it ended.

interface RawCall {
  readonly operation: string
  /** As it was called, with its request. */
  readonly what: string
  readonly status: RunRecord["status"]
  readonly end: keyof typeof rawEnds
}

/** What the end of a call means; what the marketplace said of it was told to whoever made it. */
export const rawEnds = {
  done: "the marketplace accepted it",
  refused: "it was refused, and changed nothing",
  not_sent: "it was not sent",
  open: "nobody knows whether it arrived: look whether it came about before you call again",
  running: "it has not ended, or its process has: then the next run says so"
} as const

/** Undefined of a run that was no raw call. */
export const rawCall = ({ counts, planId, status }: RunRecord): RawCall | undefined => {
  const [what, operation] = /^call (\S+) .*$/s.exec(planId) ?? []
  if (what === undefined || operation === undefined) return undefined
  const end = `${operation} not sent` in counts ? "not_sent" : rawEndOf(status)
  return { operation, what, status, end }
}

/** `call deletePass {"path":{"passId":7}}: failed; it was refused, and changed nothing`. */
export const rawText = ({ end, status, what }: RawCall): string => `${what}: ${status}; ${rawEnds[end]}`

const rawEndOf = (status: RunRecord["status"]): RawCall["end"] => {
  switch (status) {
    case "done":
    case "running":
      return status
    case "failed":
      return "refused"
    default:
      return "open"
  }
}

// Changes of all runs that fit a question.

/** What is asked, with the day as it was named. */
export interface Asked extends ChangeFilter {
  readonly day?: Day
  /** IANA name of the zone of the day, and of all times shown. */
  readonly zone: string
}

/** The changes under their runs, in the order given. */
export const browsed = (changes: ReadonlyArray<Browsed>, currency: string, zone: string): string =>
  changes
    .flatMap((row, at) => {
      const { account, beganAt, runId, sentAt } = row
      const head = `${cleanLine(runId)}  ${When.text(beganAt, zone)} ${zone}  ${cleanLine(account)}`
      const when = sentAt === undefined ? "" : `, sent ${When.text(sentAt, zone)}`
      const lines = entry(row, currency, "", when).replaceAll(/^/gm, "  ")
      return changes[at - 1]?.runId === runId ? [lines] : [head, lines]
    })
    .join("\n")

/** That nothing fits: `no change of campaign 5, by policy 01-raise was ever journaled`. */
export const noneFits = (asked: Asked, isFirstPage: boolean, isAllKept: boolean): string => {
  const which = `no ${isFirstPage ? "" : "earlier "}change${described(asked)}`
  if (!isAllKept) return `${which} is kept`
  return asked.day === undefined ? `${which} was ever journaled` : `${which} was journaled`
}

/** ` of account main, of campaign 5, by policy 01-raise, with the state parked, on 2026-09-01 (Europe/Moscow)`. */
const described = ({ account, campaignId, day, policy, state, zone }: Asked): string => {
  const parts = [
    ...(account === undefined ? [] : [`of account ${account}`]),
    ...(campaignId === undefined ? [] : [`of campaign ${campaignId}`]),
    ...(policy === undefined ? [] : [`by policy ${cleanLine(policy)}`]),
    ...(state === undefined ? [] : [`with the state ${state}`]),
    ...(day === undefined ? [] : [`on ${day} (${zone})`])
  ]
  return ` ${parts.join(", ")}`
}

/** What became of older changes, where somebody might look for them; nothing when all of them are kept. */
export const forgotten = (sinceMs: number | undefined, { fromMs, zone }: Asked): string | undefined =>
  sinceMs === undefined || (fromMs !== undefined && fromMs >= sinceMs)
    ? undefined
    : `Older ones were purged: of what had ended before ${When.text(sinceMs, zone)} only the latest change of each value, and what was taken back lately, is kept (keep: journal_days in the configuration).`

/** That a policy never changed anything, and which did: their names in order. */
export const unknownPolicy = (policies: ReadonlyArray<string>): string => {
  const shown = policies.slice(0, mostPolicies).map(cleanLine).join(", ")
  const more = policies.length > mostPolicies ? `, and ${policies.length - mostPolicies} more` : ""
  return policies.length === 0
    ? "No policy made a change yet."
    : `Policies that made changes: ${shown}${more}.`
}

const mostPolicies = 20
