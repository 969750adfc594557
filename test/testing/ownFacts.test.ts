import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Trials from "./Trials.js"

const facts = {
  path: "rules/_shared/cost.yaml",
  text: "version: 1\nkind: facts\nsource: {csv: ../../data/cost.csv}\njoin: item.id = nm\nfields: {item.cost: {column: cost, type: money}}\n"
}
const templates = {
  path: "rules/_shared/templates.yaml",
  text: `version: 1
kind: templates
templates:
  raise-to:
    params: {cap: required}
    each: cluster
    where: campaign.payment = cpm
    window: 7d
    when: [orders >= 3, cpo < item.cost * 50%]
    do:
      raise_bid: {by: 10%, cap: $cap}
`
}
const rule = {
  path: "rules/01-raise.yaml",
  text: "version: 1\nname: Raise\nuse: raise-to\nwith: {cap: 450 ₽}\n"
}
const rules = () => {
  const { diagnostics, ruleSet } = Load.check([facts, templates, rule])
  if (ruleSet === undefined) throw new Error(JSON.stringify(diagnostics))
  return ruleSet
}
const rows = (cost: string) =>
  Trials.oneCase(
    "defaults: {campaign.payment: cpm, orders: 5, cpo: 80 ₽, bid_step.cpm: 1 ₽, min_bid: 50 ₽}",
    "rows:",
    `  - {id: a, bid: 400 ₽, item.cost: ${cost}}`,
    "expect:",
    "  - {id: a, set_bid: 440 ₽}"
  )

describe("a rule test of a policy from a template, with a fact of the seller's", () => {
  it("gives the fact like any other", () => {
    expect(Trials.failures(rows("300 ₽"), rules())).toEqual([])
    expect(Trials.failures(rows("100 ₽"), rules())).not.toEqual([])
    expect(Trials.failures(rows("missing"), rules())).not.toEqual([])
  })
  it("wants it with its unit", () => {
    expect(Trials.problems(rows("300"), rules())).toEqual(["E04@9:40"])
  })
})
