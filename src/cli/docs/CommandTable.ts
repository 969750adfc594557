/** The commands and exit codes as Markdown, for the README. */
import { type CommandText, commands, exitCodes } from "../terminal/Commands.js"

const entries: ReadonlyArray<CommandText> = Object.values(commands)

export const commandTable = (): string =>
  [
    "| command | does |",
    "|---|---|",
    ...entries.map(({ about, usage }) => `| \`bidhelm ${usage.replaceAll("|", "\\|")}\` | ${about} |`)
  ].join("\n")

export const exitCodeTable = (): string =>
  ["| exit code | means |", "|---|---|", ...exitCodes.map(([code, means]) => `| ${code} | ${means} |`)].join(
    "\n"
  )
