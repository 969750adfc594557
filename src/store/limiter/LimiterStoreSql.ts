/**
 * The limiter's memory in the SQL store: `limiter_buckets` and `limiter_quotas`, one immediate transaction per
 * decision.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountName } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Bucket } from "../../services/Limiter.js"
import {
  LimiterStore,
  LimiterStoreFailure,
  type QuotaRow,
  type StoredBucket,
  type StoredQuota
} from "../../services/ports/LimiterStore.js"
import * as Processes from "../clients/Processes.js"
import * as Transaction from "../clients/Transaction.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<LimiterStore, never, SqlClient.SqlClient> = Layer.effect(
  LimiterStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const owner = JSON.stringify([hostname(), process.pid, randomUUID()])
    return {
      owner,
      alive: (name) => name === owner || isAlive(name),
      update: (bucket, change) =>
        Transaction.run(sql, "store the state of the limits", function* () {
          const rows = yield* sql<{ state: string }>`SELECT state FROM limiter_buckets
            WHERE account = ${bucket.account} AND token_kind = ${bucket.tokenKind} AND limit_group = ${bucket.limitGroup}`
          const before = rows[0]?.state
          const [answer, next] = change(before === undefined ? undefined : parse(before))
          const after = JSON.stringify(next)
          if (after !== before) {
            yield* sql`INSERT INTO limiter_buckets
                (account, token_kind, limit_group, bucket, state)
              VALUES (${bucket.account}, ${bucket.tokenKind}, ${bucket.limitGroup}, ${JSON.stringify(bucket)}, ${after})
              ON CONFLICT (account, token_kind, limit_group) DO UPDATE SET bucket = excluded.bucket, state = excluded.state`
          }
          return answer
        }).pipe(Effect.mapError(failure)),
      list: sql<{ bucket: string; state: string }>`SELECT bucket, state FROM limiter_buckets
        ORDER BY account, token_kind, limit_group`.pipe(
        (body) => Transaction.read(sql, "read the state of the limits", body),
        Effect.map((rows) =>
          rows.map((row) => ({ bucket: JSON.parse(row.bucket) as Bucket, stored: parse(row.state) }))
        ),
        Effect.mapError(failure)
      ),
      updateQuota: (account, quota, change) =>
        Effect.gen(function* () {
          const rows = yield* sql<{ state: string }>`SELECT state FROM limiter_quotas
            WHERE account = ${account} AND quota_group = ${quota.group}`
          const before = rows[0]?.state
          const [answer, next] = change(
            before === undefined ? undefined : (JSON.parse(before) as StoredQuota)
          )
          const after = JSON.stringify(next)
          if (after !== before) {
            yield* sql`INSERT INTO limiter_quotas (account, quota_group, per_day, state)
              VALUES (${account}, ${quota.group}, ${quota.perDay}, ${after})
              ON CONFLICT (account, quota_group) DO UPDATE SET per_day = excluded.per_day, state = excluded.state`
          }
          return answer
        }).pipe((body) => Transaction.run(sql, "store the daily quota", body), Effect.mapError(failure)),
      listQuotas: sql<QuotaColumns>`SELECT account, quota_group, per_day, state FROM limiter_quotas
        ORDER BY account, quota_group`.pipe(
        (body) => Transaction.read(sql, "read the daily quotas", body),
        Effect.map((rows) => rows.map(quotaRow)),
        Effect.mapError(failure)
      )
    }
  })
)

interface QuotaColumns {
  readonly account: string
  readonly quota_group: string
  readonly per_day: number
  readonly state: string
}

const quotaRow = (row: QuotaColumns): QuotaRow => ({
  account: AccountName(row.account),
  quota: { group: row.quota_group, perDay: row.per_day },
  stored: JSON.parse(row.state) as StoredQuota
})

const parse = (text: string): StoredBucket => JSON.parse(text) as StoredBucket

const failure = (error: StoreFailure) => new LimiterStoreFailure({ message: error.message, cause: error })

/** A process of another machine counts as alive, and so does one that may not be asked. */
const isAlive = (owner: string): boolean => {
  const [host, pid] = JSON.parse(owner) as [string, number]
  return host !== hostname() || Processes.lives(pid)
}

// Forgets limits of accounts and tokens that nobody uses any more.

/** The longest interval of any limit is a day; a month without a call says that there will be none. */
const idleMs = 30 * 86_400_000

interface IdleRow {
  readonly account: string
  readonly token_kind: string
  readonly limit_group: string
  readonly state: string
}

export const purgeIdle = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<number, StoreFailure> =>
  Transaction.run(sql, "forget old limits", function* () {
    const idle = yield* findIdle(sql, nowMs)
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

/** How many `purge` would forget. */
export const countIdle = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<number, StoreFailure> =>
  Transaction.read(
    sql,
    "count old limits",
    Effect.zipWith(
      findIdle(sql, nowMs),
      findQuotas(sql, nowMs),
      (idle, quotas) => idle.length + quotas.length
    )
  )

const findIdle = (sql: SqlClient.SqlClient, nowMs: number) =>
  Effect.map(sql<IdleRow>`SELECT account, token_kind, limit_group, state FROM limiter_buckets`, (rows) =>
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
