/** Promotions by margin, end to end: what is filed follows from the seller's table, however its rows name the items. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Enrolment from "../../src/engine/kinds/Enrolment.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import { article } from "../../src/sandbox/shop/Sales.js"
import * as Economics from "../scenario/Economics.js"
import * as Scenario from "../scenario/Scenario.js"

const join = (condition: string): Load.File => ({
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join promotions
mode: apply
irreversible: accepted
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 7d
when: ${condition}
do: {enrol: {overlap: allowed}}
max_unknown: 100%
`
})

const ids = Array.from({ length: 12 }, (_, at) => 200_000_001 + at)
const all = ["*", "", "", "10", "17", "15", "1.5", "60", "50", "5", "6", "revenue", "0", "90", ""]
const header = ["item", "vendor code", ...Economics.header.slice(1)]
const costOf = (itemId: number) => String(200 + ((itemId * 37) % 900))

/** Every third item has no cost. */
const costs = ids.filter((itemId) => itemId % 3 !== 0)
const only = (item: string, code: string, cost: string, floor = "") => [
  item,
  code,
  cost,
  ...all.slice(3, -1).map(() => ""),
  floor
]

const byNumber = Economics.table(
  [header, all, ...costs.map((itemId) => only(String(itemId), "", costOf(itemId)))],
  Scenario.startMs
)
const byCode = Economics.table(
  [header, all, ...costs.map((itemId) => only("", article(itemId), costOf(itemId)))],
  Scenario.startMs
)

const changes = (rules: ReadonlyArray<Load.File>) =>
  Scenario.run({ rules }, (world) =>
    Effect.gen(function* () {
      const { reviewed } = yield* world.planPromotions
      yield* world.apply(yield* world.planPromotions)
      const filed = world
        .ledger()
        .flatMap(({ operation, task }) =>
          operation === "uploadPromotionItems" ? [...(task?.asked ?? [])] : []
        )
      return { plan: reviewed.plan, filed: [...new Set(filed)].sort((a, b) => a - b) }
    })
  )

describe("promotions by margin", () => {
  it("file the items whose margin is known and high enough, and none whose cost is not known", async () => {
    const { filed, plan } = await changes([join("margin_at_plan_price >= 18%"), byNumber])
    expect(filed.length).toBeGreaterThan(0)
    expect(filed.filter((itemId) => !costs.includes(itemId))).toEqual([])
    const notices = (plan.notices ?? []).map((notice) => ("text" in notice ? notice.text : ""))
    expect(notices.some((text) => /unit_cost is known for \d+ of \d+ items/.test(text ?? ""))).toBe(true)
    const all = await changes([join("price_drop <= 90%"), byNumber])
    expect(all.filed.length).toBeGreaterThan(filed.length)
  })

  it("are the same where the table names items by the seller's own code", async () => {
    const [numbers, codes] = await Promise.all(
      [byNumber, byCode].map((table) => changes([join("margin_at_plan_price >= 18%"), table]))
    )
    expect(codes!.filed).toEqual(numbers!.filed)
    const shown = ({ changes }: (typeof codes & object)["plan"]) =>
      changes.map(({ after, details, subject }) => ({ after, details, subject }))
    expect(shown(codes!.plan)).toEqual(shown(numbers!.plan))
  })

  it("name at each run the items in a promotion whose price fell below their floor after they joined", async () => {
    const condition = "margin_at_plan_price >= 18%"
    const [first] = (await changes([join(condition), byNumber])).plan.changes.filter(Enrolment.isEnrolment)
    const { itemId, promotionId } = first!.subject
    const floorKopecks = first!.details.planPriceKopecks!
    const floors = costs.map((id) =>
      only(String(id), "", costOf(id), id === itemId ? String(floorKopecks / 100) : "")
    )
    const guarded = Economics.table([header, all, ...floors], Scenario.startMs)
    await Scenario.run({ rules: [join(condition), guarded] }, (world) =>
      Effect.gen(function* () {
        const told = Effect.map(world.planPromotions, ({ reviewed: { plan } }) =>
          (plan.notices ?? []).flatMap(({ because }) =>
            because?.code === "in_below_floor"
              ? [{ because, says: RowReasons.text(because, RowReasons.around(plan)) }]
              : []
          )
        )
        yield* world.apply(yield* world.planPromotions)
        yield* world.advance("1 hour")
        expect(yield* told).toEqual([])
        const lower = { promotionId, play: "lower_plan_prices", percent: 10 } as const
        expect(PromotionControl.stage(world.sandbox, lower, world.now())).toBeUndefined()
        yield* world.advance("1 hour")
        const [found, ...others] = yield* told
        expect(found?.because).toMatchObject({ promotionId, count: 1, items: [{ itemId, floorKopecks }] })
        expect(found?.says).toMatch(
          new RegExp(`^1 item is in promotion ${promotionId} ".+" at a price below the floor: ${itemId} \\(`)
        )
        expect(others).toEqual([])
      })
    )
  })

  it("leave out an item whose plan price is below its floor, also one that is named by its code", async () => {
    const { filed } = await changes([join("margin_at_plan_price >= 18%"), byNumber])
    const [kept] = filed
    for (const [item, code] of [
      [String(kept), ""],
      ["", article(kept!)]
    ] as const) {
      const floors = costs.map((itemId) =>
        itemId === kept
          ? only(item, code, costOf(itemId), "999999")
          : only(String(itemId), "", costOf(itemId))
      )
      const guarded = Economics.table([header, all, ...floors], Scenario.startMs)
      const { filed: left, plan } = await changes([join("margin_at_plan_price >= 18%"), guarded])
      expect(left).toEqual(filed.filter((itemId) => itemId !== kept))
      const stays = plan.unchanged.filter(({ subject }) => subject.itemId === kept)
      expect(new Set(stays.map(({ because }) => because.code))).toEqual(new Set(["price_floor"]))
    }
  })
})
