/** `placements`: where a campaign is shown. */
import * as Reason from "../../domain/Reason.js"
import type { Action } from "../language/Policy.js"
import { type Ground, type Intent, type Outcome, restrains, stay, targetOf, undecided } from "./Intent.js"
import * as Slot from "./Slot.js"

type Placements = Extract<Action, { readonly _tag: "Placements" }>

export const of = (ground: Ground, action: Placements): Intent => {
  const target = { campaignId: targetOf(ground).campaignId }
  return { ground, target, slot: Slot.placements(target), outcome: outcome(ground, action) }
}

/** `search, recommendations`, one of the two, or `nowhere`: the value that plans and the journal show. */
export const text = (search: boolean, recommendations: boolean): string =>
  [...(search ? ["search"] : []), ...(recommendations ? ["recommendations"] : [])].join(", ") || "nowhere"

/** Custom bids paid per 1000 impressions only (seed 001, `auction/placements`). */
const outcome = (ground: Ground, action: Placements): Outcome => {
  const votes = restrains(ground)
  const facts = {
    status: ground.table.get(ground.row, "campaign.status"),
    payment: ground.table.get(ground.row, "campaign.payment"),
    bid_type: ground.table.get(ground.row, "campaign.bid_type"),
    search: ground.table.get(ground.row, "campaign.search"),
    recommendations: ground.table.get(ground.row, "campaign.recommendations")
  }
  for (const [name, cell] of Object.entries(facts)) {
    if (cell._tag === "Unknown") {
      return undecided(`campaign.${name} is unknown: ${Reason.explain[cell.reason]}`, votes)
    }
  }
  const is = (name: keyof typeof facts, value: unknown) =>
    facts[name]._tag === "Known" && facts[name].value === value
  if (!["ready", "active", "paused"].some((status) => is("status", status))) {
    return stay("the campaign is in a status that takes no changes", false)
  }
  if (!is("payment", "cpm") || !is("bid_type", "manual")) {
    return stay("only campaigns with custom bids paid per 1000 impressions have placements to set", false)
  }
  const now = { search: shows(facts.search), recommendations: shows(facts.recommendations) }
  const wanted = {
    search: action.search ?? now.search,
    recommendations: action.recommendations ?? now.recommendations
  }
  const before = text(now.search, now.recommendations)
  const after = text(wanted.search, wanted.recommendations)
  if (before === after) return stay(`already shown in: ${after}`, votes)
  if (after === "nowhere") {
    return stay("the campaign would be shown nowhere; to stop it, pause it", votes)
  }
  const adds = (wanted.search && !now.search) || (wanted.recommendations && !now.recommendations)
  return {
    _tag: "Move",
    dearer: adds,
    setting: { before, after, unit: "placements", clamps: [], reversible: before !== "nowhere" }
  }
}

const shows = (cell: ReturnType<Ground["table"]["get"]>): boolean =>
  cell._tag === "Known" && (cell.value === true || cell.value === 1)
