/**
 * Long periods through operations that take short ones: a range of Moscow days (field note A05) is cut into windows,
 * and what the windows answered is joined again, each row once. Pure.
 */
import * as Days from "../domain/Days.js"

/**
 * Windows of at most `maxDays` days, oldest first: no day is left out and none is in two. A range that ends before it
 * begins has none.
 */
export const cut = (range: Days.DayRange, maxDays: number): ReadonlyArray<Days.DayRange> => {
  const length = Days.length(range)
  const windows = Math.max(0, Math.ceil(length / Math.max(1, maxDays)))
  return Array.from({ length: windows }, (_, nth) => {
    const from = Days.shift(range.from, nth * Math.max(1, maxDays))
    const last = Days.shift(from, Math.max(1, maxDays) - 1)
    return { from, to: last < range.to ? last : range.to }
  })
}

/** The days that both ranges hold; undefined when there are none. */
export const overlap = (a: Days.DayRange, b: Days.DayRange): Days.DayRange | undefined => {
  const from = a.from > b.from ? a.from : b.from
  const to = a.to < b.to ? a.to : b.to
  return from <= to ? { from, to } : undefined
}

/** The span of equal length just before a range. */
export const preceding = (range: Days.DayRange): Days.DayRange => {
  const length = Days.length(range)
  return { from: Days.shift(range.from, -length), to: Days.shift(range.from, -1) }
}

/** The rows of all windows in their order; of rows with one key the first stays. */
export const join = <V>(
  windows: Iterable<Iterable<V>>,
  key: (row: V) => string | number
): ReadonlyArray<V> => {
  const rows = new Map<string | number, V>()
  for (const window of windows) {
    for (const row of window) if (!rows.has(key(row))) rows.set(key(row), row)
  }
  return [...rows.values()]
}
