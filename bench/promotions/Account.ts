/**
 * A made-up account with many items in promotions, as the bytes that the marketplace would answer. Each record is written
 * once and answers are put together of these, so that hardly anything of a plan's time is the making of its answers; what
 * it takes is counted apart.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Chance from "../drawn/Chance.js"

export interface Account {
  readonly http: HttpClient.HttpClient
  /** Where the seller's economics table lies, as a spreadsheet program saves it. */
  readonly table: string
  /** What was answered so far. */
  readonly told: Told
  /** Everything that was answered, made anew. */
  readonly bodies: () => Iterable<Uint8Array>
}

export interface Told {
  bytes: number
  calls: number
  /** Processor time that putting answers together took, microseconds. */
  cpuMicros: number
}

export const nowMs = Date.parse("2026-09-01T04:00:00Z")

const campaigns = 300
const itemsOfCampaign = 10
const day = 86_400_000

/** Shares of the account's items; the second promotion has items of the first, at the same time. */
const promotions = [
  { id: 1001, from: 0, share: 0.5, startsIn: 3, lasts: 7 },
  { id: 1002, from: 0.4, share: 0.25, startsIn: 5, lasts: 7 },
  { id: 1003, from: 0.65, share: 0.15, startsIn: 2, lasts: 10 },
  { id: 1004, from: 0.8, share: 0.1, startsIn: 6, lasts: 14 }
]

const pageSize = 1000
const firstItem = 200_000_001

/** Draws an account into a folder. As many items as rows of promotions: a tenth is in two promotions, a tenth in none. */
export const write = (folder: string, rows: number, seed: number): void => {
  const draw = new Chance.Draw(Chance.generator(seed))
  const goods = Array.from({ length: rows }, (_, at) => good(at, draw))
  const save = (name: string, texts: ReadonlyArray<string>) => writeRecords(join(folder, name), texts)
  save(
    "stocks",
    goods.map((one) => stock(one, draw))
  )
  save(
    "funnel14",
    goods.map((one) => funnel(one, "2026-08-18", "2026-08-31", one.orders, draw))
  )
  save(
    "funnel30",
    goods.map((one) => funnel(one, "2026-07-03", "2026-08-01", one.orders * 2, draw))
  )
  for (const { from, id, share } of promotions) {
    const own = goods.slice(Math.round(from * rows), Math.round((from + share) * rows))
    const { joined, others } = itemsOf(own, draw)
    save(`joined${id}`, joined)
    save(`others${id}`, others)
  }
  writeFileSync(join(folder, "economics.csv"), economics(goods, draw))
}

/** The account of a folder, drawn by another process: what drawing left behind would have to be collected in the plan's time. */
export const read = (folder: string): Account => {
  const open = (name: string) => new Records(join(folder, name))
  const stocks = open("stocks")
  const funnels: Readonly<Record<number, Records>> = { 14: open("funnel14"), 30: open("funnel30") }
  const parts = promotions.map((one) => ({
    ...one,
    joined: open(`joined${one.id}`),
    others: open(`others${one.id}`)
  }))
  const answer = (path: string, query: URLSearchParams, body: string): Uint8Array => {
    switch (path) {
      case "/api/v1/calendar/promotions":
        return bytes({ data: { promotions: parts.map(listed) } })
      case "/api/v1/calendar/promotions/details":
        return bytes({ data: { promotions: parts.map(details) } })
      case "/api/v1/calendar/promotions/nomenclatures": {
        const one = parts.find(({ id }) => id === Number(query.get("promotionID")))!
        const list = query.get("inAction") === "true" ? one.joined : one.others
        const from = Number(query.get("offset"))
        const page = Array.from(
          { length: Math.max(0, Math.min(pageSize, list.size - from)) },
          (_, i) => from + i
        )
        return list.answer('{"data":{"nomenclatures":[', page, "]}}")
      }
      case "/api/v2/stocks-report/products/products":
        return stocks.answer('{"data":{"items":[', numbersOf(JSON.parse(body).nmIDs), '],"currency":"RUB"}}')
      case "/api/analytics/v3/sales-funnel/products": {
        const { nmIds, selectedPeriod } = JSON.parse(body)
        const length = (Date.parse(selectedPeriod.end) - Date.parse(selectedPeriod.start)) / day + 1
        return funnels[length]!.answer('{"data":{"products":[', numbersOf(nmIds), '],"currency":"RUB"}}')
      }
      case "/adv/v1/promotion/count":
        return bytes({ adverts: [{ type: 9, status: 9, count: campaigns, advert_list: campaignIds }] })
      case "/api/advert/v2/adverts":
        return bytes({ adverts: query.get("ids")!.split(",").map(Number).map(campaign) })
      case "/adv/v3/fullstats":
        return bytes(query.get("ids")!.split(",").map(Number).map(statistics))
      case "/adv/v1/upd":
        return bytes(campaignIds.map(({ advertId }) => charge(advertId)))
      default:
        throw new Error(`no answer for ${path}`)
    }
  }
  const told: Told = { bytes: 0, calls: 0, cpuMicros: 0 }
  const asked: Array<Parameters<typeof answer>> = []
  const http = HttpClient.make((request, url) =>
    Effect.sync(() => {
      const before = process.cpuUsage()
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const made = answer(url.pathname, url.searchParams, body)
      asked.push([url.pathname, url.searchParams, body])
      const { system, user } = process.cpuUsage(before)
      told.bytes += made.byteLength
      told.calls += 1
      told.cpuMicros += system + user
      const headers = { "content-type": "application/json", "content-length": `${made.byteLength}` }
      return HttpClientResponse.fromWeb(request, new Response(made, { headers }))
    })
  )
  const bodies = function* () {
    for (const one of asked) yield answer(...one)
  }
  return { http, table: join(folder, "economics.csv"), told, bodies }
}

