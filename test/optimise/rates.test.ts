/** Shrinkage and probabilities against sums over fine grids, made here. */
import { describe, expect, it } from "vitest"
import { betaBelow, lnGamma, normalBelow } from "../../src/engine/optimise/Distribution.js"
import * as Learn from "../../src/engine/optimise/Learn.js"
import * as Rates from "../../src/engine/optimise/Rates.js"
import type { Stream } from "../../src/engine/optimise/Stream.js"
import * as Value from "../../src/engine/optimise/Value.js"
import { dice } from "./MadeUpMarket.js"
import { stream } from "./Streams.js"

/** Density of Beta(a, b) up to its factor, at the middles of a fine grid of ln(rate). */
const grid = Array.from({ length: 4000 }, (_, i) => Math.exp(-14 + (14 * (i + 0.5)) / 4000))
const densities = (a: number, b: number) => {
  const ln = grid.map((p) => a * Math.log(p) + (b - 1) * Math.log1p(-p))
  const most = Math.max(...ln)
  const raw = ln.map((one) => Math.exp(one - most))
  const sum = raw.reduce((x, y) => x + y, 0)
  return { mass: raw.map((one) => one / sum), lnSum: most + Math.log(sum) }
}

/** The betas of a grid after some hits, and how likely each is. */
const side = (g: Rates.Grid, hits: number, trials: number) => {
  const all = Array.from(g.a, (a, i) => {
    const after = densities(a + hits, g.b[i]! + trials - hits)
    return { ...after, ln: after.lnSum - densities(a, g.b[i]!).lnSum }
  })
  const most = Math.max(...all.map(({ ln }) => ln))
  return all.map((one) => ({ ...one, weight: Math.exp(one.ln - most) }))
}

const mean = (mass: ReadonlyArray<number>) => mass.reduce((sum, m, i) => sum + m * grid[i]!, 0)

/** The posterior of the assumed prior, cell by cell, by nothing but sums. */
const byForce = ({ clicks, orders, views }: Rates.Trial, price: number) => {
  let [total, ctr, cvr, both, below] = [0, 0, 0, 0, 0]
  const { clickGrid, orderGrid } = Rates
  const clicked = side(clickGrid, clicks, views)
  const ordered = side(orderGrid, orders, clicks)
  ordered.forEach((o, j) => {
    const upTo: Array<number> = []
    o.mass.reduce((sum, m, k) => (upTo[k] = sum + m), 0)
    clicked.forEach((c, i) => {
      const weight = Rates.assumed.weights[i * orderGrid.a.length + j]! * c.weight * o.weight
      const [p, q] = [mean(c.mass), mean(o.mass)]
      total += weight
      ctr += weight * p
      cvr += weight * q
      both += weight * p * q
      c.mass.forEach((m, k) => {
        const at = Math.floor(((Math.log(price / grid[k]!) + 14) / 14) * 4000)
        below += at < 0 ? 0 : weight * m * upTo[Math.min(3999, at)]!
      })
    })
  })
  return { ctr: ctr / total, cvr: cvr / total, ordersPerView: both / total, below: below / total }
}

/** The same where carts stand between clicks and orders. */
const byForceWithCarts = ({ carts = 0, clicks, orders, views }: Rates.Trial) => {
  let [total, cvr, both, square] = [0, 0, 0, 0]
  const { boughtGrid, clickGrid, orderGrid } = Rates
  const { bought, weights } = Rates.assumedWithCarts
  const of = (all: ReturnType<typeof side>) =>
    all.map(({ mass, weight }) => ({
      weight,
      mean: mean(mass),
      square: mass.reduce((sum, m, i) => sum + m * grid[i]! ** 2, 0)
    }))
  const clicked = of(side(clickGrid, clicks, views))
  const carted = of(side(orderGrid, carts, clicks))
  const ordered = of(side(boughtGrid, orders, carts))
  clicked.forEach((c, i) => {
    carted.forEach((k, j) => {
      ordered.forEach((o, l) => {
        const weight =
          weights[i * orderGrid.a.length + j]! *
          bought![j * boughtGrid.a.length + l]! *
          (c.weight * k.weight * o.weight)
        total += weight
        cvr += weight * k.mean * o.mean
        both += weight * c.mean * k.mean * o.mean
        square += weight * c.square * k.square * o.square
      })
    })
  })
  const ordersPerView = both / total
  return { cvr: cvr / total, ordersPerView, error: Math.sqrt(square / total - ordersPerView ** 2) }
}

