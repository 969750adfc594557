import { expect, test } from "vitest"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

const sized = { scale: { campaigns: 9, items: 2, clusters: 12 } }
const manual = { advert_id: 1000001, nm_id: 200000001 }
const unified = { advert_id: 1000004, nm_id: 200000007 }
const cpc = { advert_id: 1000005, nm_id: 200000009 }

const itemBids = (m: Marketplace, campaign: number, item: number, kopecks: number, placement: string) =>
  m.ask("PATCH", "/api/advert/v1/bids", {
    body: { bids: [{ advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks: kopecks, placement }] }] }
  })
const bidsOf = async (m: Marketplace, campaign: number, item: number) =>
  (await m.ask("GET", `/api/advert/v2/adverts?ids=${campaign}`)).json.adverts[0].nm_settings.find(
    (s: { nm_id: number }) => s.nm_id === item
  ).bids_kopecks
const floorOf = async (m: Marketplace, campaign: number, item: number, type: string, payment = "cpm") =>
  (
    await m.ask("POST", "/api/advert/v1/bids/min", {
      body: { advert_id: campaign, nm_ids: [item], payment_type: payment, placement_types: [type] }
    })
  ).json.bids[0].bids[0].value as number
const clusters = async (m: Marketplace) =>
  (
    await m.ask("GET", `/_sandbox/state?campaign=${manual.advert_id}`)
  ).json.campaigns[0].items[0].clusters.map((c: { cluster: string }) => c.cluster) as ReadonlyArray<string>
const listed = async (m: Marketplace) =>
  (
    await m.ask("POST", "/adv/v0/normquery/list", {
      body: { items: [{ advertId: manual.advert_id, nmId: manual.nm_id }] }
    })
  ).json.items[0].normQueries as { active: ReadonlyArray<string> }

test("an item bid is seen 30 seconds after it was accepted, and the latest within them wins", () =>
  withMarketplace(sized, async (m) => {
    const before = await bidsOf(m, manual.advert_id, manual.nm_id)
    await itemBids(m, manual.advert_id, manual.nm_id, 40000, "search")
    await itemBids(m, manual.advert_id, manual.nm_id, 41000, "search")
    expect(await bidsOf(m, manual.advert_id, manual.nm_id)).toEqual(before)
    m.advance(29_999)
    expect(await bidsOf(m, manual.advert_id, manual.nm_id)).toEqual(before)
    m.advance(1)
    expect((await bidsOf(m, manual.advert_id, manual.nm_id)).search).toBe(41000)
    expect(m.sandbox.ledger.entries.map((e) => [e.before, e.after])).toEqual([
      [before.search, 40000],
      [40000, 41000]
    ])
  }))

test("a combined bid is for the standard bid only, and sets both places alike", () =>
  withMarketplace(sized, async (m) => {
    expect((await itemBids(m, manual.advert_id, manual.nm_id, 40000, "combined")).status).toBe(400)
    expect((await itemBids(m, unified.advert_id, unified.nm_id, 40000, "search")).status).toBe(400)
    expect((await itemBids(m, unified.advert_id, unified.nm_id, 40000, "combined")).json).toEqual({
      bids: [
        {
          advert_id: unified.advert_id,
          nm_bids: [{ nm_id: unified.nm_id, bid_kopecks: 40000, placement: "combined" }]
        }
      ],
      currency: "RUB"
    })
    m.advance(30_000)
    expect(await bidsOf(m, unified.advert_id, unified.nm_id)).toEqual({
      search: 40000,
      recommendations: 40000
    })
  }))

test("one bid below the floor refuses the whole batch and names the floor", () =>
  withMarketplace(sized, async (m) => {
    const floor = await floorOf(m, manual.advert_id, manual.nm_id, "search")
    const other = { nm_id: 200000002, bid_kopecks: 40000, placement: "search" }
    const answer = await m.ask("PATCH", "/api/advert/v1/bids", {
      body: {
        bids: [
          { advert_id: 1000001, nm_bids: [other, { ...other, nm_id: 200000001, bid_kopecks: floor - 100 }] }
        ]
      }
    })
    expect(answer.status).toBe(400)
    expect(answer.json.detail).toContain(`no less than ${floor / 100}, min: ${floor}`)
    expect(m.sandbox.ledger.entries).toEqual([])
  }))

test("a bid off the step is refused: whole roubles per thousand views, ten kopecks per click", () =>
  withMarketplace(sized, async (m) => {
    expect((await itemBids(m, manual.advert_id, manual.nm_id, 40050, "search")).status).toBe(400)
    expect((await itemBids(m, cpc.advert_id, cpc.nm_id, 2005, "search")).status).toBe(400)
    expect((await itemBids(m, cpc.advert_id, cpc.nm_id, 2010, "search")).status).toBe(200)
  }))

test("a campaign that is completed or declined takes no changes", () =>
  withMarketplace(sized, async (m) => {
    expect((await itemBids(m, 1000008, 200000015, 40000, "search")).status).toBe(400)
    expect((await itemBids(m, 1000009, 200000017, 40000, "search")).status).toBe(400)
    expect((await itemBids(m, 1000007, 200000013, 40000, "search")).status).toBe(200)
  }))

