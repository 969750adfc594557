/** Stopping a campaign for good (seed 001 "States and transitions", field note M33): no rule does it, and nothing starts it again. */
import { campaignEnd } from "./CampaignEnd.js"
import type { Of } from "./Change.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_stop" as const

const forGood =
  "a campaign that was stopped is completed, and nothing starts it again; to halt one for a while, pause it"

export const kind: Kind<Of<typeof name>> = {
  ...campaignEnd(name, forGood),
  deadlineMs: deadlines.status,
  operations: () => ["stopCampaign"],
  backwards: () => "stop"
}
