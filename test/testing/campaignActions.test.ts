import { describe, expect, it } from "vitest"
import * as Trials from "./Trials.js"

const rules = (when: string, action: string) =>
  Trials.rules(`version: 1
name: a
each: campaign
window: 7d
when: ${when}
do:
  ${action}
limits: {money_per_day: 6000 ₽}
`)

describe("a test of a deposit", () => {
  const topUp = rules("budget < 500 ₽", "deposit: {amount: 2000 ₽, from: balance}")
  const file = (amount: string) =>
    Trials.oneCase(
      "defaults: {balance: 9000 ₽}",
      "rows: [{id: a, budget: 300 ₽}, {id: b, budget: 900 ₽}, {id: c, budget: 300 ₽, balance: missing}]",
      `expect: [{id: a, deposit: ${amount}}]`,
      "undecided: [c]"
    )

  it("names the amount", () => {
    expect(
      Trials.failures(
        file("2000 ₽")
          .replace(", {id: c, budget: 300 ₽, balance: missing}", "")
          .replace("    undecided: [c]\n", ""),
        topUp
      )
    ).toEqual([])
  })

  it("fails on another amount", () => {
    const text = file("3000 ₽")
      .replace(", {id: c, budget: 300 ₽, balance: missing}", "")
      .replace("    undecided: [c]\n", "")
    expect(Trials.failures(text, topUp)).toEqual(["a: a deposit of 3 000 ₽ / a deposit of 2 000 ₽"])
  })
})

describe("a test of placements", () => {
  const off = rules("spend > 100 ₽", "placements: {recommendations: off}")

  it("names where the campaign is shown then", () => {
    const file = (shown: string) =>
      Trials.oneCase(
        "rows: [{id: a, spend: 300 ₽}, {id: b, spend: 50 ₽}]",
        `expect: [{id: a, placements: ${shown}}]`
      )
    expect(Trials.failures(file("search"), off)).toEqual([])
    expect(Trials.failures(file("recommendations"), off)).toEqual([
      "a: shown in recommendations / shown in search"
    ])
  })
})

describe("a test of a message", () => {
  const tell = rules("spend > 100 ₽", 'notify: "{campaign.name}: {spend} spent"')
  const file = (expected: string) =>
    Trials.oneCase("rows: [{id: a, spend: 300 ₽}, {id: b, spend: 50 ₽}]", `expect: [${expected}]`)

  it("names part of the text", () => {
    expect(Trials.failures(file('{id: a, notify: "300 ₽ spent"}'), tell)).toEqual([])
  })

  it("fails on another text, and on a message that nobody expects", () => {
    expect(Trials.failures(file('{id: a, notify: "400 ₽"}'), tell)).toEqual([
      expect.stringMatching(/^a: told: 400 ₽ \/ told: Campaign \d+: 300 ₽ spent$/)
    ])
    expect(Trials.failures(file(""), tell)).toEqual([
      expect.stringMatching(/^a: no change \(the row is not listed\) \/ told: /)
    ])
  })
})
