/** Values: gives every operand of an expression its type and unit, and says what a wrong one lacks. */
import * as FactType from "../../facts/FactType.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Expr } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Suggest from "../problems/Suggest.js"
import * as Parser from "../syntax/Parser.js"
import type { Ast } from "../syntax/Syntax.js"
import { rangeIn, type ScalarNode } from "../yaml/Node.js"
import type { Keyed } from "./Amounts.js"
import * as Below from "./Below.js"
import { literal, type Scope } from "./Scope.js"
import * as Units from "./Units.js"

/** A typed value of the wanted type, or undefined when something was reported; a written one below zero only where it may be. */
export const value = (
  ast: Ast,
  scope: Scope,
  wanted: FactType.FactType,
  mayBeNegative = false
): Expr | undefined => {
  const made =
    mayBeNegative && ast._tag === "Number"
      ? literal(ast, wanted, scope)
      : finished(infer(ast, scope, wanted), ast, scope)
  if (made === undefined || made.type._tag === wanted._tag) return made
  return mismatch(made.type, wanted, ast, scope)
}

/** A value as written; reports what no value is. What could be read of one is answered all the same, and may hold more mistakes. */
export const parsed = (node: ScalarNode, problems: Problems): Ast => {
  const { ast, faults } = Parser.valueParts(node.text, node.vars)
  for (const { code, end, fix, message, start } of faults)
    problems.error(code, rangeIn(node, start, end), message, fix)
  return ast
}

/** The same where money must stand. */
export const moneyParsed = ({ key, node }: Keyed, problems: Problems): Ast | undefined => {
  const ast = parsed(node, problems)
  return ast._tag === "Number" && ast.unit === "none"
    ? problems.error("E04", node.range, `${key} is money; a bare number is not`, `${key}: ${ast.digits} ₽`)
    : ast
}

/** A value that is compared, printed or sent: money times money is only a step on the way to one. */
export const finished = (expr: Expr | undefined, ast: Ast, scope: Scope): Expr | undefined =>
  expr === undefined || !Units.isUnfinished(expr.type._tag)
    ? expr
    : scope.error("E11", ast, "Money times money is no amount. Divide it by money: cpm * item.price / cpo")

/** The type a part has by itself; `wanted` only decides what a bare number is. Reports and answers undefined. */
export const infer = (ast: Ast, scope: Scope, wanted?: FactType.FactType): Expr | undefined => {
  switch (ast._tag) {
    case "Number":
      if (wanted?._tag === "Text" && ast.text !== undefined)
        return { _tag: "Literal", type: FactType.text, value: ast.text }
      if (!ast.digits.startsWith("-")) return literal(ast, wanted, scope)
      return scope.error(
        "E09",
        ast,
        "Values here are never below zero. Remove the minus.",
        isVariable(ast, scope) ? undefined : scope.part(ast).replace(/^-\s*/, "")
      )
    case "Text":
      if (wanted?._tag !== "Text" && ast.misread !== undefined)
        return scope.error(
          ast.misread.code,
          ast,
          `${scope.part(ast)} is "${ast.value}". ${ast.misread.message}`
        )
      if (wanted !== undefined && wanted._tag !== "Text" && Parser.value(ast.value)._tag === "Number") {
        const number = ast.value.trim()
        const fix = isVariable(ast, scope) ? undefined : number
        return scope.error("E11", ast, `A number stands without quotes: ${number}`, fix)
      }
      if (wanted !== undefined && wanted._tag !== "Text" && /^\d/.test(ast.value) && isVariable(ast, scope)) {
        const name = scope.part(ast)
        return scope.error(
          "E11",
          ast,
          `${name} is a text: beside a number stands its unit alone, not "${ast.value}".`
        )
      }
      return { _tag: "Literal", type: FactType.text, value: ast.value }
    case "Word":
      return scope.fact(ast)
    case "Unread":
      return undefined
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
    case "Default":
      return fallback(ast, scope, wanted)
    case "Call":
      return extreme(ast, scope, wanted)
    case "Change":
      return change(ast, scope)
    case "Sum":
      return Below.sum(ast, scope, infer)
    case "List":
      return scope.error("E11", ast, "A list stands after in, or after contains any.")
    default:
      return scope.error("E11", ast, "A yes-or-no condition cannot be used as a value.")
  }
}

/** `value default fallback`: of one kind, and the value is a field or a calculation. */
const fallback = (
  ast: Extract<Ast, { _tag: "Default" }>,
  scope: Scope,
  wanted: FactType.FactType | undefined
): Expr | undefined => {
  const of = infer(ast.value, scope, wanted)
  if (of === undefined) return undefined
  if (alwaysKnown(of)) return scope.error("E16", ast.value, "This is always known: default never counts.")
  const { type } = of
  const other =
    type._tag === "Enum"
      ? enumWord(ast.fallback, type, scope)
      : type._tag === "YesNo"
        ? yesNo(ast.fallback, scope)
        : signed(ast.fallback, ast.value, scope, type)
  if (other === undefined) return undefined
  if (!Units.comparable(type._tag, other.type._tag)) return mismatch(other.type, type, ast.fallback, scope)
  return { _tag: "Default", type, value: of, fallback: other }
}

