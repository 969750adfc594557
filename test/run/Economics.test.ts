/** Promotions by margin, end to end: what is filed follows from the seller's table, however its rows name the items. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type * as Load from "../../src/engine/language/Load.js"
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
