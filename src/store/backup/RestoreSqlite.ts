/** A restore into a SQLite file: the new one is made beside it and then takes its place. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync
} from "node:fs"
import * as SqlClient from "@effect/sql/SqlClient"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { StoreFailure } from "../../domain/StoreFailure.js"
import { SerialFile } from "../audit/SerialFile.js"
import * as Failure from "../clients/Failure.js"
import * as SqliteClient from "../clients/SqliteClient.js"
import type * as BackupFile from "./BackupFile.js"
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
 * `STORE.replaced-TIME`. Refuses while another process has the store open, and nobody opens it before this has ended.
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
    const isThere = existsSync(store)
    const own = yield* Effect.acquireRelease(
      act("look at the store", () => (isThere ? taken(store) : undefined)),
      (database) => Effect.sync(() => letGo(database))
    )
    yield* act("make room", () => removeAll(fresh))
    const stood = yield* standing(store, own, header)
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
      const replaced = isThere ? `${store}.replaced-${stamp}` : undefined
      // A copy, because the driver lets go of the file it has written only when it feels like it. There may be no room
      // for it, so the store stays where it is until it is whole.
      copyFileSync(fresh, `${store}.new`)
      const copied = openSync(`${store}.new`, "r")
      fsyncSync(copied)
      closeSync(copied)
      if (!isThere && existsSync(store)) throw busy("another process has made one meanwhile")
      // There a file that is open cannot be replaced.
      if (process.platform === "win32") letGo(own)
      exchange(store, replaced)
      removeAll(fresh)
      const isMarked = replaced === undefined || stood.marks !== undefined
      return { ...restored, replaced, holds: stood.holds?.length, isMarked }
    }).pipe(
      Effect.tapError(() => Effect.ignore(act("clean up", () => cleared(store, fresh)))),
      Effect.tap((replacing) => Restore.note(`${store}.serial`, replacing))
    )
  }).pipe(Effect.scoped)

/** Puts `STORE.new` in the place of the store, which is there at every moment; when that cannot be done, it is as it was. */
const exchange = (store: string, replaced: string | undefined): void => {
  const moved: Array<string> = []
  try {
    if (replaced !== undefined) {
      // Of a damaged store only. Before the store itself: SQLite would take them for those of the new one.
      for (const part of ["-wal", "-shm"]) {
        if (!existsSync(store + part)) continue
        renameSync(store + part, replaced + part)
        moved.push(part)
      }
      named(store, replaced)
    }
    renameSync(`${store}.new`, store)
  } catch (cause) {
    for (const part of moved.reverse()) renameSync(replaced + part, store + part)
    if (replaced !== undefined) rmSync(replaced, { force: true })
    throw cause
  }
}

/** Some disks, such as exFAT, know one name for a file only. */
const named = (store: string, replaced: string): void => {
  try {
    linkSync(store, replaced)
  } catch {
    copyFileSync(store, replaced)
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
const standing = (store: string, own: Database | undefined, header: BackupFile.Header) =>
  Stood.read(
    header,
    <Row>(statement: string) =>
      Effect.sync((): ReadonlyArray<Row> | undefined => {
        if (!existsSync(store)) return undefined
        let database = own
        try {
          database ??= new DatabaseSync(store, { readOnly: true })
          return database.prepare(statement).all() as Array<Row>
        } catch {
          return undefined
        } finally {
          if (database !== own) database?.close()
        }
      }),
    { heads: new SerialFile(`${store}.serial`).heads(), isOlder: false }
  )

type Database = InstanceType<typeof DatabaseSync>

/**
 * Takes the file for oneself: until it is let go nobody else opens it, so nothing is sent, and a kill is refused instead of lost.
 * Throws when somebody works with it. Undefined where it is so damaged that nobody can.
 */
const taken = (store: string): Database | undefined => {
  SqliteClient.singleName(store)
  let database: Database | undefined
  try {
    database = new DatabaseSync(store, { timeout: 500 })
    // Leaving the write-ahead log needs the file for oneself. Whoever opens it before the transaction begins has the log made anew.
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
    const [mode] = database.prepare("PRAGMA journal_mode").all()
    if (Reflect.get(Object(mode), "journal_mode") !== "delete") throw busy("another process has it open")
    return database
  } catch (cause) {
    letGo(database)
    if (cause instanceof StoreFailure) throw cause
    switch ((Failure.sqliteCode(cause) ?? 0) & 0xff) {
      case 5:
        throw busy("another process has it open", cause)
      // No room, no right to write: it is whole, and others may work with it.
      case 8:
      case 13:
        throw cause
      default:
        return undefined
    }
  }
}

const letGo = (database: Database | undefined): void => {
  if (database?.isOpen !== true) return
  if (database.isTransaction) database.exec("ROLLBACK")
  database.close()
}

const busy = (why: string, cause?: unknown): StoreFailure =>
  new StoreFailure({
    action: "the store was not replaced",
    hint: `${why}; stop it (bidhelm run, apply) and restore again`,
    cause
  })
