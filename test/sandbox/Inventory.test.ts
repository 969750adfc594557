import { expect, test } from "vitest"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Sales from "../../src/sandbox/shop/Sales.js"
import * as Stock from "../../src/sandbox/shop/Stock.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import { answer, paths, post, refusals, small, sum, week } from "./Analytics.js"
import { type Json, type Marketplace, originMs, withMarketplace } from "./Real.js"

const day = 86_400_000
const orderBy = { field: "stockCount", mode: "desc" }
const scope = { currentPeriod: week, stockType: "", skipDeletedNm: false }
const common = { ...scope, availabilityFilters: [], orderBy, limit: 1000, offset: 0 }
const worldOf = (m: Marketplace) => m.sandbox.world("5a4d0000-0000-4000-8000-000000000001")

const products = async (m: Marketplace, body: object = {}): Promise<ReadonlyArray<Json>> =>
  (await answer(m, "stockProducts", { ...common, ...body })).data.items

/** All rows at one instant. */
const held = async (m: Marketplace) => {
  m.advance(60_000)
  const { nowMs } = (await m.ask("GET", "/_sandbox/clock")).json
  const rows = new Map<string, number>()
  for (const path of [paths.platformStock, paths.sellerStock])
    for (const row of (await m.ask("POST", path, { body: {} })).json.data.items)
      rows.set(`${row.chrtId} ${row.warehouseId}`, row.quantity)
  return { nowMs, rows }
}

test("one row is one size in one warehouse, only where something is or moves; pages hold every row once", () =>
  withMarketplace(small, async (m) => {
    const platform = (await answer(m, "platformStock", {})).data.items
    const key = (row: Json) => `${row.chrtId} ${row.warehouseId}`
    expect(new Set(platform.map(key)).size).toBe(platform.length)
    for (const row of platform) {
      expect(row.quantity + row.inWayToClient + row.inWayFromClient).toBeGreaterThan(0)
      expect(row.warehouseId < 0).toBe(row.warehouseName === "Склад платформы")
      if (row.warehouseId < 0) expect([row.warehouseId, row.regionName]).toEqual([-999999, "Склад платформы"])
    }
    const seller = (await answer(m, "sellerStock", {})).data.items
    expect(Object.keys(seller[0]).sort()).toEqual(
      ["chrtId", "nmId", "quantity", "regionName", "warehouseId", "warehouseName"].sort()
    )
    const paged: Array<Json> = []
    for (let offset = 0; offset < platform.length; offset += 40)
      paged.push(...(await answer(m, "platformStock", { limit: 40, offset })).data.items)
    expect(paged.map(key)).toEqual(platform.map(key))
  }))

test("sizes narrow the rows only together with their items; a seller without stock of them gets 204", () =>
  withMarketplace(small, async (m) => {
    const all = (await answer(m, "sellerStock", {})).data.items
    const [row] = all
    const own = (await answer(m, "sellerStock", { nmIds: [row.nmId], chrtIds: [row.chrtId] })).data.items
    expect(own.map((r: Json) => [r.nmId, r.chrtId])).toEqual([[row.nmId, row.chrtId]])
    expect((await answer(m, "sellerStock", { chrtIds: [row.chrtId] })).data.items).toHaveLength(all.length)
    for (const body of [{ nmIds: [7] }, { offset: all.length }]) {
      const nothing = await post(m, "sellerStock", body)
      expect([nothing.status, nothing.text]).toEqual([204, ""])
    }
    expect((await answer(m, "platformStock", { nmIds: [7] })).data.items).toEqual([])
    for (const kind of ["base", "base_with_secret"] as const) {
      const asked = { body: {}, token: sandboxToken({ kind }) }
      const path = "/api/analytics/v1/stocks-report/seller-warehouses"
      expect([kind, (await m.ask("POST", path, asked)).status]).toEqual([kind, 403])
    }
  }))

test("within a week of one filling, the stock before less what was sold is the stock after", () =>
  withMarketplace(small, async (m) => {
    const world = worldOf(m)
    const first = await held(m)
    m.advance(2 * day)
    const second = await held(m)
    const today = Math.floor((originMs + 3 * 3_600_000) / day)
    let compared = 0
    for (const itemId of Sales.items(world))
      for (const size of Sales.sizes(world, itemId))
        for (const warehouse of Stock.placesOf(world, size.id)) {
          const filled = (at: number) => Stock.filledOn(world, size.id, warehouse, at)
          if (filled(today) !== filled(today + 2)) continue
          const days = { from: today, to: today + 2 }
          const sold = Sales.ofItem(world, itemId, days, second.nowMs).filter(
            (sale) =>
              sale.sizeId === size.id &&
              sale.orderedAt > first.nowMs &&
              Warehouses.ofSale(world, sale).id === warehouse.id
          )
          const key = `${size.id} ${warehouse.id}`
          const left = Math.max(0, (first.rows.get(key) ?? 0) - sold.length)
          expect([key, second.rows.get(key) ?? 0]).toEqual([key, left])
          if (sold.length > 0) compared++
        }
    expect(compared).toBeGreaterThan(10)
  }))

