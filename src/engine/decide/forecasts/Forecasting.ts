/** The days that a plan forecasts, as the store keeps them. */
import type { Plan } from "../Plan.js"
import * as Summary from "../Summary.js"
import type { ForecastDay } from "./ForecastDay.js"

/** None of a plan that was made before days were forecast. */
export const daysOf = (plan: Plan): ReadonlyArray<ForecastDay> => {
  const { createdAt, forecasts = [] } = plan
  const planned = Summary.planned(plan)
  return forecasts.flatMap((forecast): ReadonlyArray<ForecastDay> => {
    const { before, budget, campaigns, dailyKopecks, day, orders, policy, spendKopecks, standing } = forecast
    if (before === undefined || day === undefined || standing === undefined) return []
    return [
      {
        policy,
        budget,
        day,
        campaigns,
        dailyKopecks,
        before,
        standing,
        madeAtMs: Date.parse(createdAt),
        changes: planned(forecast),
        after: { spendKopecks, orders }
      }
    ]
  })
}
