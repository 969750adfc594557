/**
 * Cells of a CSV report, found by the name of their column; the order of columns does not matter (field note A25).
 * What cannot be read as the number it should be (a blank, `no rating`) is absent, never zero.
 */
import * as Days from "../../../domain/Days.js"
import { ItemId } from "../../../domain/Ids.js"
import type { Kopecks } from "../../../domain/Money.js"
import * as Amounts from "../Amounts.js"
import * as Sentinels from "../analytics/Sentinels.js"

type Cells = ReadonlyArray<string>

/** Reads one column of a record. */
export type Reader<A> = (cells: Cells) => A | undefined

/** Readers by column name; further names are other spellings of the same column. */
export interface Readers {
  readonly text: (...names: Names) => Reader<string>
  /** A number with a decimal point or comma. */
  readonly number: (...names: Names) => Reader<number>
  /** A whole number. */
  readonly count: (...names: Names) => Reader<number>
  readonly money: (...names: Names) => Reader<Kopecks>
  readonly item: (...names: Names) => Reader<ItemId>
  readonly day: (...names: Names) => Reader<Days.Day>
  readonly flag: (...names: Names) => Reader<boolean>
  readonly hours: (...names: Names) => Reader<Sentinels.Hours>
  readonly lost: (...names: Names) => Reader<Sentinels.Lost<number>>
  readonly lostSum: (...names: Names) => Reader<Sentinels.Lost<Kopecks>>
}
type Names = readonly [string, ...Array<string>]

/** A column of a series, such as one day of stock. */
interface SeriesColumn {
  readonly match: RegExpExecArray
  readonly read: Reader<number>
}

/** The first record of a report. */
export interface Header {
  /** Columns a report is useless without. */
  readonly must: Readers
  readonly may: Readers
  /** Columns whose names match, in their order. */
  readonly series: (name: RegExp) => ReadonlyArray<SeriesColumn>
  /** Names asked of `must` that the report lacks. */
  readonly missing: ReadonlyArray<string>
}

export const header = (names: Cells): Header => {
  const places = new Map(names.map((name, place) => [normal(name), place]))
  const missing: Array<string> = []
  const find = (wanted: Names): number | undefined =>
    wanted.map((name) => places.get(normal(name))).find((place) => place !== undefined)
  return {
    must: readers((wanted) => {
      const place = find(wanted)
      if (place === undefined) missing.push(wanted[0])
      return place
    }),
    may: readers(find),
    series: (pattern) =>
      names.flatMap((name, place) => {
        const match = pattern.exec(name.trim())
        return match === null ? [] : [{ match, read: (cells: Cells) => number(cells[place]) }]
      }),
    missing
  }
}

const normal = (name: string): string => name.replaceAll("\uFEFF", "").trim().toLowerCase()

const readers = (find: (wanted: Names) => number | undefined): Readers => {
  const reader =
    <A>(read: (cell: string | undefined) => A | undefined) =>
    (...names: Names): Reader<A> => {
      const place = find(names)
      return (cells) => (place === undefined ? undefined : read(cells[place]))
    }
  return {
    text: reader(text),
    number: reader(number),
    count: reader(count),
    money: reader((cell) => Amounts.decimal(number(cell))),
    item: reader(item),
    day: reader(day),
    flag: reader(flag),
    hours: reader((cell) => Sentinels.hours(number(cell))),
    lost: reader((cell) => Sentinels.lost(number(cell))),
    lostSum: reader((cell) => Sentinels.lostSum(number(cell)))
  }
}

const text = (cell: string | undefined): string | undefined => {
  const plain = cell?.trim()
  return plain === "" ? undefined : plain
}

/** A number of people: a decimal comma or point, blanks between thousands, a percent sign after it. */
export const number = (cell: string | undefined): number | undefined => {
  const plain = cell
    ?.replace(/[\s\u00A0\u202F"']/g, "")
    .replace(/%$/, "")
    .replace("−", "-")
  if (plain === undefined || !/^[+-]?\d{1,15}([.,]\d{1,10})?$/.test(plain)) return undefined
  return Number(plain.replace(",", "."))
}

const count = (cell: string | undefined): number | undefined => {
  const value = number(cell)
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined
}

const item = (cell: string | undefined): ItemId | undefined => {
  const value = count(cell)
  return value !== undefined && value > 0 ? ItemId.make(value) : undefined
}

const day = (cell: string | undefined): Days.Day | undefined => {
  const [plain] = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(cell?.trim() ?? "") ?? []
  return plain === undefined ? undefined : Days.parse(plain)
}

const yes: ReadonlySet<string> = new Set(["true", "1", "yes", "да"])
const no: ReadonlySet<string> = new Set(["false", "0", "no", "нет"])

const flag = (cell: string | undefined): boolean | undefined => {
  const plain = cell?.trim().toLowerCase() ?? ""
  return yes.has(plain) ? true : no.has(plain) ? false : undefined
}
