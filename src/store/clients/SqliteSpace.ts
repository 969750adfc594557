/** Gives the room of forgotten rows back to the disk: SQLite keeps it in the file otherwise. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../engine/run/Ports.js"
import * as Dialect from "./Dialect.js"
import * as Failure from "./Failure.js"

/** Pages of 4096 bytes per transaction. */
const pages = 500

/** Shrinks the file by its free pages. PostgreSQL does this by itself. */
export const giveBack = (sql: SqlClient.SqlClient): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function* () {
    if (Dialect.isPostgres(sql)) return
    for (let before = yield* free(sql); before > 0; ) {
      // It answers no rows and gives one page back with each step: what asks for its values goes on to its end.
      yield* sql.unsafe(`PRAGMA incremental_vacuum(${pages})`).values
      const left = yield* free(sql)
      // A file of an earlier version cannot shrink; its free pages are used again.
      if (left >= before) break
      before = left
      yield* Effect.sleep(1)
    }
    // As far as it goes without waiting for those who read.
    yield* sql.unsafe("PRAGMA wal_checkpoint(PASSIVE)")
  }).pipe(Effect.mapError((error) => Failure.from("shrink the store", error)))

const free = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ freelist_count: number }>`PRAGMA freelist_count`, ([row]) => row?.freelist_count ?? 0)
