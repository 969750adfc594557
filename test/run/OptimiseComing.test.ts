/** A budget for all of an account's campaigns, of which one stands still and goes on by itself; and budgets that come to nothing. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as Purses from "../scenario/Purses.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }
const file = (name: string, text: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\neach: campaign\n${text}`
})
const optimise = (budget: string, rest: ReadonlyArray<string> = ["budget_of: account"]) =>
  file(
    "10-optimise",
    `window: 28d
where: campaign.status = active and campaign.payment = cpm and campaign.id in [1000001, 1000002]
do:
  optimise:
    margin: 15%
    cap: {cpm: 600 ₽}
    budget: ${budget}
${rest.map((line) => `    ${line}\n`).join("")}`
  )
const stopped = 1_000_002
const pausingUntil = (condition: string) =>
  file(
    "20-pause",
    `where: campaign.id = ${stopped}\nwhen: campaign.status = active\nrevert_when: ${condition}\ndo: pause\ncooldown: 1h\n`
  )
const pausing = pausingUntil("campaign.status = paused")
/** Nothing that happens here ends the pause. */
const resting = pausingUntil("spend[1d] > 1000000 ₽")
const scale = { campaigns: 6, items: 4, clusters: 20 }
const inShop = <A>(
  rules: ReadonlyArray<Load.File>,
  story: (world: Scenario.World) => Effect.Effect<A, unknown>
) => Scenario.run({ rules: [vars, ...rules], scale, seed: 1 }, story)

const more = (plan: Plan) =>
  plan.changes.reduce((sum, change) => sum + (BudgetRoom.shareOf(change)?.moreKopecks ?? 0), 0)
const bids = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot.startsWith("bid"))
const wordsOf = (plan: Plan) =>
  plan.unknown.map(({ because }) => RowReasons.text(because, RowReasons.around(plan)))

describe("a budget of the account while a campaign of it stands still", () => {
  /** A rule has paused it, for a day. */
  const paused = (world: Scenario.World) =>
    Effect.gen(function* () {
      yield* world.apply(yield* world.planOf(new Set(["20-pause"])))
      yield* world.advance("1 day")
    })

  it("keeps what the campaign will spend that the same plan starts, and says so", () =>
    inShop([optimise("3500 ₽"), pausing], (world) =>
      Effect.gen(function* () {
        yield* paused(world)
        const planned = yield* world.plan
        const { plan } = planned.reviewed
        expect(plan.changes.filter(({ action }) => action === "start")).toHaveLength(1)
        const notice = plan.notices?.find(({ subject }) => subject?.campaignId === stopped)
        expect(notice?.text).toContain(
          " ₽ a day of the account's budget are kept for it: this plan starts it"
        )
        const kept = Number(notice!.text!.split(" ₽")[0]!.replace(/\s/g, "")) * 100
        expect(kept).toBeGreaterThan(100_000)
        const [forecast] = plan.forecasts!
        expect(forecast!.dailyKopecks).toBe(350_000 - Math.round(kept))
        const spends = forecast!.before!.spendKopecks.mean
        yield* world.apply(planned)
        expect(spends + more(plan)).toBeLessThanOrEqual(Math.max(forecast!.dailyKopecks, spends))
        expect(bids(world).length).toBeGreaterThan(0)
      })
    ))

  it("changes nothing where nobody knows what it will spend", () =>
    inShop([optimise("3500 ₽"), pausing], (world) =>
      Effect.gen(function* () {
        yield* paused(world)
        world.faults(
          ["getCostHistory"].map((operation) => ({ operation, kind: "refuse" as const, status: 400 }))
        )
        const planned = yield* world.plan
        yield* world.apply(planned)
        expect(bids(world)).toEqual([])
        expect(wordsOf(planned.reviewed.plan).length).toBeGreaterThan(0)
      })
    ))

  it("goes on without a campaign that a rule has paused for longer than the optimising one looks back", () =>
    inShop([optimise("3500 ₽"), resting], (world) =>
      Effect.gen(function* () {
        yield* paused(world)
        Purses.fill(world, 1_000_001)
        const said = Effect.map(world.plan, ({ reviewed: { plan } }) => ({
          shared: plan.forecasts?.[0]?.dailyKopecks,
          notice: plan.notices?.find(({ subject }) => subject?.campaignId === stopped)?.text
        }))
        const soon = yield* said
        expect(soon.shared).toBeLessThan(350_000)
        expect(soon.notice).toContain("are kept for it: its pause ends by itself")
        yield* world.advance("30 days")
        expect(yield* said).toEqual({
          shared: 350_000,
          notice: expect.stringContaining("nothing of the account's budget is kept for it until it goes on")
        })
      })
    ))

  it("keeps nothing for a campaign that has a budget of its own, or that no rule lets go on", () =>
    inShop([optimise("1500 ₽", ["park: no", "minus: no"]), pausing], (world) =>
      Effect.gen(function* () {
        yield* paused(world)
        const { plan } = (yield* world.plan).reviewed
        expect(plan.forecasts?.map(({ dailyKopecks }) => dailyKopecks)).toEqual([150_000])
        expect(plan.notices?.filter(({ text = "" }) => text.includes("kept")) ?? []).toEqual([])
      })
    ))
})

describe("a budget that comes to nothing", () => {
  for (const [budget, words] of [
    ["spend default 0 ₽ * 0%", "the budget came to 0 ₽, of which nothing can be shared out"],
    ["spend * 0% - 5 ₽", "the budget came to -5 ₽"]
  ] as const)
    it(`changes nothing, and says what it came to: ${budget}`, () =>
      inShop([optimise(budget, [])], (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          yield* world.apply(planned)
          expect(world.ledger()).toEqual([])
          expect(wordsOf(planned.reviewed.plan)).toEqual(new Array(2).fill(expect.stringContaining(words)))
        })
      ))
})
