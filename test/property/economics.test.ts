/**
 * Promotions by margin: of any economics and any promotion the plan has exactly the items whose margin, in fractions that are never
 * rounded, meets the rule, and no item of which a term is unknown.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId, ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as Window from "../../src/domain/Window.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Economics from "../../src/engine/facts/Economics.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as OwnFacts from "../../src/engine/gather/OwnFacts.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Depth from "../Depth.js"
import * as Example from "../decide/Example.js"
import * as Fractions from "../facts/Fractions.js"
import { type Fraction, of } from "../facts/Fractions.js"

const path = "rules/_shared/economics.csv"
const promotionId = PromotionId.make(2001)
const itemOf = (at: number) => ItemId.make(1001 + at)

/** Money in kopecks, shares in millionths; undefined is an empty cell, or a fact that did not arrive. */
const drawn = <A>(some: fc.Arbitrary<A>, holes: number) =>
  fc.oneof({ weight: 100 - holes, arbitrary: some }, { weight: holes, arbitrary: fc.constant(undefined) })

const amount = (most: number) => fc.integer({ min: 0, max: most })
const rounded = (most: number, step: number) => fc.integer({ min: 0, max: most / step }).map((n) => n * step)

const item = (holes: number) =>
  fc.record({
    price: drawn(
      rounded(500_000, 100).map((n) => n + 100),
      holes
    ),
    planShare: fc.integer({ min: 40, max: 100 }),
    unitCost: drawn(rounded(200_000, 50), holes),
    packaging: drawn(amount(2_000), holes),
    commission: drawn(rounded(300_000, 5_000), holes),
    inPromo: drawn(rounded(300_000, 5_000), holes),
    acquiring: drawn(fc.constantFrom(0, 15_000, 20_000), holes),
    out: drawn(amount(8_000), holes),
    back: drawn(amount(8_000), holes),
    storage: drawn(amount(1_000), holes),
    tax: drawn(fc.constantFrom(0, 60_000, 150_000), holes),
    isOnProfit: drawn(fc.boolean(), holes),
    extra: drawn(amount(1_000), holes),
    stated: drawn(fc.constantFrom(400_000, 800_000, 1_000_000), 60),
    bought: drawn(amount(400), holes),
    ordered: drawn(amount(400), holes),
    orders: drawn(amount(100), holes),
    spend: drawn(amount(100_000), holes),
    isAdvertised: fc.boolean()
  })
type Item = ReturnType<typeof item> extends fc.Arbitrary<infer A> ? A : never

const money = (kopecks: number | undefined): string =>
  kopecks === undefined ? "" : `${Math.floor(kopecks / 100)},${String(kopecks % 100).padStart(2, "0")}`
const percent = (millionths: number | undefined): string =>
  millionths === undefined ? "" : `${millionths / 10_000}%`

const tableOf = (items: ReadonlyArray<Item>) => ({
  path,
  text: "",
  data: {
    path,
    modifiedMs: Example.now,
    readMs: Example.now,
    content: {
      _tag: "Rows" as const,
      rows: [
        [
          "item",
          "себестоимость",
          "упаковка",
          "комиссия",
          "комиссия в акции",
          "эквайринг",
          "логистика",
          "обратная логистика",
          "хранение",
          "налог",
          "налоговая база",
          "прочее",
          "выкуп"
        ],
        ...items.map((one, at) => [
          String(itemOf(at)),
          money(one.unitCost),
          money(one.packaging),
          percent(one.commission),
          percent(one.inPromo),
          percent(one.acquiring),
          money(one.out),
          money(one.back),
          money(one.storage),
          percent(one.tax),
          one.isOnProfit === undefined ? "" : one.isOnProfit ? "прибыль" : "доход",
          money(one.extra),
          percent(one.stated)
        ])
      ].map((cells, at) => ({ line: at + 1, cells }))
    }
  }
})

const policy = (bound: string) => ({
  path: "rules/join.yaml",
  text: `version: 1
name: Join
mode: approve
each: promotion_item
where: promotion.type = regular
when: margin_at_plan_price >= ${bound}
do: enrol
max_unknown: 100%
`
})

