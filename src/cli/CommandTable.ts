/** The commands and exit codes as Markdown, for the README. */
import { type CommandText, commands, exitCodes } from "./Commands.js"

const entries: ReadonlyArray<CommandText> = Object.values(commands)

export const commandTable = (): string =>
  [
    "| command | does |",
    "|---|---|",
    ...entries.map((c) => `| \`bidhelm ${escaped(c.usage)}\` | ${c.about} |`)
  ].join("\n")

export const exitCodeRows = (): string =>
  exitCodes.map(([code, means]) => `| ${code} | ${means} |`).join("\n")

const escaped = (text: string): string => text.replaceAll("|", "\\|")
