/** Days on which nothing of a campaign was shown. */
import type * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as Charges from "../../facts/Charges.js"
import type * as Past from "./Past.js"

type Told = Pick<Past.Past, "charges" | "days">

/**
 * Whether a campaign is known to have done nothing on a day: statistics that were asked for both have no row of it, and charges that were
 * read name none. One of the two alone may have left it out.
 */
export const didNothing = (campaignId: CampaignId, day: Days.Day, { charges, days }: Told): boolean =>
  isSilent(campaignId, day, days) && Charges.nameNone(charges, campaignId, day)

const isSilent = (campaignId: CampaignId, day: Days.Day, days: Past.Past["days"]): boolean => {
  const told = days.get(campaignId)
  return (
    told !== undefined &&
    day >= told.range.from &&
    day <= told.range.to &&
    told.days.every((one) => one.day !== day)
  )
}
