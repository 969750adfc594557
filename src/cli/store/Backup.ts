/** `bidhelm backup FILE`: the whole store in one new file, while others go on working. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Plural from "../../reporting/Plural.js"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

export const command = Command.make(
  "backup",
  {
    file: Args.text({ name: "file" }).pipe(Args.withDescription("The file to write; it must not exist yet")),
    json: Flags.json,
    config: Flags.config
  },
  ({ config: path, file, json }) =>
    Effect.gen(function* () {
      const { existsSync } = yield* Effect.promise(() => import("node:fs"))
      const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
      const Store = yield* Effect.promise(() => import("./Store.js"))
      const Backup = yield* Effect.promise(() => import("../../store/backup/Backup.js"))
      const { store } = yield* Workspace.config(path)
      if (store._tag === "Sqlite" && !existsSync(store.path)) {
        return yield* stop(1, `there is no store yet at ${store.path}; nothing to back up`)
      }
      const nowMs = yield* Clock.currentTimeMillis
      const written = yield* Effect.provide(Backup.write(file, nowMs), Store.reading(store))
      const { header, rows, sha256 } = written
      yield* json
        ? Output.json("backup", { file, rows, sha256, createdAt: header.createdAt, heads: header.heads })
        : Output.text(`${file}: ${Plural.of(rows, "row")}, SHA-256 ${sha256} (also in ${file}.sha256)`)
    })
).pipe(Command.withDescription(help("backup")))
