/** In how many runs in a row a policy's rows have matched, for `hold_for`. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Hold from "../../engine/decide/Hold.js"
import type { HoldCounts } from "../../engine/decide/Plan.js"
import { clockMayErrMs } from "../../engine/run/DueTimes.js"
import type { Journal } from "../../engine/run/Journal.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Pick<Context.Tag.Service<Journal>, "holds" | "keepHolds">

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  holds: (account) =>
    Transaction.read(
      sql,
      "read what was counted for hold_for",
      Effect.map(
        sql<Row>`SELECT policy, meaning, target, rule, runs, counted_at FROM holds WHERE account = ${account}`,
        (rows) =>
          new Map(
            rows.map(({ counted_at, meaning, policy, rule, runs, target }) => [
              Hold.key(policy, meaning, target),
              { rule, runs, countedAt: counted_at }
            ])
          )
      )
    ),
  keepHolds: (account, counts, atMs) =>
    Transaction.run(
      sql,
      "keep what was counted for hold_for",
      Effect.forEach(counts, (one) => keep(sql, account, one, Math.floor(atMs)), { discard: true })
    )
})

interface Row {
  readonly policy: string
  readonly meaning: string
  readonly target: string
  readonly rule: number
  readonly runs: number
  readonly counted_at: number
}

/** Replaces the counts of a policy, unless a later run has counted since; one that is too far ahead was none. */
const keep = (sql: SqlClient.SqlClient, account: string, { hash, policy, rows }: HoldCounts, at: number) =>
  Effect.gen(function* () {
    const before = yield* sql<Row>`SELECT * FROM holds WHERE account = ${account} AND policy = ${policy}`
    if (before.some((row) => row.counted_at > at && row.counted_at <= at + clockMayErrMs)) return
    const countedAt = new Map(
      before.filter(({ meaning }) => meaning === hash).map((row) => [row.target, row.counted_at])
    )
    yield* sql`DELETE FROM holds WHERE account = ${account} AND policy = ${policy}`
    for (const { fresh, row, rule, runs } of rows) {
      const counted = fresh ? at : (countedAt.get(row) ?? at)
      yield* sql`INSERT INTO holds (account, policy, meaning, target, rule, runs, counted_at)
        VALUES (${account}, ${policy}, ${hash}, ${row}, ${rule}, ${runs}, ${counted})`
    }
  })
