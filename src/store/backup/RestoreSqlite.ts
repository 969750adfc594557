/** A restore into a SQLite file: the new one is made beside it and then takes its place. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs"
import * as SqlClient from "@effect/sql/SqlClient"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as Failure from "../clients/Failure.js"
import * as SqliteClient from "../clients/SqliteClient.js"
import * as Restore from "./Restore.js"
import * as Stood from "./Stood.js"

/** Files of SQLite that belong together. */
const parts = ["", "-wal", "-shm"]

export interface Replacing extends Restore.Restored {
  /** What was there before, by its new name. */
  readonly replaced: string | undefined
  /** How many holds stood in it, and stand on; undefined when that could not be read. */
  readonly holds: number | undefined
  /** It was known in what was there which files of limits and floors the account had had, and stays known; false where that could not be read. */
  readonly isMarked: boolean
}

/**
 * Restores into a SQLite file. The new one is made beside it and then takes its place; what was there is
 * `STORE.replaced-TIME`. Refuses while another process has the store open.
 */
export const into = (path: string, store: string, nowMs: number): Effect.Effect<Replacing, StoreFailure> =>
  Effect.gen(function* () {
    const header = yield* Restore.verified(path)
    const fresh = `${store}.restoring`
    const act = <A>(what: string, body: () => A) =>
      Effect.try({
        try: body,
        catch: (cause) => (cause instanceof StoreFailure ? cause : Failure.from(what, cause))
      })
    yield* act("look at the store", () => alone(store, nowMs))
    yield* act("make room", () => removeAll(fresh))
    const stood = yield* standing(store, Date.parse(header.createdAt))
    const restored = yield* Effect.provide(
      Effect.zipLeft(Restore.load(path, header, nowMs, stood), settled),
      SqliteClient.layer({ filename: fresh })
    ).pipe(
      // Whatever ends it, a failure, a defect or a signal.
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) ? Effect.void : Effect.ignore(act("clean up", () => removeAll(fresh)))
      )
    )
    return yield* act("put the restored store in its place", () => {
      const stamp = new Date(nowMs).toISOString().replaceAll(":", "-")
      const replaced = existsSync(store) ? `${store}.replaced-${stamp}` : undefined
      // A copy, because the driver lets go of the file it has written only when it feels like it. There may be no room
      // for it, so the store stays where it is until it is whole.
      copyFileSync(fresh, `${store}.new`)
      const copied = openSync(`${store}.new`, "r")
      fsyncSync(copied)
      closeSync(copied)
      exchange(store, replaced)
      removeAll(fresh)
      const isMarked = replaced === undefined || stood.marks !== undefined
      return { ...restored, replaced, holds: stood.holds?.length, isMarked }
    }).pipe(Effect.tapError(() => Effect.ignore(act("clean up", () => cleared(store, fresh)))))
  })

/** Puts `STORE.new` in the place of the store; when that cannot be done, the store is where it was. */
const exchange = (store: string, replaced: string | undefined): void => {
  const moved: Array<string> = []
  try {
    for (const part of replaced === undefined ? [] : parts) {
      if (!existsSync(store + part)) continue
      renameSync(store + part, replaced + part)
      moved.push(part)
    }
    renameSync(`${store}.new`, store)
  } catch (cause) {
    for (const part of moved.reverse()) renameSync(replaced + part, store + part)
    throw cause
  }
}

const cleared = (store: string, fresh: string): void => {
  removeAll(fresh)
  rmSync(`${store}.new`, { force: true })
}

/** Everything is in the file itself afterwards, nothing in its write-ahead log. */
const settled = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")
).pipe(Effect.mapError((error) => Failure.from("finish the restored store", error)))

const removeAll = (path: string): void => {
  for (const part of parts) rmSync(path + part, { force: true })
}

/** What stands in a store that is to be replaced; what cannot be read of it is undefined, all where there is no store. */
const standing = (store: string, sinceMs: number) =>
  Stood.read(sinceMs, <Row>(statement: string) =>
    Effect.sync((): ReadonlyArray<Row> | undefined => {
      if (!existsSync(store)) return undefined
      let database: InstanceType<typeof DatabaseSync> | undefined
      try {
        database = new DatabaseSync(store, { readOnly: true })
        return database.prepare(statement).all() as Array<Row>
      } catch {
        return undefined
      } finally {
        database?.close()
      }
    })
  )

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
