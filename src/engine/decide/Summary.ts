/** The counts of a plan, computed from its lists wherever they change, so they never disagree. */
import * as Hash from "../../domain/Hash.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as BudgetRoom from "../kinds/BudgetRoom.js"
import type { Change } from "../kinds/Change.js"
import type { Forecast, Plan } from "./Plan.js"
import * as Stakes from "./Stakes.js"

/** A plan before it is counted and named. */
export interface Draft extends Omit<Plan, "id" | "seal" | "summary"> {
  /** What other policies want of slots that `changes` change, where it is the very same: only a review looks at it. */
  readonly equals?: ReadonlyArray<Change>
}

/** Counts a draft and names it: equal content has an equal id, whenever it was made. */
export const seal = ({ equals: _, ...draft }: Draft): Plan => {
  const policies = draft.policies.map((policy) => ({
    ...policy,
    changes: draft.changes.filter((change) => change.origin.name === policy.id).length
  }))
  const counted = { ...draft, ...forecastsOf(draft), policies, summary: of(draft) }
  const id = idOf(counted)
  return { ...counted, id, seal: sealOf(id, counted.createdAt) }
}

/** Each with what its budget comes to by those of its moves that go. */
const forecastsOf = ({ changes, forecasts, held }: Draft): Pick<Plan, "forecasts"> => {
  if (forecasts === undefined) return {}
  const going = ofBudgets(changes)
  const stopped = ofBudgets(held.map(({ change }) => change))
  return {
    forecasts: forecasts.map(({ goes: _, ...forecast }) => {
      const { before, later, unmade } = forecast
      const key = BudgetRoom.keyOf(forecast.policy, forecast.budget)
      const own = going.get(key) ?? nothing
      const left = (stopped.get(key)?.changes ?? 0) + (later?.changes ?? 0) + (unmade?.changes ?? 0)
      if (before === undefined || left === 0) return forecast
      const goes = {
        changes: own.changes,
        of: own.changes + left,
        spendKopecks: before.spendKopecks.mean + own.spendKopecks,
        orders: Math.max(0, Math.round((before.orders.mean + own.orders) * 100) / 100)
      }
      return { ...forecast, goes }
    })
  }
}

/** How many changes a budget was planned with, whether they go or not; of a plan that was counted. */
export const planned = ({ changes }: Pick<Plan, "changes">): ((forecast: Forecast) => number) => {
  const going = ofBudgets(changes)
  return ({ budget, goes, policy }) => goes?.of ?? going.get(BudgetRoom.keyOf(policy, budget))?.changes ?? 0
}

const nothing = { changes: 0, spendKopecks: 0, orders: 0 }

/** How many of `optimise` each budget has, and what they add to a day of it. */
const ofBudgets = (changes: ReadonlyArray<Change>): ReadonlyMap<string, typeof nothing> => {
  const sums = new Map<string, typeof nothing>()
  for (const change of changes) {
    const share = BudgetRoom.shareOf(change)
    if (share === undefined) continue
    const sum = sums.get(share.key) ?? nothing
    sums.set(share.key, {
      changes: sum.changes + 1,
      spendKopecks: sum.spendKopecks + share.moreKopecks,
      orders: sum.orders + share.moreOrders
    })
  }
  return sums
}

/** Hash of everything in the plan but `id`, `seal` and `createdAt`. */
export const idOf = (plan: Omit<Plan, "id" | "seal">): string =>
  Hash.of(Object.fromEntries(Object.entries(plan).filter(([key]) => !unnamed.has(key))))

const unnamed: ReadonlySet<string> = new Set(["id", "seal", "createdAt"])

/** Ties the date to the content, so that an old plan cannot be made young by hand. */
export const sealOf = (id: string, createdAt: string): string => Hash.of([id, createdAt])

/** What the lists of a plan, or of a part of one, come to. */
export const of = (draft: Draft): Plan["summary"] => {
  const byAction: Record<string, number> = {}
  for (const { action } of draft.changes) byAction[action] = (byAction[action] ?? 0) + 1
  const stakes = Stakes.of(draft)
  const { depositsKopecks, raises, savings, underPause } = stakes
  return {
    changes: draft.changes.length,
    held: draft.held.length,
    unknown: draft.unknown.length,
    unchanged: draft.unchanged.length,
    byAction: Object.fromEntries(Object.entries(byAction).sort(TextOrder.byKey)),
    moneyPerDayKopecks: raises.kopecks - savings.kopecks,
    raisesPerDayKopecks: raises.kopecks,
    savingsPerDayKopecks: savings.kopecks,
    moneyUnknown: Stakes.unestimated(stakes),
    ...(underPause === 0 ? {} : { underPause }),
    ...(depositsKopecks === 0 ? {} : { depositsKopecks })
  }
}
