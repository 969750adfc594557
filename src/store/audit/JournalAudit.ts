/** What the journal's changes look like in the audit chain. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { JournalRow, RunRecord } from "../../engine/door/Journal.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Dialect from "../clients/Dialect.js"
import type { AuditEntry } from "./AuditEntry.js"
import * as AuditSql from "./AuditSql.js"

/**
 * The rows of the chain that the journal's moves append, each in the transaction of its move. A chain remembers the
 * runs that it has begun until they end, so that their changes are not read again with every move; of other runs, as
 * those of an earlier process, the store is asked.
 */
export interface Chain {
  /**
   * A run's beginning, and each of its changes with the text under which it was stored. Answers what remembers the run: call
   * it when the transaction is committed.
   */
  readonly begun: (
    sql: SqlClient.SqlClient,
    run: RunRecord,
    rows: ReadonlyArray<Pick<JournalRow, "slot" | "change"> & { readonly stored: string }>
  ) => Effect.Effect<() => void, SqlError>
  /** Columns of a changed row of `changes` that make it a `Moved`. */
  readonly movedColumns: (sql: SqlClient.SqlClient, runId: string) => Fragment
  /** Changes of a run that moved to a state. */
  readonly moved: (
    sql: SqlClient.SqlClient,
    runId: string,
    changes: ReadonlyArray<Moved>,
    to: string,
    note: {
      readonly nowMs: number
      readonly reason?: OutcomeReason | undefined
      readonly requestHash?: string | undefined
    }
  ) => Effect.Effect<void, SqlError>
  /** A run's end. */
  readonly finished: (sql: SqlClient.SqlClient, run: Ended, nowMs: number) => Effect.Effect<void, SqlError>
}

/** A run that has ended, as the statement that ended it returned it. */
export interface Ended {
  readonly account: string
  readonly run_id: string
  readonly approved_by: string | null
  readonly status: string
  readonly counts: string
}

/** A change that has moved, as the statement that moved it returned it: its two values, or all of it, as JSON. */
export interface Moved {
  readonly change_id: string
  readonly before_value?: string | null
  readonly after_value?: string | null
  readonly change?: string
}

export const make = (): Chain => {
  const begunRuns = new BegunRuns()
  return {
    begun: (sql, run, rows) =>
      Effect.suspend(() => {
        const begun = begunRun(run, rows)
        return Effect.as(AuditSql.append(sql, run.account, beginning(run, rows, begun)), () =>
          begunRuns.add(begun)
        )
      }),
    movedColumns: (sql, runId) =>
      sql.literal(begunRuns.get(runId) === undefined ? columns(sql) : "change_id"),
    moved: (sql, runId, changes, to, note) =>
      Effect.gen(function* () {
        if (changes.length === 0) return
        const known = begunRuns.get(runId)
        const run = known ?? (yield* owner(sql, runId))
        const rows = known === undefined && changes.some(isBare) ? yield* whole(sql, runId, changes) : changes
        const entries = rows.map((row): AuditEntry => {
          const { after, before } = known?.values.get(row.change_id) ?? valuesOf(row)
          return {
            at: note.nowMs,
            who: run.who,
            what: "change moved",
            why: note.reason === undefined ? undefined : JSON.stringify(note.reason),
            before,
            after,
            state: to,
            runId,
            changeId: row.change_id,
            content: note.requestHash
          }
        })
        yield* AuditSql.append(sql, run.account, entries)
      }),
    finished: (sql, { account, approved_by: who, counts: why, run_id: runId, status: state }, at) =>
      Effect.suspend(() => {
        begunRuns.forget(runId)
        return AuditSql.append(sql, account, [
          { at, who: who ?? program, what: "run finished", why, state, runId }
        ])
      })
  }
}

interface Owner {
  readonly account: string
  readonly who: string
}

/** Values of a change as JSON. */
interface Values {
  readonly before: string | undefined
  readonly after: string | undefined
}

interface BegunRun extends Owner {
  readonly runId: string
  /** By the name of the change. */
  readonly values: ReadonlyMap<string, Values>
}

/** Of each account the run that was begun here last, until it ends; one that is cut short never does. */
class BegunRuns {
  private readonly byAccount = new Map<string, BegunRun>()

  add(begun: BegunRun): void {
    const { account } = begun
    this.byAccount.delete(account)
    this.byAccount.set(account, begun)
    if (this.byAccount.size > mostRuns) this.byAccount.delete(this.byAccount.keys().next().value ?? "")
  }

  get(runId: string): BegunRun | undefined {
    for (const run of this.byAccount.values()) if (run.runId === runId) return run
    return undefined
  }

