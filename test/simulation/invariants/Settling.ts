/**
 * Invariant 9: a bid is not moved again on the statistics that moved it: days that are over say nothing new until the
 * next one is. 18: so nothing else of a policy that looks at such days alone is done twice to a place in a day.
 */

import * as Inverse from "../../../src/engine/decide/Inverse.js"
import * as FactRefs from "../../../src/engine/facts/FactRefs.js"
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Cycle, Observed, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as MachineClock from "./MachineClock.js"

interface Last {
  readonly day: number
  readonly at: number
  /** The policy as it was written then: the seller may have rewritten it since. */
  readonly policy: string
}

export const onNews = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  const others = Effects.byOthers(observed)
  const last = new Map<string, Last>()
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    if (JSON.stringify(entry.before) === JSON.stringify(entry.after)) return []
    return rows(effect).flatMap((row): ReadonlyArray<Violation> => {
      const change = Effects.changeOf(row)
      // None of these needs news, and none uses it up.
      if (change.undoes !== undefined || Bids.overlayOf(change) !== undefined || Inverse.isRevert(change))
        return []
      const key = `${row.slot} ${entry.slot}`
      const before = last.get(key)
      const day = MachineClock.dayOf(observed, entry.at)
      const written = cycle?.plan?.policies.find(({ id }) => id === row.policy)?.hash
      const policy = `${row.policy} ${written}`
      last.set(key, { day, at: entry.at, policy })
      const isBid = Effects.isBid(entry.slot)
      if (before === undefined || before.day !== day || cycle?.kind === "approve") return []
      if (!looksBack(cycle, row.policy) || (!isBid && before.policy !== policy)) return []
      const isMixed = others.some(
        (other) => Effects.place(other) === Effects.place(entry) && other.effectiveAt >= before.at - 600_000
      )
      const what = `${row.slot} was changed by ${row.policy} again, without a day that is over since`
      return isMixed ? [] : [{ invariant: isBid ? 9 : 18, at: entry.at, what, entries: [entry.seq] }]
    })
  })
}

/** The policy's first rule names figures, all of them of days that are over. */
const looksBack = (cycle: Cycle | undefined, id: string): boolean => {
  const policy = cycle?.rules.policies.find((one) => one.id === id)
  if (policy === undefined) return false
  const windows = FactRefs.ofRules(policy, 1).flatMap(({ window }) => (window === undefined ? [] : [window]))
  return windows.length > 0 && windows.every(({ _tag }) => _tag === "Last")
}
