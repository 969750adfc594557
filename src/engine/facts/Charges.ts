/** What campaigns were charged, by the days that were asked: the one witness of spend that is no statistic (decision 0040). */
import type { DayRange } from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"

/** Kopecks by campaign; one without a charge has none. Undefined where the charges could not be read. */
export type Charged = ReadonlyMap<CampaignId, number> | undefined

/** By `keyOf`; days that nobody asked about are not there. */
export type Charges = ReadonlyMap<string, Charged>

export const keyOf = ({ from, to }: DayRange): string => `${from} ${to}`
