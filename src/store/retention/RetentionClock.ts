/**
 * The instant by which a program forgets by itself. A clock that is a year ahead makes everything look old, so the
 * instant moves on by two days at most from one time to the next; after a longer standstill it catches up.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Transaction from "../clients/Transaction.js"

const dayMs = 86_400_000
const mostStepMs = 2 * dayMs

/** Epoch milliseconds, at most `nowMs`; kept as the last time, with `nowMs`. */
export const believed = (nowMs: number): Effect.Effect<number, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.run(
      sql,
      "note when the store forgets",
      Effect.gen(function* () {
        const [last] = yield* sql<{ at: number }>`SELECT at FROM store_marks
          WHERE name = 'purged' AND account = ''`
        // One from the future is of a clock that was ahead.
        const at = last === undefined ? nowMs : Math.min(nowMs, Number(last.at) + mostStepMs)
        yield* StoreMarks.put(sql, "purged", "", at, `${Math.floor(nowMs)}`)
        return at
      })
    )
  )

/** Whether the last time was a day ago or more, for a program that does not run on. */
export const isDue = (nowMs: number): Effect.Effect<boolean, StoreFailure, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.read(
      sql,
      "read when the store forgot",
      Effect.map(
        sql<{ at: number; detail: string }>`SELECT at, detail FROM store_marks
          WHERE name = 'purged' AND account = ''`,
        // By when it was, not by the instant believed then: that may be months behind and moves on two days at a time.
        ([last]) =>
          last === undefined || Math.abs(nowMs - Number(last.detail === "" ? last.at : last.detail)) >= dayMs
      )
    )
  )
