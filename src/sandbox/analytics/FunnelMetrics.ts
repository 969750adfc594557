/** Sums of an item's visits over a period and the funnel's record of them (seed 002 "Sales-funnel product record"). */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Buyers from "../market/Buyers.js"
import type { Days } from "../market/Statistics.js"
import type * as World from "../market/World.js"
import * as Advertising from "../shop/Advertising.js"
import * as Course from "../shop/Course.js"
import * as Sales from "../shop/Sales.js"
import * as Change from "./Change.js"
import * as Periods from "./Periods.js"

// What visitors did with an item on a day: opened, put into the cart, ordered, bought. The funnel of seed 002.

/**
 * Counts of one Moscow day, up to now. `opens` ≥ `carts` ≥ `orders`, and `opens` ≥ the clicks of its advertisements.
 * Buyouts and cancellations are booked on the day of the order (field note A06), so they grow for weeks.
 */
interface Day {
  readonly opens: number
  readonly carts: number
  readonly orders: number
  readonly orderKopecks: number
  readonly wishlist: number
  readonly buyouts: number
  readonly buyoutKopecks: number
  readonly cancels: number
  readonly cancelKopecks: number
}

/** An item's day; all zeros for a day to come. */
export const ofDay = (world: World.World, itemId: number, day: number, nowMs: number): Day => {
  const days = { from: day, to: day }
  const sales = Sales.ofItem(world, itemId, days, nowMs)
  const asOf = Math.max(nowMs, Math.min(world.originMs, Moscow.startOf(day + 1)))
  const advertised = Advertising.counts(world, itemId, days, asOf).get(day) ?? Advertising.nothing
  const passed = day < Sales.bornOn(world, itemId) ? 0 : visited(world, itemId, day, nowMs)
  const hash = Dice.roll(world.seed, 551, itemId, day)
  const strolling = Math.floor(passed * Dice.between(Dice.mix(hash, 1), 20, 90))
  const undecided = Math.floor(strolling * Dice.between(Dice.mix(hash, 2), 0.05, 0.2))
  const organic = sales.filter((sale) => !sale.advertised).length
  const opens = advertised.clicks + organic + strolling
  const sum = { buyouts: 0, buyoutKopecks: 0, cancels: 0, cancelKopecks: 0, orderKopecks: 0 }
  for (const sale of sales) {
    sum.orderKopecks += sale.priceKopecks
    const { status } = Course.outcome(world, sale, nowMs)
    if (status === "buyout") {
      sum.buyouts++
      sum.buyoutKopecks += sale.priceKopecks
    } else if (status !== "created") {
      sum.cancels++
      sum.cancelKopecks += sale.priceKopecks
    }
  }
  return {
    opens,
    carts: advertised.carts + organic + undecided,
    orders: sales.length,
    wishlist: Math.floor(opens * Dice.between(Dice.mix(hash, 3), 0.02, 0.06)),
    ...sum
  }
}

/** Visits of a day up to now as a share of an ordinary day's: more than have passed where a promotion draws more. */
const visited = (world: World.World, itemId: number, day: number, nowMs: number): number =>
  Buyers.ofDay(world, itemId, day, nowMs).reduce(
    (sum, { offer, share }) => sum + share * (offer.views - 1),
    Moscow.passed(nowMs, day)
  )

/** Counts, and sums of money in kopecks. */
export interface Sum {
  opens: number
  carts: number
  orders: number
  orderKopecks: number
  wishlist: number
  buyouts: number
  buyoutKopecks: number
  cancels: number
  cancelKopecks: number
}

const zero = (): Sum => ({
  opens: 0,
  carts: 0,
  orders: 0,
  orderKopecks: 0,
  wishlist: 0,
  buyouts: 0,
  buyoutKopecks: 0,
  cancels: 0,
  cancelKopecks: 0
})

const addTo = (sum: Sum, more: Sum): void => {
  sum.opens += more.opens
  sum.carts += more.carts
  sum.orders += more.orders
  sum.orderKopecks += more.orderKopecks
  sum.wishlist += more.wishlist
  sum.buyouts += more.buyouts
  sum.buyoutKopecks += more.buyoutKopecks
  sum.cancels += more.cancels
  sum.cancelKopecks += more.cancelKopecks
}

/** What an item brought on these days; days to come bring nothing. */
export const ofDays = (world: World.World, itemId: number, days: Days, nowMs: number): Sum => {
  const sum = zero()
  const last = Math.min(days.to, Moscow.dayOf(nowMs))
  for (let day = days.from; day <= last; day++) addTo(sum, ofDay(world, itemId, day, nowMs))
  return sum
}

export const ofItems = (
  world: World.World,
  itemIds: ReadonlyArray<number>,
  days: Days,
  nowMs: number
): Sum => {
  const sum = zero()
  for (const id of itemIds) addTo(sum, ofDays(world, id, days, nowMs))
  return sum
}

/** Whole percents; a buyout rate counts only orders whose outcome is known. */
const conversions = (sum: Sum) => ({
  addToCartPercent: Change.share(sum.carts, sum.opens),
  cartToOrderPercent: Change.share(sum.orders, sum.carts),
  buyoutPercent: Change.share(sum.buyouts, sum.buyouts + sum.cancels)
})

const average = (kopecks: number, count: number): number =>
  count === 0 ? 0 : Change.wholeRoubles(kopecks / count)

