/** `optimise` while an overlay stands over bids of its campaigns. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }
const where = "campaign.status = active and campaign.payment = cpm and campaign.id in [1000001, 1000002]"
const file = (name: string, text: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\nwindow: 28d\nwhere: ${where}\n${text}`
})
const optimise = file(
  "10-optimise",
  "each: campaign\ndo: {optimise: {margin: 15%, cap: {cpm: 600 ₽}, budget: 2800 ₽, park: no, minus: no}}\n"
)
/** The story begins at 09:00 in Moscow. */
const overlay = (each: string, by: string) =>
  file(
    "05-night",
    `schedule: {every: 30m, tz: Europe/Moscow}\neach: ${each}\nduring: {time: "20:00-12:00"}\ndo: {adjust_bid: {by: ${by}, cap: 900 ₽, floor: min_bid}}\n`
  )

/** The morning after the overlay began. */
const inMorning = (...laid: Parameters<typeof overlay>) =>
  Scenario.run(
    { rules: [vars, optimise, overlay(...laid)], scale: { campaigns: 6, items: 4, clusters: 20 }, seed: 1 },
    (world) =>
      Effect.gen(function* () {
        yield* world.advance("12 hours")
        yield* world.apply(yield* world.planOf(new Set(["05-night"])))
        yield* world.advance("10 hours")
        return (yield* world.planOf(new Set(["10-optimise"]))).reviewed.plan
      })
  )

describe("optimise under an overlay", () => {
  it("counts clusters that wait until it is over as they stand, and promises nothing of what they would save", async () => {
    const { changes, forecasts, held, unchanged } = await inMorning("campaign_item", "+20%")
    const waiting = unchanged.filter(({ because }) => because.code === "items_overlay")
    expect(waiting.length).toBeGreaterThan(50)
    expect(forecasts!.length).toBe(2)
    for (const { before, budget, overspent, spendKopecks, unmade } of forecasts!) {
      const more = [...changes, ...held.map(({ change }) => change)].flatMap((change) => {
        const share = BudgetRoom.shareOf(change)
        return share?.budget === budget ? [share.moreKopecks] : []
      })
      expect(more.length).toBeGreaterThan(20)
      const kopecks = before!.spendKopecks.mean + more.reduce((sum, one) => sum + one, 0)
      // One budget was told as kept at 2 799 ₽, while what could move left 3 483 ₽.
      expect([budget, Math.abs(spendKopecks.mean - kopecks) < 50, unmade]).toEqual([budget, true, undefined])
      expect(overspent).toBe(spendKopecks.mean > 280_000)
    }
    expect(forecasts!.map(({ overspent }) => overspent)).toEqual([true, false])
  }, 60_000)

  it.each(["+50%", "-30%"])(
    "moves the bid below a share of %s as far as it may, and where it means to",
    async (by) => {
      const { changes, forecasts } = await inMorning("cluster", by)
      const moves = changes.flatMap((change) => {
        const { baseBeforeKopecks: from, baseKopecks: to } = Bids.overlayOf(change) ?? {}
        const more = BudgetRoom.shareOf(change)?.moreKopecks
        return from === undefined || to === undefined || more === undefined
          ? []
          : [{ change, from, to, more }]
      })
      expect(moves.length).toBeGreaterThan(20)
      for (const { change, from, more, to } of moves) {
        expect(Math.abs(to - from)).toBeLessThanOrEqual(from * 0.3)
        const ways = [to - from, Number(change.after) - Number(change.before), more].map(Math.sign)
        expect([Target.key(change.subject), ...ways]).toEqual([
          Target.key(change.subject),
          ...ways.map(() => ways[0])
        ])
      }
      for (const { dailyKopecks, spendKopecks } of forecasts!)
        expect(spendKopecks.mean).toBeLessThanOrEqual(dailyKopecks)
    },
    60_000
  )
})
