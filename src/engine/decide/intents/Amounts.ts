/** What an action's expressions are worth, for all rows that match its rule at once. */
import * as Reason from "../../../domain/Reason.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import type { Table } from "../../facts/Table.js"
import type { Expr } from "../../language/Policy.js"

/** Each expression is computed when it is first asked for. */
export class Amounts {
  private readonly found = new Map<Expr, Evaluate.NumbersFound>()

  /** `rows` ascend. */
  constructor(
    private readonly table: Table,
    private readonly rows: Int32Array
  ) {}

  /** For one of the rows. */
  of(expr: Expr, row: number): Cell {
    const { reasons, values } = this.found.get(expr) ?? this.compute(expr)
    const at = placeOf(row, this.rows)
    const reason = Reason.fromCode(reasons[at]!)
    return reason === undefined ? Cells.known(values[at]!) : Cells.unknown(reason)
  }

  private compute(expr: Expr): Evaluate.NumbersFound {
    const made = Evaluate.numbers(expr, this.table, this.rows)
    this.found.set(expr, made)
    return made
  }
}

const placeOf = (row: number, rows: Int32Array): number => {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]! < row) low = middle + 1
    else high = middle
  }
  return low
}
