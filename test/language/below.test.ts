import { describe, expect, it } from "vitest"
import * as Window from "../../src/domain/Window.js"
import * as FactRefs from "../../src/engine/facts/FactRefs.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Condition } from "../../src/engine/language/Policy.js"
import { condition, policy, problems } from "./Rules.js"

const per = (each: string, when: string, more = "window: 7d", action = "pause"): string =>
  `version: 1\nname: a\neach: ${each}\n${more}\nwhen:\n  - ${when}\ndo: ${action}\n`

const ofCampaigns = (when: string): Condition => policy(per("campaign", when)).rules[0]!.when[0]!.condition

describe("all(…) and any(…)", () => {
  it("ask about the items of a campaign, with the words of those rows", () => {
    expect(ofCampaigns("all(item.stock_days < 3)")).toMatchObject({
      _tag: "Quantified",
      quantifier: "all",
      over: "campaign_item",
      condition: { _tag: "Compare", left: { _tag: "Fact", fact: { id: "item.stock_days" } } }
    })
    expect(ofCampaigns("any(spend >= 500 ₽ and orders = 0)")).toMatchObject({
      quantifier: "any",
      condition: {
        all: [
          { left: { fact: { id: "campaign_item.spend", window: Window.last(7) } } },
          { left: { fact: { id: "campaign_item.orders" } } }
        ]
      }
    })
  })

  it("stand beside other conditions, negated or not, and keep contains any as it was", () => {
    expect(ofCampaigns("not any(item.stock > 0) or spend > 5000 ₽")).toMatchObject({
      any: [{ _tag: "Not", condition: { _tag: "Quantified" } }, { _tag: "Compare" }]
    })
    expect(condition('query contains any ["a", "b"]')).toMatchObject({ _tag: "Contains" })
  })

  it("are refused where rows have none below, and where a value belongs", () => {
    const [found] = problems(per("campaign_item", "all(bid > 90 ₽)"))
    expect(found).toBe("E21@6")
    expect(problems(per("campaign", "all(spend) > 5 ₽"))).toContain("E11@6")
    expect(problems(per("campaign", "all(orders)"))).toEqual(["E11@6"])
    expect(problems(per("campaign", "all(orders > 1"))).toEqual(["E09@6"])
  })

  it("know the words of the rows below only", () => {
    expect(problems(per("campaign", "all(budget > 5 ₽)"))).toEqual([])
    expect(problems(per("campaign", 'all(query = "a")'))).toEqual(["E02@6"])
    expect(problems(per("campaign", "all(vews > 5)"))).toEqual(["E01@6"])
  })
})

describe("facts of an item as such", () => {
  it("serve rows per item in a campaign and per cluster under the same words", () => {
    expect(Vocabulary.resolve("item.price", "cluster")?.level).toBe("item")
    expect(Vocabulary.resolve("item.price", "item")?.level).toBe("item")
    expect(Vocabulary.resolve("item.price", "campaign")).toBeUndefined()
  })

  it("leave item.spend what it was: the statistic of the item in its campaign", () => {
    expect(Vocabulary.resolve("item.spend", "cluster")?.id).toBe("campaign_item.spend")
    expect(Vocabulary.resolve("item.spend", "item")).toBeUndefined()
  })

  it("resolve every word that is offered for a level", () => {
    for (const level of ["account", "campaign", "item", "campaign_item", "cluster"] as const) {
      for (const word of Vocabulary.words(level)) {
        expect([level, word, Vocabulary.resolve(word, level)?.id]).not.toContain(undefined)
      }
    }
  })
})

describe("formulas", () => {
  it("hand their window down to every statistic they are made of", () => {
    const condition = policy(per("campaign", "any(item.drr[14d] > 20%)")).rules[0]!.when[0]!.condition
    expect(FactRefs.ofCondition(condition)).toEqual([
      { id: "campaign_item.spend", window: Window.last(14) },
      { id: "item.all_revenue", window: Window.last(14) }
    ])
  })

  it("are each of the type that the vocabulary says", () => {
    for (const { formula, id, level, type, windowed, word } of Vocabulary.facts) {
      if (formula === undefined || id === "item.romi" || level === "account") continue
      const amount = type._tag === "Money" ? "5 ₽" : type._tag === "Ratio" ? "5%" : "5"
      const asked = `${word}${windowed ? "[7d]" : ""} > ${amount}`
      const written = level === "promotion_item" ? asked : `any(${asked})`
      const each = level === "promotion_item" ? "promotion_item" : "campaign"
      const found = policy(per(each, written, "", each === "campaign" ? "pause" : "enrol")).rules[0]!.when[0]!
        .condition
      const compared = found._tag === "Quantified" ? found.condition : found
      expect(compared).toMatchObject({ left: { _tag: "Derived", type, of: { type } } })
    }
  })

  it("need a window, and one that the history holds", () => {
    expect(problems(per("campaign", "any(item.drr > 20%)", "cooldown: 6h"))).toEqual(["E17@6"])
    expect(problems(per("campaign", "any(item.drr[90d] > 20%)"))).toEqual(["K08@6"])
  })

  it("are compared with the days before as any statistic is", () => {
    const condition = policy(per("campaign", "any(change(item.drr, 7d) > 20%)")).rules[0]!.when[0]!.condition
    expect(FactRefs.ofCondition(condition).map(({ id, window }) => [id, window])).toEqual(
      [Window.last(7), Window.last(7, 7), Window.last(7, 7)].flatMap((window) => [
        ["campaign_item.spend", window],
        ["item.all_revenue", window]
      ])
    )
  })

  it("use the seller's own facts where a table declares them", () => {
    const facts = {
      path: "rules/_shared/cost.yaml",
      text: "version: 1\nkind: facts\nsource: {csv: ../../data/cost.csv}\njoin: item.id = nm\nfields: {item.cost: {column: cost, type: money}}\n"
    }
    const rule = { path: "rules/a.yaml", text: per("campaign", "any(item.romi < -20%)") }
    const { diagnostics, ruleSet } = Load.check([facts, rule])
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([])
    expect(FactRefs.ofPolicy(ruleSet!.policies[0]!).some(({ id }) => id.includes("cost"))).toBe(true)
  })

  it("say which fact of the seller's own they lack", () => {
    expect(problems(per("campaign", "any(item.romi < 0%)"))).toEqual(["E02@6"])
  })
})

describe("sum(…)", () => {
  it("adds up counts and money of the rows below", () => {
    expect(ofCampaigns("sum(spend) > 500 ₽")).toMatchObject({
      left: {
        _tag: "Sum",
        at: "campaign",
        over: "campaign_item",
        of: { fact: { id: "campaign_item.spend" } }
      }
    })
  })

  it("refuses what does not add up", () => {
    expect(problems(per("campaign", "sum(ctr) > 5%"))).toEqual(["E11@6"])
    expect(problems(per("campaign", "sum(5) > 5"))).toEqual(["E11@6"])
    expect(problems(per("cluster", "sum(orders) > 5").replace("do: pause", "do: add_minus"))).toEqual([
      "E21@6"
    ])
  })
})
