/** `bidhelm demo`: everything once, on a marketplace of its own. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"

export const command = Command.make("demo", { json: Flags.json }, ({ json }) =>
  Effect.gen(function* () {
    const Demonstration = yield* Effect.promise(() => import("./Demonstration.js"))
    yield* Effect.scoped(Demonstration.run(json))
  })
).pipe(Command.withDescription(help("demo")))
