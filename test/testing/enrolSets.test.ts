/** Rules that reach for a tier, tested as a marketer tests them. */
import { describe, expect, it } from "vitest"
import * as Trials from "./Trials.js"

const rules = (action = "{reach_tier: next}") =>
  Trials.rules(
    `version: 1
name: Reach the next tier
mode: approve
each: promotion_item
where: promotion.type = regular
when: price_drop <= 50%
do:
  enrol: ${action}
`
  )

/** Rows of one promotion, each by its id, how much less it brings, and further facts. */
const rows = (...costs: ReadonlyArray<number | string>): ReadonlyArray<string> => [
  "rows:",
  ...costs.map((cost, i) => {
    const plan = typeof cost === "number" ? `${1000 - cost} ₽` : cost
    const id = String.fromCharCode(97 + i)
    return `  - {id: ${id}, item.id: ${i + 1}, plan_price: ${plan}}`
  })
]
/** An item that costs nothing, is always kept and ordered once a day: joining costs what its price falls. */
const free =
  "unit_cost: 0 ₽, packaging: 0 ₽, commission: 0%, commission_in_promo: 0%, acquiring: 0%, logistics_out: 0 ₽, " +
  "logistics_back: 0 ₽, storage: 0 ₽, tax_rate: 0%, tax_on_profit: no, extra: 0 ₽, stated_buyout_share: 100%, " +
  '"item.all_orders[14d]": 14'
const defaults = (more: string) =>
  `defaults: {promotion.id: 7, ${free}, price_drop: 5%, promotion_item.price: 1000 ₽, promotion.boost: 3%, ${more}}`
const next = defaults("promotion.boost.next: 7%, promotion.items_to_next_tier: 2")
const enrols = (...ids: ReadonlyArray<string>) =>
  `expect: [${ids.map((id) => `{id: ${id}, do: enrol}`).join(", ")}]`

const failures = (action: string | undefined, ...lines: ReadonlyArray<string>) =>
  Trials.failures(Trials.oneCase(...lines), rules(action))

describe("a set that reaches a tier, in a test of a rule", () => {
  it("is the cheapest, and whoever stays is told that it is not among them", () => {
    const dearer = 'unchanged: [{id: c, because: "not among the cheapest 2"}, d]'
    expect(failures(undefined, next, ...rows(30, 10, 50, 40), enrols("a", "b"), dearer)).toEqual([])
  })

  it("has every item that earns by joining, more than the tier asks for", () => {
    const stays = 'unchanged: [{id: b, because: "not among the cheapest 3"}]'
    expect(failures(undefined, next, ...rows(0, 10, -5, -20), enrols("a", "c", "d"), stays)).toEqual([])
  })

  it("is nothing at all where it costs more than at_most, or too few items can join", () => {
    const dear =
      'unchanged: [{id: a, because: "the cheapest 2 that reach the next tier cost 40 ₽ a day, at_most 39.99 ₽"}, b, c]'
    const most = "{reach_tier: next, at_most: 39.99 ₽ per day}"
    expect(failures(most, next, ...rows(30, 10, 50), "expect: []", dear)).toEqual([])
    const enough = "{reach_tier: next, at_most: 40 ₽ per day}"
    expect(failures(enough, next, ...rows(30, 10, 50), enrols("a", "b"), "unchanged: [c]")).toEqual([])
    const few = 'unchanged: [{id: a, because: "the next tier asks for 2 more items, and only 1 can join"}]'
    expect(failures(undefined, next, ...rows(-30), "expect: []", few)).toEqual([])
  })

  it("counts no item whose cost nobody knows, and says so of it", () => {
    const lines = [next, ...rows(30, 10, "unknown failed"), enrols("a", "b"), "undecided: [c]"]
    expect(failures(undefined, ...lines)).toEqual([])
    const alone = [next, ...rows(10, "unknown failed"), "expect: []", "unchanged: [a]", "undecided: [b]"]
    expect(failures(undefined, ...alone)).toEqual([])
  })

  it("is none on the highest tier, and undecided where the promotion does not say where it stands", () => {
    const highest = [
      defaults("promotion.boost.next: missing, promotion.items_to_next_tier: missing"),
      ...rows(10)
    ]
    const why = 'unchanged: [{id: a, because: "on its highest tier"}]'
    expect(failures(undefined, ...highest, "expect: []", why)).toEqual([])
    const unsaid = [defaults("promotion.items_to_next_tier: unknown failed"), ...rows(10), "expect: []"]
    expect(failures(undefined, ...unsaid, "undecided: [a]")).toEqual([])
  })

  it("is held whole when a limit lets only a part of it go", () => {
    const limited = Trials.rules(
      `version: 1
name: Reach the next tier
mode: approve
each: promotion_item
where: promotion.type = regular
when: price_drop <= 50%
do:
  enrol: {reach_tier: next}
limits: {changes_per_run: 1}
`
    )
    const text = Trials.oneCase("limits: counted", next, ...rows(30, 10), "expect: []", "held: [a, b]")
    expect(Trials.failures(text, limited)).toEqual([])
  })
})
