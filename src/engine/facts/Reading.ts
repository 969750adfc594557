/** Facts of many rows of one table, asked for while nothing is set in it: where each stands is looked up once. */
import type { Cell } from "./Cell.js"
import type { SaidAhead } from "./Spaces.js"
import type { Table } from "./Table.js"

/** What a row's facts are asked of. */
export type Facts = Pick<Table, "ahead" | "get">

export class Reading implements Facts {
  private readonly readers = new Map<string, (row: number) => Cell>()

  constructor(readonly table: Table) {}

  get(row: number, factKey: string): Cell {
    const known = this.readers.get(factKey)
    if (known !== undefined) return known(row)
    const made = this.table.cells(factKey)
    this.readers.set(factKey, made)
    return made(row)
  }

  ahead(row: number): SaidAhead | undefined {
    return this.table.ahead(row)
  }
}
