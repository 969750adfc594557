/** Stopping a campaign for good (seed 001 "States and transitions", field note M33): no rule does it, and nothing starts it again. */
import type { Target } from "../../domain/Target.js"
import { campaignEnd } from "./CampaignEnd.js"
import type { Of } from "./Change.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_stop" as const
export const prefix = "campaign_stop"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

const forGood =
  "a campaign that was stopped is completed, and nothing starts it again; to halt one for a while, pause it"

export const kind: Kind<Of<typeof name>> = {
  ...campaignEnd(forGood),
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  deadlineMs: deadlines.status,
  operations: () => ["stopCampaign"],
  backwards: () => "stop"
}
