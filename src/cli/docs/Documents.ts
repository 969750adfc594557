/** The documents that are made from declarations, so that they cannot disagree with them. */

import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import * as PlanJson from "../../engine/decide/PlanJson.js"
import type * as FactType from "../../engine/facts/FactType.js"
import type { Fact } from "../../engine/facts/FactType.js"
import * as Levels from "../../engine/facts/Level.js"
import { sources } from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import { codes } from "../../engine/language/problems/Codes.js"
import * as RuleSchema from "../../engine/language/shape/JsonSchema.js"
import * as Schema from "../../engine/language/shape/Schema.js"
import * as TestSchema from "../../engine/testing/TestSchema.js"
import * as LeftWords from "../../reporting/fulfilment/LeftWords.js"
import * as Catalogue from "../../services/Catalogue.js"
import type { Fields } from "../config/ConfigFields.js"
import { type CommandText, commands } from "../terminal/Commands.js"
import * as Duration from "../terminal/Duration.js"
import { exitCodes } from "../terminal/TopHelp.js"
import * as CurvePicture from "./CurvePicture.js"

/** Text by path. */
export const all = (): Readonly<Record<string, string>> => ({
  "docs/commands.md": commandsPage(),
  "docs/configuration.md": configurationPage(),
  "docs/operations.md": `${Catalogue.markdown().trimEnd()}\n`,
  "docs/openapi.json": `${JSON.stringify(Catalogue.openApi(), null, 1)}\n`,
  "docs/rules/reference.md": `${rulesReference().trimEnd()}\n`,
  "docs/rules/optimise.svg": CurvePicture.svg(),
  "docs/plan.schema.json": `${PlanJson.schema()}\n`,
  ".schema/policy.v1.json": RuleSchema.print("policy"),
  ".schema/limits.v1.json": RuleSchema.print("limits"),
  ".schema/vars.v1.json": RuleSchema.print("vars"),
  ".schema/templates.v1.json": RuleSchema.print("templates"),
  ".schema/facts.v1.json": RuleSchema.print("facts"),
  ".schema/fulfilment.v1.json": RuleSchema.print("fulfilment"),
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
    "",
    "Rules with errors end a command with 3, told on stderr. With `--json` (and `plan --format json`) of `check`, `test`, `backtest`, `plan`, `apply`, `approve`, `explain`, `limits --forecast`, `economics` and `promos preview` they are the answer on stdout: `errors`, `warnings` and `problems`, [each as `check` has it](rules/writing-rules.md#formatting-and-fixes). Such an answer has a `kind` and a `version` of its own; a plan has no `kind`. So are the wrong rows of a sheet that `orders marks import` refuses (`problems`, with no `rows`), and a place without tests that `test` was given.",
    "",
    "`apply` of a saved plan or after a yes, and `approve`, leave out what may not go any more: it is on hold, over a limit, or its campaign has ended. They end with 4 when the rest was made, with 1 when nothing was. With `--json` each stands in `left`: its `change`, `why` in words, `code`. What a rule in mode preview would have done is not counted: nobody makes it. What a new plan of `apply --json` holds stands there too, and changes no exit code.",
    "",
    "With `--json`, `orders cancel`, `supplies assemble`, `supplies move`, `units add` and `passes book` name in `left` what they left alone, with `--plan` beside what the plan holds (there `orders marks import` does too), with a code: in `code` of `supplies assemble`, beside a `message`, else in `why`. What is held of what `supplies assemble --yes` planned stands there too, each as `apply` names it.",
    "",
    "| code | means |",
    "|---|---|",
    ...Object.entries(LeftWords.codes).map(([code, means]) => row([`\`${code}\``, means])),
    ""
  ].join("\n")

// `docs/configuration.md`: every key of `bidhelm.yaml`, what it means and what holds without it.

interface KeyText {
  readonly means: string
  readonly without: string
}

/** In the order of the page. A new key of the configuration does not compile without its line here. */
const keys = {
  version: { means: "of this file", without: "1, required" },
  accounts: {
    means: "list of `name`, `token: {env: NAME}` or `{file: PATH}`, `token_kind`, `sandbox: true`",
    without: "required"
  },
  hosts: {
    means: "base addresses `advert` and `calendar`; `marketplace` for orders, `analytics` for reports",
    without: "the first two are required"
  },
  header: {
    means: "`name` and `scheme` of the header that carries the token",
    without: "`Authorization`, `Bearer`"
  },
  word: {
    means: "what the operator writes where its documentation says `platform`",
    without: "`platform`"
  },
  time_zone: {
    means:
      "of the times shown, of `history --day`, and of the day on which `money_per_day` and `move_per_day` begin anew; statistics have Moscow's days whatever it says",
    without: "`Europe/Moscow`"
  },
  currency: { means: "of the account", without: "`RUB`" },
  store: {
    means: "`sqlite:` and a path, or `postgres://user@host:5432/database` ([which](operations/store.md))",
    without: "`sqlite:.bidhelm/bidhelm.sqlite`"
  },
  store_password: { means: "of PostgreSQL: `{env: NAME}` or `{file: PATH}`", without: "none" },
  runner: {
    means: "of `bidhelm run`: [running](operations/running.md), [scaling](operations/scaling.md)",
    without: "none"
  },
  telemetry: { means: "of `bidhelm run`: [monitoring](operations/monitoring.md)", without: "none" },
  machine_folder: {
    means: "beside PostgreSQL only: the folder for lock, socket and `STOP` of this machine",
    without: "`.bidhelm`"
  },
  keep: {
    means:
      "for how many days things are kept, 30 to 3660: [`plans_days`, `journal_days`, `reports_days`](operations/backup.md#what-is-kept)",
    without: "90, 400, 30"
  },
  rules: { means: "folder of the rules", without: "`./rules`" },
  max_wait: {
    means: "longest wait for a call limit, such as `10m`",
    without: "no bound; a scheduled cycle asks for ten minutes of recommendations"
  },
  snapshot_days: {
    means: "how long the facts of past days are kept for `backtest`; 0 keeps none",
    without: "90"
  },
  bid_step: {
    means:
      'steps of bids, `{cpm: "1 ₽", cpc: "0.10 ₽"}`, instead of those the marketplace reports, which is not asked where both are here; a Base token cannot ask',
    without: "reported"
  }
} as const satisfies Readonly<Record<keyof Fields, KeyText>>

const configurationPage = (): string =>
  [
    "# Configuration",
    "",
    "`bidhelm.yaml`; `bidhelm init` writes one. Paths are relative to the file. A token never stands in it: the file says only where it is.",
    '`token_kind` is one of `personal`, `service`, `base_with_secret`, `base`; it is read from the token, and only "base with secret" must be said.',
    "",
    "| key | means | default |",
    "|---|---|---|",
    ...Object.entries(keys).map(([key, { means, without }]) => `| \`${key}\` | ${means} | ${without} |`),
    ""
  ].join("\n")

// `docs/rules/reference.md`: every fact, key, action and diagnostic, from the tables the program itself reads.

const rulesReference = (): string =>
  [
    "# Reference of the rules language",
    "",
    "Generated from the program's own tables. [Writing rules](writing-rules.md) explains, this page lists.",
    "",
    "## Facts",
    "",
    "A row may use the facts of its own level and, with `item.` or `campaign.` in front, the settings of coarser ones.",
    "An item is an item wherever it is advertised, a campaign_item an item in one campaign. Formulas read statistics over their own window.",
    "A fact with a window needs one: `window:` of the policy, or `orders[7d]`. *Fresh* is how old an answer may be to act on.",
    "",
    ...Levels.order.flatMap(factsOf),
    "## Keys of a policy",
    "",
    ...keysOf(JSONSchema.make(Schema.Policy), ["do"]),
    "## Actions",
    "",
    "`do:` holds exactly one.",
    "",
    ...Object.entries(Schema.actions).flatMap(([name, { ast }]) =>
      actionOf(name, JSONSchema.fromAST(ast, { definitions: {} }))
    ),
    "## Keys of `_shared/limits.yaml`",
    "",
    ...keysOf(JSONSchema.make(Schema.Limits)),
    "## Keys of a table's file, `_shared/cost.yaml`",
    "",
    ...keysOf(JSONSchema.make(Schema.Facts)),
    "## Keys of a policy of `kind: fulfilment`",
    "",
    ...keysOf(JSONSchema.make(Schema.FulfilmentPolicy)),
    "## Diagnostics",
    "",
    "| code | mistake | example |",
    "|---|---|---|",
    ...Object.entries(codes).map(([code, { example, mistake }]) => row([code, mistake, `\`${example}\``])),
    ""
  ].join("\n")

const factsOf = (level: Levels.Level): ReadonlyArray<string> => {
  const facts = Vocabulary.facts.filter((fact) => fact.level === level)
  return facts.length === 0
    ? []
    : [
        `### ${level}`,
        "",
        "| fact | type | unit or formula | window | read by | fresh | means |",
        "|---|---|---|---|---|---|---|",
        ...facts.map(factRow),
        ""
      ]
}

const factRow = (fact: Fact): string => {
  const source: (typeof sources)[keyof typeof sources] = sources[fact.source]
  const window = fact.windowed && "maxWindowDays" in source ? `up to ${source.maxWindowDays} d` : ""
  const price = source.cost === "scarce" ? ", scarce" : ""
  return row([
    `\`${fact.word}\``,
    typeName(fact.type),
    fact.formula === undefined ? fact.unit : `\`${fact.formula}\``,
    window,
    fact.formula === undefined ? `${source.operation || fact.source}${price}` : "formula",
    fact.formula === undefined && source.freshMinutes > 0
      ? Duration.format(source.freshMinutes * 60_000)
      : "",
    fact.about
  ])
}

const typeName = (type: FactType.FactType): string => {
  switch (type._tag) {
    case "Enum":
      return type.words.map((word) => `\`${word}\``).join(" ")
    case "YesNo":
      return "yes or no"
    case "Ratio":
      return "percentage"
    default:
      return type._tag.toLowerCase()
  }
}

const actionOf = (name: string, schema: JSONSchema.JsonSchema7): ReadonlyArray<string> => {
  const keys = keysOf(schema)
  const about = "description" in schema && typeof schema.description === "string" ? schema.description : ""
  return [`### ${name}`, "", about, "", ...keys]
}

/** A table of an object's keys, nested objects as `limits.max_bid`. */
const keysOf = (schema: unknown, without: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const rows = keyRows(schema, "", without)
  return rows.length === 0 ? [] : ["| key | needed | means | examples |", "|---|---|---|---|", ...rows, ""]
}

const keyRows = (schema: unknown, prefix: string, without: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Predicate.isRecord(schema) || !Predicate.isRecord(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([key, value]) => {
    if (without.includes(key)) return []
    const name = prefix + key
    const needed = required.includes(key) ? "yes" : ""
    const inner = isList(value) ? keyRows(value.items, `${name}[].`, []) : keyRows(value, `${name}.`, [])
    const nested = alternatives(value).flatMap((one) => keyRows(one, `${name}.`, []))
    return [row([`\`${name}\``, needed, described(value), examples(value)]), ...inner, ...nested]
  })
}

const isList = (value: unknown): value is { readonly items: unknown } =>
  Predicate.isRecord(value) && "items" in value

const alternatives = (value: unknown): ReadonlyArray<unknown> =>
  Predicate.isRecord(value) && Array.isArray(value.anyOf) ? value.anyOf : []

const described = (value: unknown): string => {
  if (!Predicate.isRecord(value)) return ""
  if (typeof value.description === "string") return value.description
  return (
    alternatives(value)
      .map(described)
      .find((text) => text !== "") ?? ""
  )
}

const examples = (value: unknown): string => {
  if (!Predicate.isRecord(value)) return ""
  const own = Array.isArray(value.examples) ? value.examples : Array.isArray(value.enum) ? value.enum : []
  const found =
    own.length > 0 ? own : alternatives(value).flatMap((one) => (isListed(one) ? one.examples : []))
  return found.map((one) => `\`${String(one)}\``).join(" ")
}

const isListed = (value: unknown): value is { readonly examples: ReadonlyArray<unknown> } =>
  Predicate.isRecord(value) && Array.isArray(value.examples)

/** A row of a table; a bar inside a cell would end it. */
const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`
