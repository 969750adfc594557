/** Gives every part of an expression its type and refuses what does not go together. */
import * as FactType from "../facts/FactType.js"
import type { Condition, Expr } from "./Policy.js"
import type { Scope } from "./Scope.js"
import { literal } from "./Scope.js"
import * as Suggest from "./Suggest.js"
import type { Ast } from "./Syntax.js"
import * as Triviality from "./Triviality.js"
import * as Units from "./Units.js"

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
    default:
      return alone(ast, scope)
  }
}

/** A typed value of the wanted type, or undefined when something was reported. */
export const value = (ast: Ast, scope: Scope, wanted: FactType.FactType): Expr | undefined => {
  const made = infer(ast, scope, wanted)
  if (made === undefined || made.type._tag === wanted._tag) return made
  return mismatch(made.type, wanted, ast, scope)
}

const infer = (ast: Ast, scope: Scope, wanted?: FactType.FactType): Expr | undefined => {
  switch (ast._tag) {
    case "Number":
      return literal(ast, wanted, scope)
    case "Text":
      return { _tag: "Literal", type: FactType.text, value: ast.value }
    case "Word":
      return scope.fact(ast)
    case "Arithmetic": {
      const left = infer(ast.left, scope)
      const right = infer(ast.right, scope)
      if (left === undefined || right === undefined) return undefined
      if (ast.op === "/" && right._tag === "Literal" && right.value === 0) {
        return scope.error("E16", ast.right, "Nothing can be divided by zero.")
      }
      const type = Units.combine(ast.op, left.type._tag, right.type._tag)
      if (type !== undefined) return { _tag: "Arithmetic", type, op: ast.op, left, right }
      return scope.error("E11", ast, cannotCombine(ast.op, left.type, right.type))
    }
    case "List":
      return scope.error("E11", ast, "A list stands after in, or after contains any.")
    default:
      return scope.error("E11", ast, "A yes-or-no condition cannot be used as a value.")
  }
}

const cannotCombine = (op: string, left: FactType.FactType, right: FactType.FactType): string => {
  const verbs: Readonly<Record<string, string>> = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide"
  }
  const hint = left._tag === "Money" && right._tag === "Ratio" ? " For 10% more write: amount * 110%" : ""
  return `Cannot ${verbs[op]} ${FactType.describe(left)} and ${FactType.describe(right)}.${hint}`
}

