/**
 * Whether the spend of statistics can have been paid at all: nobody pays a multiple of the bid. It needs no earlier run,
 * so it holds in a new account and in one with a single campaign too. Pure.
 */
import type { Table } from "../facts/Table.js"

/** Spend of one fact that can be held against bids, kopecks: all of it, and the part that nobody can have paid. */
export interface Paid {
  /** Fact with its window, as tables name it: `campaign.spend@today`. */
  readonly fact: string
  readonly statedKopecks: number
  readonly overpaidKopecks: number
}

/** Bids and what views or clicks have cost are compared within one answer each, so age is no reason to differ so far. */
const farFactor = 10
/** Below this much, rounding may speak, kopecks. */
const leastKopecks = 1000

/**
 * Each spend of the three advertising levels, held against the highest bid that the campaign has now. Rows without
 * views (of clicks paid: without clicks), and campaigns whose bids are not known, are left out of both sums.
 */
export const paid = (
  table: (each: "campaign" | "campaign_item" | "cluster") => Table
): ReadonlyArray<Paid> => {
  const bids = highest([
    [table("campaign_item"), ["campaign_item.bid", "campaign_item.bid.recommendations"]],
    [table("cluster"), ["cluster.bid"]]
  ])
  return (["campaign", "campaign_item", "cluster"] as const)
    .flatMap((each) => ofTable(table(each), each, bids))
    .sort((a, b) => (a.fact < b.fact ? -1 : 1))
}

/** Every spend most of which nobody can have paid, in words for people. Half of it: one campaign whose bid fell is none. */
export const objections = (paid: ReadonlyArray<Paid>): ReadonlyArray<string> =>
  paid
    .filter(
      ({ overpaidKopecks, statedKopecks }) =>
        overpaidKopecks >= leastKopecks && overpaidKopecks * 2 >= statedKopecks
    )
    .map(({ fact, overpaidKopecks }) => {
      const roubles = Math.round(overpaidKopecks / 100)
      return `${fact}: ${roubles} of it would be more than ${farFactor} times the highest bid for each view or click`
    })

/** By campaign, kopecks. */
const highest = (
  places: ReadonlyArray<readonly [Table, ReadonlyArray<string>]>
): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  for (const [table, facts] of places)
    for (const fact of facts)
      for (let row = 0; row < table.size; row++) {
        const bid = numberAt(table, row, fact)
        const { campaignId } = table.target(row)
        if (bid === undefined || campaignId === undefined) continue
        found.set(campaignId, Math.max(bid, found.get(campaignId) ?? 0))
      }
  return found
}

const ofTable = (table: Table, each: string, bids: ReadonlyMap<number, number>): ReadonlyArray<Paid> =>
  [...table.columns.keys()]
    .filter((fact) => fact.startsWith(`${each}.spend@`))
    .map((fact) => {
      let statedKopecks = 0
      let overpaidKopecks = 0
      for (let row = 0; row < table.size; row++) {
        const spend = numberAt(table, row, fact)
        const { campaignId } = table.target(row)
        const bid = campaignId === undefined ? undefined : bids.get(campaignId)
        if (spend === undefined || bid === undefined) continue
        const most = mostFor(table, row, fact, bid)
        if (most === undefined) continue
        statedKopecks += spend
        if (spend > most * farFactor) overpaidKopecks += spend
      }
      return { fact, statedKopecks, overpaidKopecks }
    })

/** What a row's views, or its clicks where those are paid, cost at a bid; undefined when they are none or not known. */
const mostFor = (table: Table, row: number, spend: string, bidKopecks: number): number | undefined => {
  const payment = table.get(row, "campaign.payment")
  if (payment._tag === "Unknown") return undefined
  const isPerClick = payment.value === "cpc"
  const count = numberAt(table, row, spend.replace(".spend@", isPerClick ? ".clicks@" : ".views@"))
  if (count === undefined || count === 0) return undefined
  return isPerClick ? count * bidKopecks : (count * bidKopecks) / 1000
}

const numberAt = (table: Table, row: number, fact: string): number | undefined => {
  const cell = table.get(row, fact)
  return cell._tag === "Known" && typeof cell.value === "number" ? cell.value : undefined
}
