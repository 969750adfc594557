/** Instants without an offset, on a machine that is not where the marketplace is. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as PromotionFacts from "../../src/marketplace/facts/PromotionFacts.js"
import * as OrderDates from "../../src/services/areas/orders/OrderDates.js"

const before = process.env.TZ
beforeAll(() => {
  process.env.TZ = "Asia/Vladivostok"
})
afterAll(() => {
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
})

it("are UTC in the calendar of promotions, and Moscow time elsewhere", () => {
  const text = "2026-09-01T05:00:00"
  expect(Date.parse(text)).not.toBe(Date.parse(`${text}Z`))
  expect(PromotionFacts.instant(text)).toBe(Date.parse(`${text}Z`))
  expect(PromotionFacts.instant("2026-09-01T05:00:00+03:00")).toBe(Date.parse("2026-09-01T02:00:00Z"))
  expect(OrderDates.instant(text)).toBe(Date.parse(`${text}+03:00`))
})
