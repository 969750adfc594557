/** `where:` and `when:`: one condition, or a list of conditions that must all hold. */
import * as Window from "../../../domain/Window.js"
import * as ClockFacts from "../../facts/ClockFacts.js"
import * as FactType from "../../facts/FactType.js"
import * as Texts from "../../facts/Texts.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Clause, CompareOp, Condition, ConfidentCondition, Expr, FactRef } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Parser from "../syntax/Parser.js"
import * as Syntax from "../syntax/Syntax.js"
import { type Ast, mirrored } from "../syntax/Syntax.js"
import { type Node, rangeIn, type ScalarNode, scalars } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import * as Below from "./Below.js"
import { Scope, type Setting } from "./Scope.js"
import * as Units from "./Units.js"
import { alwaysKnown, enumWord, finished, infer, mismatch, signed, typeOf, yesNo } from "./Values.js"
import * as Words from "./Words.js"

/** The clauses that could be read; the others have been reported. */
export const read = (node: Node | undefined, setting: Setting, problems: Problems): ReadonlyArray<Clause> =>
  scalars(node).flatMap((scalar) => {
    const clause = one(scalar, setting, problems)
    return clause === undefined ? [] : [clause]
  })

/** As `read`, of what a key holds: of several conditions none is lost. */
export const readAll = (
  node: Node | undefined,
  setting: Setting,
  problems: Problems
): ReadonlyArray<Clause> => {
  const found = read(node, setting, problems)
  refuseLost(node, found.length, problems)
  return found
}

/**
 * K16: a condition that is written, and was neither read nor refused. Without it every row would match, so it is refused
 * whatever it is; nothing is known to get here.
 */
export const refuseLost = (node: Node | undefined, read: number, problems: Problems): void => {
  if (node === undefined || problems.count > 0) return
  const items = node._tag === "List" ? node.items : [node]
  if (items.some((item) => item._tag === "Scalar" && item.told === true)) return
  if (read === 0 || read < items.length)
    problems.error("K16", node.range, "A condition should stand here, such as views >= 500.")
}

/** A condition that was read without a problem, and where in its text it stands. */
interface Known extends Range {
  readonly condition: Condition
}

/**
 * Of the rule sets being checked: policies often ask the same, which then is read, analysed and named once. By their own
 * words; what asks for a variable's list, by that list as well.
 */
const memories = new WeakMap<object, WeakMap<object, Map<string, Known>>>()

const one = (node: ScalarNode, setting: Setting, problems: Problems): Clause | undefined => {
  if (node.text.trim() === "") return undefined
  const memory = !node.text.includes("$") && setting.own !== undefined ? memoryOf(setting.own) : undefined
  const name = memory === undefined ? "" : nameOf(node, setting)
  const before = problems.reports
  const known = memory?.get(name) ?? expression(node, setting, problems)
  if (known === undefined) return undefined
  if (problems.reports === before) memory?.set(name, known)
  const text = node.text.trim().replace(/\s+/g, " ")
  const span = Source.span(problems.source, rangeIn(node, known.start, known.end))
  return { text, condition: known.condition, span }
}

const memoryOf = (words: object, list = words): Map<string, Known> => {
  const lists = memories.get(words) ?? new WeakMap<object, Map<string, Known>>()
  memories.set(words, lists)
  const memory = lists.get(list) ?? new Map<string, Known>()
  lists.set(list, memory)
  return memory
}

/** A question about a list; that of a variable, of which nothing else is asked, is read once. */
const listed = (
  ast: Ast,
  list: Ast,
  scope: Scope,
  read: () => Condition | undefined
): Condition | undefined => {
  const { own } = scope.setting
  const text = scope.part(ast)
  if (list._tag !== "List" || list.from === undefined || own === undefined || text.split("$").length > 2)
    return read()
  const memory = memoryOf(own, list.from)
  const name = nameOf({ text }, scope.setting)
  const before = scope.problems.reports
  const condition = memory.get(name)?.condition ?? read()
  if (condition !== undefined && scope.problems.reports === before)
    memory.set(name, { condition, start: ast.start, end: ast.end })
  return condition
}

