/** What an order leaves, for `optimise`, is before advertising: what has it in it already would be counted twice. */
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import { problems } from "./Rules.js"

const found = (margin: string) =>
  problems(
    `version: 1\nname: a\neach: campaign\nwindow: 7d\ndo:\n  optimise: {margin: "${margin}", budget: 900 ₽, cap: {cpm: 9 ₽, cpc: 4 ₽}}\n`
  ).filter((one) => one.startsWith("K"))

it.each(["margin", "profit", "profit * 2", "item.price * 50% - cpo", "max(profit_per_order, profit)"])(
  "is not %s",
  (margin) => expect(found(margin)).toEqual(["K45@6"])
)

it.each([
  ["0.25", "25%"],
  ["25", "25%"],
  ["0.05", "5%"]
])("of %s is advised to be %s, as any other option of optimise is", (bare, share) => {
  const fixes = Load.check([
    {
      path: "rules/a.yaml",
      text: `version: 1\nname: a\neach: campaign\ndo:\n  optimise: {margin: ${bare}, budget: 900 ₽, cap: {cpm: 9 ₽}, drr: ${bare}}\n`
    }
  ]).diagnostics.flatMap(({ code, fix }) => (code === "E03" ? [fix] : []))
  expect(fixes).toEqual([share, share])
})

it.each(["25%", "120 ₽", "profit_per_order", "profit_per_order - 10 ₽", "item.price * 30%"])(
  "is %s",
  (margin) => expect(found(margin)).toEqual([])
)
