import { parse } from "csv-parse/sync"
import fc from "fast-check"
import * as Fflate from "fflate"
import { expect, test } from "vitest"
import * as Csv from "../../src/sandbox/analytics/Csv.js"
import * as CsvReports from "../../src/sandbox/handlers/CsvReports.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import type { Report } from "../../src/sandbox/shop/State.js"
import { answer, small, sum, week } from "./Analytics.js"
import { type Answered, type Json, type Marketplace, withMarketplace } from "./Real.js"

const path = "/api/v2/nm-report/downloads"
const hour = 3_600_000
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`
const detail = { reportType: "DETAIL_HISTORY_REPORT", params: { startDate: week.start, endDate: week.end } }

const create = (m: Marketplace, n: number, body: object = detail): Promise<Answered> => {
  m.advance(20_000)
  return m.ask("POST", path, { body: { id: idOf(n), ...body } })
}
const list = async (m: Marketplace, ...ids: ReadonlyArray<number>): Promise<Answered> => {
  m.advance(20_000)
  const query = ids.map((n) => `filter%5BdownloadIds%5D=${idOf(n)}`).join("&")
  return m.ask("GET", query === "" ? path : `${path}?${query}`)
}
const retry = (m: Marketplace, n: number): Promise<Answered> => {
  m.advance(20_000)
  return m.ask("POST", `${path}/retry`, { body: { downloadId: idOf(n) } })
}
/** The file's bytes; text would spoil them. */
const download = async (m: Marketplace, n: number): Promise<Response> => {
  m.advance(20_000)
  return fetch(`${m.url}${path}/file/${idOf(n)}`, { headers: { authorization: `Bearer ${sandboxToken()}` } })
}

test("a report is no JSON: whoever asks for nothing else gets none", () =>
  withMarketplace(small, async (m) => {
    const headers = { authorization: `Bearer ${sandboxToken()}`, accept: "application/json" }
    const asked = await fetch(`${m.url}${path}/file/${idOf(1)}`, { headers })
    expect([asked.status, await asked.text()]).toEqual([406, "this answers application/zip"])
  }))

const rowsIn = (bytes: Uint8Array, n: number): ReadonlyArray<Record<string, string>> => {
  const files = Fflate.unzipSync(bytes)
  expect(Object.keys(files)).toEqual([`${idOf(n)}.csv`])
  return parse(Buffer.from(files[`${idOf(n)}.csv`]!), { columns: true })
}

/** Creates a report, asks again for one that failed, and downloads it. */
const made = async (
  m: Marketplace,
  n: number,
  body: object
): Promise<ReadonlyArray<Record<string, string>>> => {
  const created = await create(m, n, body)
  expect([created.status, created.json]).toEqual([200, { data: expect.any(String) }])
  for (let polls = 0; polls < 60; polls++) {
    const [task] = (await list(m, n)).json.data
    if (task.status === "FAILED") expect((await retry(m, n)).status).toBe(200)
    if (task.status !== "SUCCESS") continue
    const file = await download(m, n)
    const bytes = new Uint8Array(await file.arrayBuffer())
    expect([file.status, file.headers.get("content-type"), bytes.length]).toEqual([
      200,
      "application/zip",
      task.size
    ])
    return rowsIn(bytes, n)
  }
  throw new Error("the report never became ready")
}

const number = (cell: string | undefined): number => Number((cell ?? "").replace(",", "."))
const refused = (why: string, { json, status }: Answered): string => {
  expect([why, status]).toEqual([why, 400])
  expect(json).toMatchObject({
    title: "bad request",
    requestId: expect.any(String),
    origin: expect.any(String)
  })
  return json.detail
}

test("create, poll, download: the rows of the detail report are those of the funnel", () =>
  withMarketplace(small, async (m) => {
    const rows = await made(m, 1, detail)
    expect(Object.keys(rows[0]!).join()).toBe(
      "nmID,dt,openCardCount,addToCartCount,ordersCount,ordersSumRub,buyoutsCount,buyoutsSumRub,cancelCount,cancelSumRub,addToCartConversion,cartToOrderConversion,buyoutPercent,addToWishlist,currency"
    )
    const funnel = (await answer(m, "funnel", { selectedPeriod: week, limit: 1000 })).data.products
    for (const { product, statistic } of funnel) {
      const own = rows.filter((row) => row.nmID === String(product.nmId))
      expect(sum(own, (r) => number(r.ordersCount))).toBe(statistic.selected.orderCount)
      expect(sum(own, (r) => number(r.openCardCount))).toBe(statistic.selected.openCount)
      expect(sum(own, (r) => number(r.addToWishlist))).toBe(statistic.selected.addToWishlist)
    }
    expect(rows.some((row) => row.addToCartConversion!.includes(","))).toBe(true)
    for (const row of rows)
      expect(number(row.addToCartConversion)).toBeCloseTo(
        (100 * number(row.addToCartCount)) / Math.max(1, number(row.openCardCount)),
        1
      )
    const grouped = await made(m, 2, { ...detail, reportType: "GROUPED_HISTORY_REPORT" })
    expect(grouped.map((row) => row.dt)).toEqual([13, 14, 15, 16, 17, 18, 19].map((d) => `2026-11-${d}`))
    expect(sum(grouped, (r) => number(r.ordersCount))).toBe(sum(rows, (r) => number(r.ordersCount)))
  }))

test("a task waits, is made, and ends within 90 seconds; its time is Moscow time of the end", () =>
  withMarketplace(small, async (m) => {
    const seen = new Set<string>()
    const outcomes: Array<string> = []
    for (let n = 1; n <= 20; n++) {
      await create(m, n, { ...detail, userReportName: "Отчёт" })
      let task: Json = (await m.ask("GET", `${path}?filter%5BdownloadIds%5D=${idOf(n)}`)).json.data[0]
      seen.add(task.status)
      for (let seconds = 0; seconds <= 100; seconds += 20) {
        task = (await list(m, n)).json.data[0]
        seen.add(task.status)
        if (task.status !== "SUCCESS") expect(task.size).toBe(0)
      }
      expect(task.createdAt).toMatch(/^2026-11-2\d \d\d:\d\d:\d\d$/)
      expect(task).toMatchObject({ id: idOf(n), name: "Отчёт", startDate: week.start, endDate: week.end })
      outcomes.push(task.status)
    }
    expect([...seen]).toEqual(expect.arrayContaining(["WAITING", "PROCESSING", "SUCCESS"]))
    for (const outcome of outcomes) expect(["SUCCESS", "FAILED"]).toContain(outcome)
    const all = (await list(m)).json.data
    expect(all.map((t: Json) => t.id)).toEqual(Array.from({ length: 20 }, (_, i) => idOf(20 - i)))
  }))

test("by chance one try in ten fails, and one in ten passes through RETRY on its way", () => {
  const report = (n: number): Report => ({
    id: idOf(n),
    reportType: "DETAIL_HISTORY_REPORT",
    name: "Отчёт",
    params: {},
    createdAt: 0,
    triesAt: [0],
    spoiltAt: undefined
  })
  const courses = Array.from({ length: 1_000 }, (_, n) => {
    const statuses: Array<string> = []
    for (let at = 0; at <= 90_000; at += 1_000) {
      const { endedAt, status } = CsvReports.stageAt(1, report(n), at)
      if (statuses.at(-1) !== status) statuses.push(status)
      if (endedAt !== undefined && endedAt < 15_000) statuses.push("too soon")
    }
    return statuses.join(" ")
  })
  const share = (course: string) => courses.filter((one) => one === course).length / courses.length
  expect(share("WAITING PROCESSING SUCCESS")).toBeCloseTo(0.8, 1)
  expect(share("WAITING PROCESSING FAILED")).toBeCloseTo(0.1, 1)
  expect(share("WAITING PROCESSING RETRY PROCESSING SUCCESS")).toBeCloseTo(0.1, 1)
  expect(new Set(courses).size).toBe(3)
})

test("a failed report is made again on request, and only a failed one", () =>
  withMarketplace(small, async (m) => {
    await create(m, 1, { ...detail, userReportName: "please fail" })
    expect(refused("not failed yet", await retry(m, 1))).toMatch(/WAITING|PROCESSING/)
    m.advance(100_000)
    expect((await list(m, 1)).json.data[0].status).toBe("FAILED")
    expect((await download(m, 1)).status).toBe(400)
    expect((await retry(m, 1)).status).toBe(200)
    m.advance(100_000)
    expect((await list(m, 1)).json.data[0].status).toBe("SUCCESS")
    refused("ready", await retry(m, 1))
  }))

test("an id used again spoils the report that had it, for good", () =>
  withMarketplace(small, async (m) => {
    await create(m, 1)
    expect((await create(m, 1)).status).toBe(200)
    m.advance(100_000)
    expect((await list(m, 1)).json.data[0].status).toBe("FAILED")
    expect((await retry(m, 1)).status).toBe(200)
    m.advance(100_000)
    expect((await list(m, 1)).json.data[0].status).toBe("FAILED")
  }))

test("twenty reports a Moscow day, retries included; then the second kind of 429 until midnight", () =>
  withMarketplace(small, async (m) => {
    await create(m, 1, { ...detail, userReportName: "fail" })
    m.advance(100_000)
    expect((await retry(m, 1)).status).toBe(200)
    for (let n = 2; n <= 19; n++) expect((await create(m, n)).status).toBe(200)
    const over = await create(m, 20)
    expect([over.status, over.json]).toEqual([
      429,
      {
        title: expect.any(String),
        detail: expect.stringContaining("20"),
        requestId: expect.any(String),
        origin: expect.any(String)
      }
    ])
    expect(over.headers.get("x-ratelimit-retry")).toBeNull()
    refused("not filed", await list(m, 20))
    m.advance(9 * hour)
    expect((await create(m, 20)).status).toBe(200)
  }))

test("a file is kept for 48 hours, with the same bytes for everyone who asks", () =>
  withMarketplace(small, async (m) => {
    await made(m, 1, detail)
    const bytes = async () => Buffer.from(await (await download(m, 1)).arrayBuffer()).toString("base64")
    const first = await bytes()
    m.advance(40 * hour)
    expect(await bytes()).toBe(first)
    m.advance(9 * hour)
    const gone = await download(m, 1)
    expect([gone.status, ((await gone.json()) as Json).detail]).toEqual([400, expect.stringContaining("48")])
    expect((await list(m)).json.data).toEqual([])
    expect((await list(m, 1)).json.data).toHaveLength(1)
  }))

test("search reports: groups, items and texts, with a bucket for the other texts of each item", () =>
  withMarketplace(small, async (m) => {
    const orderBy = { field: "openCard", mode: "desc" }
    const past = { start: "2026-11-06", end: "2026-11-12" }
    const search = { currentPeriod: week, pastPeriod: past, orderBy, positionCluster: "all" }
    const groups = await made(m, 1, {
      reportType: "SEARCH_QUERIES_PREMIUM_REPORT_GROUP",
      params: { ...search, subjectIds: [] }
    })
    const items = await made(m, 2, {
      reportType: "SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT",
      params: { ...search, subjectId: 0 }
    })
    const { positionCluster: _, ...textSearch } = search
    const texts = await made(m, 3, {
      reportType: "SEARCH_QUERIES_PREMIUM_REPORT_TEXT",
      params: { ...textSearch, topOrderBy: "openCard", limit: 3 }
    })
    const opens = (rows: ReadonlyArray<Record<string, string>>) => sum(rows, (row) => number(row.OpenCard))
    expect(opens(groups)).toBe(opens(items))
    expect(opens(texts)).toBe(opens(items))
    const detailsOf = async (currentPeriod: object): Promise<ReadonlyArray<Json>> =>
      (
        await answer(m, "searchDetails", {
          ...{ currentPeriod, orderBy, positionCluster: "all", limit: 1000, offset: 0 }
        })
      ).data.products
    const before = await detailsOf(past)
    for (const item of await detailsOf(week)) {
      const row = items.find((r) => r.NmID === String(item.nmId))!
      expect([number(row.OpenCard), number(row.Orders), number(row.OpenCardPast)]).toEqual([
        item.openCard.current,
        item.orders.current,
        before.find((one) => one.nmId === item.nmId).openCard.current
      ])
      const own = texts.filter((r) => r.NmID === String(item.nmId))
      expect(own.filter((r) => r.Text === "Остальные")).toHaveLength(1)
      expect(own.length).toBeLessThanOrEqual(4)
    }
    expect(texts.find((r) => r.Text === "Остальные")!.AveragePosition).toBe("")
    expect(items.some((r) => r.Rating!.includes(","))).toBe(true)
  }))

test("inventory by day: stock falls by sales only, and days before an item existed are blank", () =>
  withMarketplace(small, async (m) => {
    const currentPeriod = { start: "2026-08-25", end: "2026-11-19" }
    const stock = { currentPeriod, stockType: "", skipDeletedNm: false }
    const daily = await made(m, 1, { reportType: "STOCK_HISTORY_DAILY_CSV", params: stock })
    const columns = Object.keys(daily[0]!)
    expect(columns.slice(0, 10)).toEqual([
      ...["VendorCode", "Name", "NmID", "SubjectName", "BrandName", "SizeName", "ChrtID", "OfficeName"],
      "25.08.2026",
      "26.08.2026"
    ])
    const blanks = daily.map((row) => columns.slice(8).filter((column) => row[column] === "").length)
    expect(Math.max(...blanks)).toBeGreaterThan(0)
    expect(Math.min(...blanks)).toBe(0)
    for (const row of daily) {
      const cells = columns.slice(8).map((column) => row[column])
      expect(cells.slice(cells.findIndex((cell) => cell !== ""))).not.toContain("")
    }
    const params = { ...stock, availabilityFilters: [], orderBy: { field: "stockCount", mode: "desc" } }
    const metrics = await made(m, 2, { reportType: "STOCK_HISTORY_REPORT_CSV", params })
    expect(Object.keys(metrics[0]!)).toEqual(
      expect.arrayContaining(["AvgOrdersByMonth_08.2026", "AvgOrdersByMonth_11.2026", "OfficeMissingTime"])
    )
    expect(metrics.some((row) => row["AvgOrdersByMonth_08.2026"] === "")).toBe(true)
    const items = (await answer(m, "stockProducts", { ...params, currentPeriod, limit: 1000, offset: 0 }))
      .data.items
    for (const { nmID, metrics: json } of items) {
      const own = metrics.filter((row) => row.NmID === String(nmID))
      expect(sum(own, (r) => number(r.OrdersCount))).toBe(json.ordersCount)
      expect(sum(own, (r) => number(r.StockCount))).toBe(json.stockCount)
      const last = daily.filter((row) => row.NmID === String(nmID))
      expect(sum(last, (r) => number(r["19.11.2026"]))).toBe(json.stockCount)
    }
  }))

test("cells come back as they were written, and a number with a fraction stands in quotes with a comma", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 })), (rows) => {
      const text = Csv.text({ columns: ["a", "b"], rows })
      expect(parse(text, { skip_empty_lines: false })).toEqual([["a", "b"], ...rows])
    })
  )
  expect(Csv.text({ columns: ["a"], rows: [[Csv.comma(12.345)], [Csv.comma(7)], [undefined]] })).toBe(
    'a\n"12,35"\n7\n\n'
  )
})

test("a file's bytes do not depend on the machine's time zone", () => {
  const zone = process.env.TZ
  const table = { columns: ["a"], rows: [[1]] }
  const inZone = (name: string) => {
    process.env.TZ = name
    return Buffer.from(Csv.zipped(idOf(1), table, Date.parse("2026-11-20T12:00:00Z"))).toString("hex")
  }
  try {
    expect(inZone("Asia/Tokyo")).toBe(inZone("America/Lima"))
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

test("a report whose name contains plain comes as a bare CSV", () =>
  withMarketplace(small, async (m) => {
    await create(m, 1, { ...detail, userReportName: "plain, and it will not fail twice" })
    m.advance(100_000)
    expect((await retry(m, 1)).status).toBe(200)
    m.advance(100_000)
    expect(await (await download(m, 1)).text()).toMatch(/^nmID,dt,openCardCount,/)
  }))

test("what the tasks refuse", () =>
  withMarketplace(small, async (m) => {
    refused("emoji", await create(m, 1, { ...detail, userReportName: "Отчёт 🎉" }))
    refused("no id", await create(m, 1, { ...detail, id: "7" }))
    refused("unknown type", await create(m, 1, { ...detail, reportType: "EVERYTHING" }))
    refused("no params", await create(m, 1, { reportType: "DETAIL_HISTORY_REPORT" }))
    const early = { startDate: "2025-11-01", endDate: "2025-11-30" }
    expect(refused("too early", await create(m, 1, { ...detail, params: early }))).toContain("2025-11-20")
    const stock = {
      reportType: "STOCK_HISTORY_DAILY_CSV",
      params: {
        currentPeriod: { start: "2026-08-01", end: "2026-08-31" },
        stockType: "",
        skipDeletedNm: false
      }
    }
    expect(refused("stock too early", await create(m, 1, stock))).toContain("2026-08-20")
    refused("unknown id", await list(m, 1))
    refused("unknown retry", await retry(m, 1))
    expect((await download(m, 1)).status).toBe(400)
    expect((await list(m)).json).toEqual({ data: [] })
    expect(m.sandbox.ledger.entries).toEqual([])
  }))
