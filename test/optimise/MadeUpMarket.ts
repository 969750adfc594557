/**
 * A market for the closed loop: logistic shares, drawn rates, noise of the day, a purse that is empty when it is empty. It knows nothing
 * of the optimiser, and the optimiser only sees what it counts.
 */
import * as Bounds from "../../src/engine/optimise/Bounds.js"
import type { Budget, Day, Level, LevelName, Settings, Stream } from "../../src/engine/optimise/Stream.js"

/** Mulberry32: the same numbers from the same seed. */
export const dice = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface Truth {
  readonly id: string
  readonly campaign: number
  readonly item: number
  readonly payment: "cpm" | "cpc"
  readonly canMinus: boolean
  readonly demand: number
  readonly exponent: number
  half: number
  readonly ctr: number
  readonly cvr: number
  readonly profitKopecks: number
  readonly priceKopecks: number
  readonly floor: number
  readonly levels: ReadonlyArray<Level> | undefined
}

export interface World {
  readonly truths: ReadonlyArray<Truth>
  readonly budgets: ReadonlyArray<Budget>
  readonly roll: () => number
  /** Standard deviation of ln(half) from day to day. */
  readonly drift: number
}

export interface Shape {
  readonly campaigns: number
  readonly items: number
  readonly clusters: number
  readonly budget: number
  readonly margin: number
  readonly advice: "exact" | "off" | "absent"
  readonly drift: number
}

const kinds = [
  { upTo: 0.3, ctr: [0.03, 0.065], cvr: [0.05, 0.1], demand: [300, 1300] },
  { upTo: 0.72, ctr: [0.015, 0.035], cvr: [0.005, 0.03], demand: [100, 700] },
  { upTo: 0.9, ctr: [0.0008, 0.0025], cvr: [0, 0], demand: [500, 1500] },
  { upTo: 1, ctr: [0.02, 0.04], cvr: [0.01, 0.05], demand: [1, 4] }
] as const

const shares: ReadonlyArray<readonly [LevelName, number]> = [
  ["reach_min", 0.55],
  ["reach_medium", 0.68],
  ["reach_max", 0.86]
]
const step = 100

export const world = (seed: number, shape: Shape): World => {
  const roll = dice(seed)
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * roll()
  const truths: Array<Truth> = []
  for (let campaign = 0; campaign < shape.campaigns; campaign++)
    for (let item = 0; item < shape.items; item++) {
      const priceKopecks = Math.round(between([900, 4900])) * 100
      const floor = Math.round(between([90, 150])) * 100
      for (let cluster = 0; cluster < shape.clusters; cluster++) {
        const u = roll()
        const kind = kinds.find(({ upTo }) => upTo > u) ?? kinds[1]
        const half = floor * 1.15 * 2.35 ** roll()
        const exponent = between([1.5, 4])
        const off = () => (shape.advice === "off" ? 0.7 + 0.6 * roll() : 1)
        const levels = shares.map(([name, share]): Level => {
          const bid = half * (share / (1 - share)) ** (1 / exponent) * off()
          return { name, bidKopecks: Math.max(floor, Math.ceil(bid / step) * step) }
        })
        truths.push({
          id: `${campaign}/${item}/${cluster}`,
          campaign,
          item: campaign * 100 + item,
          payment: "cpm",
          canMinus: true,
          demand: between(kind.demand),
          exponent,
          half,
          ctr: between(kind.ctr),
          cvr: between(kind.cvr),
          profitKopecks: priceKopecks * shape.margin,
          priceKopecks,
          floor,
          levels: shape.advice === "absent" ? undefined : levels
        })
      }
    }
  const budgets = Array.from({ length: shape.campaigns }, (_, i) => ({
    id: `c${i}`,
    dailyKopecks: shape.budget
  }))
  return { truths, budgets, roll, drift: shape.drift }
}

export interface Memory {
  bid: number
  days: Array<Day & { readonly orders: number; readonly day: number }>
  minus: boolean
  parkedAt: number | undefined
  times: number
  backAt: number | undefined
  lastMove: { direction: 1 | -1; day: number } | undefined
  turns: Array<number>
}

export const start = ({ roll, truths }: World): ReadonlyArray<Memory> =>
  truths.map(({ floor }) => ({
    bid: Math.round((floor * (1.2 + 1.3 * roll())) / step) * step,
    days: [],
    minus: false,
    parkedAt: undefined,
    times: 0,
    backAt: undefined,
    lastMove: undefined,
    turns: []
  }))

