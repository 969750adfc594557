/**
 * A cluster that a plan makes a minus phrase keeps its bid: it will not be shown, and the marketplace refuses the bid
 * of a minus phrase together with everything that travels with it (field note M12).
 */
import * as Target from "../../domain/Target.js"
import type { Policy } from "../language/Policy.js"
import type { Change, Unchanged } from "./Plan.js"

/** Parts the bids of clusters that become minus phrases from the rest. A preview never bends what is applied. */
export const part = (
  changes: ReadonlyArray<Change>,
  policies: ReadonlyArray<Policy>
): { readonly changes: ReadonlyArray<Change>; readonly overtaken: ReadonlyArray<Unchanged> } => {
  const applied = new Set<string>(policies.flatMap((policy) => (policy.mode === "apply" ? [policy.id] : [])))
  const minusBy = new Map(
    changes
      .filter((change) => change.action === "add_minus")
      .map((change) => [Target.key(change.target), change.policy])
  )
  const overtakes = (change: Change): string | undefined => {
    const by = change.placement === "cluster" ? minusBy.get(Target.key(change.target)) : undefined
    return by !== undefined && (applied.has(by) || !applied.has(change.policy)) ? by : undefined
  }
  return {
    changes: changes.filter((change) => overtakes(change) === undefined),
    overtaken: changes.flatMap((change) => {
      const by = overtakes(change)
      if (by === undefined) return []
      const { campaignName, policy, target } = change
      return [{ policy, target, campaignName, why: `${by} makes it a minus phrase, which takes no bid` }]
    })
  }
}
