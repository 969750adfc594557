/** A table that is written for a person's spreadsheet program: what its columns hold, and its rows. */

export interface Column {
  readonly title: string
  /** Of a number in it: a number as it is, whole kopecks, or hundredths. Text in it stays text. */
  readonly holds: "text" | "number" | "money" | "percent"
  /** In characters. */
  readonly width: number
}

/** Undefined is an empty cell. */
export type Cell = string | number | undefined

export interface Sheet {
  readonly name: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
}
