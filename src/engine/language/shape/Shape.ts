/** Compares a tree with the shape `Schema.ts` declares: unknown and missing keys, wrong kinds of values, wrong words. */
import type { Schema as Effect } from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { week } from "../../../domain/Schedule.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Suggest from "../problems/Suggest.js"
import * as Durations from "../syntax/Durations.js"
import type { MapNode, Node } from "../yaml/Node.js"
import { isEmpty, lacksValue } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Keys from "./Keys.js"
import * as Schema from "./Schema.js"

/**
 * Reports where the tree departs from the shape. `place` names the value in messages and says where to point when
 * something is missing; `skip` are keys that another check looks at.
 */
export const check = (
  schema: Effect.All,
  node: Node,
  place: Place,
  problems: Problems,
  skip: ReadonlyArray<string> = []
): undefined => walk(schema.ast, node, place, problems, skip)

/** The key a value belongs to. */
export interface Place {
  readonly key: string
  readonly range: Range
}

const walk = (
  ast: AST.AST,
  node: Node,
  place: Place,
  problems: Problems,
  skip: ReadonlyArray<string> = []
): undefined => {
  const shape = choose(ast, node)
  if (lacksValue(node) && !accepts(ast, "null")) {
    problems.error("K16", whereEmpty(node, place), `${place.key}: has no value. ${describe(ast)}`.trim())
  } else if (AST.isTypeLiteral(shape)) {
    if (node._tag === "Map") fields(shape, node, place, problems, skip)
    else if (!isEmpty(node)) wrongKind(shape, node, place, problems)
  } else if (AST.isTupleType(shape)) {
    const item = shape.rest[0]?.type
    if (node._tag !== "List" || item === undefined) return wrongKind(shape, node, place, problems)
    if (node.items.length === 0)
      problems.error("K16", node.range, `${place.key}: is an empty list. ${emptyListFix(ast, place)}`)
    for (const inner of node.items) walk(item, inner, { key: place.key, range: inner.range }, problems)
  } else if (node._tag !== "Scalar") {
    wrongKind(shape, node, place, problems)
  } else {
    scalar(shape, node, place, problems)
  }
}

/** At the `~` or `null` where one is written, else at the key. */
const whereEmpty = ({ range }: Node, place: Place): Range => (range.end > range.start ? range : place.range)

const fields = (
  shape: AST.TypeLiteral,
  node: MapNode,
  place: Place,
  problems: Problems,
  skip: ReadonlyArray<string>
): undefined => {
  const known = shape.propertySignatures.map((property) => String(property.name))
  const meant = node.entries.map(({ key }) => meantBy(key, known) ?? key)
  for (const entry of node.entries) {
    const property = shape.propertySignatures.find((p) => p.name === entry.key)
    if (property === undefined) unknownKey(entry.key, entry.keyRange, known, problems, node.entries)
    else if (!skip.includes(entry.key)) {
      walk(property.type, entry.value, { key: entry.key, range: entry.keyRange }, problems)
    }
  }
  for (const property of shape.propertySignatures) {
    const name = String(property.name)
    if (property.isOptional || meant.includes(name)) continue
    const inAction = Object.hasOwn(optionless, place.key)
    const why = AST.getDescriptionAnnotation(property.type)
    const text = why._tag === "Some" ? why.value : ""
    if (inAction)
      problems.error(
        "K03",
        place.range,
        `${place.key} needs ${name}: ${lower(text)}.`.replace("..", ".") +
          Suggest.forExample(`${name}: ${example(property.type)}`)
      )
    else problems.error("K13", place.range, `${name}: is missing. ${text}`.trim())
  }
}

