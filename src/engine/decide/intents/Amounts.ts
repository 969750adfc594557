/** What expressions are worth and whether conditions hold, for all rows that a rule matches, or cannot decide on, at once. */
import * as Reason from "../../../domain/Reason.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import type * as Kleene from "../../facts/Kleene.js"
import type { Reading } from "../../facts/Reading.js"
import { factKey } from "../../facts/Table.js"
import type * as Trace from "../../facts/Trace.js"
import type { Condition, Expr } from "../../language/Policy.js"

/** Each expression and condition is computed when it is first asked for. */
export class Amounts implements Trace.Seen {
  private readonly found = new Map<Expr, Evaluate.NumbersFound>()
  private readonly answered = new Map<Condition, Uint8Array>()
  /** The row that was asked about last, and its place among the rows. */
  private last = { row: -1, at: -1 }

  /** `rows` ascend. */
  constructor(
    readonly facts: Reading,
    private readonly rows: Int32Array
  ) {}

  /** For one of the rows. */
  of(expr: Expr, row: number): Cell {
    const { reasons, values } = this.found.get(expr) ?? this.compute(expr)
    const at = this.placeOf(row)
    const reason = Reason.fromCode(reasons[at]!)
    return reason === undefined ? Cells.known(values[at]!) : Cells.unknown(reason)
  }

  /** As `of`, for one of any type. */
  value(expr: Expr, row: number): Cell {
    if (expr._tag === "Fact") return this.facts.get(row, factKey(expr.fact))
    return isComputed(expr) ? this.of(expr, row) : Evaluate.value(expr, this.facts.table, row)
  }

  truth(condition: Condition, row: number): Kleene.Truth {
    const truth = this.answered.get(condition) ?? this.answer(condition)
    return truth[this.placeOf(row)] as Kleene.Truth
  }

  private placeOf(row: number): number {
    if (row === this.last.row) return this.last.at
    let low = 0
    let high = this.rows.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.rows[middle]! < row) low = middle + 1
      else high = middle
    }
    this.last = { row, at: low }
    return low
  }

  private answer(condition: Condition): Uint8Array {
    const { truth } = Evaluate.condition(condition, this.facts.table, this.rows)
    this.answered.set(condition, truth)
    return truth
  }

  private compute(expr: Expr): Evaluate.NumbersFound {
    const made = Evaluate.numbers(expr, this.facts.table, this.rows)
    this.found.set(expr, made)
    return made
  }
}

/** A plain value is read as fast; only figures and the like are worth a list. */
const isComputed = ({ _tag, type }: Expr): boolean => _tag !== "Literal" && numeric.has(type._tag)

const numeric: ReadonlySet<Expr["type"]["_tag"]> = new Set(["Money", "Ratio", "Count", "Number", "Duration"])