test("cluster bids are roubles in v0 and minor units in v1, and read back in both", () =>
  withMarketplace(sized, async (m) => {
    const [first, second] = (await listed(m)).active
    const v0 = await m.ask("POST", "/adv/v0/normquery/bids", {
      body: { bids: [{ ...manual, norm_query: first, bid: 321 }] }
    })
    expect(v0.json).toEqual({ success: [{ ...manual, norm_query: first, currency: "RUB" }], failed: [] })
    const v1 = await m.ask("POST", "/api/advert/v1/normquery/bids", {
      body: { bids: [{ advertId: 1000001, nmId: 200000001, normQuery: second, bidMinorUnits: 32200 }] }
    })
    expect(v1.json.success).toHaveLength(1)
    m.advance(30_000)
    const { json } = await m.ask("POST", "/adv/v0/normquery/get-bids", { body: { items: [manual] } })
    expect(json.bids).toContainEqual({
      ...manual,
      norm_query: first,
      bid: 321,
      bid_kopecks: 32100,
      currency: "RUB"
    })
    expect(json.bids).toContainEqual({
      ...manual,
      norm_query: second,
      bid: 322,
      bid_kopecks: 32200,
      currency: "RUB"
    })
    await m.ask("DELETE", "/adv/v0/normquery/bids", { body: { bids: [{ ...manual, norm_query: first }] } })
    m.advance(30_000)
    const after = await m.ask("POST", "/adv/v0/normquery/get-bids", { body: { items: [manual] } })
    expect(after.json.bids.map((b: { norm_query: string }) => b.norm_query)).not.toContain(first)
    expect(m.sandbox.ledger.entries.map((e) => [e.operation, e.after])).toEqual([
      ["setClusterBids", 32100],
      ["setClusterBidsMinorUnits", 32200],
      ["deleteClusterBids", null]
    ])
  }))

test("each row of cluster bids is judged alone, with its reason", () =>
  withMarketplace(sized, async (m) => {
    const all = await clusters(m)
    const { active } = await listed(m)
    const young = all[3]!
    expect(active).not.toContain(young)
    const row = (norm_query: string, bid: number, where: object = manual) => ({ ...where, norm_query, bid })
    const { json } = await m.ask("POST", "/adv/v0/normquery/bids", {
      body: {
        bids: [
          row(active[0]!, 300),
          row(young, 300),
          row(active[1]!, 1),
          row("нет такого", 300),
          row(active[0]!, 300, unified),
          row(active[0]!, 300, cpc)
        ]
      }
    })
    expect(json.success.map((r: { norm_query: string }) => r.norm_query)).toEqual([active[0]])
    expect(json.failed.map((r: { reason: string }) => r.reason)).toEqual([
      expect.stringMatching(/\d+ views out of 100/),
      expect.stringContaining("no less than"),
      "unknown search phrase",
      "cluster bids are for custom-bid cpm campaigns only",
      "cluster bids are for custom-bid cpm campaigns only"
    ])
  }))

test("a phrase among the minus phrases fails every row of its batch", () =>
  withMarketplace(sized, async (m) => {
    const { active } = await listed(m)
    await m.ask("POST", "/adv/v0/normquery/set-minus", { body: { ...manual, norm_queries: [active[0]] } })
    const rows = [active[1], active[0]].map((norm_query) => ({ ...manual, norm_query, bid: 300 }))
    const { json } = await m.ask("POST", "/adv/v0/normquery/bids", { body: { bids: rows } })
    expect(json.success).toEqual([])
    expect(new Set(json.failed.map((f: { reason: string }) => f.reason))).toEqual(
      new Set([`the phrase "${active[0]}" is disabled`])
    )
  }))

test("minus phrases are replaced as a whole, cleared by an empty list, and must be known", () =>
  withMarketplace(sized, async (m) => {
    const { active } = await listed(m)
    const set = (norm_queries: ReadonlyArray<string | undefined>) =>
      m.ask("POST", "/adv/v0/normquery/set-minus", { body: { ...manual, norm_queries } })
    const read = async () =>
      (await m.ask("POST", "/adv/v0/normquery/get-minus", { body: { items: [manual] } })).json.items[0]
        .norm_queries
    expect((await set(["нет такого"])).status).toBe(400)
    await set([active[0], active[1]])
    m.advance(180_000)
    expect(await read()).toEqual([active[0], active[1]])
    const lists = await m.ask("POST", "/adv/v0/normquery/list", {
      body: { items: [{ advertId: 1000001, nmId: 200000001 }] }
    })
    expect(lists.json.items[0].normQueries.excluded).toEqual([active[0], active[1]])
    await set([active[2]])
    m.advance(180_000)
    expect(await read()).toEqual([active[2]])
    await set([])
    m.advance(180_000)
    expect(await read()).toBeNull()
  }))

test("someone else's change is seen at once and stands in the ledger under its own name", () =>
  withMarketplace(sized, async (m) => {
    const edit = (body: object) =>
      m.ask("POST", "/_sandbox/human-edit", { body: { campaignId: 1000001, ...body } })
    const [cluster] = (await listed(m)).active
    expect((await edit({ itemId: 200000001, bidKopecks: 50000 })).status).toBe(204)
    expect((await edit({ itemId: 200000001, cluster, bidKopecks: 51000 })).status).toBe(204)
    expect((await edit({ itemId: 200000001, minus: [cluster] })).status).toBe(204)
    expect((await edit({ status: 11 })).status).toBe(204)
    expect((await edit({})).status).toBe(400)
    expect((await bidsOf(m, 1000001, 200000001)).search).toBe(50000)
    const { json } = await m.ask("GET", "/_sandbox/ledger?since=1")
    expect(
      json.entries.map((e: Json) => [e.seq, e.operation, e.slot, e.after, e.at === e.effectiveAt])
    ).toEqual([
      [2, "human-edit", "bid", 51000, true],
      [3, "human-edit", "minus", [cluster], true],
      [4, "human-edit", "status", 11, true]
    ])
  }))
