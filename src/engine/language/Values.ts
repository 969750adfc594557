/** Values: gives every operand of an expression its type and unit, and says what a wrong one lacks. */
import * as FactType from "../facts/FactType.js"
import type { Expr } from "./Policy.js"
import type { Scope } from "./Scope.js"
import { literal } from "./Scope.js"
import * as Suggest from "./Suggest.js"
import type { Ast } from "./Syntax.js"
import * as Units from "./Units.js"

/** A typed value of the wanted type, or undefined when something was reported. */
export const value = (ast: Ast, scope: Scope, wanted: FactType.FactType): Expr | undefined => {
  const made = infer(ast, scope, wanted)
  if (made === undefined || made.type._tag === wanted._tag) return made
  return mismatch(made.type, wanted, ast, scope)
}

/** The type a part has by itself; `wanted` only decides what a bare number is. Reports and answers undefined. */
export const infer = (ast: Ast, scope: Scope, wanted?: FactType.FactType): Expr | undefined => {
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

/** Type of a field by its word, without any report. */
export const typeOf = (ast: Ast, scope: Scope): FactType.FactType | undefined =>
  ast._tag === "Word" ? scope.lookup(ast.name)?.type : undefined

const textOf = (ast: Ast): string | undefined =>
  ast._tag === "Word" ? ast.name : ast._tag === "Text" ? ast.value : undefined

/** `yes` or `no`. */
export const yesNo = (ast: Ast, scope: Scope): Expr | undefined => {
  const word = textOf(ast)
  if (word !== undefined && /^(yes|no|true|false)$/.test(word)) {
    return { _tag: "Literal", type: FactType.yesNo, value: word === "yes" || word === "true" }
  }
  return scope.error("E13", ast, `Expected yes or no instead of ${scope.part(ast)}.`)
}

/** One of the words of an enum. */
export const enumWord = (
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
export const mismatch = (
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
