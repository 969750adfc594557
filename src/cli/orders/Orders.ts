/** `bidhelm orders` and its parts. `marks check` reads a sheet and asks nobody. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { group, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const marksCheck = part(
  "orders",
  "check",
  {
    file: Flags.argument("FILE", "The sheet of marks: a workbook (.xlsx) or CSV"),
    json: Flags.json
  },
  function* (flags) {
    const MarksCheck = yield* Effect.promise(() => import("./MarksCheck.js"))
    yield* MarksCheck.show(flags)
  }
)

const marks = group("orders", "marks").pipe(Command.withSubcommands([marksCheck]))

export const command = group("orders", "orders").pipe(Command.withSubcommands([marks]))
