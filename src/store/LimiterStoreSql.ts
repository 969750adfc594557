/** The limiter's memory in the SQL store: `limiter_buckets`, one immediate transaction per decision. */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreFailure } from "../engine/run/Ports.js"
import type { Bucket } from "../services/Limiter.js"
import { LimiterStore, LimiterStoreFailure, type StoredBucket } from "../services/ports/LimiterStore.js"
import * as Transaction from "./Transaction.js"

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
              ON CONFLICT DO UPDATE SET bucket = excluded.bucket, state = excluded.state`
          }
          return answer
        }).pipe(
          (body) => Transaction.run(sql, "store the state of the limits", body),
          Effect.mapError(failure)
        ),
      list: sql<{ bucket: string; state: string }>`SELECT bucket, state FROM limiter_buckets
        ORDER BY account, token_kind, limit_group`.pipe(
        (body) => Transaction.run(sql, "read the state of the limits", body),
        Effect.map((rows) =>
          rows.map((row) => ({ bucket: JSON.parse(row.bucket) as Bucket, stored: parse(row.state) }))
        ),
        Effect.mapError(failure)
      )
    }
  })
)

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
