/** `bidhelm demo`: everything once, on a marketplace of its own. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"

const all = Options.boolean("all").pipe(
  Options.withDescription("Print every change and every reason, instead of two screens")
)

export const command = Command.make("demo", { all, json: Flags.json }, (asked) =>
  Effect.gen(function* () {
    const Demonstration = yield* Effect.promise(() => import("./Demonstration.js"))
    yield* Effect.scoped(Demonstration.run(asked))
  })
).pipe(Command.withDescription(help("demo")))
