/** `optimise` beside a campaign that is active and has run out of money: the marketplace's ledger and its purses are the judge. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Optimised from "../../src/engine/kinds/Optimised.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as Purses from "../scenario/Purses.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }
const file = (name: string, text: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\neach: campaign\n${text}`
})
const optimise = (of: string, budget = "3500 ₽") =>
  file(
    "10-optimise",
    `window: 14d
where: campaign.status = active and campaign.payment = cpm and campaign.id in [1000001, 1000002]
do:
  optimise: {margin: 15%, cap: {cpm: 600 ₽}, budget: ${budget}, budget_of: ${of}}
`
  )
const dry = 1_000_002
const deposit = file(
  "20-deposit",
  `where: campaign.id = ${dry}\nwhen: campaign.status = active\ndo:\n  deposit: {amount: 50000 ₽, from: balance}\ncooldown: 4h\nlimits: {money_per_day: 60000 ₽}\n`
)
const scale = { campaigns: 6, items: 4, clusters: 20 }

/** The campaign has stood still for four whole days. */
const runDry = (world: Scenario.World) =>
  Effect.gen(function* () {
    Purses.of(world, dry).leftKopecks = 1
    yield* world.advance("5 days")
    expect(Purses.isDry(world, dry)).toBe(true)
  })

const story = <A>(
  rules: ReadonlyArray<Load.File>,
  tell: (world: Scenario.World) => Effect.Effect<A, unknown>
) =>
  Scenario.run({ rules: [vars, ...rules], scale, seed: 1 }, (world) =>
    Effect.zipRight(runDry(world), tell(world))
  )

const sentTo = (world: Scenario.World, campaignId: number) =>
  world.ledger().filter(({ slot, target }) => target.campaignId === campaignId && !slot.startsWith("deposit"))

const said = (plan: Plan) =>
  plan.notices?.flatMap((one) =>
    one.subject?.campaignId === dry ? [RowReasons.notice(one, RowReasons.around(plan))] : []
  )

describe("a campaign that stands still for want of money", () => {
  for (const of of ["account", "campaign"])
    it(`gets no change, takes no share, and is named, with budget_of: ${of}`, () =>
      story([optimise(of)], (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { plan } = planned.reviewed
          yield* world.apply(planned)
          expect(sentTo(world, dry)).toEqual([])
          expect(sentTo(world, 1_000_001).length).toBeGreaterThan(0)
          expect(plan.forecasts?.map(({ campaigns }) => campaigns)).toEqual([[1_000_001]])
          expect(said(plan)).toEqual([expect.stringContaining("its budget is empty")])
          expect(plan.unchanged.filter(({ because }) => because.code === "out_of_money")).toHaveLength(1)
          expect(world.requests("getCampaignBudget")).toBe(1)
        })
      ))

  it("takes its share and its changes where a rule of the same plan deposits to it", () =>
    story([optimise("account"), deposit], (world) =>
      Effect.gen(function* () {
        const { plan } = (yield* world.plan).reviewed
        expect([...plan.changes, ...plan.held.map(({ change }) => change)].map(({ kind }) => kind)).toContain(
          "campaign_deposit"
        )
        expect(plan.forecasts?.map(({ campaigns }) => campaigns)).toEqual([[1_000_001, dry]])
        expect(said(plan)).toEqual([])
      })
    ))

  it("keeps its share and gets no change where nobody could read what it has", () =>
    story([optimise("account")], (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "getCampaignBudget", kind: "refuse", status: 400 }])
        const planned = yield* world.plan
        const { plan } = planned.reviewed
        yield* world.apply(planned)
        expect(sentTo(world, dry)).toEqual([])
        expect(plan.forecasts?.[0]?.elsewhereKopecks).toBeGreaterThan(50_000)
        const why = plan.unknown.flatMap(({ because, subject }) =>
          subject.campaignId === dry ? [RowReasons.text(because, RowReasons.around(plan))] : []
        )
        expect(why[0]).toContain("campaign.budget is unknown")
      })
    ))

  it("tells of its bids by the days on which it was shown, once it has money", () =>
    story([optimise("campaign", "9000 ₽")], (world) =>
      Effect.gen(function* () {
        Purses.fill(world, dry)
        const { plan } = (yield* world.plan).reviewed
        const days = plan.changes.flatMap((change) =>
          change.subject.campaignId === dry ? [Optimised.of(change)?.seen.days] : []
        )
        expect(new Set(days)).toEqual(new Set([10]))
      })
    ))

  it("leaves the days of its budget to be judged by the others", () =>
    story([optimise("account")], (world) =>
      Effect.gen(function* () {
        for (let day = 0; day < 3; day++) {
          yield* world.apply(yield* world.plan)
          yield* world.advance("1 day")
        }
        yield* world.apply(yield* world.plan)
        const kept = yield* world.memory.forecasts(Scenario.account, undefined, "2026-01-01")
        expect(kept.map(({ realised }) => realised?.spendKopecks)).toEqual([
          expect.any(Number),
          expect.any(Number),
          expect.any(Number),
          undefined
        ])
      })
    ))
})
