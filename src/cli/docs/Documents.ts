/** The documents that are made from declarations, so that they cannot disagree with them. */
import * as PlanSchema from "../../engine/decide/PlanSchema.js"
import * as RuleSchema from "../../engine/language/shape/JsonSchema.js"
import * as TestSchema from "../../engine/testing/TestSchema.js"
import * as Catalogue from "../../services/Catalogue.js"
import * as FieldNotes from "../../services/FieldNotes.js"
import { type CommandText, commands, exitCodes } from "../terminal/Commands.js"
import * as RulesReference from "./RulesReference.js"

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Text by path; `readme` is the README as it is, of which only the marked parts are written anew. */
export const all = (readme: string): Readonly<Record<string, string>> => ({
  "README.md": between(between(readme, "commands", commandTable()), "exit codes", exitCodeTable()),
  "docs/operations.md": `${Catalogue.markdown().trimEnd()}\n`,
  "docs/field-notes.md": `${FieldNotes.markdown().trimEnd()}\n`,
  "docs/openapi.json": `${JSON.stringify(Catalogue.openApi(), null, 1)}\n`,
  "docs/rules/reference.md": `${RulesReference.markdown().trimEnd()}\n`,
  "docs/plan.schema.json": json(PlanSchema.make()),
  ".schema/policy.v1.json": RuleSchema.print("policy"),
  ".schema/limits.v1.json": RuleSchema.print("limits"),
  ".schema/vars.v1.json": RuleSchema.print("vars"),
  ".schema/templates.v1.json": RuleSchema.print("templates"),
  ".schema/facts.v1.json": RuleSchema.print("facts"),
  ".schema/tests.v1.json": TestSchema.print()
})

const between = (text: string, mark: string, content: string): string => {
  const [open, close] = [`<!-- ${mark} -->\n`, `\n<!-- /${mark} -->`]
  const start = text.indexOf(open)
  const end = text.indexOf(close, start)
  return start < 0 || end < 0 ? text : text.slice(0, start + open.length) + content + text.slice(end)
}

// The commands and exit codes as Markdown, for the README.

const entries: ReadonlyArray<CommandText> = Object.values(commands)

const commandTable = (): string =>
  [
    "| command | does |",
    "|---|---|",
    ...entries.map(({ about, usage }) => `| \`bidhelm ${usage.replaceAll("|", "\\|")}\` | ${about} |`)
  ].join("\n")

const exitCodeTable = (): string =>
  ["| exit code | means |", "|---|---|", ...exitCodes.map(([code, means]) => `| ${code} | ${means} |`)].join(
    "\n"
  )