  forget(runId: string): void {
    const run = this.get(runId)
    if (run !== undefined) this.byAccount.delete(run.account)
  }
}

const begunRun = (run: RunRecord, rows: ReadonlyArray<Pick<JournalRow, "change">>): BegunRun => ({
  account: run.account,
  who: run.approvedBy ?? program,
  runId: run.runId,
  values: new Map(rows.map(({ change }) => [change.id, valuesIn(change)]))
})

/** So many are remembered; of others the store is asked. */
const mostRuns = 32

/** Who acts when nobody was named. */
export const program = "bidhelm"

function* beginning(
  run: Omit<RunRecord, "counts">,
  rows: Parameters<Chain["begun"]>[2],
  { values, who }: Pick<BegunRun, "values" | "who">
): Generator<AuditEntry> {
  const { planId, runId, startedAt: at, status } = run
  yield { at, who, what: "run begun", why: planId, state: status, runId }
  for (const { change, slot, stored } of rows) {
    yield {
      at,
      who,
      what: "change planned",
      why: reason(change),
      ...(values.get(change.id) ?? valuesIn(change)),
      state: "planned",
      runId,
      changeId: change.id,
      content: AuditSql.contentOf(slot, stored)
    }
  }
}

/**
 * Rows of a run that another store of the account knows, and this chain not, or not to its last moves: with the moments of then, so
 * that the journal agrees with them. `isNew` where the chain does not tell of its beginning.
 */
export function* carried(
  run: Omit<RunRecord, "counts"> & { readonly counts: string },
  rows: ReadonlyArray<JournalRow & { readonly stored: string }>,
  isNew: boolean
): Generator<AuditEntry> {
  const { approvedBy: who = program, counts, finishedAt, runId, status: state } = run
  if (isNew) yield* beginning({ ...run, status: "running" }, rows, { values: new Map(), who })
  for (const { change, reason, requestHash: content, sentAt, state, updatedAt } of rows) {
    const moved = { who, what: "change moved", ...valuesIn(change), runId, changeId: change.id, content }
    if (sentAt !== undefined) yield { ...moved, at: sentAt, state: "dispatching" }
    const why = reason === undefined ? undefined : JSON.stringify(reason)
    yield { ...moved, at: updatedAt, state, why }
  }
  if (finishedAt !== undefined) yield { at: finishedAt, who, what: "run finished", why: counts, state, runId }
}

/**
 * SQLite takes the values out, because the whole change would be read for nothing; PostgreSQL refuses to look into JSON
 * that has a zero character in any name of it.
 */
const columns = (sql: SqlClient.SqlClient): string =>
  Dialect.pick(sql, {
    sqlite: "change_id, change -> '$.before' AS before_value, change -> '$.after' AS after_value",
    postgres: "change_id, change"
  })

/** Returned while the run was remembered; it need not be any more when that is to be written down. */
const isBare = (row: Moved): boolean => row.change === undefined && row.after_value === undefined

/** Rows per statement: databases bound its parameters. */
const atOnce = 500

/** The rows with their values, in their order. */
const whole = (sql: SqlClient.SqlClient, runId: string, changes: ReadonlyArray<Moved>) =>
  Effect.gen(function* () {
    const found = new Map<string, Moved>()
    for (const some of Arr.chunksOf(changes, atOnce)) {
      const ids = some.map(({ change_id }) => change_id)
      const rows = yield* sql<Moved>`SELECT ${sql.literal(columns(sql))} FROM changes
        WHERE run_id = ${runId} AND change_id IN ${sql.in(ids)}`
      for (const row of rows) found.set(row.change_id, row)
    }
    return changes.map((row) => found.get(row.change_id) ?? row)
  })

const valuesOf = ({ after_value, before_value, change }: Moved): Values =>
  change === undefined
    ? { before: before_value ?? undefined, after: after_value ?? undefined }
    : valuesIn(JSON.parse(change))

const owner = (sql: SqlClient.SqlClient, runId: string): Effect.Effect<Owner, SqlError> =>
  Effect.map(
    sql<{ account: string; approved_by: string | null }>`SELECT account, approved_by FROM runs
      WHERE run_id = ${runId}`,
    ([found]) => ({ account: found?.account ?? "", who: found?.approved_by ?? program })
  )

const valuesIn = ({ after, before }: Pick<Change, "after" | "before">): Values => ({
  before: JSON.stringify(before),
  after: JSON.stringify(after)
})

/** The rule, and what it saw. */
const reason = ({ origin, reason }: Change): string =>
  `${origin.name}, line ${origin.by === "policy" ? origin.line : 0}: ${reason.map(({ condition, value }) => `${condition} (${value})`).join("; ")}`