const compare = (ast: Extract<Ast, { _tag: "Compare" }>, scope: Scope): Condition | undefined => {
  const special = wordOf(ast.left, ast.right, scope) ?? wordOf(ast.right, ast.left, scope)
  if (special !== undefined) return compareWord(ast, special, scope)
  const wanted = typeOf(ast.left, scope) ?? typeOf(ast.right, scope)
  const left = infer(ast.left, scope, wanted)
  const right = infer(ast.right, scope, wanted)
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

interface WordComparison {
  readonly fact: Extract<Ast, { _tag: "Word" }>
  readonly type: FactType.FactType
  /** What stands on the other side. */
  readonly word: Ast
}

/** `fact = word` where the fact takes words: an enum, or yes and no. */
const wordOf = (fact: Ast, word: Ast, scope: Scope): WordComparison | undefined => {
  const type = typeOf(fact, scope)
  if (fact._tag !== "Word" || type === undefined) return undefined
  if (type._tag !== "Enum" && type._tag !== "YesNo") return undefined
  const other = typeOf(word, scope)
  return other?._tag === type._tag ? undefined : { fact, type, word }
}

const compareWord = (
  ast: Extract<Ast, { _tag: "Compare" }>,
  { fact, type, word }: WordComparison,
  scope: Scope
): Condition | undefined => {
  const left = scope.fact(fact)
  const right = type._tag === "Enum" ? enumWord(word, type, scope) : yesNo(word, scope)
  if (left === undefined || right === undefined) return undefined
  if (ast.op !== "=" && ast.op !== "!=") {
    return scope.error("E11", ast, `${fact.name} is neither larger nor smaller. Use = or !=.`)
  }
  if (type._tag === "Enum") return { _tag: "Compare", op: ast.op, left, right }
  const positive = (right._tag === "Literal" && right.value === true) === (ast.op === "=")
  const question: Condition = { _tag: "IsTrue", value: left }
  return positive ? question : { _tag: "Not", condition: question }
}

const typeOf = (ast: Ast, scope: Scope): FactType.FactType | undefined =>
  ast._tag === "Word" ? scope.lookup(ast.name)?.type : undefined

const textOf = (ast: Ast): string | undefined =>
  ast._tag === "Word" ? ast.name : ast._tag === "Text" ? ast.value : undefined

const yesNo = (ast: Ast, scope: Scope): Expr | undefined => {
  const word = textOf(ast)
  if (word !== undefined && /^(yes|no|true|false)$/.test(word)) {
    return { _tag: "Literal", type: FactType.yesNo, value: word === "yes" || word === "true" }
  }
  return scope.error("E13", ast, `Expected yes or no instead of ${scope.part(ast)}.`)
}

const enumWord = (
  ast: Ast,
  type: Extract<FactType.FactType, { _tag: "Enum" }>,
  scope: Scope
): Expr | undefined => {
  const word = textOf(ast)
  if (word !== undefined && type.words.includes(word)) return { _tag: "Literal", type, value: word }
  const latin = word === undefined ? undefined : Suggest.latin(word)
  if (word !== undefined && latin !== undefined && type.words.includes(latin)) {
    return scope.error(
      "E12",
      ast,
      `${Suggest.cyrillicLetter(word)} of "${word}" is Cyrillic. Did you mean ${latin}?`,
      latin
    )
  }
  const hint = Suggest.sentence(word ?? "", type.words)
  return scope.error(
    "E13",
    ast,
    `${scope.part(ast)} is not a ${type.name}. ${hint}`,
    Suggest.nearest(word ?? "", type.words)
  )
}

/** Says what is wrong with a type in the place of another: bare numbers get the unit they lack. */
const mismatch = (
  odd: FactType.FactType,
  expected: FactType.FactType,
  at: Ast,
  scope: Scope,
  comparison?: Extract<Ast, { _tag: "Compare" }>
): undefined => {
  const before = comparison === undefined ? "" : scope.node.text.slice(comparison.start, at.start)
  const digits = at._tag === "Number" ? at.digits : undefined
  const name = comparison === undefined ? "This" : scope.part(comparison.left)
  if (expected._tag === "Ratio" && odd._tag === "Number") {
    const share = digits !== undefined && Number(digits) <= 1
    const percent =
      digits === undefined
        ? undefined
        : share
          ? `${Number((Number(digits) * 100).toPrecision(12))}%`
          : `${digits}%`
    const note = share ? `       (${digits} as a share is ${percent})` : ""
    const fix = percent === undefined ? undefined : `${before}${percent}${note}`
    return scope.error("E03", at, `${name} is a percentage; a bare number is not`, fix)
  }
  if (expected._tag === "Money" && odd._tag === "Number") {
    const fix = digits === undefined ? undefined : `${before}${digits} ₽`
    return scope.error("E04", at, `${name} is money; a bare number is not`, fix)
  }
  if (comparison === undefined) {
    return scope.error(
      "K09",
      at,
      `This should be ${FactType.describe(expected)}, and is ${FactType.describe(odd)}.`
    )
  }
  const message = `Cannot compare ${FactType.describe(expected)} with ${FactType.describe(odd)}.`
  return scope.error("E11", comparison, message)
}

const between = (ast: Extract<Ast, { _tag: "Between" }>, scope: Scope): Condition | undefined => {
  const of = infer(ast.value, scope)
  const low = infer(ast.low, scope, of?.type)
  const high = infer(ast.high, scope, of?.type)
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
  const of = infer(ast.value, scope)
  const items = ast.list._tag === "List" ? ast.list.items : []
  if (of === undefined) return undefined
  if (items.length === 0) return scope.error("E16", ast.list, "Never true: the list is empty.")
  const { type } = of
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

const subject = (ast: Ast, verb: string, scope: Scope): Expr | undefined => {
  const of = infer(ast, scope)
  if (of === undefined || of.type._tag === "Text") return of
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
  return { _tag: "Contains", value: of, words: known }
}

/** A value standing where a condition should: fine for yes/no facts only. */
const alone = (ast: Ast, scope: Scope): Condition | undefined => {
  const made = infer(ast, scope)
  if (made === undefined) return undefined
  if (made._tag === "Fact" && made.type._tag === "YesNo") return { _tag: "IsTrue", value: made }
  const example =
    made.type._tag === "Enum" ? `= ${made.type.words[0]}` : made.type._tag === "Money" ? "> 100 ₽" : "> 1"
  const fix =
    made._tag === "Fact"
      ? `${scope.part(ast)} ${made.type._tag === "Ratio" ? "> 1%" : made.type._tag === "Text" ? 'contains "…"' : example}`
      : undefined
  return scope.error("E11", ast, `${scope.part(ast)} alone is no condition. Compare it with something.`, fix)
}
