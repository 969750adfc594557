/** Stopping a campaign for good (seed 001 "States and transitions", field note M33): no rule does it, and nothing starts it again. */
import type { Target } from "../../domain/Target.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_stop" as const
export const prefix = "campaign_stop"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

const forGood =
  "a campaign that was stopped is completed, and nothing starts it again; to halt one for a while, pause it"

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
  deadlineMs: deadlines.status,
  operations: () => ["stopCampaign"],
  isSteered: false,
  isDearer: () => false,
  switches: () => "off",
  risk: "irreversible",
  irreversible: () => forGood,
  inverse: () => forGood,
  backwards: () => "stop",
  print: (value) => String(value),
  effect: ({ after, before }) => `${before} → ${after}, for good`
}
