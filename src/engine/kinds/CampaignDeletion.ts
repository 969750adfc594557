/**
 * Deleting a campaign that was never launched (seed 001 "States and transitions", field note M33): no rule does it, and
 * nothing brings it back. It shows as deleted within a minute or so, and is not listed 3 to 10 minutes later.
 */
import type { Target } from "../../domain/Target.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_deletion" as const
export const prefix = "campaign_deletion"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

const forGood = "a deleted campaign does not come back; create one like it instead"

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.campaignOf,
  // The status is the slot of starting and pausing: what it shows there says nothing of this one.
  live: () => undefined,
  leaves: ({ after }) => ({ "campaign.status": after }),
  order: 1,
  writeClass: "E",
  deadlineMs: deadlines.deletion,
  operations: () => ["deleteCampaign"],
  isDoneWhenGone: true,
  isSteered: false,
  isDearer: () => false,
  switches: () => "off",
  risk: "irreversible",
  irreversible: () => forGood,
  inverse: () => forGood,
  backwards: () => "delete",
  print: (value) => String(value),
  effect: ({ after, before }) => `${before} → ${after}, for good`
}
