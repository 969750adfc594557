/** The top-level help, made from the table of commands alone. */
import * as Wrap from "../../reporting/Wrap.js"
import { type CommandText, commands, exitCodes } from "./Commands.js"

/** Fits a terminal of so many columns. */
export const helpText = (version: string, columns?: number): string =>
  columns === undefined || columns === 0 ? whole(version) : Wrap.lines(whole(version), columns)

const whole = (version: string): string => {
  const entries: ReadonlyArray<[string, CommandText]> = Object.entries(commands)
  const width = Math.max(...entries.map(([name]) => name.length))
  return [
    `bidhelm ${version}`,
    "Steers a marketplace seller's advertising by rules: previewed, limited, journaled.",
    "",
    "Usage: bidhelm COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...entries.map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`),
    "",
    "Start here:",
    "  bidhelm demo             watch it work, without an account",
    "  bidhelm init             write bidhelm.yaml and starter rules",
    "  bidhelm COMMAND --help   options and examples of a command",
    "",
    "Every command takes --json for machines; NO_COLOR is respected.",
    "",
    "Exit codes:",
    ...exitCodes.map(([code, means]) => `  ${code}  ${means}`),
    ""
  ].join("\n")
}
