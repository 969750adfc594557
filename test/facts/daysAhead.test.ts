/** What an item earns in a promotion, by the costs of the promotion's own days. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as PriceFloor from "../../src/engine/decide/limits/PriceFloor.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as OwnFacts from "../../src/engine/gather/OwnFacts.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Expr } from "../../src/engine/language/Policy.js"
import * as BelowFloor from "../../src/engine/planning/BelowFloor.js"
import * as Depth from "../Depth.js"

const path = "rules/_shared/economics.csv"
const now = Date.parse("2026-11-25T09:00:00Z")
const dayMs = 86_400_000
const itemId = ItemId.make(1)
const promotionId = PromotionId.make(2)

const header =
  "item;vendor code;valid from;unit cost;packaging;commission;commission in promo;acquiring;logistics out;logistics back;storage;tax rate;tax base;extra;buyout, %;price floor".split(
    ";"
  )
const every = "*;;;100;0;0%;0%;0%;0;0;0;0%;revenue;0;100;".split(";")

/** Of an item alone: its code, the first day, its cost, its floor, its share of buyouts. */
interface Row {
  readonly who?: string
  readonly code?: string
  readonly from?: string
  readonly cost?: string
  readonly floor?: string
  readonly buyout?: string
}

const cellsOf = ({ buyout = "", code = "", cost = "", floor = "", from = "", who = "1" }: Row) =>
  header.map((name) =>
    name === "item"
      ? code === ""
        ? who
        : ""
      : ({
          "vendor code": code,
          "valid from": from,
          "unit cost": cost,
          "price floor": floor,
          "buyout, %": buyout
        }[name] ?? "")
  )

interface Asked {
  readonly at?: number
  readonly starts?: string | undefined
  readonly ends?: string
  readonly code?: string
  readonly planKopecks?: number
  readonly first?: ReadonlyArray<string>
}

/** An item that may join a promotion at 200 ₽, now 300 ₽, from 28 November to 10 December unless said. */
const asked = (
  rows: ReadonlyArray<Row>,
  { at = now, code, first = every, planKopecks = 20_000, ...days }: Asked = {}
) => {
  const lines = [header, first, ...rows.map(cellsOf)].filter((cells) => cells.length > 0)
  const data = {
    path,
    modifiedMs: now,
    readMs: now,
    content: { _tag: "Rows" as const, rows: lines.map((cells, line) => ({ line: line + 1, cells })) }
  }
  const policy = `version: 1
name: Join
mode: preview
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where: promotion.type = regular
when: profit_at_plan_price >= 0 ₽ or margin_at_plan_price > 0% or profit_now > 0 ₽ or break_even_uplift > 1 or join_cost > 0 ₽ or days_of_cover_at_uplift > 1
do: enrol
`
  const { ruleSet } = Load.check([
    { path: "rules/join.yaml", text: policy },
    { path, text: "", data }
  ])
  const all = Table.make("cluster")
  const table = all.view("promotion_item")
  const row = table.add({ promotionId, itemId })
  const since = (text: string) => Cells.known(Date.parse(`${text}+03:00`) - at)
  if (!("starts" in days) || days.starts !== undefined)
    table.set(row, "promotion.starts_in", since(days.starts ?? "2026-11-28T00:00:00"))
  table.set(row, "promotion.ends_in", since(days.ends ?? "2026-12-10T23:59:59"))
  table.set(row, "promotion_item.price", Cells.known(30_000))
  table.set(row, "promotion_item.plan_price", Cells.known(planKopecks))
  table.set(row, "item.stock_days", Cells.known(20))
  for (const id of ["item.all_orders", "item.buyouts"])
    for (const window of [
      { _tag: "Last", days: 14, settleDays: 0 },
      { _tag: "Last", days: 30, settleDays: 30 }
    ] as const)
      table.set(row, Table.factKey({ id, window }), Cells.known(id === "item.buyouts" ? 5 : 10))
  const tables = OwnFacts.tablesOf(ruleSet!, () => true)
  OwnFacts.enter(tables, all, [{ promotionId, itemId }], at)
  const condition = ruleSet!.policies[0]!.rules[0]!.when[0]!.condition
  const exprs =
    condition._tag === "Or" ? condition.any.flatMap((one) => (one._tag === "Compare" ? [one.left] : [])) : []
  const values = () => {
    const [profit, margin, profitNow, uplift, joinCost, cover] = exprs.map((expr) => of(expr, table, row))
    return {
      profit,
      margin,
      profitNow,
      uplift,
      joinCost,
      cover,
      floor: PriceFloor.against(planKopecks, table, row)
    }
  }
  return {
    values,
    table,
    coded: () => OwnFacts.enterCoded(tables, all, itemId, code, at)
  }
}

