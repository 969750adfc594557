/** What report rows are compared with, and how they are ordered: how a number changed against the past period. */
import * as Either from "effect/Either"
import { type Refusal, refuse } from "../Answer.js"

/** Whole percent of change; from nothing to something is 100. */
export const percent = (current: number, past: number): number =>
  past === 0 ? (current === 0 ? 0 : 100) : Math.round(((current - past) / Math.abs(past)) * 100)

/** Whole percent of a part (field note A08: percentages are whole numbers). */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 100)

/** A metric with its change; `dynamics` is left out without a past period (field note A12). */
export const pair = (current: number, past: number | undefined) => ({
  current,
  ...(past === undefined ? {} : { dynamics: percent(current, past) })
})

export const round2 = (value: number): number => Math.round(value * 100) / 100

/** Whole roubles of kopecks, as analytics prints money (field notes, "Units at a glance"). */
export const wholeRoubles = (kopecks: number): number => Math.round(kopecks / 100)

// Order and paging of report rows: by the asked field, ties by item number, so that pages never overlap.

export interface OrderBy {
  readonly field: string
  readonly mode: string
}

/** How a field is read from a row; the names are those of not-shown §7.1. */
export type Fields<A> = Readonly<Record<string, (row: A) => number>>

/** Sorts by a field both known to the report and named in the request; any other is refused. */
export const sorted = <A>(
  rows: ReadonlyArray<A>,
  orderBy: OrderBy,
  fields: Fields<A>,
  idOf: (row: A) => number
): Either.Either<ReadonlyArray<A>, Refusal> => {
  const read = Object.hasOwn(fields, orderBy.field) ? fields[orderBy.field] : undefined
  if (read === undefined) return Either.left(refuse(400, `orderBy.field: unknown value ${orderBy.field}`))
  if (orderBy.mode !== "asc" && orderBy.mode !== "desc")
    return Either.left(refuse(400, `orderBy.mode: unknown value ${orderBy.mode}`))
  const sign = orderBy.mode === "asc" ? 1 : -1
  const keyed = rows.map((row) => ({ row, key: read(row), id: idOf(row) }))
  keyed.sort((a, b) => sign * (a.key - b.key) || a.id - b.id)
  return Either.right(keyed.map(({ row }) => row))
}

export const page = <A>(rows: ReadonlyArray<A>, offset: number, limit: number): ReadonlyArray<A> =>
  rows.slice(offset, offset + limit)
