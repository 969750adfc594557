import fc from "fast-check"
import { expect, test } from "vitest"
import { answer, post, refusals, small, sum, week } from "./Analytics.js"
import { type Json, withMarketplace } from "./Real.js"

const itemIds = Array.from({ length: 48 }, (_, i) => 200_000_001 + i)

const allProducts = async (
  m: Parameters<typeof answer>[0],
  body: object = {}
): Promise<ReadonlyArray<Json>> =>
  (await answer(m, "funnel", { selectedPeriod: week, limit: 1000, ...body })).data.products

test("openings are never fewer than carts, nor carts than orders, nor orders than their outcomes", () =>
  withMarketplace(small, async (m) => {
    const products = await allProducts(m)
    expect(products.map((p) => p.product.nmId).sort()).toEqual(itemIds)
    for (const { statistic } of products)
      for (const s of [statistic.selected, statistic.past]) {
        expect(s.openCount).toBeGreaterThanOrEqual(s.cartCount)
        expect(s.cartCount).toBeGreaterThanOrEqual(s.orderCount)
        expect(s.orderCount).toBeGreaterThanOrEqual(s.buyoutCount + s.cancelCount)
        expect(s.platformClub.orderCount).toBeLessThanOrEqual(s.orderCount)
        expect(s.localizationPercent).toBe(100)
      }
    expect(sum(products, (p) => p.statistic.selected.orderCount)).toBeGreaterThan(100)
    expect(sum(products, (p) => p.statistic.selected.shareOrderPercent)).toBeGreaterThan(90)
  }))

test("the advertising statistics never show more than the funnel: clicks, carts and orders of an item", () =>
  withMarketplace(small, async (m) => {
    const stats = (
      await m.ask(
        "GET",
        `/adv/v3/fullstats?ids=1000001,1000002,1000003,1000004,1000005&beginDate=${week.start}&endDate=${week.end}`
      )
    ).json
    const byItem = new Map<number, { clicks: number; atbs: number; orders: number }>()
    for (const app of stats.flatMap((s: Json) => s.days.flatMap((d: Json) => d.apps)))
      for (const nm of app.nms) {
        const known = byItem.get(nm.nmId) ?? { clicks: 0, atbs: 0, orders: 0 }
        known.clicks += nm.clicks
        known.atbs += nm.atbs
        known.orders += nm.orders
        byItem.set(nm.nmId, known)
      }
    const products = await allProducts(m)
    expect(byItem.size).toBeGreaterThan(5)
    for (const [nmId, ads] of byItem) {
      const { selected } = products.find((p) => p.product.nmId === nmId).statistic
      expect(selected.openCount).toBeGreaterThanOrEqual(ads.clicks)
      expect(selected.cartCount).toBeGreaterThanOrEqual(ads.atbs)
      expect(selected.orderCount).toBeGreaterThanOrEqual(ads.orders)
    }
    expect(Math.max(...[...byItem.values()].map((ads) => ads.orders))).toBeGreaterThan(0)
  }))

test("a missing past period is the preceding span, and what lies before is compared with it", () =>
  withMarketplace(small, async (m) => {
    const preceding = { start: "2026-11-06", end: "2026-11-12" }
    const [filled] = await allProducts(m, { nmIds: [200000001] })
    const [stated] = await allProducts(m, { nmIds: [200000001], pastPeriod: preceding })
    expect(filled.statistic.past.period).toEqual(preceding)
    expect(stated).toEqual(filled)
    const { selected, past, comparison } = filled.statistic
    expect(comparison.openCountDynamic).toBe(
      Math.round(((selected.openCount - past.openCount) / past.openCount) * 100)
    )
    const [alone] = await allProducts(m, { nmIds: [200000001], selectedPeriod: preceding })
    expect(alone.statistic.selected.openCount).toBe(past.openCount)
  }))

test("a past period too long ago is moved to start 365 days ago", () =>
  withMarketplace(small, async (m) => {
    const selectedPeriod = { start: "2025-11-22", end: "2025-11-25" }
    const [row] = await allProducts(m, { nmIds: [200000001], selectedPeriod })
    expect(row.statistic.past.period).toEqual({ start: "2025-11-20", end: "2025-11-23" })
  }))

test("filters combine: an item passes only if it passes each of them, and an empty one lets all pass", () =>
  withMarketplace(small, async (m) => {
    const all = await allProducts(m)
    const of = (p: Json) => p.product
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          nmIds: fc.subarray(itemIds, { maxLength: 20 }),
          subjectIds: fc.subarray([...new Set(all.map((p) => of(p).subjectId))], { maxLength: 4 }),
          brandNames: fc.subarray([...new Set(all.map((p) => of(p).brandName))], { maxLength: 3 }),
          tagIds: fc.subarray([1, 2, 3], { maxLength: 2 })
        }),
        async (filter) => {
          const has = <A>(list: ReadonlyArray<A>, value: A) => list.length === 0 || list.includes(value)
          const wanted = all
            .map(of)
            .filter(
              (p) =>
                has(filter.nmIds, p.nmId) &&
                has(filter.subjectIds, p.subjectId) &&
                has(filter.brandNames, p.brandName) &&
                (filter.tagIds.length === 0 || p.tags.some((t: Json) => filter.tagIds.includes(t.id)))
            )
          const found = (await allProducts(m, filter)).map((p) => p.product.nmId)
          expect(found.sort()).toEqual(wanted.map((p) => p.nmId).sort())
        }
      ),
      { numRuns: 25 }
    )
    const kept = await allProducts(m, { skipDeletedNm: true })
    expect(kept.length).toBeLessThan(all.length)
    expect(await allProducts(m, { nmIds: [1] })).toEqual([])
  }))

