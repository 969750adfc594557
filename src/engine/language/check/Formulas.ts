/** The formulas of derived facts, from their text in the vocabulary to expressions. */

import type * as Window from "../../../domain/Window.js"
import type { Fact, FactType } from "../../facts/FactType.js"
import * as FactTypes from "../../facts/FactType.js"
import * as Level from "../../facts/Level.js"
import type { Each, Expr, FactRef } from "../Policy.js"
import * as Parser from "../syntax/Parser.js"
import type { Ast } from "../syntax/Syntax.js"
import * as Units from "./Units.js"
import * as Windows from "./Windows.js"

/** The expression, or the word of the formula that is no fact here. */
type Expanded =
  | { readonly _tag: "Made"; readonly expr: Expr }
  | { readonly _tag: "Missing"; readonly word: string }

type Resolve = (word: string, level: Each) => Fact | undefined

/** `ref` with its formula; its window goes to every statistic in it. Throws for a formula that is none. */
export const expand = (fact: Fact, ref: FactRef, resolve: Resolve): Expanded => {
  try {
    return { _tag: "Made", expr: derived(fact, ref.window, resolve) }
  } catch (error) {
    if (error instanceof Lacking) return { _tag: "Missing", word: error.word }
    throw error
  }
}

/** Carries a word that is no fact out of the recursion; caught above and nowhere else. */
class Lacking {
  constructor(readonly word: string) {}
}

const derived = (fact: Fact, window: Window.Window | undefined, resolve: Resolve): Expr => {
  const { figure, formula, level, type } = fact
  const of: Expr =
    figure === undefined
      ? parsed(formula, level, window, resolve)
      : {
          _tag: "Figure",
          type,
          name: figure.name,
          of: figure.of.map((term) => parsed(term, level, window, resolve)),
          ...(figure.ahead === undefined ? {} : { ahead: figure.ahead })
        }
  return { _tag: "Derived", type, fact: refTo(fact, window), of }
}

const parsed = (
  text: string | undefined,
  level: Each,
  window: Window.Window | undefined,
  resolve: Resolve
): Expr => {
  const ast = Parser.value(text ?? "")
  return Parser.isFault(ast) ? wrong(text) : build(ast, level, window, resolve)
}

const build = (ast: Ast, level: Each, window: Window.Window | undefined, resolve: Resolve): Expr => {
  switch (ast._tag) {
    case "Word": {
      const fact = resolve(ast.name, level)
      if (fact === undefined) throw new Lacking(ast.name)
      const days = ast.window === undefined ? window : windowOf(ast.window.text)
      if (fact.formula !== undefined) return derived(fact, days, resolve)
      return { _tag: "Fact", type: fact.type, fact: refTo(fact, days) }
    }
    case "Sum": {
      const over = Level.below(level) ?? wrong(level)
      const of = build(ast.value, over, window, resolve)
      return { _tag: "Sum", type: of.type, at: level, over, of }
    }
    case "Arithmetic": {
      const left = build(ast.left, level, window, resolve)
      const right = build(ast.right, level, window, resolve)
      const type: FactType = Units.combine(ast.op, left.type._tag, right.type._tag) ?? wrong(ast.op)
      return { _tag: "Arithmetic", type, op: ast.op, left, right }
    }
    case "Default": {
      const value = build(ast.value, level, window, resolve)
      const fallback = build(ast.fallback, level, window, resolve)
      return { _tag: "Default", type: value.type, value, fallback }
    }
    case "Number": {
      if (ast.unit === "money")
        return { _tag: "Literal", type: FactTypes.money, value: Number(ast.digits) * 100 }
      if (ast.unit === "none") return { _tag: "Literal", type: FactTypes.number, value: Number(ast.digits) }
      return wrong(ast.digits)
    }
    default:
      return wrong(ast._tag)
  }
}

/** The days that a formula names itself. */
const windowOf = (text: string): Window.Window => {
  const read = Windows.read(text)
  return read._tag === "Window" ? read.window : wrong(text)
}

const refTo = (fact: Fact, window: Window.Window | undefined): FactRef =>
  fact.windowed && window !== undefined ? { id: fact.id, window } : { id: fact.id }

const wrong = (part: string | undefined): never => {
  throw new RangeError(`a formula of the vocabulary cannot be read: ${part}`)
}
