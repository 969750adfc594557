/**
 * Brings a store to this program's schema by the numbered steps it has not had yet. Every step is one transaction, so a
 * killed migration leaves the steps before it; several programs that start together wait for each other.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dialect from "../clients/Dialect.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import type { Step } from "./steps/Step.js"
import { steps } from "./steps/Steps.js"

/** Versions of this program's steps, ascending. */
export const versions: ReadonlyArray<number> = steps.map(({ version }) => version)

/** The highest version this program knows. */
export const latest = Math.max(...versions)

/** Applies what is missing; refuses a store that a newer program has written. */
export const migrate: Effect.Effect<void, StoreFailure, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* applied(sql).pipe(
    Effect.mapError((error) => Failure.from("read the version of the store", error))
  )
  const unknown = [...found].find((version) => version > latest)
  if (unknown !== undefined) return yield* tooNew(Math.max(...found))
  for (const step of steps) if (!found.has(step.version)) yield* apply(sql, step)
})

/** Brings a new store to the schema of another one, whose versions are given; all of them must be known here. */
export const migrateTo = (
  wanted: ReadonlyArray<number>
): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (wanted.some((version) => !versions.includes(version))) return yield* tooNew(Math.max(...wanted))
    for (const step of steps) if (wanted.includes(step.version)) yield* apply(sql, step)
  })

/** The store, ready for use. */
export const layer: Layer.Layer<never, StoreFailure, SqlClient.SqlClient> = Layer.effectDiscard(migrate)

/** Versions the store has had; none for a new one. */
const applied = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const tables = yield* sql.unsafe(Dialect.pick(sql, schemaTable))
    if (tables.length === 0) return new Set<number>()
    const rows = yield* sql<{ version: number }>`SELECT version FROM schema_version`
    return new Set(rows.map(({ version }) => version))
  })

const schemaTable = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
  // Not to_regclass: it remembers what it did not find while this program waited for its turn.
  postgres: "SELECT 1 FROM pg_tables WHERE tablename = 'schema_version' AND schemaname = current_schema()"
}

const apply = (sql: SqlClient.SqlClient, step: Step): Effect.Effect<void, StoreFailure> =>
  Transaction.alone(
    sql,
    `bring the store to version ${step.version}`,
    Effect.gen(function* () {
      if ((yield* applied(sql)).has(step.version)) return
      for (const statement of Dialect.isPostgres(sql) ? step.postgres : step.sqlite) {
        yield* sql.unsafe(statement)
      }
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO schema_version (version, name, applied_at)
        VALUES (${step.version}, ${step.name}, ${Math.floor(now)})`
    })
  )

const tooNew = (found: number) =>
  new StoreFailure({
    action: "could not use the store",
    hint: `it was written by a newer bidhelm (store version ${found}, this program knows ${latest}); update bidhelm, or choose another place for the store`,
    cause: undefined
  })
