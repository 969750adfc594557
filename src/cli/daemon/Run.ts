/** `bidhelm run`: the timetable of every account, until it is asked to end. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"

const once = Options.boolean("once").pipe(
  Options.withDescription("Run what is due now, then end; for a timetable of the machine's own")
)

export const command = Command.make("run", { ...Flags.session, rules: Flags.rules, once }, (flags) =>
  Effect.gen(function* () {
    const Running = yield* Effect.promise(() => import("./Running.js"))
    yield* Running.run(flags)
  })
).pipe(Command.withDescription(help("run")))
