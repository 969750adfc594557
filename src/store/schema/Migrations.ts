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
import { type Step, steps } from "./Steps.js"

/** Versions of this program's steps, ascending. */
export const versions: ReadonlyArray<number> = steps.map(({ version }) => version)

/** Applies the steps that are missing; refuses a store that a newer program has written, or one from before the first step. */
export const migrateBy = (
  known: ReadonlyArray<Step>
): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* applied(sql).pipe(
      Effect.mapError((error) => Failure.from("read the version of the store", error))
    )
    yield* understood([...found], known)
    for (const step of known) if (!found.has(step.version)) yield* apply(sql, step)
  })

export const migrate: Effect.Effect<void, StoreFailure, SqlClient.SqlClient> = migrateBy(steps)

/** Brings a new store to the schema of another one, whose versions are given; all of them must be known here. */
export const migrateTo = (
  wanted: ReadonlyArray<number>
): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* understood(wanted, steps)
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
    // Whoever opens the same file in this process waits for it and lets no other fiber run meanwhile, not even this one.
  ).pipe(Effect.withMaxOpsBeforeYield(1_000_000))

const understood = (
  found: ReadonlyArray<number>,
  known: ReadonlyArray<Step>
): Effect.Effect<void, StoreFailure> => {
  const [oldest, latest] = [known[0]!.version, known.at(-1)!.version]
  const [lowest, highest] = [Math.min(...found), Math.max(...found)]
  if (highest > latest)
    return refused(
      `it was written by a newer bidhelm (store version ${highest}, this program knows ${latest}); update bidhelm, or choose another place for the store`
    )
  if (lowest < oldest)
    return refused(
      `it was written by a bidhelm from before the first release (store version ${lowest}, this program begins with ${oldest}); move it away or choose another place for the store, and a new one is made. The new one knows nothing of what the old one left open: look at the account first`
    )
  return Effect.void
}

const refused = (hint: string) =>
  new StoreFailure({ action: "could not use the store", hint, cause: undefined })
