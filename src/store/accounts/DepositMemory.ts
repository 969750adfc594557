/**
 * Marks by which a store knows how far back its memory of an account's deposits goes. A store that was lost knows less than
 * the marketplace has seen, and the marker that guards it lies in the same folder. One that was restored, or went back, knows
 * them from its reconciliation on. No backup has these marks.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as AuditSql from "../audit/AuditSql.js"
import * as StoreMarks from "../audit/StoreMarks.js"

const known = "deposits known"
const allowed = "deposits allowed"

/** See `Journal.depositMemory`. An account with runs and without a mark is of before there were marks. */
export const read = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number
): Effect.Effect<{ readonly sinceMs: number; readonly allowedAtMs?: number }, SqlError> =>
  Effect.gen(function* () {
    const marks = yield* sql<{ name: string; at: number }>`SELECT name, at FROM store_marks
      WHERE account = ${account} AND name IN (${known}, ${allowed})`
    const at = (name: string) => marks.find((mark) => mark.name === name)?.at
    const allowedAtMs = at(allowed)
    return {
      sinceMs: at(known) ?? (yield* meet(sql, account, nowMs)),
      ...(allowedAtMs === undefined ? {} : { allowedAtMs })
    }
  })

const meet = (sql: SqlClient.SqlClient, account: string, nowMs: number): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const [first] = yield* sql<{ at: number | null }>`SELECT MIN(started_at) AS at FROM runs
      WHERE account = ${account}`
    const sinceMs = first?.at ?? Math.floor(nowMs)
    yield* StoreMarks.put(sql, known, account, sinceMs, "first met")
    return sinceMs
  })

/** From now on the store knows the account's deposits, and of nothing before. */
export const begin = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number,
  why: string
): Effect.Effect<void, SqlError> => Effect.asVoid(StoreMarks.put(sql, known, account, nowMs, why))

/** See `Journal.reconciledAt`. Nothing is sent between a restore, which has no such mark, and the reconciliation that sets it. */
export const reconciledAt = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ at: number }>`SELECT at FROM store_marks
      WHERE name = ${known} AND account = ${account} AND detail = 'reconciled'`,
    ([mark]) => (mark === undefined ? undefined : Number(mark.at))
  )

/** A person has looked, and says that deposits may be made. Call it in a transaction. */
export const allow = (
  sql: SqlClient.SqlClient,
  account: string,
  by: string,
  nowMs: number
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* StoreMarks.put(sql, allowed, account, nowMs, by)
    yield* AuditSql.append(sql, account, [{ at: nowMs, who: by, what: "deposits allowed on the first day" }])
  })
