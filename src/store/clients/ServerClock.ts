/** The clock of a PostgreSQL server, against which every machine that works on it can be held. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Transaction from "./Transaction.js"

/** How far this machine's clock is ahead of that of a PostgreSQL server, milliseconds. */
export const aheadMs = (sql: SqlClient.SqlClient): Effect.Effect<number, StoreFailure> =>
  Transaction.read(
    sql,
    "read the database's clock",
    Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      const rows = yield* sql<{ now: number }>`SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000
            AS DOUBLE PRECISION) AS now`
      const after = yield* Clock.currentTimeMillis
      // Somewhere between the two it was asked.
      const theirs = rows[0]?.now ?? before
      return theirs < before ? before - theirs : theirs > after ? after - theirs : 0
    })
  )
