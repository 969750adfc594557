/** Analytics by hand: every operation of seed 002 through `bidhelm call`, and a report from its order to its rows. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { unzipSync } from "fflate"
import { expect, it } from "vitest"
import * as Catalogue from "../../../src/services/Catalogue.js"
import * as Shop from "../Shop.js"

const items = [200_000_001, 200_000_002]
const week = { start: "2026-08-25", end: "2026-08-31" }
const before = { start: "2026-08-18", end: "2026-08-24" }
const page = { limit: 100, offset: 0 }
const search = {
  currentPeriod: week,
  pastPeriod: before,
  nmIds: items,
  positionCluster: "all",
  orderBy: { field: "avgPosition", mode: "asc" },
  includeSubstitutedSKUs: true,
  includeSearchTexts: true
}
const stock = {
  nmIDs: items,
  currentPeriod: week,
  stockType: "",
  skipDeletedNm: true,
  availabilityFilters: [],
  orderBy: { field: "stockCount", mode: "desc" }
}

it("reads every report, and makes, polls and opens one in CSV", { timeout: 400_000 }, async () => {
  const shop = await Shop.Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 }, speed: 600 })
  const done = new Set<string>()
  const call = async <A>(operation: string, params: object, ...more: ReadonlyArray<string>): Promise<A> => {
    const { code, stderr, stdout } = await shop.run(
      "call",
      operation,
      "--params",
      JSON.stringify(params),
      ...more
    )
    expect(code, `${operation}: ${stderr}`).toBe(0)
    done.add(operation)
    return JSON.parse(stdout) as A
  }
  try {
    interface Funnel {
      data: { products: ReadonlyArray<{ product: { nmId: number }; statistic: { selected: Counts } }> }
    }
    interface Counts {
      openCount: number
      cartCount: number
      orderCount: number
    }
    const funnel = await call<Funnel>(
      "getFunnelProducts",
      { selectedPeriod: week, pastPeriod: before },
      "--all"
    )
    expect(funnel.data.products.length).toBeGreaterThan(0)
    for (const { statistic } of funnel.data.products) {
      const { cartCount, openCount, orderCount } = statistic.selected
      expect(openCount).toBeGreaterThanOrEqual(cartCount)
      expect(cartCount).toBeGreaterThanOrEqual(orderCount)
    }
    await call("getFunnelProductHistory", { selectedPeriod: week, nmIds: items })
    await call("getFunnelGroupedHistory", { selectedPeriod: week })
    const feed = await call<{ data: { orders: ReadonlyArray<{ srid: string }> } }>(
      "getOrderFeed",
      { selectedPeriod: { start: "2026-08-25T00:00:00+03:00", end: "2026-08-31T23:59:59+03:00" } },
      "--all"
    )
    expect(feed.data.orders.length).toBeGreaterThan(0)
    await call("getSearchReport", { ...search, ...page })
    await call("getSearchReportGroups", { ...search, ...page, subjectIds: [], brandNames: ["Бренд"] })
    await call("getSearchReportDetails", { ...search }, "--all")
    const { data: texts } = await call<{ data: { items: ReadonlyArray<{ text: string }> } }>(
      "getProductSearchTexts",
      {
        currentPeriod: week,
        nmIds: items,
        topOrderBy: "openCard",
        orderBy: { field: "openCard", mode: "desc" },
        limit: 30
      }
    )
    await call("getProductSearchOrders", {
      period: week,
      nmId: items[0],
      searchTexts: texts.items.slice(0, 3).map(({ text }) => text)
    })
    await call("getPlatformWarehouseStocks", { nmIds: items }, "--all")
    await call("getSellerWarehouseStocks", { nmIds: items }, "--all")
    await call("getStockGroups", { ...stock, offset: 0 })
    await call("getStockProducts", stock, "--all")
    await call("getStockSizes", {
      nmID: items[0],
      currentPeriod: week,
      stockType: "",
      orderBy: { field: "stockCount", mode: "desc" },
      includeOffice: true
    })
    await call("getStockOffices", { nmIDs: items, currentPeriod: week, stockType: "", skipDeletedNm: true })
    await call("getItemRating", {
      currentPeriod: week,
      orderBy: { field: "feedbackCount", mode: "desc" },
      ...page
    })
    const id = randomUUID()
    const ordered = {
      id,
      reportType: "DETAIL_HISTORY_REPORT",
      userReportName: "fail once",
      params: { nmIDs: items, startDate: week.start, endDate: week.end }
    }
    const unasked = await shop.run("call", "createCsvReport", "--params", JSON.stringify(ordered))
    expect(unasked.code).toBe(1)
    expect(unasked.stderr).toContain(
      "createCsvReport takes one of the 20 that the marketplace grants a day; nothing was sent. Say --yes"
    )
    const ledger = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
      readonly counters: Readonly<Record<string, unknown>>
    }
    expect(Object.keys(ledger.counters)).not.toContain("createCsvReport")
    await call("createCsvReport", ordered, "--yes")
    const status = async (): Promise<string> => {
      const { data } = await call<{ data: ReadonlyArray<{ id: string; status: string }> }>("listCsvReports", {
        "filter[downloadIds]": [id]
      })
      return data[0]?.status ?? "absent"
    }
    expect(await until(status, ["SUCCESS", "FAILED"])).toBe("FAILED")
    await call("retryCsvReport", { downloadId: id }, "--yes")
    expect(await until(status, ["SUCCESS"])).toBe("SUCCESS")
    await call("downloadCsvReport", { downloadId: id }, "--out", "report.zip")
    const [csv] = Object.entries(unzipSync(readFileSync(join(shop.folder, "report.zip"))))
    expect(csv?.[0]).toBe(`${id}.csv`)
    const lines = Buffer.from(csv?.[1] ?? [])
      .toString("utf8")
      .trim()
      .split("\n")
    expect(lines[0]).toContain("nmID,dt,openCardCount")
    expect(lines).toHaveLength(1 + items.length * 7)

    const seed = Catalogue.operations.filter(({ host }) => host === "analytics").map((entry) => entry.id)
    expect(seed.filter((one) => !done.has(one))).toEqual([])
    expect(seed).toHaveLength(20)
    expect((await shop.ledger()).breaches).toBe(0)
  } finally {
    await shop.close()
  }
})

const until = async (status: () => Promise<string>, wanted: ReadonlyArray<string>): Promise<string> => {
  for (let tries = 0; ; tries++) {
    const now = await status()
    if (wanted.includes(now) || tries > 60) return now
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