/** Actions with options that must be given. */
const optionless = {
  raise_bid: true,
  lower_bid: true,
  set_bid: true,
  adjust_bid: true,
  deposit: true,
  notify: true
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const example = (ast: AST.AST): string => {
  const [word] = literals(ast)
  if (word !== undefined) return String(word)
  const schema = AST.getJSONSchemaAnnotation(ast)
  const examples: unknown =
    schema._tag === "Some" && "examples" in schema.value ? schema.value.examples : undefined
  return Array.isArray(examples) ? String(examples[0]) : "…"
}

/** The known key that another stands for: what it is called elsewhere says more than its letters. */
const meantBy = (key: string, known: ReadonlyArray<string>): string | undefined =>
  broughtKey(key, known) ?? Suggest.nearest(key, known)

const broughtKey = (key: string, known: ReadonlyArray<string>): string | undefined =>
  Keys.all.has(key) || known.includes(key) ? undefined : ForeignWords.key(key, known)

/**
 * An unknown key, with the nearest known one; keys of features to come are named as such. None is proposed that
 * is `beside` it already, or to which another leads as well: it would stand twice.
 */
export const unknownKey = (
  key: string,
  range: Range,
  known: ReadonlyArray<string>,
  problems: Problems,
  beside: MapNode["entries"]
): undefined => {
  const once = (name: string | undefined) =>
    beside.filter(({ key }) => (meantBy(key, known) ?? key) === name).length > 1 ? undefined : name
  const latin = Suggest.latin(key)
  if (latin !== undefined && known.includes(latin)) {
    return problems.error(
      "E12",
      range,
      `${Suggest.cyrillicLetter(key)} of "${key}" is Cyrillic. Did you mean ${latin}?`,
      once(latin)
    )
  }
  const notLoaded = `${problems.called} not loaded.`
  if (Keys.later.includes(key)) {
    return problems.error("K01", range, `"${key}" is not available in this version. ${notLoaded}`)
  }
  const near = meantBy(key, known)
  if (near === undefined && Keys.all.has(key)) {
    const message = `"${key}" does not belong here${problems.called === "Policy" ? homeOf(key) : ""}. Possible: ${known.join(", ")}. ${notLoaded}`
    return problems.error("K01", range, message)
  }
  const brought = broughtKey(key, known)
  const note = ForeignWords.keyNote(key, known)
  const hint = note ?? (brought === undefined ? Suggest.sentence(key, known) : `Here it is ${brought}.`)
  problems.error(
    "K01",
    range,
    `Unknown key "${key}". ${hint} ${notLoaded}`,
    note === undefined ? once(near) : undefined
  )
}

/** Where a key belongs that stands at another place. */
const homeOf = (key: string): string => {
  if (Keys.policyTop.includes(key)) return ", but at the top of the file"
  const actions = Object.entries(Schema.actions)
    .filter(
      ([, { ast }]) => AST.isTypeLiteral(ast) && ast.propertySignatures.some(({ name }) => name === key)
    )
    .map(([name]) => name)
  return actions.length === 0 ? "" : `, but to ${actions.join(", ")}`
}

/** The member of a union that a node can be: by its kind, which tells every union of `Schema.ts` apart. */
const choose = (ast: AST.AST, node: Node): AST.AST => {
  if (!AST.isUnion(ast)) return ast
  const members = ast.types.filter((member) => !AST.isUndefinedKeyword(member))
  if (members.length === 1) return choose(members[0]!, node)
  const fitting = members.filter((member) =>
    node._tag === "Map"
      ? AST.isTypeLiteral(member)
      : node._tag === "List"
        ? AST.isTupleType(member)
        : isScalar(member)
  )
  return fitting.length === 1 ? fitting[0]! : AST.Union.make(fitting.length === 0 ? members : fitting)
}

const isScalar = (ast: AST.AST): boolean => !AST.isTypeLiteral(ast) && !AST.isTupleType(ast)

const accepts = (ast: AST.AST, what: "null"): boolean =>
  AST.isUnion(ast)
    ? ast.types.some((member) => accepts(member, what))
    : AST.isLiteral(ast) && ast.literal === null

/** Values that are text or conditions, where curly quotes are harmless or reported by the expression's own check. */
const freeText = new Set(["name", "when", "where", "never_touch", "notify", "text"])

const scalar = (
  ast: AST.AST,
  node: Extract<Node, { _tag: "Scalar" }>,
  place: Place,
  problems: Problems
): undefined => {
  if (AST.isTypeLiteral(ast) || AST.isTupleType(ast)) return wrongKind(ast, node, place, problems)
  const smart = /^[“”„«»‘’]|[“”„‘’]$/.test(node.text) && !freeText.has(place.key)
  if (smart)
    return problems.error(
      "Y17",
      node.range,
      "Use straight quotes, or none.",
      node.text.replace(/[“”„«»‘’]/g, "")
    )
  const words = literals(ast)
  if (words.length > 0) return word(words, node, place, problems)
  if (AST.isBooleanKeyword(ast) && node.kind !== "yesNo") {
    return problems.error("K04", node.range, `${place.key} is true or false, not ${node.text}.`)
  }
  if (AST.isStringKeyword(ast) && node.text.trim() === "") {
    problems.error("K16", place.range, `${place.key}: is empty. ${describe(ast)}`.trim())
  }
}

const word = (
  words: ReadonlyArray<AST.LiteralValue>,
  node: Extract<Node, { _tag: "Scalar" }>,
  place: Place,
  problems: Problems
): undefined => {
  if (words.some((allowed) => String(allowed) === node.text)) return
  if (place.key === "version") {
    return problems.error("K17", node.range, `Version ${node.text} is not known. Write version: 1`, "1")
  }
  const known = words.filter((allowed) => typeof allowed === "string")
  const latin = Suggest.latin(node.text)
  if (latin !== undefined && known.includes(latin)) {
    const message = `${Suggest.cyrillicLetter(node.text)} of "${node.text}" is Cyrillic. Did you mean ${latin}?`
    return problems.error("E12", node.range, message, latin)
  }
  const list = known.length === 1 ? known[0] : `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`
  const near =
    Suggest.nearest(node.text, known) ??
    ForeignWords.value(node.text, known) ??
    (place.key === "days" ? ForeignWords.days(node.text, week)?.join(", ") : undefined)
  problems.error("K04", node.range, `${place.key} cannot be "${node.text}". Use ${list}.`, near)
}

const literals = (ast: AST.AST): ReadonlyArray<AST.LiteralValue> =>
  AST.isUnion(ast) ? ast.types.flatMap(literals) : AST.isLiteral(ast) ? [ast.literal] : []

const holdsConditions = /^(when|where|never_touch)$/

const emptyListFix = (ast: AST.AST, { key }: Place): string =>
  holdsConditions.test(key)
    ? `Write a condition into it, such as ${key}: [views >= 500].`
    : describe(ast) || "Write at least one value into it."

const describe = (ast: AST.AST): string => {
  const found = AST.getDescriptionAnnotation(ast)
  return found._tag === "Some" ? found.value : ""
}

const wrongKind = (ast: AST.AST, node: Node, place: Place, problems: Problems): undefined => {
  if (AST.isTypeLiteral(ast) && ast.propertySignatures.length === 0)
    return problems.error(
      "K16",
      place.range,
      `${place.key} stands alone, without a value. The whole of do: is one line: do: ${place.key}`
    )
  const words = literals(ast)
  const wanted = holdsConditions.test(place.key)
    ? "a condition such as views >= 500"
    : words.length > 0
      ? `one of ${words.join(", ")}`
      : AST.isTypeLiteral(ast)
        ? `keys such as ${ast.propertySignatures
            .slice(0, 3)
            .map((p) => `${String(p.name)}:`)
            .join(", ")}`
        : AST.isTupleType(ast)
          ? "a list, one line per entry, each after a dash"
          : "one value"
  const found = node._tag === "Map" ? "keys" : node._tag === "List" ? "a list" : "one value"
  const spelt = place.key === "schedule" ? scheduled(node) : spelledOut(ast, node, place)
  const message = `${place.key}: holds ${found} where ${wanted} should be.${spelt.hint}`
  const fix =
    daysOf(ast, node, place) ??
    spelt.fix ??
    joined(node, place) ??
    quoted(node, (node.range.elsewhere?.source ?? problems.source).text)
  problems.error("K16", place.range, message, fix)
}

/** `days: пн-пт`: the days, in a list. */
const daysOf = (ast: AST.AST, node: Node, { key }: Place): string | undefined => {
  if (key !== "days" || node._tag !== "Scalar" || !AST.isTupleType(ast)) return undefined
  const days = ForeignWords.days(node.text, week)
  return days === undefined ? undefined : `days: [${days.join(", ")}]`
}

/** `when: {any: [a, b]}`: the conditions, joined by the word that is meant. */
const joined = (node: Node, { key }: Place): string | undefined => {
  const [one, ...others] = node._tag === "Map" && holdsConditions.test(key) ? node.entries : []
  const joint = /^(?:(any|or|или)|all|and|и)$/i.exec(one?.key ?? "")
  if (one?.value._tag !== "List" || joint === null || others.length > 0) return undefined
  const texts = one.value.items.map((item) => (item._tag === "Scalar" ? bracketed(item.text.trim()) : ""))
  return texts.includes("") ? undefined : `${key}: ${texts.join(joint[1] === undefined ? " and " : " or ")}`
}

/** A part with a joint of its own keeps to itself; the `and` of a `between` costs a bracket too many. */
const bracketed = (text: string): string =>
  /(?<!\S)(?:and|or|и|или)(?!\S)|&&|\|\|/i.test(text) ? `(${text})` : text

/** Which clock is meant, nobody but the author knows. */
const ofACity = "tz: the city whose clock it is, such as Europe/Moscow."

const anHour = /^(?:hourly|(?:every|once an) hour|каждый час|ежечасно|раз в час)$/iu
const aPartOfDay = /^(?:[01]?\d|2[0-3]):[0-5]\d\s*[-–—]\s*(?:[01]?\d|2[0-3]):[0-5]\d$/
const aDailyTime =
  /^(?:(?:every day|daily|каждый день|ежедневно)\s+)?(?:(?:at|в)\s+)?((?:[01]?\d|2[0-3]):[0-5]\d)$/iu

/** `schedule: every 15 minutes`, `every day at 9:00`; of all else an example. */
const scheduled = (node: Node): Spelled => {
  if (node._tag !== "Scalar") return { hint: "" }
  const text = node.text.trim()
  const often = anHour.test(text) ? "1h" : text.replace(/^(?:every|кажд\p{L}+)\s+/iu, "")
  const length = Durations.parse(often)
  const every = length?._tag === "Vague" ? /^Write (\d\w+)\.$/.exec(length.message)?.[1] : length && often
  if (every !== undefined) return { fix: `schedule: {every: ${every}}`, hint: "" }
  const time = aDailyTime.exec(text)?.[1]
  if (aPartOfDay.test(text))
    return {
      hint: ` Write schedule: {every: …, between: "${text}", tz: …}, with every: how often, such as 30m, and ${ofACity}`
    }
  if (time !== undefined) return { hint: ` Write schedule: {at: "${time}", tz: …}, with ${ofACity}` }
  return forExample("schedule: {every: 3h}")
}

/** `raise_bid: 10%`: its keys, as far as the value says them. */
const spelledOut = (ast: AST.AST, node: Node, { key }: Place): Spelled =>
  node._tag === "Scalar" && Object.hasOwn(optionless, key)
    ? spelled(ast, key, node.text.trim())
    : { hint: "" }

/** What to write, or an example of it as a sentence: what is not written down is the author's to say. */
interface Spelled {
  readonly fix?: string
  readonly hint: string
}

const forExample = (written: string): Spelled => ({ hint: Suggest.forExample(written) })

/** An action with each key that must be given, as `text` says them: `10% cap 450`. */
export const spelled = (ast: AST.AST, key: string, text = ""): Spelled => {
  const needed = AST.isTypeLiteral(ast) ? ast.propertySignatures.filter(({ isOptional }) => !isOptional) : []
  if (needed.length === 0) return { hint: "" }
  const names = needed.map(({ name }) => String(name))
  const said = options(text, names)
  const pairs = needed.map(({ name, type }) => {
    const value = said.get(String(name))
    return `${String(name)}: ${value === undefined ? example(type) : likeExample(value, example(type))}`
  })
  const written = `${key}: {${pairs.join(", ")}}`
  return said.size === needed.length ? { fix: written, hint: "" } : forExample(written)
}

const anOption =
  /^(?:([a-z_]+)(?:\s*[:=]\s*|\s+))?([+-]?\d+(?:\.\d+)?(?:\s?[%₽]|\s+steps?(?![a-z]))?|[a-z_]+(?:\.[a-z_]+)*)(?:\s*,\s*|\s+|$)/

/** The options of a text that says nothing else; a number in front belongs to the first. */
const options = (text: string, names: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const said = new Map<string, string>()
  for (let rest = text; rest !== ""; ) {
    const [all = "", written, value = ""] = anOption.exec(rest) ?? []
    const name = written ?? (rest === text && /\d/.test(value) ? names[0] : undefined)
    if (name === undefined || !names.includes(name) || said.has(name)) return new Map()
    said.set(name, value)
    rest = rest.slice(all.length)
  }
  return said
}

/** A number as an example writes it: `10` as `10%`, `20` as `+20%`; where no example is a number, it is money. */
const likeExample = (text: string, example: string): string => {
  if (!/^[+-]?\d+(?:\.\d+)?\s?[%₽]?$/.test(text)) return text
  const [, sign = "", unit = " ₽"] = /^([+-]?)\d+(\s?[%₽])/.exec(example) ?? []
  return `${/^\d/.test(text) ? sign : ""}${text}${/\d$/.test(text) ? unit : ""}`
}

/** A colon and a space inside a condition make keys of it; in quotes it stays a text. */
const quoted = (node: Node, text: string): string | undefined => {
  const line = text.slice(node.range.start, node.range.end).trim()
  return node._tag === "Map" && /\S .*: /.test(line) && !/[\n{]/.test(line)
    ? `'${line.replaceAll("'", "''")}'       (a colon and a space need quotes around the whole condition)`
    : undefined
}
