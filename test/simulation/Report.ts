/** The figures of all seeds, the promises they are held against, and the table a person reads. */
import type * as Load from "../../src/engine/language/Load.js"
import type { MarketKind } from "../../src/sandbox/market/Kinds.js"
import * as Measures from "./Measures.js"
import * as Rules from "./Rules.js"
import * as Simulation from "./Simulation.js"

/** What the shipped rules promise. */
export const promises = {
  /** Turns of a bid between up and down, per target and day. */
  reversalsPerDay: 2,
  /** From reaching the daily limit to the pause: an interval of ten minutes and the time a run takes. */
  stopMinutes: 15,
  /** Share of good clusters negated: what "with 99% confidence" says. */
  wronglyNegated: 0.01,
  /** Roubles a day; `money_per_day` of the policy that deposits. */
  depositedRoubles: 6_000,
  /** The plain rule must be wrong at least so many times as often, or the measure shows nothing. */
  controlTimes: 3
}

/** One seed: the account under all rules, and a larger one under the minus policy and under the control. */
export interface SeedFigures {
  readonly seed: number
  readonly seconds: number
  readonly cycles: number
  readonly waitedMinutes: number
  readonly throttled: number
  readonly failed: Readonly<Record<string, number>>
  readonly held: Readonly<Record<string, number>>
  readonly writesByPolicy: Readonly<Record<string, number>>
  readonly steadiness: Measures.Steadiness
  readonly limits: Measures.Limits
  readonly stop: Measures.DailyStop
  readonly judgedByAll: Measures.Judged
  readonly judged: Measures.Judged
  readonly control: Measures.Judged
}

export interface Asked {
  readonly seed: number
  readonly days: number
  readonly exact?: boolean
  /** A smaller account, for a look at the rules within seconds. */
  readonly size?: "usual" | "small"
}

/** Small enough for many runs a day; one campaign of each kind. */
const account = { campaigns: 6, items: 2, clusters: 12 }
/** The minus policy runs once a day, so that it can be given more to judge. */
const judgedAccount = { campaigns: 10, items: 3, clusters: 20 }

const sizes = {
  usual: [account, judgedAccount],
  small: [
    { campaigns: 6, items: 1, clusters: 10 },
    { campaigns: 6, items: 3, clusters: 12 }
  ]
} as const

/** Runs a seed. All rules meet the ordinary market in even seeds, and the borderline one in odd. */
export const ofSeed = async ({ days, exact, seed, size = "usual" }: Asked): Promise<SeedFigures> => {
  const began = performance.now()
  const files = Rules.shipped()
  const [accountScale, judgedScale] = sizes[size]
  const weeks = (rules: ReadonlyArray<Load.File>, scale: typeof account, market: MarketKind) =>
    Simulation.run({
      seed,
      days,
      rules,
      scale,
      market,
      stopKopecks: Rules.stopKopecks,
      ...(exact === undefined ? {} : { exact })
    })
  const all = await weeks(files, accountScale, seed % 2 === 0 ? "ordinary" : "borderline")
  const minus = await weeks(Rules.minusOnly(files), judgedScale, "borderline")
  const control = await weeks(Rules.plainMinus(files), judgedScale, "borderline")
  return {
    seed,
    seconds: Math.round((performance.now() - began) / 1000),
    cycles: all.cycles,
    waitedMinutes: Math.round(all.waitedMs / 60_000),
    throttled: all.throttled,
    failed: Object.fromEntries(all.failed),
    held: Object.fromEntries([
      ...all.held,
      ...[...minus.held].map(([key, n]) => [`${key} (alone)`, n] as const)
    ]),
    writesByPolicy: byPolicy(all),
    steadiness: Measures.steadiness(all),
    limits: Measures.limits(all),
    stop: Measures.dailyStop(all, Rules.stopKopecks, promises.stopMinutes),
    judgedByAll: Measures.judged(all),
    judged: Measures.judged(minus),
    control: Measures.judged(control)
  }
}

