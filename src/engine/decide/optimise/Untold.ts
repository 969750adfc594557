/**
 * Spend that statistics do not tell of. An answer without some of its records is well formed, and what these spend is spent all the same: a
 * budget planned without it looks as if it had room. What was charged says so (decision 0110).
 */
import * as Days from "../../../domain/Days.js"
import * as Window from "../../../domain/Window.js"
import * as Charges from "../../facts/Charges.js"
import { factKey } from "../../facts/Table.js"
import type { UnknownReason } from "../RowReason.js"
import * as Budgets from "./Budgets.js"

/** Charges are rounded by the day, and may be booked a day later. */
const tolerated = 1.2
/** Of a budget: less than that makes no room that matters. */
const slight = 0.05

/**
 * Why nobody knows what a budget is spent on; undefined where its campaigns were charged no more than their statistics tell of, or nobody
 * asks what they were charged.
 */
export const verdict = (
  own: Budgets.Own,
  window: Window.Window,
  charges: Charges.Charges
): UnknownReason | undefined => {
  const range = Window.resolve(window, own[0].ground.nowMs)
  const key = Charges.keyOf(range)
  if (!charges.has(key)) return undefined
  const charged = charges.get(key)
  if (charged === undefined) return { code: "fact_unknown", fact: "charges", reason: "failed" }
  let [statedKopecks, chargedKopecks] = [0, 0]
  for (const { ground } of own) {
    const { row, table, target } = ground
    const spend = table.get(row, factKey({ id: "campaign.spend", window }))
    if (spend._tag === "Known") statedKopecks += Number(spend.value)
    if (target.campaignId !== undefined) chargedKopecks += charged.get(target.campaignId) ?? 0
  }
  const days = Days.length(range)
  const untold = (chargedKopecks - statedKopecks) / days
  return chargedKopecks > statedKopecks * tolerated && untold > Budgets.dailyKopecks(own) * slight
    ? { code: "spend_untold", statedKopecks, chargedKopecks, days }
    : undefined
}
