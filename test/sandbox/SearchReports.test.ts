import fc from "fast-check"
import { expect, test } from "vitest"
import { answer, refusals, small, sum, week } from "./Analytics.js"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

const past = { start: "2026-11-06", end: "2026-11-12" }
const orderBy = { field: "openCard", mode: "desc" }
const common = { currentPeriod: week, positionCluster: "all", orderBy, limit: 1000, offset: 0 }
const metricNames = [
  "avgPosition",
  "openCard",
  "addToCart",
  "openToCart",
  "orders",
  "cartToOrder",
  "visibility"
]

const details = async (m: Marketplace, body: object = {}): Promise<ReadonlyArray<Json>> =>
  (await answer(m, "searchDetails", { ...common, ...body })).data.products

const texts = async (
  m: Marketplace,
  nmIds: ReadonlyArray<number>,
  body: object = {}
): Promise<ReadonlyArray<Json>> =>
  (
    await answer(m, "searchTexts", {
      currentPeriod: week,
      nmIds,
      topOrderBy: "openCard",
      orderBy,
      limit: 30,
      ...body
    })
  ).data.items

test("search brings an item no more than the funnel shows, and its texts add up to its search", () =>
  withMarketplace(small, async (m) => {
    const funnel = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data.products
    const items = await details(m)
    expect(items).toHaveLength(48)
    for (const item of items) {
      const { selected } = funnel.find((p: Json) => p.product.nmId === item.nmId).statistic
      expect(item.openCard.current).toBeLessThanOrEqual(selected.openCount)
      expect(item.addToCart.current).toBeLessThanOrEqual(selected.cartCount)
      expect(item.orders.current).toBeLessThanOrEqual(selected.orderCount)
      expect(item.openCard.current).toBeGreaterThanOrEqual(item.addToCart.current)
      expect(item.addToCart.current).toBeGreaterThanOrEqual(item.orders.current)
      expect(item.visibility.current).toBeGreaterThanOrEqual(0)
      expect(item.visibility.current).toBeLessThanOrEqual(100)
    }
    const nmIds = [200000001, 200000002, 200000019]
    const rows = await texts(m, nmIds)
    for (const nmId of nmIds) {
      const own = rows.filter((row) => row.nmId === nmId)
      const item = items.find((i) => i.nmId === nmId)
      expect(sum(own, (row) => row.openCard.current)).toBe(item.openCard.current)
      expect(sum(own, (row) => row.orders.current)).toBe(item.orders.current)
    }
  }))

test("the texts are the item's clusters, with at least the clicks and orders its campaigns had there", () =>
  withMarketplace(small, async (m) => {
    const pair = { advert_id: 1000001, nm_id: 200000001 }
    const [ads] = (
      await m.ask("POST", "/adv/v0/normquery/stats", {
        body: { from: week.start, to: week.end, items: [pair] }
      })
    ).json.stats
    const rows = await texts(m, [200000001])
    expect(ads.stats.length).toBeGreaterThan(3)
    for (const cluster of ads.stats) {
      const row = rows.find((r) => r.text === cluster.norm_query)
      expect(row.openCard.current).toBeGreaterThanOrEqual(cluster.clicks)
      expect(row.orders.current).toBeGreaterThanOrEqual(cluster.orders)
      expect(row.avgPosition.current).toBeGreaterThan(0)
      expect(row.openCard.percentile).toBeLessThanOrEqual(100)
    }
  }))

test("there are dynamics only with a past period", () =>
  withMarketplace(small, async (m) => {
    for (const item of await details(m))
      for (const name of metricNames) expect(item[name]).not.toHaveProperty("dynamics")
    for (const item of await details(m, { pastPeriod: past }))
      for (const name of metricNames) expect(item[name]).toHaveProperty("dynamics")
  }))

