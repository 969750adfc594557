/**
 * Conditions and values written as JavaScript for the columns of one table, and compiled: over many rows a loop of its own
 * for every question is several times as fast as kernels that hand whole columns to each other. Nothing of a rule's text
 * gets into the source: only numbers, operators and names made here; columns, and answers about texts, are handed in.
 *
 * A loop keeps no reasons. An unknown value is NaN, and so is what is made of it, and a condition that might be true keeps its row.
 */
import * as Reason from "../../../domain/Reason.js"
import type { CompareOp, Condition, Expr, SumExpr } from "../../language/Policy.js"
import { opposite } from "../../language/syntax/Syntax.js"
import * as Confidence from "../Confidence.js"
import { factKey, type Place, type Table } from "../Table.js"
import * as AheadKernel from "./AheadKernel.js"
import * as BelowKernels from "./BelowKernels.js"
import * as Defined from "./Defined.js"
import * as FigureKernel from "./FigureKernel.js"
import type { Ground, Sums } from "./Ground.js"
import * as Grounds from "./Ground.js"
import * as Levels from "./Levels.js"
import * as Numbers from "./Numbers.js"
import * as TextKernel from "./TextKernel.js"

/** Copies the rows for which the condition is not false, in their order; answers how many. `out` may be `rows`. */
export type Narrow = (rows: Int32Array, count: number, out: Int32Array) => number

/** Fills the first `count` values, one for each row; NaN where it is unknown. */
export type Values = (rows: Int32Array, count: number, out: Float64Array) => unknown

/** Answers of a coarser level: 1 for a key whose rows are not ruled out. */
export type MarksOf = (condition: Condition, wanted: boolean, level: Levels.Coarse) => Uint8Array

/** Of a condition, or of its opposite where `wanted` is false; undefined where only kernels know the answer. */
export const narrow = (
  condition: Condition,
  wanted: boolean,
  ground: Ground,
  marksOf: MarksOf
): Narrow | undefined => {
  const writer = new Writer(ground, marksOf)
  const test = writer.test(condition, wanted)
  if (test === undefined) return undefined
  const step = `out[n] = row
    n += Number(${test})`
  return writer.compile(`
  let n = 0
  ${writer.loop(step)}
  return n`)
}

/** Of a numeric expression; undefined where only kernels know the answer. */
export const values = (expr: Expr, ground: Ground): Values | undefined => {
  const writer = new Writer(ground)
  const value = writer.value(expr)
  if (value === undefined) return undefined
  return writer.compile(writer.loop(`out[i] = ${value}`))
}

const none = new Uint8Array(0)

/** Sums of every key of their level; undefined where most keys would be asked for no row. */
export const sums = (
  expr: SumExpr,
  { sums: made, table, total }: Ground
): (Sums & { readonly steps: number }) | undefined => {
  const steps = table.steps(expr.at)
  const owners = table.view(expr.at)
  if (steps === undefined || owners.size > 4 * total) return undefined
  const name = JSON.stringify(expr)
  const found = made.get(name) ?? summed(expr, owners)
  made.set(name, found)
  return { steps, ...found }
}

const summed = (expr: SumExpr, owners: Table): Sums => {
  const { size } = owners
  const values = new Float64Array(size)
  const reasons = new Uint8Array(size)
  const keys = Int32Array.from({ length: size }, (_, key) => key)
  BelowKernels.sum(expr, owners, Numbers.compile)(keys, size, values, reasons)
  for (let key = 0; key < size; key++) if (reasons[key] !== Reason.known) values[key] = Number.NaN
  return { values, reasons, certain: reasons.every((reason) => reason === Reason.known) }
}

/** Bounds begin at -1, and 0 is none yet. */
const boundOffset = 2

/** By a reason's byte: 1 where a fallback stands in. */
export const missing = Uint8Array.from(Reason.reasons, (_, byte) => Number(Reason.isMissing(byte)))

type Compiled = (
  rows: Int32Array,
  count: number,
  out: Int32Array | Float64Array,
  given: ReadonlyArray<unknown>
) => number

/** By source: the same rules ask with the same functions in every run, and find them warm. */
const known = new Map<string, Compiled>()
const mostKnown = 2000

const compiled = (source: string): Compiled => {
  const found = known.get(source)
  if (found !== undefined) return found
  if (known.size >= mostKnown) known.clear()
  const made = new Function("rows", "count", "out", "given", source) as Compiled
  known.set(source, made)
  return made
}

const longStep = 160

/** Undefined where only kernels know the answer. */
export type Text = string | undefined

