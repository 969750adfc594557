import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId, PromotionId } from "../../src/domain/Ids.js"
import { Kopecks } from "../../src/domain/Money.js"
import * as DailySpend from "../../src/engine/decide/limits/DailySpend.js"
import * as Table from "../../src/engine/facts/Table.js"
import { valueIn } from "../../src/engine/gather/FactSource.js"
import type { AdChange, Change } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Answered from "../../src/marketplace/facts/Answered.js"
import * as BidFacts from "../../src/marketplace/facts/BidFacts.js"
import * as CampaignFacts from "../../src/marketplace/facts/CampaignFacts.js"
import * as ClusterFacts from "../../src/marketplace/facts/ClusterFacts.js"
import * as PromotionFacts from "../../src/marketplace/facts/PromotionFacts.js"
import * as StatisticFacts from "../../src/marketplace/facts/StatisticFacts.js"
import * as ClusterBids from "../../src/marketplace/writes/ClusterBids.js"
import * as MinusLists from "../../src/marketplace/writes/MinusLists.js"
import type { Campaign } from "../../src/services/areas/advertising/Campaigns.js"
import { LimitStopped } from "../../src/services/Limiter.js"
import { cellsOf } from "./CellsOf.js"

const campaignId = CampaignId.make(7)
const itemId = ItemId.make(11)
const pair = { campaignId, itemId }

const campaign = (over: Partial<Campaign>, search: number, recommendations: number): Campaign => ({
  campaignId,
  name: "Shoes",
  status: "active",
  payment: "cpm",
  bidType: "manual",
  currency: "RUB",
  placements: { search: true, recommendations: false },
  items: [
    {
      itemId,
      searchBidKopecks: Kopecks(search),
      recommendationsBidKopecks: Kopecks(recommendations),
      subject: "Shoes",
      subjectId: 1
    }
  ],
  canChangeItems: true,
  createdAt: undefined,
  startedAt: undefined,
  updatedAt: undefined,
  ...over
})

const cellOf = (rows: ReturnType<typeof CampaignFacts.rows>, id: string) =>
  rows.flatMap((row) => cellsOf(row).get(id) ?? []).at(-1)

const nowMs = Date.parse("2026-09-01T06:00:00Z")

describe("facts of a campaign", () => {
  it("count its age from the instant of its creation, and believe none without an offset or to come", () => {
    const age = (createdAt: string | undefined) =>
      cellOf(CampaignFacts.rows(campaign({ createdAt }, 1, 1), nowMs), "campaign.age")
    const known = (value: number) => ({ _tag: "Known", value })
    expect(age("2026-08-29T09:00:00+03:00")).toEqual(known(3 * 86_400_000))
    expect(age("2026-09-01T05:59:59.5Z")).toEqual(known(500))
    expect(age("2026-09-01T09:00:00.000001+03:00")).toEqual(known(0))
    expect(age(undefined)).toMatchObject({ reason: "absent" })
    for (const odd of ["2026-09-01T09:00:01+03:00", "2026-08-29T09:00:00", "2026-08-29", "", "yesterday"])
      expect(age(odd)).toMatchObject({ reason: "failed" })
  })

  it("take the larger of both bids of a standard-bid campaign, wherever it stands", () => {
    for (const [search, recommendations] of [
      [0, 300],
      [300, 0],
      [300, 300]
    ] as const) {
      const rows = CampaignFacts.rows(campaign({ bidType: "unified" }, search, recommendations), nowMs)
      expect(cellOf(rows, "campaign_item.bid")).toEqual({ _tag: "Known", value: 300 })
      expect(cellOf(rows, "campaign_item.bid.recommendations")).toMatchObject({ reason: "notApplicable" })
    }
  })

  it("know no bid of zero", () => {
    expect(cellOf(CampaignFacts.rows(campaign({}, 0, 500), nowMs), "campaign_item.bid")).toMatchObject({
      reason: "absent"
    })
  })

  it("say how to ask for minimum bids, and not to ask when settings are unknown", () => {
    expect(BidFacts.minimumQuestion(campaign({ bidType: "unified" }, 1, 1))?.placements).toEqual(["combined"])
    expect(BidFacts.minimumQuestion(campaign({}, 1, 1))?.placements).toEqual(["search"])
    expect(BidFacts.minimumQuestion(undefined)).toBeUndefined()
    expect(BidFacts.minimumQuestion(campaign({ payment: undefined }, 1, 1))).toBeUndefined()
  })
})

