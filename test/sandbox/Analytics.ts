/** Asking the analytics reports of a sandbox, never faster than their limits allow. */
import { expect } from "vitest"
import type { Answered, Json, Marketplace } from "./Real.js"

export const paths = {
  funnel: "/api/analytics/v3/sales-funnel/products",
  history: "/api/analytics/v3/sales-funnel/products/history",
  grouped: "/api/analytics/v3/sales-funnel/grouped/history",
  feed: "/api/analytics/v1/order-feed",
  search: "/api/v2/search-report/report",
  searchGroups: "/api/v2/search-report/table/groups",
  searchDetails: "/api/v2/search-report/table/details",
  searchTexts: "/api/v2/search-report/product/search-texts",
  searchOrders: "/api/v2/search-report/product/orders",
  platformStock: "/api/analytics/v1/stocks-report/platform-warehouses",
  sellerStock: "/api/analytics/v1/stocks-report/seller-warehouses",
  stockGroups: "/api/v2/stocks-report/products/groups",
  stockProducts: "/api/v2/stocks-report/products/products",
  stockSizes: "/api/v2/stocks-report/products/sizes",
  stockOffices: "/api/v2/stocks-report/offices",
  rating: "/api/analytics/v2/item-rating"
} as const

/** Small enough to be quick; every kind of item is among its 48. */
export const small = { scale: { campaigns: 6, items: 3, clusters: 8 } }

/** The week before the sandbox's origin, whole days. */
export const week = { start: "2026-11-13", end: "2026-11-19" }

/** Lets a minute pass, so that no limit is broken, and asks. */
export const post = (m: Marketplace, path: keyof typeof paths, body: unknown): Promise<Answered> => {
  m.advance(60_000)
  return m.ask("POST", paths[path], { body })
}

/** The body of an answer that must succeed. */
export const answer = async (m: Marketplace, path: keyof typeof paths, body: unknown): Promise<Json> => {
  const { json, status, text } = await post(m, path, body)
  expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""])
  return json
}

/** Every body must be refused with 400 in the shape of the analytics host. */
export const refusals = async (
  m: Marketplace,
  path: keyof typeof paths,
  bodies: ReadonlyArray<readonly [why: string, body: unknown]>
): Promise<void> => {
  for (const [why, body] of bodies) {
    const { json, status } = await post(m, path, body)
    expect([why, status]).toEqual([why, 400])
    expect(json).toEqual({
      title: "bad request",
      detail: expect.any(String),
      requestId: expect.any(String),
      origin: expect.any(String)
    })
  }
}

export const sum = (rows: ReadonlyArray<Json>, read: (row: Json) => number): number =>
  rows.reduce((total: number, row: Json) => total + read(row), 0)
