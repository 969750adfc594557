/** Puts a backup in the place of the store. What was there is kept, and nothing is sent until it was reconciled. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import * as SqlClient from "@effect/sql/SqlClient"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../engine/run/Ports.js"
import * as AuditSql from "./AuditSql.js"
import * as BackupFile from "./BackupFile.js"
import * as Dialect from "./Dialect.js"
import * as Failure from "./Failure.js"
import * as Migrations from "./Migrations.js"
import * as SqliteClient from "./SqliteClient.js"
import * as StoreMarks from "./StoreMarks.js"
import * as Tables from "./Tables.js"

export interface Restored {
  readonly header: BackupFile.Header
  readonly rows: number
}

/** Verifies the file, then loads it into the database in one transaction: every table anew, then this program's schema. */
export const load = (
  path: string,
  nowMs: number
): Effect.Effect<Restored, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const header = yield* reading(path, async () => {
      await BackupFile.verify(path)
      return BackupFile.header(path)
    })
    const filled = Effect.gen(function* () {
      for (const name of yield* Tables.everything(sql)) {
        if (Dialect.isPostgres(sql)) yield* sql.unsafe(`DROP TABLE "${name}" CASCADE`)
      }
      yield* Migrations.migrateTo(header.schema)
      const rows = yield* fill(sql, path)
      yield* Migrations.migrate
      const why = `the store was restored from a backup of ${header.createdAt}`
      yield* StoreMarks.mark(sql, nowMs, why)
      for (const { account } of header.heads) {
        yield* AuditSql.append(sql, account, [{ at: nowMs, who: "bidhelm", what: "restored", why }])
      }
      return { header, rows }
    })
    return yield* sql
      .withTransaction(filled)
      .pipe(
        Effect.mapError((error) =>
          error instanceof StoreFailure ? error : Failure.from("restore the backup", error)
        )
      )
  })

const reading = <A>(path: string, read: () => Promise<A>): Effect.Effect<A, StoreFailure> =>
  Effect.tryPromise({
    try: read,
    catch: (cause) =>
      cause instanceof StoreFailure ? cause : BackupFile.unusable(path, "it cannot be read", cause)
  })

/** Inserts line by line; the file's own count says whether it is whole. */
const fill = (sql: SqlClient.SqlClient, path: string) =>
  Effect.gen(function* () {
    const lines = BackupFile.lines(path)
    yield* reading(path, () => lines.next())
    let insert = ""
    let rows = 0
    for (;;) {
      const { done, value } = yield* reading(path, () => lines.next())
      if (done === true) return yield* BackupFile.unusable(path, "it ends early")
      if (Array.isArray(value)) {
        yield* sql.unsafe(insert, value.map(BackupFile.read))
        rows++
      } else if (isTable(value)) insert = statement(sql, value)
      else if (Reflect.get(value as object, "rows") === rows) return rows
      else return yield* BackupFile.unusable(path, `it has ${rows} rows, and says another number`)
    }
  })

const isTable = (
  value: unknown
): value is { readonly table: string; readonly columns: ReadonlyArray<string> } =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "table") === "string"

const statement = (
  sql: SqlClient.SqlClient,
  { columns, table }: { readonly table: string; readonly columns: ReadonlyArray<string> }
): string => {
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`
  const places = columns.map((_, i) => (Dialect.isPostgres(sql) ? `$${i + 1}` : "?"))
  return `INSERT INTO ${name(table)} (${columns.map(name).join(", ")}) VALUES (${places.join(", ")})`
}

/** Files of SQLite that belong together. */
const parts = ["", "-wal", "-shm"]

/**
 * Restores into a SQLite file. The new one is made beside it and then takes its place; what was there is
 * `STORE.replaced-TIME`. Refuses while another process has the store open.
 */
export const intoFile = (
  path: string,
  store: string,
  nowMs: number
): Effect.Effect<Restored & { readonly replaced: string | undefined }, StoreFailure> =>
  Effect.gen(function* () {
    const fresh = `${store}.restoring`
    const act = <A>(what: string, body: () => A) =>
      Effect.try({
        try: body,
        catch: (cause) => (cause instanceof StoreFailure ? cause : Failure.from(what, cause))
      })
    yield* act("look at the store", () => alone(store, nowMs))
    yield* act("make room", () => removeAll(fresh))
    const restored = yield* Effect.provide(
      Effect.zipLeft(load(path, nowMs), settled),
      SqliteClient.layer({ filename: fresh })
    ).pipe(Effect.tapError(() => act("clean up", () => removeAll(fresh))))
    return yield* act("put the restored store in its place", () => {
      const stamp = new Date(nowMs).toISOString().replaceAll(":", "-")
      const replaced = existsSync(store) ? `${store}.replaced-${stamp}` : undefined
      for (const part of replaced === undefined ? [] : parts) {
        if (existsSync(store + part)) renameSync(store + part, replaced + part)
      }
      // A copy, because the driver lets go of the file it has written only when it feels like it.
      copyFileSync(fresh, `${store}.new`)
      const copied = openSync(`${store}.new`, "r")
      fsyncSync(copied)
      closeSync(copied)
      renameSync(`${store}.new`, store)
      removeAll(fresh)
      return { ...restored, replaced }
    })
  })

/** Everything is in the file itself afterwards, nothing in its write-ahead log. */
const settled = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")
).pipe(Effect.mapError((error) => Failure.from("finish the restored store", error)))

const removeAll = (path: string): void => {
  for (const part of parts) rmSync(path + part, { force: true })
}

/** Throws when somebody works with the file: a lock that is held, or another connection. A damaged file has nobody. */
const alone = (store: string, nowMs: number): void => {
  if (!existsSync(store)) return
  let database: InstanceType<typeof DatabaseSync> | undefined
  try {
    database = new DatabaseSync(store, { timeout: 500 })
    const held = database.prepare("SELECT account, holder FROM locks WHERE until > ?").all(nowMs)[0]
    if (held !== undefined) throw busy(`a run is using it (${String(Reflect.get(held as object, "holder"))})`)
    // Leaving the write-ahead log needs the file for oneself.
    database.exec("PRAGMA journal_mode = DELETE")
  } catch (cause) {
    if (cause instanceof StoreFailure) throw cause
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "errcode") : undefined
    if (typeof code === "number" && (code & 0xff) === 5) throw busy("another process has it open", cause)
  } finally {
    database?.close()
  }
}

const busy = (why: string, cause?: unknown): StoreFailure =>
  new StoreFailure({
    action: "the store was not replaced",
    hint: `${why}; stop it (bidhelm run, apply) and restore again`,
    cause
  })
