/** Puts a backup in the place of the store. What was there is kept, and nothing is sent until it was reconciled. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as LimitsMemorySql from "../accounts/LimitsMemorySql.js"
import * as AuditSql from "../audit/AuditSql.js"
import { type Head, SerialFile } from "../audit/SerialFile.js"
import * as StoreMarks from "../audit/StoreMarks.js"
import * as Dialect from "../clients/Dialect.js"
import * as Transaction from "../clients/Transaction.js"
import * as Migrations from "../schema/Migrations.js"
import * as BackupFile from "./BackupFile.js"
import * as Stood from "./Stood.js"

export interface Restored {
  readonly header: BackupFile.Header
  readonly rows: number
  /** What was carried over from the store that was replaced. */
  readonly kept: Stood.Kept
  /** Where its chains end, if the journal of all of them was carried over. */
  readonly heads: ReadonlyArray<Head> | undefined
}

/** What was carried over is in these chains: a restore that follows takes them for a later state, and not for an old copy. */
export const note = (serial: string, { heads = [] }: Restored): Effect.Effect<void> =>
  Effect.try(() => {
    const file = new SerialFile(serial)
    const seen = file.heads()
    if (seen.size > 0) file.replace(seen, new Map(heads.map((head) => [head.account, head])))
  }).pipe(Effect.ignore)

/** Loads a file that was verified into the database in one transaction: every table anew, then this program's schema. */
export const load = (
  path: string,
  header: BackupFile.Header,
  nowMs: number,
  stood: Stood.Stood
): Effect.Effect<Restored, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const filled = Effect.gen(function* () {
      if (Dialect.isPostgres(sql)) yield* clear(sql)
      yield* Migrations.migrateTo(header.schema, path)
      const rows = yield* fill(sql, path)
      yield* Migrations.migrate
      yield* LimitsMemorySql.restored(sql, stood.marks ?? [])
      const why = `the store was restored from a backup of ${header.createdAt}`
      yield* StoreMarks.mark(sql, nowMs, why)
      for (const { account } of header.heads) {
        yield* AuditSql.append(sql, account, [{ at: nowMs, who: "bidhelm", what: "restored", why }])
      }
      const kept = yield* Stood.keep(sql, stood, nowMs)
      const ends = yield* sql<Head>`SELECT account, seq, hash FROM audit_heads WHERE seq > 0`
      // As of every marked store: whoever reconciles, does it from now on.
      const heads = ends.map((end) => ({ ...end, seq: Number(end.seq), reconciled: nowMs - 1 }))
      return { header, rows, kept, heads: kept.changes === undefined ? undefined : heads }
    })
    return yield* Transaction.alone(sql, "restore the backup", filled)
  })

/** The header of a file that is as it was written. */
export const verified = (path: string): Effect.Effect<BackupFile.Header, StoreFailure> =>
  reading(path, async () => {
    await BackupFile.verify(path)
    return BackupFile.header(path)
  })

/**
 * A PostgreSQL database may be shared: only this program's tables go, those of others stay. The runners' tables stay as
 * they are, without the messages: a due time that the backup does not know as done has to be sent again.
 */
const clear = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const there = new Set(yield* Migrations.everything(sql))
    for (const name of Migrations.own) yield* sql.unsafe(`DROP TABLE IF EXISTS "${name}" CASCADE`)
    for (const name of ["cluster_replies", "cluster_messages"]) {
      if (there.has(name)) yield* sql.unsafe(`DELETE FROM "${name}"`)
    }
  })

const reading = <A>(path: string, read: () => Promise<A>): Effect.Effect<A, StoreFailure> =>
  Effect.tryPromise({
    try: read,
    catch: (cause) =>
      cause instanceof StoreFailure ? cause : BackupFile.unusable(path, "it cannot be read", cause)
  })

/** Inserts line by line; the file's own count says whether it is whole. */
const fill = (sql: SqlClient.SqlClient, path: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => BackupFile.lines(path)),
    (lines) =>
      Effect.gen(function* () {
        yield* reading(path, () => lines.next())
        let insert: string | undefined
        let rows = 0
        for (;;) {
          const { done, value } = yield* reading(path, () => lines.next())
          if (done === true) return yield* BackupFile.unusable(path, "it ends early")
          if (!isLine(value)) return yield* BackupFile.unusable(path, "it has a line that no backup has")
          if ("table" in value) {
            if (!Migrations.own.has(value.table))
              return yield* BackupFile.unusable(path, `it has a table that no store has: ${value.table}`)
            insert = statement(sql, value)
          } else if ("end" in value) {
            if (value.rows === rows) return rows
            return yield* BackupFile.unusable(path, `it has ${rows} rows, and says another number`)
          } else if (insert === undefined) {
            return yield* BackupFile.unusable(path, "it has a row of no table")
          } else {
            yield* sql.unsafe(insert, value.map(BackupFile.read))
            rows++
          }
        }
      }),
    (lines) => Effect.promise(() => lines.return())
  )

const isLine = Schema.is(BackupFile.Line)

const statement = (
  sql: SqlClient.SqlClient,
  { columns, table }: { readonly table: string; readonly columns: ReadonlyArray<string> }
): string => {
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`
  const places = columns.map((_, i) => (Dialect.isPostgres(sql) ? `$${i + 1}` : "?"))
  return `INSERT INTO ${name(table)} (${columns.map(name).join(", ")}) VALUES (${places.join(", ")})`
}
