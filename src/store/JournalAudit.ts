/** What the journal's changes look like in the audit chain. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { Change } from "../engine/decide/Plan.js"
import type { JournalRow, RunRecord } from "../engine/run/Journal.js"
import type { AuditEntry } from "./AuditEntry.js"
import * as AuditSql from "./AuditSql.js"
import * as Dialect from "./Dialect.js"

/** The rows of the chain that the journal's moves append, each in the transaction of its move. */
export interface Chain {
  readonly begun: typeof begun
  readonly moved: typeof moved
  readonly finished: typeof finished
  readonly movedColumns: typeof movedColumns
}

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

/** A change that has moved, as the statement that moved it returned it: its two values, or all of it, as JSON. */
export interface Moved {
  readonly change_id: string
  readonly before_value?: string | null
  readonly after_value?: string | null
  readonly change?: string
}

/**
 * Columns of a changed row of `changes` that make it a `Moved`. SQLite takes the values out, because the whole change
 * would be read for nothing; PostgreSQL refuses to look into JSON that has a zero character in any name of it.
 */
export const movedColumns = (sql: SqlClient.SqlClient): Fragment =>
  sql.literal(
    Dialect.pick(sql, {
      sqlite: "change_id, change -> '$.before' AS before_value, change -> '$.after' AS after_value",
      postgres: "change_id, change"
    })
  )

const valuesOf = ({ after_value, before_value, change }: Moved) =>
  change === undefined
    ? { before: before_value ?? undefined, after: after_value ?? undefined }
    : values(JSON.parse(change))

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
      (row): AuditEntry => ({
        at: note.nowMs,
        who: run.approved_by ?? program,
        what: "change moved",
        why: note.detail,
        ...valuesOf(row),
        state: to,
        runId,
        changeId: row.change_id,
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
