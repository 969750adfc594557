/**
 * The cheapest set of items that reaches a tier. A tier asks for a number of items, whichever they are.
 *
 * Let S be any set of at least `needed` items. An item outside of it that costs nothing or less may join: S becomes no
 * dearer. An item of S that costs something may leave while more than `needed` are in: S becomes cheaper. Then an item of
 * S may change places with a cheaper one outside: no dearer, and as many. What admits none of these moves is the start of
 * the list sorted by cost: all that cost nothing or less, and at least `needed`. So no set is cheaper. Pure.
 */
import * as TextOrder from "../../../domain/TextOrder.js"

export interface Candidate {
  readonly itemId: number
  /** Whole kopecks a day; below zero for what earns by joining. */
  readonly costKopecks: number
}

export interface Tier {
  /** Further items that reach it, at least one. */
  readonly needed: number
  readonly mostKopecks?: number | undefined
}

/** `items` and `kopecks` are those of the cheapest set. */
export type Choice<C extends Candidate> =
  | { readonly _tag: "Set"; readonly items: ReadonlyArray<C>; readonly kopecks: number }
  | { readonly _tag: "TooDear"; readonly items: number; readonly kopecks: number }
  | { readonly _tag: "TooFew" }

/** Of equal costs the smaller item number goes first: equal candidates in any order give equal sets. */
export const choose = <C extends Candidate>(
  candidates: ReadonlyArray<C>,
  { mostKopecks, needed }: Tier
): Choice<C> => {
  if (candidates.length < needed) return { _tag: "TooFew" }
  const sorted = candidates.toSorted(
    (a, b) => TextOrder.compare(a.costKopecks, b.costKopecks) || TextOrder.compare(a.itemId, b.itemId)
  )
  const dear = sorted.findIndex(({ costKopecks }) => costKopecks > 0)
  const items = sorted.slice(0, Math.max(needed, dear === -1 ? sorted.length : dear))
  const kopecks = items.reduce((sum, { costKopecks }) => sum + costKopecks, 0)
  return mostKopecks !== undefined && kopecks > mostKopecks
    ? { _tag: "TooDear", items: items.length, kopecks }
    : { _tag: "Set", items, kopecks }
}
