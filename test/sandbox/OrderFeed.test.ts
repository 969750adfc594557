import { expect, test } from "vitest"
import { answer, post, refusals, small, sum, week } from "./Analytics.js"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

const day = 86_400_000
const month = { start: "2026-10-22T00:00:00+03:00" }

const feed = async (m: Marketplace, body: object = {}): Promise<ReadonlyArray<Json>> =>
  (await answer(m, "feed", { selectedPeriod: month, pagination: { limit: 10_000 }, ...body })).data.orders

test("the rows of a week's orders are exactly the orders of the funnel, item by item and rouble by rouble", () =>
  withMarketplace(small, async (m) => {
    const rows = (await feed(m)).filter((r) => {
      const ordered = r.createdAt.slice(0, 10)
      return ordered >= week.start && ordered <= week.end
    })
    const { products } = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data
    for (const { product, statistic } of products) {
      const own = rows.filter((r) => r.nmId === product.nmId)
      expect([product.nmId, own.length]).toEqual([product.nmId, statistic.selected.orderCount])
      expect(Math.round(sum(own, (r) => r.sellerPrice))).toBe(statistic.selected.orderSum)
      expect(own.filter((r) => r.status === "buyout").length).toBe(statistic.selected.buyoutCount)
    }
    expect(new Set(rows.map((r) => r.srid)).size).toBe(rows.length)
  }))

test("the newest status comes first; a status lies in the period and never before its order", () =>
  withMarketplace(small, async (m) => {
    const rows = await feed(m)
    const at = rows.map((r) => Date.parse(r.updatedAt))
    expect(at).toEqual([...at].sort((a, b) => b - a))
    for (const row of rows) {
      expect(Date.parse(row.updatedAt)).toBeGreaterThanOrEqual(Date.parse(month.start))
      expect(Date.parse(row.updatedAt)).toBeGreaterThanOrEqual(Date.parse(row.createdAt))
      expect("cancelType" in row).toBe(row.status === "cancel")
      expect(row.warehouseRegion === "").toBe(row.warehouseName === "Склад платформы")
      if (row.isMp) expect(row.warehouseRegion).toBe("Свой склад")
    }
    expect([...new Set(rows.map((r) => r.status))].sort()).toEqual(
      expect.arrayContaining(["buyout", "cancel", "created"])
    )
    expect(new Set(rows.map((r) => r.isMp)).size).toBe(2)
  }))

test("pages of one snapshot hold every row once, though orders come in between", () =>
  withMarketplace(small, async (m) => {
    const first = await answer(m, "feed", { selectedPeriod: month, pagination: { limit: 300 } })
    const { snapshotTime } = first.data
    const paged = [...first.data.orders]
    for (let offset = 300; ; offset += 300) {
      m.advance(3_600_000)
      const pagination = { snapshotTime, limit: 300, offset }
      const page = (await answer(m, "feed", { selectedPeriod: month, pagination })).data
      expect(page.snapshotTime).toBe(snapshotTime)
      paged.push(...page.orders)
      if (page.orders.length < 300) break
    }
    const whole = await feed(m, { pagination: { snapshotTime, limit: 10_000 } })
    expect(paged).toEqual(whole)
    expect((await feed(m)).map((r) => r.srid)).not.toEqual(whole.map((r) => r.srid))
  }))

test("a row comes back when its status changes, under the same srid", () =>
  withMarketplace(small, async (m) => {
    const fresh = (await feed(m)).filter((r) => r.status === "created" && !r.isMp)
    m.advance(14 * day)
    const start = "2026-11-20T15:00:00+03:00"
    const later = new Map((await feed(m, { selectedPeriod: { start } })).map((r) => [r.srid, r]))
    expect(fresh.length).toBeGreaterThan(20)
    for (const row of fresh) {
      expect(later.get(row.srid)?.createdAt).toBe(row.createdAt)
      expect(later.get(row.srid)?.status).not.toBe("created")
    }
  }))

test("filters combine, and without pagination there are fifty rows", () =>
  withMarketplace(small, async (m) => {
    const { products } = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data
    const { brandName, subjectId } = products[0].product
    const wanted = products
      .map((p: Json) => p.product)
      .filter((p: Json) => p.brandName === brandName && p.subjectId === subjectId)
      .map((p: Json) => p.nmId)
    const rows = await feed(m, { brandNames: [brandName], subjectIds: [subjectId] })
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(wanted).toContain(row.nmId)
    expect((await answer(m, "feed", { selectedPeriod: month })).data.orders).toHaveLength(50)
    expect(await feed(m, { nmIds: [5] })).toEqual([])
  }))

test("what the order feed refuses", () =>
  withMarketplace(small, async (m) => {
    await refusals(m, "feed", [
      ["32 days ago", { selectedPeriod: { start: "2026-10-19T00:00:00+03:00" } }],
      ["without an offset", { selectedPeriod: { start: "2026-11-01T00:00:00" } }],
      ["a bare date", { selectedPeriod: { start: "2026-11-01" } }],
      ["in the future", { selectedPeriod: { start: "2026-12-01T00:00:00Z" } }],
      ["a future snapshot", { selectedPeriod: month, pagination: { snapshotTime: "2027-01-01T00:00:00Z" } }],
      ["limit", { selectedPeriod: month, pagination: { limit: 10_001 } }],
      ["51 brands", { selectedPeriod: month, brandNames: Array.from({ length: 51 }, (_, i) => `${i}`) }]
    ])
    m.advance(60_000)
    expect(
      (await m.ask("POST", "/api/analytics/v1/order-feed", { body: { selectedPeriod: month } })).status
    ).toBe(200)
    expect(
      (await m.ask("POST", "/api/analytics/v1/order-feed", { body: { selectedPeriod: month } })).status
    ).toBe(429)
    expect((await post(m, "feed", { selectedPeriod: month })).status).toBe(200)
  }))
