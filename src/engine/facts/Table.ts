/**
 * The facts of one policy's rows. A fact is stored once on its own level, so a campaign's name set once serves every
 * cluster row of the campaign; tables of several levels may share one account's facts (`view`).
 */
import type { CampaignId } from "../../domain/Ids.js"
import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import type { Each, FactRef } from "../language/Policy.js"
import type { Cell } from "./Cell.js"
import * as Cells from "./Cell.js"
import { type Column, type Keys, type Kind, small, type Told } from "./Column.js"
import * as Level from "./Level.js"
import type { Keyspace, Links } from "./Spaces.js"
import * as Spaces from "./Spaces.js"
import * as Vocabulary from "./Vocabulary.js"

/** Where a fact's column lives, and how to get there from a row. */
export interface Place {
  readonly column: Column
  /** For `up` and `climb`; 0 where the row itself has the value. */
  readonly steps: number
  /** How many keys the fact's level has. */
  readonly size: number
}

/** A row of an answer, and what it is about. */
interface ToldOf extends Told {
  readonly target: Target.Subject | "account"
}

/** One fact of a table, to give it to many keys: what it is called and where it stands is looked up once. */
export class Entry {
  private column: Column | undefined

  constructor(
    private readonly factKey: string,
    private readonly shape: Shape,
    private readonly spaces: Spaces.Spaces
  ) {}

  get level(): Level.Level {
    return this.shape.level
  }

  /** Gives it to keys of its level: what their rows say in this place. The column is made with the first value. */
  give(keys: Keys, rows: ReadonlyArray<Told>, place: number): void {
    if (keys.count === 0) return
    this.column ??= this.made()
    this.column.putAll(keys, rows, place)
  }

  /** Says why it is unknown, of those that nothing was told of. */
  leave(numbers: ReadonlyArray<number>, why: Cells.Unknown): void {
    if (numbers.length === 0) return
    this.column ??= this.made()
    this.column.leave(numbers, why)
  }

  /** With room for the keys that are there: a column that grows is copied time and again. */
  private made(): Column {
    const space = this.spaces.of(this.level)
    const column = space.column(this.factKey, this.shape.kind)
    column.reserve(space.size)
    return column
  }
}

export class Table {
  /** By `steps`: the moves from a row to the key of a level above it. */
  private readonly ways: ReadonlyArray<ReadonlyArray<Links> | undefined>
  private listed: ReadonlyArray<Target.Subject> = []
  /** The keys that facts are given to: lists for each answer would be thrown away. */
  private readonly found: Keys = { count: 0, numbers: new Int32Array(16), rows: new Int32Array(16) }

  private constructor(
    /** What a row is. */
    readonly each: Each,
    private readonly spaces: Spaces.Spaces,
    /** The tables of other levels in the same account that were asked for. */
    private readonly views: Map<Each, Table>
  ) {
    views.set(each, this)
    this.ways = [[], ...Level.order.map((level) => spaces.way(each, level))]
  }

  /** An empty table; of the account, the table of its one row. */
  static make(each: Each): Table {
    return new Table(each, new Spaces.Spaces(), new Map())
  }

  /** The rows of another level in the same account: facts and keys set in either table are seen in both. */
  view(each: Each): Table {
    return this.views.get(each) ?? new Table(each, this.spaces, this.views)
  }

  /** Row subjects in the order they were added; do not change it. An object for every row: `target` makes only one. */
  get rows(): ReadonlyArray<Target.Subject> {
    if (this.listed.length !== this.size)
      this.listed = Array.from({ length: this.size }, (_, row) => this.target(row))
    return this.listed
  }

  /** What a row is. */
  target(row: number): Target.Subject {
    return this.spaces.subject(this.each, row) ?? noRow(row)
  }

  /** What tells a row from the others that belong to the same: a number, or a cluster's text. */
  nameOf(row: number): Spaces.Name {
    return this.own.nameOf(row) ?? noRow(row)
  }

