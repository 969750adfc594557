/**
 * Conditions as filters over the rows of a block: only what is false drops out. Why a row is unknown is asked at the
 * end, for the few rows that no condition has ruled out. The common shapes (a fact against a constant, a question about a text) read their column directly; every other
 * condition is answered by its `Kernel`.
 */
import * as Reason from "../../domain/Reason.js"
import type { CompareOp, Condition, Expr } from "../language/Policy.js"
import * as Kernel from "./Kernel.js"
import { Unknown } from "./Kleene.js"
import * as Narrow from "./Narrow.js"
import { factKey, type Place, type Table } from "./Table.js"
import * as TextKernel from "./TextKernel.js"

export interface Filter {
  /** Copies the rows for which the condition is not false, in their order; answers how many. */
  readonly narrow: (rows: Int32Array, count: number, out: Int32Array) => number
  /** For each row the byte of the reason why the condition is unknown; 0 where it is true, or false. */
  readonly reasons: (rows: Int32Array, count: number, out: Uint8Array) => void
  /** No row has a reason. */
  readonly certain: boolean
}

/** `block` is the most rows that one call will ask about. */
export const compile = (condition: Condition, table: Table, block: number): Filter =>
  direct(condition, true, table, block) ?? general(condition, table, block)

/** The filter of a condition, or of its opposite where `wanted` is false; undefined for uncommon shapes. */
const direct = (condition: Condition, wanted: boolean, table: Table, block: number): Filter | undefined => {
  if (condition._tag === "Not") return direct(condition.condition, !wanted, table, block)
  const question = TextKernel.question(condition)
  if (question !== undefined) return text(question, wanted, table, block)
  if (condition._tag === "IsTrue") return compare(wanted ? "!=" : "=", condition.value, zero, table, block)
  if (condition._tag !== "Compare") return undefined
  const op = wanted ? condition.op : negated[condition.op]
  return compare(op, condition.left, condition.right, table, block)
}

const zero: Expr = { _tag: "Literal", type: { _tag: "Number" }, value: 0 }

const mirrored: Readonly<Record<CompareOp, CompareOp>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "=": "=",
  "!=": "!="
}
const negated: Readonly<Record<CompareOp, CompareOp>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  "=": "!=",
  "!=": "="
}

/** A number fact against a constant; undefined for any other comparison. */
const compare = (op: CompareOp, left: Expr, right: Expr, table: Table, block: number): Filter | undefined => {
  if (left._tag === "Literal")
    return right._tag === "Fact" ? compare(mirrored[op], right, left, table, block) : undefined
  if (left._tag !== "Fact" || right._tag !== "Literal" || typeof right.value === "string") return undefined
  const place = TextKernel.isText(left) ? undefined : table.place(factKey(left.fact))
  if (place === undefined || place.column.kind === "text") return undefined
  const { values } = place.column
  const limit = Number(right.value)
  const above = climb(place, table, block)
  return {
    narrow: (rows, count, out) => Narrow.numbers(op, values, limit, above(rows, count), rows, count, out),
    ...gaps(place, above)
  }
}

/** What is unknown about a fact. */
const gaps = (place: Place, above: Climb): Pick<Filter, "reasons" | "certain"> => {
  const { reasons, knownCount } = place.column
  return {
    certain: knownCount >= place.size,
    reasons: (rows, count, out) => {
      const at = above(rows, count)
      for (let i = 0; i < count; i++) out[i] = reasons[at[i]!]!
    }
  }
}

/** Each distinct text is asked once; for a few rows that memory would cost more than it saves. */
const text = (
  question: TextKernel.Question,
  wanted: boolean,
  table: Table,
  block: number
): Filter | undefined => {
  const place = table.place(factKey(question.fact))
  if (place === undefined || place.column.kind !== "text" || block < fewRows) return undefined
  const { values, texts } = place.column
  const memory = new Uint8Array(texts.length + 1)
  const ask = (code: number) => {
    const answer = question.holds(texts[code] ?? "") === wanted ? Narrow.yes : Narrow.no
    memory[code] = answer
    return answer
  }
  const above = climb(place, table, block)
  return {
    narrow: (rows, count, out) => Narrow.texts(values, memory, ask, above(rows, count), rows, count, out),
    ...gaps(place, above)
  }
}

const fewRows = 64

type Climb = (rows: Int32Array, count: number) => Int32Array

/** Where each row's value lies in the column. */
const climb = (place: Place, table: Table, block: number): Climb => {
  if (place.steps === 0) return (rows) => rows
  const at = new Int32Array(block)
  return (rows, count) => {
    table.climb(rows, count, place.steps, at)
    return at
  }
}

const general = (condition: Condition, table: Table, block: number): Filter => {
  const kernel = Kernel.compile(condition, table, block)
  const truth = new Uint8Array(block)
  const reason = new Uint8Array(block)
  return {
    narrow: (rows, count, out) => {
      kernel(rows, count, truth, reason)
      return Narrow.answered(truth, rows, count, out)
    },
    reasons: (rows, count, out) => {
      kernel(rows, count, truth, reason)
      for (let i = 0; i < count; i++) out[i] = truth[i] === Unknown ? reason[i]! : Reason.known
    },
    certain: false
  }
}