/** Writes the source of one function, and gathers what is handed to it. */
export class Writer {
  private readonly given: Array<unknown> = []
  private readonly names = new Map<unknown, string>()
  /** By steps: the name of a row's key, and how to get there. */
  private readonly above = new Map<number, string>()
  private temps = 0

  constructor(
    readonly ground: Ground,
    private readonly marksOf: MarksOf = () => none
  ) {}

  /** A step for each of `rows`, `row` at `i`. Short ones are taken eight at a turn, which is nearly twice as fast. */
  loop(step: string): string {
    const keys = [...this.above].map(([steps, path]) => `const k${steps} = ${path}\n    `)
    const body = `const row = rows[i]
    ${keys.join("")}${step}`
    const rest = `for (; i < count; i++) {
    ${body}
  }`
    if (step.length > longStep) return `let i = 0\n  ${rest}`
    const eight = `for (; i + 8 <= count; ) {
    ${`{ ${body} }\n    i++\n    `.repeat(8)}
  }`
    return `let i = 0\n  ${eight}\n  ${rest}`
  }

  /** `body` makes of `rows` and `count` what stands in `out`. */
  compile<Out extends Int32Array | Float64Array>(
    body: string
  ): (rows: Int32Array, count: number, out: Out) => number {
    const { given } = this
    // Columns of single and of double precision get functions of their own: one that meets both is half as fast.
    const constants = given.map(
      (one, at) => `g${at} = given[${at}]${one instanceof Float32Array ? " /* single */" : ""}`
    )
    const names = [...constants, ...Array.from({ length: this.temps }, (_, at) => `t${at}`)]
    const source = `"use strict"\n${names.length === 0 ? "" : `let ${names.join(", ")}`}\n${body}`
    const made = compiled(source)
    return (rows, count, out) => made(rows, count, out, given)
  }

  test(condition: Condition, wanted: boolean): Text {
    return this.byKey(condition, wanted) ?? this.byRow(condition, wanted)
  }

  private byRow(condition: Condition, wanted: boolean): Text {
    const question = TextKernel.question(condition)
    if (question !== undefined) return this.text(condition, question, wanted)
    switch (condition._tag) {
      case "Not":
        return this.test(condition.condition, !wanted)
      case "And":
        return this.joined(condition.all, wanted, wanted ? "&&" : "||")
      case "Or":
        return this.joined(condition.any, wanted, wanted ? "||" : "&&")
      case "Between":
        return this.joined(between(condition), wanted, wanted ? "&&" : "||")
      case "In":
        return TextKernel.isText(condition.value)
          ? undefined
          : this.joined(
              condition.options.map((right) => ({ _tag: "Compare", op: "=", left: condition.value, right })),
              wanted,
              wanted ? "||" : "&&"
            )
      case "IsTrue":
        return this.compared(wanted ? "!=" : "=", condition.value, zero)
      case "Compare": {
        const { left, op, right } = condition
        // A group's sum may be enough though a part of it is unknown: only the kernels that keep reasons know.
        if (
          [left, right].some(
            (one) => TextKernel.isText(one) || (one._tag === "Sum" && one.where !== undefined)
          )
        )
          return undefined
        return this.compared(wanted ? op : opposite[op], left, right)
      }
      case "Confident":
        return this.confident(condition, wanted)
      case "IsKnown":
        return this.known(condition.value, wanted)
      default:
        return undefined
    }
  }

  private byKey(condition: Condition, wanted: boolean): Text {
    const coarse = Levels.coarse(condition, this.ground)
    if (coarse === undefined) return undefined
    return `(${this.name(this.marksOf(condition, wanted, coarse))}[${this.key(coarse.steps)}] === 1)`
  }

  private joined(parts: ReadonlyArray<Condition>, wanted: boolean, by: "&&" | "||"): Text {
    const tests = parts.map((part) => this.test(part, wanted))
    if (tests.includes(undefined)) return undefined
    return tests.length === 0 ? String(by === "&&") : `(${tests.join(` ${by} `)})`
  }

  private compared(op: CompareOp, left: Expr, right: Expr): Text {
    const [a, b] = [this.value(left), this.value(right)]
    if (a === undefined || b === undefined) return undefined
    if (Defined.isCalculated(left) || Defined.isCalculated(right)) return this.calculated(op, a, b)
    // What an unknown value makes false is turned around.
    if (op === "!=") return `(${a} !== ${b})`
    if (this.isKnown(left) && this.isKnown(right)) return `(${a} ${op === "=" ? "===" : op} ${b})`
    if (op === "=") return `!(${a} < ${b} || ${a} > ${b})`
    return `!(${a} ${opposite[op]} ${b})`
  }

