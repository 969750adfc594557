/**
 * The facts of one policy's rows, or of several policies that share the coarser levels. A fact is stored once on
 * its own level, so a campaign's name set once serves every cluster row of the campaign.
 */
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import type { Each, FactRef } from "../language/Policy.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import type { Column, Kind } from "./Column.js"
import { Keyspace } from "./Keyspace.js"
import * as Vocabulary from "./Vocabulary.js"

/** Coarse first. */
const order: ReadonlyArray<Vocabulary.Level> = ["account", "campaign", "campaign_item", "cluster"]

/** Where a fact's column lives, and how to get there from a row: `steps` parents up. */
export interface Place {
  readonly column: Column
  readonly steps: number
  /** How many keys the fact's level has. */
  readonly size: number
}

export class Table {
  private constructor(
    /** What a row is. */
    readonly each: Each,
    private readonly spaces: ReadonlyArray<Keyspace>
  ) {}

  /** An empty table. */
  static make(each: Each): Table {
    const account = new Keyspace()
    const spaces = order.slice(1, order.indexOf(each) + 1).map(() => new Keyspace())
    return new Table(each, [account, ...spaces])
  }

  /**
   * A table without rows whose coarser levels are the ones of `coarse`, shared: facts set in either are seen in
   * both. `each` must be finer than, or the same as, what `coarse` holds; the same level shares the rows as well.
   */
  static finer(coarse: Table, each: Each): Table {
    const depth = order.indexOf(each)
    const shared = coarse.spaces.slice(0, depth + 1)
    const own = order.slice(shared.length, depth + 1).map(() => new Keyspace())
    return new Table(each, [...shared, ...own])
  }

  /** Row targets in the order they were added; do not change it. */
  get rows(): ReadonlyArray<Target.Target> {
    return this.last.targets
  }

  get size(): number {
    return this.last.targets.length
  }

  /** Adds a row, and its campaign and item, unless present; answers its number. */
  add(target: Target.Target): number {
    return this.number(this.spaces.length - 1, target)
  }

  /** Makes a coarser key known (a campaign without rows yet), so that facts can be set for it. */
  addKey(target: Target.Target): void {
    this.number(Math.min(depthOf(target), this.spaces.length - 1), target)
  }

  indexOf(target: Target.Target): number | undefined {
    return this.last.find(Target.key(target))
  }

  /** Sets a fact for a row; a fact of a coarser level is set for all rows that share it. */
  set(row: number, factKey: string, cell: Cell): void {
    const { depth, kind } = shapeOf(factKey)
    if (depth >= this.spaces.length) return
    this.space(depth)
      .column(factKey, kind)
      .set(this.up(row, this.spaces.length - 1 - depth), cell)
  }

  /**
   * Sets a fact for a key of any level: of the fact's own or a finer level, for that one; of a coarser level, for
   * everything below it. False when the table knows no such key or is too coarse for the fact: nothing is set.
   */
  setFor(target: Target.Target | "account", factKey: string, cell: Cell): boolean {
    const { depth, kind } = shapeOf(factKey)
    if (depth >= this.spaces.length) return false
    const numbers = this.numbersFor(target, depth)
    const column = this.space(depth).column(factKey, kind)
    for (const number of numbers) column.set(number, cell)
    return numbers.length > 0
  }

  /** A fact that was never set is unknown (`notFetched`). */
  get(row: number, factKey: string): Cell {
    const place = this.place(factKey)
    return place === undefined ? Cells.unknown("notFetched") : place.column.get(this.up(row, place.steps))
  }

  /** Column of a fact with room for every key of its level; undefined when it was never set. */
  place(factKey: string): Place | undefined {
    const { depth } = shapeOf(factKey)
    const space = this.spaces[depth]
    const column = space?.columns.get(factKey)
    if (space === undefined || column === undefined) return undefined
    const size = depth === 0 ? 1 : space.targets.length
    column.reserve(size)
    return { column, steps: this.spaces.length - 1 - depth, size }
  }

  /** Number of a row's key `steps` levels up. */
  up(row: number, steps: number): number {
    let number = row
    for (let step = 0; step < steps; step++) {
      const depth = this.spaces.length - 1 - step
      number = depth === 1 ? 0 : (this.space(depth).parents[number] ?? 0)
    }
    return number
  }