it("nobody takes part in a promotion where none is counted, and not where a few of many are 0%", () => {
  const told = (joined: number | undefined) =>
    PromotionFacts.row(
      {
        id: PromotionId.make(1),
        advantages: [],
        ranging: [],
        participationPercentage: 0,
        notInPromoActionTotal: 499,
        ...(joined === undefined ? {} : { inPromoActionTotal: joined })
      },
      0
    ).map((row) => valueIn(row, "promotion.participation"))
  expect([told(0), told(1)]).toEqual([[0], [1 / 500]])
  expect(told(undefined)).toEqual([expect.objectContaining({ _tag: "Unknown" })])
})

describe("facts of clusters", () => {
  const cluster = Cluster.make("red shoes")

  it("fall back to the item's bid, and say whose it is", () => {
    const own = { ...pair, cluster, bidKopecks: Kopecks(400), isRead: true }
    const inherited = ClusterFacts.inheritedBidRow(pair, Kopecks(300))
    const mine = ClusterFacts.ownBidRow(own)
    expect(Object.fromEntries(cellsOf(inherited))).toEqual({
      "cluster.has_own_bid": { _tag: "Known", value: false },
      "cluster.bid": { _tag: "Known", value: 300 }
    })
    expect(cellsOf(mine).get("cluster.bid")).toEqual({ _tag: "Known", value: 400 })
  })

  it("leave out what the store would not know again by its name", () => {
    const active = ["кеды", "кеды \ud83d", "a\u0000b", "кеды 👟"].map((name) => Cluster.make(name))
    const kept = ClusterFacts.storables({ ...pair, active, excluded: active.slice(2), archived: [] })
    expect(kept).toMatchObject({ active: ["кеды", "кеды 👟"], excluded: ["кеды 👟"], unstorable: 2 })
  })

  it("have one row in several lists, by the first of them", () => {
    const [a, b, c] = [Cluster.make("a"), Cluster.make("b"), Cluster.make("c")]
    const rows = ClusterFacts.listRows({ ...pair, active: [], excluded: [a, b, a], archived: [b, c] })
    expect(rows.map(({ values }) => values)).toEqual([
      ["a", "excluded"],
      ["b", "excluded"],
      ["c", "archived"]
    ])
  })

  it("are unknown, not outside the list, when the minus list was not answered", () => {
    const [row] = ClusterFacts.minusRows({ ...pair, phrases: undefined })
    expect(cellsOf(row!).get("cluster.in_minus")).toEqual({ _tag: "Unknown", reason: "absent" })
  })

  it("recompute ratios from counts and leave unreported counts absent", () => {
    const numbers = {
      cluster,
      views: undefined,
      clicks: 4,
      spendKopecks: Kopecks(1000),
      carts: 0,
      orders: 2,
      position: 3
    }
    const [row] = StatisticFacts.clusterRows({ ...pair, clusters: [numbers], unread: [] })
    expect(cellsOf(row!).get("cluster.cpc")).toEqual({ _tag: "Known", value: 250 })
    expect(cellsOf(row!).get("cluster.cpo")).toEqual({ _tag: "Known", value: 500 })
    expect(cellsOf(row!).get("cluster.ctr")).toEqual({ _tag: "Unknown", reason: "absent" })
    expect(cellsOf(row!).get("cluster.views")).toEqual({ _tag: "Unknown", reason: "absent" })
  })
})

