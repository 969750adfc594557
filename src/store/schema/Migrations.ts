/**
 * Brings a store to this program's schema by the numbered steps it has not had yet. Every step is one transaction, so a
 * killed migration leaves the steps before it; several programs that start together wait for each other.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dialect from "../clients/Dialect.js"
import * as Failure from "../clients/Failure.js"
import * as Statements from "../clients/Statements.js"
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
    yield* understood([...found], known, store)
    for (const step of known) if (!found.has(step.version)) yield* apply(sql, step)
  })

export const migrate: Effect.Effect<void, StoreFailure, SqlClient.SqlClient> = migrateBy(steps)

/** Brings a new store to the schema of the one that the backup in `file` is of, whose versions are given; all of them must be known here. */
export const migrateTo = (
  wanted: ReadonlyArray<number>,
  file: string
): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* understood(wanted, steps, backupIn(file))
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
        yield* Statements.inside(sql.unsafe(statement))
      }
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO schema_version (version, name, applied_at)
        VALUES (${step.version}, ${step.name}, ${Math.floor(now)})`
    })
    // Whoever opens the same file in this process waits for it and lets no other fiber run meanwhile, not even this one.
  ).pipe(Effect.withMaxOpsBeforeYield(1_000_000))

/** Whose versions are looked at, and what a person can do where they are not of this program. */
interface Of {
  readonly action: string
  readonly newer: string
  readonly older: string
}

const store: Of = {
  action: "could not use the store",
  newer: "update bidhelm, or choose another place for the store",
  older:
    "move it away or choose another place for the store, and a new one is made. The new one knows nothing of what the old one left open: look at the account first"
}

const backupIn = (file: string): Of => ({
  action: `could not use the backup ${file}`,
  newer: "nothing was changed; update bidhelm and restore it again",
  older: "nothing was changed; restore it with the program that wrote it, or use another backup"
})

const understood = (
  found: ReadonlyArray<number>,
  known: ReadonlyArray<Step>,
  { action, newer, older }: Of
): Effect.Effect<void, StoreFailure> => {
  const refused = (hint: string) => new StoreFailure({ action, hint, cause: undefined })
  const [oldest, latest] = [known[0]!.version, known.at(-1)!.version]
  const [lowest, highest] = [Math.min(...found), Math.max(...found)]
  if (highest > latest)
    return refused(
      `it was written by a newer bidhelm (store version ${highest}, this program knows ${latest}); ${newer}`
    )
  if (lowest < oldest)
    return refused(
      `it was written by a bidhelm from before the first release (store version ${lowest}, this program begins with ${oldest}); ${older}`
    )
  return Effect.void
}

// The tables of the store as the database itself describes them, so that a backup forgets none.

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  /** Columns by which rows are told apart: its primary key, or else what is unique; all columns when it has neither. */
  readonly key: ReadonlyArray<string>
}

/** Made anew by every store: the version by migrating, the others by whoever runs. */
const ofTheMoment = new Set(["schema_version", "locks", "store_marks"])

/** Names of this program's tables, whether they are there or not. Others may share a PostgreSQL database with it. */
export const own: ReadonlySet<string> = new Set(
  steps.flatMap(({ sqlite }) => sqlite.flatMap((text) => /^CREATE TABLE (\w+)/.exec(text)?.[1] ?? []))
)

/** Tables with content worth keeping, those that others refer to first. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Table>, SqlError> =>
  Effect.gen(function* () {
    const names = (yield* everything(sql)).filter((name) => own.has(name) && !ofTheMoment.has(name))
    const tables = yield* Effect.forEach(names, (name) => describe(sql, name))
    const references = yield* sql.unsafe<{ child: string; parent: string }>(Dialect.pick(sql, foreignKeys))
    return sorted(tables, references)
  })

/** Names of all tables that are there, whoever made them. */
export const everything = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(sql.unsafe<{ name: string }>(Dialect.pick(sql, tableNames)), (rows) =>
    rows.map(({ name }) => name)
  )

const tableNames = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  postgres: `SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`
}

const foreignKeys = {
  sqlite: `SELECT master.name AS child, list."table" AS parent
    FROM sqlite_master AS master JOIN pragma_foreign_key_list(master.name) AS list WHERE master.type = 'table'`,
  postgres: `SELECT child.relname::text AS child, parent.relname::text AS parent FROM pg_constraint
    JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`
}

const describe = (sql: SqlClient.SqlClient, name: string): Effect.Effect<Table, SqlError> =>
  Effect.map(sql.unsafe<{ name: string; key: number }>(Dialect.pick(sql, columnsOf), [name]), (rows) => {
    const columns = rows.map((row) => row.name)
    const key = rows.filter((row) => row.key > 0).sort((a, b) => a.key - b.key)
    return { name, columns, key: key.length > 0 ? key.map((row) => row.name) : columns }
  })

const columnsOf = {
  sqlite: `SELECT info.name, CASE WHEN MAX(info.pk) OVER () > 0 THEN info.pk ELSE COALESCE(only.seqno + 1, 0) END AS key
    FROM pragma_table_info(?1) AS info LEFT JOIN pragma_index_info((SELECT name FROM pragma_index_list(?1)
      WHERE "unique" = 1 AND partial = 0 ORDER BY seq LIMIT 1)) AS only ON only.cid = info.cid
    ORDER BY info.cid`,
  postgres: `SELECT attribute.attname::text AS name,
      COALESCE(array_position(index.indkey::int2[], attribute.attnum), -1) + 1 AS key
    FROM pg_attribute AS attribute
    LEFT JOIN pg_index AS index ON index.indexrelid = (SELECT indexrelid FROM pg_index
      WHERE indrelid = attribute.attrelid AND indisunique AND indpred IS NULL AND indexprs IS NULL
      ORDER BY indisprimary DESC, indexrelid LIMIT 1)
    WHERE attribute.attrelid = to_regclass($1) AND attribute.attnum > 0 AND NOT attribute.attisdropped
    ORDER BY attribute.attnum`
}

const sorted = (
  tables: ReadonlyArray<Table>,
  references: ReadonlyArray<{ readonly child: string; readonly parent: string }>
): ReadonlyArray<Table> => {
  const done: Array<Table> = []
  let left = [...tables]
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name))
    const isFree = ({ name }: Table) =>
      !references.some(({ child, parent }) => child === name && parent !== name && waiting.has(parent))
    const free = left.filter(isFree)
    const next = free.length > 0 ? free : left
    done.push(...next)
    left = left.filter((table) => !next.includes(table))
  }
  return done
}