const shown = (memory: Memory): boolean => !memory.minus && memory.parkedAt === undefined

const shareOf = ({ exponent, half }: Truth, bid: number): number =>
  bid ** exponent / (bid ** exponent + half ** exponent)

/** Profit a day by the true rates, purse aside. */
export const expected = (truth: Truth, bid: number) => {
  const views = bid > 0 ? truth.demand * shareOf(truth, bid) : 0
  const spend = (views * bid) / 1000
  return { spend, profit: views * truth.ctr * truth.cvr * truth.profitKopecks - spend }
}

const binomial = (roll: () => number, n: number, p: number): number => {
  if (n * p > 50) {
    const z = Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll())
    return Math.max(0, Math.min(n, Math.round(n * p + z * Math.sqrt(n * p * (1 - p)))))
  }
  // Gaps between hits are geometric.
  let hits = 0
  if (p > 0)
    for (let at = 0; ; hits++) {
      at += 1 + Math.floor(Math.log(1 - roll()) / Math.log(1 - p))
      if (at > n) break
    }
  return hits
}

/** One day of the market. Gives the profit by true rates and the spend, of each budget. */
export const live = (w: World, memories: ReadonlyArray<Memory>, day: number) => {
  const results = w.budgets.map(() => ({ profit: 0, spend: 0 }))
  const weather = 0.9 + 0.2 * w.roll()
  const demands = w.truths.map(() => weather * (0.75 + 0.5 * w.roll()))
  const wanted = w.budgets.map(() => 0)
  w.truths.forEach((truth, i) => {
    const memory = memories[i]!
    if (shown(memory)) wanted[truth.campaign]! += expected(truth, memory.bid).spend * demands[i]!
  })
  w.truths.forEach((truth, i) => {
    const memory = memories[i]!
    if (!shown(memory)) return
    const liveShare = Math.min(1, w.budgets[truth.campaign]!.dailyKopecks! / wanted[truth.campaign]!)
    const mean = truth.demand * demands[i]! * liveShare * shareOf(truth, memory.bid)
    const views = Math.floor(mean + w.roll())
    const clicks = binomial(w.roll, views, truth.ctr)
    const orders = binomial(w.roll, clicks, truth.cvr)
    const spendKopecks = Math.round((views * memory.bid) / 1000)
    memory.days.push({
      day,
      daysAgo: 0,
      bidKopecks: memory.bid,
      views,
      clicks,
      orders,
      spendKopecks,
      liveShare
    })
    const result = results[truth.campaign]!
    result.spend += spendKopecks
    result.profit += mean * truth.ctr * truth.cvr * truth.profitKopecks - (mean * memory.bid) / 1000
  })
  if (w.drift > 0)
    for (const truth of w.truths)
      truth.half *= Math.exp(w.drift * (w.roll() + w.roll() + w.roll() + w.roll() - 2) * Math.sqrt(3))
  return results
}

const windowDays = 14

/** The budgets as the optimiser is told of them: with the spend of the days on which no purse was empty. */
export const budgets = (
  w: World,
  memories: ReadonlyArray<Memory>,
  today: number
): ReadonlyArray<Budget & { readonly dailySpends: ReadonlyArray<number> }> =>
  w.budgets.map((budget, campaign) => ({
    ...budget,
    dailySpends: Array.from({ length: windowDays }, (_, i) => today - windowDays + i).flatMap((day) => {
      const own = ofDay(w, memories, campaign, day)
      return own.some(({ liveShare }) => liveShare < wholeDay) ? [] : [own.reduce(addSpend, 0)]
    })
  }))

/** Above this share of it a day counts as whole. */
export const wholeDay = 0.98

const addSpend = (sum: number, { spendKopecks }: Day): number => sum + spendKopecks

/** What the streams of a campaign did on a day. */
export const ofDay = (w: World, memories: ReadonlyArray<Memory>, campaign: number, day: number) =>
  w.truths.flatMap((truth, i) =>
    truth.campaign === campaign ? memories[i]!.days.filter((one) => one.day === day) : []
  )

