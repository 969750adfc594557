/** Where SQLite and PostgreSQL differ: types of columns and what single statements have to say in their own words. */
import type * as SqlClient from "@effect/sql/SqlClient"

/**
 * The statements of a schema step for PostgreSQL, from those for SQLite: integers of 64 bits, bytes, no table
 * options, and text that is compared byte by byte as SQLite does, whatever language the database was made for.
 * A statement that computes (`json_object`, `->`) has to be written by hand.
 */
export const postgresOf = (sqlite: ReadonlyArray<string>): ReadonlyArray<string> =>
  sqlite.map((statement) =>
    statement
      .replace(/\)\s*(STRICT|WITHOUT ROWID)(\s*,\s*(STRICT|WITHOUT ROWID))?\s*$/, ")")
      .replace(/\bINTEGER\b/g, "BIGINT")
      .replace(/\bREAL\b/g, "DOUBLE PRECISION")
      .replace(/\bBLOB\b/g, "BYTEA")
      .replace(/\bTEXT\b/g, `TEXT COLLATE "C"`)
  )

/** How SQLite begins a transaction that may write: as the only writer from its start. */
export const beginWriting = "BEGIN IMMEDIATE"

export const isPostgres = (sql: SqlClient.SqlClient): boolean =>
  sql.onDialectOrElse({ pg: () => true, orElse: () => false })

/**
 * An index of PostgreSQL without one of its columns: there a row of an index has to fit into a third of a page, so no
 * text without bounds may be in it.
 */
export const withoutColumn = (statements: ReadonlyArray<string>, index: string, column: string) =>
  statements.map((statement) =>
    statement.startsWith(`CREATE INDEX ${index} `) ? statement.replace(`, ${column})`, ")") : statement
  )

/** One of two texts, by the database. */
export const pick = (
  sql: SqlClient.SqlClient,
  texts: { readonly sqlite: string; readonly postgres: string }
) => (isPostgres(sql) ? texts.postgres : texts.sqlite)
