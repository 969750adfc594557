/** The documents that are made from declarations, so that they cannot disagree with them. */
import * as PlanSchema from "../../engine/decide/PlanSchema.js"
import * as RuleSchema from "../../engine/language/shape/JsonSchema.js"
import * as TestSchema from "../../engine/testing/TestSchema.js"
import * as Catalogue from "../../services/Catalogue.js"
import * as FieldNotes from "../../services/FieldNotes.js"
import { type CommandText, commands, exitCodes } from "../terminal/Commands.js"
import * as Configuration from "./Configuration.js"
import * as RulesReference from "./RulesReference.js"

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Text by path. */
export const all = (): Readonly<Record<string, string>> => ({
  "docs/commands.md": commandsPage(),
  "docs/configuration.md": Configuration.page(),
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

const entries: ReadonlyArray<CommandText> = Object.values(commands)

const commandsPage = (): string =>
  [
    "# Commands",
    "",
    "`bidhelm COMMAND --help` shows options and examples. Data goes to stdout, commentary to stderr; `--json` answers are versioned.",
    "",
    "| command | does |",
    "|---|---|",
    ...entries.map(({ about, usage }) => `| \`bidhelm ${usage.replaceAll("|", "\\|")}\` | ${about} |`),
    "",
    "| exit code | means |",
    "|---|---|",
    ...exitCodes.map(([code, means]) => `| ${code} | ${means} |`),
    ""
  ].join("\n")
