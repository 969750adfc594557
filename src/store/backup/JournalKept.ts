/**
 * The journal of a store for the one that takes its place: what was sent since the backup was sent, whichever store stands. With
 * it the restored one knows the overlays it has on, what it paused, which supply goes with which wave, and what it paid.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Groups from "../../domain/Groups.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import * as AuditSql from "../audit/AuditSql.js"
import * as JournalAudit from "../audit/JournalAudit.js"
import type { Head, Heads } from "../audit/SerialFile.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as ChangeLogSql from "../journal/ChangeLogSql.js"
import * as JournalRows from "../journal/JournalRows.js"
import type * as BackupFile from "./BackupFile.js"

/** What the journals of accounts have since a backup was made. */
export interface Since {
  readonly accounts: ReadonlyArray<OfAccount>
  readonly watched: ReadonlyArray<WatchMark>
  readonly creations: ReadonlyArray<Creation>
  /** Accounts of which nobody can tell: their journal is no continuation of the backup's, or has a gap of its own. */
  readonly unknown: ReadonlyArray<string>
}

interface OfAccount {
  readonly account: string
  readonly runs: ReadonlyArray<Run>
}

interface Run {
  readonly row: RunRow
  /** Those that moved. */
  readonly changes: ReadonlyArray<{ readonly row: ChangeRow; readonly told: JournalRow }>
}

type RunRow = {
  readonly run_id: string
  readonly account: string
  readonly plan_id: string
  readonly started_at: number
  readonly finished_at: number | null
  readonly status: JournalRows.RunRow["status"]
  readonly counts: string
  readonly approved_by: string | null
  readonly lane: JournalRows.RunRow["lane"]
}
type ChangeRow = Omit<JournalRows.ChangeRow, "plan_id"> & { readonly change_id: string }
type WatchMark = Record<"run_id" | "change_id", string> & Record<"after_ms" | "judged_at", number>
type Creation = { readonly id: string; readonly account: string }

/** Answers the rows of a statement; undefined where they cannot be read. */
type Read<E> = <Row extends object>(statement: string) => Effect.Effect<ReadonlyArray<Row> | undefined, E>

/** What is known of the store that is replaced, beside what stands in it. */
export interface Noted {
  /** Ends of chains that this machine has seen in it; undefined where machines share a server, for one without a note then says nothing. */
  readonly heads: Heads | undefined
  /** The server went back under it, or an end that was noted here is not there. */
  readonly isOlder: boolean
}

/**
 * What the chains have behind the ends that the backup has: the chain tells it whatever the clocks say. A loss in one chain says what
 * the store is, so nothing is taken from it then. Undefined where nothing can be read.
 */
export const read = <E>(
  { heads }: Pick<BackupFile.Header, "heads">,
  read: Read<E>,
  noted: Noted
): Effect.Effect<Since | undefined, E> =>
  Effect.gen(function* () {
    const ends = yield* read<Head>("SELECT account, seq, hash FROM audit_heads ORDER BY account")
    const doubted = yield* read<{ account: string }>(StoreMarks.withGap)
    const watched = yield* read<WatchMark>("SELECT run_id, change_id, after_ms, judged_at FROM watch_marks")
    const creations = yield* read<Creation>("SELECT * FROM creations")
    if (ends === undefined || doubted === undefined || watched === undefined || creations === undefined)
      return undefined
    const hasGap = new Set(doubted.map(({ account }) => account))
    const names = new Set([...heads, ...ends].map(({ account }) => account))
    const isWhole = !noted.isOlder && (yield* haveAll([...heads, ...(noted.heads?.values() ?? [])], read))
    const accounts: Array<OfAccount> = []
    for (const account of isWhole ? names : []) {
      // Without a note nobody can tell whether it is an old copy.
      if (hasGap.has(account) || noted.heads?.has(account) === false) continue
      const head = heads.find((one) => one.account === account)
      const runs = yield* runsSince(account, head, read)
      if (runs !== undefined) accounts.push({ account, runs })
    }
    const known = new Set(accounts.map(({ account }) => account))
    return {
      accounts,
      watched,
      creations: creations.filter(({ account }) => known.has(account)),
      unknown: [...names].filter((account) => !known.has(account))
    }
  })

