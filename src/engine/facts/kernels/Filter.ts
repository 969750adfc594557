/**
 * Conditions as filters over the rows of a block: only what is false drops out. Why a row is unknown is asked at the
 * end, for the few rows that no condition has ruled out. The common shapes (a fact against a constant, a question about
 * a text) read their column directly, and those about coarser levels are answered once for each key; every other
 * condition is answered by its `Kernel`.
 */
import type { CompareOp, Condition, Expr, FactRef } from "../../language/Policy.js"
import { mirrored, opposite } from "../../language/syntax/Syntax.js"
import { Unknown } from "../Kleene.js"
import { factKey, type Place, type Table } from "../Table.js"
import * as Kernel from "./Kernel.js"
import * as Narrow from "./Narrow.js"
import * as TextKernel from "./TextKernel.js"

export interface Filter {
  /** Copies the rows for which the condition is not false, in their order; answers how many. */
  readonly narrow: (rows: Int32Array, count: number, out: Int32Array) => number
  /** Where the condition is unknown for a row, puts the byte of its reason and `step` at the row's place. */
  readonly explain: (
    rows: Int32Array,
    count: number,
    step: number,
    reasons: Uint8Array,
    steps: Uint16Array
  ) => void
  /** No row has a reason. */
  readonly certain: boolean
  /** What asking about one row takes, over what comparing one number does. */
  readonly cost: number
  /** For a test that all rows of a key share. */
  readonly marks?: Marks
}

/** Answers by key: 1 for a key whose rows are not ruled out. */
interface Marks {
  /** From a row to its key. */
  readonly steps: number
  readonly kept: () => Uint8Array
}

/** What rows are asked about, and how many at most by one call. */
export interface Ground {
  readonly table: Table
  /** Rows asked about in all. */
  readonly total: number
  readonly block: number
  readonly heights: Heights
}

export const compile = (condition: Condition, ground: Ground): Filter =>
  direct(condition, true, ground) ?? general(condition, ground)

/** One filter for two that are asked right after one another; undefined where that saves nothing. */
export const both = (first: Filter, second: Filter, { heights }: Ground): Filter | undefined => {
  const [a, b] = [first.marks, second.marks]
  if (a === undefined || b === undefined || a.steps !== b.steps) return undefined
  const kept = once(() => {
    const others = b.kept()
    return a.kept().map((mark, key) => mark & others[key]!)
  })
  return { ...first, ...marked({ steps: a.steps, kept }, heights) }
}

/** The filter of a condition, or of its opposite where `wanted` is false; undefined for uncommon shapes. */
const direct = (condition: Condition, wanted: boolean, ground: Ground): Filter | undefined => {
  // Making ready for every key would cost more than a few rows do.
  if (ground.block < fewRows) return undefined
  if (condition._tag === "Not") return direct(condition.condition, !wanted, ground)
  const question = TextKernel.question(condition)
  if (question !== undefined) return text(question, wanted, ground)
  if (condition._tag === "IsTrue") return compare(wanted ? "!=" : "=", condition.value, zero, ground)
  if (condition._tag !== "Compare") return undefined
  const op = wanted ? condition.op : opposite[condition.op]
  return compare(op, condition.left, condition.right, ground)
}

const fewRows = 64

const zero: Expr = { _tag: "Literal", type: { _tag: "Number" }, value: 0 }

/** A number fact against a constant; undefined for any other comparison. */
const compare = (op: CompareOp, left: Expr, right: Expr, ground: Ground): Filter | undefined => {
  if (left._tag === "Derived") return compare(op, left.of, right, ground)
  if (right._tag === "Derived") return compare(op, left, right.of, ground)
  if (left._tag === "Literal")
    return right._tag === "Fact" ? compare(mirrored[op], right, left, ground) : undefined
  if (left._tag !== "Fact" || right._tag !== "Literal" || typeof right.value === "string") return undefined
  const place = TextKernel.isText(left) ? undefined : ground.table.place(factKey(left.fact))
  if (place === undefined || place.column.kind === "text") return undefined
  const limit = Number(right.value)
  const test = numbers(op, limit, place.column.values)
  if (test === undefined) return undefined
  return place.steps === 0
    ? { narrow: test, ...gaps(place, ground), cost: 1 }
    : above(test, left.fact, place, ground)
}