/** A body may be handed over, and is the client's own: none is part of a larger piece. */
const bytes = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json))

const numbersOf = (ids: ReadonlyArray<number>): ReadonlyArray<number> => ids.map((id) => id - firstItem)

/** Records one after another as the bytes of their JSON, a comma behind each, and where each ends with its comma. */
const writeRecords = (path: string, texts: ReadonlyArray<string>): void => {
  const ends = new Int32Array(texts.length)
  let end = 0
  for (const [at, text] of texts.entries()) {
    end += Buffer.byteLength(text) + 1
    ends[at] = end
  }
  writeFileSync(path, texts.map((text) => `${text},`).join(""))
  writeFileSync(`${path}.ends`, ends)
}

class Records {
  private readonly bytes: Buffer
  private readonly ends: Int32Array

  constructor(path: string) {
    this.bytes = readFileSync(path)
    const ends = readFileSync(`${path}.ends`)
    this.ends = new Int32Array(Uint8Array.from(ends).buffer)
  }

  get size(): number {
    return this.ends.length
  }

  /**
   * These records with commas between them, in one piece; those that follow each other are copied together. What lies about
   * afterwards would be collected in the plan's time.
   */
  answer(head: string, numbers: ReadonlyArray<number>, tail: string): Uint8Array {
    const runs = runsOf(numbers).map(([first, last]): Span => [this.startOf(first), this.ends[last]!])
    const size = runs.reduce((sum, [from, to]) => sum + to - from, 0)
    const made = Buffer.allocUnsafeSlow(head.length + Math.max(0, size - 1) + tail.length)
    let at = made.write(head)
    for (const [from, to] of runs) at += this.bytes.copy(made, at, from, to)
    // Over the last comma, or behind the head.
    made.write(tail, made.length - tail.length)
    return made
  }

  private startOf(number: number): number {
    return number === 0 ? 0 : this.ends[number - 1]!
  }
}

type Span = readonly [from: number, to: number]

/** First and last of the numbers that follow each other. */
const runsOf = (numbers: ReadonlyArray<number>): ReadonlyArray<Span> => {
  const runs: Array<[number, number]> = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] + 1 === number) run[1] = number
    else runs.push([number, number])
  }
  return runs
}

interface Good {
  readonly itemId: number
  readonly kopecks: number
  readonly orders: number
}

const good = (at: number, draw: Chance.Draw): Good => ({
  itemId: firstItem + at,
  kopecks: draw.whole(50_000, 500_000),
  orders: draw.chance(0.1) ? 0 : Math.floor(120 * draw.next() ** 3)
})

const roubles = (kopecks: number): number => kopecks / 100

/** Who is in a promotion already, and who may join: nearly all at a fall that the rules allow. */
const itemsOf = (goods: ReadonlyArray<Good>, draw: Chance.Draw) => {
  const joined: Array<string> = []
  const others: Array<string> = []
  for (const { itemId, kopecks } of goods) {
    const inAction = draw.chance(0.08)
    const discount = draw.whole(5, 40)
    const fall = draw.whole(2, 27)
    const list = inAction ? joined : others
    list.push(
      JSON.stringify({
        id: itemId,
        inAction,
        price: roubles(kopecks),
        currencyCode: "RUB",
        planPrice: roubles(Math.round((kopecks * (100 - fall)) / 100)),
        discount,
        planDiscount: Math.min(95, discount + fall)
      })
    )
  }
  return { joined, others }
}

type Promotion = (typeof promotions)[number] & { readonly joined: Records; readonly others: Records }

