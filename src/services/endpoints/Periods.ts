/**
 * Shapes that the operations of seed 002 share ("Common request objects"): periods, sorting, filters, metric pairs.
 * Days are Moscow days (field note A05). How far back a period may reach depends on today, so the areas check it.
 */
import type * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Days from "../../domain/Days.js"
import { ItemId } from "../../domain/Ids.js"
import { Day, maybe, number, spanWithin, text, upTo } from "./Shapes.js"

/** `{start, end}`, both days included, in order. */
export const Period = Schema.Struct({ start: Day, end: Day })
  .pipe(
    Schema.filter(({ start, end }) => start <= end || `the period ends on ${end}, before its start ${start}`)
  )
  .annotations({ arbitrary: () => arbitraryUpTo(30) })
export type Period = typeof Period.Type

/** A period that counts at most so many days. */
export const periodUpTo = (maxDays: number) =>
  Schema.Struct({ start: Day, end: Day })
    .pipe(Schema.filter(({ start, end }) => spanWithin(start, end, maxDays)))
    .annotations({ arbitrary: () => arbitraryUpTo(maxDays) })

/** A period in the words of the wire. */
export const ofRange = (days: Days.DayRange): Period => ({ start: days.from, end: days.to })

/** A period as an answer tells it. */
export const AnsweredPeriod = Schema.Struct({ start: text, end: text })

/** Number of days of a period. */
const daysOf = ({ start, end }: Period): number => Days.length({ from: start, to: end })

/** True unless a past period is given and longer than the current one. */
export const pastNotLonger = (current: Period, past: Period | undefined): true | string =>
  past === undefined ||
  daysOf(past) <= daysOf(current) ||
  `pastPeriod has ${daysOf(past)} days; it may have at most the ${daysOf(current)} of the current period`

/** True unless a past period is given and its length differs from the current one. */
export const pastAsLong = (current: Period, past: Period | undefined): true | string =>
  past === undefined ||
  daysOf(past) === daysOf(current) ||
  `pastPeriod has ${daysOf(past)} days; it must have the ${daysOf(current)} of selectedPeriod`

const Mode = Schema.Literal("asc", "desc")
type Mode = typeof Mode.Type

/**
 * A field to sort by. The seed leaves the values open and not-shown §7.1 names those known now, so these are listed
 * and any other text passes; the areas offer the known ones only.
 */
const sortField = <const F extends readonly [string, ...Array<string>]>(known: F) =>
  Schema.Union(Schema.Literal(...known), Schema.NonEmptyString)

/** `{field, mode}`. */
export const orderBy = <const F extends readonly [string, ...Array<string>]>(known: F) =>
  Schema.Struct({ field: sortField(known), mode: Mode })

/** What an area takes to sort by. */
export interface Sort<F extends string> {
  readonly field: F
  readonly mode: Mode
}

/** Number of a subcategory or label in a filter; 0 means all where one value is taken. */
export const FilterId = Schema.NonNegativeInt

/** Filters by lists; an empty or missing one means everything. Mind the spelling of the operation (field note A16). */
export const filters = (max?: number) => {
  const of = <A, I>(item: Schema.Schema<A, I>) =>
    Schema.optional(max === undefined ? Schema.Array(item) : upTo(item, max))
  return { subjectIds: of(FilterId), brandNames: of(Schema.String), tagIds: of(FilterId) }
}

/** `nmIds`, at most so many; empty or missing means all items. */
export const nmIds = (max?: number) => ({
  nmIds: Schema.optional(max === undefined ? Schema.Array(ItemId) : upTo(ItemId, max))
})

/** Rows of a page, 1 to `max`, and the first of them. */
export const limitUpTo = (max: number) => Schema.Int.pipe(Schema.between(1, max))
export const Offset = Schema.NonNegativeInt

/** `{current, dynamics}`; without a past period there are no dynamics (A12). */
const pair = { current: number, dynamics: number }
export const Pair = Schema.Struct(pair)
export type Pair = typeof Pair.Type

/** A pair that also tells the share of competitors that do worse, percent. */
export const RankedPair = Schema.Struct({ ...pair, percentile: number })
export type RankedPair = typeof RankedPair.Type

/** `{minPrice, maxPrice}`, base units. */
export const PriceSpan = Schema.Struct({ minPrice: number, maxPrice: number })

/** A field of an answer that is such a pair. */
export const paired = maybe(Pair)
export const ranked = maybe(RankedPair)

const arbitraryUpTo =
  (maxDays: number): Arbitrary.LazyArbitrary<{ readonly start: Days.Day; readonly end: Days.Day }> =>
  (fc) =>
    fc
      .tuple(fc.integer({ min: 20_000, max: 20_700 }), fc.integer({ min: 0, max: maxDays - 1 }))
      .map(([day, more]) => {
        const start = Days.shift(Days.Day("1970-01-01"), day)
        return { start, end: Days.shift(start, more) }
      })
