/** What a campaign did on one day of the marketplace, as it comes with its statistics; what the answer leaves out is not known. */
import type { Day } from "../../domain/Days.js"

export interface DayFigures {
  readonly day: Day
  readonly spendKopecks: number | undefined
  readonly orders: number | undefined
  /** Value of the orders. */
  readonly revenueKopecks: number | undefined
}
