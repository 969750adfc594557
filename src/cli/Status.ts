/** `bidhelm status`: what the running `bidhelm run` is doing. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
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
      Effect.mapError(({ hangs }) =>
        stop(
          1,
          hangs
            ? "bidhelm run does not answer; look at its log, and end its process if it hangs"
            : "bidhelm run is not running here; start it with: bidhelm run"
        )
      ),
      Effect.map(RunStatus.read)
    )
    if (told === undefined)
      return yield* stop(1, "another version of bidhelm is running; restart bidhelm run")
    if (flags.json) return yield* Output.json("status", { ...told })
    return yield* Output.data(RunStatus.text(told))
  })
).pipe(Command.withDescription(help("status")))
