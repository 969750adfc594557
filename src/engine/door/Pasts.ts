/** Journal rows as the pure core sees them: what became of each, and the past of every slot. */
import * as Groups from "../../domain/Groups.js"
import type { Past, Standing } from "../kinds/Past.js"
import type { JournalRow, JournalState } from "./Journal.js"

export const of = ({ change, runId, sentAt, state, updatedAt }: JournalRow): Past => ({
  runId,
  change,
  standing: state === "conflict" && sentAt !== undefined ? "replaced" : standings[state],
  at: sentAt ?? updatedAt
})

/** What is left of a change in a state. */
export const standings: Readonly<Record<JournalState, Standing>> = {
  planned: "none",
  claimed: "none",
  dispatching: "open",
  accepted: "open",
  unknown: "open",
  applied: "applied",
  parked: "parked",
  rejected: "none",
  not_applied: "none",
  conflict: "none",
  skipped: "none"
}

/** By slot, in the order given. */
export const bySlot = (rows: ReadonlyArray<JournalRow>): ReadonlyMap<string, ReadonlyArray<Past>> =>
  new Map([...Groups.by(rows, ({ slot }) => slot)].map(([slot, own]) => [slot, own.map(of)]))