/** A written value, or one with a written fallback. */
export const alwaysKnown = (expr: Expr): boolean =>
  expr._tag === "Literal" || (expr._tag === "Default" && alwaysKnown(expr.fallback))

/** `min(…)`, `max(…)` of values that can be compared with each other. */
const extreme = (
  ast: Extract<Ast, { _tag: "Call" }>,
  scope: Scope,
  wanted: FactType.FactType | undefined
): Expr | undefined => {
  const hint = ast.args.map((arg) => typeOf(arg, scope)).find((type) => type !== undefined) ?? wanted
  const made = ast.args.map((arg) => finished(infer(arg, scope, hint), arg, scope))
  const of = made.filter((one) => one !== undefined)
  if (of.length < made.length) return undefined
  const type = of.find((one) => one.type._tag !== "Number")?.type ?? FactType.number
  for (const [index, one] of of.entries()) {
    const at = ast.args[index]!
    if (!Units.ordered(one.type._tag)) {
      return scope.error(
        "E11",
        at,
        `${ast.name} compares; ${FactType.describe(one.type)} is neither larger nor smaller.`
      )
    }
    if (Units.comparable(type._tag, one.type._tag)) continue
    if (one.type._tag === "Number") return mismatch(one.type, type, at, scope)
    const kinds = `${FactType.describe(type)} with ${FactType.describe(one.type)}`
    return scope.error("E11", at, `${ast.name} cannot compare ${kinds}.`)
  }
  return { _tag: "Extreme", type, pick: ast.name, of }
}

