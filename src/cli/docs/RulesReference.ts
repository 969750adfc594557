/** `docs/rules/reference.md`: every fact, key, action and diagnostic, from the tables the program itself reads. */
import * as JSONSchema from "effect/JSONSchema"
import * as Predicate from "effect/Predicate"
import type * as FactType from "../../engine/facts/FactType.js"
import { sources } from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import { codes } from "../../engine/language/problems/Codes.js"
import * as Schema from "../../engine/language/shape/Schema.js"
import * as Duration from "../terminal/Duration.js"

export const markdown = (): string =>
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
    ...levels.flatMap(factsOf),
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
    "## Diagnostics",
    "",
    "| code | mistake | example |",
    "|---|---|---|",
    ...Object.entries(codes).map(([code, { example, mistake }]) => row([code, mistake, `\`${example}\``])),
    ""
  ].join("\n")

const levels = [
  "account",
  "campaign",
  "item",
  "campaign_item",
  "cluster"
] as const satisfies ReadonlyArray<Vocabulary.Level>

const factsOf = (level: Vocabulary.Level): ReadonlyArray<string> => {
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

const factRow = (fact: Vocabulary.Fact): string => {
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
