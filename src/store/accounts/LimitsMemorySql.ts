/** The marks of an account whose rules came with a file of limits, or a table with price floors, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
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

/** A mark as it stands in the store. */
export interface Mark {
  readonly name: string
  readonly account: string
  readonly at: number
  readonly detail: string
}

/** The marks of all accounts; in SQLite's words and PostgreSQL's alike. */
export const everyMark = `SELECT name, account, at, detail FROM store_marks
  WHERE name IN (${Object.values(names)
    .map((name) => `'${name}'`)
    .join(", ")})`

/** The marks of all accounts, in their order. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Mark>, SqlError> =>
  sql<Mark>`${sql.literal(everyMark)} ORDER BY name, account`

/**
 * Of the marks that a backup brought those that it should, and beside them `stood`, those of the store that this one takes the place
 * of: of two the one that was seen last. All other marks of a backup go: they say what its own store had to look after.
 * Call it in a transaction.
 */
export const restored = (
  sql: SqlClient.SqlClient,
  stood: ReadonlyArray<Mark>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const brought = yield* all(sql)
    yield* sql`DELETE FROM store_marks`
    const lastSeen = [...brought, ...stood].sort((a, b) => a.at - b.at)
    for (const { account, at, detail, name } of lastSeen)
      yield* StoreMarks.put(sql, name, account, at, detail)
  })

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
