/** A campaign that a plan pauses gets no money by the same plan: it could not spend it, and the two would fight. */
import type { Policy } from "../language/Policy.js"
import type { Change, Unchanged } from "./Plan.js"

/** Parts the deposits of campaigns that are paused from the rest. A preview never bends what is applied. */
export const part = (
  changes: ReadonlyArray<Change>,
  policies: ReadonlyArray<Policy>
): { readonly changes: ReadonlyArray<Change>; readonly overtaken: ReadonlyArray<Unchanged> } => {
  const applied = new Set<string>(policies.flatMap((policy) => (policy.mode === "apply" ? [policy.id] : [])))
  const pausedBy = new Map(
    changes.flatMap((change) =>
      change.after === "paused" ? [[change.target.campaignId, change.policy]] : []
    )
  )
  const overtakes = ({ policy, target, unit }: Change): string | undefined => {
    const by = unit === "kopecks_deposit" ? pausedBy.get(target.campaignId) : undefined
    return by !== undefined && (applied.has(by) || !applied.has(policy)) ? by : undefined
  }
  return {
    changes: changes.filter((change) => overtakes(change) === undefined),
    overtaken: changes.flatMap((change) => {
      const by = overtakes(change)
      if (by === undefined) return []
      const { campaignName, policy, target } = change
      return [{ policy, target, campaignName, why: `${by} pauses the campaign, which gets no money then` }]
    })
  }
}