/** All that decides what a text means. */
const nameOf = (
  { text }: Pick<ScalarNode, "text">,
  { allowed, each, isLevelUnsure, payment, window, zone }: Setting
): string =>
  `${each} ${isLevelUnsure === true} ${allowed} ${payment} ${zone} ${window === undefined ? "" : Window.key(window.value)}\n${text}`

const expression = (node: ScalarNode, setting: Setting, problems: Problems): Known | undefined => {
  const joint = /^\s*(and|or|и|или)\s*$/i.exec(node.text)?.[1]
  if (joint !== undefined)
    return problems.error(
      "E09",
      node.range,
      `Lines are joined by and. For or write one line, its conditions beside each other: orders = 0 or views < 5. Remove "${joint}".`
    )
  const { ast, faults } = Parser.parts(node.text, node.vars)
  for (const { code, end, fix, message, start } of faults)
    problems.error(code, rangeIn(node, start, end), message, fix)
  Words.alphabets(node, problems)
  const condition = readCondition(ast, new Scope(setting, node, problems))
  return condition === undefined || faults.length > 0
    ? undefined
    : { condition, start: ast.start, end: ast.end }
}

// Conditions: refuses comparisons of things that do not go together, and questions that are none.

/** A typed condition, or undefined when something was reported. Both sides are always looked at. */
const readCondition = (ast: Ast, scope: Scope): Condition | undefined => {
  switch (ast._tag) {
    case "And":
    case "Or": {
      const parts = ast.parts.map((part, at) =>
        isOption(part, scope) ? moreOptions(ast.parts, at, scope) : readCondition(part, scope)
      )
      const known = parts.filter((part) => part !== undefined)
      if (known.length < parts.length) return undefined
      return ast._tag === "And" ? { _tag: "And", all: known } : { _tag: "Or", any: known }
    }
    case "Not": {
      const inner = readCondition(ast.part, scope)
      return inner === undefined ? undefined : { _tag: "Not", condition: inner }
    }
    case "Compare":
      return compare(ast, scope)
    case "Between":
      return between(ast, scope)
    case "In":
      return listed(ast, ast.list, scope, () => membership(ast, scope))
    case "Matches":
      return matches(ast, scope)
    case "Contains":
      return listed(ast, ast.words, scope, () => contains(ast, scope))
    case "Known":
      return isKnown(ast, scope)
    case "Quantified":
      return Below.quantified(ast, scope, readCondition)
    case "Confidence": {
      const made = readCondition(ast.comparison, scope)
      return made === undefined ? undefined : confident(ast, made, scope)
    }
    default:
      return alone(ast, scope)
  }
}

/** A value that stands where a condition should. */
const isOption = (ast: Ast, scope: Scope): boolean =>
  ast._tag === "Text" ||
  ast._tag === "Number" ||
  (isUnknownWord(ast, scope) && !scope.part(ast).includes("."))

/** `campaign.name = "A" or "B"`: the values of a list, told at the first that lacks its field. */
const moreOptions = (parts: ReadonlyArray<Ast>, at: number, scope: Scope): undefined => {
  const first = parts.slice(0, at).findLastIndex((part) => !isOption(part, scope))
  const asked = parts[first]
  const type = asked?._tag === "Compare" ? typeOf(asked.left, scope)?._tag : undefined
  const isWord = parts[at]?._tag === "Word"
  if (
    asked?._tag !== "Compare" ||
    !/^!?=$/.test(asked.op) ||
    (isWord && type !== "Text" && type !== "Enum")
  ) {
    alone(parts[at]!, scope)
    return undefined
  }
  if (at > first + 1) return undefined
  const end = parts.findIndex((part, index) => index > at && !isOption(part, scope))
  const values = [asked.right, ...parts.slice(at, end < 0 ? parts.length : end)].map((value) => {
    const part = scope.part(value)
    return value._tag === "Text" || type !== "Text" || part.startsWith("$") ? part : `"${part}"`
  })
  const list = `${scope.part(asked.left)} ${asked.op === "=" ? "in" : "not in"} [${values.join(", ")}]`
  return scope.error("E11", parts[at]!, `One of several values is written as a list: ${list}`)
}

