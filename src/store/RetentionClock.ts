/**
 * The instant by which a program that runs on forgets. A clock that is a year ahead makes everything look old, so the
 * instant moves on by two days at most from one time to the next; after a longer standstill it catches up.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../engine/run/Ports.js"
import * as StoreMarks from "./StoreMarks.js"
import * as Transaction from "./Transaction.js"

const mostStepMs = 2 * 86_400_000

/** Epoch milliseconds, at most `nowMs`; kept as the last time. */
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
        yield* StoreMarks.put(sql, "purged", "", at, "")
        return at
      })
    )
  )
