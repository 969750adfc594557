import * as Schema from "effect/Schema"
import { expect, test } from "vitest"
import * as Routes from "../../src/sandbox/Routes.js"
import * as ErrorBody from "../../src/services/ErrorBody.js"
import { type Marketplace, withMarketplace } from "./Real.js"

const manual = { advert_id: 1000001, nm_id: 200000001 }
const pairs = [manual]
const camelPairs = [{ advertId: 1000001, nmId: 200000001 }]
const week = { from: "2026-11-13", to: "2026-11-19" }
const calendar = "/api/v1/calendar/promotions"

/** A valid request of every operation that needs no knowledge of clusters. */
const requests: Record<string, readonly [query: string, body?: unknown]> = {
  listCampaignIds: [""],
  getCampaigns: ["?ids=1000001,1000002&statuses=9&payment_type=cpm"],
  getMinimumBids: [
    "",
    { advert_id: 1000001, nm_ids: [200000001], payment_type: "cpm", placement_types: ["search"] }
  ],
  createCampaign: ["", { name: "Новая", nms: [200000001] }],
  listCampaignSubjects: [""],
  listCampaignItems: ["", [101, 108]],
  deleteCampaign: ["?id=1000007"],
  renameCampaign: ["", { advertId: 1000001, name: "Иначе" }],
  startCampaign: ["?id=1000006"],
  pauseCampaign: ["?id=1000001"],
  stopCampaign: ["?id=1000002"],
  setCampaignPlacements: [
    "",
    { placements: [{ advert_id: 1000001, placements: { search: true, recommendations: true } }] }
  ],
  setItemBids: [
    "",
    {
      bids: [{ advert_id: 1000001, nm_bids: [{ nm_id: 200000001, bid_kopecks: 30000, placement: "search" }] }]
    }
  ],
  changeCampaignItems: [
    "",
    { nms: [{ advert_id: 1000001, nms: { add: [200000019], delete: [200000002] } }] }
  ],
  getBidRecommendations: ["?nmId=200000005&advertId=1000003"],
  getPromotionConfig: [""],
  getClusterBids: ["", { items: pairs }],
  getMinusPhrases: ["", { items: pairs }],
  setMinusPhrases: ["", { ...manual, norm_queries: [] }],
  listClusters: ["", { items: camelPairs }],
  getBalance: [""],
  getCampaignBudget: ["?id=1000001"],
  depositCampaignBudget: ["?id=1000001", { sum: 1000, type: 1 }],
  getCostHistory: ["?from=2026-11-13&to=2026-11-19"],
  getPaymentHistory: ["?from=2026-10-25&to=2026-11-19"],
  getClusterStats: ["", { ...week, items: pairs }],
  getCampaignStats: ["?ids=1000001,1000003&beginDate=2026-11-13&endDate=2026-11-19"],
  getClusterDailyStats: ["", { ...week, items: camelPairs }],
  listPromotions: ["?startDateTime=2026-11-01T00:00:00Z&endDateTime=2026-12-01T00:00:00Z&allPromo=true"],
  getPromotionDetails: ["?promotionIDs=1002&promotionIDs=1003"],
  listPromotionItems: ["?promotionID=1003&inAction=false&limit=10&offset=0"],
  uploadPromotionItems: ["", { data: { promotionID: 1003, uploadNow: true, nomenclatures: [200000001] } }]
}

const routeOf = (id: string) => Routes.all.find((route) => route.facts.id === id)!
const send = (m: Marketplace, id: string, query: string, body?: unknown) =>
  m.ask(routeOf(id).method, routeOf(id).path + query, body === undefined ? {} : { body })
const sized = { scale: { campaigns: 9, items: 2, clusters: 6 } }

test("every advertising operation answers with a status its declaration names", () =>
  withMarketplace(sized, async (m) => {
    const advertising = Routes.all.filter(({ facts }) => facts.host === "advert" || facts.host === "calendar")
    const ids = [...new Set(advertising.map((route) => route.facts.id))]
    expect(ids).toHaveLength(35)
    const clusterText = (await send(m, "listClusters", "", { items: camelPairs })).json.items[0].normQueries
      .active[0]
    const snake = { bids: [{ ...manual, norm_query: clusterText, bid: 300 }] }
    const bids: typeof requests = {
      setClusterBids: ["", snake],
      deleteClusterBids: ["", { bids: [{ ...manual, norm_query: clusterText }] }],
      setClusterBidsMinorUnits: [
        "",
        { bids: [{ ...camelPairs[0], normQuery: clusterText, bidMinorUnits: 30000 }] }
      ]
    }
    const all = { ...bids, ...requests }
    for (const id of ids) {
      const [query, body] = all[id]!
      const answer = await send(m, id, query, body)
      expect([id, answer.text.slice(0, 200), routeOf(id).facts.success.includes(answer.status)]).toEqual([
        id,
        answer.text.slice(0, 200),
        true
      ])
    }
    const writes = ids.filter((id) => routeOf(id).facts.access === "write")
    expect([...new Set(m.sandbox.ledger.entries.map((e) => e.operation))].sort()).toEqual(writes.sort())
  }))

