/** `bidhelm lsp`: the language server of rule files, on stdin and stdout. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { help } from "../terminal/Help.js"

const stdio = Options.boolean("stdio").pipe(
  Options.withDescription("What many editors add by themselves; stdin and stdout are used in any case")
)

export const command = Command.make("lsp", { stdio }, () =>
  Effect.gen(function* () {
    const Editing = yield* Effect.promise(() => import("./Editing.js"))
    yield* Editing.serve
  })
).pipe(Command.withDescription(help("lsp")))
