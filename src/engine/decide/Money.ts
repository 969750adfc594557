/** What a change may cost or save per day, estimated from the spend of the rule's window. Never used to decide. */

import * as FactRefs from "../facts/FactRefs.js"
import { factKey } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { FactRef, Policy } from "../language/Policy.js"
import type { Ground, Setting } from "./intents/Intent.js"

/** Kopecks per day: the change, and the spend it was estimated from. */
export type Estimate = Pick<Change, "moneyPerDayKopecks" | "spendPerDayKopecks">

export const estimate = (ground: Ground, setting: Setting): Estimate => {
  const { isDearer, unforeseen: untold } = Kinds.of(setting)
  if (untold !== undefined) return { moneyPerDayKopecks: { unknown: untold } }
  const spend = spendOf(ground)
  if ("unknown" in spend) return { moneyPerDayKopecks: spend }
  const { kopecks, days } = spend
  const spendPerDayKopecks = Math.round(kopecks / days)
  const { before, after } = setting
  if (typeof before === "number" && typeof after === "number") {
    return {
      moneyPerDayKopecks: Math.round((kopecks * (after - before)) / (before * days)),
      spendPerDayKopecks
    }
  }
  return {
    moneyPerDayKopecks: isDearer(setting) ? spendPerDayKopecks : 0 - spendPerDayKopecks,
    spendPerDayKopecks
  }
}

type Spend = { readonly kopecks: number; readonly days: number } | { readonly unknown: string }

/** Of the windows the rule already reads, the longest whose spend is known: nothing is fetched for an estimate. */
const spendOf = (ground: Ground): Spend => {
  for (const ref of spendRefs(ground.policy)) {
    const cell = ground.table.get(ground.row, factKey(ref))
    if (cell._tag === "Known" && typeof cell.value === "number" && Number.isFinite(cell.value)) {
      return { kopecks: cell.value, days: daysOf(ref) }
    }
  }
  return { unknown: "no spend is known over a window of this rule" }
}

/** Spend of a row over the windows that the policy reads anyway, the longest first. */
export const spendRefs = (policy: Policy): ReadonlyArray<FactRef> => {
  const spend = Vocabulary.byFactId(`${policy.each}.spend`)
  const refs = FactRefs.ofPolicy(policy)
  return refs
    .flatMap(
      (ref): ReadonlyArray<FactRef> =>
        spend !== undefined &&
        ref.window !== undefined &&
        Vocabulary.byFactId(ref.id)?.source === spend.source
          ? [{ id: spend.id, window: ref.window }]
          : []
    )
    .sort((a, b) => daysOf(b) - daysOf(a) || (factKey(a) < factKey(b) ? -1 : 1))
}

/** The running day counts as a whole one, so its estimate is on the low side. */
export const daysOf = (ref: FactRef): number => (ref.window?._tag === "Last" ? ref.window.days : 1)
