/** The marks of an account whose rules came with a file of limits, or a table with price floors, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Guard, LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Transaction from "../clients/Transaction.js"

const names: Readonly<Record<Guard, string>> = {
  limits: "limits known",
  "price floors": "price floors known"
}

/** Copies the marks of an account to another name of it, where there are none. Call it in a transaction. */
export const carry = (sql: SqlClient.SqlClient, from: string, to: string) =>
  sql`INSERT INTO store_marks (name, account, at, detail)
    SELECT name, ${to}, at, detail FROM store_marks WHERE ${sql.in("name", Object.values(names))} AND account = ${from}
    ON CONFLICT (name, account) DO NOTHING`

/** Needs a migrated store. */
export const layer: Layer.Layer<LimitsMemory, never, SqlClient.SqlClient> = Layer.effect(
  LimitsMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    known: (account, guard) =>
      Transaction.read(
        sql,
        `look whether the account had ${guard}`,
        Effect.map(
          sql<{ at: number; detail: string }>`SELECT at, detail FROM store_marks
            WHERE name = ${names[guard]} AND account = ${account}`,
          ([mark]) => (mark === undefined ? undefined : { path: mark.detail, atMs: mark.at })
        )
      ),
    keep: (account, guard, { atMs, path }) =>
      Transaction.run(
        sql,
        `remember that the account has ${guard}`,
        Effect.asVoid(StoreMarks.put(sql, names[guard], account, atMs, path))
      )
  }))
)
