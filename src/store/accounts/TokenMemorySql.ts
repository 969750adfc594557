/** Whose tokens are, and what the marketplace refused to them, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import {
  type Binding,
  type Bound,
  type Rebound,
  type Refusal,
  TokenMemory,
  TokenMemoryFailure
} from "../../services/ports/TokenMemory.js"
import * as OneOrAll from "../audit/OneOrAll.js"
import * as PersonAudit from "../audit/PersonAudit.js"
import * as Transaction from "../clients/Transaction.js"
import * as StopsSql from "../people/StopsSql.js"
import * as DepositMemory from "./DepositMemory.js"
import * as LimitsMemorySql from "./LimitsMemorySql.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<TokenMemory, never, SqlClient.SqlClient> = Layer.effect(
  TokenMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    bind: (binding) =>
      Effect.gen(function* () {
        // Most runs find what stands already, and need no writer for it.
        const found = judged(
          yield* reading(sql, "read whose the account is", bindings(sql, binding)),
          binding
        )
        return found ?? (yield* writing(sql, "remember whose the account is", bound(sql, binding)))
      }),
    rebind: (account, seller, by, nowMs, why) =>
      writing(sql, "bind the account to its token", rebound(sql, account, seller, { at: nowMs, by, why })),
    bindings: reading(sql, "read whose the accounts are", bindings(sql)),
    refusals: (account) => reading(sql, "read which calls the marketplace refuses", refusals(sql, account)),
    refused: (one) =>
      writing(
        sql,
        "remember which calls the marketplace refuses",
        Effect.zipRight(
          // What is asked for other campaigns every time would leave a row each time.
          sql`DELETE FROM switched_off
            WHERE account = ${one.account} AND again_at < ${Math.floor(one.againAt) - forgottenMs}`,
          sql`INSERT INTO switched_off
            (account, operation, scope, status, said, token_mark, first_at, again_at)
          VALUES (${one.account}, ${one.operation}, ${one.scope}, ${one.status}, ${one.said}, ${one.tokenMark},
            ${Math.floor(one.firstAt)}, ${Math.floor(one.againAt)})
          ON CONFLICT (account, operation, scope) DO UPDATE SET status = excluded.status, said = excluded.said,
            token_mark = excluded.token_mark, first_at = excluded.first_at, again_at = excluded.again_at`
        ).pipe(Effect.asVoid)
      ),
    answered: (account, operation, scope) =>
      writing(
        sql,
        "forget what the marketplace refused",
        Effect.asVoid(sql`DELETE FROM switched_off
          WHERE account = ${account} AND operation = ${operation} AND scope = ${scope}`)
      ),
    forgive: (account, by, nowMs) =>
      writing(
        sql,
        "forget what the marketplace refused",
        Effect.gen(function* () {
          const found = yield* refusals(sql, account)
          if (found.length === 0) return found
          yield* sql`DELETE FROM switched_off WHERE account = ${account}`
          yield* PersonAudit.retried(sql, account, found, { at: nowMs, by })
          return found
        })
      )
  }))
)

/** A refusal that has been over for about a week, and was not met again, is let go of. */
const forgottenMs = 8 * 86_400_000

type Body<A> = Effect.Effect<A, SqlError | StoreFailure>

const reading = <A>(sql: SqlClient.SqlClient, action: string, body: Body<A>) =>
  Effect.mapError(Transaction.read(sql, action, body), failure)

const writing = <A>(sql: SqlClient.SqlClient, action: string, body: Body<A>) =>
  Effect.mapError(Transaction.run(sql, action, body), failure)

const failure = ({ action, cause, hint }: StoreFailure) => new TokenMemoryFailure({ action, hint, cause })

/** What stands already says about an account and its token's seller; undefined when neither is known. */
const judged = (
  known: ReadonlyArray<Binding>,
  { account, seller }: Pick<Binding, "account" | "seller">
): Bound | undefined => {
  const own = known.find((one) => one.account === account)
  if (own !== undefined) return own.seller === seller ? { _tag: "Bound" } : { _tag: "Other", binding: own }
  const taken = known.find((one) => one.seller === seller)
  return taken === undefined ? undefined : { _tag: "Taken", binding: taken }
}

