/** The invariants of a run whose beginning is forgotten from time to time. */
import type { Observed, Violation } from "../chaos/Record.js"
import * as All from "./All.js"

const dayMs = 86_400_000

/** That every row is settled, and that the program comes to rest, can be said at the end only. */
const atTheEnd: ReadonlySet<number> = new Set([22, 27])

/** While it goes on. What a check of the first day would have to know of the day before is forgotten, so it is not judged. */
export const meanwhile = (observed: Observed): ReadonlyArray<Violation> =>
  atLast(observed).filter(({ invariant }) => !atTheEnd.has(invariant))

/** When all is over. */
export const atLast = (observed: Observed): ReadonlyArray<Violation> => {
  const { forgottenTo } = observed
  const found = All.check(observed)
  return forgottenTo === undefined ? found : found.filter(({ at }) => at >= forgottenTo + dayMs)
}