  /** As `Numbers.isBelow` and its like; true where one of them is unknown. */
  private calculated(op: CompareOp, a: string, b: string): string {
    const [x, y, apart] = [this.temp(), this.temp(), this.temp()]
    const near = `(${apart} = Math.abs(${x} - ${y}), ${apart} <= 1e-12 * Math.min(Math.abs(${x}), Math.abs(${y})) + 1e-13 && ${apart} < Infinity)`
    const tests: Readonly<Record<CompareOp, string>> = {
      "<": `!(${y} <= ${x} || ${near})`,
      "<=": `!(${y} < ${x}) || ${near}`,
      ">": `!(${x} <= ${y} || ${near})`,
      ">=": `!(${x} < ${y}) || ${near}`,
      "=": `!(${x} < ${y} || ${y} < ${x}) || ${near}`,
      "!=": `${x} !== ${y} && !${near}`
    }
    return `(${x} = ${a}, ${y} = ${b}, ${tests[op]})`
  }

  private text(condition: Condition, { fact, holds }: TextKernel.Question, wanted: boolean): Text {
    const place = this.ground.table.place(factKey(fact))
    if (place === undefined || place.column.kind !== "text") return undefined
    const { knownCount, texts } = place.column
    const answers = Grounds.answered(this.ground, JSON.stringify(condition), () =>
      Uint8Array.from(texts, (one) => Number(holds(one)))
    )
    const code = this.cell(place)
    const kept = `(${this.name(answers)}[${code}] === ${Number(wanted)})`
    return knownCount >= place.size ? kept : `(${code} >= 0 ? ${kept} : true)`
  }

  private confident(condition: Extract<Condition, { readonly _tag: "Confident" }>, wanted: boolean): Text {
    const asked = [condition.hits, condition.trials, condition.threshold]
    const parts = asked.map((one) => this.value(one))
    if (parts.includes(undefined)) return undefined
    const unknown = asked.flatMap((one, at) => (this.isKnown(one) ? [] : [`${parts[at]} !== ${parts[at]}`]))
    const proof = `${this.proof(condition, parts)} === ${wanted}`
    return `(${[...unknown, proof].join(" || ")})`
  }

  /** Against a written threshold what decides is looked up by the hits; the test itself is asked where it is not there yet. */
  private proof(
    condition: Extract<Condition, { readonly _tag: "Confident" }>,
    parts: ReadonlyArray<Text>
  ): string {
    const { op, threshold } = condition
    const { decisive, holds } = Confidence.of(condition)
    if (threshold._tag !== "Literal") return `${this.name(holds)}(${parts.join(", ")})`
    const rate = Number(threshold.value)
    const bounds = new Float64Array(Confidence.tableHits + 1)
    const ask = (hits: number, trials: number): boolean => {
      const bound = decisive(hits, rate)
      if (bound !== undefined && hits < bounds.length) bounds[hits] = bound + boundOffset
      return holds(hits, trials, rate)
    }
    const [hits, trials, bound] = [this.temp(), this.temp(), this.temp()]
    const beyond = op === "<" || op === "<=" ? ">=" : "<="
    return `(${hits} = ${parts[0]}, ${trials} = ${parts[1]}, ${bound} = ${this.name(bounds)}[${hits}], ${bound} > 0 ? Math.max(${hits}, ${trials}) ${beyond} ${bound} - ${boundOffset} : ${this.name(ask)}(${hits}, ${trials}))`
  }

  private known(value: Expr, wanted: boolean): Text {
    const place = this.place(value)
    if (place === undefined) return undefined
    if (place.column.knownCount >= place.size) return String(wanted)
    const reason = this.why(place)
    return wanted ? `(${this.name(missing)}[${reason}] === 0)` : `(${reason} !== 0)`
  }

