/** `bidhelm kill`: every process that uses this store sends nothing more for the account. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import * as Hold from "./Hold.js"
import * as HoldScope from "./HoldScope.js"

export const command = Command.make(
  "kill",
  { why: HoldScope.why("for whoever finds it stopped"), ...HoldScope.place },
  (flags) =>
    HoldScope.during(flags, (account, zone) => {
      const why = Option.getOrUndefined(flags.why)
      return Hold.placed(
        { account, zone, scope: { kind: "kill", what: "" }, forMs: undefined, why },
        flags.json
      )
    }).pipe(Effect.tapErrorTag("StoreFailure", () => otherWay(flags.config)))
).pipe(Command.withDescription(help("kill")))

/** A store that is away keeps nobody from stopping. */
const otherWay = (config: string) =>
  Effect.gen(function* () {
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const RunFolder = yield* Effect.promise(() => import("../daemon/RunFolder.js"))
    const file = RunFolder.stopFile(yield* Workspace.config(config))
    yield* Output.note(
      `Nothing was stopped. Without the store: the file ${file} stops all sending of this machine; each machine has one of its own.`
    )
  })