const compare = (ast: Extract<Ast, { _tag: "Compare" }>, scope: Scope): Condition | undefined => {
  const special = wordOf(ast.left, ast.right, scope) ?? wordOf(ast.right, ast.left, scope)
  if (special !== undefined) return compareWord(ast, special, scope)
  const wanted = typeOf(ast.left, scope) ?? typeOf(ast.right, scope)
  if (wanted?._tag === "Labels") {
    const isTurned = typeOf(ast.left, scope)?._tag !== "Labels"
    const [of, words] = isTurned ? [ast.right, ast.left] : [ast.left, ast.right]
    return severalLabels(ast, of, words, scope)
  }
  const isNothing = ast.right._tag === "Text" && ast.right.value.trim() === "" && wanted?._tag !== "Text"
  if (
    /^!?=$/.test(ast.op) &&
    (isNothing || (isUnknownWord(ast.right, scope) && absence.test(scope.part(ast.right))))
  )
    return noValue(ast, wanted, scope)
  const unquoted =
    wanted?._tag === "Text" ? [ast.left, ast.right].find((side) => isUnknownWord(side, scope)) : undefined
  if (unquoted !== undefined) return scope.quoteIt(unquoted)
  const left = signed(ast.left, ast.right, scope, wanted)
  const right =
    left === undefined && isUnknownWord(ast.right, scope)
      ? undefined
      : signed(ast.right, ast.left, scope, wanted)
  if (left === undefined || right === undefined) return undefined
  const unordered = [left.type, right.type].find(({ _tag }) => !Units.ordered(_tag))
  if (!/^!?=$/.test(ast.op) && unordered !== undefined)
    return scope.error(
      "E11",
      ast,
      `${FactType.describe(unordered)} is neither larger nor smaller. Use = or !=.`
    )
  if (!Units.comparable(left.type._tag, right.type._tag)) {
    const [odd, expected, at] =
      left.type._tag === "Number" ? [left.type, right.type, ast.left] : [right.type, left.type, ast.right]
    return mismatch(odd, expected, at, scope, at === ast.right ? ast : undefined)
  }
  const globbed = [ast.right, ast.left].find((side) => globOf(side) !== undefined)
  if (left.type._tag === "Text" && globbed !== undefined) {
    const asked = `${scope.part(globbed === ast.right ? ast.left : ast.right)} matches ${scope.part(globbed)}`
    return noGlob(globbed, ast, ast.op, scope, ast.op === "=" ? asked : `not ${asked}`)
  }
  const trivial = ofComparison(ast.op, left, right)
  if (trivial !== undefined) return scope.error("E16", ast, trivial)
  return { _tag: "Compare", op: ast.op, left, right }
}

const isUnknownWord = (ast: Ast, scope: Scope): boolean =>
  ast._tag === "Word" && scope.named(ast.name) === undefined

const absence = /^(?:null|nil|none|nan|undefined|empty|n_a|na|нет|пусто|отсутствует)$/i

/** `orders = null`: none at all and not told differ here. */
const noValue = (
  ast: Extract<Ast, { _tag: "Compare" }>,
  wanted: FactType.FactType | undefined,
  scope: Scope
): undefined => {
  const [left, right] = [scope.part(ast.left), scope.part(ast.right)]
  const known = `${left} ${ast.op === "=" ? "is not known" : "is known"}`
  const unit = wanted?._tag === "Money" ? " ₽" : ""
  const none = `${left} ${ast.op} 0${unit} for ${ast.op === "=" ? "none" : "any"} at all`
  const other = wanted?._tag === "Count" || wanted?._tag === "Money" ? `, or ${none}` : ""
  return scope.error("E11", ast, `${right} is no value. Where nothing is told write ${known}${other}.`)
}

interface WordComparison {
  /** A field, or a field with a default. */
  readonly fact: Ast
  readonly type: FactType.FactType
  /** What stands on the other side. */
  readonly word: Ast
}