type Test = Filter["narrow"]

const numbers = (op: CompareOp, limit: number, values: Float64Array): Test | undefined => {
  if (op === "!=") return (rows, count, out) => Narrow.differs(values, limit, rows, count, out)
  const passing = intervalOf(op, limit)
  if (passing === undefined) return undefined
  const { high, low } = passing
  if (low === Number.NEGATIVE_INFINITY)
    return (rows, count, out) => Narrow.atMost(values, high, rows, count, out)
  if (high === Number.POSITIVE_INFINITY)
    return (rows, count, out) => Narrow.atLeast(values, low, rows, count, out)
  return (rows, count, out) => Narrow.within(values, low, high, rows, count, out)
}

/** Each distinct text is asked once. */
const text = (question: TextKernel.Question, wanted: boolean, ground: Ground): Filter | undefined => {
  const place = ground.table.place(factKey(question.fact))
  if (place === undefined || place.column.kind !== "text") return undefined
  const { values, texts } = place.column
  const memory = new Uint8Array(texts.length + 1)
  const ask = (code: number) => {
    const answer = question.holds(texts[code] ?? "") === wanted ? Narrow.yes : Narrow.no
    memory[code] = answer
    return answer
  }
  const test: Test = (rows, count, out) => Narrow.texts(values, memory, ask, rows, count, out)
  return place.steps === 0
    ? { narrow: test, ...gaps(place, ground), cost: 2 }
    : above(test, question.fact, place, ground)
}

/** A test of a coarser level's keys, each tested once, as a test of the rows below them. */
const above = (test: Test, fact: FactRef, place: Place, ground: Ground): Filter | undefined => {
  const marks = carried(test, fact, ground) ?? own(test, place)
  // Most keys would be tested for no row at all.
  if (place.size > 4 * ground.total) return undefined
  return { ...marked(marks, ground.heights), ...gaps(place, ground), cost: 1.5 }
}

const own = (test: Test, { size, steps }: Place): Marks => ({ steps, kept: once(() => tested(test, size)) })

/**
 * The marks of a campaign handed down to its items: so all tests of coarser levels look at the same key of a cluster,
 * which is looked up once, and nearer than the campaign is.
 */
const carried = (test: Test, fact: FactRef, { table, total }: Ground): Marks | undefined => {
  if (table.each !== "cluster") return undefined
  const items = table.view("campaign_item")
  const place = items.place(factKey(fact))
  const steps = table.steps(items.each)
  if (place === undefined || place.steps === 0 || steps === undefined || items.size > 4 * total)
    return undefined
  const kept = once(() => {
    const marks = tested(test, place.size)
    const at = Int32Array.from({ length: items.size }, (_, item) => item)
    items.climb(at, at.length, place.steps, at)
    return Uint8Array.from(at, (key) => marks[key]!)
  })
  return { steps, kept }
}

const tested = (test: Test, size: number): Uint8Array => {
  const keys = Int32Array.from({ length: size }, (_, key) => key)
  const left = test(keys, size, keys)
  const kept = new Uint8Array(size)
  for (let i = 0; i < left; i++) kept[keys[i]!] = 1
  return kept
}

const marked = (marks: Marks, heights: Heights): Pick<Filter, "narrow" | "marks"> => ({
  marks,
  narrow: (rows, count, out) =>
    Narrow.marked(
      marks.kept(),
      heights.at(rows, count, marks.steps),
      heights.isInRuns(marks.steps),
      rows,
      count,
      out
    )
})

const once = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** What is unknown about a fact. */
const gaps = (place: Place, { heights }: Ground): Pick<Filter, "explain" | "certain"> => {
  const { reasons: why, knownCount } = place.column
  return {
    certain: knownCount >= place.size,
    explain: (rows, count, step, reasons, steps) => {
      const at = heights.at(rows, count, place.steps)
      for (let i = 0; i < count; i++) {
        const reason = why[at[i]!]!
        const kept = -Number(reason === 0)
        reasons[i] = (reasons[i]! & kept) | reason
        steps[i] = (steps[i]! & kept) | (step & ~kept)
      }
    }
  }
}

