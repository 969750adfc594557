/** Facts of the rows that `optimise` looks at: where a fact of clusters stands is looked up once, for there may be half a million. */
import type { Reason } from "../../../domain/Reason.js"
import type { Cell } from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import { Reading } from "../../facts/Reading.js"
import type { Table } from "../../facts/Table.js"
import type { Optimise } from "../../language/Policy.js"
import type * as Core from "../../optimise/Stream.js"
import type * as Bid from "./Bid.js"

/** Nothing may be set in the table meanwhile. */
export class RowFacts {
  private readonly cells: Reading
  private readonly numbers = new Map<string, (row: number) => number | undefined>()

  constructor(private readonly clusters: Table) {
    this.cells = new Reading(clusters)
  }

  /** A fact of a row, or of what it belongs to. */
  of(table: Table, row: number, fact: string): Cell {
    return table === this.clusters ? this.ofCluster(row, fact) : table.get(row, fact)
  }

  ofCluster(row: number, fact: string): Cell {
    return this.cells.get(row, fact)
  }

  /** A whole amount above zero; undefined where there is none. */
  amount(table: Table, row: number, fact: string): number | undefined {
    if (table !== this.clusters) return amount(table.get(row, fact))
    const value = this.numberOf(fact)(row)
    return value !== undefined && isAmount(value) ? value : undefined
  }

  private numberOf(fact: string): (row: number) => number | undefined {
    const known = this.numbers.get(fact)
    if (known !== undefined) return known
    const read = this.clusters.numbers(fact)
    this.numbers.set(fact, read)
    return read
  }

  /** A share of the price, or money of the seller's own; both need to know the price for a share of revenue. */
  worth(margin: Optimise["margin"], table: Table, row: number): Core.Maybe<Core.Worth> {
    const cell = Evaluate.value(margin, table, row)
    if (cell._tag === "Unknown") return { _tag: "Absent", reason: cell.reason }
    const priceKopecks = this.amount(table, row, "item.price")
    if (priceKopecks === undefined) return { _tag: "Absent", reason: this.why(table, row, "item.price") }
    const profitKopecks =
      margin.type._tag === "Ratio" ? Number(cell.value) * priceKopecks : Number(cell.value)
    return { _tag: "Known", value: { priceKopecks, profitKopecks } }
  }

  levels(table: Table, row: number, levels: Bid.Bid["levels"]): Core.Maybe<ReadonlyArray<Core.Level>> {
    if (levels.length === 0) return noLevels
    // Lists that grow take room for seventeen, so it is asked for all of them first.
    const found = levels.map(({ fact, name }) => {
      const bidKopecks = this.amount(table, row, fact)
      return bidKopecks === undefined ? undefined : { name, bidKopecks }
    })
    const value = found.every(isThere) ? found : found.filter(isThere)
    return value.length === 0
      ? { _tag: "Absent", reason: this.whyNone(table, row, levels) }
      : { _tag: "Known", value }
  }

  private whyNone(table: Table, row: number, levels: Bid.Bid["levels"]): Reason {
    const reasons = levels.flatMap(({ fact }) => {
      const cell = this.of(table, row, fact)
      return cell._tag === "Unknown" ? [cell.reason] : []
    })
    return reasons.at(-1) ?? "notApplicable"
  }

  private why(table: Table, row: number, fact: string): Reason {
    const cell = this.of(table, row, fact)
    return cell._tag === "Unknown" ? cell.reason : "unreadable"
  }
}

const noLevels: Core.Maybe<ReadonlyArray<Core.Level>> = { _tag: "Absent", reason: "notApplicable" }

export const word = (cell: Cell): string => (cell._tag === "Known" ? String(cell.value) : "unknown")

export const amount = (cell: Cell): number | undefined =>
  cell._tag === "Known" && typeof cell.value === "number" && isAmount(cell.value) ? cell.value : undefined

const isThere = (level: Core.Level | undefined): level is Core.Level => level !== undefined

const isAmount = (value: number): boolean => Number.isSafeInteger(value) && value > 0
