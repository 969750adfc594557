/**
 * Which PostgreSQL server a store was last written on. Another server, or the same one on another timeline, means that
 * a copy took over or that a backup was brought back: commits of ours may be missing, so the store only looks.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { type ObserveOnly, refusal } from "../../engine/door/ObserveOnly.js"
import * as Dialect from "../clients/Dialect.js"
import * as Transaction from "../clients/Transaction.js"
import * as StoreMarks from "./StoreMarks.js"

const name = "server"

/**
 * Notes the server when the store does not know one yet. When it is another one than noted, marks the store and ends
 * every epoch. Call it in the transaction that takes or renews an account's lock, or claims under it.
 */
export const check = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const found = yield* compared(sql)
    if (found === undefined || found.noted === found.now) return
    yield* StoreMarks.put(sql, name, "", nowMs, found.now)
    if (found.noted === null) return
    yield* halt(sql, nowMs, replaced)
  })

/**
 * Marks the store and ends every epoch, so that no run which began before claims anything more: what it had claimed may
 * be forgotten.
 */
export const halt = (sql: SqlClient.SqlClient, nowMs: number, why: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* StoreMarks.mark(sql, nowMs, why)
    yield* sql`UPDATE locks SET epoch = epoch + 1`
  })

/**
 * Fails when nothing may be sent for the account, as the marks say and as the server shows. Call it in the transaction
 * that would allow sending. It marks nothing: the failure would take the mark back; whoever takes a lock does.
 */
export const allowSending = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<void, SqlError | StoreFailure> =>
  Effect.flatMap(another(sql), (mark) =>
    mark === undefined ? StoreMarks.allowSending(sql, account) : Effect.fail(refusal(mark, account))
  )

/**
 * Why an account may only be looked at, as the marks say and as the server shows; undefined when it may be written to.
 * Writes nothing: a plan and whoever asks for the state know of a failover before anybody has taken a lock.
 */
export const observeOnly = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<ObserveOnly | undefined, SqlError> =>
  Effect.gen(function* () {
    return (yield* another(sql)) ?? (yield* StoreMarks.observeOnly(sql, account))
  })

/** The same of all accounts at once. */
export const observeOnlyOfAll = (
  sql: SqlClient.SqlClient
): Effect.Effect<(account: string) => ObserveOnly | undefined, SqlError> =>
  Effect.gen(function* () {
    const mark = yield* another(sql)
    return mark === undefined ? yield* StoreMarks.observeOnlyOfAll(sql) : () => mark
  })

/** Whether the server is not the one that was noted: its last changes may be lost. */
export const isAnother = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.map(another(sql), (mark) => mark !== undefined)

/** Why no account may be written to: the server is not the one that was noted. */
const another = (sql: SqlClient.SqlClient): Effect.Effect<ObserveOnly | undefined, SqlError> =>
  Effect.gen(function* () {
    const found = yield* compared(sql)
    if (found === undefined || found.noted === null || found.noted === found.now) return undefined
    return { at: yield* Clock.currentTimeMillis, why: replaced }
  })

const replaced =
  "PostgreSQL was replaced by a copy (failover, or a backup brought back), and the last changes may not be in it"

/** The server that was noted and the one this is; undefined on SQLite, which has none. */
const compared = (sql: SqlClient.SqlClient): Effect.Effect<Found | undefined, SqlError> =>
  Dialect.isPostgres(sql)
    ? Effect.map(
        sql<Found>`SELECT mark.detail AS noted,
        (SELECT system_identifier::text FROM pg_control_system()) || ' ' ||
        SUBSTR(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS now
      FROM (SELECT 1) AS one LEFT JOIN store_marks AS mark ON mark.name = ${name} AND mark.account = ''`,
        ([found]) => found
      )
    : Effect.succeed(undefined)

interface Found {
  readonly noted: string | null
  readonly now: string
}

// The clock of a PostgreSQL server, against which every machine that works on it can be held.

/** How far this machine's clock is ahead of that of a PostgreSQL server, milliseconds. */
export const aheadMs = (sql: SqlClient.SqlClient): Effect.Effect<number, StoreFailure> =>
  Transaction.read(sql, "read the database's clock", function* () {
    const before = yield* Clock.currentTimeMillis
    const rows = yield* sql<{ now: number }>`SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000
            AS DOUBLE PRECISION) AS now`
    const after = yield* Clock.currentTimeMillis
    // Somewhere between the two it was asked.
    const theirs = rows[0]?.now ?? before
    return theirs < before ? before - theirs : theirs > after ? after - theirs : 0
  })
