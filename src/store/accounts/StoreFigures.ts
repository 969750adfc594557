/** What the store knows of every account for an operator's eye, in one read that hinders nobody. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Dialect from "../clients/Dialect.js"
import * as Transaction from "../clients/Transaction.js"

/** Counts of one account. */
export interface AccountCounts {
  /** Changes that may have left and of which nobody knows whether they arrived. */
  readonly unknown: number
  /** Open changes past their deadline. */
  readonly overdue: number
  /** Deposits that only a person can settle. */
  readonly parked: number
  /** Single changes that wait for a person's approval. */
  readonly approvals: number
  /** Holds and kills that stand. */
  readonly holds: number
  /** Call limits that are shut until a deadline. */
  readonly frozen: number
  /** Number of the last entry of the audit chain. */
  readonly auditHead: number
  readonly observeOnly: boolean
}

export interface StoreCounts {
  readonly sizeBytes: number
  /** Of every account asked for. */
  readonly accounts: ReadonlyMap<string, AccountCounts>
}

/** Reads the counts of these accounts at `nowMs` (epoch milliseconds, the accounts' clock). */
export const read = (
  sql: SqlClient.SqlClient,
  accounts: ReadonlyArray<string>,
  nowMs: number
): Effect.Effect<StoreCounts, StoreFailure> =>
  Transaction.read(sql, "count what is open in the store", function* () {
    const now = Math.floor(nowMs)
    const open = yield* openChanges(sql, now)
    const unmade = yield* counted(
      sql,
      `SELECT account, COUNT(*) AS count FROM creations WHERE state IN ('dispatching', 'unknown') GROUP BY account`
    )
    const approvals = yield* counted(sql, asked(sql, now))
    const holds = yield* counted(
      sql,
      `SELECT account, COUNT(*) AS count FROM operator_holds
          WHERE lifted_at IS NULL AND (ends_at IS NULL OR ends_at > ${now}) GROUP BY account`
    )
    const frozen = yield* counted(sql, shut(sql, now))
    const heads = yield* counted(sql, "SELECT account, seq AS count FROM audit_heads")
    const isMarked = yield* StoreMarks.marked(sql)
    const found = new Map<string, AccountCounts>()
    for (const account of accounts) {
      const { overdue = 0, parked = 0, unknown = 0 } = open.get(account) ?? {}
      found.set(account, {
        unknown: unknown + (unmade.get(account) ?? 0),
        overdue,
        parked,
        approvals: approvals.get(account) ?? 0,
        holds: holds.get(account) ?? 0,
        frozen: frozen.get(account) ?? 0,
        auditHead: heads.get(account) ?? 0,
        observeOnly: isMarked(account)
      })
    }
    return { sizeBytes: yield* size(sql), accounts: found }
  })

interface Open {
  readonly unknown: number
  readonly overdue: number
  readonly parked: number
}

/** The words of the index of open changes, so that a journal of a million rows is not walked. */
const openList = "'planned', 'claimed', 'dispatching', 'accepted', 'unknown'"

const openChanges = (sql: SqlClient.SqlClient, now: number) =>
  Effect.map(
    sql.unsafe<Open & { readonly account: string }>(`SELECT account,
      SUM(CASE WHEN state IN ('dispatching', 'unknown') THEN 1 ELSE 0 END) AS unknown,
      SUM(CASE WHEN state <> 'parked' AND deadline_at <= ${now} THEN 1 ELSE 0 END) AS overdue,
      SUM(CASE WHEN state = 'parked' THEN 1 ELSE 0 END) AS parked
      FROM changes WHERE state IN (${openList}, 'parked') GROUP BY account`),
    (rows) =>
      new Map(
        rows.map(({ account, overdue, parked, unknown }): [string, Open] => [
          account,
          { unknown: Number(unknown), overdue: Number(overdue), parked: Number(parked) }
        ])
      )
  )

const counted = (
  sql: SqlClient.SqlClient,
  query: string
): Effect.Effect<ReadonlyMap<string, number>, SqlError> =>
  Effect.map(
    sql.unsafe<{ readonly account: string; readonly count: number }>(query),
    (rows) => new Map(rows.map(({ account, count }) => [account, Number(count)]))
  )

const asked = (sql: SqlClient.SqlClient, now: number): string =>
  `SELECT account, SUM(${Dialect.pick(sql, { sqlite: "json_array_length(asked)", postgres: "json_array_length(asked::json)" })})
    AS count FROM approvals WHERE state = 'requested' AND expires_at > ${now} GROUP BY account`

const shut = (sql: SqlClient.SqlClient, now: number): string =>
  `SELECT account, COUNT(*) AS count FROM limiter_buckets
    WHERE ${Dialect.pick(sql, { sqlite: "state ->> 'frozenUntil'", postgres: "CAST(state::json ->> 'frozenUntil' AS DOUBLE PRECISION)" })} > ${now}
    GROUP BY account`

const size = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.unsafe<{ readonly bytes: number }>(
      Dialect.pick(sql, {
        sqlite: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
        postgres: "SELECT pg_database_size(current_database()) AS bytes"
      })
    ),
    ([row]) => Number(row?.bytes ?? 0)
  )
