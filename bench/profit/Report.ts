/** The figures of all seeds, and the table a person reads. */
import type { Outcome } from "./Outcome.js"

/** One arm on one seed of a market at a daily limit. Money in roubles. */
export interface Row {
  readonly market: string
  readonly dailyRoubles: number
  readonly arm: string
  readonly seed: number
  /** Share of the oracle's profit; of the oracle itself 1. */
  readonly share: number
  readonly profitRoubles: number
  readonly spendRoubles: number
  readonly orders: number
  /** Share of the oracle's profit by kind of campaign. */
  readonly shareByKind: Readonly<Record<string, number>>
  readonly steering?: Pick<Outcome, "turns" | "reversalsPerDay" | "moves"> & {
    readonly minus: Outcome["minus"]
    /** Share of the oracle's profit that wrong minus phrases cost. */
    readonly minusLostShare: number
    readonly held: Readonly<Record<string, number>>
    readonly failed: Readonly<Record<string, number>>
  }
  readonly cpuSeconds: number
}

export interface Line {
  readonly market: string
  readonly dailyRoubles: number
  readonly arm: string
  readonly seeds: number
  readonly mean: number
  readonly worst: number
  readonly worstSeed: number
  /** Standard deviation over seeds. */
  readonly spread: number
  /** Seeds in which the arm earned less than the daily stop alone; undefined where that was not run. */
  readonly belowNone: number | undefined
  readonly ordersPerDay: number
  readonly spendPerDay: number
  readonly turnsMean: number
  readonly turnsP95: number
  readonly reversalsPerDay: number
  readonly minusAdded: number
  readonly minusWrong: number
  readonly minusLostShare: number
  readonly goodNegatedShare: number
  readonly shareByKind: Readonly<Record<string, number>>
}

/** One line for each market, limit and arm, in the order of the rows. */
export const lines = (rows: ReadonlyArray<Row>, days: number): ReadonlyArray<Line> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const key = `${row.market} ${row.dailyRoubles} ${row.arm}`
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const none = new Map(
    rows
      .filter(({ arm }) => arm === "none")
      .map((row) => [`${row.market} ${row.dailyRoubles} ${row.seed}`, row.share])
  )
  return [...groups.values()].map((group) => lineOf(group, days, none))
}

const lineOf = (group: ReadonlyArray<Row>, days: number, none: ReadonlyMap<string, number>): Line => {
  const [first] = group as [Row]
  const mean = (of: (row: Row) => number) => group.reduce((sum, row) => sum + of(row), 0) / group.length
  const sum = (of: (row: Row) => number) => group.reduce((total, row) => total + of(row), 0)
  const share = mean((row) => row.share)
  const worst = group.reduce((least, row) => (row.share < least.share ? row : least))
  const over = group.map(
    (row) => [row.share, none.get(`${row.market} ${row.dailyRoubles} ${row.seed}`)] as const
  )
  const good = sum(({ steering }) => steering?.minus.good ?? 0)
  const kinds = [...new Set(group.flatMap((row) => Object.keys(row.shareByKind)))].sort()
  return {
    market: first.market,
    dailyRoubles: first.dailyRoubles,
    arm: first.arm,
    seeds: group.length,
    mean: share,
    worst: worst.share,
    worstSeed: worst.seed,
    spread: Math.sqrt(mean((row) => (row.share - share) ** 2)),
    belowNone: over.some(([, base]) => base === undefined)
      ? undefined
      : over.filter(([own, base]) => own < (base ?? 0) - 1e-9).length,
    ordersPerDay: mean(({ orders }) => orders / days),
    spendPerDay: mean(({ spendRoubles }) => spendRoubles / days),
    turnsMean: mean(({ steering }) => steering?.turns.mean ?? 0),
    turnsP95: Math.max(...group.map(({ steering }) => steering?.turns.p95 ?? 0)),
    reversalsPerDay: Math.max(...group.map(({ steering }) => steering?.reversalsPerDay ?? 0)),
    minusAdded: sum(({ steering }) => steering?.minus.added ?? 0),
    minusWrong: sum(({ steering }) => steering?.minus.wrong ?? 0),
    minusLostShare: mean(({ steering }) => steering?.minusLostShare ?? 0),
    goodNegatedShare: good === 0 ? 0 : sum(({ steering }) => steering?.minus.goodNegated ?? 0) / good,
    shareByKind: Object.fromEntries(kinds.map((kind) => [kind, mean((row) => row.shareByKind[kind] ?? 0)]))
  }
}

const percent = (share: number): string => (share * 100).toFixed(1)
const whole = (value: number): string => Math.round(value).toLocaleString("en-US")

const header = [
  "market, ₽ a day",
  "arm",
  "mean %",
  "worst % (seed)",
  "spread",
  "below none",
  "orders a day",
  "spend a day ₽",
  "turns: mean, p95",
  "reversals a day",
  "minus: all, wrong",
  "lost to wrong minus %",
  "good negated %",
  "clusters, unified, cpc %"
]

/** As Markdown. */
export const table = (all: ReadonlyArray<Line>): string =>
  [
    header,
    header.map((_, i) => (i < 2 ? "---" : "--:")),
    ...all.map((line) => [
      `${line.market}, ${line.dailyRoubles}`,
      line.arm,
      percent(line.mean),
      `${percent(line.worst)} (${line.worstSeed})`,
      percent(line.spread),
      line.belowNone === undefined ? "–" : `${line.belowNone} of ${line.seeds}`,
      whole(line.ordersPerDay),
      whole(line.spendPerDay),
      `${line.turnsMean.toFixed(1)}, ${line.turnsP95.toFixed(1)}`,
      `${line.reversalsPerDay}`,
      `${line.minusAdded}, ${line.minusWrong}`,
      (line.minusLostShare * 100).toFixed(2),
      percent(line.goodNegatedShare),
      ["clusters", "unified", "cpc"].map((kind) => percent(line.shareByKind[kind] ?? 0)).join(", ")
    ])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
