/** `bidhelm economics`: what items cost and earn, what is missing to know it, and a table to fill in. Reads only. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const template = part(
  "economics",
  "template",
  {
    out: Flags.text("out", "Write it to this file: a workbook (.xlsx) or CSV (.csv)"),
    rules: Flags.rules,
    ...Flags.session
  },
  function* (flags) {
    const Template = yield* Effect.promise(() => import("./Template.js"))
    yield* Template.show(flags)
  }
)

export const command = make("economics", { rules: Flags.rules, ...Flags.session }, function* (flags) {
  const Coverage = yield* Effect.promise(() => import("./Coverage.js"))
  yield* Coverage.show(flags)
}).pipe(Command.withSubcommands([template]))
