/** The top-level help, made from the table of commands alone, and the exit codes that it tells. */
import * as Wrap from "../../reporting/Wrap.js"
import { type CommandText, commands } from "./Commands.js"

/** What the process ends with; part of the contract with scripts. */
export const exitCodes = [
  [0, "done"],
  [1, "error, or stdout could not be written, as on a full disk: what the command did stays done"],
  [2, "changes present (only with plan --detailed-exitcode)"],
  [3, "problems in rules, their tests, or a sheet of marks"],
  [
    4,
    "something is left: applied in part, a hand-over that cannot go, orders without mark, label or parcel, a promotion not entered"
  ],
  [
    5,
    "stopped by limits, whatever the command: run it again later; what else stood in the way is told then, with its own code"
  ],
  [
    130,
    "interrupted by Ctrl-C or SIGTERM alike; what may have been sent is read back first by the next apply. bidhelm run ends with 0; while it is still loaded, within a second, any command ends with 143 by SIGTERM"
  ]
] as const

/** Fits a terminal of so many columns. */
export const helpText = (version: string, columns?: number): string =>
  columns === undefined || columns === 0 ? whole(version) : Wrap.lines(whole(version), columns)

const whole = (version: string): string => {
  const entries: ReadonlyArray<[string, CommandText]> = Object.entries(commands)
  const width = Math.max(...entries.map(([name]) => name.length))
  return [
    `bidhelm ${version}`,
    "Steers a marketplace seller's advertising, promotions and orders by rules: previewed, limited, journaled.",
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