  /** Undefined where it takes a kernel; text has no number. */
  value(expr: Expr): Text {
    switch (expr._tag) {
      case "Literal":
        return typeof expr.value === "string" ? "NaN" : `(${Number(expr.value)})`
      case "Fact": {
        const place = this.place(expr)
        return place === undefined || place.column.kind === "text" ? "NaN" : this.cell(place)
      }
      case "Arithmetic": {
        const [left, right] = [this.value(expr.left), this.value(expr.right)]
        if (left === undefined || right === undefined) return undefined
        const plain = expr.op === "/" ? this.over(left, right) : `(${left} ${expr.op} ${right})`
        return expr.type._tag === "Money" ? this.whole(plain) : plain
      }
      case "Extreme": {
        const parts = expr.of.map((one) => this.value(one))
        return parts.includes(undefined) ? undefined : `Math.${expr.pick}(${parts.join(", ")})`
      }
      case "Default":
        return this.orDefault(expr)
      case "Sum": {
        const found = sums(expr, this.ground)
        return found === undefined ? undefined : `${this.name(found.values)}[${this.key(found.steps)}]`
      }
      case "Figure": {
        const parts = expr.of.map((one) => this.value(one))
        if (parts.includes(undefined)) return undefined
        const made = FigureKernel.memoized(expr.name)
        const { table } = this.ground
        if (expr.ahead === undefined || !table.hasAhead) return `${this.name(made)}(${parts.join(", ")})`
        return `${this.name(aheadOf(expr, table, made))}(row, ${parts.join(", ")})`
      }
      case "Derived":
        return this.value(expr.of)
    }
  }

  private orDefault({ fallback, value }: Extract<Expr, { readonly _tag: "Default" }>): Text {
    const place = this.place(value)
    const other = this.value(fallback)
    if (place === undefined || place.column.kind === "text" || other === undefined) return undefined
    if (place.column.knownCount >= place.size) return this.cell(place)
    return `(${this.name(missing)}[${this.why(place)}] === 1 ? ${other} : ${this.cell(place)})`
  }

  /** A negative zero below the line must not turn the sign of the infinity. */
  private over(left: string, right: string): string {
    const divisor = this.temp()
    return `(${left} / (${divisor} = ${right}, ${divisor} === 0 ? 0 : ${divisor}))`
  }

  /** To the nearest whole number if it is near: a double of this size has no room for a fraction. */
  private whole(amount: string): string {
    const [x, nearest] = [this.temp(), this.temp()]
    const big = 6_755_399_441_055_744
    return `(${x} = ${amount}, ${nearest} = ${x} + ${big} - ${big}, Math.abs(${x} - ${nearest}) < 1e-6 ? ${nearest} : ${x})`
  }

  /** The name of a number in between: written out, because V8 makes an object of what a call that it does not inline takes or gives. */
  temp(): string {
    return `t${this.temps++}`
  }

  private isKnown(expr: Expr): boolean {
    return Defined.isKnown(expr, this.ground.table)
  }

  private place(expr: Expr): Place | undefined {
    if (expr._tag === "Derived") return this.place(expr.of)
    return expr._tag === "Fact" ? this.ground.table.place(factKey(expr.fact)) : undefined
  }

  private cell(place: Place): string {
    return `${this.name(place.column.values)}[${this.key(place.steps)}]`
  }

  /** The reason's byte of a place. */
  why(place: Place): string {
    return `${this.name(place.column.reasons, place.column)}[${this.key(place.steps)}]`
  }

  /** The name of a row's key so many steps above. */
  key(steps: number): string {
    if (steps === 0) return "row"
    if (!this.above.has(steps)) {
      const path = this.ground.table
        .way(steps)
        .reduce((from, parents) => `${this.name(parents)}[${from}]`, "row")
      this.above.set(steps, path)
    }
    return `k${steps}`
  }

  /** The name of what is handed in, once for each `of`. */
  name(value: unknown, of = value): string {
    const known = this.names.get(of)
    if (known !== undefined) return known
    const name = `g${this.given.push(value) - 1}`
    this.names.set(of, name)
    return name
  }
}

/** A figure of a row's promotion; why it is unknown is asked of the kernels. */
const aheadOf = (
  expr: Extract<Expr, { readonly _tag: "Figure" }>,
  table: Table,
  figure: (...terms: ReadonlyArray<number>) => number
) => {
  const worst = AheadKernel.of(expr, (one) => Numbers.compile(one, table, 1))
  return (row: number, ...terms: ReadonlyArray<number>): number => {
    const said = table.ahead(row)
    if (said === undefined) return figure(...terms)
    const today = (at: number) => ({
      value: terms[at]!,
      reason: Number.isNaN(terms[at]!) ? failed : Reason.known
    })
    return worst(row, said, today).value
  }
}

const failed = Reason.code("failed")

const zero: Expr = { _tag: "Literal", type: { _tag: "Number" }, value: 0 }

/** `between` as its two comparisons. */
export const between = ({ high, low, value }: Extract<Condition, { readonly _tag: "Between" }>) =>
  [
    { _tag: "Compare", op: "<=", left: low, right: value },
    { _tag: "Compare", op: "<=", left: value, right: high }
  ] as const satisfies ReadonlyArray<Condition>