describe("a campaign's statistics", () => {
  const totals = {
    views: 1000,
    clicks: 10,
    carts: 1,
    orders: 1,
    associatedOrders: 0,
    units: 1,
    canceled: 0,
    spendKopecks: undefined,
    orderValueKopecks: Kopecks(5000)
  }
  const none = {
    views: undefined,
    clicks: undefined,
    carts: undefined,
    orders: undefined,
    associatedOrders: undefined,
    units: undefined,
    canceled: undefined,
    spendKopecks: undefined,
    orderValueKopecks: undefined
  }
  const today = (numbers: typeof totals | typeof none) => {
    const rows = StatisticFacts.campaignRows({
      campaignId,
      reported: true,
      isPart: false,
      totals: numbers,
      items: [],
      days: []
    })
    const table = Table.make("campaign")
    const row = table.add({ campaignId })
    for (const [id, cell] of cellsOf(rows[0]!)) table.set(row, `${id}@today`, cell)
    return {
      cells: cellsOf(rows[0]!),
      spent: DailySpend.today({ campaigns: table, campaignsUnread: 0, spentByCompleted: 0 })
    }
  }

  it("whose spend was left out was shown, and paid nobody knows what: never nothing", () => {
    const { cells, spent } = today(totals)
    for (const word of ["spend", "cpc", "cpm", "cpo", "acos"])
      expect(cells.get(`campaign.${word}`)).toEqual({ _tag: "Unknown", reason: "failed" })
    expect(cells.get("campaign.ctr")).toEqual({ _tag: "Known", value: 0.01 })
    expect(spent).toBe("today's spend of campaign 7 is unknown: could not be fetched")
  })

  it("that name no day are nothing spent", () => {
    const { cells, spent } = today(none)
    expect(cells.get("campaign.spend")).toEqual({ _tag: "Unknown", reason: "absent" })
    expect(spent).toBe(0)
  })
})

describe("a merged minus list", () => {
  const phrases = fc.uniqueArray(fc.constantFrom(..."abcdefgh").map((text) => Cluster.make(text)))
  const change = (cluster: Cluster, after: boolean): Change => ({
    id: `${cluster}`,
    origin: { by: "policy", name: "p", line: 1 },
    subject: { ...pair, cluster },
    campaignName: "",
    action: after ? "add_minus" : "remove_minus",
    before: !after,
    after,
    kind: "minus_phrase",
    details: {},
    reason: [],
    clamps: [],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: 0
  })

  it("keeps every phrase we do not touch, in its order, and holds each phrase once", () => {
    fc.assert(
      fc.property(phrases, phrases, phrases, (now, added, toRemove) => {
        const removed = toRemove.filter((phrase) => !added.includes(phrase))
        const merged = MinusLists.merge(
          now,
          [...added.map((c) => change(c, true)), ...removed.map((c) => change(c, false))].filter(isOfCampaign)
        )
        expect(new Set(merged).size).toBe(merged.length)
        const untouched = now.filter((phrase) => !removed.includes(phrase))
        expect(merged.slice(0, untouched.length)).toEqual(untouched)
        expect(added.every((phrase) => merged.includes(phrase))).toBe(true)
        expect(removed.some((phrase) => merged.includes(phrase))).toBe(false)
      })
    )
  })
})

describe("a request that one disabled phrase fails", () => {
  it("costs that phrase's row only, though the reason spells it with another letter or case (M12)", () => {
    const subject = { campaignId: CampaignId.make(777), itemId: ItemId.make(1001) }
    const rows = ["Ёлка искусственная", "кеды"].map((text) => ({ ...subject, cluster: Cluster.make(text) }))
    const reason = "phrase елка искусственная is disabled"
    const values = rows.map((row) => ({ row, outcome: "failed" as const, reason }))
    const chunk = rows.map(
      (row): AdChange => ({
        id: row.cluster,
        origin: { by: "policy", name: "p", line: 1 },
        subject: row,
        campaignName: "",
        action: "lower_bid",
        before: 300,
        after: 200,
        kind: "cluster_bid",
        details: {},
        reason: [],
        clamps: [],
        overruled: [],
        reversible: true,
        moneyPerDayKopecks: 0
      })
    )
    const tags = [...ClusterBids.outcomesOf(chunk, { values, failures: [] }).values()].map(({ _tag }) => _tag)
    expect(tags).toEqual(["Rejected", "Spoiled"])
  })
})

describe("a call that was not made", () => {
  it("left no room only where its limit did, and not where the store that keeps the limits failed", () => {
    const reasons = (["no_room", "not_kept", "switched_off"] as const).map((because) => {
      const error = new LimitStopped({ limitGroup: "stats", because, waitMs: 0, frozenUntil: undefined })
      return Answered.failure("getCampaignStats", 1, error).reason
    })
    expect(reasons).toEqual(["notFetched", "failed", "failed"])
  })
})
