/** Plans keep what they read, and the same rules over it say what the plan said. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Backtest from "../../src/engine/backtest/Backtest.js"
import * as Recall from "../../src/engine/backtest/Recall.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as Scenario from "../scenario/Scenario.js"

const kept = (world: Scenario.World) =>
  Effect.provide(
    Effect.flatMap(Snapshots, (store) => store.days(Scenario.account)),
    world.context
  )
const recalled = (world: Scenario.World, day: string) =>
  Effect.flatMap(Snapshots, (store) => store.read(Scenario.account, Days.Day(day))).pipe(
    Effect.map((parts) => Either.getOrThrow(Recall.recall(parts))),
    Effect.provide(world.context)
  )
const slots = (changes: ReadonlyArray<Omit<Change, "moneyPerDayKopecks" | "spendPerDayKopecks">>) =>
  changes.map(({ action, after, before, clamps, id, reason }) => ({
    action,
    after,
    before,
    clamps,
    id,
    reason
  }))
const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)

describe("what a plan read", () => {
  it("gives the same rules the same changes again", () =>
    Scenario.run({ scale: { campaigns: 4, items: 2, clusters: 15 } }, (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.plan
        expect(reviewed.plan.changes.length).toBeGreaterThan(3)
        expect((yield* kept(world)).map(({ day }) => day)).toEqual(["2026-09-01"])
        const facts = yield* recalled(world, "2026-09-01")
        expect(facts).toMatchObject({ zone: "Europe/Moscow", currency: "RUB", rulesHash: world.rules.hash })
        expect(facts.asked).toContain("clusterStats@14d")
        const rules = Backtest.prepare(world.rules, new Set())
        const { told } = Backtest.day(rules, facts, Backtest.nothingYet)
        const again = told.policies.flatMap(({ changes }) => changes)
        expect(slots(again.toSorted(byId))).toEqual(slots(reviewed.plan.changes.toSorted(byId)))
        const counts = (one: { readonly rowsInScope: number; readonly rowsMatched: number }) => [
          one.rowsInScope,
          one.rowsMatched
        ]
        expect(told.policies.map(counts)).toEqual(reviewed.plan.policies.map(counts))
      })
    ))

  it("lets other rules over the same windows be tried, also on facts that the plan's rules did not name", () =>
    Scenario.run({ scale: { campaigns: 4, items: 2, clusters: 15 } }, (world) =>
      Effect.gen(function* () {
        yield* world.plan
        const facts = yield* recalled(world, "2026-09-01")
        const other = Scenario.check([
          {
            path: "rules/09-other.yaml",
            text: `version: 1
name: Other
each: cluster
where: campaign.status = active and campaign.payment = cpm
window: 14d
when: carts >= 1
do:
  raise_bid: {by: 5%, cap: 900 ₽}
`
          }
        ])
        const { told } = Backtest.day(Backtest.prepare(other, new Set()), facts, Backtest.nothingYet)
        expect(told.policies[0]?.rowsMatched).toBeGreaterThan(0)
      })
    ))

  it("is kept once a day, the latest, and not when nothing could be read", () =>
    Scenario.run({ scale: { campaigns: 2, items: 1, clusters: 5 } }, (world) =>
      Effect.gen(function* () {
        yield* world.plan
        const [first] = yield* kept(world)
        yield* world.advance("2 hours")
        yield* world.plan
        const [second, ...more] = yield* kept(world)
        expect(more).toEqual([])
        expect(second!.atMs).toBeGreaterThan(first!.atMs)
        yield* world.advance("1 day")
        world.faults([{ kind: "refuse", operation: "listCampaignIds", probability: 1, count: 99 }])
        yield* world.plan
        expect(yield* kept(world)).toEqual([second])
        world.faults([])
        yield* world.advance("20 minutes")
        yield* world.plan
        expect((yield* kept(world)).map(({ day }) => day)).toEqual(["2026-09-01", "2026-09-02"])
      })
    ))

  it("is not replaced by a later run that other rules had asked less for, and is by one that asked as much", () =>
    Scenario.run({ scale: { campaigns: 4, items: 2, clusters: 15 } }, (world) =>
      Effect.gen(function* () {
        const rule = (name: string, where: string, window: string, when = "carts >= 1") => ({
          path: `rules/${name}.yaml`,
          text: `version: 1
name: ${name}
each: cluster
where: ${where}
window: ${window}
when: ${when}
do:
  raise_bid: {by: 5%, cap: 900 ₽}
`
        })
        const search = "campaign.payment = cpm"
        const target = (yield* world.plan).gathered.table("cluster").target(0)
        yield* world.advance("1 day")
        const rules = Scenario.check([
          rule("daily", search, "14d"),
          rule("often", search, "2d"),
          rule("one", `[${search}, item.id = ${target.itemId}]`, "14d", "carts >= 1 or carts[2d] >= 1")
        ])
        const turn = (...due: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            yield* world.advance("10 minutes")
            yield* Cycle.plan(rules, { zone: "Europe/Moscow", due: new Set(due) })
            const at = (yield* kept(world)).at(-1)?.atMs
            return { isKept: at === world.now(), asked: (yield* recalled(world, "2026-09-02")).asked }
          }).pipe(Effect.provideServiceEffect(FactSource, world.facts), Effect.provide(world.context))
        expect(yield* turn("often")).toMatchObject({ isKept: true })
        const both = yield* turn("daily", "often")
        expect(both).toMatchObject({ isKept: true, asked: expect.arrayContaining(["clusterStats@14d"]) })
        expect(yield* turn("often")).toEqual({ ...both, isKept: false })
        expect(yield* turn("one")).toEqual({ ...both, isKept: false })
        expect(yield* turn("daily", "often")).toEqual(both)
      })
    ))

  it("ends the plan when it cannot be kept, as when the plan itself cannot be", () =>
    Scenario.run({ scale: { campaigns: 6, items: 4, clusters: 20 } }, (world) =>
      Effect.gen(function* () {
        const refused = Effect.flatMap(Effect.either(world.plan), (result) =>
          Effect.sync(() => expect(Either.isLeft(result)).toBe(true))
        )
        yield* world.fillDisk
        yield* refused
      })
    ))
})
