/** What stopping and deleting a campaign have in common: no rule does either, and nothing takes it back. */
import * as Keys from "./Keys.js"
import type { Kind } from "./Kind.js"

/** Of an end for good, with the reason for people. */
export const campaignEnd = (prefix: string, forGood: string) =>
  ({
    lane: "ads",
    ...Keys.ofCampaign(prefix),
    // The status is the slot of starting and pausing: what it shows there says nothing of this one.
    live: () => undefined,
    leaves: ({ after }) => ({ "campaign.status": after }),
    order: 1,
    writeClass: "E",
    isSteered: false,
    isDearer: () => false,
    switches: () => "off",
    risk: "irreversible",
    irreversible: () => forGood,
    inverse: () => forGood,
    print: (value) => String(value),
    effect: ({ after, before }) => `${before} → ${after}, for good`
  }) satisfies Partial<Kind>