  /** As `up`, for the first `count` rows at once; `steps` is at least 1. */
  climb(rows: Int32Array, count: number, steps: number, into: Int32Array): void {
    if (steps === this.spaces.length - 1) {
      into.fill(0, 0, count)
      return
    }
    let from = rows
    for (let step = 0; step < steps; step++) {
      const { parents } = this.space(this.spaces.length - 1 - step)
      for (let i = 0; i < count; i++) into[i] = parents[from[i]!]!
      from = into
    }
  }

  /** Rows that belong to a campaign or to an item of it. */
  rowsUnder(target: Target.Target): ReadonlyArray<number> {
    return this.numbersFor(target, this.spaces.length - 1)
  }

  /** Distinct campaigns, or items in campaigns, of some rows, sorted. */
  keys(
    level: Exclude<Vocabulary.Level, "account">,
    rows: ReadonlyArray<number>
  ): ReadonlyArray<Target.Target> {
    const depth = Math.min(order.indexOf(level), this.spaces.length - 1)
    const steps = this.spaces.length - 1 - depth
    const targets = this.space(depth).targets
    const distinct = new Set<number>()
    for (const row of rows) distinct.add(this.up(row, steps))
    return [...distinct].map((number) => targets[number]!).sort(Target.compare)
  }

  private get last(): Keyspace {
    return this.space(this.spaces.length - 1)
  }

  private space(depth: number): Keyspace {
    const space = this.spaces[depth]
    if (space === undefined) throw new RangeError(`a table of ${this.each} rows has no ${order[depth]} level`)
    return space
  }

  private number(depth: number, target: Target.Target): number {
    if (depth === 0) return 0
    const key = truncate(target, depth)
    const existing = this.space(depth).find(Target.key(key))
    return existing ?? this.space(depth).add(key, this.number(depth - 1, target))
  }

  private numbersFor(target: Target.Target | "account", depth: number): ReadonlyArray<number> {
    if (depth === 0) return [0]
    const from = target === "account" ? 0 : Math.min(depthOf(target), depth)
    if (target === "account" || from === 0) return this.space(depth).targets.map((_, number) => number)
    const number = this.space(from).find(Target.key(truncate(target, from)))
    if (number === undefined) return []
    let numbers: ReadonlyArray<number> = [number]
    for (let d = from + 1; d <= depth; d++) {
      const children = this.space(d).children
      numbers = numbers.flatMap((n) => children[n] ?? [])
    }
    return numbers
  }
}

/** See `Table.make`. */
export const make = (each: Each): Table => Table.make(each)

/** See `Table.finer`. */
export const finer = (coarse: Table, each: Each): Table => Table.finer(coarse, each)

/** Column name of a fact: its id, and the window it is read over if it has one: `cluster.ctr@7d`. */
export const factKey = (ref: FactRef): string =>
  ref.window === undefined ? ref.id : `${ref.id}@${Window.key(ref.window)}`

interface Shape {
  readonly depth: number
  readonly kind: Kind
}

const shapes = new Map<string, Shape>()

/** Looked up for every value that is set, so remembered; there are only as many as facts and windows. */
const shapeOf = (key: string): Shape => {
  const remembered = shapes.get(key)
  if (remembered !== undefined) return remembered
  const at = key.indexOf("@")
  const fact = Vocabulary.byFactId(at < 0 ? key : key.slice(0, at))
  if (fact === undefined) throw new RangeError(`"${key}" is not a fact of the vocabulary`)
  const type = fact.type._tag
  const kind = type === "Text" || type === "Enum" ? "text" : type === "YesNo" ? "yesNo" : "number"
  const shape: Shape = { depth: order.indexOf(fact.level), kind }
  shapes.set(key, shape)
  return shape
}

const depthOf = (target: Target.Target): number =>
  target.itemId === undefined ? 1 : target.cluster === undefined ? 2 : 3

const truncate = (target: Target.Target, depth: number): Target.Target => {
  const { campaignId, itemId, cluster } = target
  if (depth === 1) return { campaignId }
  if (itemId === undefined) throw new RangeError(`campaign ${campaignId} is not a row of items`)
  if (depth === 2) return { campaignId, itemId }
  if (cluster === undefined)
    throw new RangeError(`item ${itemId} of campaign ${campaignId} is not a cluster row`)
  return { campaignId, itemId, cluster }
}
