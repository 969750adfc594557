/** `bidhelm labels print`: the labels of a supply's orders as a file for the printer. Changes nothing at the marketplace. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as LabelSheets from "../../printing/LabelSheets.js"
import { group, later, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Stickers from "./Stickers.js"

const print = part(
  "labels",
  "print",
  {
    supply: Flags.argument("SUPPLY", "The supply: its id, or the digits of it"),
    size: Options.choice("size", Object.keys(LabelSheets.sizes) as ReadonlyArray<LabelSheets.Size>).pipe(
      Options.withDescription(
        "Millimetres of the labels in the printer; as the policy of the supply says, else 58x40, unless given"
      ),
      Options.optional
    ),
    format: Options.choice("format", Stickers.formats).pipe(
      Options.withDefault("pdf" as const),
      Options.withDescription(
        "pdf; zpl (fed upright) or zplh (lying) for a label printer; svg or png: a folder of files"
      )
    ),
    missing: Flags.flag("missing", "Only orders of which no label was printed yet"),
    order: Options.text("order").pipe(
      Options.repeated,
      Options.withDescription("Only this order; may be given several times")
    ),
    ownPage: Flags.flag("own-page", "Our page of goods and mark, also where the policy wants none"),
    noOwnPage: Flags.flag("no-own-page", "Stickers alone, without our page of goods and mark"),
    separators: Flags.flag("separators", "A page between goods that differ"),
    wait: Flags.text(
      "wait",
      "How long to wait for track numbers of cross-border orders, such as 10m; 2m unless given"
    ),
    out: Flags.text("out", "The file, or the folder of svg and png; named after the supply unless given"),
    ...Flags.session
  },
  later(async () => (await import("./Print.js")).show)
)

export const command = group("labels", "labels").pipe(Command.withSubcommands([print]))
