import { assert, describe, it } from "vitest"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as FactRefs from "../../src/engine/facts/FactRefs.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Rules from "../language/Rules.js"
import * as Said from "../reporting/Said.js"
import * as Example from "./Example.js"

/** A rule file about clusters: its conditions, one per line, and what to do. */
const file = (when: ReadonlyArray<string>, action = "do: add_minus", more = "") =>
  [
    "version: 1",
    "name: a",
    "mode: apply",
    "each: cluster",
    "where: campaign.payment = cpm and campaign.bid_type = manual",
    "window: 7d",
    "when:",
    ...when.map((one) => `  - ${one}`),
    action,
    more,
    ""
  ].join("\n")

const plan = (text: string, facts: Example.Facts) =>
  Example.plan({ policies: [Rules.policy(text)], rows: [{ target: Example.oneRow[0]!.target, facts }] })

/** What a rule did with the row: the value its reason shows, or why it is undecided, or "no". */
const answer = (when: string, facts: Example.Facts, more = ""): string => {
  const made = plan(file([when], "do: add_minus", more), facts)
  const [change] = made.changes
  if (change !== undefined)
    return change.reason
      .slice(1)
      .map(({ value }) => value)
      .join()
  return made.unknown.map(Said.why).join() || "no"
}

const failed = Cells.unknown("failed")

describe("default and is known", () => {
  it("take what the marketplace does not report for the default", () => {
    assert.strictEqual(answer("orders default 0 = 0", { "cluster.orders@7d": undefined }), "0")
    assert.strictEqual(answer("orders default 0 = 0", { "cluster.orders@7d": 2 }), "no")
    const nothing = { "cluster.spend@7d": 0, "cluster.orders@7d": 0 }
    assert.strictEqual(answer("(spend / orders) default 5 ₽ < 10 ₽", nothing), "5 ₽")
    assert.strictEqual(answer('query default "" contains "x"', { "cluster.query": undefined }), "no")
    assert.strictEqual(answer('query default "xy" contains "x"', { "cluster.query": undefined }), '"xy"')
  })

  it("never take a failed call for the default", () => {
    assert.match(answer("orders default 0 = 0", { "cluster.orders@7d": failed }), /could not be fetched/)
    assert.match(answer("orders is not known", { "cluster.orders@7d": failed }), /could not be fetched/)
    assert.match(
      answer('query default "x" contains "x"', { "cluster.query": failed }),
      /could not be fetched/
    )
  })

  it("tell what the marketplace has from what it has not", () => {
    assert.strictEqual(answer("orders is known", {}), "5")
    assert.strictEqual(answer("orders is known", { "cluster.orders@7d": undefined }), "no")
    assert.match(answer("orders is not known", { "cluster.orders@7d": undefined }), /did not report/)
    assert.strictEqual(answer("orders is not known", {}), "no")
    assert.strictEqual(answer("query is not known", { "cluster.query": "кеды" }), "no")
  })
})

describe("min and max", () => {
  it("take the smallest and the largest, and are unknown with any part", () => {
    assert.strictEqual(answer("min(orders, 3) = 3", {}), "3")
    assert.strictEqual(answer("max(orders, 3, clicks) > 8", { "cluster.clicks@7d": 9 }), "9")
    assert.match(answer("max(orders, clicks) > 1", { "cluster.clicks@7d": undefined }), /did not report/)
  })

  it("bound a bid", () => {
    const action = "do:\n  raise_bid:\n    by: 50%\n    cap: min(450 ₽, min_bid * 3)"
    const change = Example.onlyChange(plan(file(["orders >= 3"], action), {}))
    assert.strictEqual(change.after, 45_000)
    const lower = Example.onlyChange(plan(file(["orders >= 3"], action), { "campaign_item.min_bid": 14_000 }))
    assert.strictEqual(lower.after, 42_000)
  })
})

