/** A dash between two written values is a range as likely as a difference: it is told, and never taken for either. */
import { describe, expect, it } from "vitest"
import * as Mend from "../../src/engine/language/format/Mend.js"
import * as Load from "../../src/engine/language/Load.js"
import { around, codes } from "./Rules.js"

const campaigns = (when: string, action = "pause") =>
  `version: 1\nname: a\neach: campaign\nwindow: 7d\nwhen:\n  - ${when}\ndo: ${action}\n`
const bids = (option: string) =>
  `version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders = 0\ndo:\n  lower_bid: {by: 10%, ${option}}\n`
const told = (path: string, text: string) => {
  const { diagnostics, ruleSet } = Load.check([{ path, text }])
  expect(ruleSet).toBeUndefined()
  expect(Mend.mend([{ path, text }]).files[0]?.text).toBe(text)
  return diagnostics.filter(({ code }) => code === "E07").map(({ fix, message }) => [message, fix])
}

describe.each(["-", "–", "—", "−", " - ", " – "])("a range written with %j", (dash) => {
  it.each([
    ["campaign.id not in", "1000001", "1000004"],
    ["campaign.id in", "1000001", "1000004"]
  ])("after %s is a list of which each value must be written", (field, low, high) => {
    const range = `${low}${dash}${high}`
    const message = `A list names each value: write every one that "${range}" means.`
    expect(told("rules/a.yaml", campaigns(`${field} [${range}]`))).toEqual([[message, undefined]])
    expect(told("rules/a.yaml", campaigns(`${field} [7, ${range}, 8]`))).toEqual([[message, undefined]])
  })

  it.each([
    ["hour >=", "18", "23", "18"],
    ["orders >=", "3", "5", "3"],
    ["orders between", "3", "5", "3"],
    ["cr >=", "2%", "3%", "2%"],
    ["cr >=", "2", "3%", "2%"],
    ["spend >", "100", "300 ₽", "100 ₽"]
  ])("after %s is written with between", (field, low, high, first) => {
    const range = `${low}${dash}${high}`
    const message = `"${range}" may be a range or a difference. Write between ${first} and ${high}, or what it comes to.`
    expect(told("rules/a.yaml", campaigns(`${field} ${range}`))).toEqual([[message, undefined]])
  })

  it("is no amount", () => {
    const message = `One value stands here, not "120 ₽${dash}150 ₽": 120 ₽ or 150 ₽.`
    expect(told("rules/a.yaml", bids(`floor: 120 ₽${dash}150 ₽`))).toEqual([[message, undefined]])
  })

  it("protects no campaign that it does not name", () => {
    const text = `version: 1\nkind: limits\naccount:\n  never_touch: campaign.id in [1000001${dash}1000004]\n`
    expect(told("rules/_shared/limits.yaml", text)).toHaveLength(1)
  })

  it("is no variable", () => {
    const text = `version: 1\nkind: vars\nvars:\n  own: [1000001${dash}1000003]\n  most: 300 ₽${dash}90 ₽\n`
    expect(told("rules/_shared/vars.yaml", text)).toHaveLength(2)
  })
})

describe("a dash", () => {
  it.each([
    "orders - 3 > 0",
    "orders * 2 - 3 > 0",
    "(orders default 0) - 3 > 0",
    "change(orders, 7d) < -20%"
  ])("in %s is a minus", (when) => expect(codes(when)).toEqual([]))

  it.each([
    ["orders – 3 > 0", "orders - 3 > 0"],
    ["spend − bid > 0 ₽", "spend - bid > 0 ₽"]
  ])("behind a field, %s, becomes one", (wrong, right) => {
    const { files } = Mend.mend([{ path: "rules/a.yaml", text: around(wrong) }])
    expect(files[0]?.text).toBe(around(right))
  })

  it.each(["hour >= $from–$to", "hour >= $from–23", "hour >= 18–$to", "orders default 0–5 > 3"])(
    "between variables, %s, is not mended",
    (when) => {
      const text = `${campaigns(when)}vars: {from: 18, to: 23}\n`
      expect(told("rules/a.yaml", text)).toHaveLength(1)
    }
  )
})
