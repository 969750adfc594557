/** Where the values of a block's rows lie on coarser levels: looked up once per block, however many tests ask. */
import type { Table } from "../Table.js"

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
