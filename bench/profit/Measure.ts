/** One seed of one market: the oracle, and every arm at every daily limit. */
import type { Model } from "../../src/sandbox/market/model/Model.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import type { Arm } from "./Arms.js"
import * as Best from "./Best.js"
import * as Fast from "./Fast.js"
import * as Outcome from "./Outcome.js"
import type { Row } from "./Report.js"
import * as Told from "./Told.js"
import * as Whole from "./Whole.js"

export interface Asked {
  readonly seed: number
  /** As it is named in the figures, and as it is. */
  readonly market: string
  readonly model: Model
  readonly scale: Scale
  readonly arms: ReadonlyArray<Arm>
  readonly budgetsRoubles: ReadonlyArray<number>
  readonly days: number
  readonly margin: number
  /** Through the whole program; minutes for each arm. */
  readonly isWhole: boolean
  /** Also what one earns who is told all rates, which takes longer than the oracle. */
  readonly isTold: boolean
}

/** The oracle's rows come first. */
export const seed = async (asked: Asked): Promise<ReadonlyArray<Row>> => {
  const { arms, budgetsRoubles, days, isTold, margin, market, model, scale, seed } = asked
  const began = process.cpuUsage()
  const budgets = budgetsRoubles.map((roubles) => roubles * 100)
  const best = Best.find(seed, model, scale, days, margin, budgets)
  const told = isTold ? Told.find(seed, model, scale, days, margin, budgets) : []
  const oracleSeconds = secondsSince(began) / budgetsRoubles.length
  const rows: Array<Row> = []
  for (const [i, dailyRoubles] of budgetsRoubles.entries()) {
    const most = best[i] as Best.Best
    const common = { market, dailyRoubles, seed }
    rows.push({
      ...common,
      arm: "oracle",
      share: 1,
      profitRoubles: most.profit / 100,
      spendRoubles: most.spend / 100,
      orders: most.orders,
      shareByKind: Object.fromEntries(Object.keys(most.profitByKind).map((kind) => [kind, 1])),
      cpuSeconds: oracleSeconds
    })
    const known = told[i]
    if (known !== undefined)
      rows.push({
        ...common,
        arm: "told",
        share: known.profit / most.profit,
        profitRoubles: known.profit / 100,
        spendRoubles: known.spend / 100,
        orders: known.orders,
        shareByKind: Object.fromEntries(
          Object.entries(known.profitByKind).map(([kind, kopecks]) => [
            kind,
            kopecks / (most.profitByKind[kind] ?? 0)
          ])
        ),
        cpuSeconds: oracleSeconds
      })
    for (const arm of arms) rows.push({ ...common, ...(await ofArm(asked, arm, dailyRoubles, most)) })
  }
  return rows
}

const ofArm = async (
  { days, isWhole, margin, model, scale, seed }: Asked,
  arm: Arm,
  dailyRoubles: number,
  best: Best.Best
) => {
  const began = process.cpuUsage()
  const lived = await (isWhole ? Whole : Fast).run({
    seed,
    days,
    market: model,
    scale,
    files: arm.files(dailyRoubles),
    dailyKopecks: dailyRoubles * 100
  })
  const { minus, moves, orders, profit, profitByKind, reversalsPerDay, spend, turns } = Outcome.of(
    lived,
    days,
    margin,
    best
  )
  return {
    arm: arm.name,
    share: profit / best.profit,
    profitRoubles: profit / 100,
    spendRoubles: spend / 100,
    orders,
    shareByKind: Object.fromEntries(
      Object.entries(profitByKind).map(([kind, kopecks]) => [kind, kopecks / (best.profitByKind[kind] ?? 0)])
    ),
    steering: {
      turns,
      reversalsPerDay,
      moves,
      minus,
      minusLostShare: minus.lost / best.profit,
      held: Object.fromEntries(lived.held),
      failed: Object.fromEntries(lived.failed)
    },
    cpuSeconds: secondsSince(began)
  }
}

const secondsSince = (began: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(began)
  return (user + system) / 1e6
}
