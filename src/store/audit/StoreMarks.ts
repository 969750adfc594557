/** Marks about the store as a whole: a restored one only looks until what happened meanwhile is known. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { type ObserveOnly, refusal } from "../../engine/door/ObserveOnly.js"

const carriedOver = "journal carried over"

/** Why an account may only be looked at; undefined when it may be written to. */
export const observeOnly = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<ObserveOnly | undefined, SqlError> =>
  Effect.map(
    sql<{ at: number; detail: string }>`SELECT mark.at, mark.detail FROM store_marks AS mark
      WHERE mark.name = 'observe-only' AND NOT EXISTS (SELECT 1 FROM store_marks AS done
        WHERE done.name = 'reconciled' AND done.account = ${account} AND done.at >= mark.at)`,
    ([mark]) => (mark === undefined ? undefined : { at: mark.at, why: mark.detail })
  )

/** `observeOnly` of all accounts at once. */
export const observeOnlyOfAll = (
  sql: SqlClient.SqlClient
): Effect.Effect<(account: string) => ObserveOnly | undefined, SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* sql<{ at: number; detail: string }>`SELECT at, detail FROM store_marks
      WHERE name = 'observe-only'`
    if (found === undefined) return () => undefined
    const lifted = yield* sql<{ account: string }>`SELECT account FROM store_marks
      WHERE name = 'reconciled' AND at >= ${found.at}`
    const accounts = new Set(lifted.map(({ account }) => account))
    const mark = { at: found.at, why: found.detail }
    return (account: string) => (accounts.has(account) ? undefined : mark)
  })

/** Whether one of all accounts may only be looked at. */
export const marked = (sql: SqlClient.SqlClient): Effect.Effect<(account: string) => boolean, SqlError> =>
  Effect.map(observeOnlyOfAll(sql), (markOf) => (account) => markOf(account) !== undefined)

/** Marks the whole store, every account of it. */
export const mark = (sql: SqlClient.SqlClient, nowMs: number, why: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM store_marks WHERE name IN ('reconciled', ${carriedOver})`
    yield* put(sql, "observe-only", "", nowMs, why)
  })

/** Lifts the mark for one account. */
export const lift = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number,
  who: string
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const marked = yield* sql<{ at: number }>`SELECT at FROM store_marks WHERE name = 'observe-only'`
    // A clock that was set back must not leave the mark younger than its end.
    yield* put(sql, "reconciled", account, Math.max(nowMs, marked[0]?.at ?? 0), who)
  })

/** The journal of the account has what was sent until the store was marked; of all accounts, by "". Call it in the transaction that marks. */
export const carried = (sql: SqlClient.SqlClient, account: string, nowMs: number) =>
  put(sql, carriedOver, account, nowMs, "from the store that was replaced")

/** Whether the journal of the account has what was sent until the store was marked; nobody knows what it lacks else. */
export const isCarried = (sql: SqlClient.SqlClient, account: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`SELECT 1 FROM store_marks AS done WHERE done.name = ${carriedOver} AND done.account IN (${account}, '')
      AND done.at >= (SELECT MAX(mark.at) FROM store_marks AS mark WHERE mark.name = 'observe-only')`,
    (rows) => rows.length > 0
  )

/** Accounts whose journal may lack what was sent, and nobody has looked since; in both databases' words. */
export const withGap = `SELECT head.account FROM audit_heads AS head JOIN store_marks AS mark ON mark.name = 'observe-only'
  WHERE NOT EXISTS (SELECT 1 FROM store_marks AS done WHERE done.account = head.account AND done.at >= mark.at
    AND done.name IN ('reconciled', '${carriedOver}'))`

/** Fails when nothing may be sent for the account. Call it in the transaction that would allow sending. */
export const allowSending = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<void, SqlError | StoreFailure> =>
  Effect.flatMap(observeOnly(sql, account), (mark) =>
    mark === undefined ? Effect.void : Effect.fail(refusal(mark, account))
  )

/** Writes a mark, or replaces the one of this name. */
export const put = (sql: SqlClient.SqlClient, name: string, account: string, nowMs: number, detail: string) =>
  sql`INSERT INTO store_marks (name, account, at, detail) VALUES (${name}, ${account}, ${Math.floor(nowMs)}, ${detail})
    ON CONFLICT (name, account) DO UPDATE SET at = excluded.at, detail = excluded.detail`