test("every operation with a body refuses one that is not JSON, in its documented shape", () =>
  withMarketplace(sized, async (m) => {
    const withBody = Routes.all.filter(({ facts, method }) => method !== "GET" && facts.errors.includes(400))
    for (const { facts, method, path } of withBody) {
      const url = path.replace(":supplyId", "PLATFORM-GI-1").replace(/:\w+/g, "1")
      m.advance(2 * 3_600_000)
      const { status, text } = await m.ask(method, url, { raw: "{" })
      const schema = ErrorBody.schemaOf(ErrorBody.shapeOf(status, facts.errorShape, facts.host))
      const body =
        facts.errorShape === "text" || status === 422 ? text : text === "" ? undefined : JSON.parse(text)
      expect([facts.id, status >= 400 && status < 500]).toEqual([facts.id, true])
      expect([facts.id, Schema.is(schema)(body)]).toEqual([facts.id, true])
    }
    expect(withBody.length).toBeGreaterThan(50)
  }))

test("a bad request is answered in the shape of its operation", () =>
  withMarketplace(sized, async (m) => {
    const bad: ReadonlyArray<readonly [string, string, unknown, unknown]> = [
      [
        "getCampaigns",
        "?ids=x",
        undefined,
        {
          detail: expect.any(String),
          origin: expect.any(String),
          request_id: expect.any(String),
          status: 400,
          title: "bad request"
        }
      ],
      [
        "setMinusPhrases",
        "",
        { items: [] },
        {
          detail: expect.any(String),
          origin: expect.any(String),
          request_id: expect.any(String),
          status: 400,
          title: "bad request"
        }
      ],
      ["depositCampaignBudget", "?id=1000001", { sum: 999, type: 0 }, { error: expect.any(String) }],
      ["createCampaign", "", { name: "Пустая" }, expect.any(String)],
      ["getPaymentHistory", "?from=2026-01-01&to=2026-03-01", undefined, expect.any(String)],
      [
        "getCampaignStats",
        "?ids=1&beginDate=2026-01-01&endDate=2026-03-01",
        undefined,
        expect.objectContaining({ errors: [{ detail: expect.any(String), field: "" }] })
      ],
      [
        "listPromotions",
        "?startDateTime=2026-11-01&endDateTime=x&allPromo=1",
        undefined,
        { errorText: expect.any(String) }
      ]
    ]
    for (const [id, query, body, shape] of bad) {
      const answer = await send(m, id, query, body)
      expect([id, answer.status]).toEqual([id, 400])
      expect(answer.json).toEqual(shape)
    }
    for (const [id, query, body] of [
      ["getCampaignBudget", "?id=77", undefined],
      ["listCampaignItems", "", {}],
      ["getCostHistory", "?from=2026-11-19&to=2026-11-01", undefined],
      ["getBidRecommendations", "?nmId=200000011&advertId=1000006", undefined]
    ] as const) {
      const answer = await send(m, id, query, body)
      expect([id, answer.status, answer.headers.get("content-type")]).toEqual([
        id,
        400,
        "text/plain; charset=utf-8"
      ])
    }
  }))

test("lists longer than the seed allows are refused", () =>
  withMarketplace(sized, async (m) => {
    const many = <A>(n: number, value: A) => Array.from({ length: n }, () => value)
    const over: ReadonlyArray<readonly [string, string, unknown]> = [
      ["getCampaigns", `?ids=${many(51, 1).join(",")}`, undefined],
      [
        "getMinimumBids",
        "",
        { advert_id: 1000001, nm_ids: many(101, 200000001), payment_type: "cpm", placement_types: ["search"] }
      ],
      [
        "setItemBids",
        "",
        {
          bids: many(51, {
            advert_id: 1000001,
            nm_bids: [{ nm_id: 200000001, bid_kopecks: 30000, placement: "search" }]
          })
        }
      ],
      ["changeCampaignItems", "", { nms: many(21, { advert_id: 1000001, nms: { add: [200000019] } }) }],
      ["getClusterBids", "", { items: many(101, manual) }],
      ["setMinusPhrases", "", { ...manual, norm_queries: many(1001, "x") }],
      ["getCampaignStats", `?ids=${many(51, 1).join(",")}&beginDate=2026-11-01&endDate=2026-11-02`, undefined]
    ]
    for (const [id, query, body] of over)
      expect([id, (await send(m, id, query, body)).status]).toEqual([id, 400])
  }))

test("nothing to report is 204 for payments, and a bad request or null for full statistics", () =>
  withMarketplace(sized, async (m) => {
    expect((await send(m, "getPaymentHistory", "?from=2026-11-18&to=2026-11-19")).status).toBe(204)
    const stats = (ids: string) =>
      send(m, "getCampaignStats", `?ids=${ids}&beginDate=2026-11-18&endDate=2026-11-19`)
    expect((await stats("1000007")).status).toBe(400)
  }))

test("auto, finished and unknown promotions are refused; the same upload is known the second time", () =>
  withMarketplace(sized, async (m) => {
    for (const id of [1001, 1004, 9999])
      expect((await m.ask("GET", `${calendar}/nomenclatures?promotionID=${id}&inAction=true`)).status).toBe(
        422
      )
    const data = { promotionID: 1003, uploadNow: true, nomenclatures: [200000001, 200000002] }
    const first = await m.ask("POST", `${calendar}/upload`, { body: { data } })
    expect(first.json).toEqual({ data: { alreadyExists: false, uploadID: 7000001 } })
    const same = await m.ask("POST", `${calendar}/upload`, {
      body: { data: { ...data, nomenclatures: [200000002, 200000001] } }
    })
    expect(same.json).toEqual({ data: { alreadyExists: true, uploadID: 7000001 } })
    expect(m.sandbox.ledger.entries).toHaveLength(1)
  }))
