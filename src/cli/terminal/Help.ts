/** The help of one command, from the same table as the top-level help. */
import * as HelpDoc from "@effect/cli/HelpDoc"
import { type CommandName, type CommandText, commands } from "./Commands.js"

export const help = (name: CommandName): HelpDoc.HelpDoc => {
  const entry: CommandText = commands[name]
  const examples = entry.examples.map((example) => HelpDoc.p(`${example.run}   (${example.does})`))
  return HelpDoc.blocks([
    HelpDoc.p(`${entry.about[0]?.toUpperCase()}${entry.about.slice(1)}.`),
    ...entry.more.map((paragraph) => HelpDoc.p(paragraph)),
    HelpDoc.p("Examples:"),
    ...examples
  ])
}
