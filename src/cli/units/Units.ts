/** `bidhelm units` and its part: shipping units of a supply to a pickup point. */
import * as Command from "@effect/cli/Command"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import { later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const add = part(
  "units",
  "add",
  {
    supply: Flags.argument("SUPPLY", "The supply: its id, or the digits of it"),
    count: Flags.argument("N", "How many to add"),
    ...PersonPlan.flags
  },
  later(async () => (await import("./OfSupply.js")).add)
)

export const command = make(
  "units",
  { supply: Flags.optionalArgument("SUPPLY", "The supply: its id, or the digits of it"), ...Flags.session },
  later(async () => (await import("./OfSupply.js")).show)
).pipe(Command.withSubcommands([add]))
