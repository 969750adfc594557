/** Runs and their changes, for a terminal. */
import * as Target from "../domain/Target.js"
import type { JournalRow, JournalState, RunRecord } from "../engine/run/Ports.js"
import { cleanLine } from "./Clean.js"
import * as Wording from "./Wording.js"

const meanings: Readonly<Record<JournalState, string>> = {
  planned: "not sent yet",
  dispatching: "being sent; its outcome is read back first by the next apply",
  accepted: "accepted, not visible yet",
  rejected: "refused by the marketplace",
  unknown: "may or may not have arrived; read back before anything else is sent",
  applied: "done and seen",
  not_applied: "did not take effect",
  conflict: "changed by someone else meanwhile",
  skipped: "left alone"
}

/** An unknown deposit is not read back: nothing but a person's look at the money tells. */
const meaningOf = ({ change, state }: JournalRow): string =>
  change.unit === "kopecks_deposit" && state === "unknown"
    ? "may or may not have been paid; never sent again, counted as paid: compare the campaign's budget with its top-ups"
    : meanings[state]

/** Instant for people: `2026-11-21 07:40:05 UTC`. */
export const instant = (epochMs: number): string =>
  new Date(epochMs).toISOString().slice(0, 19).replace("T", " ").concat(" UTC")

/** One line per run, latest first as given. */
export const runs = (records: ReadonlyArray<RunRecord>): string =>
  records.length === 0
    ? "no runs yet"
    : records
        .map(
          (run) =>
            `${run.runId}  ${instant(run.startedAt)}  ${run.account}  ${run.status}  ${counted(run.counts)}`
        )
        .join("\n")

/** `applied 3, skipped 1`; nothing for counts of zero. */
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, n]) => `${state} ${n}`)
    .join(", ")

/** Rows by state. */
export const countStates = (rows: ReadonlyArray<JournalRow>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/** Every change of a run and what became of it, in the order of targets. */
export const changes = (rows: ReadonlyArray<JournalRow>, currency: string): string =>
  rows.length === 0
    ? "no changes"
    : rows
        .toSorted((a, b) => Wording.byTarget(a.change, b.change) || (a.slot < b.slot ? -1 : 1))
        .map((row) => {
          const detail = row.detail === undefined || row.detail === "" ? "" : `: ${cleanLine(row.detail)}`
          const what = `${Wording.symbol(row.change)} ${cleanLine(Target.key(row.change.target))}  ${Wording.effect(row.change, currency)}`
          return `${what}\n    ${row.state} (${meaningOf(row)})${detail}\n    ${row.change.policy}, line ${row.change.policyLine}`
        })
        .join("\n")