test("pages in any order of any field hold every item once", () =>
  withMarketplace(small, async (m) => {
    for (const field of ["openCard", "orderSum", "timeToReady", "platformClub.orderCount", "stockMpQty"])
      for (const mode of ["asc", "desc"]) {
        const pages = []
        for (const offset of [0, 20, 40])
          pages.push(...(await allProducts(m, { orderBy: { field, mode }, limit: 20, offset })))
        expect(pages.map((p) => p.product.nmId).sort()).toEqual(itemIds)
      }
    const products = await allProducts(m, { orderBy: { field: "orderSum", mode: "asc" } })
    const sums = products.map((p) => p.statistic.selected.orderSum)
    expect(sums).toEqual([...sums].sort((a, b) => a - b))
    expect((await answer(m, "funnel", { selectedPeriod: week })).data.products).toHaveLength(48)
  }))

test("the days of a history add up to the period, a week to its days, a group to its items", () =>
  withMarketplace(small, async (m) => {
    const nmIds = itemIds.slice(0, 20)
    const byDay = await answer(m, "history", { selectedPeriod: week, nmIds })
    const byWeek = await answer(m, "history", { selectedPeriod: week, nmIds, aggregationLevel: "week" })
    const products = await allProducts(m, { nmIds })
    for (const entry of byDay) {
      const { selected } = products.find((p) => p.product.nmId === entry.product.nmId).statistic
      const weeks = byWeek.find((e: Json) => e.product.nmId === entry.product.nmId).history
      expect(entry.history.map((h: Json) => h.date)).toEqual(
        [13, 14, 15, 16, 17, 18, 19].map((d) => `2026-11-${d}`)
      )
      expect(weeks.map((h: Json) => h.date)).toEqual(["2026-11-13", "2026-11-16"])
      for (const key of ["openCount", "cartCount", "orderCount", "orderSum", "buyoutCount"]) {
        expect(sum(weeks, (h) => h[key])).toBe(selected[key])
        expect(sum(entry.history, (h) => h[key])).toBe(selected[key])
      }
    }
    const grouped = await answer(m, "grouped", { selectedPeriod: week, brandNames: ["Ольха", "Маяк"] })
    const all = await allProducts(m)
    for (const { product, history } of grouped.data) {
      const members = all.filter((p) => p.product.brandName === product.brandName)
      expect(product).toMatchObject({ nmId: 0, title: "", subjectId: 0 })
      expect(sum(history, (h) => h.openCount)).toBe(sum(members, (p) => p.statistic.selected.openCount))
    }
    expect(grouped.data.map((e: Json) => e.product.brandName)).toEqual(["Ольха", "Маяк"])
  }))

test("a buyout or cancellation is booked on the day of the order, so a past day still grows", () =>
  withMarketplace(small, async (m) => {
    const decided = async () =>
      sum(await allProducts(m), (p) => p.statistic.selected.buyoutCount + p.statistic.selected.cancelCount)
    const orders = async () => sum(await allProducts(m), (p) => p.statistic.selected.orderCount)
    const before = { decided: await decided(), orders: await orders() }
    m.advance(5 * 86_400_000)
    expect(await orders()).toBe(before.orders)
    expect(await decided()).toBeGreaterThan(before.decided)
  }))

test("what the funnel refuses", () =>
  withMarketplace(small, async (m) => {
    const period = (start: string, end: string) => ({ selectedPeriod: { start, end } })
    await refusals(m, "funnel", [
      ["over 365 days ago", period("2025-11-19", "2025-11-25")],
      ["not over yet", period("2026-11-20", "2026-11-21")],
      ["end before start", period("2026-11-19", "2026-11-13")],
      ["no date", period("2026-11-31", "2026-12-01")],
      [
        "past of another length",
        { selectedPeriod: week, pastPeriod: { start: "2026-11-01", end: "2026-11-02" } }
      ],
      ["unknown field", { selectedPeriod: week, orderBy: { field: "luck", mode: "asc" } }],
      ["limit", { selectedPeriod: week, limit: 1001 }],
      ["too many items", { selectedPeriod: week, nmIds: Array.from({ length: 1001 }, (_, i) => i + 1) }],
      ["no body", null]
    ])
    await refusals(m, "history", [
      ["eight days", { ...period("2026-11-12", "2026-11-19"), nmIds: [200000001] }],
      ["older than a week", { ...period("2026-11-10", "2026-11-12"), nmIds: [200000001] }],
      ["one unknown item", { selectedPeriod: week, nmIds: [200000001, 7] }],
      ["no items", { selectedPeriod: week, nmIds: [] }],
      ["21 items", { selectedPeriod: week, nmIds: itemIds.slice(0, 21) }]
    ])
    await refusals(m, "grouped", [
      ["17 groups", { selectedPeriod: week, subjectIds: Array.from({ length: 17 }, (_, i) => 101 + i) }]
    ])
    const tooEarly = await post(m, "funnel", period("2025-11-01", "2025-11-02"))
    expect(tooEarly.json.detail).toContain("2025-11-20")
  }))
