/** What can be below zero may be asked whether it is. */
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"

const codes = (each: string, when: string, ...more: ReadonlyArray<Load.File>): ReadonlyArray<string> => {
  const text = `version: 1\nname: a\neach: ${each}\nmode: preview\nwindow: 7d\nwhen: ${when}\ndo: {notify: "a"}\n`
  return Load.check([{ path: "rules/a.yaml", text }, ...more]).diagnostics.map(
    ({ code, severity }) => `${severity} ${code}`
  )
}

it.each([
  "promotion.starts_in < 0h",
  "promotion.starts_in >= 0h",
  "promotion.starts_in > -2h",
  "promotion.ends_in < 0h"
])("times until a promotion's days, which may be over: %s", (when) => {
  expect(codes("promotion", when)).toEqual([])
})

it.each([
  ["promotion.starts_in > -2h", [-7_200_000]],
  ["promotion.ends_in between -2d and -1d", [-172_800_000, -86_400_000]],
  ["promotion.starts_in between -12h and 7d", [-43_200_000, 604_800_000]]
])("and keep their sign: %s", (when, values) => {
  const text = `version: 1\nname: a\neach: promotion\nmode: preview\nwhen: ${when}\ndo: {notify: "a"}\n`
  const { diagnostics, ruleSet } = Load.check([{ path: "rules/a.yaml", text }])
  expect(diagnostics).toEqual([])
  const found = JSON.stringify(ruleSet!.policies).matchAll(
    /"_tag":"Literal","type":\{[^}]*\},"value":(-?\d+)/g
  )
  expect([...found].map(([, value]) => Number(value))).toEqual(values)
})

it.each(["profit < 0 ₽", "profit < -10 ₽", "margin < -5%", "profit_per_order >= -1 ₽"])(
  "what an item earns: %s",
  (when) => {
    expect(codes("item", when).filter((code) => /error E/.test(code))).toEqual([])
  }
)

it.each([
  "price_drop < 0%",
  "price_drop >= 0%",
  "price_drop <= -5%",
  "price_drop between -10% and 0%",
  "join_cost <= -5 ₽",
  "-5 ₽ > join_cost"
])("prices that rise in a promotion, and promotions that earn: %s", (when) => {
  expect(codes("promotion_item", when).filter((code) => /error E/.test(code))).toEqual([])
})

it.each(["item.growth < 0%", "item.delta < -3", "item.delta >= 0", "item.net < 0 ₽", "item.net > -5 ₽"])(
  "columns of the seller's own: %s",
  (when) => {
    const own = {
      path: "rules/_shared/own.yaml",
      text: "version: 1\nkind: facts\nsource: {csv: own.csv}\njoin: item.id = nm\nfields:\n  item.growth: {column: g, type: ratio}\n  item.delta: {column: d, type: number}\n  item.net: {column: n, type: money}\n"
    }
    expect(codes("item", when, own).filter((code) => /error E/.test(code))).toEqual([])
  }
)

it("and nothing else", () => {
  expect(codes("cluster", "views < 0")).toContain("error E16")
  expect(codes("cluster", "spend > -5 ₽")).toContain("error E09")
})
