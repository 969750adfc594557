/**
 * Stock metrics of a period (seed 002 "Inventory records"): orders and buyouts from the sales, levels from the stock.
 * Codes stand for what is no number: hours −1 endless, −2 zero, −3 not computed, −4 absent the whole period; lost
 * values −2 zero, −3 not computed (field note A17).
 */

import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Days } from "../market/Statistics.js"
import type * as World from "../market/World.js"
import * as Course from "../shop/Course.js"
import * as Sales from "../shop/Sales.js"
import type { Sale } from "../shop/State.js"
import * as Stock from "../shop/Stock.js"
import * as Warehouses from "../shop/Warehouses.js"
import * as Change from "./Change.js"
import * as Periods from "./Periods.js"

/** Whose stock counts: everyone's, the platform's, the seller's. */
export type StockType = "" | "platform" | "mp"

/** A size in a warehouse. */
export interface Place {
  readonly sizeId: number
  readonly warehouse: Warehouses.Warehouse
}

export interface Figures {
  readonly days: Days
  readonly orders: number
  readonly orderKopecks: number
  readonly ordersByMonth: ReadonlyArray<
    Days & { readonly month: string; readonly orders: number | undefined }
  >
  readonly buyouts: number
  readonly buyoutKopecks: number
  readonly decided: number
  readonly stock: number
  readonly stockKopecks: number
  /** Units at the end of each day, summed over the days. */
  readonly unitDays: number
  readonly toClient: number
  readonly fromClient: number
  /** Days of each place, and those on which it held nothing. */
  readonly placeDays: number
  readonly emptyDays: number
}

const isSeller = (warehouse: Warehouses.Warehouse): boolean => warehouse.officeId !== 0

/** Places of these sizes whose stock counts. */
export const placesOf = (
  world: World.World,
  sizes: ReadonlyArray<Sales.Size>,
  type: StockType
): ReadonlyArray<Place> =>
  sizes.flatMap((size) =>
    Stock.placesOf(world, size.id)
      .filter((warehouse) => type === "" || isSeller(warehouse) === (type === "mp"))
      .map((warehouse) => ({ sizeId: size.id, warehouse }))
  )

/** The end of a day, 23:59, or now if that is earlier. */
export const endOf = (day: number, nowMs: number): number => Math.min(nowMs, Moscow.startOf(day + 1) - 60_000)

/** An item's figures at some of its places; the stock is that at the end of the period. */
export const ofItem = (
  world: World.World,
  itemId: number,
  priceKopecks: number,
  places: ReadonlyArray<Place>,
  asked: Days,
  nowMs: number
): Figures => {
  const days = { from: asked.from, to: Math.min(asked.to, Moscow.dayOf(nowMs)) }
  const here = new Set(places.map(({ sizeId, warehouse }) => `${sizeId} ${warehouse.id}`))
  const sales = Sales.ofItem(world, itemId, days, nowMs).filter((sale) =>
    here.has(`${sale.sizeId} ${Warehouses.ofSale(world, sale).id}`)
  )
  const outcomes = sales.map((sale) => ({ sale, status: Course.outcome(world, sale, nowMs).status }))
  const bought = outcomes.filter(({ status }) => status === "buyout").map(({ sale }) => sale)
  const born = Sales.bornOn(world, itemId)
  const living = Periods.each(days).filter((day) => day >= born)
  const ends = living.map((day) => endOf(day, nowMs))
  let unitDays = 0
  let emptyDays = 0
  for (const { sizeId, warehouse } of places)
    for (const units of Stock.leftAt(world, sizeId, warehouse, ends)) {
      unitDays += units
      if (units === 0) emptyDays++
    }
  const at = endOf(days.to, nowMs)
  const stock = places.reduce((sum, p) => sum + Stock.left(world, p.sizeId, p.warehouse, at), 0)
  const ways = places.map(({ sizeId, warehouse }) => ofSize(world, sizeId, warehouse, at))
  const kopecks = (list: ReadonlyArray<Sale>) => list.reduce((sum, sale) => sum + sale.priceKopecks, 0)
  return {
    days,
    orders: sales.length,
    orderKopecks: kopecks(sales),
    ordersByMonth: Periods.months(days).map((month) => ({
      ...month,
      orders:
        month.to < born
          ? undefined
          : sales.filter((sale) => sale.day >= month.from && sale.day <= month.to).length
    })),
    buyouts: bought.length,
    buyoutKopecks: kopecks(bought),
    decided: outcomes.filter(({ status }) => status !== "created").length,
    stock,
    stockKopecks: stock * priceKopecks,
    unitDays,
    toClient: ways.reduce((sum, way) => sum + way.toClient, 0),
    fromClient: ways.reduce((sum, way) => sum + way.fromClient, 0),
    placeDays: places.length * living.length,
    emptyDays
  }
}

