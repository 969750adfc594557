/** `bidhelm show`: a saved plan to read; asks neither an account nor the network. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"

const file = Args.text({ name: "plan" }).pipe(Args.withDescription("A file of bidhelm plan --out"))

export const command = Command.make(
  "show",
  { file, format: Flags.format, ...Flags.view, json: Flags.json },
  (flags) =>
    Effect.gen(function* () {
      const view = yield* Flags.viewOf(flags)
      const PlanFile = yield* Effect.promise(() => import("./PlanFile.js"))
      const Preview = yield* Effect.promise(() => import("./Preview.js"))
      const { edited, plan } = yield* PlanFile.printable(flags.file)
      if (edited)
        yield* Output.note(`${flags.file} was changed after it was made; apply will not take it as it is.`)
      yield* Preview.show(plan, flags.json ? "json" : flags.format, view)
    })
).pipe(Command.withDescription(help("show")))
