/** Items in a promotion that we did not put there: told once, by the run after the one that saw them first. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = {
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join promotions
mode: apply
irreversible: accepted
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
when: price_drop <= 20%
do: {enrol: {overlap: allowed}}
`
}

const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const ended = yield* world.cycle({
      account: Scenario.account,
      lane: "promotions",
      due: new Set(["09-join"]),
      loaded: { rules: world.rules, version: "1", problem: undefined },
      stopping: yield* Deferred.make<void>()
    })
    const plan = ended._tag === "Done" ? yield* world.memory.plan(ended.planId ?? "") : undefined
    const told = (plan?.notices ?? []).flatMap((one) =>
      one.because?.code === "joined_by_others" ? [one] : []
    )
    return { ended, told, said: told.map((one) => RowReasons.notice(one, RowReasons.around(plan!))) }
  })

/** A regular promotion ahead, one item that is not in it and one that a rule would not file: both enter by hand. */
const strangersOf = (world: Scenario.World) =>
  Effect.gen(function* () {
    const { gathered } = yield* world.planPromotions
    const rows = gathered.table("promotion_item")
    const value = (row: number, name: string) => {
      const cell = rows.get(row, `promotion_item.${name}`)
      return cell._tag === "Known" ? cell.value : undefined
    }
    const found = rows.rows.findIndex(
      (_, row) => value(row, "in_action") === false && Number(value(row, "price_drop")) > 0.2
    )
    const { itemId, promotionId } = rows.target(found)
    return { itemId: itemId!, promotionId: promotionId! }
  })

const enter = (world: Scenario.World, promotionId: number, itemId: number) => {
  const why = PromotionControl.stage(
    world.sandbox,
    { promotionId, play: "enter", items: [itemId] },
    world.now()
  )
  if (why !== undefined) throw new Error(why)
}

describe("items in a promotion that we did not put there", () => {
  it("are told once, by name and number; neither who was in at the first look nor what we filed", () =>
    Scenario.run({ rules: [rule] }, (world) =>
      Effect.gen(function* () {
        const { itemId, promotionId } = yield* strangersOf(world)
        const first = yield* cycle(world)
        expect([first.told, world.ledger().length > 0]).toEqual([[], true])
        yield* world.advance("1 hour")
        expect((yield* cycle(world)).told).toEqual([])

        enter(world, promotionId, itemId)
        yield* world.advance("1 hour")
        // A plan that a person makes shows it, and keeps it for the next run.
        expect((yield* world.planPromotions).reviewed.plan.notices?.length).toBe(1)
        const { ended, said, told } = yield* cycle(world)
        expect(told).toMatchObject([{ because: { promotionId, items: [itemId], count: 1 } }])
        expect(said[0]).toMatch(
          new RegExp(
            `^1 item is in promotion ${promotionId} ".+" that bidhelm did not put there, and since the last look: ${itemId}\\.`
          )
        )
        expect(ended).toMatchObject({ said: expect.stringContaining("; 1 notice, see the log") })
        yield* world.advance("1 hour")
        expect((yield* cycle(world)).told).toEqual([])
      })
    ))

  it("are not told of a promotion whose list could not be read, and then by the run that could", () =>
    Scenario.run({ rules: [rule] }, (world) =>
      Effect.gen(function* () {
        const { itemId, promotionId } = yield* strangersOf(world)
        yield* cycle(world)
        enter(world, promotionId, itemId)
        yield* world.advance("1 hour")
        world.faults([{ operation: "listPromotionItems", kind: "refuse", status: 403 }])
        expect((yield* cycle(world)).told).toEqual([])
        world.faults([])
        yield* world.advance("1 hour")
        expect((yield* cycle(world)).told).toMatchObject([{ because: { items: [itemId] } }])
      })
    ))

  it("are remembered for each promotion by itself, the latest look alone", () =>
    Scenario.run({ rules: [rule] }, (world) =>
      Effect.gen(function* () {
        const of = (...ids: ReadonlyArray<number>) => ids.map((id) => ItemId.make(id))
        const [one, two] = [PromotionId.make(1), PromotionId.make(2)]
        const { keepPromotionMembers, promotionMembers } = world.memory
        yield* keepPromotionMembers(
          "main",
          [
            { promotionId: one, items: of(5, 6) },
            { promotionId: two, items: [] }
          ],
          0
        )
        yield* keepPromotionMembers("main", [{ promotionId: one, items: of(6) }], 1000)
        yield* keepPromotionMembers("other", [{ promotionId: one, items: of(9) }], 1000)
        expect(yield* promotionMembers("main")).toEqual(
          new Map([
            [one, new Set(of(6))],
            [two, new Set()]
          ])
        )
        yield* keepPromotionMembers("main", [{ promotionId: one, items: of(6) }], 91 * 86_400_000)
        expect([...(yield* promotionMembers("main")).keys()]).toEqual([one])
      })
    ))
})
