/**
 * What an item earns in a promotion by the costs of its days, in fractions that are never rounded: of tables whose dated rows rise and
 * fall, each figure is what the worst of the days says with both profits of that day.
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as Window from "../../src/domain/Window.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as OwnFacts from "../../src/engine/gather/OwnFacts.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Depth from "../Depth.js"
import * as Fractions from "../facts/Fractions.js"
import { type Fraction, of } from "../facts/Fractions.js"

const path = "rules/_shared/economics.csv"
const now = Date.parse("2026-11-25T09:00:00Z")
const itemId = ItemId.make(1)
const promotionId = PromotionId.make(2)

/** Money in kopecks, shares in millionths, the tax base as 1 for profit. */
const columns = {
  cost: "unit cost",
  packaging: "packaging",
  commission: "commission",
  inPromo: "commission in promo",
  acquiring: "acquiring",
  out: "logistics out",
  back: "logistics back",
  storage: "storage",
  tax: "tax rate",
  isOnProfit: "tax base",
  extra: "extra",
  stated: "buyout, %"
} as const
type Term = keyof typeof columns
const terms = Object.keys(columns) as ReadonlyArray<Term>
type Said = Partial<Record<Term, number>>

const shares: ReadonlySet<Term> = new Set(["commission", "inPromo", "acquiring", "tax", "stated"])
const shown = (term: Term, value: number | undefined): string => {
  if (value === undefined) return ""
  if (term === "isOnProfit") return value === 1 ? "profit" : "revenue"
  return shares.has(term) ? `${value / 10_000}%` : (value / 100).toFixed(2)
}

const amount = (max: number) => fc.integer({ min: 0, max })
const drawn: Record<Term, fc.Arbitrary<number>> = {
  cost: amount(30_000),
  packaging: amount(2_000),
  commission: amount(60).map((n) => n * 5_000),
  inPromo: amount(60).map((n) => n * 5_000),
  acquiring: fc.constantFrom(0, 15_000),
  out: amount(3_000),
  back: amount(3_000),
  storage: amount(500),
  tax: fc.constantFrom(0, 60_000, 150_000),
  isOnProfit: fc.constantFrom(0, 1),
  extra: amount(500),
  stated: fc.constantFrom(400_000, 800_000, 1_000_000)
}
const { stated: _, ...always } = drawn
const days = [
  "2026-11-20",
  "2026-11-25",
  "2026-11-26",
  "2026-11-28",
  "2026-12-01",
  "2026-12-05",
  "2026-12-06"
]
const dated = fc.record({
  from: fc.constantFrom(...days),
  said: fc.record(drawn, { requiredKeys: [] }).map((said) => {
    // Few cells of a later row are filled.
    const kept = terms.filter(
      (term, at) => said[term] !== undefined && (term === "cost" || at % 3 === said.cost! % 3)
    )
    return Object.fromEntries(kept.map((term) => [term, said[term]])) as Said
  })
})

interface Case {
  readonly first: Said
  readonly later: ReadonlyArray<{ readonly from: string; readonly said: Said }>
  readonly price: number
  readonly plan: number
  readonly starts: string
  readonly kept: number
  readonly orders: number
}

/** One in five promotions begins with a day on which the goods cost nothing: rows that are drawn alone seldom make all its days better. */
const cases: fc.Arbitrary<Case> = fc
  .tuple(
    fc.record({
      first: fc.record({
        ...always,
        stated: fc.option(drawn.stated, { nil: undefined })
      }) as fc.Arbitrary<Said>,
      later: fc.uniqueArray(dated, { maxLength: 4, selector: ({ from }) => from }),
      price: fc.integer({ min: 20_000, max: 80_000 }),
      plan: fc.integer({ min: 20_000, max: 60_000 }),
      starts: fc.constantFrom("2026-11-22", "2026-11-26", "2026-11-28"),
      kept: fc.integer({ min: 1, max: 30 }),
      orders: amount(40)
    }),
    fc.integer({ min: 0, max: 4 })
  )
  .map(([one, at]) => (at === 4 ? cheaperFromItsStart(one) : one))

const cheaperFromItsStart = ({ later, ...one }: Case): Case => {
  const starts = "2026-11-26"
  return {
    ...one,
    starts,
    later: [...later.filter(({ from }) => from !== starts), { from: starts, said: { cost: 0, packaging: 0 } }]
  }
}

const ends = "2026-12-05"

const policy = `version: 1
name: Join
mode: preview
each: promotion_item
where: promotion.type = regular
when: profit_now > 0 ₽ or profit_at_plan_price > 0 ₽ or break_even_uplift > 1 or join_cost > 0 ₽
do: enrol
`

