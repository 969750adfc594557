/** Changes that another change of the same plan makes pointless, or would have the marketplace refuse. */

import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import { acts } from "../../language/Mode.js"
import type { Policy } from "../../language/Policy.js"
import * as Inverse from "../Inverse.js"
import type { Unchanged } from "../Plan.js"

export interface Parted {
  readonly changes: ReadonlyArray<Change>
  readonly overtaken: ReadonlyArray<Unchanged>
}

/** Parts what others overtake from the rest. A preview never bends what is applied. */
export const part = (changes: ReadonlyArray<Change>, policies: ReadonlyArray<Policy>): Parted => {
  const applied = new Set<string>(policies.flatMap((policy) => (acts(policy) ? [policy.id] : [])))
  const overtakers = new Map<string, { readonly by: string; readonly why: string }>()
  for (const change of changes) {
    const found = Kinds.of(change).overtakes?.(change)
    if (found !== undefined) overtakers.set(found.what, { by: change.policy, why: found.why(change.policy) })
  }
  const overtaken: Array<Unchanged> = []
  const left = changes.filter((change) => {
    const what = Kinds.of(change).yieldsTo?.(change)
    const over = what === undefined ? undefined : overtakers.get(what)
    if (over === undefined || Inverse.isByPerson(change)) return true
    if (!applied.has(over.by) && applied.has(change.policy)) return true
    const { campaignName, policy, target } = change
    overtaken.push({ policy, target, campaignName, why: over.why })
    return false
  })
  return { changes: left, overtaken }
}
