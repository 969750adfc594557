/** What campaigns were charged, by the days that were asked: the one witness of spend that is no statistic (decision 0040). */
import type { Day, DayRange } from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"

export interface Charge {
  readonly kopecks: number
  /** The days of which there are charges; undefined where one does not say of which it is. */
  readonly days: ReadonlySet<Day> | undefined
}

/** By campaign; one without a charge has none. Undefined where the charges could not be read. */
export type Charged = ReadonlyMap<CampaignId, Charge> | undefined

/** By `keyOf`; days that nobody asked about are not there. */
export type Charges = ReadonlyMap<string, Charged>

/** Whether charges of a day were read, and none is of this campaign. */
export const nameNone = (charges: Charges, campaignId: CampaignId, day: Day): boolean =>
  [...charges].some(([key, charged]) => {
    const [from = "", to = ""] = key.split(" ")
    if (charged === undefined || day < from || day > to) return false
    const charge = charged.get(campaignId)
    return charge === undefined || charge.days?.has(day) === false
  })

export const keyOf = ({ from, to }: DayRange): string => `${from} ${to}`
