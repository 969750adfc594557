/** Invariant 16, by the rules and the ledger alone: nothing is written that no policy which applies could want. */
import type { Action } from "../../../src/engine/language/Policy.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import type { Observed, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

/** Of bids nothing is said: an overlay ends though its policy is gone. */
const wanting: Partial<Record<Ledger.Slot, ReadonlyArray<Action["_tag"]>>> = {
  budget: ["Deposit"],
  status: ["Pause", "Start", "Revert"],
  placements: ["Placements", "Revert"],
  minus: ["AddMinus", "RemoveMinus", "Revert", "Optimise"]
}

export const byNobody = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap(({ cycle, entry }) => {
    const actions = wanting[entry.slot]
    if (actions === undefined || cycle === undefined || cycle.kind !== "schedule") return []
    const isWanted = cycle.rules.policies.some(
      ({ mode, rules }) => mode === "apply" && rules.some(({ action }) => actions.includes(action._tag))
    )
    const what = `${Effects.place(entry)} was written, and no policy that applies has ${actions.join(" or ")}`
    return isWanted ? [] : [{ invariant: 16, at: entry.at, what, entries: [entry.seq] }]
  })
