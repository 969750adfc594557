import { describe, expect, it } from "vitest"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import * as Prices from "../../src/engine/decide/intents/Prices.js"
import * as Cell from "../../src/engine/facts/Cell.js"
import { Table } from "../../src/engine/facts/Table.js"
import type { HumanEdit } from "../../src/engine/kinds/HumanEdit.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"

interface Campaign {
  readonly bidKopecks?: number
  readonly payment?: "cpm" | "cpc"
  readonly views?: number
  readonly clicks?: number
  readonly spendKopecks: number
}

const objections = (...campaigns: ReadonlyArray<Campaign>) => {
  const table = Table.make("campaign")
  const items = table.view("campaign_item")
  campaigns.forEach(({ bidKopecks, clicks, payment = "cpm", spendKopecks, views }, n) => {
    const campaignId = CampaignId.make(n + 1)
    const row = table.add({ campaignId })
    const set = (fact: string, value: number | string | undefined) =>
      value === undefined ? undefined : table.set(row, fact, Cell.known(value))
    set("campaign.payment", payment)
    set("campaign.spend@today", spendKopecks)
    set("campaign.views@today", views)
    set("campaign.clicks@today", clicks)
    const item = items.add({ campaignId, itemId: ItemId.make(n + 1) })
    if (bidKopecks !== undefined) items.set(item, "campaign_item.bid", Cell.known(bidKopecks))
  })
  return Prices.doubtful(Prices.paid((each) => table.view(each))).map(Prices.objection)
}

/** 4000 views at 300 ₽ for a thousand. */
const usual = { bidKopecks: 30_000, views: 4000, spendKopecks: 120_000 }

describe("spend that nobody can have paid", () => {
  it("is a hundred times what the views cost at the bid, in an account of one campaign on its first day", () => {
    expect(objections({ ...usual, spendKopecks: 12_000_000 })).toEqual([
      "campaign.spend@today: 120000 of it would be more than 10 times the highest bid for each view or click, unless somebody lowered bids that far within these days"
    ])
  })

  it("is a hundred times what the clicks cost where those are paid", () => {
    const clicks = { payment: "cpc", bidKopecks: 700, clicks: 40, views: 4000 } as const
    expect(objections({ ...clicks, spendKopecks: 2_800_000 })).toHaveLength(1)
    expect(objections({ ...clicks, spendKopecks: 28_000 })).toEqual([])
  })

  it("is not a campaign that spends fast, or a bid that fell to a fifth", () => {
    expect(objections({ ...usual, views: 400_000, spendKopecks: 12_000_000 })).toEqual([])
    expect(objections({ ...usual, bidKopecks: 6000 })).toEqual([])
  })

  it("is not one campaign among others whose bid fell far", () => {
    const fallen = { ...usual, bidKopecks: 2000 }
    expect(objections(fallen, usual, usual)).toEqual([])
    expect(objections(fallen, fallen, usual)).toHaveLength(1)
  })

  it("is not told where bids, views or clicks are not known, or for a few roubles", () => {
    const far = { spendKopecks: 12_000_000 }
    expect(objections({ ...far, views: 4000 })).toEqual([])
    expect(objections({ ...far, bidKopecks: 30_000 })).toEqual([])
    expect(objections({ ...far, bidKopecks: 30_000, views: 0 })).toEqual([])
    expect(objections({ ...far, payment: "cpc", bidKopecks: 700, views: 4000 })).toEqual([])
    expect(objections({ bidKopecks: 9000, views: 1, spendKopecks: 100 })).toEqual([])
  })
})

describe("the highest bid that is remembered of a campaign", () => {
  const since = 1000
  const blank = { lastPolicy: "p", lastAppliedAt: undefined, pendingSince: undefined, dayFirstBid: undefined }
  const ours = (before: number | string) => ({ policy: "p", before, after: 1 })
  const highest = (slot: string, history: Partial<SlotHistory>, edits: ReadonlyArray<HumanEdit> = []) =>
    Prices.remembered(new Map([[slot, { ...blank, ...history, slot }]]), edits, since).get(CampaignId.make(7))

  it("is the first one of those days, one that was changed since, or one that an overlay stands over", () => {
    const overlay = { policy: "p", basisPoints: -9000, baseKopecks: 60_000, afterKopecks: 6000 }
    const night = { overlay, lastEdge: { policy: "p", at: since, on: true } }
    expect(highest("item_bid:7/1/search", { dayFirstBid: 40_000, ...night })).toBe(60_000)
    expect(highest("cluster_bid:7/1/boots", { lastAppliedAt: since, ours: ours(50_000) })).toBe(50_000)
    const edit = { slot: "item_bid:7/1/search", ours: 70_000, writtenAt: 1, live: 1000 }
    expect(highest("status:7", {}, [{ ...edit, firstSeenAt: since }])).toBe(70_000)
  })

  it("is none of earlier days, of a deposit or of a status", () => {
    const overlay = { policy: "p", basisPoints: -9000, baseKopecks: 60_000, afterKopecks: 6000 }
    const old = { overlay, lastEdge: { policy: "p", at: 1, on: true }, lastAppliedAt: 1, ours: ours(50_000) }
    const edit = { slot: "item_bid:7/1/search", ours: 70_000, writtenAt: 1, live: 1000, firstSeenAt: 1 }
    expect(highest("item_bid:7/1/search", old, [edit])).toBeUndefined()
    expect(highest("deposit:7", { dayFirstBid: 90_000, lastAppliedAt: since, ours: ours(1) })).toBeUndefined()
    expect(highest("status:7", { lastAppliedAt: since, ours: ours("active") })).toBeUndefined()
  })
})