const planPrice = ({ planShare, price }: Item) =>
  price === undefined ? undefined : Math.max(1, Math.round((price * planShare) / 100))

/** Facts as the marketplace would answer them. */
const gathered = (items: ReadonlyArray<Item>, rules: ReturnType<typeof Load.check>["ruleSet"]) => {
  const clusters = Table.make("cluster")
  const settled = Window.last(30, 30)
  const pace = Window.last(14)
  const set = (
    target: Parameters<typeof clusters.setFor>[0],
    key: string,
    value: number | string | boolean | undefined
  ) => clusters.setFor(target, key, value === undefined ? Cells.unknown("failed") : Cells.known(value))
  const at = (id: string, window: Window.Window) => Table.factKey({ id, window })
  for (const [number, one] of items.entries()) {
    const itemId = itemOf(number)
    const row = { promotionId, itemId }
    clusters.addKey(row)
    set(row, "promotion.name", "Sale")
    set(row, "promotion.type", "regular")
    set(row, "promotion.ends_in", 1e9)
    set(row, "promotion.starts_in", 1e8)
    set(row, "promotion_item.in_action", false)
    set(row, "promotion_item.price", one.price)
    set(row, "promotion_item.plan_price", planPrice(one))
    set({ itemId }, at("item.buyouts", settled), one.bought)
    set({ itemId }, at("item.all_orders", settled), one.ordered)
    set({ itemId }, at("item.all_orders", pace), one.orders)
    if (one.isAdvertised) {
      const pair = { campaignId: CampaignId.make(700 + number), itemId }
      clusters.addKey(pair)
      set(pair, at("campaign_item.spend", pace), one.spend)
    }
  }
  const rows = clusters.view("promotion_item")
  OwnFacts.enter(
    OwnFacts.tablesOf(rules!, () => true),
    clusters,
    rows.rows,
    Example.now
  )
  return rows
}

const zero = of(0n, 1n)
const whole = (kopecks: number) => of(BigInt(kopecks), 1n)
const rate = (millionths: number) => of(BigInt(millionths), 1_000_000n)

/** The margin at the plan price, or undefined where a term is. */
const margin = (one: Item): Fraction | undefined => {
  const p = planPrice(one)
  const ad = adCost(one)
  const kept = one.stated ?? keptOf(one)
  const { acquiring, back, extra, inPromo, isOnProfit, out, packaging, storage, tax, unitCost } = one
  const all = [
    p,
    ad,
    kept,
    acquiring,
    back,
    extra,
    inPromo,
    isOnProfit,
    out,
    packaging,
    storage,
    tax,
    unitCost
  ]
  if (all.includes(undefined) || kept === 0) return undefined
  if (ad === Number.POSITIVE_INFINITY) return of(-1_000_000n, 1n)
  const b = rate(kept!)
  const costs = Fractions.sum([
    ...[unitCost!, packaging!, storage!, extra!, out!].map(whole),
    Fractions.times(whole(p!), rate(inPromo! + acquiring!)),
    Fractions.times(Fractions.over(Fractions.minus(of(1n, 1n), b), b), whole(out! + back!)),
    Fractions.over(whole(ad!), b)
  ])
  const gross = Fractions.minus(whole(p!), costs)
  const base = isOnProfit ? (Fractions.isBelow(gross, zero) ? zero : gross) : whole(p!)
  return Fractions.over(Fractions.minus(gross, Fractions.times(base, rate(tax!))), whole(p!))
}

/** The rule's facts round shares down and costs up, to what people read: the reference begins at these. */
const keptOf = ({ bought, ordered }: Item) =>
  bought === undefined || ordered === undefined || ordered === 0
    ? undefined
    : Number((BigInt(Math.min(bought, ordered)) * 1_000_000n) / BigInt(ordered))

/** Orders are asked for even where nothing was spent: a term that did not arrive is unknown. */
const adCost = ({ isAdvertised, orders, spend }: Item) => {
  const spent = isAdvertised ? spend : 0
  if (orders === undefined || spent === undefined) return undefined
  if (spent === 0) return 0
  return orders === 0
    ? Number.POSITIVE_INFINITY
    : Number((BigInt(spent) + BigInt(orders) - 1n) / BigInt(orders))
}

