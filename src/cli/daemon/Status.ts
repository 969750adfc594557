/** `bidhelm status`: what the running `bidhelm run` is doing, and what people have stopped. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Config } from "../config/Config.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import type { Status, Stopped } from "./RunStatus.js"

export const command = Command.make("status", { json: Flags.json, config: Flags.config }, function* (flags) {
  const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
  const RunFolder = yield* Effect.promise(() => import("./RunFolder.js"))
  const ControlClient = yield* Effect.promise(() => import("./ControlClient.js"))
  const RunStatus = yield* Effect.promise(() => import("./RunStatus.js"))
  const config = yield* Workspace.config(flags.config)
  const told = yield* ControlClient.status(RunFolder.socket(config)).pipe(
    Effect.catchAll(({ foreign, hangs }) =>
      foreign === undefined ? silent(config, hangs) : stop(1, foreign)
    ),
    Effect.map(RunStatus.read)
  )
  if (told === undefined) return yield* stop(1, "another version of bidhelm is running; restart bidhelm run")
  const status = RunStatus.stopped(told, yield* stopped(config, told))
  if (flags.json) return yield* Output.json("status", { ...status })
  return yield* Output.text(RunStatus.text(status))
})

/** The stops of another store, or of accounts that the program does not know, would be taken for its own. */
const otherwise = "bidhelm.yaml names another store or account than the running program"

/** Where the file of a SQLite store was moved, another one may lie in its place. */
const unread = ({ store }: Config, { configChanged, storeAway }: Status): string | undefined =>
  configChanged !== undefined ? otherwise : store._tag === "Sqlite" ? storeAway : undefined

/** What people have stopped, by the store and the file beside it: whoever forgot a kill sees only a quiet program. */
const stopped = (config: Config, told: Status) =>
  Effect.gen(function* () {
    const AccountMarks = yield* Effect.promise(() => import("../account/AccountMarks.js"))
    const RunFolder = yield* Effect.promise(() => import("./RunFolder.js"))
    const byFile = RunFolder.stopped(config)
    const why = unread(config, told)
    const read =
      why === undefined
        ? yield* Effect.either(
            Effect.mapError(AccountMarks.stops(config, told.nowMs), ({ message }) => message)
          )
        : Either.left(why)
    const known: Stopped = Either.isRight(read)
      ? { stops: read.right }
      : { stops: [], stopsUnread: read.left }
    if (byFile === undefined) return known
    return byFile.isThere
      ? { ...known, stopFile: resolve(byFile.file) }
      : { ...known, stopFileUnread: byFile.says }
  })

/** One that has taken the question and does not answer: it may wait for a store that answers nobody. */
const hanging = (config: Config) =>
  Effect.gen(function* () {
    const AccountMarks = yield* Effect.promise(() => import("../account/AccountMarks.js"))
    const read = yield* Effect.either(AccountMarks.stops(config, 0))
    return Either.isLeft(read)
      ? `the store is away: ${read.left.message}. bidhelm run lives and waits for it, so that it cannot tell more; it goes on by itself when the store is back`
      : "bidhelm run does not answer; look at its log, and end its process if it hangs"
  })

/** Why nobody answers. The name of one that was killed stays beside its lock, which does not. */
const silent = (config: Config, hangs: boolean) =>
  Effect.gen(function* () {
    if (hangs) return yield* stop(1, yield* hanging(config))
    const RunFolder = yield* Effect.promise(() => import("./RunFolder.js"))
    const ProcessLock = yield* Effect.promise(() => import("../../store/clients/ProcessLock.js"))
    const lock = RunFolder.lock(config)
    if (ProcessLock.holderOf(lock) !== undefined) {
      yield* Effect.catchTag(ProcessLock.look(lock), "Locked", ({ holder }) =>
        stop(
          1,
          `bidhelm run works here (${holder}), but cannot be asked: it is just starting or ending, or was started with --once`
        )
      )
    }
    return yield* stop(1, "bidhelm run is not running here; start it with: bidhelm run")
  })
