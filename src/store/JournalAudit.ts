/** What the journal's changes look like in the audit chain. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { Change } from "../engine/decide/Plan.js"
import type { JournalRow, RunRecord } from "../engine/run/Journal.js"
import type { AuditEntry } from "./AuditEntry.js"
import * as AuditSql from "./AuditSql.js"

/** Who acts when nobody was named. */
const program = "bidhelm"

/** A run's beginning, and each of its changes with the text under which it was stored. */
export const begun = (
  sql: SqlClient.SqlClient,
  run: RunRecord,
  rows: ReadonlyArray<Pick<JournalRow, "slot" | "change"> & { readonly stored: string }>
): Effect.Effect<void, SqlError> => {
  const who = run.approvedBy ?? program
  const common = { at: run.startedAt, who, runId: run.runId }
  const entries = rows.map(
    ({ change, slot, stored }): AuditEntry => ({
      ...common,
      what: "change planned",
      why: reason(change),
      ...values(change),
      state: "planned",
      changeId: change.id,
      content: AuditSql.contentOf(slot, stored)
    })
  )
  return AuditSql.append(sql, run.account, [
    { ...common, what: "run begun", why: run.planId, state: run.status },
    ...entries
  ])
}

/** A change that has moved, as the statement that moved it returned it. */
export interface Moved {
  readonly change_id: string
  readonly change: string
}

/** Changes of a run that moved to a state. */
export const moved = (
  sql: SqlClient.SqlClient,
  runId: string,
  changes: ReadonlyArray<Moved>,
  to: string,
  note: {
    readonly nowMs: number
    readonly detail?: string | undefined
    readonly requestHash?: string | undefined
  }
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    if (changes.length === 0) return
    const run = yield* owner(sql, runId)
    const entries = changes.map(
      ({ change, change_id }): AuditEntry => ({
        at: note.nowMs,
        who: run.approved_by ?? program,
        what: "change moved",
        why: note.detail,
        ...values(JSON.parse(change) as Change),
        state: to,
        runId,
        changeId: change_id,
        content: note.requestHash
      })
    )
    yield* AuditSql.append(sql, run.account, entries)
  })

/** A run's end. */
export const finished = (
  sql: SqlClient.SqlClient,
  runId: string,
  status: RunRecord["status"],
  counts: string,
  nowMs: number
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { account, approved_by } = yield* owner(sql, runId)
    const who = approved_by ?? program
    const entry = { at: nowMs, who, what: "run finished", why: counts, state: status, runId }
    if (account !== "") yield* AuditSql.append(sql, account, [entry])
  })

interface Owner {
  readonly account: string
  readonly approved_by: string | null
}

const owner = (sql: SqlClient.SqlClient, runId: string): Effect.Effect<Owner, SqlError> =>
  Effect.map(
    sql<Owner>`SELECT account, approved_by FROM runs WHERE run_id = ${runId}`,
    ([found]) => found ?? { account: "", approved_by: null }
  )

const values = ({ after, before }: Change) => ({
  before: JSON.stringify(before),
  after: JSON.stringify(after)
})

/** The rule, and what it saw. */
const reason = ({ policy, policyLine, reason }: Change): string =>
  `${policy}, line ${policyLine}: ${reason.map(({ condition, value }) => `${condition} (${value})`).join("; ")}`
