/** `bidhelm supplies` and its parts: which there are, making, checking, filling and handing them over, and their lists. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Line from "../../printing/Line.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import { later, make, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

const supply = Flags.argument("SUPPLY", "The supply: its id, or the digits of it")
const out = Flags.text("out", "Write it to this PDF, A4, instead of showing it")

const pickList = part(
  "supplies",
  "pick-list",
  {
    supply,
    by: Options.choice("by", Line.keys).pipe(
      Options.withDefault("cell" as const),
      Options.withDescription("What the rows are sorted by")
    ),
    out,
    ...Flags.session
  },
  later(async () => (await import("./Lists.js")).pick)
)

const packingList = part(
  "supplies",
  "packing-list",
  {
    supply,
    by: Options.choice("by", ["article", "basket"] as const).pipe(
      Options.withDefault("article" as const),
      Options.withDescription("What belongs together: orders of an article, or of one buyer's basket")
    ),
    out,
    ...Flags.session
  },
  later(async () => (await import("./Lists.js")).pack)
)

const shipping = Flags.flag(
  "shipping",
  "Shipping method, date and point are obligatory for you: what is missing of them stops the hand-over"
)

const check = part(
  "supplies",
  "check",
  { supply, shipping, rules: Flags.rules, ...Flags.session },
  later(async () => (await import("./SupplyCheck.js")).show)
)

const assemble = part(
  "supplies",
  "assemble",
  PersonPlan.flags,
  later(async () => (await import("./Assemble.js")).run)
)

const deliver = part(
  "supplies",
  "deliver",
  {
    supply,
    shipping,
    moveOut: Flags.text(
      "move-out",
      "Move orders that cannot go to this open supply first (its id or name), or to a new one of this name"
    ),
    takenOut: Flags.flag(
      "taken-out",
      "The goods of its cancelled orders are out of the parcel: they stop nothing"
    ),
    allPacked: Flags.flag(
      "all-packed",
      "What the packing table did not scan is packed all the same: it stops nothing"
    ),
    ...PersonPlan.flags
  },
  later(async () => (await import("./Deliver.js")).run)
)

const move = part(
  "supplies",
  "move",
  {
    orders: Args.text({ name: "ORDER" }).pipe(
      Args.atLeast(1),
      Args.withDescription("The numbers of the orders")
    ),
    to: Options.text("to").pipe(
      Options.withDescription("The open supply: its id, its name, or the name of a new one")
    ),
    ...PersonPlan.flags
  },
  later(async () => (await import("./MoveOrders.js")).run)
)

export const command = make(
  "supplies",
  Flags.session,
  later(async () => (await import("./SupplyList.js")).show)
).pipe(Command.withSubcommands([assemble, check, deliver, move, pickList, packingList]))