/** `fact = word` where the fact takes words: an enum, or yes and no. */
const wordOf = (fact: Ast, word: Ast, scope: Scope): WordComparison | undefined => {
  const type = typeOf(fact, scope)
  if (type === undefined) return undefined
  if (type._tag !== "Enum" && type._tag !== "YesNo") return undefined
  const other = typeOf(word, scope)
  return other?._tag === type._tag ? undefined : { fact, type, word }
}

const compareWord = (
  ast: Extract<Ast, { _tag: "Compare" }>,
  { fact, type, word }: WordComparison,
  scope: Scope
): Condition | undefined => {
  const left = infer(fact, scope)
  const right = type._tag === "Enum" ? enumWord(word, type, scope) : yesNo(word, scope)
  if (left === undefined || right === undefined) return undefined
  if (ast.op !== "=" && ast.op !== "!=") {
    return scope.error("E11", ast, `${scope.part(fact)} is neither larger nor smaller. Use = or !=.`)
  }
  if (type._tag === "Enum") return { _tag: "Compare", op: ast.op, left, right }
  const positive = (right._tag === "Literal" && right.value === true) === (ast.op === "=")
  const question: Condition = { _tag: "IsTrue", value: left }
  return positive ? question : { _tag: "Not", condition: question }
}

const between = (ast: Extract<Ast, { _tag: "Between" }>, scope: Scope): Condition | undefined => {
  const of = finished(infer(ast.value, scope), ast.value, scope)
  const low = signed(ast.low, ast.value, scope, of?.type)
  const high = signed(ast.high, ast.value, scope, of?.type)
  if (of === undefined || low === undefined || high === undefined) return undefined
  for (const [bound, at] of [
    [low, ast.low],
    [high, ast.high]
  ] as const) {
    if (Units.ordered(of.type._tag) && Units.comparable(of.type._tag, bound.type._tag)) continue
    return mismatch(bound.type, of.type, at, scope, ast)
  }
  if (low._tag === "Literal" && high._tag === "Literal" && low.value > high.value) {
    return scope.error("E16", ast, "Never true: the first bound is above the second.", turned(ast, of, scope))
  }
  return { _tag: "Between", value: of, low, high }
}

/** The bounds in their order; hours that go on past midnight are two parts of the day. */
const turned = (ast: Extract<Ast, { _tag: "Between" }>, of: Expr, scope: Scope): string => {
  const [value, low, high] = [ast.value, ast.low, ast.high].map((part) => scope.part(part))
  if (of._tag !== "Fact" || !ClockFacts.isHour(of.fact.id)) return `${value} between ${high} and ${low}`
  const hours = `${value} >= ${low} or ${value} <= ${high}`
  return scope.part(ast) === scope.node.text.trim() ? hours : `(${hours})`
}

const membership = (ast: Extract<Ast, { _tag: "In" }>, scope: Scope): Condition | undefined => {
  const of = finished(infer(ast.value, scope), ast.value, scope)
  const items = ast.list._tag === "List" ? ast.list.items : []
  if (of === undefined || ast.list._tag === "Unread") return undefined
  if (items.length === 0) return scope.error("E16", ast.list, "Never true: the list is empty.")
  const { type } = of
  if (type._tag === "Labels") return severalLabels(ast, ast.value, ast.list, scope)
  const options = items.map((item) =>
    type._tag === "Enum" ? enumWord(item, type, scope) : option(item, type, scope)
  )
  const known = options.filter((made) => made !== undefined)
  if (known.length < options.length) return undefined
  const made: Condition = { _tag: "In", value: of, options: known }
  return ast.negated ? { _tag: "Not", condition: made } : made
}

const option = (item: Ast, type: FactType.FactType, scope: Scope): Expr | undefined => {
  if (type._tag === "Text" && item._tag === "Word") return scope.quoteIt(item)
  if (type._tag === "Text" && globOf(item) !== undefined) return noGlob(item, item, "in", scope)
  const made = infer(item, scope, type)
  if (made === undefined || Units.comparable(type._tag, made.type._tag)) return made
  return mismatch(made.type, type, item, scope)
}