/** What the optimiser is told in the morning of a day. */
export const streams = (
  w: World,
  memories: ReadonlyArray<Memory>,
  today: number,
  cap = 90_000
): ReadonlyArray<Stream> =>
  w.truths.map((truth, i) => {
    const memory = memories[i]!
    const end = memory.parkedAt ?? today
    const days = memory.days.filter(({ day }) => day < end && day >= end - windowDays)
    const sum = (of: (day: (typeof days)[number]) => number) =>
      days.reduce((total, day) => total + of(day), 0)
    const liveDays = sum(({ liveShare }) => liveShare)
    return {
      id: truth.id,
      campaignId: truth.campaign,
      itemId: truth.item,
      group: `g${truth.item % 3}`,
      budget: `c${truth.campaign}`,
      payment: truth.payment,
      counts:
        liveDays > 0
          ? {
              _tag: "Known",
              value: {
                views: sum((d) => d.views),
                clicks: sum((d) => d.clicks),
                orders: sum((d) => d.orders),
                spendKopecks: sum((d) => d.spendKopecks),
                liveDays
              }
            }
          : { _tag: "Absent", reason: "absent" },
      history: days.map((d) => ({ ...d, daysAgo: today - d.day })),
      bidKopecks: memory.bid,
      firstBidTodayKopecks: memory.bid,
      floorKopecks: truth.floor,
      capKopecks: cap,
      stepKopecks: step,
      levels:
        truth.levels === undefined
          ? { _tag: "Absent", reason: "absent" }
          : { _tag: "Known", value: truth.levels },
      worth: {
        _tag: "Known",
        value: { profitKopecks: truth.profitKopecks, priceKopecks: truth.priceKopecks }
      },
      standing: memory.minus
        ? { _tag: "Minus" }
        : memory.parkedAt !== undefined
          ? { _tag: "Parked", forDays: today - memory.parkedAt, times: memory.times }
          : { _tag: "Live", ...(memory.backAt === undefined ? {} : { backForDays: today - memory.backAt }) },
      canMinus: truth.canMinus,
      ...(memory.lastMove === undefined
        ? {}
        : {
            lastMove: {
              direction: memory.lastMove.direction,
              daysAgo: today - memory.lastMove.day,
              turns: memory.turns.filter((day) => today - day <= Bounds.turnDays).length
            }
          })
    } satisfies Stream
  })

/** Does what was decided. */
export const obey = (memory: Memory, verb: string, bid: number, today: number): void => {
  if (verb === "minus") memory.minus = true
  if (verb === "park") {
    memory.parkedAt = today
    memory.times++
  }
  if (verb === "unpark") {
    memory.parkedAt = undefined
    memory.backAt = today
  }
  if (verb === "bid") {
    const direction = bid > memory.bid ? 1 : -1
    if (memory.lastMove !== undefined && memory.lastMove.direction !== direction) memory.turns.push(today)
    memory.lastMove = { direction, day: today }
    memory.bid = bid
  }
}

export interface Best {
  readonly profit: number
  /** 0 for off. */
  readonly bids: ReadonlyArray<number>
}

/** The best of all: every step of every stream is tried at every price of money, by true rates; off is allowed. */
export const oracle = (truths: ReadonlyArray<Truth>, budget: number, cap = 90_000): Best => {
  const tables = truths.map((truth) => {
    const all = [{ bid: 0, spend: 0, profit: 0 }]
    for (let bid = Math.ceil(truth.floor / step) * step; bid <= cap; bid += step)
      all.push({ bid, ...expected(truth, bid) })
    return all
  })
  const atPrice = (lambda: number) => {
    let [spend, profit] = [0, 0]
    const bids: Array<number> = []
    for (const table of tables) {
      let best = table[0]!
      for (const one of table)
        if (one.profit - lambda * one.spend > best.profit - lambda * best.spend) best = one
      spend += best.spend
      profit += best.profit
      bids.push(best.bid)
    }
    return { spend, profit, bids }
  }
  const free = atPrice(0)
  if (free.spend <= budget) return free
  let [low, high] = [0, 64]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (atPrice(middle).spend > budget) low = middle
    else high = middle
  }
  // Between two prices the rest of the money buys at the higher one, as if bids had no steps: never less than can be had.
  const { bids, profit, spend } = atPrice(high)
  return { profit: profit + high * (budget - spend), bids }
}

export const settings: Settings = {
  goal: "profit",
  move: 0.3,
  deadband: 0.05,
  explore: 0.03,
  minusConfidence: 0.99,
  park: true
}
