/**
 * `spend_per_day`: once what all campaigns have spent today, with what the plan is estimated to add, reaches the limit,
 * nothing is done that makes anything dearer. What makes things cheaper always passes.
 */
import * as Reason from "../../domain/Reason.js"
import * as Window from "../../domain/Window.js"
import * as Print from "../facts/Print.js"
import { factKey, type Table } from "../facts/Table.js"
import * as Deposits from "./Deposits.js"
import type { Change, Held } from "./Plan.js"

/** The fact that is read for it, of every campaign. */
export const spend = { id: "campaign.spend", window: Window.today } as const

const where = "_shared/limits.yaml account.spend_per_day"

/**
 * Which changes are held; `changes` in the order in which they may take what is left. Campaigns that could not be read
 * have no row in `campaigns`.
 */
export const hold = (
  changes: ReadonlyArray<Change>,
  campaigns: Table,
  campaignsUnread: number,
  limitKopecks: number,
  sign: string
): ReadonlyMap<Change, Omit<Held, "change">> => {
  const limit = `${where} ${Print.money(limitKopecks, sign)}`
  const dearer = changes.filter(isDearer)
  const spent =
    campaignsUnread > 0
      ? `today's spend is unknown: ${campaignsUnread} campaigns could not be read`
      : today(campaigns)
  if (typeof spent === "string") {
    return new Map(dearer.map((change) => [change, { by: "spend_per_day", limit, over: spent }]))
  }
  let expected = spent
  const held = new Map<Change, Omit<Held, "change">>()
  for (const change of dearer) {
    const more = increase(change)
    if (expected < limitKopecks && expected + more <= limitKopecks) {
      expected += more
      continue
    }
    const shown = (money: number) => Print.money(money, sign)
    const over = `${shown(spent)} spent today, ${shown(expected - spent)} more by this plan, this one ${shown(more)}`
    held.set(change, { by: "spend_per_day", limit, over })
  }
  return held
}

/** True for what lets a campaign spend more than before. */
export const isDearer = (change: Change): boolean => {
  const { after, before, unit } = change
  switch (unit) {
    case "status":
      return after === "active"
    case "minus_phrase":
      return after === false
    case "placements":
      return places(after).some((place) => !places(before).includes(place))
    case "kopecks_deposit":
      return true
    case "kopecks_per_1000_impressions":
    case "kopecks_per_click":
      return Number(after) > Number(before)
  }
}

const places = (value: Change["after"]): ReadonlyArray<string> => String(value).split(", ")

/** A deposit can be spent within the day. What nobody can estimate counts nothing, and shows in the next run's spend. */
const increase = (change: Change): number => {
  if (change.unit === "kopecks_deposit") return Deposits.amount(change)
  const estimate = change.moneyPerDayKopecks
  return typeof estimate === "number" ? Math.max(0, estimate) : 0
}

/** What all campaigns have spent today, kopecks, or why it is not known. A campaign of which the marketplace has no statistics today has spent nothing. */
export const today = (campaigns: Table): number | string => {
  let total = 0
  for (let row = 0; row < campaigns.size; row++) {
    const cell = campaigns.get(row, factKey(spend))
    if (cell._tag === "Known") total += Number(cell.value)
    else if (!Reason.isMissing(Reason.code(cell.reason))) {
      const { campaignId } = campaigns.target(row)
      return `today's spend of campaign ${campaignId} is unknown: ${Reason.explain[cell.reason]}`
    }
  }
  return total
}
