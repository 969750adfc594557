/** Random parts of rules, out of whatever the property fills them with. */
import * as fc from "fast-check"
import * as FactType from "../../src/engine/facts/FactType.js"
import type { ArithmeticOp, CompareOp, Condition, Expr } from "../../src/engine/language/Policy.js"
import { literal } from "../decide/Example.js"

type Some<A> = fc.Arbitrary<A>

export const op: Some<CompareOp> = fc.constantFrom("<", "<=", ">", ">=", "=", "!=")

export const arithmetic = (
  left: Some<Expr>,
  right: Some<Expr>,
  types: ReadonlyArray<Expr["type"]> = [FactType.number]
): Some<Expr> =>
  fc
    .tuple(fc.constantFrom<ArithmeticOp>("+", "-", "*", "/"), left, right, fc.constantFrom(...types))
    .map(([op, left, right, type]) => ({ _tag: "Arithmetic", type, op, left, right }))

export const orDefault = (value: Some<Expr>, fallback: Some<Expr>): Some<Expr> =>
  fc
    .tuple(value, fallback)
    .map(([value, fallback]) => ({ _tag: "Default", type: FactType.number, value, fallback }))

export const extreme = (left: Some<Expr>, right: Some<Expr>): Some<Expr> =>
  fc
    .tuple(fc.constantFrom<"min" | "max">("min", "max"), left, right)
    .map(([pick, ...of]) => ({ _tag: "Extreme", type: FactType.number, pick, of }))

/** A figure of two terms. */
export const figure = (left: Some<Expr>, right: Some<Expr>): Some<Expr> =>
  fc
    .tuple(fc.constantFrom<"share_kept" | "cost_per_order">("share_kept", "cost_per_order"), left, right)
    .map(([name, ...of]) => ({ _tag: "Figure", type: FactType.number, name, of }))

export const between = (expr: Some<Expr>): Some<Condition> =>
  fc.tuple(expr, expr, expr).map(([value, low, high]) => ({ _tag: "Between", value, low, high }))

export const among = (value: Some<Expr>, option: Some<Expr>): Some<Condition> =>
  fc
    .tuple(value, fc.array(option, { minLength: 1, maxLength: 3 }))
    .map(([value, options]) => ({ _tag: "In", value, options }))

export const known = (expr: Some<Expr>): Some<Condition> => expr.map((value) => ({ _tag: "IsKnown", value }))

/** A share of 30% with 95% confidence. */
export const confident = (count: Some<Expr>): Some<Condition> =>
  fc.tuple(fc.constantFrom<"<" | ">">("<", ">"), count, count).map(([op, hits, trials]) => ({
    _tag: "Confident",
    op,
    value: literal(0.3, FactType.ratio),
    hits,
    trials,
    threshold: literal(0.3, FactType.ratio),
    level: 95
  }))
