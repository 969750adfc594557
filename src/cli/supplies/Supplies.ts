/** `bidhelm supplies` and its parts: lists to pick and pack a supply's orders by. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Line from "../../printing/Line.js"
import { part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import { help } from "../terminal/Help.js"

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
  function* (flags) {
    const Lists = yield* Effect.promise(() => import("./Lists.js"))
    yield* Lists.pick(flags)
  }
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
  function* (flags) {
    const Lists = yield* Effect.promise(() => import("./Lists.js"))
    yield* Lists.pack(flags)
  }
)

export const command = Command.make("supplies").pipe(
  Command.withDescription(help("supplies")),
  Command.withSubcommands([pickList, packingList])
)