test("clusters of positions part the texts: the three together have the openings of all", () =>
  withMarketplace(small, async (m) => {
    const opens = async (positionCluster: string) =>
      sum(await details(m, { positionCluster }), (i) => i.openCard.current)
    const parts = [await opens("firstHundred"), await opens("secondHundred"), await opens("below")]
    expect(parts.reduce((a, b) => a + b, 0)).toBe(await opens("all"))
    for (const item of await details(m, { positionCluster: "secondHundred" })) {
      expect(item.avgPosition.current).toBeGreaterThan(100)
      expect(item.avgPosition.current).toBeLessThanOrEqual(200)
    }
  }))

test("the main page, groups and details tell the same: groups hold the items, sums are theirs", () =>
  withMarketplace(small, async (m) => {
    const page = (await answer(m, "search", { ...common, pastPeriod: past })).data
    const items = await details(m)
    const inGroups = page.groups.flatMap((g: Json) => g.items)
    expect(inGroups.map((i: Json) => i.nmId).sort()).toEqual(items.map((i) => i.nmId).sort())
    for (const group of page.groups)
      expect(group.metrics.orders.current).toBe(sum(group.items, (i) => i.orders.current))
    expect(page.commonInfo.totalProducts).toBe(48)
    expect(page.commonInfo.advertisedProducts.current).toBe(items.filter((i) => i.isAdvertised).length)
    const { clusters, chartItems } = page.positionInfo
    expect(clusters.firstHundred.current + clusters.secondHundred.current + clusters.below.current).toBe(
      items.filter((i) => i.avgPosition.current > 0).length
    )
    expect(chartItems).toHaveLength(7)
    expect(sum(page.visibilityInfo.byDay, (d) => d.open)).toBe(page.visibilityInfo.openCard.current)
    expect(sum(page.visibilityInfo.byWeek, (d) => d.open)).toBe(page.visibilityInfo.openCard.current)
    const [first] = page.groups
    const { groups } = (await answer(m, "searchGroups", { ...common, subjectIds: [first.subjectId] })).data
    expect(groups.length).toBeGreaterThan(0)
    for (const group of groups) expect(group.subjectId).toBe(first.subjectId)
    const own = await details(m, { subjectId: first.subjectId, brandName: first.brandName, tagId: 0 })
    expect(own.map((i) => i.nmId).sort()).toEqual(first.items.map((i: Json) => i.nmId).sort())
  }))

test("orders of a text by day add up to its row, and an unknown text has none", () =>
  withMarketplace(small, async (m) => {
    const rows = await texts(m, [200000001], {
      topOrderBy: "orders",
      orderBy: { field: "orders", mode: "desc" }
    })
    const searchTexts = [...rows.slice(0, 5).map((row) => row.text), "чайник"]
    const { data } = await answer(m, "searchOrders", { period: week, nmId: 200000001, searchTexts })
    expect(data.items.map((i: Json) => i.text)).toEqual(searchTexts)
    for (const [i, row] of rows.slice(0, 5).entries()) {
      expect(sum(data.items[i].dateItems, (d) => d.orders)).toBe(row.orders.current)
      expect(data.items[i].frequency).toBe(row.frequency.current)
    }
    const unknown = data.items.at(-1)
    expect(unknown.frequency + sum(unknown.dateItems, (d) => d.avgPosition + d.orders)).toBe(0)
    for (const [i, day] of data.total.entries())
      expect(day.orders).toBe(sum(data.items, (item) => item.dateItems[i].orders))
    expect(await answer(m, "searchOrders", { period: week, nmId: 7, searchTexts })).toEqual({ data: {} })
  }))

test("a text in no demand has position 0, and no text has more orders than carts or carts than openings", () =>
  withMarketplace(small, async (m) => {
    const seen: Array<Json> = []
    for (const nmId of [200000001, 200000004, 200000009, 200000020]) {
      const archived = (
        await m.ask("POST", "/adv/v0/normquery/list", { body: { items: [{ advertId: 1000001, nmId }] } })
      ).json.items[0].normQueries?.archived
      if (archived) {
        const { data } = await answer(m, "searchOrders", { period: week, nmId, searchTexts: archived })
        for (const item of data.items) for (const d of item.dateItems) expect(d.avgPosition).toBe(0)
      }
      seen.push(...(await texts(m, [nmId])))
    }
    for (const row of seen) {
      expect(row.openCard.current).toBeGreaterThanOrEqual(row.addToCart.current)
      expect(row.addToCart.current).toBeGreaterThanOrEqual(row.orders.current)
    }
  }))