describe("windows", () => {
  it("compare a week with the week before", () => {
    const facts = { "cluster.orders@7d": 5, "cluster.orders@7d-7d": 4 }
    assert.strictEqual(answer("orders[7d before 7d] < orders", facts), "4 < 5")
    assert.strictEqual(answer("change(orders, 7d) > 20%", facts), "25%")
    assert.strictEqual(answer("change(orders, 7d) < -20%", facts), "no")
    assert.strictEqual(
      answer("change(orders, 7d) = -20%", { ...facts, "cluster.orders@7d-7d": 6.25 }),
      "-20%"
    )
  })

  it("have no change from nothing to nothing, and an infinite one from nothing to something", () => {
    const from = (before: number, now: number) =>
      answer("change(orders, 7d) > 20%", { "cluster.orders@7d": now, "cluster.orders@7d-7d": before })
    assert.match(from(0, 0), /both numbers are zero/)
    assert.strictEqual(from(0, 1), "infinite")
  })

  it("settle on both sides of a change", () => {
    const facts = { "cluster.orders@7d-1d": 6, "cluster.orders@7d-8d": 4 }
    assert.strictEqual(answer("change(orders, 7d, settle 1d) > 20%", facts), "50%")
  })

  it("are all named to the planner", () => {
    const text = file(["change(ctr, 7d) < -20%", "cr[14d] > 5% with 95% confidence", "carts default 0 > 1"])
    assert.deepStrictEqual([...new Set(FactRefs.ofPolicy(Rules.policy(text)).map(Table.factKey))].sort(), [
      "campaign.bid_type",
      "campaign.payment",
      "cluster.carts@7d",
      "cluster.clicks@14d",
      "cluster.ctr@7d",
      "cluster.ctr@7d-7d",
      "cluster.orders@14d"
    ])
  })
})

describe("confidence", () => {
  const below = (clicks: number | undefined, views: number) =>
    answer("ctr < 1% with 99% confidence", {
      "cluster.clicks@7d": clicks,
      "cluster.views@7d": views,
      "cluster.ctr@7d": clicks === undefined ? undefined : clicks / views
    })

  it("acts from the view on that proves it, and shows what it counted", () => {
    assert.strictEqual(below(0, 458), "no")
    assert.strictEqual(below(0, 459), "0% (0 clicks of 459 views; needs 459)")
    assert.strictEqual(below(1, 700), "0.14% (1 clicks of 700 views; needs 662)")
    assert.match(below(undefined, 700), /did not report/)
  })

  it("proves a rate above a bound as well", () => {
    const above = (orders: number) =>
      answer("cr > 5% with 95% confidence", {
        "cluster.orders@7d": orders,
        "cluster.clicks@7d": 50,
        "cluster.cr@7d": orders / 50
      })
    assert.strictEqual(above(5), "no")
    assert.strictEqual(above(6), "12% (6 orders of 50 clicks; needs at most 53)")
  })

  it("takes a computed bound", () => {
    const facts = { "cluster.clicks@7d": 0, "cluster.views@7d": 299, "cluster.ctr@7d": 0 }
    const half = "ctr < campaign.ctr * 50% with 95% confidence"
    assert.strictEqual(
      answer(half, { ...facts, "campaign.ctr@7d": 0.02 }),
      "0% (0 clicks of 299 views; needs 299)"
    )
    assert.strictEqual(answer(half, { ...facts, "campaign.ctr@7d": 0.0199 }), "no")
    assert.match(answer(half, { ...facts, "campaign.ctr@7d": undefined }), /did not report/)
  })
})

describe("variables", () => {
  it("decide like their values, and the reason shows them", () => {
    const more = "vars: {few: 5, brand: [nike, кеды]}"
    assert.strictEqual(answer("orders >= $few", {}, "vars: {few: 5}"), "5 >= 5")
    assert.strictEqual(
      answer("orders >= $few and query contains any $brand", { "cluster.query": "КЕДЫ" }, more),
      '5 >= 5 and "КЕДЫ"'
    )
    assert.strictEqual(
      answer("orders >= $few and query contains any $brand", { "cluster.query": "боты" }, more),
      "no"
    )
  })

  it("bound actions", () => {
    const action = "do:\n  raise_bid: {by: $step, cap: $most}"
    const change = Example.onlyChange(
      plan(file(["orders >= 3"], action, "vars: {step: 50%, most: 450 ₽}"), {})
    )
    assert.deepStrictEqual([change.after, change.clamps.map(({ by }) => by)], [45_000, ["cap"]])
  })
})
