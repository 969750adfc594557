/** Costs between a plan and a yes to it: what stands in the table as it did holds nothing, and a set goes whole or not at all. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.Shop.open({})
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
})
afterEach(() => shop.close())

const rule = (starts: string, enrol: string) =>
  shop.write(
    "rules/09-join.yaml",
    `version: 1
name: Join promotions that earn
mode: approve
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in ${starts}
when: margin_at_plan_price >= 1%
do: {enrol: ${enrol}}
`
  )

/** Every item costs nothing and is kept but for what further rows say: item, vendor code, first day, unit cost. */
const costs = (...rows: ReadonlyArray<string>) =>
  shop.write(
    "rules/_shared/economics.csv",
    [
      "item;vendor code;valid from;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;buyout, %",
      "*;;;0;0;0;0;0;0;0;0;0;revenue;0;100",
      ...rows.map((row) => `${row};;;;;;;;;;;`),
      ""
    ].join("\n")
  )

interface Change {
  readonly subject: { readonly promotionId: number; readonly itemId: number }
  readonly details: { readonly endsAt: number; readonly set?: { readonly items: number } }
}

/** The id of what waits for a yes, and its changes. */
const asked = async () => {
  const { stderr, stdout } = await shop.run("apply", "--lane", "promotions", "--yes")
  const [, id = ""] = /bidhelm approve (\w+)/.exec(stdout + stderr) ?? []
  const { changes } = JSON.parse((await shop.run("plan", "--lane", "promotions", "--json")).stdout) as {
    readonly changes: ReadonlyArray<Change>
  }
  return { id, changes }
}

/** Items that the marketplace was asked to take in, once for each promotion. */
const sent = async () => {
  const { entries } = (await shop.ledger()) as {
    readonly entries: ReadonlyArray<{
      readonly operation: string
      readonly task?: { readonly asked: ReadonlyArray<number> }
    }>
  }
  return entries
    .filter(({ operation }) => operation === "uploadPromotionItems")
    .flatMap(({ task }) => task?.asked ?? [])
    .sort((a, b) => a - b)
}

const itemsOf = (changes: ReadonlyArray<Change>) =>
  changes.map(({ subject }) => subject.itemId).sort((a, b) => a - b)

describe("costs that stand in the table as they did", () => {
  it("hold nothing over midnight, by rows with days and vendor codes; of a promotion that is over no cost is called changed", async () => {
    rule("<= 0h", "{overlap: allowed}")
    const { items } = JSON.parse((await shop.run("economics", "template", "--json")).stdout) as {
      readonly items: ReadonlyArray<{ readonly vendorCode: string }>
    }
    const [dated, coded] = items.map(({ vendorCode }) => vendorCode)
    costs("*;;2026-09-02;1", "*;;2026-09-03;2", `;${dated};2026-09-02;3`, `;${coded};;4`)
    const { changes, id } = await asked()
    await shop.advance(20 * 3_600_000)
    const tomorrow = Date.parse("2026-09-02T00:00:00+03:00")
    const [over, left] = [
      changes.filter(({ details }) => details.endsAt <= tomorrow),
      changes.filter(({ details }) => details.endsAt > tomorrow)
    ]
    expect([over.length > 0, left.length > 0]).toEqual([true, true])
    const { stderr, stdout } = await shop.run("approve", id)
    expect(stdout + stderr).not.toContain("has changed since the plan")
    expect(stdout.match(/the promotion is over/g)).toHaveLength(over.length)
    expect(await sent()).toEqual(itemsOf(left))
  })
})

describe("costs that were edited", () => {
  it("hold the whole set of which they are an item's, and no other set", async () => {
    rule("between 12h and 14d", "{reach_tier: next, overlap: allowed}")
    costs()
    const { changes, id } = await asked()
    const edited = changes.find(({ details }) => (details.set?.items ?? 0) > 1)!.subject.itemId
    const broken = new Set(
      changes.filter(({ subject }) => subject.itemId === edited).map(({ subject }) => subject.promotionId)
    )
    const others = changes.filter(({ subject }) => !broken.has(subject.promotionId))
    expect(others.length).toBeGreaterThan(0)
    costs(`${edited};;;90000`)
    const { code, stderr, stdout } = await shop.run("approve", id)
    expect(code).toBe(4)
    expect(stdout + stderr).toMatch(
      /left out: .* a set of \d+ items that reaches a tier goes whole or not at all/
    )
    expect(await sent()).toEqual(itemsOf(others))
  })
})
