/** Conditions: refuses comparisons of things that do not go together, and questions that are none. */
import * as FactType from "../../facts/FactType.js"
import * as Texts from "../../facts/Texts.js"
import type { Condition, Expr } from "../Policy.js"
import { mismatch } from "../problems/Mismatch.js"
import type { Ast } from "../syntax/Syntax.js"
import * as Below from "./Below.js"
import * as Confident from "./Confident.js"
import type { Scope } from "./Scope.js"
import * as Triviality from "./Triviality.js"
import * as Units from "./Units.js"
import { alwaysKnown, enumWord, finished, infer, signed, typeOf, yesNo } from "./Values.js"

/** A typed condition, or undefined when something was reported. Both sides are always looked at. */
export const condition = (ast: Ast, scope: Scope): Condition | undefined => {
  switch (ast._tag) {
    case "And":
    case "Or": {
      const parts = ast.parts.map((part) => condition(part, scope))
      const known = parts.filter((part) => part !== undefined)
      if (known.length < parts.length) return undefined
      return ast._tag === "And" ? { _tag: "And", all: known } : { _tag: "Or", any: known }
    }
    case "Not": {
      const inner = condition(ast.part, scope)
      return inner === undefined ? undefined : { _tag: "Not", condition: inner }
    }
    case "Compare":
      return compare(ast, scope)
    case "Between":
      return between(ast, scope)
    case "In":
      return membership(ast, scope)
    case "Matches":
      return matches(ast, scope)
    case "Contains":
      return contains(ast, scope)
    case "Known":
      return known(ast, scope)
    case "Quantified":
      return Below.quantified(ast, scope, condition)
    case "Confidence": {
      const made = condition(ast.comparison, scope)
      return made === undefined ? undefined : Confident.of(ast, made, scope)
    }
    default:
      return alone(ast, scope)
  }
}

const compare = (ast: Extract<Ast, { _tag: "Compare" }>, scope: Scope): Condition | undefined => {
  const special = wordOf(ast.left, ast.right, scope) ?? wordOf(ast.right, ast.left, scope)
  if (special !== undefined) return compareWord(ast, special, scope)
  const wanted = typeOf(ast.left, scope) ?? typeOf(ast.right, scope)
  if (wanted?._tag === "Labels") return severalLabels(ast, ast.right, scope)
  const unquoted =
    wanted?._tag === "Text" ? [ast.left, ast.right].find((side) => isUnknownWord(side, scope)) : undefined
  if (unquoted !== undefined) return quoteIt(unquoted, scope)
  const left = signed(ast.left, ast.right, scope, wanted)
  const right =
    left === undefined && isUnknownWord(ast.right, scope)
      ? undefined
      : signed(ast.right, ast.left, scope, wanted)
  if (left === undefined || right === undefined) return undefined
  if (!Units.comparable(left.type._tag, right.type._tag)) {
    const [odd, expected, at] =
      left.type._tag === "Number" ? [left.type, right.type, ast.left] : [right.type, left.type, ast.right]
    return mismatch(odd, expected, at, scope, at === ast.right ? ast : undefined)
  }
  if (!/^!?=$/.test(ast.op) && !Units.ordered(left.type._tag)) {
    return scope.error(
      "E11",
      ast,
      `${FactType.describe(left.type)} is neither larger nor smaller. Use = or !=.`
    )
  }
  const trivial = Triviality.ofComparison(ast.op, left, right)
  if (trivial !== undefined) return scope.error("E16", ast, trivial)
  return { _tag: "Compare", op: ast.op, left, right }
}

const isUnknownWord = (ast: Ast, scope: Scope): boolean =>
  ast._tag === "Word" && typeOf(ast, scope) === undefined

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
    const comparison = { ...ast, _tag: "Compare", op: ">=", left: ast.value, right: at } as const
    return mismatch(bound.type, of.type, at, scope, comparison)
  }
  if (low._tag === "Literal" && high._tag === "Literal" && low.value > high.value) {
    const fix = `${scope.part(ast.value)} between ${scope.part(ast.high)} and ${scope.part(ast.low)}`
    return scope.error("E16", ast, "Never true: the first bound is above the second.", fix)
  }
  return { _tag: "Between", value: of, low, high }
}