/** What records and history rows share. Whole roubles. */
const counted = (sum: Sum) => ({
  openCount: sum.opens,
  cartCount: sum.carts,
  orderCount: sum.orders,
  orderSum: Change.wholeRoubles(sum.orderKopecks),
  buyoutCount: sum.buyouts,
  buyoutSum: Change.wholeRoubles(sum.buyoutKopecks)
})

/** Metrics of one period; `allKopecks` is what all items of the report were ordered for. Whole roubles. */
export const record = (itemId: number, sum: Sum, days: Days, allKopecks: number) => ({
  period: Periods.text(days),
  ...counted(sum),
  cancelCount: sum.cancels,
  cancelSum: Change.wholeRoubles(sum.cancelKopecks),
  avgPrice: average(sum.orderKopecks, sum.orders),
  avgOrdersCountPerDay: Change.round2(sum.orders / Periods.length(days)),
  shareOrderPercent: Change.share(sum.orderKopecks, allKopecks),
  addToWishlist: sum.wishlist,
  timeToReady: timeToReady(itemId),
  // Platform warehouses are not told apart any more, so the figure is constant (not-shown §7.5).
  localizationPercent: 100,
  platformClub: club(sum, days),
  conversions: conversions(sum)
})

export type Record = ReturnType<typeof record>

/** About a third of the buyers are members of the platform's club. */
const club = (sum: Sum, days: Days) => {
  const part = (count: number) => Math.floor(count / 3)
  const money = (kopecks: number, count: number) =>
    count === 0 ? 0 : Change.wholeRoubles((kopecks * part(count)) / count)
  const orderCount = part(sum.orders)
  const buyoutCount = part(sum.buyouts)
  const cancelCount = Math.min(part(sum.cancels), orderCount - buyoutCount)
  const orderSum = money(sum.orderKopecks, sum.orders)
  return {
    orderCount,
    orderSum,
    buyoutSum: money(sum.buyoutKopecks, sum.buyouts),
    buyoutCount,
    cancelSum: money(sum.cancelKopecks, sum.cancels),
    cancelCount,
    avgPrice: orderCount === 0 ? 0 : Math.round(orderSum / orderCount),
    buyoutPercent: Change.share(buyoutCount, buyoutCount + cancelCount),
    avgOrderCountPerDay: Change.round2(orderCount / Periods.length(days))
  }
}

const timeToReady = (itemId: number) => ({
  days: 0,
  hours: 2 + (Dice.uint(Dice.roll(931, itemId)) % 22),
  mins: Dice.uint(Dice.roll(932, itemId)) % 60
})

/** Change of every metric; of rates and times the difference, of the rest whole percents. */
export const comparison = (now: Record, past: Record) => ({
  ...dynamics(now, past, [
    "openCount",
    "cartCount",
    "orderCount",
    "orderSum",
    "buyoutCount",
    "buyoutSum",
    "cancelCount",
    "cancelSum",
    "avgPrice",
    "avgOrdersCountPerDay",
    "addToWishlist"
  ]),
  shareOrderPercentDynamic: now.shareOrderPercent - past.shareOrderPercent,
  timeToReadyDynamic: { days: 0, hours: 0, mins: 0 },
  localizationPercentDynamic: 0,
  platformClubDynamic: {
    orderCount: Change.percent(now.platformClub.orderCount, past.platformClub.orderCount),
    orderSum: Change.percent(now.platformClub.orderSum, past.platformClub.orderSum),
    buyoutSum: Change.percent(now.platformClub.buyoutSum, past.platformClub.buyoutSum),
    buyoutCount: Change.percent(now.platformClub.buyoutCount, past.platformClub.buyoutCount),
    cancelSum: Change.percent(now.platformClub.cancelSum, past.platformClub.cancelSum),
    cancelCount: Change.percent(now.platformClub.cancelCount, past.platformClub.cancelCount),
    avgPrice: Change.percent(now.platformClub.avgPrice, past.platformClub.avgPrice),
    buyoutPercent: now.platformClub.buyoutPercent - past.platformClub.buyoutPercent,
    avgOrderCountPerDay: Change.percent(
      now.platformClub.avgOrderCountPerDay,
      past.platformClub.avgOrderCountPerDay
    )
  },
  conversions: {
    addToCartPercent: now.conversions.addToCartPercent - past.conversions.addToCartPercent,
    cartToOrderPercent: now.conversions.cartToOrderPercent - past.conversions.cartToOrderPercent,
    buyoutPercent: now.conversions.buyoutPercent - past.conversions.buyoutPercent
  }
})

type Counted = { [K in keyof Record]: Record[K] extends number ? K : never }[keyof Record]

const dynamics = (now: Record, past: Record, names: ReadonlyArray<Counted>) =>
  Object.fromEntries(names.map((name) => [`${name}Dynamic`, Change.percent(now[name], past[name])]))

/** One day or week of a history (seed 002 "History row"). */
export const historyRow = (day: number, sum: Sum) => {
  const rates = conversions(sum)
  return {
    date: Moscow.dayText(day),
    ...counted(sum),
    buyoutPercent: rates.buyoutPercent,
    addToCartConversion: rates.addToCartPercent,
    cartToOrderConversion: rates.cartToOrderPercent,
    addToWishlistCount: sum.wishlist
  }
}
