/** The mark of an account whose rules came with a file of limits, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Transaction from "../clients/Transaction.js"

const name = "limits known"

/** Copies the mark of an account to another name of it, where there is none. Call it in a transaction. */
export const carry = (sql: SqlClient.SqlClient, from: string, to: string) =>
  sql`INSERT INTO store_marks (name, account, at, detail)
    SELECT name, ${to}, at, detail FROM store_marks WHERE name = ${name} AND account = ${from}
    ON CONFLICT (name, account) DO NOTHING`

/** Needs a migrated store. */
export const layer: Layer.Layer<LimitsMemory, never, SqlClient.SqlClient> = Layer.effect(
  LimitsMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    known: (account) =>
      Transaction.read(
        sql,
        "look whether the account had limits",
        Effect.map(
          sql<{ at: number; detail: string }>`SELECT at, detail FROM store_marks
            WHERE name = ${name} AND account = ${account}`,
          ([mark]) => (mark === undefined ? undefined : { path: mark.detail, atMs: mark.at })
        )
      ),
    keep: (account, { atMs, path }) =>
      Transaction.run(
        sql,
        "remember that the account has limits",
        Effect.asVoid(StoreMarks.put(sql, name, account, atMs, path))
      )
  }))
)