/** The text of a pattern. A question mark that ends a word only asks. */
const globOf = (ast: Ast): string | undefined => {
  const words = Syntax.wording(ast)
  return words !== undefined && /\*|\?[\p{L}\p{N}]/u.test(words) ? words : undefined
}

/** Taken for letters, the signs of a pattern match nothing: the rule would act on all that it should spare. */
const noGlob = (text: Ast, at: Ast, verb: string, scope: Scope, fix?: string): undefined =>
  scope.error(
    "E11",
    at,
    `* and ? stand for other letters behind matches only, not behind ${verb}: ${scope.part(text)}`,
    fix
  )

/** One row may have many labels, so none is "the" label; they are asked for whole, so a pattern has nothing to become. */
const severalLabels = (
  ast: Extract<Ast, { _tag: "Compare" | "In" | "Matches" }>,
  of: Ast,
  words: Ast,
  scope: Scope
): undefined => {
  const [name, told] = [scope.part(of), `${scope.part(of)} may hold several labels`]
  if (words._tag === "Text" && ast._tag === "Matches" && /[*?]/.test(words.value))
    return scope.error("E11", ast, `${told}: name each whole, ${name} contains any ["one", "another"].`)
  const texts = words._tag === "List" ? words.items : [words]
  const asked = texts.flatMap((text) => Words.labels(text, scope))
  const isOne = words._tag !== "List" && asked.length === 1
  const contains = `${name} contains ${isOne ? asked.join("") : `any [${asked.join(", ")}]`}`
  const isNegated = ast._tag === "Compare" ? ast.op === "!=" : ast._tag === "In" && ast.negated
  const odd = asked.length > texts.length ? ", and none has a comma, semicolon or bar" : ""
  return scope.error(
    "E11",
    ast,
    `${told}${odd}: ask with contains.`,
    isNegated ? `not (${contains})` : contains
  )
}

const subject = (ast: Ast, verb: string, scope: Scope): Expr | undefined => {
  const of = infer(ast, scope)
  if (of === undefined || of.type._tag === "Text" || (of.type._tag === "Labels" && verb === "contains"))
    return of
  return scope.error(
    "E11",
    ast,
    `${verb} looks at text; ${scope.part(ast)} is ${FactType.describe(of.type)}.`
  )
}

const wording = (ast: Ast, scope: Scope): string | undefined => {
  const words = Syntax.wording(ast)
  if (words !== undefined || ast._tag === "Unread") return words
  return ast._tag === "Word" ? scope.quoteIt(ast) : scope.error("E11", ast, 'Expected text in quotes: "кеды"')
}

const matches = (ast: Extract<Ast, { _tag: "Matches" }>, scope: Scope): Condition | undefined => {
  if (typeOf(ast.value, scope)?._tag === "Labels") return severalLabels(ast, ast.value, ast.pattern, scope)
  const of = subject(ast.value, "matches", scope)
  const pattern = wording(ast.pattern, scope)
  if (of === undefined || pattern === undefined) return undefined
  if (/^\**$/.test(pattern)) {
    return scope.error(
      "E16",
      ast.pattern,
      `${pattern === "" ? "Never" : "Always"} true: the pattern says nothing.`
    )
  }
  Words.patterns(ast, pattern, scope)
  return { _tag: "Matches", value: of, pattern }
}

const contains = (ast: Extract<Ast, { _tag: "Contains" }>, scope: Scope): Condition | undefined => {
  const of = subject(ast.value, "contains", scope)
  const items = ast.words._tag === "List" ? ast.words.items : [ast.words]
  const words = items.map((item) => wording(item, scope))
  const known = words.filter((word) => word !== undefined)
  if (of === undefined || known.length < words.length) return undefined
  const globbed = items.find((item) => globOf(item) !== undefined)
  if (globbed !== undefined)
    return of.type._tag === "Labels"
      ? scope.error("E11", ast, `A label is asked for whole, without * and ?: ${scope.part(globbed)}`)
      : noGlob(globbed, ast, "contains", scope, withoutGlob(ast, scope))
  if (known.length === 0) return scope.error("E16", ast.words, "Never true: the list is empty.")
  // A blank is a part of a text; a label has none around it.
  if (known.some((word) => (of.type._tag === "Labels" ? word.trim() : word) === "")) {
    return scope.error("E16", ast.words, "Always true: every text contains an empty word.")
  }
  const isLabel = of.type._tag === "Labels"
  Words.several(ast, scope, isLabel)
  return isLabel
    ? { _tag: "HasLabel", value: of, labels: known.map(Texts.label) }
    : { _tag: "Contains", value: of, words: known }
}

