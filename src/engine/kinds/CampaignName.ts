/** What a campaign is called (seed 001, `rename`): seen by its seller alone, and without meaning for what it spends. */
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_name" as const

/** Of a new name (field note M35); a campaign may have been created with a longer one. */
const mostCharacters = 100

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  ...Keys.ofCampaign("campaign_name"),
  shownBy: () => ({ each: "campaign", fact: "campaign.name" }),
  live: (facts) => facts("campaign.name"),
  leaves: ({ after }) => ({ "campaign.name": after }),
  order: 2,
  writeClass: "A",
  deadlineMs: deadlines.database,
  operations: () => ["renameCampaign"],
  isSteered: false,
  isDearer: () => false,
  isFree: true,
  // Rules choose campaigns by their names.
  risk: "notable",
  irreversible: ({ before }) =>
    before === "" || [...String(before)].length > mostCharacters
      ? `a campaign can only be given a name of 1 to ${mostCharacters} characters, and the old one is none`
      : undefined,
  inverse: ({ change: { after, before } }) => ({
    action: "rename",
    before: after,
    after: before,
    details: {},
    notes: []
  }),
  backwards: () => "rename",
  print: (value) => `"${value}"`,
  effect: ({ after, before }) => `name "${before}" → "${after}"`
}
