/** `bidhelm units` and its part: shipping units of a supply to a pickup point. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import { make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const add = part(
  "units",
  "add",
  {
    supply: Flags.argument("SUPPLY", "The supply: its id, or the digits of it"),
    count: Flags.argument("N", "How many to add"),
    ...PersonPlan.flags
  },
  function* (flags) {
    const OfSupply = yield* Effect.promise(() => import("./OfSupply.js"))
    yield* OfSupply.add(flags)
  }
)

export const command = make(
  "units",
  { supply: Flags.optionalArgument("SUPPLY", "The supply: its id, or the digits of it"), ...Flags.session },
  function* (flags) {
    const OfSupply = yield* Effect.promise(() => import("./OfSupply.js"))
    yield* OfSupply.show(flags)
  }
).pipe(Command.withSubcommands([add]))
