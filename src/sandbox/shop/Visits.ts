/** What visitors did with an item on a day: opened, put into the cart, ordered, bought. The funnel of seed 002. */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import * as Advertising from "./Advertising.js"
import * as Course from "./Course.js"
import * as Sales from "./Sales.js"

/**
 * Counts of one Moscow day, up to now. `opens` ≥ `carts` ≥ `orders`, and `opens` ≥ the clicks of its advertisements.
 * Buyouts and cancellations are booked on the day of the order (field note A06), so they grow for weeks.
 */
export interface Day {
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
  const passed = day < Sales.bornOn(world, itemId) ? 0 : Moscow.passed(nowMs, day)
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
