import { expect, test } from "vitest"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import { answer, refusals, small, sum, week } from "./Analytics.js"
import { type Json, type Marketplace, withMarketplace } from "./Real.js"

const currentPeriod = { start: "2026-10-21", end: "2026-11-19" }
const pastPeriod = { start: "2026-09-21", end: "2026-10-20" }
const orderBy = { field: "feedbackCount", mode: "desc" }
const common = { currentPeriod, orderBy, limit: 1000, offset: 0 }
const stars = ["oneStar", "twoStar", "threeStar", "fourStar", "fiveStar"]

const rating = async (m: Marketplace, body: object = {}): Promise<Json> =>
  (await answer(m, "rating", { ...common, ...body })).data

test("stars add up to reviews, items to the seller, and the rating is the mean of the stars", () =>
  withMarketplace(small, async (m) => {
    const { feedbackIncrease, items, sellerRating } = await rating(m, { pastPeriod })
    expect(items).toHaveLength(48)
    for (const item of items) {
      const count = item.feedbackCount.current
      expect(sum(stars, (star) => item[star].current)).toBe(count)
      const mean = sum(stars, (star) => item[star].current * (stars.indexOf(star) + 1)) / count
      expect(item.feedbackRating.current).toBeCloseTo(count === 0 ? 0 : mean, 2)
      expect(item.disqualified).toBeLessThanOrEqual(count)
      expect(item.feedbackRating.percentile === null).toBe(count < 3)
    }
    expect(new Set(items.map((i: Json) => i.feedbackRating.percentile === null)).size).toBe(2)
    expect(sum(items, (i) => i.feedbackCount.current)).toBe(feedbackIncrease.current)
    for (const star of stars) {
      expect(sum(items, (i) => i[star].current)).toBe(feedbackIncrease[star].current)
      expect(feedbackIncrease[star].total).toBeGreaterThanOrEqual(feedbackIncrease[star].current)
    }
    expect(sum(stars, (star) => feedbackIncrease[star].total)).toBe(feedbackIncrease.total)
    expect(sellerRating.current).toBeGreaterThan(1)
    expect(sellerRating.current).toBeLessThanOrEqual(5)
    expect(sellerRating).toHaveProperty("dynamics")
  }))

test("the reviews of two periods are those of both together", () =>
  withMarketplace(small, async (m) => {
    const whole = await rating(m, { currentPeriod: { start: pastPeriod.start, end: currentPeriod.end } })
    const [now, before] = [await rating(m), await rating(m, { currentPeriod: pastPeriod })]
    expect(whole.feedbackIncrease.current).toBe(
      now.feedbackIncrease.current + before.feedbackIncrease.current
    )
    expect(now.sellerRating).not.toHaveProperty("dynamics")
    expect(now.items[0].feedbackRating).not.toHaveProperty("dynamics")
  }))

test("filters, order and pages", () =>
  withMarketplace(small, async (m) => {
    const all = (await rating(m)).items
    const shadowed = (await rating(m, { onlyShadowedNms: true })).items
    expect(shadowed.map((i: Json) => i.nmId)).toEqual(
      all.filter((i: Json) => i.isShadowed).map((i: Json) => i.nmId)
    )
    expect(shadowed.length).toBeGreaterThan(0)
    for (const field of [...stars, "feedbackRating", "disqualified"]) {
      const { items } = await rating(m, { orderBy: { field, mode: "asc" } })
      const keys = items.map((i: Json) => (field === "disqualified" ? i.disqualified : i[field].current))
      expect(keys).toEqual([...keys].sort((a, b) => a - b))
    }
    const page = async (offset: number) => (await rating(m, { limit: 30, offset })).items
    expect([...(await page(0)), ...(await page(30))]).toEqual(all)
    const selling = (await rating(m, { isNotIncludeNmsWithoutSales: true, currentPeriod: week })).items
    const funnel = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data.products
    expect(selling.map((i: Json) => i.nmId).sort()).toEqual(
      funnel
        .filter((p: Json) => p.statistic.selected.orderCount > 0)
        .map((p: Json) => p.product.nmId)
        .sort()
    )
  }))

test("what the item rating refuses", () =>
  withMarketplace(small, async (m) => {
    await refusals(m, "rating", [
      ["today", { ...common, currentPeriod: { start: "2026-11-14", end: "2026-11-20" } }],
      ["too early", { ...common, currentPeriod: { start: "2025-11-19", end: "2025-11-25" } }],
      ["past too early", { ...common, pastPeriod: { start: "2025-11-19", end: "2025-11-25" } }],
      ["no offset", { ...common, offset: undefined }],
      ["no order", { ...common, orderBy: undefined }],
      ["unknown field", { ...common, orderBy: { field: "rating", mode: "asc" } }],
      ["51 items", { ...common, nmIds: Array.from({ length: 51 }, (_, i) => 200000001 + i) }]
    ])
    for (const kind of ["base", "base_with_secret"] as const) {
      const asked = { body: common, token: sandboxToken({ kind }) }
      expect((await m.ask("POST", "/api/analytics/v2/item-rating", asked)).status).toBe(403)
    }
  }))
