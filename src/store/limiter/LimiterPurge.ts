/** Forgets limits of accounts and tokens that nobody uses any more. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../engine/run/Ports.js"
import * as Transaction from "../clients/Transaction.js"

/** The longest interval of any limit is a day; a month without a call says that there will be none. */
const idleMs = 30 * 86_400_000

interface Row {
  readonly account: string
  readonly token_kind: string
  readonly limit_group: string
  readonly state: string
}

export const purge = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<number, StoreFailure> =>
  Transaction.run(
    sql,
    "forget old limits",
    Effect.gen(function* () {
      const idle = yield* find(sql, nowMs)
      for (const { account, limit_group, token_kind } of idle) {
        yield* sql`DELETE FROM limiter_buckets WHERE account = ${account} AND token_kind = ${token_kind}
          AND limit_group = ${limit_group}`
      }
      const quotas = yield* findQuotas(sql, nowMs)
      for (const { account, quota_group } of quotas) {
        yield* sql`DELETE FROM limiter_quotas WHERE account = ${account} AND quota_group = ${quota_group}`
      }
      return idle.length + quotas.length
    })
  )

/** How many `purge` would forget. */
export const count = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<number, StoreFailure> =>
  Transaction.read(
    sql,
    "count old limits",
    Effect.zipWith(find(sql, nowMs), findQuotas(sql, nowMs), (idle, quotas) => idle.length + quotas.length)
  )

const find = (sql: SqlClient.SqlClient, nowMs: number) =>
  Effect.map(sql<Row>`SELECT account, token_kind, limit_group, state FROM limiter_buckets`, (rows) =>
    rows.filter(({ state }) => isIdle(JSON.parse(state) as unknown, nowMs - idleMs))
  )

interface Quota {
  readonly account: string
  readonly quota_group: string
  readonly state: string
}

const findQuotas = (sql: SqlClient.SqlClient, nowMs: number) =>
  Effect.map(sql<Quota>`SELECT account, quota_group, state FROM limiter_quotas`, (rows) =>
    rows.filter(({ state }) => isOver(JSON.parse(state) as unknown, nowMs - idleMs))
  )

/** A quota counts within its day; one that the marketplace refused stays until it is open again. */
const isOver = (state: unknown, beforeMs: number): boolean => {
  if (typeof state !== "object" || state === null) return false
  const day: unknown = Reflect.get(state, "day")
  const closed: unknown = Reflect.get(state, "closedUntil")
  const isOld = typeof day === "string" && Date.parse(day) < beforeMs
  return isOld && (typeof closed !== "number" || closed < beforeMs)
}

const isIdle = (state: unknown, beforeMs: number): boolean => {
  if (typeof state !== "object" || state === null) return false
  const used: unknown = Reflect.get(state, "creditAt")
  const frozen: unknown = Reflect.get(state, "frozenUntil")
  return typeof used === "number" && used < beforeMs && (typeof frozen !== "number" || frozen < beforeMs)
}
