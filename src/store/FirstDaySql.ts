/** Since when the store knows each account, and whose word ends its first day early: marks of the store. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Acquaintance } from "../engine/decide/FirstDay.js"
import type { Journal } from "../engine/run/Journal.js"
import * as PersonAudit from "./PersonAudit.js"
import * as StoreMarks from "./StoreMarks.js"
import * as Transaction from "./Transaction.js"

/** `detail` is why the day began; of the second one, who said so. */
const names = { since: "first-seen", allowed: "deposits-allowed" } as const

export const methods = (
  sql: SqlClient.SqlClient
): Pick<Context.Tag.Service<Journal>, "acquaintance" | "allowDeposits"> => ({
  acquaintance: (account, nowMs) =>
    Transaction.run(sql, "read since when the account is known", acquaintance(sql, account, nowMs)),
  allowDeposits: (account, by, nowMs) =>
    Transaction.run(
      sql,
      "allow deposits in the first day",
      Effect.gen(function* () {
        const { sinceMs } = yield* acquaintance(sql, account, nowMs)
        yield* StoreMarks.put(sql, names.allowed, account, nowMs, by)
        yield* PersonAudit.depositsAllowed(sql, account, sinceMs, by, nowMs)
      })
    )
})

/** Begins the account's first day when nothing says that it is known. Call it in a transaction that writes. */
const acquaintance = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number
): Effect.Effect<Acquaintance, SqlError> =>
  Effect.gen(function* () {
    const marks = yield* sql<Mark>`SELECT name, at, detail FROM store_marks
      WHERE account = ${account} AND name IN (${names.since}, ${names.allowed})`
    const since = marks.find(({ name }) => name === names.since)
    const allowed = marks.find(({ name }) => name === names.allowed)
    const began = since?.detail === left ? nowMs : (since?.at ?? (yield* firstTrace(sql, account)) ?? nowMs)
    // A day that began in the future, by a clock that was far ahead, would last until then.
    const sinceMs = Math.min(began, Math.floor(nowMs))
    const because = since?.detail === "marker" ? "marker" : "new"
    if (since?.at !== sinceMs || since.detail !== because) yield* begin(sql, account, sinceMs, because)
    return {
      sinceMs,
      because,
      ...(allowed === undefined ? {} : { allowed: { atMs: allowed.at, by: allowed.detail } })
    }
  })

interface Mark {
  readonly name: string
  readonly at: number
  readonly detail: string
}

/** The oldest run or plan of a store that was in use before it noted this. */
const firstTrace = (sql: SqlClient.SqlClient, account: string): Effect.Effect<number | undefined, SqlError> =>
  Effect.gen(function* () {
    const [run] = yield* sql<{ at: number | null }>`SELECT MIN(started_at) AS at FROM runs
      WHERE account = ${account}`
    const [plan] = yield* sql<{ at: string | null }>`SELECT MIN(created_at) AS at FROM plans
      WHERE account = ${account}`
    const planned = plan?.at == null ? undefined : Date.parse(plan.at)
    const found = [run?.at ?? undefined, planned].filter((at) => at !== undefined)
    return found.length === 0 ? undefined : Math.min(...found)
  })

const begin = (
  sql: SqlClient.SqlClient,
  account: string,
  sinceMs: number,
  because: Acquaintance["because"]
) => StoreMarks.put(sql, names.since, account, sinceMs, because)

/** Begins the account's first day anew and forgets whose word ended it. Call it in a transaction that writes. */
export const anew = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number,
  because: Acquaintance["because"]
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM store_marks WHERE account = ${account} AND name = ${names.allowed}`
    yield* begin(sql, account, Math.floor(nowMs), because)
  })

/** Of a name whose seller has another name now: whoever bears it next is new. */
const left = "left"

/** A seller that gets another name is known under it as long as under the former one, and leaves that. */
export const rename = (
  sql: SqlClient.SqlClient,
  from: string,
  to: string,
  nowMs: number
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* acquaintance(sql, from, nowMs)
    const marks = yield* sql<Mark>`SELECT name, at, detail FROM store_marks
      WHERE account = ${from} AND name IN (${names.since}, ${names.allowed})`
    yield* sql`DELETE FROM store_marks WHERE account = ${to} AND name = ${names.allowed}`
    for (const { at, detail, name } of marks) yield* StoreMarks.put(sql, name, to, at, detail)
    yield* sql`DELETE FROM store_marks WHERE account = ${from} AND name = ${names.allowed}`
    yield* StoreMarks.put(sql, names.since, from, nowMs, left)
  })
