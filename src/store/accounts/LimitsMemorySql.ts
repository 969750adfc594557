/** The mark of an account whose rules came with a file of limits, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Transaction from "../clients/Transaction.js"

const name = "limits known"

/** Needs a migrated store. */
export const layer: Layer.Layer<LimitsMemory, never, SqlClient.SqlClient> = Layer.effect(
  LimitsMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    has: (account) =>
      Transaction.read(
        sql,
        "look whether the account had limits",
        Effect.map(
          sql`SELECT 1 AS found FROM store_marks WHERE name = ${name} AND account = ${account}`,
          (rows) => rows.length > 0
        )
      ),
    keep: (account, atMs) =>
      Transaction.run(
        sql,
        "remember that the account has limits",
        Effect.asVoid(StoreMarks.put(sql, name, account, atMs, "a file of limits"))
      )
  }))
)
