/** A restore into a SQLite file: the new one is made beside it and then takes its place. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import * as SqlClient from "@effect/sql/SqlClient"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../engine/run/Ports.js"
import * as Failure from "./Failure.js"
import * as Restore from "./Restore.js"
import * as SqliteClient from "./SqliteClient.js"

/** Files of SQLite that belong together. */
const parts = ["", "-wal", "-shm"]

/**
 * Restores into a SQLite file. The new one is made beside it and then takes its place; what was there is
 * `STORE.replaced-TIME`. Refuses while another process has the store open.
 */
export const into = (
  path: string,
  store: string,
  nowMs: number
): Effect.Effect<Restore.Restored & { readonly replaced: string | undefined }, StoreFailure> =>
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
      Effect.zipLeft(Restore.load(path, nowMs), settled),
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
