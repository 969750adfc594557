/** `bidhelm status`: what the running `bidhelm run` is doing. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Config } from "./Config.js"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

export const command = Command.make("status", { json: Flags.json, config: Flags.config }, (flags) =>
  Effect.gen(function* () {
    const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
    const RunFolder = yield* Effect.promise(() => import("./RunFolder.js"))
    const ControlClient = yield* Effect.promise(() => import("./ControlClient.js"))
    const RunStatus = yield* Effect.promise(() => import("./RunStatus.js"))
    const config = yield* Workspace.config(flags.config)
    const told = yield* ControlClient.status(RunFolder.socket(config)).pipe(
      Effect.catchAll(({ hangs }) => silent(config, hangs)),
      Effect.map(RunStatus.read)
    )
    if (told === undefined)
      return yield* stop(1, "another version of bidhelm is running; restart bidhelm run")
    if (flags.json) return yield* Output.json("status", { ...told })
    return yield* Output.data(RunStatus.text(told))
  })
).pipe(Command.withDescription(help("status")))

/** Why nobody answers. The name of one that was killed stays beside its lock, which does not. */
const silent = (config: Config, hangs: boolean) =>
  Effect.gen(function* () {
    if (hangs)
      return yield* stop(1, "bidhelm run does not answer; look at its log, and end its process if it hangs")
    const RunFolder = yield* Effect.promise(() => import("./RunFolder.js"))
    const ProcessLock = yield* Effect.promise(() => import("../store/ProcessLock.js"))
    const Holder = yield* Effect.promise(() => import("./Holder.js"))
    const lock = RunFolder.lock(config)
    const taken =
      ProcessLock.holderOf(lock) === undefined
        ? undefined
        : yield* Effect.flip(Effect.scoped(ProcessLock.hold(lock, Holder.name()))).pipe(Effect.option)
    return yield* stop(
      1,
      taken?._tag === "Some" && taken.value._tag === "Locked"
        ? `bidhelm run works here (${taken.value.holder}), but cannot be asked: it is just starting or ending, or was started with --once`
        : "bidhelm run is not running here; start it with: bidhelm run"
    )
  })