  /** The campaign that a row is or belongs to; undefined where it belongs to none. */
  campaignOf(row: number): CampaignId | undefined {
    const steps = this.steps("campaign")
    return steps === undefined ? undefined : this.spaces.campaignId(this.up(row, steps))
  }

  /** What a row of the table's own level takes, without the texts of names and values; see `Keyspace.bytes`. */
  get bytesPerRow(): number {
    return this.own.bytes / Math.max(1, this.size)
  }

  get size(): number {
    return this.own.size
  }

  /** Columns of the facts that belong to the rows' own level, by fact key. */
  get columns(): ReadonlyMap<string, Column> {
    return this.own.columns
  }

  /** Adds a row, and what it belongs to, unless present; answers its number. */
  add(target: Target.Subject): number {
    return this.spaces.put(target, this.each)
  }

  /** Makes a key of any level known, with what it belongs to, so that facts can be set for it. */
  addKey(target: Target.Subject): void {
    this.spaces.put(target, Spaces.levelOf(target))
  }

  indexOf(target: Target.Subject): number | undefined {
    return this.spaces.find(target, this.each)
  }

  /** Sets a fact for a row; a fact of a coarser level is set for all rows that share it. */
  set(row: number, factKey: string, cell: Cell): void {
    const { kind, level } = shapeOf(factKey)
    if (!Level.reaches(this.each, level)) return
    this.spaces
      .of(level)
      .column(factKey, kind)
      .set(this.up(row, stepsTo(this.each, level)), cell)
  }

  /**
   * Sets a fact for a key of any level: of the fact's own or a finer level, for that one; of a coarser level, for
   * everything below it. False when the table knows no such key: nothing is set.
   */
  setFor(target: Target.Subject | "account", factKey: string, cell: Cell): boolean {
    const { kind, level } = shapeOf(factKey)
    const numbers = this.numbersFor(target === "account" ? account : target, level)
    if (numbers.length === 0) return false
    const column = this.spaces.of(level).column(factKey, kind)
    for (const number of numbers) column.set(number, cell)
    return true
  }

  entry(factKey: string): Entry {
    return new Entry(factKey, shapeOf(factKey), this.spaces)
  }

  /**
   * As `setFor`, of rows that tell the same facts: one entry after the other takes what all of them say in its place, and their keys are
   * looked up once for each level in a row. Undefined entries are passed over.
   */
  give(rows: ReadonlyArray<ToldOf>, entries: ReadonlyArray<Entry | undefined>): void {
    let level: Level.Level | undefined
    for (let place = 0; place < entries.length; place++) {
      const entry = entries[place]
      if (entry === undefined) continue
      if (entry.level !== level) {
        level = entry.level
        this.find(rows, level)
      }
      entry.give(this.found, rows, place)
    }
  }

  /** Says of each entry why it is unknown for the target, where nothing was told. */
  leave(target: Target.Subject | "account", entries: ReadonlyArray<Entry>, why: Cells.Unknown): void {
    const key = target === "account" ? account : target
    let level: Level.Level | undefined
    let numbers: ReadonlyArray<number> = []
    for (const entry of entries) {
      if (entry.level !== level) {
        level = entry.level
        numbers = this.numbersFor(key, level)
      }
      entry.leave(numbers, why)
    }
  }

  private find(rows: ReadonlyArray<ToldOf>, level: Level.Level): void {
    this.found.count = 0
    for (let row = 0; row < rows.length; row++) {
      const { target } = rows[row]!
      const key = target === "account" ? account : target
      const own = this.spaces.find(key, level)
      if (own !== undefined) this.note(own, row)
      else for (const number of this.numbersBelow(key, level)) this.note(number, row)
    }
  }

  private note(number: number, row: number): void {
    const { found } = this
    const at = found.count++
    if (at === found.numbers.length) {
      found.numbers = Spaces.grown(found.numbers, at)
      found.rows = Spaces.grown(found.rows, at)
    }
    found.numbers[at] = number
    found.rows[at] = row
  }

