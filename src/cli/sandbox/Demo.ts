/** `bidhelm demo`: everything once, on a marketplace of its own. */
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const all = Flags.flag("all", "Print every change and every reason, instead of two screens")

export const command = Command.make("demo", { all, json: Flags.json }, function* (asked) {
  const Demonstration = yield* Effect.promise(() => import("./Demonstration.js"))
  yield* Effect.scoped(Demonstration.run(asked))
})