/** `change(x, 7d)` is `(x[7d] - x[7d before 7d]) / x[7d before 7d]`: a ratio, below zero when x fell. */
const change = (ast: Extract<Ast, { _tag: "Change" }>, scope: Scope): Expr | undefined => {
  if (ast.value._tag !== "Word") {
    return scope.error("E11", ast.value, "change looks at one statistic: change(ctr, 7d)")
  }
  if (ast.value.window !== undefined) {
    return scope.error("E19", ast.value.window, "The days stand behind the comma: change(ctr, 7d)")
  }
  const pair = scope.change(ast.value, ast.window)
  if (pair === undefined) return undefined
  const { now, before } = pair
  const moved: Expr = { _tag: "Arithmetic", type: now.type, op: "-", left: now, right: before }
  return { _tag: "Arithmetic", type: FactType.ratio, op: "/", left: moved, right: before }
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

/** One side of a comparison; a number below zero may stand beside a difference: `change(ctr, 7d) < -20%`. */
export const signed = (
  ast: Ast,
  beside: Ast,
  scope: Scope,
  wanted: FactType.FactType | undefined
): Expr | undefined =>
  ast._tag === "Number" && ast.digits.startsWith("-") && maySink(beside, scope)
    ? literal(ast, wanted, scope)
    : finished(infer(ast, scope, wanted), ast, scope)

/** True of what can come to less than zero. */
const maySink = (ast: Ast, scope: Scope): boolean => {
  const may = (part: Ast) => maySink(part, scope)
  switch (ast._tag) {
    case "Change":
      return true
    case "Sum":
      return may(ast.value)
    case "Word": {
      const fact = scope.lookup(ast.name)
      return fact !== undefined && (mayLose.test(fact.word) || Vocabulary.mayBeNegative(fact.id))
    }
    case "Arithmetic":
      return ast.op === "-" || may(ast.left) || may(ast.right)
    case "Default":
      return may(ast.value) || may(ast.fallback)
    case "Call":
      return ast.args.some(may)
    default:
      return false
  }
}

/** Formulas by which something can be lost, or won where a cost is asked for. */
const mayLose = /(^|[._])(romi|profit|margin)(_|$)|(^|\.)(break_even_cpo|join_cost)$/

/** Type of a field by its word, without any report. */
export const typeOf = (ast: Ast, scope: Scope): FactType.FactType | undefined =>
  ast._tag === "Word"
    ? scope.lookup(ast.name)?.type
    : ast._tag === "Default"
      ? typeOf(ast.value, scope)
      : undefined

const textOf = (ast: Ast): string | undefined =>
  ast._tag === "Word" ? ast.name : ast._tag === "Text" ? ast.value : undefined

/** `yes` or `no`. */
export const yesNo = (ast: Ast, scope: Scope): Expr | undefined => {
  const word = textOf(ast)
  if (word !== undefined && /^(yes|no|true|false)$/.test(word)) {
    return { _tag: "Literal", type: FactType.yesNo, value: word === "yes" || word === "true" }
  }
  if (ast._tag === "Unread") return undefined
  const meant = ForeignWords.value(word ?? scope.part(ast), ["yes", "no"])
  return scope.error("E13", ast, `Expected yes or no instead of ${scope.part(ast)}.`, meant)
}

/** One of the words of an enum. */
export const enumWord = (
  ast: Ast,
  type: Extract<FactType.FactType, { _tag: "Enum" }>,
  scope: Scope
): Expr | undefined => {
  const word = textOf(ast)
  if (word !== undefined && type.words.includes(word)) return { _tag: "Literal", type, value: word }
  if (ast._tag === "Unread") return undefined
  const latin = word === undefined ? undefined : Suggest.latin(word)
  if (word !== undefined && latin !== undefined && type.words.includes(latin)) {
    return scope.error(
      "E12",
      ast,
      `${Suggest.cyrillicLetter(word)} of "${word}" is Cyrillic. Did you mean ${latin}?`,
      latin
    )
  }
  const brought = ForeignWords.value(word ?? "", type.words)
  const hint = brought === undefined ? Suggest.sentence(word ?? "", type.words) : `Here it is ${brought}.`
  const meant = brought ?? Suggest.nearest(word ?? "", type.words)
  return scope.error("E13", ast, `${scope.part(ast)} is not a ${type.name}. ${hint}`, meant)
}

// What to say when a value is of another kind than its place.

/** Says what is wrong with a type in the place of another: bare numbers get the unit they lack. */
export const mismatch = (
  odd: FactType.FactType,
  expected: FactType.FactType,
  at: Ast,
  scope: Scope,
  comparison?: Extract<Ast, { _tag: "Compare" | "Between" }>
): undefined => {
  const digits = at._tag === "Number" ? at.digits : undefined
  const written = (write: (digits: string) => string) =>
    digits !== undefined && isVariable(at, scope) ? write(digits) : withUnits(at, scope, comparison, write)
  const name =
    comparison === undefined
      ? "This"
      : scope.part(comparison._tag === "Compare" ? comparison.left : comparison.value)
  if (expected._tag === "Text" && digits !== undefined)
    return scope.error("E11", at, "Text needs quotes.", `"${scope.part(at)}"`)
  if (expected._tag === "Ratio" && odd._tag === "Number") {
    const fix = digits === undefined ? undefined : `${written(percentOf)}${otherReading(digits)}`
    return scope.error("E03", at, `${name} is a percentage; a bare number is not`, fix)
  }
  if (expected._tag === "Money" && odd._tag === "Number") {
    const fix = digits === undefined ? undefined : written((bare) => `${bare} ₽`)
    return scope.error("E04", at, `${name} is money; a bare number is not`, fix)
  }
  if (
    expected._tag === "Duration" &&
    odd._tag === "Number" &&
    digits !== undefined &&
    comparison !== undefined
  ) {
    const fix = written((bare) => `${bare}d`)
    return scope.error("E11", comparison, `${name} is a duration; a bare number is not`, fix)
  }
  const amount = expected._tag === "Money" && odd._tag === "Ratio" ? shareOfNumber(at) : undefined
  if (amount !== undefined)
    return scope.error("E04", amount, `${name} is money; a bare number is not`, `${amount.digits} ₽`)
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

/** The bare number of which a percentage is taken: `3000 * 50%`. */
const shareOfNumber = (at: Ast): Extract<Ast, { _tag: "Number" }> | undefined => {
  if (at._tag !== "Arithmetic" || at.op !== "*") return undefined
  const { left, right } = at
  if (left._tag !== "Number" || right._tag !== "Number") return undefined
  return [left, right].find(({ unit }) => unit === "none")
}

/** The whole comparison as it is meant, its other bare bound with it; without one, the value. */
const withUnits = (
  at: Ast,
  scope: Scope,
  comparison: Extract<Ast, { _tag: "Compare" | "Between" }> | undefined,
  write: (digits: string) => string
): string => {
  const field = comparison?._tag === "Compare" ? comparison.left : comparison?.value
  // Days that stand beside their field are refused there, so the comparison is not shown with them.
  const isRefused = field?._tag === "Word" && field.window !== undefined && field.window.end > field.end
  const { end, start } = isRefused ? at : (comparison ?? at)
  const bounds = comparison?._tag === "Between" && !isRefused ? [comparison.low, comparison.high] : [at]
  let text = ""
  let from = start
  for (const bound of bounds) {
    if (bound._tag !== "Number" || bound.unit !== "none" || isVariable(bound, scope)) continue
    text += `${scope.spelt(from, bound.start)}${write(bound.digits)}`
    from = bound.end
  }
  return `${text}${scope.spelt(from, end)}`
}

const isVariable = (at: Ast, scope: Scope): boolean => scope.part(at).startsWith("$")

/** Less than a tenth of one is read as a share. */
const percentOf = (digits: string): string =>
  Math.abs(Number(digits)) < 0.1 ? shareOf(digits) : `${digits}%`

/** A tenth and more of one may be a share, or tenths of a percent: both are told. */
const otherReading = (digits: string): string => {
  const size = Math.abs(Number(digits))
  if (size >= 1) return ""
  const share = shareOf(digits)
  return size < 0.1
    ? `       (${digits} as a share is ${share})`
    : `       (or ${share}, if ${digits} is a share)`
}

const shareOf = (digits: string): string => `${Number((Number(digits) * 100).toPrecision(12))}%`
