/** Whether an item is in a campaign (seed 001, `auction/nms`, field note M37). */
import type * as Target from "../../domain/Target.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind, note } from "./Kind.js"

export const name = "campaign_items" as const
const prefix = "campaign_items"

const slot = ({ campaignId, itemId }: Target.Target): string => `${prefix}:${campaignId}/${itemId}`

const anew =
  "begins at the lowest bid of its category, and its clusters without bids and minus phrases of their own"

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.pairOf,
  // An item that is in no campaign has no row, so no fact shows it.
  live: () => undefined,
  leaves: () => ({}),
  order: 2,
  writeClass: "A",
  deadlineMs: deadlines.database,
  operations: () => ["changeCampaignItems"],
  // The last item of a campaign cannot go, so one that takes its place must travel with it.
  together: ({ subject: target }) => `${target.campaignId}`,
  isSteered: false,
  isDearer: ({ after }) => after === true,
  unforeseen: "nobody tells what an item will cost in a campaign that it was not in",
  risk: "notable",
  inexact: ({ before }) => (before === true ? `an item that comes back ${anew}` : undefined),
  inverse: ({ change: { after, before, details } }) => ({
    details,
    action: before === true ? "add_item" : "remove_item",
    before: after,
    after: before,
    notes: before === true ? [note("comes near to what was there", `the item ${anew}`)] : []
  }),
  backwards: ({ after }) => (after === true ? "add_item" : "remove_item"),
  print: (value) => (value === true ? "in the campaign" : "not in the campaign"),
  effect: ({ after }) => (after === true ? "joins the campaign" : "leaves the campaign")
}
