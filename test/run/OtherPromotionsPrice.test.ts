/** An item in a promotion that runs: its price of today is that promotion's, and tells nothing of how far it falls in a later one. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as Promotions from "../../src/sandbox/market/Promotions.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Economics from "../scenario/Economics.js"
import * as Scenario from "../scenario/Scenario.js"

const day = 24 * 3_600_000
const running = 1005
const later = 1006
const automatic = 1004

const rule = (when: string, action = "enrol") => ({
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join a promotion
mode: apply
irreversible: accepted
each: promotion_item
where: promotion.id in [${running}, ${later}]
when:
  - promotion.starts_in > 0h
  - ${when}
do: ${action}
`
})

/** One promotion runs and ends a day before the other begins. */
const apart = (world: Scenario.World, endsIn = 2) => {
  const at = (days: number) => new Date(world.now() + days * day).toISOString()
  const move = (promotionId: number, starts: number, ends: number) =>
    PromotionControl.stage(
      world.sandbox,
      { promotionId, play: "move", startDateTime: at(starts), endDateTime: at(ends) },
      world.now()
    )
  expect([move(running, -1, endsIn), move(later, 3, 9)]).toEqual([undefined, undefined])
}

const enter = (world: Scenario.World, items: ReadonlyArray<number>) =>
  expect(
    PromotionControl.stage(world.sandbox, { promotionId: running, play: "enter", items }, world.now())
  ).toBeUndefined()

/** Items that a task for the later promotion was taken with. */
const filed = (world: Scenario.World) =>
  world.ledger().flatMap(({ target, task }) => (target.promotionId === later ? (task?.asked ?? []) : []))

const story = (
  when: string,
  tell: (world: Scenario.World) => Effect.Effect<void, unknown>,
  action?: string
) => Scenario.run({ rules: [rule(when, action), Economics.free(Scenario.startMs)] }, tell)

describe("an item in a promotion that is over before another one begins", () => {
  for (const [fact, when] of [
    ["price_drop", "price_drop <= 90%"],
    ["join_cost", "join_cost <= 100000 ₽"],
    ["break_even_uplift", "break_even_uplift <= 100"]
  ] as const)
    it(`is not filed for the later one by a rule that asks for ${fact}, and the plan says that the price of today is another promotion's`, () =>
      story(when, (world) =>
        Effect.gen(function* () {
          apart(world)
          const free = (yield* world.planPromotions).reviewed.plan.changes.map(
            ({ subject }) => subject.itemId!
          )
          const some = free.slice(0, 1)
          expect(free.length).toBeGreaterThan(1)
          enter(world, some)
          const planned = yield* world.planPromotions
          const { plan } = planned.reviewed
          const undecided = plan.unknown.filter(({ subject }) => some.includes(subject.itemId!))
          expect(undecided.map(({ because }) => RowReasons.text(because, RowReasons.around(plan)))).toEqual(
            some.map(() =>
              expect.stringContaining(
                "today's price is that of a promotion which is over before this one begins"
              )
            )
          )
          yield* world.apply(planned)
          expect(filed(world).filter((itemId) => some.includes(ItemId.make(itemId)))).toEqual([])
          expect(filed(world).length).toBeGreaterThan(0)
        })
      ))

  it("costs nobody knows how much in a set that reaches a tier: the set does without it", () =>
    story(
      "plan_price > 0 ₽",
      (world) =>
        Effect.gen(function* () {
          apart(world)
          const free = (yield* world.planPromotions).reviewed.plan.changes.map(
            ({ subject }) => subject.itemId!
          )
          const some = free.slice(0, 1)
          enter(world, some)
          yield* world.apply(yield* world.planPromotions)
          expect(filed(world).filter((itemId) => some.includes(ItemId.make(itemId)))).toEqual([])
        }),
      "{enrol: {reach_tier: next}}"
    ))

  it("is not joined by a rule that asks only what it earns in the later one, where that asks less than today: it may fall to a third", () =>
    story("margin_at_plan_price > -1000%", (world) =>
      Effect.gen(function* () {
        apart(world)
        const free = (yield* world.planPromotions).reviewed.plan.changes.map(({ subject }) => subject.itemId!)
        enter(world, free.slice(0, 1))
        const { plan } = (yield* world.planPromotions).reviewed
        expect(plan.changes.map(({ subject }) => subject.itemId!)).toEqual(free.slice(1))
        expect(plan.unknown.map(({ subject }) => subject.itemId)).toContain(free[0])
      })
    ))
})

