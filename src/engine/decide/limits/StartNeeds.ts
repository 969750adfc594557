/**
 * What the marketplace asks of a campaign before it starts it: a budget (seed 001 "States and transitions": "budget
 * sufficient; top up first otherwise"). Without any it refuses, however often it is asked.
 */

import type { CampaignId } from "../../../domain/Ids.js"
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"

/** Kopecks by campaign; a campaign whose budget could not be read is left out, and then the marketplace says. */
export type Budgets = ReadonlyMap<CampaignId, number>

/** Campaigns that changes would start, each once. */
export const startsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<CampaignId> => [
  ...new Set(changes.filter(isStart).flatMap(({ subject }) => subject.campaignId ?? []))
]

/** True when the marketplace would refuse to start the change's campaign, whose budget is empty. */
export const lacks = (change: Change, budgets: Budgets): boolean => {
  const { campaignId } = change.subject
  const kopecks = campaignId !== undefined && isStart(change) ? budgets.get(campaignId) : undefined
  return kopecks !== undefined && kopecks < leastKopecks
}

/** The same as a limit that holds the change. */
export const verdict = (change: Change, budgets: Budgets): HeldReason | undefined =>
  lacks(change, budgets) ? { code: "budget_empty" } : undefined

/** One rouble: budgets are whole base units. */
export const leastKopecks = 100

const isStart = (change: Change): boolean => Kinds.switches(change) === "on"