test("metrics agree with the funnel and with the warehouses", () =>
  withMarketplace(small, async (m) => {
    const funnel = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data.products
    const items = await products(m)
    expect(items).toHaveLength(48)
    for (const { nmID, metrics } of items) {
      const { selected } = funnel.find((p: Json) => p.product.nmId === nmID).statistic
      expect([nmID, metrics.ordersCount]).toEqual([nmID, selected.orderCount])
      expect(metrics.ordersSum).toBe(selected.orderSum)
      expect(metrics.buyoutCount).toBe(selected.buyoutCount)
    }
    const { rows } = await held(m)
    const currentPeriod = { start: "2026-11-14", end: "2026-11-20" }
    const now = (await m.ask("POST", paths.stockProducts, { body: { ...common, currentPeriod } })).json.data
    expect(sum(now.items, (i) => i.metrics.stockCount)).toBe(sum([...rows.values()], (units) => units))
  }))

test("what the platform and the seller hold and send adds up to the whole", () =>
  withMarketplace(small, async (m) => {
    const by = async (stockType: string) =>
      new Map((await products(m, { stockType })).map((i) => [i.nmID, i.metrics]))
    const [all, platform, mp] = [await by(""), await by("platform"), await by("mp")]
    for (const [nmID, metrics] of all)
      for (const key of ["ordersCount", "stockCount", "buyoutCount"])
        expect([nmID, key, metrics[key]]).toEqual([nmID, key, platform.get(nmID)[key] + mp.get(nmID)[key]])
  }))

test("codes stand where there is no number, each with what it means", () =>
  withMarketplace(small, async (m) => {
    const items = [
      ...(await products(m)),
      ...(await products(m, { stockType: "mp" })),
      ...(await products(m, { currentPeriod: { start: "2026-11-18", end: "2026-11-18" } }))
    ]
    const codes = new Set<number>()
    for (const { metrics } of items) {
      for (const name of ["saleRate", "avgStockTurnover", "officeMissingTime"])
        if (metrics[name].hours < 0) codes.add(metrics[name].hours)
      expect(metrics.saleRate.hours === -2).toBe(metrics.stockCount === 0)
      if (metrics.saleRate.hours === -1) expect(metrics.ordersCount).toBe(0)
      if (metrics.officeMissingTime.hours === -4) expect(metrics.lostOrdersCount).toBe(-3)
      if (metrics.officeMissingTime.hours === -2) expect(metrics.lostOrdersCount).toBe(-2)
    }
    expect([...codes].sort()).toEqual([-1, -2, -3, -4].sort())
  }))

test("groups hold the items and their sums; availability filters leave only what was asked for", () =>
  withMarketplace(small, async (m) => {
    const items = await products(m)
    const { groups } = (await answer(m, "stockGroups", common)).data
    expect(groups.flatMap((g: Json) => g.items.map((i: Json) => i.nmID)).sort()).toEqual(
      items.map((i) => i.nmID).sort()
    )
    for (const group of groups) {
      expect(group.metrics.stockCount).toBe(sum(group.items, (i) => i.metrics.stockCount))
      expect(group.metrics.ordersCount).toBe(sum(group.items, (i) => i.metrics.ordersCount))
    }
    const words = [...new Set(items.map((i) => i.metrics.availability))]
    expect(words.length).toBeGreaterThan(2)
    for (const word of words)
      for (const item of await products(m, { availabilityFilters: [word] }))
        expect(item.metrics.availability).toBe(word)
    const known = await products(m, { nmIDs: [200000001, 200000002] })
    expect(known.map((i) => i.nmID).sort()).toEqual([200000001, 200000002])
    const misspelt = await products(m, { nmIds: [200000001] })
    expect(misspelt).toHaveLength(48)
    expect((await products(m, { skipDeletedNm: true })).every((i) => !i.isDeleted)).toBe(true)
  }))