/** By a rule that says nothing of today's price, and rules the running promotion out. */
const blind = (tell: (world: Scenario.World) => Effect.Effect<void, unknown>) => {
  const { path, text } = rule("item.price > 0 ₽", "{enrol: {overlap: allowed}}")
  return Scenario.run(
    {
      rules: [{ path, text: text.replace(`in [${running}, ${later}]`, `= ${later}`) }],
      scale: { campaigns: 9, items: 2, clusters: 6 },
      buyers: true
    },
    (world) =>
      Effect.gen(function* () {
        apart(world)
        const stage = (staged: PromotionControl.Staged) =>
          expect(PromotionControl.stage(world.sandbox, staged, world.now())).toBeUndefined()
        stage({ promotionId: later, play: "lower_plan_prices", percent: 55 })
        // It makes prices, too, and nobody can list its items.
        stage({ promotionId: automatic, play: "delete" })
        yield* tell(world)
      })
  )
}

describe("a rule that asks for no price", () => {
  it("files nothing that falls from the price of a promotion that is over before, to less than a third of the price before that", () =>
    blind((world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        yield* world.apply(planned)
        const sandbox = world.sandbox.world(defaultSeller)
        const falls = filed(world).map((itemId) => {
          const { planPriceKopecks, priceKopecks } = Promotions.terms(sandbox, later, itemId, world.now())
          return priceKopecks / planPriceKopecks
        })
        expect(falls.length).toBeGreaterThan(0)
        expect(falls.filter((times) => times >= 3)).toEqual([])
        const why = planned.reviewed.plan.unknown.map(({ because }) => because)
        expect(why).toContainEqual({ code: "fact_unknown", fact: "price_drop", reason: "otherPromotion" })
      })
    ))

  it("files nothing that falls where nobody could read who is in that promotion, and says so", () =>
    blind((world) =>
      Effect.gen(function* () {
        // The first list is that of the smaller number.
        world.faults([{ operation: "listPromotionItems", kind: "refuse", status: 422, count: 1 }])
        const planned = yield* world.planPromotions
        expect(planned.reviewed.plan.changes).toEqual([])
        const { plan } = planned.reviewed
        const told = plan.unknown.map(({ because }) => RowReasons.text(because, RowReasons.around(plan)))
        expect(told).toContainEqual(
          expect.stringContaining(
            "today's price may be that of a promotion which is over before this one begins, and whose items are not read"
          )
        )
      })
    ))
})

it("a fall is counted from today's price where the other promotion runs on into this one", () =>
  story(
    "price_drop <= 90%",
    (world) =>
      Effect.gen(function* () {
        apart(world, 5)
        const free = (yield* world.planPromotions).reviewed.plan.changes.map(({ subject }) => subject.itemId!)
        enter(world, free.slice(0, 1))
        const { gathered, reviewed } = yield* world.planPromotions
        expect(reviewed.plan.changes.map(({ subject }) => subject.itemId!)).toEqual(free)
        const rows = gathered.table("promotion_item")
        const row = rows.indexOf({ promotionId: PromotionId.make(later), itemId: free[0]! })!
        expect(rows.get(row, "promotion_item.price_drop")._tag).toBe("Known")
      }),
    "{enrol: {overlap: allowed}}"
  ))