  /** What the seller's table says of a row on the days of its promotion; undefined where that is what it says today. */
  ahead(row: number): Spaces.SaidAhead | undefined {
    return this.each === "promotion_item" ? this.spaces.ahead.get(row) : undefined
  }

  /** Whether any item in a promotion has days ahead on which the table says something else. */
  get hasAhead(): boolean {
    return this.spaces.ahead.size > 0
  }

  setAhead(row: number, said: Spaces.SaidAhead | undefined): void {
    if (this.each !== "promotion_item") throw new RangeError(`${this.each} has no days ahead`)
    if (said === undefined) this.spaces.ahead.delete(row)
    else this.spaces.ahead.set(row, said)
  }

  /** Sets several facts of one key. */
  setAll(target: Target.Subject | "account", cells: ReadonlyMap<string, Cell>): void {
    for (const [factKey, cell] of cells) this.setFor(target, factKey, cell)
  }

  /** A fact that was never set is unknown (`notFetched`). */
  get(row: number, factKey: string): Cell {
    const { level } = shapeOf(factKey)
    const column = Level.reaches(this.each, level) ? this.spaces.of(level).columns.get(factKey) : undefined
    return column?.get(this.up(row, stepsTo(this.each, level))) ?? Cells.unknown("notFetched")
  }

  /** As `get`, of one fact of many rows: where it stands is looked up once, so nothing may be set meanwhile. */
  cells(factKey: string): (row: number) => Cell {
    const place = this.place(factKey)
    if (place === undefined) return () => Cells.unknown("notFetched")
    const { column, steps } = place
    return (row) => column.get(this.up(row, steps))
  }

  /** Reads one fact of many rows as a number; undefined where it is unknown or another kind of value. */
  numbers(factKey: string): (row: number) => number | undefined {
    const place = this.place(factKey)
    if (place === undefined || place.column.kind !== "number") return () => undefined
    const { column, steps } = place
    return (row) => {
      const value = column.values[this.up(row, steps)]!
      return Number.isNaN(value) ? undefined : small(value)
    }
  }

  /** As `numbers`, of texts and enum words. */
  words(factKey: string): (row: number) => string | undefined {
    const place = this.place(factKey)
    if (place === undefined || place.column.kind !== "text") return () => undefined
    const { column, steps } = place
    return (row) => {
      // An unknown text has no number, and nothing stands there.
      return column.texts[column.values[this.up(row, steps)]!]
    }
  }

  /** Column of a fact with room for every key of its level; undefined when it was never set or rows do not have it. */
  place(factKey: string): Place | undefined {
    const { level } = shapeOf(factKey)
    if (!Level.reaches(this.each, level)) return undefined
    const space = this.spaces.of(level)
    const column = space.columns.get(factKey)
    if (column === undefined) return undefined
    const { size } = space
    column.reserve(size)
    return { column, steps: stepsTo(this.each, level), size }
  }

  /** The `steps` from a row to the key of `level` it belongs to; undefined where it belongs to none. */
  steps(level: Level.Level): number | undefined {
    return Level.reaches(this.each, level) ? stepsTo(this.each, level) : undefined
  }

  /** Number of the key above a row. */
  up(row: number, steps: number): number {
    let number = row
    for (const { parents } of this.ways[steps]!) number = parents[number]!
    return number
  }

  /** As `up`, for the first `count` rows at once; `steps` is not 0. */
  climb(rows: Int32Array, count: number, steps: number, into: Int32Array): void {
    let from = rows
    for (const { parents } of this.ways[steps]!) {
      for (let i = 0; i < count; i++) into[i] = parents[from[i]!]!
      from = into
    }
  }

  /** From a row to its key `steps` above it: for each move the number of each key's parent. */
  way(steps: number): ReadonlyArray<Int32Array> {
    return this.ways[steps]!.map(({ parents }) => parents)
  }