/** The items that a plan would file. */
const planned = (items: ReadonlyArray<Item>, boundPercent: number): ReadonlyArray<number> => {
  const { diagnostics, ruleSet } = Load.check([policy(`${boundPercent}%`), tableOf(items)])
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  const rules = ruleSet!
  const rows = gathered(items, rules)
  const plan = Decide.plan({
    account: "shop",
    currency: "RUB",
    nowMs: Example.now,
    zone: Example.around.zone,
    rules,
    gathered: rules.policies.map((one) => Example.matched(one, rows)),
    slots: new Map(),
    calls: {}
  })
  return plan.changes.map(({ subject }) => subject.itemId!).sort((a, b) => a - b)
}

/** A plan price of a third of the price or less is left alone whatever it earns. */
const isQuarantined = (one: Item) => (planPrice(one) ?? 0) * 3 <= (one.price ?? 0)

describe("items whose margin meets the rule", () => {
  it("are exactly those that are filed, and none of which a term is unknown", () => {
    let met = { filed: 0, unknown: 0, below: 0 }
    fc.assert(
      fc.property(
        fc.array(item(3), { minLength: 1, maxLength: 12 }),
        fc.constantFrom(0.01, 5, 12.5, 18, 25.25, 40),
        (items, bound) => {
          const threshold = of(BigInt(Math.round(bound * 100)), 10_000n)
          const margins = items.map(margin)
          const wanted = items.flatMap((one, at) => {
            const own = margins[at]
            return own === undefined || Fractions.isBelow(own, threshold) || isQuarantined(one)
              ? []
              : [itemOf(at)]
          })
          const unknown = margins.filter((one) => one === undefined).length
          met = {
            filed: met.filed + wanted.length,
            unknown: met.unknown + unknown,
            below: met.below + items.length - wanted.length - unknown
          }
          expect(planned(items, bound)).toEqual(wanted)
        }
      ),
      { numRuns: Depth.cases(600) }
    )
    expect(Object.values(met).every((count) => count > 20)).toBe(true)
  })

  it("are filed at exactly the bound, and not a kopeck of cost above it", () => {
    const even: Item = {
      price: 100_000,
      planShare: 100,
      unitCost: 45_000,
      packaging: 1_000,
      commission: 170_000,
      inPromo: 170_000,
      acquiring: 15_000,
      out: 5_000,
      back: 5_000,
      storage: 500,
      tax: 60_000,
      isOnProfit: false,
      extra: 6_000,
      stated: 1_000_000,
      bought: 0,
      ordered: 0,
      orders: 0,
      spend: 0,
      isAdvertised: false
    }
    expect(planned([even, { ...even, unitCost: 45_001 }, { ...even, unitCost: 44_999 }], 18)).toEqual([
      1001, 1003
    ])
  })

  it("are none where one term is unknown, whichever it is", () => {
    const fine: Item = {
      price: 100_000,
      planShare: 90,
      unitCost: 100,
      packaging: 1,
      commission: 10_000,
      inPromo: 10_000,
      acquiring: 15_000,
      out: 100,
      back: 100,
      storage: 5,
      tax: 60_000,
      isOnProfit: true,
      extra: 1,
      stated: undefined,
      bought: 90,
      ordered: 100,
      orders: 10,
      spend: 10,
      isAdvertised: true
    }
    expect(planned([fine], 18)).toEqual([1001])
    const terms = [
      "price",
      "unitCost",
      "packaging",
      "inPromo",
      "acquiring",
      "out",
      "back",
      "storage",
      "tax",
      "isOnProfit",
      "extra",
      "bought",
      "ordered",
      "orders",
      "spend"
    ] as const
    for (const term of terms) expect(planned([{ ...fine, [term]: undefined }], 18), term).toEqual([])
    expect(planned([{ ...fine, commission: undefined }], 18)).toEqual([1001])
    expect(Economics.terms.length).toBe(13)
  })
})
