/** Groups of changes that go whole or not at all. Whoever takes a change out of a list asks here what must stay with it. */
import type { Change } from "./Change.js"
import type { Group } from "./Kind.js"
import * as Kinds from "./Kinds.js"

/** Members of one group that are in a list; fewer than its size when some are missing. */
export interface Members extends Group {
  readonly changes: ReadonlyArray<Change>
}

/** The groups of a list, in the order in which they first come. */
export const groups = (changes: ReadonlyArray<Change>): ReadonlyArray<Members> => {
  const found = new Map<string, { readonly size: number; readonly changes: Array<Change> }>()
  for (const change of changes) {
    const group = groupOf(change)
    if (group === undefined) continue
    const known = found.get(group.key)
    if (known === undefined) found.set(group.key, { size: group.size, changes: [change] })
    else known.changes.push(change)
  }
  return [...found].map(([key, one]) => ({ key, ...one }))
}

/** The groups of a list of which some are missing. */
export const parted = (changes: ReadonlyArray<Change>): ReadonlyArray<Members> =>
  groups(changes).filter(({ changes: own, size }) => own.length < size)

/** The list without what is left of groups of which some are missing. */
export const only = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const broken = new Set(parted(changes).flatMap((group) => group.changes))
  return broken.size === 0 ? changes : changes.filter((change) => !broken.has(change))
}

/** The group of a change; undefined for one that goes alone. */
export const groupOf = (change: Change): Group | undefined => Kinds.of(change).whole?.(change)
