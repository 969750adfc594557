import { describe, expect, it } from "vitest"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import * as Prices from "../../src/engine/decide/Prices.js"
import * as Cell from "../../src/engine/facts/Cell.js"
import { Table } from "../../src/engine/facts/Table.js"

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
  return Prices.objections(Prices.paid((each) => table.view(each)))
}

/** 4000 views at 300 ₽ for a thousand. */
const usual = { bidKopecks: 30_000, views: 4000, spendKopecks: 120_000 }

describe("spend that nobody can have paid", () => {
  it("is a hundred times what the views cost at the bid, in an account of one campaign on its first day", () => {
    expect(objections({ ...usual, spendKopecks: 12_000_000 })).toEqual([
      "campaign.spend@today: 120000 of it would be more than 10 times the highest bid for each view or click"
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
