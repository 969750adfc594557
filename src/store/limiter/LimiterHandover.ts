/** The marketplace counts calls by seller, the store by account: where the seller gets another name, its limits follow. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

interface BucketRow {
  readonly account: string
  readonly token_kind: string
  readonly limit_group: string
  readonly bucket: string
  readonly state: string
}

interface QuotaRow {
  readonly account: string
  readonly quota_group: string
  readonly per_day: number
  readonly state: string
}

/**
 * Two accounts exchange what is used of their call limits, requests in the air among it. Within the transaction that
 * exchanges their sellers.
 */
export const exchange = (
  sql: SqlClient.SqlClient,
  one: string,
  other: string
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const names = sql.in([one, other])
    const buckets = yield* sql<BucketRow>`SELECT account, token_kind, limit_group, bucket, state
      FROM limiter_buckets WHERE account IN ${names}`
    const quotas = yield* sql<QuotaRow>`SELECT account, quota_group, per_day, state
      FROM limiter_quotas WHERE account IN ${names}`
    yield* sql`DELETE FROM limiter_buckets WHERE account IN ${names}`
    yield* sql`DELETE FROM limiter_quotas WHERE account IN ${names}`
    const opposite = (account: string) => (account === one ? other : one)
    for (const row of buckets) {
      const account = opposite(row.account)
      const bucket = JSON.stringify({ ...(JSON.parse(row.bucket) as object), account })
      yield* sql`INSERT INTO limiter_buckets (account, token_kind, limit_group, bucket, state)
        VALUES (${account}, ${row.token_kind}, ${row.limit_group}, ${bucket}, ${row.state})`
    }
    for (const row of quotas)
      yield* sql`INSERT INTO limiter_quotas (account, quota_group, per_day, state)
        VALUES (${opposite(row.account)}, ${row.quota_group}, ${row.per_day}, ${row.state})`
  })
