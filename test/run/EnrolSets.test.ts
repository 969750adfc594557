/** Sets that reach a tier, filed through the one door: whole or not at all, and judged by the marketplace's own promotion. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Elsewhere from "../../src/engine/decide/Elsewhere.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Approvals from "../../src/engine/planning/Approvals.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Promotions from "../../src/sandbox/market/Promotions.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Economics from "../scenario/Economics.js"
import * as Scenario from "../scenario/Scenario.js"

const scale = { campaigns: 9, items: 2, clusters: 6 }

const rule = (action: string, more = "mode: apply\nirreversible: accepted") => ({
  path: "rules/09-tier.yaml",
  text: `version: 1
name: Reach the next tier
${more}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 7d
when: price_drop <= 60%
do:
  enrol: ${action}
`
})
const reaching = rule("{reach_tier: next}")

const story = <A>(
  rules: Scenario.Options["rules"],
  tell: (world: Scenario.World) => Effect.Effect<A, unknown>
) => Scenario.run({ rules: [...rules!, Economics.free(Scenario.startMs)], scale }, tell)

const filed = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "promotion")

const boost = (world: Scenario.World, id: number): number =>
  Promotions.boostPercent(world.sandbox.world(defaultSeller), id, world.now())

const setsOf = (changes: ReadonlyArray<Change>) =>
  new Map(
    Object.values(Arr.groupBy(changes, ({ subject }) => `${subject.promotionId}`)).map((own) => [
      own[0].subject.promotionId!,
      own
    ])
  )

describe("a set that reaches a tier", () => {
  it("is filed whole, holds the cheapest items, and earns the boost that it was to reach", () =>
    story([reaching], (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const { changes, held, sets = [], unchanged } = planned.reviewed.plan
        expect([held, sets.filter(({ chosen }) => chosen).length > 0]).toEqual([[], true])
        for (const set of sets.filter(({ chosen }) => chosen)) {
          const own = setsOf(changes).get(set.promotionId)!
          expect(own.length).toBe(set.cheapest!.items)
          const costs = own.map(({ details }) => ("set" in details ? details.set!.costKopecks : Number.NaN))
          expect(costs.reduce((sum, cost) => sum + cost, 0)).toBe(set.cheapest!.kopecks)
          for (const { because, subject } of unchanged)
            if (subject.promotionId === set.promotionId && because.code === "set_dearer")
              expect(because.costKopecks).toBeGreaterThanOrEqual(Math.max(...costs))
        }
        yield* world.apply(planned)
        for (const set of sets.filter(({ chosen }) => chosen))
          expect(boost(world, set.promotionId) * 100).toBeGreaterThanOrEqual(set.next!.boost!)
        expect(filed(world).length).toBe(setsOf(changes).size)
      })
    ))

  it("waits while the list does not show what was filed before: nobody pays for a tier twice", () =>
    story([reaching], (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "uploadPromotionItems", kind: "slowTask", ms: 30 * 3_600_000 }])
        const { rows } = yield* world.apply(yield* world.planPromotions)
        expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["accepted"]))
        const tasks = filed(world).length
        expect(tasks).toBeGreaterThan(0)
        yield* world.advance("20 minutes")
        const { changes, sets = [] } = (yield* world.planPromotions).reviewed.plan
        expect(changes).toEqual([])
        expect(sets.filter(({ because }) => because?.code === "set_waits").length).toBe(tasks)
      })
    ))

  it("is not sent once somebody else has brought the promotion nearer to the tier, or to it", () =>
    story([reaching], (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const [set] = (planned.reviewed.plan.sets ?? []).filter(({ chosen }) => chosen)
        const own = setsOf(planned.reviewed.plan.changes).get(set!.promotionId)!
        const others = planned.reviewed.plan.unchanged.flatMap(({ because, subject }) =>
          because.code === "set_dearer" && subject.promotionId === set!.promotionId ? [subject.itemId!] : []
        )
        const problem = PromotionControl.stage(
          world.sandbox,
          { promotionId: set!.promotionId, play: "enter", items: [others[0]!] },
          world.now()
        )
        expect(problem).toBeUndefined()
        const { rows } = yield* world.apply(planned)
        const ours = rows.filter(({ change }) => own.some(({ id }) => id === change.id))
        expect(new Set(ours.map(({ reason, state }) => `${state} ${reason?.code}`))).toEqual(
          new Set(["skipped tier_changed"])
        )
        expect(filed(world).map(({ target }) => target.promotionId)).not.toContain(set!.promotionId)
      })
    ))

  it("is nothing where at_most is less than the cheapest costs", () =>
    story([rule("{reach_tier: next, at_most: 0.01 ₽ per day}")], (world) =>
      Effect.gen(function* () {
        const { changes, sets = [] } = (yield* world.planPromotions).reviewed.plan
        expect(changes).toEqual([])
        expect(sets.map(({ because }) => because?.code)).toContain("set_too_dear")
      })
    ))

  it("is not sent when a person holds one of its items between plan and send", () =>
    story([reaching], (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const [set] = [...setsOf(planned.reviewed.plan.changes).values()]
        const [first] = set!
        const { itemId } = first!.subject
        const holdings = yield* Effect.provide(Holdings, world.context)
        const hold = {
          account: Scenario.account,
          kind: "target" as const,
          what: `item/${itemId}`,
          since: world.now(),
          by: "me"
        }
        yield* holdings.place(hold)
        const { rows } = yield* world.apply(planned)
        const own = rows.filter(({ change }) => set!.some(({ id }) => id === change.id))
        expect(new Set(own.map(({ state }) => state))).toEqual(new Set(["skipped"]))
        expect(new Set(own.map(({ reason }) => reason?.code))).toEqual(new Set(["hold", "set_parted"]))
        const promotion = first!.subject.promotionId!
        expect(filed(world).some(({ target }) => `${target}`.includes(`${promotion}`))).toBe(false)
        const again = (yield* world.planPromotions).reviewed.plan
        expect(new Set(again.held.map(({ because }) => because.code))).toEqual(
          new Set(["hold", "set_parted"])
        )
      })
    ))

  it("is approved as a whole: a part of it is refused, and so is a file that leaves one of it out", () =>
    story([rule("{reach_tier: next}", "mode: approve")], (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.planPromotions
        const [set] = [...setsOf(reviewed.plan.changes).values()]
        const asked = (yield* Effect.provide(Asking.afterPlan(reviewed), world.context)).request!
        const ids = set!.map(({ id }) => id)
        const part = Approvals.bind(asked, reviewed, {
          only: ids.slice(1),
          nowMs: world.now(),
          done: new Set()
        })
        expect(Either.isLeft(part) && part.left).toMatchObject({
          code: "nothing_left",
          first: { code: "set_parted", items: ids.length, left: ids.length - 1 }
        })
        const whole = Approvals.bind(asked, reviewed, { only: ids, nowMs: world.now(), done: new Set() })
        expect(Either.isRight(whole) && [...whole.right.chosen].sort()).toEqual([...ids].sort())
        const saved = {
          ...reviewed.plan,
          changes: reviewed.plan.changes.filter(({ id }) => id !== ids[0])
        }
        const judged = Elsewhere.judge(saved, reviewed)
        expect(judged._tag).toBe("Same")
        if (judged._tag !== "Same") return
        expect(judged.reviewed.waiting.some(({ change }) => ids.includes(change.id))).toBe(false)
        expect(judged.reviewed.plan.held.length).toBe(ids.length - 1)
      })
    ))
})
