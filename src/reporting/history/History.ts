/** Runs and their changes, for a terminal. */
import * as Groups from "../../domain/Groups.js"
import * as Ids from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import type * as Inverse from "../../engine/decide/Inverse.js"
import type { Undone } from "../../engine/door/ChangeLog.js"
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