const stamp = (inDays: number): string =>
  `${new Date(nowMs + inDays * day + day / 4).toISOString().slice(0, 19)}Z`

const listed = ({ id, lasts, startsIn }: Promotion) => ({
  id,
  name: `Promotion ${id}`,
  startDateTime: stamp(startsIn),
  endDateTime: stamp(startsIn + lasts),
  type: "regular"
})

const details = (promotion: Promotion) => {
  const [joined, others] = [promotion.joined.size, promotion.others.size]
  return {
    ...listed(promotion),
    description: "Autumn sale",
    advantages: ["A place in the catalogue"],
    inPromoActionLeftovers: joined * 20,
    inPromoActionTotal: joined,
    notInPromoActionLeftovers: others * 20,
    notInPromoActionTotal: others,
    participationPercentage: Math.floor((joined * 100) / (joined + others)),
    exceptionProductsCount: 0,
    ranging: [
      { condition: "productsInPromotion", participationRate: 5, boost: 3 },
      { condition: "calculateProducts", participationRate: 20, boost: 7 },
      { condition: "allProducts", participationRate: 60, boost: 12 }
    ]
  }
}

const stock = ({ itemId, kopecks, orders }: Good, draw: Chance.Draw): string => {
  const stockCount = draw.chance(0.05) ? 0 : draw.whole(1, 400)
  const rate = { days: Math.floor((stockCount * 14) / Math.max(1, orders)), hours: draw.whole(0, 23) }
  return JSON.stringify({
    nmID: itemId,
    isDeleted: false,
    subjectName: "Кеды",
    name: `Кеды зимние ${itemId}`,
    vendorCode: `shoe-${itemId}`,
    brandName: "Bench",
    mainPhoto: `https://basket.example/vol${itemId % 1000}/${itemId}/1.webp`,
    hasSizes: true,
    metrics: {
      ordersCount: orders,
      ordersSum: Math.round((orders * kopecks) / 100),
      avgOrders: Math.round((orders * 100) / 14) / 100,
      avgOrdersByMonth: [{ start: "2026-08-19", end: "2026-08-31", value: 1.5 }],
      buyoutCount: Math.floor(orders * 0.6),
      buyoutSum: Math.round((orders * kopecks * 0.6) / 100),
      buyoutPercent: 60,
      stockCount,
      stockSum: Math.round((stockCount * kopecks) / 100),
      saleRate: stockCount === 0 ? { days: 0, hours: -4 } : orders === 0 ? { days: 0, hours: -1 } : rate,
      avgStockTurnover: { days: 12, hours: 3 },
      toClientCount: draw.whole(0, 9),
      fromClientCount: draw.whole(0, 5),
      officeMissingTime: { days: 0, hours: -2 },
      lostOrdersCount: -2,
      lostOrdersSum: -2,
      lostBuyoutsCount: -2,
      lostBuyoutsSum: -2,
      currentPrice: { minPrice: roubles(kopecks), maxPrice: roubles(kopecks) },
      availability: "balanced"
    }
  })
}

const funnel = (
  { itemId, kopecks }: Good,
  start: string,
  end: string,
  orderCount: number,
  draw: Chance.Draw
): string => {
  const buyoutCount = Math.floor(orderCount * (0.4 + 0.6 * draw.next()))
  const sum = (count: number) => Math.round((count * kopecks) / 100)
  return JSON.stringify({
    product: {
      nmId: itemId,
      title: `Кеды зимние ${itemId}`,
      vendorCode: `shoe-${itemId}`,
      brandName: "Bench",
      subjectId: 105,
      subjectName: "Кеды",
      tags: [],
      productRating: 8.5,
      feedbackRating: 4.6,
      stocks: { platform: draw.whole(0, 300), mp: draw.whole(0, 100), balanceSum: sum(100) }
    },
    statistic: {
      selected: {
        period: { start, end },
        openCount: orderCount * 20 + draw.whole(0, 50),
        cartCount: orderCount * 3,
        orderCount,
        orderSum: sum(orderCount),
        buyoutCount,
        buyoutSum: sum(buyoutCount),
        cancelCount: orderCount - buyoutCount,
        cancelSum: sum(orderCount - buyoutCount),
        avgPrice: roubles(kopecks),
        avgOrdersCountPerDay: Math.round(orderCount * 7) / 100,
        shareOrderPercent: 0.01,
        addToWishlist: draw.whole(0, 20),
        timeToReady: { days: 1, hours: 2, mins: 3 },
        localizationPercent: 100,
        platformClub: {
          orderCount: Math.floor(orderCount / 3),
          orderSum: sum(Math.floor(orderCount / 3)),
          buyoutSum: 0,
          buyoutCount: 0,
          cancelSum: 0,
          cancelCount: 0,
          avgPrice: roubles(kopecks),
          buyoutPercent: 0,
          avgOrderCountPerDay: 0
        },
        conversions: { addToCartPercent: 15, cartToOrderPercent: 33, buyoutPercent: 60 }
      }
    }
  })
}

