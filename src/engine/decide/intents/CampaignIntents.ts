/** What rules want of a campaign as a whole: `pause` and `start`, `placements`, and `deposit`. */
import type { Reason } from "../../../domain/Reason.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Deposit from "../../kinds/Deposit.js"
import * as Placements from "../../kinds/Placements.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"
import { acts } from "../../language/Mode.js"
import { type Action, tiers } from "../../language/Policy.js"
import {
  dayAsked,
  type Ground,
  type Intent,
  type Outcome,
  restrains,
  stay,
  targetOf,
  undecided
} from "./Intent.js"

type Named<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

/** The status of a campaign. */
export const status = (ground: Ground, action: "Pause" | "Start"): Intent =>
  ofCampaign(ground, Status.slot, statusOutcome(ground, action))

/** Where a campaign is shown. */
export const placements = (ground: Ground, action: Named<"Placements">): Intent =>
  ofCampaign(ground, Placements.slot, placementsOutcome(ground, action))

/** Money for a campaign, never more than is known to be there. */
export const deposit = (ground: Ground, action: Named<"Deposit">): Intent =>
  ofCampaign(ground, Deposit.slot, depositOutcome(ground, action))

const ofCampaign = (ground: Ground, slotOf: typeof Status.slot, outcome: Outcome): Intent => {
  const target = { campaignId: targetOf(ground).campaignId }
  return { ground, target, slot: slotOf(target), outcome }
}

/** Only moves of seed 001 "States and transitions": active to paused, ready or paused to active. */
const statusOutcome = (ground: Ground, action: "Pause" | "Start"): Outcome => {
  const votes = restrains(ground)
  const status = ground.table.get(ground.row, "campaign.status")
  if (status._tag === "Unknown") return unsure("campaign.status", status.reason, votes)
  const before = String(status.value)
  const after = action === "Pause" ? "paused" : "active"
  if (before === after) return stay({ code: "status_already", status: after }, votes)
  const isAllowed = action === "Pause" ? before === "active" : before === "ready" || before === "paused"
  if (!isAllowed) return stay({ code: "status_unreachable", status: before, wanted: after }, votes)
  const above = action === "Start" && before === "paused" ? pauserAbove(ground) : undefined
  if (above !== undefined) return stay({ code: "paused_above", ...above }, votes)
  return {
    _tag: "Move",
    dearer: action === "Start",
    // A campaign that has run cannot become "ready" again.
    setting: {
      before,
      after,
      kind: Status.name,
      details: action === "Pause" ? Status.pausing(dayAsked(ground), ground.policy.tier) : {},
      clamps: [],
      reversible: before !== "ready"
    }
  }
}

/** Custom bids paid per 1000 impressions only (seed 001, `auction/placements`). */
const placementsOutcome = (ground: Ground, action: Named<"Placements">): Outcome => {
  const votes = restrains(ground)
  const facts = {
    status: ground.table.get(ground.row, "campaign.status"),
    payment: ground.table.get(ground.row, "campaign.payment"),
    bid_type: ground.table.get(ground.row, "campaign.bid_type"),
    search: ground.table.get(ground.row, "campaign.search"),
    recommendations: ground.table.get(ground.row, "campaign.recommendations")
  }
  for (const [name, cell] of Object.entries(facts))
    if (cell._tag === "Unknown") return unsure(`campaign.${name}`, cell.reason, votes)
  const is = (name: keyof typeof facts, value: unknown) =>
    facts[name]._tag === "Known" && facts[name].value === value
  if (!["ready", "active", "paused"].some((status) => is("status", status))) {
    return stay({ code: "placements_closed" }, false)
  }
  if (!is("payment", "cpm") || !is("bid_type", "manual")) {
    return stay({ code: "no_placements" }, false)
  }
  const now = { search: shows(facts.search), recommendations: shows(facts.recommendations) }
  const wanted = {
    search: action.search ?? now.search,
    recommendations: action.recommendations ?? now.recommendations
  }
  const before = Placements.text(now.search, now.recommendations)
  const after = Placements.text(wanted.search, wanted.recommendations)
  if (before === after) return stay({ code: "placements_already", shown: after }, votes)
  if (after === "nowhere") {
    return stay({ code: "shown_nowhere" }, votes)
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
      reversible: Placements.kind.irreversible?.({ before, details: {} }) === undefined
    }
  }
}

const shows = (cell: ReturnType<Ground["table"]["get"]>): boolean =>
  cell._tag === "Known" && (cell.value === true || cell.value === 1)

/** Deposits are taken in statuses ready, active and paused only (seed 001 "States and transitions"). */
const depositOutcome = (ground: Ground, { amountRoubles, from }: Named<"Deposit">): Outcome => {
  const status = ground.table.get(ground.row, "campaign.status")
  if (status._tag === "Unknown") return unsure("campaign.status", status.reason, false)
  if (!["ready", "active", "paused"].includes(String(status.value))) {
    return stay({ code: "deposits_closed", status: String(status.value) }, false)
  }
  const pausedBy = status.value === "paused" ? pauseOf(ground)?.policy : undefined
  if (pausedBy !== undefined) return stay({ code: "paused_by", policy: pausedBy }, false)
  const budget = amount(ground, "campaign.budget")
  if (typeof budget !== "number") return budget
  const source = Vocabulary.balanceOf[from]
  const balance = amount(ground, source)
  if (typeof balance !== "number") return balance
  const kopecks = amountRoubles * 100
  if (balance < kopecks) {
    const needed = { balance: nameOf(source), kopecks: balance, neededKopecks: kopecks }
    return stay({ code: "balance_too_low", ...needed }, false)
  }
  return {
    _tag: "Move",
    dearer: true,
    setting: {
      before: budget,
      after: budget + kopecks,
      kind: Deposit.name,
      clamps: [],
      reversible: false,
      details: { from, balanceKopecks: balance, status: String(status.value) }
    }
  }
}

/** The pause of a policy that still stands: what a plan would refuse beside that pause, no later plan does either. */
const pauseOf = (ground: Ground): SlotHistory["ours"] => {
  const ours = ground.slots.get(Status.slot({ campaignId: targetOf(ground).campaignId }))?.ours
  return ours?.after === "paused" ? ours : undefined
}

/** The policy of a higher tier whose pause still stands: in one plan it would win, and so it does when it is not due, or its file has another name. */
const pauserAbove = (ground: Ground) => {
  const pause = pauseOf(ground)
  const policy = ground.rules.policies.find(({ id }) => id === pause?.policy)
  const tier = policy?.tier ?? pause?.tier
  if (pause === undefined || tier === undefined || (policy !== undefined && !acts(policy))) return undefined
  if (tiers.indexOf(tier) >= tiers.indexOf(ground.policy.tier)) return undefined
  const takesBack = policy?.rules.some(({ action }) => action._tag === "Revert") === true
  return { policy: pause.policy, tier, takesBack }
}

const amount = (ground: Ground, id: string): number | Outcome => {
  const cell = ground.table.get(ground.row, id)
  if (cell._tag === "Unknown") return unsure(id, cell.reason, false)
  return Number.isSafeInteger(cell.value)
    ? Number(cell.value)
    : undecided(
        { code: "fact_malformed", fact: nameOf(id), value: String(cell.value), wanted: "a whole amount" },
        false
      )
}

const unsure = (id: string, reason: Reason, votes: boolean): Outcome =>
  undecided({ code: "fact_unknown", fact: nameOf(id), reason }, votes)

/** As rules write it. */
const nameOf = (id: string): string => Vocabulary.byFactId(id)?.word ?? id
