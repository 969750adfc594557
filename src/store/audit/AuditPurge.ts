/** Forgets the beginning of the audit chain so that what is left can still be verified. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Transaction from "../clients/Transaction.js"
import * as AuditSql from "./AuditSql.js"
import * as OneOrAll from "./OneOrAll.js"

const batch = 1_000

/** Rows further ahead than this were written by a clock that was wrong. */
const aheadMs = 86_400_000

interface Head {
  readonly account: string
  readonly purged_seq: number
  readonly purged_hash: string
}

/**
 * Removes the rows before `beforeMs` of every account, from the oldest on and without a gap. With each batch the hash
 * of its last row goes into the note of the chain's beginning and, as a row of its own, into the chain.
 */
export const purge = (
  sql: SqlClient.SqlClient,
  beforeMs: number,
  nowMs: number
): Effect.Effect<number, StoreFailure> =>
  Effect.gen(function* () {
    let total = 0
    for (const { account } of yield* heads(sql)) {
      for (;;) {
        const removed = yield* Transaction.run(
          sql,
          "forget old rows of the audit chain",
          removeBatch(sql, account, beforeMs, nowMs)
        )
        total += removed
        if (removed < batch) break
        yield* Effect.sleep(1)
      }
    }
    return total
  })

/** How many rows `purge` would remove. */
export const count = (
  sql: SqlClient.SqlClient,
  beforeMs: number,
  nowMs: number
): Effect.Effect<number, StoreFailure> =>
  Effect.gen(function* () {
    let total = 0
    for (const head of yield* heads(sql)) {
      const last = yield* Transaction.read(
        sql,
        "count old rows of the audit chain",
        lastOld(sql, head, beforeMs, nowMs)
      )
      total += Math.max(0, last - head.purged_seq)
    }
    return total
  })

const heads = (sql: SqlClient.SqlClient) =>
  Transaction.read(
    sql,
    "read the audit chain",
    sql<Head>`SELECT account, purged_seq, purged_hash FROM audit_heads ORDER BY account`
  )

/**
 * Number of the last row that is old and has nothing before it that stays. A row that a wrong clock dated ahead goes
 * with the old ones behind it, but for one whose run the journal keeps: that run must be found in the chain.
 */
const lastOld = (sql: SqlClient.SqlClient, { account, purged_seq }: Head, beforeMs: number, nowMs: number) =>
  Effect.gen(function* () {
    const [kept] = yield* sql<{ seq: number }>`SELECT seq FROM audit
      WHERE account = ${account} AND at >= ${beforeMs} AND (at <= ${Math.floor(nowMs) + aheadMs}
        OR EXISTS (SELECT 1 FROM runs WHERE runs.run_id = audit.run_id))
      ORDER BY seq LIMIT 1`
    const [last] = yield* sql<{ seq: number }>`SELECT seq FROM audit
      WHERE account = ${account} AND at < ${beforeMs}
        AND ${OneOrAll.where(sql, kept, ({ seq }) => sql`seq < ${seq}`)}
      ORDER BY seq DESC LIMIT 1`
    return last?.seq ?? purged_seq
  })

const removeBatch = (sql: SqlClient.SqlClient, account: string, beforeMs: number, nowMs: number) =>
  Effect.gen(function* () {
    const [head] = yield* sql<Head>`UPDATE audit_heads SET seq = seq WHERE account = ${account}
      RETURNING account, purged_seq, purged_hash`
    if (head === undefined) return 0
    const to = Math.min(yield* lastOld(sql, head, beforeMs, nowMs), head.purged_seq + batch)
    const removed = to - head.purged_seq
    const runs =
      yield* sql`SELECT 1 FROM runs WHERE account = ${account} AND finished_at < ${beforeMs} LIMIT 1`
    if (removed <= 0 && runs.length === 0) return 0
    const [last] =
      removed <= 0
        ? []
        : yield* sql<{ hash: string }>`SELECT hash FROM audit
      WHERE account = ${account} AND seq = ${to}`
    // A row that is missing is for `history --verify` to find, not for a purge to paper over.
    if (removed > 0 && last === undefined) return 0
    const hash = last?.hash ?? head.purged_hash
    const seq = removed > 0 ? to : head.purged_seq
    yield* sql`DELETE FROM audit WHERE account = ${account} AND seq <= ${seq}`
    yield* sql`UPDATE audit_heads SET purged_seq = ${seq}, purged_hash = ${hash} WHERE account = ${account}`
    yield* AuditSql.append(sql, account, [
      {
        at: nowMs,
        who: "bidhelm",
        what: "purged",
        why: `rows up to ${seq} and changes settled before ${beforeMs} were older than the store keeps them`,
        before: `${seq}`,
        after: `${beforeMs}`,
        content: hash
      }
    ])
    return Math.max(0, removed)
  })