const asked = ({ first, kept, later, orders, plan, price, starts }: Case): ReadonlyArray<number | string> => {
  const lines = [
    ["item", "valid from", ...terms.map((term) => columns[term])],
    ...[{ from: "", said: first }, ...later].map(({ from, said }) => [
      "1",
      from,
      ...terms.map((term) => shown(term, said[term]))
    ])
  ]
  const content = { _tag: "Rows" as const, rows: lines.map((cells, line) => ({ line: line + 1, cells })) }
  const data = { path, modifiedMs: now, readMs: now, content }
  const { ruleSet } = Load.check([
    { path: "rules/join.yaml", text: policy },
    { path, text: "", data }
  ])
  const all = Table.make("cluster")
  const table = all.view("promotion_item")
  const row = table.add({ promotionId, itemId })
  const set = (key: string, value: number) => table.set(row, key, Cells.known(value))
  set("promotion.starts_in", Date.parse(`${starts}T00:00:00+03:00`) - now)
  set("promotion.ends_in", Date.parse(`${ends}T23:59:59+03:00`) - now)
  set("promotion_item.price", price)
  set("promotion_item.plan_price", plan)
  set(Table.factKey({ id: "item.buyouts", window: Window.last(30, 30) }), kept)
  set(Table.factKey({ id: "item.all_orders", window: Window.last(30, 30) }), 30)
  set(Table.factKey({ id: "item.all_orders", window: Window.last(14) }), orders)
  OwnFacts.enter(
    OwnFacts.tablesOf(ruleSet!, () => true),
    all,
    [{ promotionId, itemId }],
    now
  )
  const { condition } = ruleSet!.policies[0]!.rules[0]!.when[0]!
  const exprs =
    condition._tag === "Or" ? condition.any.flatMap((one) => (one._tag === "Compare" ? [one.left] : [])) : []
  return exprs.map((expr) => {
    const found = Evaluate.value(expr, table, row)
    const said = found._tag === "Known" ? Number(found.value) : found.reason
    for (const isCompiled of [false, true])
      expect(Evaluate.numbers(expr, table, Int32Array.from([row]), isCompiled).values[0]).toBe(said)
    return said
  })
}

const whole = (n: number) => of(BigInt(n), 1n)
const rate = (n: number) => of(BigInt(n), 1_000_000n)
const floor = ({ above, below }: Fraction): number =>
  Number(above >= 0n ? above / below : -((-above + below - 1n) / below))
const ceil = ({ above, below }: Fraction): number => -floor({ above: -above, below })

/** What a kept unit earns, never rounded. */
const profit = (said: Said, price: number, commission: number, share: number): Fraction => {
  const of = (term: Term) => said[term]!
  const costs = Fractions.sum([
    whole(of("cost") + of("packaging") + of("storage") + of("extra")),
    Fractions.times(whole(price), rate(commission + of("acquiring"))),
    Fractions.over(
      Fractions.plus(whole(of("out")), Fractions.times(rate(1_000_000 - share), whole(of("back")))),
      rate(share)
    )
  ])
  const gross = Fractions.minus(whole(price), costs)
  const base = of("isOnProfit") === 0 ? whole(price) : gross.above < 0n ? whole(0) : gross
  return Fractions.minus(gross, Fractions.times(base, rate(of("tax"))))
}

const onDay = ({ first, kept, later, orders, plan, price }: Case, day: string) => {
  const rows = later.filter(({ from }) => from <= day).toSorted((a, b) => (a.from < b.from ? -1 : 1))
  const said: Said = Object.assign({}, first, ...rows.map((row) => row.said))
  const share = said.stated ?? Math.floor((kept * 1_000_000) / 30)
  const today = profit(said, price, said.commission!, share)
  const then = profit(said, plan, said.inPromo!, share)
  const uplift =
    then.above <= 0n
      ? Number.POSITIVE_INFINITY
      : today.above <= 0n
        ? 0
        : ceil(Fractions.times(Fractions.over(today, then), whole(10_000))) / 10_000
  const cost = ceil(
    Fractions.times(Fractions.times(Fractions.minus(today, then), rate(share)), of(BigInt(orders), 14n))
  )
  return { today: floor(today), later: floor(then), uplift, cost }
}

/** Days of the promotion that are not over. */
const daysOf = ({ starts }: Case): ReadonlyArray<string> =>
  Array.from({ length: 14 }, (_none, at) =>
    new Date(Date.UTC(2026, 10, 22 + at)).toISOString().slice(0, 10)
  ).filter((day) => day >= "2026-11-25" && day >= starts && day <= ends)

it("compares both profits of one day, and says what the worst day of the promotion says", () => {
  const met = { rises: 0, falls: 0, costsMostOnAnother: 0 }
  fc.assert(
    fc.property(cases, (one) => {
      const all = daysOf(one).map((day) => onDay(one, day))
      const today = onDay(one, "2026-11-25")
      const [least, uplift, cost] = [
        Math.min(...all.map(({ later }) => later)),
        Math.max(...all.map((day) => day.uplift)),
        Math.max(...all.map((day) => day.cost))
      ]
      expect(asked(one)).toEqual([today.today, least, uplift, cost === 0 ? 0 : cost])
      met.rises += Number(least < today.later)
      met.falls += Number(all.every(({ later }) => later > today.later))
      met.costsMostOnAnother += Number(all.find(({ later }) => later === least)!.cost < cost)
    }),
    { numRuns: Depth.cases(600) }
  )
  expect(Object.values(met).every((count) => count > 5)).toBe(true)
})
