/** `optimise` while an overlay stands over bids of its campaigns. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import * as Overlaid from "../../src/engine/decide/optimise/Overlaid.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as BudgetLines from "../../src/reporting/preview/BudgetLines.js"
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
const overlay = (each: string, by: string, time = "20:00-12:00") =>
  file(
    "05-night",
    `schedule: {every: 30m, tz: Europe/Moscow}\neach: ${each}\nduring: {time: "${time}"}\ndo: {adjust_bid: {by: ${by}, cap: 900 ₽, floor: min_bid}}\n`
  )

describe("two overlays over the same hours", () => {
  it("raise a bid as far as the higher one in these, for one lies over it at a time", () => {
    const night = overlay("cluster", "+50%", "18:00-23:00")
    const rules = Scenario.check([
      vars,
      night,
      { path: "rules/06-evening.yaml", text: overlay("cluster", "+20%", "12:00-20:00").text }
    ])
    const ground = { nowMs: Scenario.startMs, rules, zone: "Europe/Moscow" }
    const moves = [
      ["05-night", 1.5],
      ["06-evening", 1.2]
    ].map(([policy, factor]) => ({
      atMs: Scenario.startMs - 3_600_000,
      isOwn: false,
      followed: false,
      beforeKopecks: 100,
      afterKopecks: 150,
      overlay: { policy: String(policy), factor: Number(factor) }
    }))
    const times = Overlaid.timesOf(ground)
    const of = (some: typeof moves) => Overlaid.raisesOf(ground, times, "slot", some, undefined)
    const [high, low] = of(moves)
    expect([high?.factor, low?.factor]).toEqual([1.5, 1.2])
    expect(high?.share).toBeCloseTo(of(moves.slice(0, 1))[0]!.share)
    // Of its eight hours two are the other's.
    expect(low!.share / of(moves.slice(1))[0]!.share).toBeCloseTo(6 / 8)
  })
})

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

  /** Five days with bids set at 06:30 and an overlay from 18 to 23 o'clock, and the morning after them. */
  const fiveDays = () =>
    Scenario.run(
      {
        rules: [vars, optimise, overlay("cluster", "+50%", "18:00-23:00")],
        scale: { campaigns: 6, items: 4, clusters: 20 },
        seed: 1
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.advance("21 hours")
          yield* world.advance("30 minutes")
          for (let day = 0; day < 5; day++) {
            const from = world.now()
            yield* world.apply(yield* world.planOf(new Set(["10-optimise"])))
            for (const hours of [11.6, 16.6]) {
              yield* world.advance(from + hours * 3_600_000 - world.now())
              yield* world.apply(yield* world.planOf(new Set(["05-night"])))
            }
            yield* world.advance(from + 24 * 3_600_000 - world.now())
          }
          const { gathered, reviewed } = yield* world.planOf(new Set(["10-optimise"]))
          const { plan } = reviewed
          const charged = plan.forecasts!.flatMap(({ campaigns }) =>
            gathered.campaignDays
              .get(CampaignId.make(campaigns[0]!))!
              .days.filter(({ day }) => day >= "2026-09-02" && day <= "2026-09-06")
              .map(({ spendKopecks }) => spendKopecks! / 280_000)
          )
          return { charged, plan }
        })
    )

  it("is charged what the budget has from the second day on, and tells what the overlay adds", async () => {
    const { charged, plan } = await fiveDays()
    // No plan could know of the first evening. On the others 3 410 to 3 700 ₽ of 2 800 ₽ were charged before that was reckoned.
    expect(charged.length).toBe(10)
    for (const from of [0, 5]) {
      const [first, ...others] = charged.slice(from, from + 5)
      expect(first).toBeGreaterThan(1.3)
      for (const share of others) expect(share).toBeLessThan(1.15)
      expect(others.reduce((sum, share) => sum + share, 0) / others.length).toBeGreaterThan(0.85)
    }
    for (const { dailyKopecks, overlaysKopecks, spendKopecks } of plan.forecasts!) {
      expect(overlaysKopecks! / spendKopecks.mean).toBeGreaterThan(0.15)
      expect(spendKopecks.mean).toBeLessThanOrEqual(dailyKopecks)
    }
    expect(BudgetLines.of(plan).join("\n")).toMatch(/[\d\s]+ ₽ of it because overlays will raise bids today/)
    // What comes and goes above the base moves no bid that was forecast.
    expect(plan.found!.map(({ outcome }) => outcome!.code)).toEqual(["stood", "stood"])
  }, 60_000)
})
