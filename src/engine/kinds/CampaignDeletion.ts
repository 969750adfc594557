/**
 * Deleting a campaign that was never launched (seed 001 "States and transitions", field note M33): no rule does it, and
 * nothing brings it back. It shows as deleted within a minute or so, and is not listed 3 to 10 minutes later.
 */
import { campaignEnd } from "./CampaignEnd.js"
import type { Of } from "./Change.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_deletion" as const

const forGood = "a deleted campaign does not come back; create one like it instead"

export const kind: Kind<Of<typeof name>> = {
  ...campaignEnd(name, forGood),
  deadlineMs: deadlines.deletion,
  operations: () => ["deleteCampaign"],
  isDoneWhenGone: true,
  backwards: () => "delete"
}
