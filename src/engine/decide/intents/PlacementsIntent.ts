/** `placements`: where a campaign is shown. */
import * as Reason from "../../../domain/Reason.js"
import * as Placements from "../../kinds/Placements.js"
import type { Action } from "../../language/Policy.js"
import { type Ground, type Intent, type Outcome, restrains, stay, targetOf, undecided } from "./Intent.js"

type PlacementsAction = Extract<Action, { readonly _tag: "Placements" }>

export const of = (ground: Ground, action: PlacementsAction): Intent => {
  const target = { campaignId: targetOf(ground).campaignId }
  return { ground, target, slot: Placements.slot(target), outcome: outcome(ground, action) }
}

/** Custom bids paid per 1000 impressions only (seed 001, `auction/placements`). */
const outcome = (ground: Ground, action: PlacementsAction): Outcome => {
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
  const before = Placements.text(now.search, now.recommendations)
  const after = Placements.text(wanted.search, wanted.recommendations)
  if (before === after) return stay(`already shown in: ${after}`, votes)
  if (after === "nowhere") {
    return stay("the campaign would be shown nowhere; to stop it, pause it", votes)
  }
  const adds = (wanted.search && !now.search) || (wanted.recommendations && !now.recommendations)
  return {
    _tag: "Move",
    dearer: adds,
    setting: {
      before,
      after,
      kind: Placements.name,
      details: {},
      clamps: [],
      reversible: Placements.kind.irreversible?.({ before }) === undefined
    }
  }
}

const shows = (cell: ReturnType<Ground["table"]["get"]>): boolean =>
  cell._tag === "Known" && (cell.value === true || cell.value === 1)