const bound = (sql: SqlClient.SqlClient, binding: Binding) =>
  Effect.gen(function* () {
    const found = judged(yield* bindings(sql, binding), binding)
    if (found !== undefined) return found
    yield* insert(sql, binding)
    return { _tag: "Bound" } satisfies Bound
  })

const rebound = (
  sql: SqlClient.SqlClient,
  account: string,
  seller: string | undefined,
  said: PersonAudit.Said
): Body<Rebound> =>
  Effect.gen(function* () {
    const { at: nowMs, by } = said
    const before = yield* bindings(sql, { account, seller })
    for (const one of before) yield* sql`DELETE FROM account_sellers WHERE account = ${one.account}`
    if (seller !== undefined) yield* insert(sql, { account, seller, at: nowMs, by })
    const former = before.find((one) => one.seller === seller && one.account !== account)
    // What was deposited under this name was another seller's, or stands under another name.
    if (!before.some((one) => one.account === account && one.seller === seller))
      yield* DepositMemory.begin(sql, account, nowMs, "bound to a seller")
    let carried = 0
    if (former !== undefined) {
      yield* exchange(sql, former.account, account)
      // The other seller of an exchange may get the former name next; nothing would tell then where it comes from.
      const exchanged = before.some((one) => one.account === account)
      const others = exchanged ? yield* StopsSql.standing(sql, account) : []
      carried = (yield* StopsSql.carry(
        sql,
        yield* StopsSql.standing(sql, former.account),
        account,
        by,
        nowMs
      )).length
      yield* StopsSql.carry(sql, others, former.account, by, nowMs)
      yield* LimitsMemorySql.carry(sql, former.account, account)
      if (exchanged) yield* LimitsMemorySql.carry(sql, account, former.account)
    }
    yield* PersonAudit.rebound(sql, account, seller, before, said)
    return { before, carried, isKilled: yield* StopsSql.isKilled(sql, account, nowMs) }
  })

const insert = (sql: SqlClient.SqlClient, { account, at, by, seller }: Binding) =>
  sql`INSERT INTO account_sellers (account, seller, bound_at, bound_by)
    VALUES (${account}, ${seller}, ${Math.floor(at)}, ${by})`

/** All, or what stands of an account or of a seller. */
const bindings = (
  sql: SqlClient.SqlClient,
  of?: { readonly account: string; readonly seller: string | undefined }
): Effect.Effect<ReadonlyArray<Binding>, SqlError> =>
  Effect.map(
    sql<{ account: string; seller: string; bound_at: number; bound_by: string }>`
      SELECT account, seller, bound_at, bound_by FROM account_sellers
      WHERE ${OneOrAll.where(sql, of, ({ account, seller }) => sql`account = ${account} OR seller = ${seller ?? null}`)}
      ORDER BY account`,
    (rows) => rows.map(({ account, bound_at: at, bound_by: by, seller }) => ({ account, seller, at, by }))
  )

interface RefusalRow {
  readonly account: string
  readonly operation: string
  readonly scope: string
  readonly status: number
  readonly said: string
  readonly token_mark: string
  readonly first_at: number
  readonly again_at: number
}

/** All refusals of an account, or of every one, by account and operation; some may be over. */
export const refusals = (
  sql: SqlClient.SqlClient,
  account?: string
): Effect.Effect<ReadonlyArray<Refusal>, SqlError> =>
  Effect.map(
    sql<RefusalRow>`SELECT account, operation, scope, status, said, token_mark, first_at, again_at
      FROM switched_off WHERE ${OneOrAll.where(sql, account, (one) => sql`account = ${one}`)}
      ORDER BY account, operation, scope`,
    (rows) =>
      rows.map((row) => ({
        account: row.account,
        operation: row.operation,
        scope: row.scope,
        status: row.status,
        said: row.said,
        tokenMark: row.token_mark,
        firstAt: row.first_at,
        againAt: row.again_at
      }))
  )

// The marketplace counts calls by seller, the store by account: where the seller gets another name, its limits
// follow.

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
const exchange = (sql: SqlClient.SqlClient, one: string, other: string): Effect.Effect<void, SqlError> =>
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