const membership = (ast: Extract<Ast, { _tag: "In" }>, scope: Scope): Condition | undefined => {
  const of = finished(infer(ast.value, scope), ast.value, scope)
  const items = ast.list._tag === "List" ? ast.list.items : []
  if (of === undefined) return undefined
  if (items.length === 0) return scope.error("E16", ast.list, "Never true: the list is empty.")
  const { type } = of
  if (type._tag === "Labels") return severalLabels(ast, ast.list, scope)
  const options = items.map((item) =>
    type._tag === "Enum" ? enumWord(item, type, scope) : option(item, type, scope)
  )
  const known = options.filter((made) => made !== undefined)
  if (known.length < options.length) return undefined
  const made: Condition = { _tag: "In", value: of, options: known }
  return ast.negated ? { _tag: "Not", condition: made } : made
}

const option = (item: Ast, type: FactType.FactType, scope: Scope): Expr | undefined => {
  if (type._tag === "Text" && item._tag === "Word") return quoteIt(item, scope)
  const made = infer(item, scope, type)
  if (made === undefined || Units.comparable(type._tag, made.type._tag)) return made
  return mismatch(made.type, type, item, scope)
}

const quoteIt = (word: Ast, scope: Scope): undefined =>
  scope.error("E11", word, "Text needs quotes.", `"${scope.part(word)}"`)

/** One row may have many labels, so none is "the" label. */
const severalLabels = (
  ast: Extract<Ast, { _tag: "Compare" | "In" | "Matches" }>,
  words: Ast,
  scope: Scope
): undefined => {
  const of = ast._tag === "Compare" ? ast.left : ast.value
  const fix = `${scope.part(of)} contains ${words._tag === "List" ? "any " : ""}${scope.part(words)}`
  return scope.error("E11", ast, `${scope.part(of)} may hold several labels: ask with contains.`, fix)
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
  if (ast._tag === "Text") return ast.value
  return ast._tag === "Word"
    ? quoteIt(ast, scope)
    : scope.error("E11", ast, 'Expected text in quotes: "кеды"')
}

const matches = (ast: Extract<Ast, { _tag: "Matches" }>, scope: Scope): Condition | undefined => {
  if (typeOf(ast.value, scope)?._tag === "Labels") return severalLabels(ast, ast.pattern, scope)
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
  return { _tag: "Matches", value: of, pattern }
}

const contains = (ast: Extract<Ast, { _tag: "Contains" }>, scope: Scope): Condition | undefined => {
  const of = subject(ast.value, "contains", scope)
  const items = ast.words._tag === "List" ? ast.words.items : [ast.words]
  const words = items.map((item) => wording(item, scope))
  const known = words.filter((word) => word !== undefined)
  if (of === undefined || known.length < words.length) return undefined
  if (known.length === 0) return scope.error("E16", ast.words, "Never true: the list is empty.")
  if (known.some((word) => word.trim() === "")) {
    return scope.error("E16", ast.words, "Always true: every text contains an empty word.")
  }
  return of.type._tag === "Labels"
    ? { _tag: "HasLabel", value: of, labels: known.map(Texts.label) }
    : { _tag: "Contains", value: of, words: known }
}

/** `is known`: about a field or a calculation, never about what is written. */
const known = (ast: Extract<Ast, { _tag: "Known" }>, scope: Scope): Condition | undefined => {
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
  const fix =
    made._tag === "Fact"
      ? `${scope.part(ast)} ${made.type._tag === "Ratio" ? "> 1%" : /^(Text|Labels)$/.test(made.type._tag) ? 'contains "…"' : example}`
      : undefined
  return scope.error("E11", ast, `${scope.part(ast)} alone is no condition. Compare it with something.`, fix)
}
