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
import type { StoreFailure } from "../../engine/run/Ports.js"
import type { Bucket } from "../../services/Limiter.js"
import {
  LimiterStore,
  LimiterStoreFailure,
  type QuotaRow,
  type StoredBucket,
  type StoredQuota
} from "../../services/ports/LimiterStore.js"
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
        Effect.gen(function* () {
          const rows = yield* sql<{ state: string }>`SELECT state FROM limiter_buckets
            WHERE account = ${bucket.account} AND token_kind = ${bucket.tokenKind} AND limit_group = ${bucket.limitGroup}`
          const before = rows[0]?.state
          const [answer, next] = change(before === undefined ? undefined : parse(before))
          const after = JSON.stringify(next)
          if (after !== before) {
            yield* sql`INSERT INTO limiter_buckets (account, token_kind, limit_group, bucket, state)
              VALUES (${bucket.account}, ${bucket.tokenKind}, ${bucket.limitGroup}, ${JSON.stringify(bucket)}, ${after})
              ON CONFLICT (account, token_kind, limit_group) DO UPDATE SET bucket = excluded.bucket, state = excluded.state`
          }
          return answer
        }).pipe(
          (body) => Transaction.run(sql, "store the state of the limits", body),
          Effect.mapError(failure)
        ),
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
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
