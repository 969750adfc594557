/** `bidhelm economics`: what items cost and earn, what is missing to know it, and a table to fill in. Reads only. */
import * as Command from "@effect/cli/Command"
import { later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const template = part(
  "economics",
  "template",
  {
    out: Flags.text("out", "Write it to this file: a workbook (.xlsx) or CSV (.csv)"),
    rules: Flags.rules,
    ...Flags.session
  },
  later(async () => (await import("./Template.js")).show)
)

export const command = make(
  "economics",
  { rules: Flags.rules, ...Flags.session },
  later(async () => (await import("./Coverage.js")).show)
).pipe(Command.withSubcommands([template]))
