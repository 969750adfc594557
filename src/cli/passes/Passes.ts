/** `bidhelm passes` and its part: passes of cars, and booking one. */
import * as Command from "@effect/cli/Command"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import { later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const book = part(
  "passes",
  "book",
  {
    policy: Flags.text(
      "policy",
      "Driver, car and office of this policy; the only one that has passes when left out"
    ),
    firstName: Flags.text("first-name", "The driver's first name, instead of the policy's"),
    lastName: Flags.text("last-name", "The driver's last name"),
    car: Flags.text("car", "Make and model of the car"),
    number: Flags.text("number", "Its plate, letters and digits"),
    office: Flags.text("office", "Number of the office; bidhelm call listPassOffices"),
    ...PersonPlan.flags
  },
  later(async () => (await import("./PassDesk.js")).book)
)

export const command = make(
  "passes",
  { rules: Flags.rules, ...Flags.session },
  later(async () => (await import("./PassDesk.js")).show)
).pipe(Command.withSubcommands([book]))
