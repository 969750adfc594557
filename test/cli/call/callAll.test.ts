/** Every operation of the interface answers through `bidhelm call`. */
import { expect, it } from "vitest"
import * as Shop from "../Shop.js"

const campaign = 1_000_001
const item = 200_000_001
const spare = 200_000_030
const cluster = "перчатки зимние красные"
const pair = { advert_id: campaign, nm_id: item }
const days = { from: "2026-08-20", to: "2026-08-31" }

/** Parameters by operation, in an order in which each finds what it needs. */
const calls: ReadonlyArray<readonly [operation: string, params: unknown]> = [
  ["listCampaignIds", {}],
  ["getCampaigns", { ids: [campaign] }],
  [
    "getMinimumBids",
    { advert_id: campaign, nm_ids: [item], payment_type: "cpm", placement_types: ["search"] }
  ],
  ["listCampaignSubjects", {}],
  ["listCampaignItems", [178]],
  ["getBidRecommendations", { advertId: campaign, nmId: item }],
  ["getPromotionConfig", {}],
  ["getClusterBids", { items: [pair] }],
  ["getMinusPhrases", { items: [pair] }],
  ["listClusters", { items: [{ advertId: campaign, nmId: item }] }],
  ["getBalance", {}],
  ["getCampaignBudget", { id: campaign }],
  ["getCostHistory", days],
  ["getPaymentHistory", days],
  ["getClusterStats", { ...days, items: [pair] }],
  ["getCampaignStats", { ids: [campaign], beginDate: days.from, endDate: days.to }],
  ["getClusterDailyStats", { ...days, items: [{ advertId: campaign, nmId: item }] }],
  [
    "listPromotions",
    { startDateTime: "2026-09-03T00:00:00Z", endDateTime: "2026-10-30T00:00:00Z", allPromo: true }
  ],
  [
    "setClusterBidsMinorUnits",
    { bids: [{ advertId: campaign, nmId: item, normQuery: cluster, bidMinorUnits: 30_000 }] }
  ],
  ["setClusterBids", { bids: [{ ...pair, norm_query: cluster, bid: 310 }] }],
  ["deleteClusterBids", { bids: [{ ...pair, norm_query: cluster }] }],
  ["setMinusPhrases", { ...pair, norm_queries: [cluster] }],
  [
    "setItemBids",
    { bids: [{ advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks: 40_000, placement: "search" }] }] }
  ],
  [
    "setCampaignPlacements",
    { placements: [{ advert_id: campaign, placements: { search: true, recommendations: false } }] }
  ],
  ["changeCampaignItems", { nms: [{ advert_id: campaign, nms: { add: [spare], delete: [] } }] }],
  ["renameCampaign", { advertId: campaign, name: "Осень" }],
  ["depositCampaignBudget", { id: campaign, sum: 1000, type: 1 }],
  ["pauseCampaign", { id: campaign }],
  ["startCampaign", { id: campaign }],
  ["stopCampaign", { id: campaign }],
  [
    "createCampaign",
    { name: "Новая", nms: [spare], bid_type: "manual", payment_type: "cpm", placement_types: ["search"] }
  ]
]

it("answers all 35 operations", { timeout: 180_000 }, async () => {
  const shop = await Shop.Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 }, speed: 300 })
  const failed: Array<string> = []
  const done = new Set<string>()
  const call = async (operation: string, params: unknown): Promise<unknown> => {
    const { code, stderr, stdout } = await shop.run(
      "call",
      operation,
      "--params",
      JSON.stringify(params),
      "--yes"
    )
    done.add(operation)
    if (code !== 0) failed.push(`${operation}: ${stderr}`)
    // What is as asked for already is not sent, and has no answer.
    return code === 0 && stdout !== "" ? JSON.parse(stdout) : undefined
  }
  try {
    for (const [operation, params] of calls) await call(operation, params)
    const from = {
      startDateTime: "2026-09-03T00:00:00Z",
      endDateTime: "2026-10-30T00:00:00Z",
      allPromo: true
    }
    const list = (await call("listPromotions", from)) as {
      data: { promotions: ReadonlyArray<{ id: number; type: string }> }
    }
    const promotion = list.data.promotions.find(({ type }) => type !== "auto")?.id ?? 0
    await call("getPromotionDetails", { promotionIDs: [promotion] })
    await call("listPromotionItems", { promotionID: promotion, inAction: false })
    await call("uploadPromotionItems", {
      data: { promotionID: promotion, uploadNow: true, nomenclatures: [item] }
    })
    const ledger = await (await fetch(`${shop.url}/_sandbox/ledger`)).text()
    expect(ledger.match(/"isPricedNow":\w+/g)).toEqual(['"isPricedNow":true'])
    // A new campaign is listed some minutes later.
    await shop.advance(10 * 60_000)
    const { adverts } = (await call("listCampaignIds", {})) as {
      adverts: ReadonlyArray<{ status: number; advert_list: ReadonlyArray<{ advertId: number }> }>
    }
    const ready = adverts.find(({ status }) => status === 4)?.advert_list[0]?.advertId
    await call("deleteCampaign", { id: ready ?? 0 })
    expect(failed).toEqual([])
    expect(done.size).toBe(35)
  } finally {
    await shop.close()
  }
})
