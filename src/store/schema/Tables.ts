/** The tables of the store as the database itself describes them, so that a backup forgets none. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Dialect from "../clients/Dialect.js"
import { steps } from "./Steps.js"

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
