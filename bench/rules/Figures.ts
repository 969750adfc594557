/** What the parts of the benchmark report. */

export interface Verdict {
  readonly name: string
  readonly value: number
  readonly goal: string
  readonly holds: boolean
  /** Of a value that is no ratio. */
  readonly unit?: string
}

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
