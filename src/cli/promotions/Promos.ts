/** `bidhelm promos` and its parts: the calendar of promotions, what of ours is in, and the prices before. Reads only. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const status = part(
  "promos",
  "status",
  {
    id: Flags.optionalArgument("ID", "One promotion; all that have items of yours when it is left out"),
    ...Flags.session
  },
  function* (flags) {
    const Status = yield* Effect.promise(() => import("./Status.js"))
    yield* Status.show(flags)
  }
)

const exitSheet = part(
  "promos",
  "exit-sheet",
  {
    id: Flags.argument("ID", "The promotion; bidhelm promos lists them"),
    out: Flags.text("out", "Write it to this file: a workbook (.xlsx) or CSV (.csv)"),
    ...Flags.session
  },
  function* (flags) {
    const ExitSheet = yield* Effect.promise(() => import("./ExitSheet.js"))
    yield* ExitSheet.show(flags)
  }
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
  function* (flags) {
    const PromoPreview = yield* Effect.promise(() => import("./PromoPreview.js"))
    yield* PromoPreview.show(flags)
  }
)

export const command = make("promos", Flags.session, function* (flags) {
  const Calendar = yield* Effect.promise(() => import("./Calendar.js"))
  yield* Calendar.show(flags)
}).pipe(Command.withSubcommands([preview, status, exitSheet]))
