/** `optimise` in an account with more to move than a run may send: the first go, the others wait, and nothing forgets them. */
import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import * as Forecasting from "../../src/engine/decide/forecasts/Forecasting.js"
import * as Turns from "../../src/engine/decide/optimise/Turns.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as Scenario from "../scenario/Scenario.js"

const most = 15
const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }
const optimise = (limits: string): Load.File => ({
  path: "rules/10-optimise.yaml",
  text: `version: 1
name: Best profit
mode: apply
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise: {margin: 25%, budget: 300 ₽, cap: {cpm: 260 ₽, cpc: 12 ₽}, park: no}
limits: {${limits}}
`
})
const scale = { campaigns: 6, items: 4, clusters: 120 }
const inShop = <A>(
  limits: string,
  story: (world: Scenario.World) => Effect.Effect<A, unknown>,
  more: ReadonlyArray<Load.File> = []
) => Scenario.run({ rules: [vars, optimise(limits), ...more], scale }, story)

const isBid = ({ action }: Change) => action === "set_bid"
const laterOf = ({ forecasts = [] }: Plan) => forecasts.flatMap(({ later }) => later ?? [])
const sum = (values: ReadonlyArray<number>) => values.reduce((total, one) => total + one, 0)
const waiting = ({ unchanged }: Plan) => unchanged.filter(({ because }) => because.code === "later_run")

describe("more moves of optimise than a run may make", () => {
  let all: Plan
  let few: Plan
  beforeAll(async () => {
    all = await inShop("changes_per_run: 100000", (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    few = await inShop(`changes_per_run: ${most}`, (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
  }, 240_000)

  it("are those that would go if the plan held all of them", () => {
    expect(all.changes.filter(isBid).length).toBeGreaterThan(800)
    const spend = ({ spendPerDayKopecks = 0 }: Change) => spendPerDayKopecks
    const first = [...all.changes].sort(
      (a, b) => Number(BudgetRoom.isDearer(a)) - Number(BudgetRoom.isDearer(b)) || spend(b) - spend(a)
    )
    expect(few.changes.length).toBe(most)
    expect(sum(few.changes.map(spend))).toBe(sum(first.slice(0, most).map(spend)))
    const ids = new Set(all.changes.map(({ id }) => id))
    expect(few.changes.every(({ id }) => ids.has(id))).toBe(true)
    // Minus phrases take turns with the bids, though all of them would be too many.
    expect(all.changes.filter((one) => !isBid(one)).length).toBeGreaterThan(most)
    expect(new Set(few.changes.map(isBid))).toEqual(new Set([true, false]))
  })

  it("leave the others to later runs, each with its reason, and count them in everything that is said of the whole", () => {
    const wait = waiting(few)
    expect(wait.length).toBeGreaterThan(200)
    expect(few.changes.length + few.held.length + wait.length).toBe(all.changes.length)
    expect(sum(laterOf(few).map(({ changes }) => changes))).toBe(wait.length)
    const changesOf = (plan: Plan) => Forecasting.daysOf(plan).map(({ budget, changes }) => [budget, changes])
    expect(changesOf(few)).toEqual(changesOf(all))
    expect(laterOf(all)).toEqual([])
    const { because } = few.held.find((one) => one.because.code === "changes_per_run")!
    expect(because).toMatchObject({ most, changes: all.changes.length })
    expect(RowReasons.text(wait[0]!.because, RowReasons.around(few))).toBe(
      "would move, but rules/10-optimise.yaml limits.changes_per_run lets 15 changes a run go: its turn comes after those with more money"
    )
  })

  it("count against a share of the scope, so that a limit on it holds as much as it would of all", async () => {
    const plan = await inShop(`changes_per_run: ${most}, share_of_scope: 50%`, (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    expect(plan.changes).toEqual([])
    expect(waiting(plan).length).toBeGreaterThan(200)
    expect(new Set(plan.held.map(({ because }) => because.code))).toEqual(new Set(["share_of_scope"]))
  })

  it("give no turn to what a person or never_touch has stopped", () => {
    const byCampaign = new Map<unknown, number>()
    for (const { subject } of all.changes.filter(isBid))
      byCampaign.set(subject.campaignId, (byCampaign.get(subject.campaignId) ?? 0) + 1)
    const [first, second, ...others] = [...byCampaign].sort(([, a], [, b]) => b - a)
    const stopped = [first!, second!].map(([campaign]) => campaign)
    // Theirs are more than a plan makes.
    expect(first![1] + second![1]).toBeGreaterThan(most + Turns.spare)
    expect(sum(others.map(([, bids]) => bids))).toBeGreaterThan(most)
    const never: Load.File = {
      path: "rules/_shared/limits.yaml",
      text: `version: 1\nkind: limits\naccount:\n  never_touch: ["campaign.id = ${stopped[1]}"]\n`
    }
    return inShop(
      `changes_per_run: ${most}`,
      (world) =>
        Effect.gen(function* () {
          const hold = { kind: "target", what: String(stopped[0]), since: world.now(), by: "anna" } as const
          yield* (yield* Holdings).place({ account: Scenario.account, ...hold })
          const planned = yield* world.plan
          const { plan } = planned.reviewed
          expect(plan.changes.length).toBe(most)
          expect(new Set(waiting(plan).map(({ subject }) => subject.campaignId))).toEqual(new Set(stopped))
          yield* world.apply(planned)
          const moved = world.ledger().map(({ target }) => target.campaignId)
          // Phrases of one item are one write.
          const minus = plan.changes.filter((one) => !isBid(one))
          const lists = new Set(minus.map(({ subject }) => `${subject.campaignId}/${subject.itemId}`))
          expect(moved.length).toBe(most - minus.length + lists.size)
          expect(others.map(([campaign]) => campaign)).toEqual(expect.arrayContaining(moved))
        }).pipe(Effect.provide(world.context)),
      [never]
    )
  })
})
