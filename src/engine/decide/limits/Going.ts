/** How a change goes: at once, once a person was asked, or only on paper; and alone, or with all others of its rule. Pure. */
import * as Bids from "../../kinds/Bids.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import { acts } from "../../language/Mode.js"
import { optimises, type Policy, type RuleSet } from "../../language/Policy.js"
import * as Inverse from "../Inverse.js"

/** In the order in which they take their part of numbers and sums. */
export const turns = ["at once", "asked", "shown"] as const
export type Turn = (typeof turns)[number]

export const turnOf = (change: Change, rules: RuleSet): Turn => {
  if (Inverse.isByPerson(change)) return "at once"
  const policy = policyOf(change, rules)
  if (policy === undefined || !acts(policy)) return "shown"
  return policy.mode === "apply" ? "at once" : "asked"
}

/**
 * As `turnOf`, but at once for what goes by itself although its policy asks a person (`Risk`): the end of an overlay, and what takes
 * back where a bid may move so.
 */
export const wayOf = (change: Change, rules: RuleSet): Turn => {
  const policy = policyOf(change, rules)
  const isSmall = policy?.mode === "approve" && policy.autoApprove !== undefined && Inverse.takesBack(change)
  return isSmall || Bids.endsOverlay(change) ? "at once" : turnOf(change, rules)
}

/** A decision about one bid or cluster, or one that takes back, of which a part of several is worth something (decision 0115). */
export const goesAlone = (change: Change, rules: RuleSet): boolean => {
  if (Kinds.isSteered(change) || Inverse.takesBack(change)) return true
  const policy = policyOf(change, rules)
  return policy !== undefined && (policy.limits.excess === "worst_first" || optimises(policy))
}

/** Whose change it is; undefined for one of no policy of the rules. */
export const policyOf = (change: Change, rules: RuleSet): Policy | undefined =>
  rules.policies.find((policy) => policy.id === change.origin.name)