test("the best texts by any measure come in the order asked for, so many of each item", () =>
  withMarketplace(small, async (m) => {
    const all = await texts(m, [200000001])
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("openCard", "addToCart", "openToCart", "orders", "cartToOrder"),
        fc.constantFrom(...metricNames),
        fc.constantFrom("asc", "desc"),
        fc.integer({ min: 1, max: 8 }),
        async (topOrderBy, field, mode, limit) => {
          const rows = await texts(m, [200000001], { topOrderBy, orderBy: { field, mode }, limit })
          expect(rows).toHaveLength(Math.min(limit, all.length))
          const keys = rows.map((row) => row[field].current)
          expect(keys).toEqual([...keys].sort((a, b) => (mode === "asc" ? a - b : b - a)))
          const least = Math.min(...rows.map((row) => row[topOrderBy].current))
          const better = all.filter((row) => row[topOrderBy].current > least)
          expect(better.length).toBeLessThanOrEqual(limit)
        }
      ),
      { numRuns: 20 }
    )
  }))

test("without the paid plan the report is 403, in the shape of the analytics host", () =>
  withMarketplace(small, async (m) => {
    const faults = [{ kind: "refuse", operation: "getSearchReport" }]
    await m.ask("POST", "/_sandbox/faults", { body: { faults } })
    const refused = await m.ask("POST", "/api/v2/search-report/report", { body: common })
    expect([refused.status, Object.keys(refused.json)]).toEqual([
      403,
      ["title", "detail", "requestId", "origin"]
    ])
  }))

test("what the search reports refuse", () =>
  withMarketplace(small, async (m) => {
    await refusals(m, "search", [
      ["no positionCluster", { ...common, positionCluster: undefined }],
      ["an unknown one", { ...common, positionCluster: "top" }],
      ["no orderBy", { ...common, orderBy: undefined }],
      ["unknown field", { ...common, orderBy: { field: "luck", mode: "asc" } }],
      ["no limit", { ...common, limit: undefined }],
      ["limit", { ...common, limit: 1001 }],
      ["no offset", { ...common, offset: undefined }],
      ["nothing included", { ...common, includeSubstitutedSKUs: false, includeSearchTexts: false }],
      ["longer past", { ...common, pastPeriod: { start: "2026-11-01", end: "2026-11-10" } }],
      ["too early", { ...common, currentPeriod: { start: "2025-11-01", end: "2025-11-02" } }]
    ])
    await refusals(m, "searchGroups", [
      ["no filter", common],
      ["empty filters", { ...common, brandNames: [], subjectIds: [], tagIds: [] }],
      ["by price", { ...common, brandNames: ["Ольха"], orderBy: { field: "minPrice", mode: "asc" } }]
    ])
    await refusals(m, "searchDetails", [
      ["51 items", { ...common, nmIds: Array.from({ length: 51 }, (_, i) => 200000001 + i) }]
    ])
    const text = { currentPeriod: week, nmIds: [200000001], topOrderBy: "orders", orderBy, limit: 30 }
    await refusals(m, "searchTexts", [
      ["no items", { ...text, nmIds: [] }],
      ["unknown top", { ...text, topOrderBy: "visibility" }],
      ["limit 0", { ...text, limit: 0 }],
      ["limit 101", { ...text, limit: 101 }]
    ])
    await refusals(m, "searchOrders", [
      [
        "8 days",
        { period: { start: "2026-11-12", end: "2026-11-19" }, nmId: 200000001, searchTexts: ["кеды"] }
      ],
      ["no texts", { period: week, nmId: 200000001, searchTexts: [] }]
    ])
  }))