test("a sized item shows sizes, an unsized one offices, or nothing at all without them", () =>
  withMarketplace(small, async (m) => {
    const items = await products(m)
    const sized = items.find((i) => i.hasSizes)
    const unsized = items.find((i) => !i.hasSizes)
    const sizes = (nmID: number, includeOffice: boolean) =>
      post(m, "stockSizes", { nmID, currentPeriod: week, stockType: "", orderBy, includeOffice })
    const plain = (await sizes(sized.nmID, false)).json.data
    expect(plain.offices).toBeUndefined()
    expect(sum(plain.sizes, (s) => s.metrics.stockCount)).toBe(sized.metrics.stockCount)
    const detailed = (await sizes(sized.nmID, true)).json.data
    for (const size of detailed.sizes)
      expect(sum(size.offices, (o) => o.metrics.ordersCount)).toBe(size.metrics.ordersCount)
    const { offices, sizes: none } = (await sizes(unsized.nmID, true)).json.data
    expect(none).toBeUndefined()
    expect(sum(offices, (o) => o.metrics.stockCount)).toBe(unsized.metrics.stockCount)
    for (const office of offices) {
      if (office.officeID < 0)
        expect([office.officeID, office.officeName, office.regionName]).toEqual([
          -999999,
          "",
          "Склад платформы"
        ])
      if (office.regionName === "Свой склад") expect(office.officeName).toBe("")
    }
    const empty = await sizes(unsized.nmID, false)
    expect([empty.status, empty.text]).toEqual([200, ""])
  }))

test("regions: the aggregate and the seller list no offices, and together they hold everything", () =>
  withMarketplace(small, async (m) => {
    const { regions } = (await answer(m, "stockOffices", scope)).data
    for (const region of regions)
      expect(region.offices.length).toBe(
        ["Склад платформы", "Свой склад"].includes(region.regionName) ? 0 : 1
      )
    expect(regions.map((r: Json) => r.regionName)).toEqual(
      expect.arrayContaining(["Склад платформы", "Свой склад"])
    )
    expect(sum(regions, (r) => r.metrics.stockCount)).toBe(
      sum(await products(m), (i) => i.metrics.stockCount)
    )
    const seller = (await answer(m, "stockOffices", { ...scope, stockType: "mp" })).data.regions
    expect(seller.map((r: Json) => r.regionName)).toEqual(["Свой склад"])
  }))

test("what the inventory reports refuse", () =>
  withMarketplace(small, async (m) => {
    const period = (start: string, end: string) => ({ ...common, currentPeriod: { start, end } })
    await refusals(m, "stockProducts", [
      ["over three months ago", period("2026-08-01", "2026-08-10")],
      ["after today", period("2026-11-19", "2026-11-21")],
      ["an unknown stock type", { ...common, stockType: "own" }],
      ["no stock type", { ...common, stockType: undefined }],
      ["no skipDeletedNm", { ...common, skipDeletedNm: undefined }],
      ["no availability", { ...common, availabilityFilters: undefined }],
      ["unknown availability", { ...common, availabilityFilters: ["plenty"] }],
      ["unknown field", { ...common, orderBy: { field: "luck", mode: "asc" } }],
      ["limit", { ...common, limit: 1001 }],
      ["no offset", { ...common, offset: undefined }]
    ])
    await refusals(m, "stockGroups", [["no order", { ...common, orderBy: undefined }]])
    await refusals(m, "stockOffices", [["no period", { ...scope, currentPeriod: undefined }]])
    const size = { currentPeriod: week, stockType: "", orderBy, includeOffice: true }
    await refusals(m, "stockSizes", [
      ["unknown item", { ...size, nmID: 7 }],
      ["no item", size]
    ])
    await refusals(m, "platformStock", [
      ["1001 items", { nmIds: Array.from({ length: 1001 }, (_, i) => i + 1) }],
      ["limit", { limit: 250_001 }]
    ])
  }))

test("a count set by hand holds from now on, in every report alike; what was before stays, sales go on", () =>
  withMarketplace(small, async (m) => {
    const [item] = await products(m)
    const play = (body: object) => m.ask("POST", "/_sandbox/shop", { body })
    const dailyBefore = Stock.ofItem(worldOf(m), item.nmID, originMs - day)
    expect((await play({ itemId: item.nmID, play: "count_stock", units: 40 })).status).toBe(204)
    const now = { currentPeriod: { start: "2026-11-19", end: "2026-11-20" }, nmIDs: [item.nmID] }
    const told = async () => (await products(m, now))[0]
    const first = await told()
    expect(first.metrics.stockCount).toBeLessThanOrEqual(40)
    expect(first.metrics.stockCount).toBeGreaterThan(30)
    const funnel = (await answer(m, "funnel", { selectedPeriod: week, nmIds: [item.nmID] })).data.products[0]
    const { mp, platform } = funnel.product.stocks
    expect(mp + platform).toBeLessThanOrEqual(first.metrics.stockCount)
    expect(Stock.ofItem(worldOf(m), item.nmID, originMs - day)).toEqual(dailyBefore)
    await play({ itemId: item.nmID, play: "count_stock", units: 0 })
    const empty = await told()
    expect([empty.metrics.stockCount, empty.metrics.saleRate]).toEqual([0, { days: 0, hours: -2 }])
    expect((await play({ itemId: 1, play: "count_stock", units: 0 })).status).toBe(400)
    expect((await play({ itemId: item.nmID, play: "count_stock", units: -1 })).status).toBe(400)
  }))
