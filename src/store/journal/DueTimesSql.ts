/** Due times in the store. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../domain/Days.js"
import * as Lane from "../../domain/Lane.js"
import { type DueRecord, DueTimes, type NewDue } from "../../engine/schedule/DueTimes.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Context.Tag.Service<DueTimes>

export const layer: Layer.Layer<DueTimes, never, SqlClient.SqlClient> = Layer.effect(
  DueTimes,
  Effect.map(SqlClient.SqlClient, (sql): Methods => ({ ...reading(sql), ...writing(sql) }))
)

// `last` goes from job to job by the key: months of turns of each are not gone through.
const reading = (sql: SqlClient.SqlClient): Pick<Methods, "last" | "open" | "allOpen" | "find"> => ({
  last: ({ account, lane }, nowMs) =>
    Transaction.read(
      sql,
      "read when jobs were due last",
      Effect.map(
        sql<Row>`WITH RECURSIVE named (job) AS (
            SELECT MIN(job) FROM due_times WHERE account = ${account} AND lane = ${lane}
            UNION ALL SELECT (SELECT MIN(job) FROM due_times WHERE account = ${account} AND lane = ${lane}
              AND job > named.job) FROM named WHERE named.job IS NOT NULL)
          SELECT one.* FROM named, due_times AS one WHERE one.account = ${account} AND one.lane = ${lane}
            AND one.job = named.job AND one.due_at = (SELECT MAX(due_at) FROM due_times
              WHERE account = ${account} AND lane = ${lane} AND job = named.job
                AND since <= ${Math.floor(nowMs)} AND due_at <= ${Math.floor(nowMs + Days.clockMayErrMs)})`,
        (rows) => new Map(rows.map((row) => [row.job, recordOf(row)]))
      )
    ),
  open: ({ account, lane }) =>
    Transaction.read(
      sql,
      "read what is due",
      Effect.map(
        sql<Row>`SELECT * FROM due_times WHERE account = ${account} AND lane = ${lane} AND state IN ('waiting', 'running')
          ORDER BY due_at, job`,
        (rows) => rows.map(recordOf)
      )
    ),
  allOpen: Transaction.read(
    sql,
    "read what is due",
    Effect.map(
      sql<Row>`SELECT * FROM due_times WHERE state IN ('waiting', 'running') ORDER BY account, lane, due_at, job`,
      (rows) => {
        const byLane = new Map<string, Array<DueRecord>>()
        for (const row of rows) {
          const records = byLane.get(Lane.key(row)) ?? []
          byLane.set(Lane.key(row), records)
          records.push(recordOf(row))
        }
        return byLane
      }
    )
  ),
  find: ({ account, lane }, { dueAt, job }) =>
    Transaction.read(
      sql,
      "read what became of a due time",
      Effect.map(
        sql<Row>`SELECT * FROM due_times
          WHERE account = ${account} AND lane = ${lane} AND job = ${job} AND due_at = ${Math.floor(dueAt)}`,
        ([row]) => (row === undefined ? undefined : recordOf(row))
      )
    )
})

const writing = (sql: SqlClient.SqlClient): Pick<Methods, "record" | "claim" | "planning" | "finish"> => ({
  record: (dues, nowMs) =>
    Transaction.run(
      sql,
      "record that jobs are due",
      Effect.map(
        Effect.forEach(dues, (due) => keep(sql, due, Math.floor(nowMs))),
        (kept) => kept.flat()
      )
    ),
  claim: ({ account, lane }, runId, nowMs, others = []) =>
    Transaction.run(sql, "give due jobs to a cycle", function* () {
      yield* sql`UPDATE due_times SET state = 'running', run_id = ${runId}, attempts = attempts + 1,
          updated_at = ${Math.floor(nowMs)} WHERE account = ${account} AND lane = ${lane}
          AND state IN ('waiting', 'running') AND ${others.length === 0 ? sql.literal("1 = 1") : sql`job NOT IN ${sql.in(others)}`}`
      const rows = yield* sql<Row>`SELECT * FROM due_times
          WHERE account = ${account} AND lane = ${lane} AND state = 'running' AND run_id = ${runId}
          ORDER BY due_at, job`
      return rows.map(recordOf)
    }),
  planning: ({ account, lane }, runId, what) =>
    Transaction.run(
      sql,
      "record that a plan begins or was made",
      Effect.asVoid(
        sql`UPDATE due_times SET cut_short = ${counted(sql, what)}
          WHERE account = ${account} AND lane = ${lane} AND state = 'running' AND run_id = ${runId}`
      )
    ),
  finish: ({ account, lane }, runId, dues, { detail, isWhole = false, nowMs, state }) =>
    Transaction.run(
      sql,
      "record how due jobs ended",
      Effect.forEach(
        dues,
        ({ dueAt, job }) => sql`UPDATE due_times SET state = ${state}, detail = ${detail},
          cut_short = 0, updated_at = ${Math.floor(nowMs)} WHERE account = ${account} AND lane = ${lane}
          AND job = ${job} AND due_at = ${Math.floor(dueAt)} AND ${ended(sql, isWhole, runId)}`,
        { discard: true }
      )
    )
})

/** A turn that a cycle has done is done, though another process took it meanwhile and gave it back. */
const ended = (sql: SqlClient.SqlClient, isWhole: boolean, runId: string) =>
  isWhole
    ? sql`(state = 'waiting' OR (state = 'running' AND run_id = ${runId}))`
    : sql`state = 'running' AND run_id = ${runId}`

