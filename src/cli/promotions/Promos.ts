/** `bidhelm promos` and its parts: the calendar of promotions, what of ours is in, and the prices before. Reads only. */
import * as Command from "@effect/cli/Command"
import { later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const status = part(
  "promos",
  "status",
  {
    id: Flags.optionalArgument("ID", "One promotion; all that have items of yours when it is left out"),
    ...Flags.session
  },
  later(async () => (await import("./Status.js")).show)
)

const exitSheet = part(
  "promos",
  "exit-sheet",
  {
    id: Flags.argument("ID", "The promotion; bidhelm promos lists them"),
    out: Flags.text("out", "Write it to this file: a workbook (.xlsx) or CSV (.csv)"),
    ...Flags.session
  },
  later(async () => (await import("./ExitSheet.js")).show)
)

const preview = part(
  "promos",
  "preview",
  {
    id: Flags.optionalArgument("ID", "One promotion; all that can be joined when it is left out"),
    all: Flags.flag("all", "Every item that may join, instead of the first 20"),
    rules: Flags.rules,
    ...Flags.session
  },
  later(async () => (await import("./PromoPreview.js")).show)
)

export const command = make(
  "promos",
  Flags.session,
  later(async () => (await import("./Calendar.js")).show)
).pipe(Command.withSubcommands([preview, status, exitSheet]))