const general = (condition: Condition, { block, table }: Ground): Filter => {
  const kernel = Kernel.compile(condition, table, block)
  const truth = new Uint8Array(block)
  const reason = new Uint8Array(block)
  return {
    narrow: (rows, count, out) => {
      kernel(rows, count, truth, reason)
      return Narrow.answered(truth, rows, count, out)
    },
    explain: (rows, count, step, reasons, steps) => {
      kernel(rows, count, truth, reason)
      for (let i = 0; i < count; i++) {
        if (truth[i] !== Unknown) continue
        reasons[i] = reason[i]!
        steps[i] = step
      }
    },
    certain: false,
    cost: 10
  }
}

// Comparisons with a constant as the numbers that pass them, so that one loop serves several operators.

/** From `low` to `high`, both included; empty when `low` is above `high`. */
interface Interval {
  readonly low: number
  readonly high: number
}

/** Numbers for which `value op limit` holds; undefined where they are no interval. */
export const intervalOf = (op: CompareOp, limit: number): Interval | undefined => {
  if (Number.isNaN(limit)) return undefined
  switch (op) {
    case "<":
      return limit === least ? nothing : { low: least, high: nextBelow(limit) }
    case "<=":
      return { low: least, high: limit }
    case ">":
      return limit === most ? nothing : { low: nextAbove(limit), high: most }
    case ">=":
      return { low: limit, high: most }
    case "=":
      return { low: limit, high: limit }
    case "!=":
      return undefined
  }
}

const least = Number.NEGATIVE_INFINITY
const most = Number.POSITIVE_INFINITY
const nothing: Interval = { low: most, high: least }

/** The next larger number that a double can hold; of infinity itself. */
const nextAbove = (value: number): number => {
  if (value === most) return value
  if (value === 0) return Number.MIN_VALUE
  const bits = new BigInt64Array(Float64Array.of(value).buffer)
  bits[0]! += value > 0 ? 1n : -1n
  return new Float64Array(bits.buffer)[0]!
}

const nextBelow = (value: number): number => -nextAbove(-value)

/** Where the values of a block's rows lie on coarser levels: looked up once per block, however many tests ask. */
export class Heights {
  private start = 0
  /** Rows of the block entered, which follow each other from `start`; 0 when the next rows may be any. */
  private size = 0
  private readonly block: Int32Array
  private readonly levels: Array<Level | undefined> = []

  constructor(
    private readonly table: Table,
    block: number
  ) {
    this.block = new Int32Array(block)
  }

  /** Until the next call all rows asked about are among `count` from `start`; before the first they may be any. */
  enter(start: number, count: number): void {
    this.start = start
    this.size = count
    for (const level of this.levels) if (level !== undefined) level.isFilled = false
  }

  /** For each row the number of its key `steps` above it. Good until the next call. */
  at(rows: Int32Array, count: number, steps: number): Int32Array {
    if (steps === 0) return rows
    const above = this.table.oneUp(steps)
    if (above !== undefined && this.size > 0 && count === this.size)
      return above.parents.subarray(this.start, this.start + count)
    const level = this.level(steps)
    const { own, some } = level
    if (this.size === 0 || above !== undefined) {
      this.table.climb(rows, count, steps, some)
      return some
    }
    const isWhole = count === this.size
    if (!level.isFilled) {
      if (!isWhole) for (let i = 0; i < this.size; i++) this.block[i] = this.start + i
      this.table.climb(isWhole ? rows : this.block, this.size, steps, own)
      level.isFilled = true
    }
    if (isWhole) return own
    for (let i = 0; i < count; i++) some[i] = own[rows[i]! - this.start]!
    return some
  }

  /** Whether rows of one key follow each other in the blocks entered. */
  isInRuns(steps: number): boolean {
    return this.size > 0 && steps > 0 && this.table.oneUp(steps)?.ascend === true
  }

  private level(steps: number): Level {
    const existing = this.levels[steps]
    if (existing !== undefined) return existing
    const made = {
      own: new Int32Array(this.block.length),
      some: new Int32Array(this.block.length),
      isFilled: false
    }
    this.levels[steps] = made
    return made
  }
}

interface Level {
  /** Of every row of the block. */
  readonly own: Int32Array
  /** Of the rows last asked about. */
  readonly some: Int32Array
  isFilled: boolean
}
