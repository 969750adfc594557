/** `bidhelm lsp`: the language server of rule files, on stdin and stdout. */
import * as Effect from "effect/Effect"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const stdio = Flags.flag(
  "stdio",
  "What many editors add by themselves; stdin and stdout are used in any case"
)

export const command = Command.make("lsp", { stdio }, function* () {
  const Editing = yield* Effect.promise(() => import("./Editing.js"))
  yield* Editing.serve
})
