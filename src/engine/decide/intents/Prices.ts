/**
 * Whether the spend of statistics can have been paid at all: nobody pays a multiple of the bid. It needs no earlier run,
 * so it holds in a new account and in one with a single campaign too. Pure.
 */
import type { CampaignId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Window from "../../../domain/Window.js"
import type { Charged } from "../../facts/Charges.js"
import type { Table } from "../../facts/Table.js"
import type { HumanEdit } from "../../kinds/HumanEdit.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"

/** Spend of one fact that can be held against bids, kopecks: all of it, and the part that nobody can have paid. */
export interface Paid {
  /** Fact with its window, as tables name it: `campaign.spend@today`. */
  readonly fact: string
  readonly statedKopecks: number
  readonly overpaidKopecks: number
  /** Whose the second part is. */
  readonly overpaidBy: ReadonlySet<CampaignId>
}

/** Bids and what views or clicks have cost are compared within one answer each, so age is no reason to differ so far. */
const farFactor = 10
/** Below this much, rounding may speak, kopecks. */
const leastKopecks = 1000

/** By campaign, kopecks. */
export type Bids = ReadonlyMap<CampaignId, number>

/**
 * Each spend of the three advertising levels, held against the highest bid that the campaign has now, or had by what is
 * `remembered`. Rows without views (of clicks paid: without clicks), and campaigns whose bids are not known now, are
 * left out of both sums.
 */
export const paid = (
  table: (each: "campaign" | "campaign_item" | "cluster") => Table,
  remembered: Bids = new Map()
): ReadonlyArray<Paid> => {
  const bids = highest([
    [table("campaign_item"), ["campaign_item.bid", "campaign_item.bid.recommendations"]],
    [table("cluster"), ["cluster.bid"]]
  ])
  for (const [campaignId, bid] of bids) bids.set(campaignId, Math.max(bid, remembered.get(campaignId) ?? 0))
  return (["campaign", "campaign_item", "cluster"] as const)
    .flatMap((each) => ofTable(table(each), each, bids))
    .sort(TextOrder.by(({ fact }) => fact))
}

/** Every spend most of which nobody can have paid. Half of it: one campaign whose bid fell is none. */
export const doubtful = (paid: ReadonlyArray<Paid>): ReadonlyArray<Paid> =>
  paid.filter(
    ({ overpaidKopecks, statedKopecks }) =>
      overpaidKopecks >= leastKopecks && overpaidKopecks * 2 >= statedKopecks
  )

/** One spend that is doubtful, in words for people. */
export const objection = ({ fact, overpaidKopecks }: Paid): string => {
  const roubles = Math.round(overpaidKopecks / 100)
  return `${fact}: ${roubles} of it would be more than ${farFactor} times the highest bid for each view or click, unless somebody lowered bids that far within these days`
}

/** The windows of spends, each once. */
export const windows = (paid: ReadonlyArray<Paid>): ReadonlyArray<Window.Window> => [
  ...new Map(paid.map(({ fact }) => [suffix(fact), windowOf(fact)])).values()
]

/** Whether a fact is of that window. */
export const isOver = (window: Window.Window, fact: string): boolean => suffix(fact) === Window.key(window)

const suffix = (fact: string): string => fact.slice(fact.indexOf("@") + 1)

const windowOf = (fact: string): Window.Window => {
  const [days, settleDays = "0d"] = suffix(fact).split("-")
  return days === "today"
    ? Window.today
    : Window.last(Number.parseInt(days ?? "", 10), Number.parseInt(settleDays, 10))
}

/**
 * The highest bids that campaigns are known to have had since an instant: `slots` as the journal tells them for days that
 * begin then (`dayFirstBid` is the bid of that time), and what others took the place of.
 */
export const remembered = (
  slots: ReadonlyMap<string, SlotHistory>,
  edits: ReadonlyArray<HumanEdit>,
  sinceMs: number
): Bids => {
  const found = new Map<CampaignId, number>()
  const note = (slot: string, bid: unknown) => {
    const place = Kinds.placeOf(slot)
    if (typeof bid !== "number" || place === undefined || !bidFacts.has(place.fact)) return
    const { campaignId } = place.target
    if (campaignId !== undefined) found.set(campaignId, Math.max(bid, found.get(campaignId) ?? 0))
  }
  for (const { dayFirstBid, lastAppliedAt, lastEdge, ours, overlay, slot } of slots.values()) {
    note(slot, dayFirstBid)
    if ((lastAppliedAt ?? 0) >= sinceMs) note(slot, ours?.before)
    if ((lastEdge?.at ?? 0) >= sinceMs) note(slot, overlay?.baseKopecks)
  }
  for (const { firstSeenAt, ours, slot } of edits) if (firstSeenAt >= sinceMs) note(slot, ours)
  return found
}

/** True when the marketplace says that it charged about as much: then it was paid, whatever the bids are now. */
export const isCharged = ({ overpaidBy, overpaidKopecks }: Paid, charged: NonNullable<Charged>): boolean => {
  let kopecks = 0
  for (const campaignId of overpaidBy) kopecks += charged.get(campaignId)?.kopecks ?? 0
  return kopecks >= overpaidKopecks * chargedShare
}

const chargedShare = 0.8
const bidFacts: ReadonlySet<string> = new Set([
  "campaign_item.bid",
  "campaign_item.bid.recommendations",
  "cluster.bid"
])

const highest = (places: ReadonlyArray<readonly [Table, ReadonlyArray<string>]>): Map<CampaignId, number> => {
  const found = new Map<CampaignId, number>()
  for (const [table, facts] of places)
    for (const fact of facts) {
      const bidOf = table.numbers(fact)
      for (let row = 0; row < table.size; row++) {
        const bid = bidOf(row)
        const campaignId = bid === undefined ? undefined : table.campaignOf(row)
        if (bid === undefined || campaignId === undefined) continue
        found.set(campaignId, Math.max(bid, found.get(campaignId) ?? 0))
      }
    }
  return found
}

const ofTable = (table: Table, each: string, bids: Bids): ReadonlyArray<Paid> =>
  [...table.columns.keys()]
    .filter((fact) => fact.startsWith(`${each}.spend@`))
    .map((fact) => {
      let statedKopecks = 0
      let overpaidKopecks = 0
      const overpaidBy = new Set<CampaignId>()
      const spendOf = table.numbers(fact)
      const mostOf = mostFor(table, fact)
      for (let row = 0; row < table.size; row++) {
        const spend = spendOf(row)
        const campaignId = spend === undefined ? undefined : table.campaignOf(row)
        if (spend === undefined || campaignId === undefined) continue
        const bid = bids.get(campaignId)
        const most = bid === undefined ? undefined : mostOf(row, bid)
        if (most === undefined) continue
        statedKopecks += spend
        if (spend <= most * farFactor) continue
        overpaidKopecks += spend
        overpaidBy.add(campaignId)
      }
      return { fact, statedKopecks, overpaidKopecks, overpaidBy }
    })

/** What a row's views, or its clicks where those are paid, cost at a bid; undefined when they are none or not known. */
const mostFor = (table: Table, spend: string) => {
  const clicksOf = table.numbers(spend.replace(".spend@", ".clicks@"))
  const viewsOf = table.numbers(spend.replace(".spend@", ".views@"))
  const paymentOf = table.words("campaign.payment")
  return (row: number, bidKopecks: number): number | undefined => {
    const payment = paymentOf(row)
    if (payment === undefined) return undefined
    const isPerClick = payment === "cpc"
    const count = isPerClick ? clicksOf(row) : viewsOf(row)
    if (count === undefined || count === 0) return undefined
    return isPerClick ? count * bidKopecks : (count * bidKopecks) / 1000
  }
}
