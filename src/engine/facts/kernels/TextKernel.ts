/** Questions about text compiled to loops over dictionary codes: each distinct text is looked at once. */

import * as Reason from "../../../domain/Reason.js"
import type { CompareOp, Condition, Expr, FactRef } from "../../language/Policy.js"
import type { Kernel } from "../Column.js"
import { False, True, Unknown } from "../Kleene.js"
import { factKey, type Table } from "../Table.js"
import * as Texts from "../Texts.js"
import * as ChoiceKernels from "./ChoiceKernels.js"

export const isText = (expr: Expr): boolean => /^(Text|Enum|Labels)$/.test(expr.type._tag)

/** Shell-like pattern, see `Texts.glob`. */
export const matches = (value: Expr, pattern: string, table: Table, block: number): Kernel =>
  ask(value, Texts.glob(pattern), table, block)

/** Any of the words, see `Texts.containsAny`. */
export const contains = (value: Expr, words: ReadonlyArray<string>, table: Table, block: number): Kernel =>
  ask(value, Texts.containsAny(words), table, block)

/** One of the labels, see `Texts.hasLabel`. */
export const hasLabel = (value: Expr, labels: ReadonlyArray<string>, table: Table, block: number): Kernel =>
  ask(value, Texts.hasLabel(labels), table, block)

/** A question about the text of one fact. */
export interface Question {
  readonly fact: FactRef
  readonly holds: (text: string) => boolean
}

/** What a condition asks about a text, if it asks no more than that. */
export const question = (condition: Condition): Question | undefined => {
  switch (condition._tag) {
    case "Matches":
      return about(condition.value, Texts.glob(condition.pattern))
    case "Contains":
      return about(condition.value, Texts.containsAny(condition.words))
    case "HasLabel":
      return about(condition.value, Texts.hasLabel(condition.labels))
    case "In": {
      const words = isText(condition.value) ? literals(condition.options) : undefined
      return words === undefined ? undefined : about(condition.value, (text) => words.has(text))
    }
    case "Compare": {
      const { op, left, right } = condition
      if (!isText(left) && !isText(right)) return undefined
      if (right._tag === "Literal") return about(left, (text) => holds(op, text, String(right.value)))
      return left._tag === "Literal" ? about(right, (text) => holds(op, String(left.value), text)) : undefined
    }
    default:
      return undefined
  }
}

const about = (value: Expr, holds: (text: string) => boolean): Question | undefined =>
  value._tag === "Fact" ? { fact: value.fact, holds } : undefined

const literals = (options: ReadonlyArray<Expr>): ReadonlySet<string> | undefined => {
  const words = new Set<string>()
  for (const option of options) {
    if (option._tag !== "Literal" || typeof option.value !== "string") return undefined
    words.add(option.value)
  }
  return words
}

/** Undefined unless the options are plain words: others are compared one by one. */
export const oneOf = (
  value: Expr,
  options: ReadonlyArray<Expr>,
  table: Table,
  block: number
): Kernel | undefined => {
  const words = isText(value) ? literals(options) : undefined
  if (words === undefined) return undefined
  return ask(value, (text) => words.has(text), table, block)
}

/** Order is by code units. Equality is exact: enum words and names are compared as they are written. */
export const compare = (op: CompareOp, left: Expr, right: Expr, table: Table, block: number): Kernel => {
  if (right._tag === "Literal") {
    const word = String(right.value)
    return ask(left, (text) => holds(op, text, word), table, block)
  }
  if (left._tag === "Literal") {
    const word = String(left.value)
    return ask(right, (text) => holds(op, word, text), table, block)
  }
  const a = reader(left, table)
  const b = reader(right, table)
  return (rows, count, truth, reason) => {
    for (let i = 0; i < count; i++) {
      const x = a(rows[i]!)
      const y = b(rows[i]!)
      const known = typeof x === "string" && typeof y === "string"
      truth[i] = known ? (holds(op, x, y) ? True : False) : Unknown
      reason[i] = typeof x === "number" ? x : typeof y === "number" ? y : Reason.known
    }
  }
}

const holds = (op: CompareOp, a: string, b: string): boolean => {
  switch (op) {
    case "=":
      return a === b
    case "!=":
      return a !== b
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    case ">=":
      return a >= b
  }
}

/** True for every known text. */
export const known = (value: Expr, table: Table, block: number): Kernel =>
  ask(value, () => true, table, block)

const ask = (value: Expr, question: (text: string) => boolean, table: Table, block: number): Kernel => {
  if (value._tag === "Default") {
    const first = ask(value.value, question, table, block)
    return ChoiceKernels.instead(first, ask(value.fallback, question, table, block), block)
  }
  if (value._tag !== "Fact") {
    const answer =
      value._tag === "Literal" && typeof value.value === "string" ? question(value.value) : undefined
    return constant(answer)
  }
  const place = table.place(factKey(value.fact))
  if (place === undefined) return constant(undefined, Reason.code("notFetched"))
  if (place.column.kind !== "text") return constant(undefined)
  const { values, reasons, texts } = place.column
  const steps = place.steps
  const answer = once(texts, question, block)
  return (rows, count, truth, reason) => {
    for (let i = 0; i < count; i++) {
      const number = steps === 0 ? rows[i]! : table.up(rows[i]!, steps)
      const byte = reasons[number]!
      reason[i] = byte
      truth[i] = byte === Reason.known ? (answer(values[number]!) ? True : False) : Unknown
    }
  }
}

/** For a few rows a memory as long as the dictionary would cost more than it saves. */
const once = (
  texts: ReadonlyArray<string>,
  question: (text: string) => boolean,
  block: number
): ((code: number) => boolean) => {
  if (block < 64) return (code) => question(texts[code] ?? "")
  const asked = 1
  const yes = 2
  const memory = new Uint8Array(texts.length)
  return (code) => {
    if (memory[code] === 0) memory[code] = question(texts[code] ?? "") ? yes : asked
    return memory[code] === yes
  }
}

const constant =
  (answer: boolean | undefined, unknown = Reason.code("absent")): Kernel =>
  (_rows, count, truth, reason) => {
    truth.fill(answer === undefined ? Unknown : answer ? True : False, 0, count)
    reason.fill(answer === undefined ? unknown : Reason.known, 0, count)
  }

/** The text, or the byte of the reason why there is none. */
const reader = (expr: Expr, table: Table): ((row: number) => string | number) => {
  if (expr._tag === "Literal" && typeof expr.value === "string") {
    const { value } = expr
    return () => value
  }
  if (expr._tag === "Default") {
    const first = reader(expr.value, table)
    const second = reader(expr.fallback, table)
    return (row) => {
      const found = first(row)
      return typeof found === "number" && Reason.isMissing(found) ? second(row) : found
    }
  }
  const place = expr._tag === "Fact" ? table.place(factKey(expr.fact)) : undefined
  if (place === undefined) return () => Reason.code(expr._tag === "Fact" ? "notFetched" : "absent")
  if (place.column.kind !== "text") return () => Reason.code("absent")
  return (row) => {
    const cell = place.column.get(table.up(row, place.steps))
    return cell._tag === "Known" ? String(cell.value) : Reason.code(cell.reason)
  }
}
