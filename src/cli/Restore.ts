/** `bidhelm restore FILE`: a backup takes the place of the store, which is kept beside it. */
import { dirname, join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

export const command = Command.make(
  "restore",
  { file: Args.text({ name: "file" }), config: Flags.config },
  ({ config: path, file }) =>
    Effect.gen(function* () {
      const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
      const Restore = yield* Effect.promise(() => import("../store/Restore.js"))
      const { store } = yield* Workspace.config(path)
      const nowMs = yield* Clock.currentTimeMillis
      const { header, replaced, rows } =
        store._tag === "Sqlite"
          ? yield* Restore.intoFile(file, store.path, nowMs)
          : yield* intoPostgres(file, store, nowMs)
      yield* Output.data(
        `Restored ${rows} rows of ${header.createdAt}.${replaced === undefined ? "" : ` What was there is kept as ${replaced}.`}`
      )
      yield* Output.note(
        'Until it is known what happened since, apply sends nothing. Next: "bidhelm reconcile" for each account.'
      )
    })
).pipe(Command.withDescription(help("restore")))

/** One transaction in the same database; what was there is first written to a backup of its own. */
const intoPostgres = (
  file: string,
  store: Parameters<typeof import("./Store.js").client>[0],
  nowMs: number
) =>
  Effect.gen(function* () {
    const Backup = yield* Effect.promise(() => import("../store/Backup.js"))
    const Restore = yield* Effect.promise(() => import("../store/Restore.js"))
    const Migrations = yield* Effect.promise(() => import("../store/Migrations.js"))
    const Locks = yield* Effect.promise(() => import("../store/HeldLocks.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const stamp = new Date(nowMs).toISOString().replaceAll(":", "-")
    const replaced = join(dirname(file), `replaced-${stamp}.bidhelm.gz`)
    const whole = Effect.gen(function* () {
      yield* Migrations.migrate
      const holder = yield* Locks.holder(nowMs)
      if (holder !== undefined) {
        return yield* stop(
          1,
          `the store was not replaced: a run is using it (${holder}); stop it and restore again`
        )
      }
      yield* Backup.write(replaced, nowMs)
      return { ...(yield* Restore.load(file, nowMs)), replaced }
    })
    return yield* Effect.provide(whole, Store.client(store))
  })