const byPolicy = ({ writes }: Simulation.Observed): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { policy } of writes) counts[policy] = (counts[policy] ?? 0) + 1
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export interface Totals {
  readonly reversalsMax: number
  readonly reversalsMean: number
  readonly movesByWeek: ReadonlyArray<number>
  readonly distanceByWeek: ReadonlyArray<number>
  readonly aboveMaxBid: number
  readonly beyondMovePerDay: number
  readonly depositedMostRoubles: number
  readonly stop: Measures.DailyStop
  readonly judged: Measures.Judged
  readonly control: Measures.Judged
  readonly writesByPolicy: Readonly<Record<string, number>>
  /** In words; empty when every promise was kept. */
  readonly broken: ReadonlyArray<string>
}

/** All seeds together. */
export const total = (seeds: ReadonlyArray<SeedFigures>): Totals => {
  const sum = (of: (one: SeedFigures) => number) => seeds.reduce((n, one) => n + of(one), 0)
  const most = (of: (one: SeedFigures) => number) => Math.max(0, ...seeds.map(of))
  const weeks = seeds[0]?.steadiness.movesByWeek.length ?? 0
  const perWeek = (of: (one: SeedFigures, week: number) => number) =>
    Array.from({ length: weeks }, (_, week) => sum((one) => of(one, week)))
  const writesByPolicy: Record<string, number> = {}
  for (const one of seeds)
    for (const [id, n] of Object.entries(one.writesByPolicy))
      writesByPolicy[id] = (writesByPolicy[id] ?? 0) + n
  const stopDays = sum((one) => one.stop.days)
  const figures = {
    reversalsMax: most((one) => one.steadiness.reversalsMax),
    reversalsMean: sum((one) => one.steadiness.reversalsMean) / seeds.length,
    movesByWeek: perWeek((one, week) => one.steadiness.movesByWeek[week] ?? 0),
    distanceByWeek: perWeek((one, week) => one.steadiness.distanceByWeek[week] ?? 0).map((n) =>
      Math.round(n / seeds.length)
    ),
    aboveMaxBid: sum((one) => one.limits.aboveMaxBid),
    beyondMovePerDay: sum((one) => one.limits.beyondMovePerDay),
    depositedMostRoubles: most((one) => one.limits.depositedMostRoubles),
    stop: {
      days: stopDays,
      late: sum((one) => one.stop.late),
      minutesMost: most((one) => one.stop.minutesMost),
      minutesMean: stopDays === 0 ? 0 : sum((one) => one.stop.minutesMean * one.stop.days) / stopDays,
      overRoublesMost: most((one) => one.stop.overRoublesMost)
    },
    judged: judgedOf(seeds.map((one) => one.judged)),
    control: judgedOf(seeds.map((one) => one.control)),
    writesByPolicy
  }
  return { ...figures, broken: broken(figures) }
}

const judgedOf = (list: ReadonlyArray<Measures.Judged>): Measures.Judged => ({
  good: list.reduce((n, one) => n + one.good, 0),
  goodNegated: list.reduce((n, one) => n + one.goodNegated, 0),
  bad: list.reduce((n, one) => n + one.bad, 0),
  badNegated: list.reduce((n, one) => n + one.badNegated, 0)
})

const broken = (figures: Omit<Totals, "broken">): ReadonlyArray<string> => {
  const [wrong, plain] = [share(figures.judged), share(figures.control)]
  const [first, last] = [figures.movesByWeek[0] ?? 0, figures.movesByWeek.slice(0, 4).at(-1) ?? 0]
  const checks: ReadonlyArray<readonly [kept: boolean, text: string]> = [
    [
      figures.reversalsMax <= promises.reversalsPerDay,
      `a bid turned ${figures.reversalsMax} times in a day, promised ${promises.reversalsPerDay}`
    ],
    [
      figures.movesByWeek.length < 2 || last < first,
      `changes do not die down: ${first} at first, ${last} later`
    ],
    [figures.aboveMaxBid === 0, `${figures.aboveMaxBid} bids above max_bid`],
    [figures.beyondMovePerDay === 0, `${figures.beyondMovePerDay} bids moved farther than move_per_day`],
    [
      figures.depositedMostRoubles <= promises.depositedRoubles,
      `${figures.depositedMostRoubles} ₽ deposited in a day, promised ${promises.depositedRoubles} ₽`
    ],
    [figures.stop.late === 0, `${figures.stop.late} campaigns stopped late`],
    [figures.stop.days > 0, "no campaign reached its daily limit: the stop was not tried"],
    [wrong <= promises.wronglyNegated, `${percent(wrong)} of good clusters negated, promised 1%`],
    [figures.judged.badNegated > 0, "no bad cluster was found: the minus policy was not tried"],
    [plain > 0 && plain >= wrong * promises.controlTimes, `the control was wrong in ${percent(plain)} only`]
  ]
  return checks.flatMap(([kept, text]) => (kept ? [] : [text]))
}