const trials: ReadonlyArray<Rates.Trial> = [
  { views: 0, clicks: 0, orders: 0 },
  { views: 700, clicks: 20, orders: 1 },
  { views: 12_300, clicks: 600, orders: 41 },
  { views: 9000, clicks: 14, orders: 0 }
]

describe("rates", () => {
  it("have the posterior that sums over all rates give", () => {
    for (const trial of trials) {
      const price = 0.0004
      const forced = byForce(trial, price)
      const found = Rates.posterior(Rates.assumed, trial)
      expect(found.ctr / forced.ctr).toBeCloseTo(1, 2)
      expect(found.cvr / forced.cvr).toBeCloseTo(1, 2)
      expect(found.ordersPerView / forced.ordersPerView).toBeCloseTo(1, 2)
      expect(Math.abs(Value.chanceBelow(Rates.assumed, trial, price) - forced.below)).toBeLessThan(0.01)
    }
  })

  it("have the posterior that sums over all rates give, where carts are told", () => {
    for (const trial of [
      { views: 0, clicks: 0, carts: 0, orders: 0 },
      { views: 700, clicks: 20, carts: 4, orders: 1 },
      { views: 12_300, clicks: 600, carts: 140, orders: 41 },
      { views: 9000, clicks: 14, carts: 0, orders: 0 }
    ]) {
      const forced = byForceWithCarts(trial)
      const found = Rates.posterior(Rates.assumedWithCarts, trial)
      expect(found.cvr / forced.cvr).toBeCloseTo(1, 2)
      expect(found.ordersPerView / forced.ordersPerView).toBeCloseTo(1, 2)
      expect(found.ordersPerViewError / forced.error).toBeCloseTo(1, 2)
    }
  })

  it("have intervals with nine tenths of the chance between their ends", () => {
    for (const trial of trials) {
      const { ordersPerView: mean } = Rates.posterior(Rates.assumed, trial)
      const ordersPerView = Value.interval("view", Rates.assumed, trial, mean)
      const between =
        Value.chanceBelow(Rates.assumed, trial, ordersPerView.high) -
        Value.chanceBelow(Rates.assumed, trial, ordersPerView.low)
      expect(between).toBeGreaterThan(0.87)
      expect(between).toBeLessThan(0.93)
    }
  })

  /** Half of the streams sell well, half are never ordered from. */
  const shop = (size: number) => {
    const roll = dice(11)
    return Array.from({ length: size }, (_, i) => {
      const [ctr, cvr] = i % 2 === 0 ? [0.05, 0.08] : [0.002, 0]
      const views = 3000
      let clicks = 0
      for (let v = 0; v < views; v++) if (roll() < ctr) clicks++
      let orders = 0
      for (let c = 0; c < clicks; c++) if (roll() < cvr) orders++
      return { views, clicks, orders }
    })
  }

  it("tell dead streams from paying ones sooner than one prior for all could", () => {
    const learned = Rates.learn(shop(300), false)
    // Nobody ordered yet of either; their clicks say which they are.
    const lively = Rates.posterior(learned, { views: 400, clicks: 20, orders: 0 })
    const dead = Rates.posterior(learned, { views: 400, clicks: 0, orders: 0 })
    expect(lively.cvr).toBeGreaterThan(0.04)
    expect(dead.ordersPerView).toBeLessThan(lively.ordersPerView / 20)
  })

  it("are learned so that the learned prior explains the account better than any step away from it", () => {
    const all = shop(80)
    const learned = Rates.learn(all, false)
    const width = Rates.orderGrid.a.length
    const lnOf = (weights: ReadonlyArray<number>) =>
      all.reduce((sum, { clicks, orders, views }) => {
        let likelihood = 0
        Rates.clickGrid.a.forEach((a, i) => {
          const one = lnRatio(a, Rates.clickGrid.b[i]!, clicks, views)
          Rates.orderGrid.a.forEach((c, j) => {
            likelihood +=
              weights[i * width + j]! * Math.exp(one + lnRatio(c, Rates.orderGrid.b[j]!, orders, clicks))
          })
        })
        return sum + Math.log(likelihood)
      }, 0) +
      // Ten streams' worth of the assumed prior.
      weights.reduce((sum, weight, cell) => sum + 10 * Rates.assumed.weights[cell]! * Math.log(weight), 0)
    const own = lnOf(Array.from(learned.weights))
    expect(own).toBeGreaterThan(lnOf(Array.from(Rates.assumed.weights)))
    for (let cell = 0; cell < learned.weights.length; cell += 7) {
      const moved = Array.from(learned.weights, (weight, i) => (i === cell ? 0.02 : 0) + 0.98 * weight)
      expect(lnOf(moved)).toBeLessThan(own + 0.05)
    }
  })

  /** Streams of 2 to 12 orders of a hundred clicks, each clicked some two hundred times. */
  const funnels = (cartRate: (orderRate: number, roll: () => number) => number) => {
    const roll = dice(5)
    return Array.from({ length: 300 }, () => {
      const orderRate = 0.02 * 6 ** roll()
      const perClick = cartRate(orderRate, roll)
      let [carts, orders] = [0, 0]
      const clicks = 100 + Math.floor(200 * roll())
      for (let c = 0; c < clicks; c++) {
        if (roll() >= perClick) continue
        carts++
        if (roll() < orderRate / perClick) orders++
      }
      return { orderRate, trial: { views: clicks * 30, clicks, carts, orders } }
    })
  }

  /** How far the believed order rates lie from the true ones, as a mean square of logarithms. */
  const error = (all: ReturnType<typeof funnels>, isTold: boolean): number => {
    const told = all.map(({ trial: { carts, ...trial } }) => (isTold ? { ...trial, carts } : trial))
    const prior = Rates.learn(told, isTold)
    const sum = all.reduce(
      (total, { orderRate }, i) => total + Math.log(Rates.posterior(prior, told[i]!).cvr / orderRate) ** 2,
      0
    )
    return sum / all.length
  }

  it("are known better where what lies in carts goes with what is ordered", () => {
    const all = funnels((orderRate) => 2.5 * orderRate + 0.02)
    expect(error(all, true)).toBeLessThan(0.7 * error(all, false))
  })

  it("are known hardly worse where carts say nothing of orders", () => {
    const all = funnels((_, roll) => 0.15 + 0.3 * roll())
    expect(error(all, true)).toBeLessThan(1.1 * error(all, false))
  })

  it("go by clicks and orders alone where carts are not told of every stream, or there are fewer than orders", () => {
    const all = shop(4000)
    const streams = (cartsOf: (orders: number, i: number) => number | undefined) =>
      all.map((counts, i) => {
        const carts = cartsOf(counts.orders, i)
        const value = { ...counts, spendKopecks: 0, liveDays: 14, ...(carts === undefined ? {} : { carts }) }
        return stream({ id: `s${i}`, counts: { _tag: "Known", value } })
      })
    const bought = (own: ReadonlyArray<Stream>) => Learn.learn(own).account.bought !== undefined
    expect(bought(streams((orders) => orders * 3))).toBe(true)
    expect(bought(streams(() => undefined))).toBe(false)
    expect(bought(streams(() => 0))).toBe(false)
    // Of so many a sample is learned from: one that is not in it is missed all the same.
    for (let i = 0; i < 6; i++)
      expect(bought(streams((orders, at) => (at === i ? undefined : orders * 3)))).toBe(false)
    const alone = Rates.learn(all, false)
    const [first] = all
    expect(Rates.posterior(alone, { ...first!, carts: 30 })).toEqual(Rates.posterior(alone, first!))
  })

  it("of a group are its own when it is large, the account's when it is small", () => {
    const account = Rates.learn(shop(400), false)
    const rich = (size: number) =>
      Array.from({ length: size }, () => ({ views: 4000, clicks: 240, orders: 36 }))
    const fresh = { views: 0, clicks: 0, orders: 0 }
    const of = (size: number) => Rates.posterior(Rates.learnGroup(rich(size), account), fresh).ordersPerView
    const base = Rates.posterior(account, fresh).ordersPerView
    expect(of(0)).toBeCloseTo(base, 9)
    expect(of(20)).toBeGreaterThan(of(2))
    expect(of(600)).toBeGreaterThan((36 / 4000) * 0.8)
    expect(of(600)).toBeLessThan(36 / 4000)
  })
})

const lnRatio = (a: number, b: number, hits: number, trials: number): number => {
  const beta = (x: number, y: number) => lnGamma(x) + lnGamma(y) - lnGamma(x + y)
  return beta(a + hits, b + trials - hits) - beta(a, b)
}

describe("the functions of probability", () => {
  it("are those of the books", () => {
    expect(lnGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 11)
    expect(lnGamma(171)).toBeCloseTo(706.5730622457874, 8)
    // Binomial sum: P(X ≤ x) of Beta(3, 5) is the chance of 3 hits or more of 7.
    const x = 0.3
    let sum = 0
    const choose = [35, 35, 21, 7, 1]
    for (let k = 3; k <= 7; k++) sum += choose[k - 3]! * x ** k * (1 - x) ** (7 - k)
    expect(betaBelow(x, 3, 5)).toBeCloseTo(sum, 10)
    expect(normalBelow(1.6448536269514722)).toBeCloseTo(0.95, 6)
  })
})