/** Figures of several items or places of one period. */
export const together = (all: ReadonlyArray<Figures>, asked: Days, nowMs: number): Figures => {
  const sum = (read: (figures: Figures) => number) => all.reduce((total, one) => total + read(one), 0)
  const days = { from: asked.from, to: Math.min(asked.to, Moscow.dayOf(nowMs)) }
  return {
    days,
    orders: sum((f) => f.orders),
    orderKopecks: sum((f) => f.orderKopecks),
    ordersByMonth: Periods.months(days).map((month, i) => ({
      ...month,
      orders: sum((f) => f.ordersByMonth[i]?.orders ?? 0)
    })),
    buyouts: sum((f) => f.buyouts),
    buyoutKopecks: sum((f) => f.buyoutKopecks),
    decided: sum((f) => f.decided),
    stock: sum((f) => f.stock),
    stockKopecks: sum((f) => f.stockKopecks),
    unitDays: sum((f) => f.unitDays),
    toClient: sum((f) => f.toClient),
    fromClient: sum((f) => f.fromClient),
    placeDays: sum((f) => f.placeDays),
    emptyDays: sum((f) => f.emptyDays)
  }
}

const perDay = (figures: Figures): number => figures.orders / Periods.length(figures.days)

/** Hours until the stock is sold, or a code. */
export const saleRateHours = (figures: Figures): number =>
  figures.stock === 0 ? -2 : figures.orders === 0 ? -1 : Math.round((24 * figures.stock) / perDay(figures))

/** Hours a unit lay on average, or a code; a single day gives no average. */
export const turnoverHours = (figures: Figures): number => {
  if (Periods.length(figures.days) === 1) return -3
  if (figures.unitDays === 0) return -2
  return figures.orders === 0 ? -1 : Math.round((24 * figures.unitDays) / figures.orders)
}

/** Hours a place held nothing, on average over the places, or a code. */
export const missingHours = (figures: Figures): number => {
  if (figures.placeDays === 0) return -3
  if (figures.emptyDays === figures.placeDays) return -4
  if (figures.emptyDays === 0) return -2
  return Math.round((24 * Periods.length(figures.days) * figures.emptyDays) / figures.placeDays)
}

/** Orders lost while nothing was there, judged by the time when something was; or a code. */
const lostOrders = (figures: Figures): number => {
  const present = figures.placeDays - figures.emptyDays
  if (present <= 0) return -3
  const lost = Math.round((figures.orders * figures.emptyDays) / present)
  return lost === 0 ? -2 : lost
}

/** How the stock stands; now and then the service has no answer. */
export const availability = (itemId: number, figures: Figures): string => {
  if (Dice.unit(Dice.roll(981, itemId)) < 0.03) return "invalidData"
  const hours = saleRateHours(figures)
  if (hours === -2) return figures.orders === 0 ? "nonActual" : "deficient"
  if (hours === -1) return "nonLiquid"
  const days = hours / 24
  return days < 7 ? "deficient" : days < 21 ? "actual" : days < 60 ? "balanced" : "nonLiquid"
}

/** Days and hours; a code stands in the hours. */
const duration = (hours: number) =>
  hours < 0 ? { days: 0, hours } : { days: Math.floor(hours / 24), hours: hours % 24 }

const times = (count: number, factor: number): number => (count < 0 ? count : Math.round(count * factor))

export const lost = (figures: Figures) => {
  const count = lostOrders(figures)
  const price = figures.orders === 0 ? 0 : figures.orderKopecks / figures.orders / 100
  const rate = figures.decided === 0 ? 1 : figures.buyouts / figures.decided
  const buyouts = times(count, rate)
  return {
    lostOrdersCount: count,
    lostOrdersSum: times(count, price),
    lostBuyoutsCount: buyouts === 0 ? -2 : buyouts,
    lostBuyoutsSum: buyouts === 0 ? -2 : times(buyouts, price)
  }
}

/** Metrics as JSON reports write them; money is whole roubles. */
export const metrics = (figures: Figures) => ({
  ordersCount: figures.orders,
  ordersSum: Change.wholeRoubles(figures.orderKopecks),
  avgOrders: Change.round2(perDay(figures)),
  avgOrdersByMonth: figures.ordersByMonth.flatMap((month) =>
    month.orders === undefined
      ? []
      : [
          {
            ...Periods.text(month),
            value: Change.round2(month.orders / Periods.length(month))
          }
        ]
  ),
  buyoutCount: figures.buyouts,
  buyoutSum: Change.wholeRoubles(figures.buyoutKopecks),
  buyoutPercent: Change.share(figures.buyouts, figures.decided),
  stockCount: figures.stock,
  stockSum: Change.wholeRoubles(figures.stockKopecks),
  saleRate: duration(saleRateHours(figures)),
  avgStockTurnover: duration(turnoverHours(figures)),
  toClientCount: figures.toClient,
  fromClientCount: figures.fromClient,
  officeMissingTime: duration(missingHours(figures)),
  ...lost(figures)
})

// Units on their way between a warehouse and buyers (seed 002 "Inventory records": toClient, fromClient).

interface InWay {
  readonly toClient: number
  readonly fromClient: number
}

/** Nothing is on its way longer than this, days. */
const longestWayDays = 40

/** Units of a size that one warehouse sent and that are under way at an instant. */
export const ofSize = (
  world: World.World,
  sizeId: number,
  warehouse: Warehouses.Warehouse,
  nowMs: number
): InWay => {
  const size = Sales.size(world, sizeId)
  const count = { toClient: 0, fromClient: 0 }
  if (size === undefined) return count
  const today = Moscow.dayOf(nowMs)
  const days = { from: today - longestWayDays, to: today }
  for (const sale of Stock.sentFrom(world, size, warehouse, days, nowMs)) {
    const way = Course.transit(world, sale, nowMs)
    if (way !== "none") count[way]++
  }
  return count
}
