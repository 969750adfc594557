/** Copies the whole store into one file while others go on working. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as LimitsMemorySql from "../accounts/LimitsMemorySql.js"
import * as Dialect from "../clients/Dialect.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import * as Migrations from "../schema/Migrations.js"
import * as BackupFile from "./BackupFile.js"

export interface Written {
  readonly path: string
  readonly rows: number
  readonly sha256: string
  readonly header: BackupFile.Header
}

/** Rows per statement; those of the second kind may be megabytes each. */
const page = 500
const largePage = 10
const large = new Set([
  "plans",
  "day_snapshot_parts",
  "scarce_answers",
  "promotion_members",
  "calendar_answers"
])

/**
 * Writes the store as it is at one moment to a new file, with its checksum beside it. Give it a connection that reads
 * without locking others out (`SqliteClient` with `readOnly`).
 */
export const write = (
  path: string,
  nowMs: number
): Effect.Effect<Written, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const action = `write the backup ${path}`
    const file = yield* Effect.try({
      try: () => new BackupFile.Writing(path),
      catch: (cause) => Failure.ofFile(action, path, cause)
    })
    const lines = (values: ReadonlyArray<BackupFile.Header | BackupFile.Line>) =>
      Effect.try({
        try: () => {
          for (const value of values) file.line(value)
        },
        catch: (cause) => Failure.ofFile(action, path, cause)
      })
    const written = Transaction.read(sql, "read the store for its backup", function* () {
      if (!(yield* Migrations.everything(sql)).includes("schema_version")) return yield* nothing(path)
      const header = yield* headerOf(sql, nowMs)
      yield* lines([header])
      let rows = 0
      for (const table of yield* Migrations.all(sql)) rows += yield* dump(sql, table, lines)
      rows += yield* marks(sql, lines)
      yield* lines([{ end: true, rows }])
      return { rows, header }
    })
    return yield* written.pipe(
      Effect.flatMap(({ header, rows }) =>
        Effect.try({
          try: (): Written => ({ path, rows, header, sha256: file.finish() }),
          catch: (cause) => Failure.ofFile(action, path, cause)
        })
      ),
      Effect.onError(() => Effect.sync(() => file.abandon()))
    )
  })

const nothing = (path: string): StoreFailure =>
  new StoreFailure({
    action: `could not write the backup ${path}`,
    hint: "there is no store yet in this database; nothing to back up",
    cause: undefined
  })

const headerOf = (sql: SqlClient.SqlClient, nowMs: number): Effect.Effect<BackupFile.Header, SqlError> =>
  Effect.gen(function* () {
    const versions = yield* sql<{ version: number }>`SELECT version FROM schema_version ORDER BY version`
    const names = yield* Migrations.everything(sql)
    const heads = names.includes("audit_heads")
      ? yield* sql<
          BackupFile.Header["heads"][number]
        >`SELECT account, seq, hash FROM audit_heads ORDER BY account`
      : []
    return {
      format: "bidhelm-backup",
      version: 1,
      createdAt: new Date(nowMs).toISOString(),
      database: Dialect.isPostgres(sql) ? "postgres" : "sqlite",
      schema: versions.map(({ version }) => version),
      heads: heads.map(({ account, hash, seq }) => ({ account, seq, hash }))
    }
  })

type Lines = (values: ReadonlyArray<BackupFile.Line>) => Effect.Effect<void, StoreFailure>

/** Of all marks only those of limits and price floors: the others say what this very store knows. */
const marks = (sql: SqlClient.SqlClient, lines: Lines) =>
  Effect.gen(function* () {
    if (!(yield* Migrations.everything(sql)).includes("store_marks")) return 0
    const found = yield* LimitsMemorySql.all(sql)
    yield* lines([
      { table: "store_marks", columns: ["name", "account", "at", "detail"] },
      ...found.map(({ account, at, detail, name }) => [name, account, BackupFile.written(at), detail])
    ])
    return found.length
  })

const dump = (sql: SqlClient.SqlClient, table: Migrations.Table, lines: Lines) =>
  Effect.gen(function* () {
    yield* lines([{ table: table.name, columns: table.columns }])
    const size = large.has(table.name) ? largePage : page
    const key = table.key.map((column) => `"${column}"`).join(", ")
    const columns = table.columns.map((column) => `"${column}"`).join(", ")
    // Without a key a position is all there is to go on from; within one transaction it stays true.
    const hasKey = table.key !== table.columns
    const places = table.key.map((_, i) => (Dialect.isPostgres(sql) ? `$${i + 1}` : "?")).join(", ")
    let after: ReadonlyArray<unknown> | undefined
    for (let rows = 0; ; ) {
      const from = hasKey && after !== undefined ? `WHERE (${key}) > (${places})` : ""
      const skip = hasKey ? "" : `OFFSET ${rows}`
      const found = yield* sql.unsafe<Readonly<Record<string, unknown>>>(
        `SELECT ${columns} FROM "${table.name}" ${from} ORDER BY ${key} LIMIT ${size} ${skip}`,
        hasKey ? (after ?? []) : []
      )
      yield* lines(found.map((row) => table.columns.map((column) => BackupFile.written(row[column]))))
      rows += found.length
      const last = found[found.length - 1]
      if (last === undefined || found.length < size) return rows
      after = table.key.map((column) => last[column])
    }
  })
