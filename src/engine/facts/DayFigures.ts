/** What a campaign did on one day of the marketplace, as it comes with its statistics; what the answer leaves out is not known. */
import type { Day, DayRange } from "../../domain/Days.js"

export interface DayFigures {
  readonly day: Day
  readonly spendKopecks: number | undefined
  readonly orders: number | undefined
  /** Value of the orders. */
  readonly revenueKopecks: number | undefined
}

/** What was answered of a campaign for all days of a range: one without figures is named by none. */
export interface CampaignDays {
  readonly range: DayRange
  /** Ascending. */
  readonly days: ReadonlyArray<DayFigures>
}
