/** What can be below zero can be given below zero to the rows of a test. */
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Trials from "./Trials.js"

const own = {
  path: "rules/_shared/own.yaml",
  text: "version: 1\nkind: facts\nsource: {csv: own.csv}\njoin: item.id = nm\nfields:\n  item.corr: {column: c, type: money}\n  item.delta: {column: d, type: ratio}\n  item.score: {column: s, type: number}\n  item.age: {column: a, type: count}\n"
}

const rules = (each: string, when: string) => {
  const text = `version: 1\nname: a\nmode: preview\neach: ${each}\nwhen: ${when}\ndo: {notify: "sunk"}\n`
  const { diagnostics, ruleSet } = Load.check([{ path: "rules/01-raise.yaml", text }, own])
  if (ruleSet === undefined) throw new Error(JSON.stringify(diagnostics))
  return ruleSet
}

const sunk = (fact: string, value: string) =>
  Trials.oneCase(`rows: [{id: a, ${fact}: ${value}}]`, "expect: [{id: a, notify: sunk}]")

it.each([
  ["promotion", "promotion.starts_in < 0h", "promotion.starts_in", "-1h"],
  ["promotion", "promotion.ends_in < 0h", "promotion.ends_in", "-2d"],
  ["promotion_item", "price_drop < -4%", "price_drop", "-5%"],
  ["item", "item.corr < -11 ₽", "item.corr", "-12 ₽"],
  ["item", "item.delta < -4%", "item.delta", "-5%"],
  ["item", "item.score < -2", "item.score", "-2.5"]
])("rows per %s, %s: %s may be %s", (each, when, fact, value) => {
  expect(Trials.failures(sunk(fact, value), rules(each, when))).toEqual([])
  const above = Trials.oneCase(`rows: [{id: a, ${fact}: ${value.slice(1)}}]`, "expect: []")
  expect(Trials.failures(above, rules(each, when))).toEqual([])
})

it("keeps the minus where the unit is missing", () => {
  const said = Trials.read(sunk("item.corr", "-12"), rules("item", "item.corr < -11 ₽")).diagnostics
  expect(said.map(({ code, fix }) => `${code} ${fix}`)).toEqual(["E04 -12 ₽"])
})

it("refuses it of everything else", () => {
  const said = Trials.read(sunk("item.age", "-5"), rules("item", "item.age > 3")).diagnostics
  expect(said.map(({ code, fix }) => `${code} ${fix}`)).toEqual(["E09 5"])
})
