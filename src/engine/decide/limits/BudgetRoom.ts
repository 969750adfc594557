/**
 * `optimise` plans a budget as a whole, and a limit, a person or a guard may hold a part of the plan. What it makes dearer is paid for
 * by what it makes cheaper: where that does not go, and the budget has no room, it does not go either.
 */
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Optimised from "../../kinds/Optimised.js"
import type { Forecast } from "../Plan.js"
import * as Forecasts from "./Forecasts.js"

/** True for a change by which `optimise` expects more to be spent. */
export const isDearer = (change: Change): boolean => more(change) > 0

/**
 * What is held: `open` are the changes that may go, in the order in which they take the room that there is; `planned` are all
 * of them. Budgets of which all goes are as they were planned.
 */
export const hold = (
  open: ReadonlyArray<Change>,
  planned: ReadonlyArray<Change>,
  forecasts: ReadonlyArray<Forecast>
): ReadonlyMap<Change, HeldReason> => {
  const may = new Set(open)
  const held = new Map<Change, HeldReason>()
  for (const forecast of forecasts) {
    const { before, budget, dailyKopecks } = forecast
    // Plans of an older program do not say what is spent as it stands.
    if (before === undefined) continue
    if (!planned.some((change) => isOf(change, forecast) && !isDearer(change) && !may.has(change))) continue
    const own = open.filter((change) => isOf(change, forecast))
    let spendKopecks = own.reduce((sum, change) => sum + Math.min(0, more(change)), before.spendKopecks.mean)
    for (const change of own.filter(isDearer)) {
      const moreKopecks = more(change)
      if (spendKopecks + moreKopecks <= dailyKopecks) spendKopecks += moreKopecks
      else held.set(change, { code: "budget_no_room", budget, dailyKopecks, spendKopecks, moreKopecks })
    }
  }
  return held
}

const isOf = (change: Change, { budget, campaigns, policy }: Forecast): boolean =>
  expectedOf(change) !== undefined &&
  change.origin.name === policy &&
  (budget === Forecasts.accountBudget || campaigns.some((id) => id === change.subject.campaignId))

/** What takes a change back still says what that was made of, and does the opposite. */
const expectedOf = (change: Change) => (change.undoes === undefined ? Optimised.of(change) : undefined)

/** Kopecks a day, as they were expected when the change was planned. */
const more = (change: Change): number => {
  const expected = expectedOf(change)
  return expected === undefined ? 0 : expected.after.spendKopecks - expected.before.spendKopecks
}