  /** Of a key of level `at`: the numbers of the rows of `over`, one level below, that belong to it. */
  below(at: Level.Level, over: Level.Level): (key: number) => ReadonlyArray<number> {
    const links = this.spaces.down(at, over)
    return (key) => links?.children(key) ?? []
  }

  /** Some campaigns are there and could not be read: then nobody knows all rows below an item or the account. */
  leaveOut(reason: Reason.Reason): void {
    this.spaces.leftOut = Reason.code(reason)
  }

  /** Byte of the `domain/Reason` why rows below a key of level `at` may be missing; 0 where none are. */
  leftOut(at: Level.Level): number {
    return at === "item" || at === "account" ? this.spaces.leftOut : Reason.known
  }

  /** Rows that a key is, or that belong to it. */
  rowsUnder(target: Target.Subject): ReadonlyArray<number> {
    return this.numbersFor(target, this.each)
  }

  /** Distinct keys of a level that some rows are, belong to, or are made of; sorted. */
  keys(level: Exclude<Level.Level, "account">, rows: ReadonlyArray<number>): ReadonlyArray<Target.Subject> {
    const distinct = new Set<number>()
    const collect = this.keysOf(level)
    for (const row of rows) collect(row, distinct)
    return [...distinct].map((number) => this.spaces.subject(level, number)!).sort(Target.compare)
  }

  private keysOf(level: Level.Level): (row: number, into: Set<number>) => void {
    const { each } = this
    if (Level.reaches(each, level)) {
      const steps = stepsTo(each, level)
      return (row, into) => into.add(this.up(row, steps))
    }
    const finer = Level.reaches(level, each)
    if (finer) {
      return (row, into) => {
        for (const number of this.spaces.under(each, row, level)) into.add(number)
      }
    }
    // Of campaigns their items, and of items, in promotions too, the campaigns they are in.
    const owner = Level.reaches(each, "item") ? "item" : each
    const steps = stepsTo(each, owner)
    const [links] = this.spaces.way("campaign_item", level) ?? []
    return (row, into) => {
      for (const number of this.spaces.under(owner, this.up(row, steps), "campaign_item"))
        into.add(links === undefined ? number : links.parents[number]!)
    }
  }

  private get own(): Keyspace {
    return this.spaces.of(this.each)
  }

  private numbersFor(target: Target.Subject, level: Level.Level): ReadonlyArray<number> {
    const own = this.spaces.find(target, level)
    return own === undefined ? this.numbersBelow(target, level) : [own]
  }

  private numbersBelow(target: Target.Subject, level: Level.Level): ReadonlyArray<number> {
    const from = Spaces.levelOf(target)
    const above = Level.reaches(from, level) ? undefined : this.spaces.find(target, from)
    return above === undefined ? [] : this.spaces.under(from, above, level)
  }
}

const account: Target.Subject = {}

const noRow = (row: number): never => {
  throw new RangeError(`the table has no row ${row}`)
}

/** 0 for the row itself, else one more than the level's place in `Level.order`. */
const stepsTo = (each: Level.Level, level: Level.Level): number =>
  each === level ? 0 : 1 + Level.order.indexOf(level)

/** See `Table.make`. */
export const make = (each: Each): Table => Table.make(each)

/** See `Table.view`. */
export const view = (table: Table, each: Each): Table => table.view(each)

/** Column name of a fact: its id, and the window it is read over if it has one: `cluster.ctr@7d`. */
export const factKey = (ref: FactRef): string =>
  ref.window === undefined ? ref.id : `${ref.id}@${Window.key(ref.window)}`

interface Shape {
  readonly level: Level.Level
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
  const kind =
    type === "Text" || type === "Enum" || type === "Labels" ? "text" : type === "YesNo" ? "yesNo" : "number"
  const shape: Shape = { level: fact.level, kind }
  shapes.set(key, shape)
  return shape
}
