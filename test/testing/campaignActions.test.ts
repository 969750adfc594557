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

  it("takes both in any order, and nothing else", () => {
    const back = rules("spend > 100 ₽", "placements: {recommendations: on}")
    const file = (shown: string) =>
      Trials.oneCase(
        "rows: [{id: a, spend: 300 ₽, campaign.recommendations: no}]",
        `expect: [{id: a, placements: ${shown}}]`
      )
    expect(Trials.failures(file('"recommendations, search"'), back)).toEqual([])
    expect(Trials.failures(file('"search, recommendations"'), back)).toEqual([])
    for (const wrong of ['"off"', "nowhere", "serch", '"search, search"', '"search,"'])
      expect(Trials.problems(file(wrong), back)).toEqual([expect.stringMatching(/^K04@8:3\d$/)])
    expect(Trials.read(file("serch"), back).diagnostics.map(({ message }) => message)).toEqual([
      'placements: cannot be "serch". It says where the campaign is shown then: search, recommendations or "search, recommendations"'
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

describe("an action that is expected in a word of its own", () => {
  const said = (word: string) =>
    Trials.read(
      Trials.oneCase("rows: [{id: a, spend: 300 ₽}]", `expect: [{id: a, do: ${word}}]`)
    ).diagnostics.map(({ code, message }) => `${code} ${message}`)

  it.each([
    ["notify", 'A message is expected by a part of it: notify: "2 000 ₽ left"'],
    ["placements", "Where it is shown then is expected as placements: search"],
    ["deposit", "A deposit is expected as deposit: 2000 ₽"],
    ["raise_bid", "A bid is expected as what it is afterwards: set_bid: 450 ₽"],
    ["set_bid", "A bid is expected as what it is afterwards: set_bid: 450 ₽"],
    ["adjust_bid", "A bid is expected as what it is afterwards: adjust_bid: 528 ₽"]
  ])("says how %s is expected", (word, how) => {
    expect(said(word)).toEqual([`K04 do: cannot be "${word}". ${how}`])
  })

  it("names every way where none is near", () => {
    expect(said("optimise")).toEqual([
      'K04 do: cannot be "optimise". Possible: pause, start, add_minus, remove_minus, enrol. All else has a key of its own: set_bid, adjust_bid, deposit, placements, notify.'
    ])
  })

  it("still guesses what is misspelt", () => {
    expect(said("puase")).toEqual(['K04 do: cannot be "puase". Did you mean pause?'])
  })
})