const share = ({ good, goodNegated }: Measures.Judged): number => (good === 0 ? 0 : goodNegated / good)
const power = ({ bad, badNegated }: Measures.Judged): number => (bad === 0 ? 0 : badNegated / bad)
const percent = (part: number): string => `${(part * 100).toFixed(2)}%`

/** The table: a line per seed, and what they come to. */
export const table = (seeds: ReadonlyArray<SeedFigures>, totals: Totals): string => {
  const head = [
    "seed",
    "turns/day",
    "moves by week",
    "edges",
    "stops",
    "worst stop",
    "over",
    "wrongly",
    "found",
    "control",
    "found",
    "s"
  ]
  const line = (one: SeedFigures) => [
    `${one.seed}`,
    `${one.steadiness.reversalsMax}`,
    one.steadiness.movesByWeek.join(" "),
    `${one.steadiness.edges}`,
    `${one.stop.days}`,
    `${one.stop.minutesMost.toFixed(1)} min`,
    `${Math.round(one.stop.overRoublesMost)} ₽`,
    `${one.judged.goodNegated}/${one.judged.good}`,
    `${one.judged.badNegated}/${one.judged.bad}`,
    `${one.control.goodNegated}/${one.control.good}`,
    `${one.control.badNegated}/${one.control.bad}`,
    `${one.seconds}`
  ]
  const rows = [head, ...seeds.map(line)]
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const text = rows.map((row) =>
    row
      .map((cell, i) => cell.padStart(widths[i]!))
      .join("  ")
      .trimEnd()
  )
  return [...text, "", ...summary(totals)].join("\n")
}

const summary = (totals: Totals): ReadonlyArray<string> => [
  `reversals per target and day: most ${totals.reversalsMax}, mean ${totals.reversalsMean.toFixed(4)} (promised at most ${promises.reversalsPerDay})`,
  `steering moves by week: ${totals.movesByWeek.join(", ")}`,
  `distance of moved bids from where they end, by week: ${totals.distanceByWeek.map((n) => percent(n / 10_000)).join(", ")}`,
  `bids above max_bid: ${totals.aboveMaxBid}; moves beyond move_per_day: ${totals.beyondMovePerDay}; most deposited in a day: ${totals.depositedMostRoubles} ₽`,
  `daily stop: ${totals.stop.days} campaign days, paused after ${totals.stop.minutesMean.toFixed(1)} min on average, ${totals.stop.minutesMost.toFixed(1)} at most; at most ${Math.round(totals.stop.overRoublesMost)} ₽ over`,
  `wrongly negated: ${totals.judged.goodNegated} of ${totals.judged.good} good clusters, ${percent(share(totals.judged))} (promised ${percent(promises.wronglyNegated)}); found ${percent(power(totals.judged))} of ${totals.judged.bad} bad ones`,
  `the plain rule: ${totals.control.goodNegated} of ${totals.control.good}, ${percent(share(totals.control))}; found ${percent(power(totals.control))}`,
  `accepted writes: ${Object.entries(totals.writesByPolicy)
    .map(([id, n]) => `${id} ${n}`)
    .join(", ")}`,
  totals.broken.length === 0 ? "every promise kept" : `BROKEN: ${totals.broken.join("; ")}`
]
