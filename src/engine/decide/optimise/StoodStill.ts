/**
 * Campaigns that are active and are not shown, most often because their money ran out: such days tell nothing of their bids, and while it
 * lasts they spend nothing of a budget (decision 0134).
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as Window from "../../../domain/Window.js"
import * as Charges from "../../facts/Charges.js"
import * as Funnel from "../../facts/Funnel.js"
import { factKey, type Table } from "../../facts/Table.js"
import type { Policy } from "../../language/Policy.js"
import type { Ground } from "../intents/Intent.js"
import * as StartNeeds from "../limits/StartNeeds.js"
import type { UnknownReason } from "../RowReason.js"
import type { Coming } from "./Coming.js"
import * as Past from "./Past.js"

type Told = Pick<Past.Past, "charges" | "days">

/**
 * Whether a campaign is known to have done nothing on a day: statistics that were asked for both have no row of it, and charges that were
 * read name none. One of the two alone may have left it out.
 */
export const didNothing = (campaignId: CampaignId, day: Days.Day, { charges, days }: Told): boolean =>
  isSilent(campaignId, day, days) && Charges.nameNone(charges, campaignId, day)

const isSilent = (campaignId: CampaignId, day: Days.Day, days: Past.Past["days"]): boolean => {
  const told = days.get(campaignId)
  return (
    told !== undefined &&
    day >= told.range.from &&
    day <= told.range.to &&
    told.days.every((one) => one.day !== day)
  )
}

/** So many views or clicks a day, and none on another is no accident. */
const leastUsual = 20

/** When a campaign was not shown: a rule had paused it, or it did nothing on whole days of the window, where it usually does much. */
export const stops = (ground: Ground, window: Window.Window, past: Past.Past): ReadonlyArray<Past.Span> => {
  const { campaignId } = ground.target
  if (campaignId === undefined) return []
  return Past.joined([past.pauses.get(campaignId) ?? [], idleDays(campaignId, ground, window, past)])
}

const idleDays = (
  campaignId: CampaignId,
  { nowMs, row, table }: Ground,
  window: Window.Window,
  told: Told
): ReadonlyArray<Past.Span> => {
  const { from, to } = Window.resolve(window, nowMs)
  const found: Array<Past.Span> = []
  for (let day = from; day <= to; day = Days.shift(day, 1))
    if (didNothing(campaignId, day, told)) {
      const fromMs = Days.startOfMarket(day)
      found.push({ fromMs, toMs: fromMs + Days.dayMs })
    }
  const shownDays = Days.length({ from, to }) - found.length
  const usual = ["campaign.views", "campaign.clicks"].map(
    (id) => number(table, row, factKey({ id, window })) ?? 0
  )
  return shownDays > 0 && Math.max(...usual) >= leastUsual * shownDays ? found : []
}

/** Active campaigns that a policy optimises and that showed nothing on the last day of the window: their budgets may be empty. */
export const doubtful = (
  { policy, table, ...decided }: Funnel.Decided & { readonly policy: Policy; readonly table: Table },
  days: Past.Past["days"],
  nowMs: number
): ReadonlyArray<CampaignId> =>
  Funnel.matchedRows(decided).flatMap(({ row, rule }) => {
    const action = policy.rules[rule]?.action
    const { campaignId } = table.target(row)
    if (action?._tag !== "Optimise" || campaignId === undefined) return []
    const status = table.get(row, "campaign.status")
    if (status._tag !== "Known" || status.value !== "active") return []
    const { to } = Window.resolve(action.window, nowMs)
    const isShownBefore = (days.get(campaignId)?.days.length ?? 0) > 0
    return isShownBefore && isSilent(campaignId, to, days) && purseOf(table, row) === undefined
      ? [campaignId]
      : []
  })

/** Whether a campaign has nothing left to spend, and nothing comes. */
export const isOutOfMoney = (
  { row, table, target: { campaignId } }: Ground,
  { purses }: Past.Past,
  coming: Coming
): boolean => {
  if (campaignId === undefined || coming.get(campaignId) === "funded") return false
  const kopecks = purseOf(table, row) ?? purses.get(campaignId)
  return kopecks !== undefined && kopecks < StartNeeds.leastKopecks
}

/** Why nobody knows whether a campaign has any money. */
export const unsure = (
  { target: { campaignId } }: Ground,
  { purses }: Past.Past
): UnknownReason | undefined =>
  campaignId !== undefined && purses.has(campaignId) && purses.get(campaignId) === undefined
    ? { code: "fact_unknown", fact: "campaign.budget", reason: "failed" }
    : undefined

const purseOf = (table: Table, row: number): number | undefined => number(table, row, "campaign.budget")

const number = (table: Table, row: number, fact: string): number | undefined => {
  const cell = table.get(row, fact)
  return cell._tag === "Known" ? Number(cell.value) : undefined
}
