/** Rows that have something in common, together. */
import type * as Arr from "effect/Array"

/** By their keys, in the order in which these first come; a record as `Array.groupBy` makes it puts numbers first. */
export const by = <A, K>(rows: Iterable<A>, key: (row: A) => K): Map<K, Arr.NonEmptyArray<A>> => {
  const groups = new Map<K, Arr.NonEmptyArray<A>>()
  for (const row of rows) add(groups, key(row), row)
  return groups
}

/** Puts one more into the groups that there are. */
export const add = <A, K>(groups: Map<K, Arr.NonEmptyArray<A>>, key: K, row: A): void => {
  const own = groups.get(key)
  if (own === undefined) groups.set(key, [row])
  else own.push(row)
}
