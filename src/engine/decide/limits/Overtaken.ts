/** Changes that another change of the same plan makes pointless, or would have the marketplace refuse. */
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import { acts } from "../../language/Mode.js"
import type { Policy } from "../../language/Policy.js"
import * as Inverse from "../Inverse.js"
import type { Unchanged } from "../Plan.js"
import type * as Going from "./Going.js"

export interface Overtaken {
  readonly change: Change
  readonly over: Change
}

export interface Parted {
  readonly changes: ReadonlyArray<Change>
  readonly overtaken: ReadonlyArray<Overtaken>
}

/** Parts what others overtake from the rest. A preview never bends what is applied. */
export const part = (changes: ReadonlyArray<Change>, policies: ReadonlyArray<Policy>): Parted => {
  const applied = new Set<string>(policies.flatMap((policy) => (acts(policy) ? [policy.id] : [])))
  const overtakers = new Map<string, Change>()
  for (const change of changes) {
    const what = Kinds.of(change).overtakes?.(change)
    if (what !== undefined) overtakers.set(what, change)
  }
  const overtaken: Array<Overtaken> = []
  const left = changes.filter((change) => {
    const what = Kinds.of(change).yieldsTo?.(change)
    const over = what === undefined ? undefined : overtakers.get(what)
    if (over === undefined || Inverse.isByPerson(change)) return true
    const by = over.origin.name
    if (!applied.has(by) && applied.has(change.origin.name)) return true
    overtaken.push({ change, over })
    return false
  })
  return { changes: left, overtaken }
}

/**
 * Why each does not go, in the name of whoever makes the change that overtakes it: of those `standing`, by its slot; `wayOf` says
 * whether and how that one goes.
 */
export const told = (
  overtaken: ReadonlyArray<Overtaken>,
  standing: ReadonlyArray<Change>,
  wayOf: (change: Change) => Going.Turn | "held" | "looks"
): ReadonlyArray<Unchanged> => {
  if (overtaken.length === 0) return []
  const doers = new Map(standing.map((change) => [Kinds.slotOf(change), change]))
  return overtaken.map(({ change, over }) => {
    const { campaignName, origin, subject } = change
    const doer = doers.get(Kinds.slotOf(over)) ?? over
    const way = wayOf(doer)
    return {
      policy: origin.name,
      subject,
      campaignName,
      because: {
        code: "overtaken",
        by: doer.origin.name,
        kind: over.kind,
        ...(way === "at once" ? {} : { only: way })
      }
    }
  })
}