const counted = (sql: SqlClient.SqlClient, what: "begins" | "made" | "left") =>
  what === "made"
    ? sql.literal("0")
    : what === "begins"
      ? sql.literal("cut_short + 1")
      : sql.literal("CASE WHEN cut_short > 0 THEN cut_short - 1 ELSE 0 END")

const keep = (sql: SqlClient.SqlClient, due: NewDue, nowMs: number) =>
  Effect.gen(function* () {
    const { account, job, lane, schedule, state } = due
    const dueAt = Math.floor(due.dueAt)
    const kept = yield* sql`INSERT INTO due_times
      (account, lane, job, due_at, since, schedule, state, attempts, recorded_at, updated_at)
      VALUES (${account}, ${lane}, ${job}, ${dueAt}, ${Math.floor(due.since)}, ${schedule}, ${state}, 0, ${nowMs}, ${nowMs})
      ON CONFLICT (account, lane, job, due_at) DO NOTHING RETURNING job`
    if (kept.length === 0) return []
    yield* sql`UPDATE due_times SET state = 'passed', detail = 'a later turn took its place', updated_at = ${nowMs}
      WHERE account = ${account} AND lane = ${lane} AND job = ${job} AND state = 'waiting' AND due_at < ${dueAt}`
    yield* doubt(sql, due, dueAt)
    return [due]
  })

/**
 * What seems to come later was made by a clock that was ahead, and covers nothing that comes before it. Of a schedule
 * that is counted anew it does not count at all.
 */
const doubt = (sql: SqlClient.SqlClient, { account, job, lane, schedule, state }: NewDue, dueAt: number) =>
  Effect.gen(function* () {
    if (state === "seen") {
      yield* sql`DELETE FROM due_times WHERE account = ${account} AND lane = ${lane} AND job = ${job} AND due_at > ${dueAt}
        AND due_at <= ${dueAt + Days.clockMayErrMs} AND schedule <> ${schedule} AND state NOT IN ('waiting', 'running')`
    }
    yield* sql`UPDATE due_times SET since = due_at
      WHERE account = ${account} AND lane = ${lane} AND job = ${job} AND due_at > ${dueAt} AND since < ${dueAt}`
  })

interface Row {
  readonly account: string
  readonly lane: Lane.Lane
  readonly job: string
  readonly due_at: number
  readonly since: number
  readonly schedule: string
  readonly state: DueRecord["state"]
  readonly run_id: string | null
  readonly detail: string | null
  readonly attempts: number
  readonly cut_short: number
  readonly recorded_at: number
  readonly updated_at: number
}

const recordOf = (row: Row): DueRecord => ({
  account: row.account,
  lane: row.lane,
  job: row.job,
  dueAt: Number(row.due_at),
  since: Number(row.since),
  schedule: row.schedule,
  state: row.state,
  runId: row.run_id ?? undefined,
  detail: row.detail ?? undefined,
  attempts: Number(row.attempts),
  cutShort: Number(row.cut_short),
  recordedAt: Number(row.recorded_at),
  updatedAt: Number(row.updated_at)
})
