/** `pause` and `start`: the status of a campaign. */
import * as Reason from "../../../domain/Reason.js"
import * as Status from "../../kinds/Status.js"
import { type Ground, type Intent, type Outcome, restrains, stay, targetOf, undecided } from "./Intent.js"

export const of = (ground: Ground, action: "Pause" | "Start"): Intent => {
  const target = { campaignId: targetOf(ground).campaignId }
  return { ground, target, slot: Status.slot(target), outcome: outcome(ground, action) }
}

/** Only moves of seed 001 "States and transitions": active to paused, ready or paused to active. */
const outcome = (ground: Ground, action: "Pause" | "Start"): Outcome => {
  const votes = restrains(ground)
  const status = ground.table.get(ground.row, "campaign.status")
  if (status._tag === "Unknown") {
    return undecided(`campaign.status is unknown: ${Reason.explain[status.reason]}`, votes)
  }
  const before = String(status.value)
  const after = action === "Pause" ? "paused" : "active"
  if (before === after) return stay(`already ${after}`, votes)
  const isAllowed = action === "Pause" ? before === "active" : before === "ready" || before === "paused"
  if (!isAllowed) return stay(`a campaign that is ${before} cannot become ${after}`, votes)
  return {
    _tag: "Move",
    dearer: action === "Start",
    // A campaign that has run cannot become "ready" again.
    setting: { before, after, kind: Status.name, details: {}, clamps: [], reversible: before !== "ready" }
  }
}
