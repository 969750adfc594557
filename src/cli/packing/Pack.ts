/** `bidhelm pack`: scan to pack at a terminal, or from whatever sends lines. */
import * as Options from "@effect/cli/Options"
import * as LabelSheets from "../../printing/LabelSheets.js"
import { later, make } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"

export const command = make(
  "pack",
  {
    supply: Flags.argument("SUPPLY", "The supply: its id, or the digits of it"),
    print: Flags.text("print", 'Sends the label of each order to this command, such as "lp -d zebra"'),
    labels: Flags.text("labels", "Writes the label of each order into this folder"),
    size: Options.choice("size", Object.keys(LabelSheets.sizes) as ReadonlyArray<LabelSheets.Size>).pipe(
      Options.optional,
      Options.withDescription("Millimetres of the labels in the printer, instead of the policy's; else 58x40")
    ),
    format: Options.choice("format", ["pdf", "zpl", "zplh", "png"] as const).pipe(
      Options.withDefault("pdf" as const),
      Options.withDescription("What the printer takes: pdf; zpl (fed upright) or zplh (lying); png")
    ),
    noOwnPage: Flags.flag("no-own-page", "The sticker alone, without our page of goods and mark"),
    ...Flags.session
  },
  later(async () => (await import("./PackingTable.js")).run)
)