// The advertising of the account: a few hundred campaigns, each with ten of its first items.

const campaignIds = Array.from({ length: campaigns }, (_, at) => ({
  advertId: at + 1,
  changeTime: "2026-08-20T10:00:00+03:00"
}))

const itemsAt = (id: number): ReadonlyArray<number> =>
  Array.from({ length: itemsOfCampaign }, (_, at) => firstItem + (id - 1) * itemsOfCampaign + at)

const campaign = (id: number) => ({
  id,
  bid_type: "manual",
  currency: "RUB",
  status: 9,
  settings: {
    name: `Campaign ${id}`,
    payment_type: "cpm",
    placements: { search: true, recommendations: false }
  },
  nm_settings: itemsAt(id).map((nm_id) => ({
    nm_id,
    bids_kopecks: { search: 30_000, recommendations: 0 },
    subject: { id: 105, name: "Кеды" }
  })),
  timestamps: {
    created: "2026-01-01T00:00:00Z",
    updated: "2026-01-01T00:00:00Z",
    started: null,
    deleted: null
  }
})

const totals = (share: number) => ({
  views: 1000 * share,
  clicks: 40 * share,
  ctr: 4,
  cpc: 7.5,
  cr: 5,
  atbs: 4 * share,
  orders: 2 * share,
  shks: 2 * share,
  canceled: 0,
  sum: 300 * share,
  sum_price: 4000 * share
})

/** What the statistics of the fortnight say. */
const charge = (advertId: number) => ({
  updNum: advertId,
  updTime: "2026-08-31T20:00:00+03:00",
  updSum: totals(14 * itemsOfCampaign).sum,
  advertId,
  campName: `Campaign ${advertId}`,
  advertType: 9,
  paymentType: "account",
  advertStatus: 9,
  currency: "RUB"
})

const statistics = (advertId: number) => ({
  advertId,
  currency: "RUB",
  ...totals(14 * itemsOfCampaign),
  boosterStats: [],
  days: Array.from({ length: 14 }, (_, at) => ({
    date: `${new Date(nowMs - (13 - at) * day).toISOString().slice(0, 10)}T00:00:00Z`,
    ...totals(itemsOfCampaign),
    apps: [
      {
        appType: 32,
        ...totals(itemsOfCampaign),
        nms: itemsAt(advertId).map((nmId) => ({ nmId, name: `Кеды ${nmId}`, ...totals(1) }))
      }
    ]
  }))
})

// The seller's table: a row for nearly every item, holes in it, later prices of some, and what holds for all others.

const header = [
  "номенклатура",
  "действует с",
  "себестоимость",
  "упаковка",
  "комиссия, %",
  "комиссия в акции, %",
  "эквайринг, %",
  "логистика",
  "обратная логистика",
  "хранение",
  "налог, %",
  "налоговая база",
  "прочее",
  "выкуп, %",
  "минимальная цена"
]

const economics = (goods: ReadonlyArray<Good>, draw: Chance.Draw): string => {
  const money = (kopecks: number) => (Math.round(kopecks) / 100).toFixed(2).replace(".", ",")
  const lines = [
    header,
    ["*", "", "", "12,50", "17,5", "15,5", "1,5", "85", "50", "3", "6", "доход", "0", "", ""]
  ]
  for (const { itemId, kopecks } of goods) {
    if (draw.chance(0.03)) continue
    const or = (share: number, text: string) => (draw.chance(share) ? text : "")
    const cost = kopecks * (0.2 + 0.3 * draw.next())
    lines.push([
      String(itemId),
      "",
      or(0.95, money(cost)),
      or(0.8, money(draw.whole(500, 3000))),
      or(0.7, `${draw.whole(10, 22)}`),
      or(0.7, `${draw.whole(8, 20)},5`),
      or(0.5, "1,5"),
      or(0.9, money(draw.whole(4000, 15_000))),
      or(0.9, money(draw.whole(3000, 6000))),
      or(0.6, money(draw.whole(0, 900))),
      or(0.2, "15"),
      or(0.2, "прибыль"),
      or(0.1, "10"),
      or(0.4, `${draw.whole(40, 100)}`),
      or(0.2, money(kopecks * 0.7))
    ])
    if (draw.chance(0.05))
      lines.push([String(itemId), "2026-08-15", money(cost * 1.05), ...header.slice(3).map(() => "")])
  }
  return `\ufeff${lines.map((cells) => `${cells.join(";")}\r\n`).join("")}`
}
