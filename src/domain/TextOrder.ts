/** Order by code units, the same on every machine: what is emitted is sorted by it. */

type Key = string | number

export const compare = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0)

/** By one of their fields. */
export const by =
  <A>(key: (one: A) => Key) =>
  (a: A, b: A): number =>
    compare(key(a), key(b))

/** Entries of a map or record by their keys. */
export const byKey = (
  [a]: readonly [Key, ...ReadonlyArray<unknown>],
  [b]: readonly [Key, ...ReadonlyArray<unknown>]
): number => compare(a, b)
