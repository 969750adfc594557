/** Where a campaign is shown (seed 001, `auction/placements`): `search`, `recommendations`, or both. */
import type { Target } from "../../domain/Target.js"
import type { AdChange, Change, Of, Value } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "campaign_placements" as const
const prefix = "placement"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

/** `search, recommendations`, one of the two, or `nowhere`: the value that plans and the journal show. */
export const text = (search: boolean, recommendations: boolean): string =>
  [...(search ? ["search"] : []), ...(recommendations ? ["recommendations"] : [])].join(", ") || "nowhere"

const asked = (by: AdChange): Change => ({
  ...by,
  kind: name,
  id: slot(by.subject),
  action: "placements",
  subject: { campaignId: by.subject.campaignId },
  details: {},
  before: "",
  after: ""
})

const places = (value: Value): ReadonlyArray<string> => String(value).split(", ")

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.campaignOf,
  live: (facts) => {
    const [search, recommendations] = [facts("campaign.search"), facts("campaign.recommendations")]
    return search === undefined || recommendations === undefined
      ? undefined
      : text(Boolean(search), Boolean(recommendations))
  },
  leaves: ({ after }) => ({
    "campaign.search": places(after).includes("search"),
    "campaign.recommendations": places(after).includes("recommendations")
  }),
  order: 2,
  writeClass: "A",
  deadlineMs: deadlines.database,
  operations: () => ["setCampaignPlacements"],
  tellsOfCampaign: asked,
  isSteered: false,
  isDearer: ({ after, before }) => places(after).some((place) => !places(before).includes(place)),
  price: ({ after }) => places(after).length,
  unforeseen: "nobody tells how the spend is shared between placements",
  risk: "notable",
  irreversible: ({ before }) =>
    before === "nowhere" ? "no campaign can be set to be shown nowhere" : undefined,
  inverse: ({ change: { after, before, details } }) => ({
    details,
    action: "placements",
    before: after,
    after: before,
    notes: []
  }),
  backwards: () => "placements",
  print: (value) => String(value),
  effect: ({ after, before }) => `${before} → ${after}`
}
