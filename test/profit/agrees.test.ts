/** The fast way against the whole program, and against sense. */
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import * as Arms from "../../bench/profit/Arms.js"
import * as Measure from "../../bench/profit/Measure.js"
import * as Model from "../../src/sandbox/market/model/Model.js"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"

const armsNamed = (...names: ReadonlyArray<string>) => Arms.all.filter(({ name }) => names.includes(name))

const rows = async (options: {
  readonly market: keyof typeof Model.named
  readonly seed: number
  readonly arms: ReadonlyArray<string>
  readonly days: number
  readonly budgets: ReadonlyArray<number>
  readonly isWhole?: boolean
}) => {
  // Virtual time never waits: without this the runner hears nothing of a worker for a minute, and gives it up.
  await setImmediate()
  return Measure.seed({
    seed: options.seed,
    market: options.market,
    model: Model.named[options.market],
    scale: Scenario.usualScale,
    arms: armsNamed(...options.arms),
    budgetsRoubles: options.budgets,
    days: options.days,
    margin: 0.25,
    isWhole: options.isWhole ?? false,
    isTold: false
  })
}

const days = Depth.isDeep ? 14 : 2

const plain = { market: "plain", seed: 1, budget: 600 } as const
const hard = { market: "hard", seed: 2, budget: 3000 } as const

it.each(Depth.isDeep ? [plain, hard] : [hard])(
  "the fast way earns what the whole program does within 1%: $market market, $budget ₽",
  { timeout: 900_000 },
  async ({ budget, market, seed }) => {
    const asked = { market, seed, arms: ["shipped"], days, budgets: [budget] }
    const fast = (await rows(asked)).find(({ arm }) => arm === "shipped")
    const whole = (await rows({ ...asked, isWhole: true })).find(({ arm }) => arm === "shipped")
    expect(Math.abs(fast!.profitRoubles / whole!.profitRoubles - 1)).toBeLessThan(0.01)
    expect(Math.abs(fast!.spendRoubles / whole!.spendRoubles - 1)).toBeLessThan(0.02)
    expect(fast!.steering!.moves).toBeGreaterThan(0)
  }
)

it.each(Depth.isDeep ? [1, 2] : [1])(
  "nobody earns more than the oracle, the daily stop alone earns something, and rules move bids: seed %i",
  { timeout: 900_000 },
  async (seed) => {
    const found = [
      ...(await rows({
        market: "plain",
        seed,
        arms: ["none", "naive", "acos", "shipped"],
        days: 4,
        budgets: Depth.isDeep ? [3000, 600] : [600]
      })),
      ...(await rows({ market: "hard", seed, arms: ["none", "shipped"], days: 4, budgets: [600] }))
    ]
    for (const { arm, share } of found) expect([arm, share > 1 + 1e-9]).toEqual([arm, false])
    for (const { arm, market, share } of found)
      if (arm === "none" && market === "plain") expect(share).toBeGreaterThan(0.15)
    for (const { arm, failed, steering } of found.map((row) => ({
      ...row,
      failed: row.steering?.failed ?? {}
    }))) {
      expect(failed).toEqual({})
      if (steering !== undefined && arm !== "none") expect(steering.moves).toBeGreaterThan(0)
    }
    // The daily limit is kept, but for the hours that the statistics of the hard market are late.
    for (const { dailyRoubles, spendRoubles } of found)
      expect(spendRoubles / 4 / 5).toBeLessThan(dailyRoubles * 1.5)
  }
)