/** What `contains "*a*"` means; undefined where one of several words is a pattern. */
const withoutGlob = (ast: Extract<Ast, { _tag: "Contains" }>, scope: Scope): string | undefined => {
  const glob = globOf(ast.words)?.replace(/^\*+|\*+$/g, "")
  if (glob === undefined || glob === "" || !scope.part(ast.words).includes(glob)) return undefined
  const of = scope.part(ast.value)
  return /[*?]/.test(glob) ? `${of} matches "*${glob}*"` : `${of} contains "${glob}"`
}

/** `is known`: about a field or a calculation, never about what is written. */
const isKnown = (ast: Extract<Ast, { _tag: "Known" }>, scope: Scope): Condition | undefined => {
  const of = infer(ast.value, scope)
  if (of === undefined) return undefined
  if (alwaysKnown(of)) {
    return scope.error("E16", ast, `${ast.negated ? "Never" : "Always"} true: this is always known.`)
  }
  const made: Condition = { _tag: "IsKnown", value: of }
  return ast.negated ? { _tag: "Not", condition: made } : made
}

/** A value standing where a condition should: fine for yes/no facts only. */
const alone = (ast: Ast, scope: Scope): Condition | undefined => {
  const made = finished(infer(ast, scope), ast, scope)
  if (made === undefined) return undefined
  if (made._tag !== "Literal" && made.type._tag === "YesNo") return { _tag: "IsTrue", value: made }
  const example =
    made.type._tag === "Enum" ? `= ${made.type.words[0]}` : made.type._tag === "Money" ? "> 100 ₽" : "> 1"
  const whole =
    made._tag === "Fact"
      ? `${scope.part(ast)} ${made.type._tag === "Ratio" ? "> 1%" : /^(Text|Labels)$/.test(made.type._tag) ? 'contains "…"' : example}`
      : undefined
  const asked = whole === undefined ? "" : Suggest.forExample(whole)
  return scope.error(
    "E11",
    ast,
    `${scope.part(ast)} alone is no condition. Compare it with something.${asked}`
  )
}

// `… with 99% confidence`: which counts prove a comparison of a rate.

/** By the last word of the rate: hits, and the trials they are of. */
const counts: Readonly<Record<string, readonly [hits: string, trials: string]>> = {
  ctr: ["clicks", "views"],
  cr: ["orders", "clicks"]
}

const flipped = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const
type Op = ConfidentCondition["op"]

/** The condition with its counts, over the window of the rate; `made` is its comparison. Reports E14 and E16. */
const confident = (
  ast: Extract<Ast, { _tag: "Confidence" }>,
  made: Condition,
  scope: Scope
): Condition | undefined => {
  const { comparison } = ast
  if (made._tag !== "Compare" || comparison._tag !== "Compare" || !isOrder(made.op)) {
    return scope.error("E14", comparison, "Confidence goes with < or >: ctr < 1% with 99% confidence")
  }
  const left = ratePart(made.left)
  const part = left ?? ratePart(made.right)
  const at = left === undefined && made.left._tag === "Literal" ? comparison.right : comparison.left
  if (part === undefined) {
    return scope.error("E14", at, "Confidence is for ctr and cr only. Require orders >= 5 instead.")
  }
  const value = left === undefined ? made.right : made.left
  const threshold = left === undefined ? made.left : made.right
  if (threshold._tag === "Literal" && (Number(threshold.value) <= 0 || Number(threshold.value) >= 1)) {
    const where = left === undefined ? comparison.left : comparison.right
    return scope.error("E16", where, "Nothing to prove: write a rate between 0% and 100%.")
  }
  const { level, hits, trials } = part
  return {
    _tag: "Confident",
    op: left === undefined ? flipped[made.op] : made.op,
    value,
    hits: count(`${level}.${hits}`, part.fact),
    trials: count(`${level}.${trials}`, part.fact),
    threshold,
    level: ast.level
  }
}