/** As kernels, compiled loops and single rows say it, which is the same. */
const of = (expr: Expr, table: Table.Table, row: number) => {
  const single = Evaluate.value(expr, table, row)
  const rows = Int32Array.from([row])
  for (const isCompiled of [false, true]) {
    const { reasons, values } = Evaluate.numbers(expr, table, rows, isCompiled)
    if (single._tag === "Known") expect([values[0], reasons[0]]).toEqual([single.value, 0])
    else expect(reasons[0]).toBeGreaterThan(0)
  }
  return single._tag === "Known" ? Number(single.value) : single.reason
}

const profit = (rows: ReadonlyArray<Row>, more?: Asked) => asked(rows, more).values().profit

describe("what an item earns in a promotion", () => {
  it("is by the costs of the promotion's days: the dearest of them", () => {
    expect(profit([])).toBe(10_000)
    expect(profit([{ from: "2026-12-01", cost: "150" }])).toBe(5000)
    expect(
      profit([
        { from: "2026-12-01", cost: "150" },
        { from: "2026-12-05", cost: "90" }
      ])
    ).toBe(5000)
    // The days before it do not count, nor those after it.
    expect(
      profit([
        { from: "2026-11-26", cost: "190" },
        { from: "2026-11-28", cost: "90" }
      ])
    ).toBe(11_000)
    expect(profit([{ from: "2026-12-10", cost: "190" }])).toBe(1000)
    expect(profit([{ from: "2026-12-11", cost: "190" }])).toBe(10_000)
    const { margin, profitNow } = asked([{ from: "2026-12-01", cost: "150" }]).values()
    expect([margin, profitNow]).toEqual([0.25, 20_000])
    // What holds for every item, too.
    expect(profit([{ who: "*", from: "2026-12-01", cost: "150" }])).toBe(5000)
    expect(profit([{ cost: "80" }, { who: "*", from: "2026-12-01", cost: "150" }])).toBe(12_000)
  })

  it("looks at the days still to come of one that runs, and at all of one without its days", () => {
    const rows = [
      { from: "2026-11-20", cost: "190" },
      { from: "2026-11-24", cost: "120" },
      { from: "2026-12-01", cost: "110" }
    ]
    expect(profit(rows, { starts: "2026-11-18T00:00:00" })).toBe(8000)
    expect(profit(rows, { starts: undefined })).toBe(8000)
    expect(profit(rows)).toBe(8000)
    expect(profit(rows, { starts: "2026-12-01T00:00:00" })).toBe(9000)
  })

  it("is unknown where a term is missing on any of the days, and known where it is there on all of them", () => {
    const first = every.map((text, at) => (header[at] === "unit cost" ? "" : text))
    expect(profit([{ from: "2026-12-01", cost: "150" }], { first })).toBe("unlisted")
    expect(profit([{ from: "2026-11-28", cost: "150" }], { first })).toBe(5000)
    expect(profit([{ from: "2026-12-01", cost: "x" }])).toBe("unreadable")
    expect(profit([{ from: "2026-12-11", cost: "x" }])).toBe(10_000)
  })

  it("takes the measured share of buyouts on days for which none is stated", () => {
    const first = every.map((text, at) => (/buyout/.test(header[at]!) ? "" : text))
    expect(profit([{ from: "2026-12-01", buyout: "100" }], { first })).toBe(10_000)
  })

  it("compares both profits of one and the same day, and the worst day counts", () => {
    const compared = (rows: ReadonlyArray<Row>, more?: Asked) => {
      const { cover, joinCost, profitNow, uplift } = asked(rows, more).values()
      return { uplift, joinCost, profitNow, cover: typeof cover === "number" ? cover.toFixed(3) : cover }
    }
    // 100 ₽ a unit less, of 10 orders in 14 days.
    const same = { uplift: 2, joinCost: 7143, profitNow: 20_000, cover: "10.000" }
    expect(compared([])).toEqual(same)
    expect(compared([{ from: "2026-12-01", cost: "150" }])).toEqual({ ...same, uplift: 3, cover: "6.667" })
    // A cost that falls before the promotion begins: today's 50 ₽ a unit are not what it is compared with.
    const falls = [{ cost: "250" }, { from: "2026-11-26", cost: "50" }]
    expect(compared(falls)).toEqual({ uplift: 1.6667, joinCost: 7143, profitNow: 5000, cover: "12.000" })
    // Falls and rises within the promotion.
    const both = [{ cost: "150" }, { from: "2026-12-01", cost: "50" }, { from: "2026-12-05", cost: "199" }]
    expect(compared(both)).toEqual({ uplift: 101, joinCost: 7143, profitNow: 15_000, cover: "0.198" })
    expect(compared([{ from: "2026-12-05", cost: "200" }])).toEqual({
      ...same,
      uplift: Number.POSITIVE_INFINITY,
      cover: "0.000"
    })
    // What it gives away is of the day with the most orders kept.
    expect(compared([{ buyout: "50" }, { from: "2026-12-05", buyout: "100" }]).joinCost).toBe(7143)
    expect(compared([{ from: "2026-11-26", buyout: "50" }]).joinCost).toBe(3572)
    expect(compared([{ from: "2026-12-01", cost: "x" }])).toMatchObject({
      uplift: "unreadable",
      joinCost: "unreadable",
      cover: "unreadable",
      profitNow: 20_000
    })
    // Missing today, and known on every day of the promotion.
    const unlisted = every.map((text, at) => (header[at] === "unit cost" ? "" : text))
    expect(compared([{ from: "2026-11-28", cost: "150" }], { first: unlisted })).toMatchObject({
      uplift: 3,
      joinCost: 7143,
      profitNow: "unlisted"
    })
  })

  it("is by the item's code too, and unknown before the code is read", () => {
    const rows = [{ code: "a-1", from: "2026-12-01", cost: "150" }]
    const of = asked(rows, { code: "A-1" })
    expect(of.values().profit).toBe("failed")
    of.coded()
    expect(of.values().profit).toBe(5000)
    const other = asked(rows, { code: "b-1" })
    other.coded()
    expect(other.values().profit).toBe(10_000)
  })

  it("asks for the highest floor of the days, and for none that cannot be read", () => {
    const floor = (...rows: ReadonlyArray<Row>) => asked(rows).values().floor
    expect(floor({ floor: "200" })).toBeUndefined()
    expect(floor({ from: "2026-12-01", floor: "210" }, { from: "2026-12-03", floor: "190" })).toEqual({
      _tag: "Below",
      floorKopecks: 21_000
    })
    expect(floor({ floor: "210" }, { from: "2026-11-27", floor: "190" })).toBeUndefined()
    expect(floor({ from: "2026-12-11", floor: "210" })).toBeUndefined()
    expect(floor({ from: "2026-12-01", floor: "x" })).toEqual({ _tag: "Unknown", reason: "unreadable" })
  })

  it("names an item in a promotion below the floor of this day, or of the promotion's first, and not before its floor begins", () => {
    const named = (starts: string, ...rows: ReadonlyArray<Row>) => {
      const { table } = asked(rows, { starts })
      table.set(0, "promotion_item.in_action", Cells.known(true))
      return BelowFloor.notices(table).length
    }
    const runs = "2026-11-20T00:00:00"
    expect(named(runs, { floor: "190" }, { from: "2026-12-01", floor: "210" })).toBe(0)
    expect(named(runs, { floor: "210" }, { from: "2026-12-01", floor: "190" })).toBe(1)
    const begins = "2026-12-01T00:00:00"
    expect(named(begins, { floor: "190" }, { from: "2026-12-01", floor: "210" })).toBe(1)
    expect(named(begins, { floor: "210" }, { from: "2026-12-01", floor: "190" })).toBe(0)
  })

  it("says of any rows what the dearest day says by itself", () => {
    const days = ["2026-11-20", "2026-11-26", "2026-11-28", "2026-12-01", "2026-12-10", "2026-12-11"]
    const row = fc.record({
      who: fc.constantFrom("1", "*"),
      from: fc.constantFrom(...days),
      cost: fc.constantFrom("", "50", "150", "250"),
      buyout: fc.constantFrom("", "100", "50")
    })
    const key = ({ from, who }: Row) => `${who} ${from}`
    fc.assert(
      fc.property(fc.uniqueArray(row, { maxLength: 6, selector: key }), (rows) => {
        // The table as it is on one day, as a promotion of that day alone sees it that day.
        const each = Array.from({ length: 13 }, (_, at) => {
          const day = new Date(Date.parse("2026-11-28T12:00:00+03:00") + at * dayMs)
            .toISOString()
            .slice(0, 10)
          const only = {
            at: Date.parse(`${day}T12:00:00+03:00`),
            starts: `${day}T00:00:00`,
            ends: `${day}T23:00:00`
          }
          return profit(rows, only)
        })
        expect(profit(rows)).toBe(Math.min(...each.map(Number)))
      }),
      { numRuns: Depth.cases(40) }
    )
  })

  it("keeps nothing for items whose rows have no days to come", () => {
    expect(asked([{ cost: "150" }]).table.hasAhead).toBe(false)
    expect(asked([{ from: "2026-11-01", cost: "150" }]).table.hasAhead).toBe(false)
    expect(asked([{ who: "7", from: "2026-12-01", cost: "150" }]).table.hasAhead).toBe(false)
  })
})
