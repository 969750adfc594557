/** `bidhelm backup FILE`: the whole store in one new file, while others go on working. `bidhelm restore FILE`: and back. */
import { dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import type * as Config from "../config/Config.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

export const command = Command.make(
  "backup",
  {
    file: Flags.argument("file", "The file to write; it must not exist yet"),
    json: Flags.json,
    config: Flags.config
  },
  function* ({ config: path, file, json }) {
    const { existsSync } = yield* Effect.promise(() => import("node:fs"))
    const Folder = yield* Effect.promise(() => import("../../store/clients/Folder.js"))
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const Backup = yield* Effect.promise(() => import("../../store/backup/Backup.js"))
    const { store } = yield* Workspace.config(path)
    const folder = store._tag === "Sqlite" ? Folder.shutOn(store.path) : undefined
    if (folder !== undefined) return yield* stop(1, `nothing was backed up: ${Folder.shutText(folder)}`)
    if (store._tag === "Sqlite" && !existsSync(store.path)) {
      return yield* stop(1, `there is no store yet at ${store.path}; nothing to back up`)
    }
    const nowMs = yield* Clock.currentTimeMillis
    const written = yield* Effect.provide(Backup.write(file, nowMs), Store.reading(store))
    const { header, rows, sha256 } = written
    yield* json
      ? Output.json("backup", { file, rows, sha256, createdAt: header.createdAt, heads: header.heads })
      : Output.text(`${file}: ${Plural.of(rows, "row")}, SHA-256 ${sha256} (also in ${file}.sha256)`)
  }
)

// `bidhelm restore FILE`: a backup takes the place of the store, which is kept beside it.

export const restoreCommand = Command.make(
  "restore",
  {
    file: Flags.argument("file", "The file that bidhelm backup wrote"),
    json: Flags.json,
    config: Flags.config
  },
  function* ({ config: path, file, json }) {
    const irregular = [file, `${file}.sha256`].flatMap((path) => RegularFile.objection(path) ?? [])
    if (irregular.length > 0) return yield* stop(1, irregular.join("\n"))
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const config = yield* Workspace.config(path)
    const nowMs = yield* Clock.currentTimeMillis
    const { header, holds, isMarked, kept, replaced, rows } = yield* into(config, file, nowMs)
    if (json) {
      const { createdAt, database, heads } = header
      yield* Output.json("restore", {
        file,
        rows,
        createdAt,
        from: database,
        replaced: replaced ?? null,
        holds: holds ?? null,
        edits: kept.edits ?? null,
        rejected: kept.rejected ?? null,
        parcels: kept.areOrdersRead,
        changes: kept.changes ?? null,
        heads
      })
    } else {
      const there = replaced === undefined ? "" : ` What was there is kept as ${replaced}.`
      yield* Output.text(
        [
          `Restored ${Plural.of(rows, "row")} of ${header.createdAt}.${there}`,
          ...told(holds, "Holds that stood in it stand on"),
          ...told(kept.changes, "Changes made since stay known"),
          ...told(kept.edits, "Values that people undid or set by hand since stay left alone"),
          ...told(kept.rejected, "Requests that people said no to since stay rejected")
        ].join(" ")
      )
    }
    if (kept.changes === undefined)
      yield* Output.note(
        `What was sent after ${header.createdAt} could not be read from the store that is replaced, or that is no later state of the one that was backed up: bidhelm reconcile says what nobody knows for that.`
      )
    if (holds === undefined) {
      yield* Output.note(
        `What people stopped after ${header.createdAt} could not be read: place holds and kills of since then again (bidhelm hold, bidhelm kill) before you reconcile.`
      )
    }
    if (kept.edits === undefined)
      yield* Output.note(
        `What people took back (bidhelm undo) or set by hand after ${header.createdAt} could not be read: the rules may do the same again. Hold what they shall leave alone (bidhelm hold) before you reconcile.`
      )
    if (kept.rejected === undefined)
      yield* Output.note(
        `What people said no to after ${header.createdAt} could not be read: it is asked again.`
      )
    if (!kept.areOrdersRead)
      yield* Output.note(
        `Which parcels were packed after ${header.createdAt} could not be read: of those in the pile of an order that is not in its supply any more nobody warns, bidhelm pack asks for the others again, and bidhelm orders history does not tell what happened to orders since.`
      )
    if (!isMarked)
      yield* Output.note(
        `Which files of limits and price floors there were after ${header.createdAt} could not be read: look that each is still where it was before you reconcile.`
      )
    yield* Output.note(
      'Until it is known what happened since, apply sends nothing. Next: "bidhelm reconcile" for each account.'
    )
  }
)

const told = (count: number | undefined, what: string): ReadonlyArray<string> =>
  (count ?? 0) === 0 ? [] : [`${what}: ${count}.`]

const into = ({ runner, store, storePath }: Config.Config, file: string, nowMs: number) =>
  Effect.gen(function* () {
    if (store._tag === "Sqlite") {
      const Sqlite = yield* Effect.promise(() => import("../../store/backup/RestoreSqlite.js"))
      return yield* Sqlite.into(file, store.path, nowMs)
    }
    const Postgres = yield* Effect.promise(() => import("../../store/backup/RestorePostgres.js"))
    const Settings = yield* Effect.promise(() => import("../../runtime/Settings.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const stamp = new Date(nowMs).toISOString().replaceAll(":", "-")
    const replaced = join(dirname(file), `replaced-${stamp}.bidhelm.gz`)
    const lockSeconds = runner?.lockSeconds ?? Settings.defaults.lockSeconds
    const { abandoned } = yield* Effect.promise(() => import("../account/Holder.js"))
    const serial = Store.serialPath({ store, storePath })
    const options = { nowMs, replaced, serial, lockSeconds, abandoned }
    return yield* Effect.provide(Postgres.into(file, options), Store.client(store))
  })