const isOrder = (op: CompareOp): op is Op => Object.hasOwn(flipped, op)

const ratePart = (expr: Expr) => {
  const fact = expr._tag === "Fact" ? Vocabulary.byFactId(expr.fact.id) : undefined
  const pair = fact === undefined ? undefined : counts[fact.word]
  if (expr._tag !== "Fact" || fact === undefined || pair === undefined) return undefined
  return { fact: expr.fact, level: fact.level, hits: pair[0], trials: pair[1] }
}

const count = (id: string, { window }: FactRef): Expr => ({
  _tag: "Fact",
  type: FactType.count,
  fact: window === undefined ? { id } : { id, window }
})

// Comparisons whose answer is known beforehand: a slip of the pen that would fire on everything, or on nothing.

/** Shares of a whole, so never above 100%; `acos` may be. */
const shares = /\.(ctr|cr)$/

/** Sentence for a comparison that is always or never true; undefined for a real question. */
const ofComparison = (op: CompareOp, left: Expr, right: Expr): string | undefined => {
  if (left._tag === "Literal" && right._tag === "Literal") return "This compares two values, and no field."
  if (left._tag === "Literal") return ofComparison(mirrored[op], right, left)
  if (right._tag === "Literal" && isFall(left)) return ofFall(op, Number(right.value))
  if (left._tag !== "Fact" || (right._tag !== "Fact" && right._tag !== "Literal")) return undefined
  if (right._tag === "Fact") {
    return same(left, right) ? "This compares a field with itself." : undefined
  }
  if (left.fact.id === "cluster.query" && String(right.value).trim() === "")
    return `${op === "=" ? "Never" : "Always"} true: no query is empty.`
  if (typeof right.value !== "number" || Vocabulary.mayBeNegative(left.fact.id)) return undefined
  if (right.value === 0 && op === "<") return "Never true: nothing here is below zero."
  if (right.value === 0 && op === ">=") return "Always true: nothing here is below zero."
  return shares.test(left.fact.id) ? ofShare(op, right.value) : undefined
}

const ofShare = (op: CompareOp, bound: number): string | undefined => {
  if (bound < 1) return undefined
  if (op === "<" || op === "<=") return "Always true: this is never above 100%. Probably 1% was meant."
  if (op === ">" || bound > 1)
    return op === "!=" ? "Always true: this is never above 100%." : "Never true: this is never above 100%."
  return undefined
}

/** A change of what is never below zero: it falls by 100% at most. */
const isFall = (expr: Expr): boolean => {
  if (expr._tag !== "Arithmetic" || expr.op !== "/" || expr.left._tag !== "Arithmetic") return false
  const { left: now, op, right: before } = expr.left
  if (op !== "-" || JSON.stringify(before) !== JSON.stringify(expr.right)) return false
  return (
    now._tag === "Fact" &&
    before._tag === "Fact" &&
    !Vocabulary.mayBeNegative(now.fact.id) &&
    !Vocabulary.mayBeNegative(before.fact.id)
  )
}

const ofFall = (op: CompareOp, bound: number): string | undefined => {
  if (bound < -1 && op !== ">" && op !== ">=" && op !== "!=")
    return "Never true: nothing falls by more than 100%."
  if (bound < -1) return "Always true: nothing falls by more than 100%."
  if (bound > -1) return undefined
  if (op === "<") return "Never true: nothing falls by more than 100%."
  return op === ">=" ? "Always true: nothing falls by more than 100%." : undefined
}

const same = (a: Extract<Expr, { _tag: "Fact" }>, b: Extract<Expr, { _tag: "Fact" }>): boolean =>
  a.fact.id === b.fact.id && JSON.stringify(a.fact.window) === JSON.stringify(b.fact.window)
