/**
 * What a person said no to. It is held for a day, so that it counts to no limit, makes nothing pointless and is not
 * asked again. Its policy keeps the slot meanwhile, as with every hold. Pure.
 */

import * as Bids from "../../kinds/Bids.js"
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { AutoApprove } from "../../language/Mode.js"
import type { RuleSet } from "../../language/Policy.js"
import * as Inverse from "../Inverse.js"

/** So long a no holds, milliseconds. */
export const lastsMs = 86_400_000

export interface Rejection {
  readonly by: string
  readonly why: string | undefined
  /** Epoch milliseconds. */
  readonly until: number
}

/** By what was rejected, as `keyOf` names it. */
export type Rejections = ReadonlyMap<string, Rejection>

/** A slot and what it should get: anything else in the slot is asked anew. A deposit wants its sum, whatever the budget is by then. */
export const keyOf = (change: Change): string =>
  JSON.stringify([Kinds.slotOf(change), Kinds.paysOf(change)?.amount(change) ?? change.after])

/** The rejection of a change; undefined as well where nobody is asked: an overlay's end, and taking back by itself. */
export const of = (
  change: Change,
  auto: AutoApprove | undefined,
  rejections: Rejections
): Rejection | undefined => {
  const takesBack = Inverse.takesBack(change)
  if (Bids.endsOverlay(change) || (auto !== undefined && takesBack)) return undefined
  return rejections.get(keyOf(change))
}

/** The `by` of what is held by a rejection. */
export const by = "rejected"

/** Why a change is held; undefined unless its policy asks a person, who said no to it. */
export const verdict = (
  change: Change,
  {
    rejected,
    rules,
    zone
  }: { readonly rejected?: Rejections; readonly rules: RuleSet; readonly zone: string }
): HeldReason | undefined => {
  if (rejected === undefined || rejected.size === 0) return undefined
  const policy = rules.policies.find(({ id }) => id === change.origin.name)
  const found = policy?.mode === "approve" ? of(change, policy.autoApprove, rejected) : undefined
  return found === undefined ? undefined : reason(found, zone)
}

/** A rejection as the reason of what it holds. */
export const reason = ({ by: who, until, why }: Rejection, zone: string): HeldReason => ({
  code: "rejected",
  who,
  ...(why === undefined ? {} : { why }),
  until,
  zone
})