/** Whether the chains have these ends: a store that lacks one is another one, or an older copy. */
const haveAll = <E>(ends: ReadonlyArray<Head>, read: Read<E>) =>
  Effect.every(ends, ({ account, hash, seq }) =>
    Number(seq) === 0
      ? Effect.succeed(true)
      : Effect.map(
          read<Pick<Head, "hash">>(
            `SELECT hash FROM audit WHERE account = ${quoted(account)} AND seq = ${Number(seq)}`
          ),
          (rows) => rows?.[0]?.hash === hash
        )
  )

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const runsSince = <E>(account: string, head: Head | undefined, read: Read<E>) =>
  Effect.gen(function* () {
    const name = quoted(account)
    const seq = Number(head?.seq ?? 0)
    const since = `FROM audit WHERE account = ${name} AND seq > ${seq} AND run_id IS NOT NULL`
    const runs = yield* read<RunRow>(`SELECT * FROM runs
      WHERE run_id IN (SELECT run_id ${since}) ORDER BY started_at, run_id`)
    const changes =
      yield* read<ChangeRow>(`SELECT changes.* FROM (SELECT DISTINCT run_id, change_id ${since}) AS moved
      JOIN changes USING (run_id, change_id) ORDER BY run_id, position`)
    if (runs === undefined || changes === undefined) return undefined
    const ofRun = Groups.by(changes, ({ run_id }) => run_id)
    const found = yield* Effect.option(
      Effect.forEach(runs, (row) =>
        Effect.map(
          Effect.forEach(ofRun.get(row.run_id) ?? [], (change) =>
            Effect.map(JournalRows.toRow({ ...change, plan_id: row.plan_id }), (told) => ({
              row: change,
              told
            }))
          ),
          (changes): Run => ({ row, changes })
        )
      )
    )
    return Option.getOrUndefined(found)
  })

/** Writes it down, with the chain's rows of it. Answers how many changes that were. Call it in a transaction. */
export const keep = (
  sql: SqlClient.SqlClient,
  { accounts, creations, unknown, watched }: Since,
  nowMs: number
): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    for (const { account, runs } of accounts) {
      for (const run of runs) yield* keepRun(sql, run)
      yield* StoreMarks.carried(sql, account, nowMs)
    }
    // An account that has no chain sent nothing.
    if (unknown.length === 0) yield* StoreMarks.carried(sql, "", nowMs)
    for (const row of creations)
      yield* sql`INSERT INTO creations ${sql.insert(row)} ON CONFLICT (id) DO UPDATE SET state = excluded.state,
        found_id = excluded.found_id, reason = excluded.reason, updated_at = excluded.updated_at
        WHERE creations.updated_at <= excluded.updated_at`
    for (const { after_ms, change_id, judged_at, run_id } of watched)
      yield* sql`INSERT INTO watch_marks (run_id, change_id, after_ms, judged_at)
        SELECT run_id, change_id, CAST(${after_ms} AS BIGINT), CAST(${judged_at} AS BIGINT) FROM changes
        WHERE run_id = ${run_id} AND change_id = ${change_id} ON CONFLICT DO NOTHING`
    return accounts.flatMap(({ runs }) => runs).reduce((sum, { changes }) => sum + changes.length, 0)
  })

const keepRun = (sql: SqlClient.SqlClient, { changes, row }: Run) =>
  Effect.gen(function* () {
    const { account, run_id: runId } = row
    const there = yield* sql`SELECT 1 FROM runs WHERE run_id = ${runId}`
    const isNew = there.length === 0
    yield* sql`INSERT INTO runs ${sql.insert(row)} ON CONFLICT (run_id) DO UPDATE SET
      finished_at = excluded.finished_at, status = excluded.status, counts = excluded.counts`
    for (const { row } of changes)
      yield* sql`INSERT INTO changes ${sql.insert(row)} ON CONFLICT (run_id, change_id) DO UPDATE SET
        state = excluded.state, operation = excluded.operation, request_hash = excluded.request_hash,
        reason = excluded.reason, updated_at = excluded.updated_at, sent_at = excluded.sent_at,
        evidence = excluded.evidence, deadline_at = excluded.deadline_at`
    const told = changes.map(({ row, told }) => ({ ...told, stored: row.change }))
    if (isNew) yield* ChangeLogSql.record(sql, runId, told)
    const by = row.approved_by === null ? {} : { approvedBy: row.approved_by }
    const run = { ...JournalRows.toRun(row), ...by, counts: row.counts }
    yield* AuditSql.append(sql, account, JournalAudit.carried(run, told, isNew))
  })
