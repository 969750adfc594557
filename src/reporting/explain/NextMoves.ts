/** The earliest next move of what a rule would change: after the change of the plan, or after the last one made. */
import * as Target from "../../domain/Target.js"
import * as NextMove from "../../engine/decide/NextMove.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as ClusterBid from "../../engine/kinds/ClusterBid.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import * as ItemBid from "../../engine/kinds/ItemBid.js"
import * as MinusPhrase from "../../engine/kinds/MinusPhrase.js"
import * as Placements from "../../engine/kinds/Placements.js"
import type { SlotHistory } from "../../engine/kinds/SlotHistory.js"
import * as Status from "../../engine/kinds/Status.js"
import type { Action, Policy } from "../../engine/language/Policy.js"
import * as Waiting from "./Waiting.js"

interface Known {
  readonly zone: string
  readonly plan: { readonly createdAt: string }
  readonly slots: ReadonlyMap<string, SlotHistory>
}

/** Undefined when nothing but the conditions stands in its way, and for overlays, whose time alone counts. */
export const of = (
  { plan, slots, zone }: Known,
  policy: Policy,
  rule: number,
  row: Target.Subject,
  change: Change | undefined
): Waiting.Waiting | undefined => {
  const action = policy.rules[rule]?.action
  const target = Target.ofSubject(row)
  if (
    action === undefined ||
    target === undefined ||
    action._tag === "AdjustBid" ||
    action._tag === "Revert"
  ) {
    return undefined
  }
  const nowMs = Date.parse(plan.createdAt)
  const last = change === undefined ? lastAppliedAt(slotsOf(action, target, policy), slots) : nowMs
  if (last === undefined) return undefined
  return Waiting.of(NextMove.after(policy, rule, last, isBid(action)), nowMs, zone)
}

const lastAppliedAt = (
  keys: ReadonlyArray<string>,
  slots: ReadonlyMap<string, SlotHistory>
): number | undefined => {
  const instants = keys.flatMap((key) => slots.get(key)?.lastAppliedAt ?? [])
  return instants.length === 0 ? undefined : Math.max(...instants)
}

const isBid = ({ _tag }: Action): boolean => _tag === "RaiseBid" || _tag === "LowerBid" || _tag === "SetBid"

/** Which bid of an item it is, the campaign says; only one of these has a history with a rule. */
const slotsOf = (action: Action, target: Target.Target, { each }: Policy): ReadonlyArray<string> => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return each === "cluster"
        ? [ClusterBid.slot(target)]
        : [ItemBid.slot(target, "combined"), ItemBid.slot(target, action.placement)]
    case "AddMinus":
    case "RemoveMinus":
      return [MinusPhrase.slot(target)]
    case "Pause":
    case "Start":
      return [Status.slot(target)]
    case "Deposit":
      return [Deposit.slot(target)]
    case "Placements":
      return [Placements.slot(target)]
    case "AdjustBid":
    case "Notify":
    case "Revert":
      return []
  }
}
