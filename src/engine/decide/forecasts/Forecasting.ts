/** The days that a plan forecasts, as the store keeps them. */
import * as Optimised from "../../kinds/Optimised.js"
import type { Plan } from "../Plan.js"
import type { ForecastDay } from "./ForecastDay.js"

/** None of a plan that was made before days were forecast. */
export const daysOf = ({ changes, createdAt, forecasts = [], held }: Plan): ReadonlyArray<ForecastDay> => {
  const planned = [...changes, ...held.map(({ change }) => change)].filter(
    (change) => Optimised.of(change) !== undefined
  )
  return forecasts.flatMap((forecast): ReadonlyArray<ForecastDay> => {
    const {
      before,
      budget,
      campaigns,
      dailyKopecks,
      day,
      later,
      orders,
      policy,
      spendKopecks,
      standing,
      unmade
    } = forecast
    if (before === undefined || day === undefined || standing === undefined) return []
    const ids = new Set<number | undefined>(campaigns)
    const own = planned.filter(({ origin, subject }) => origin.name === policy && ids.has(subject.campaignId))
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
        changes: own.length + (later?.changes ?? 0) + (unmade?.changes ?? 0),
        after: { spendKopecks, orders }
      }
    ]
  })
}
