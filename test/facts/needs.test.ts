import { assert, describe, it } from "vitest"
import * as Window from "../../src/domain/Window.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Needs from "../../src/engine/facts/Needs.js"
import type { AccountLimits } from "../../src/engine/language/Policy.js"
import {
  addMinus,
  clause,
  compare,
  fact,
  literal,
  ordersAtLeast,
  pause,
  policy,
  raiseBid,
  rub,
  rules
} from "../decide/Example.js"

const none: AccountLimits = rules([]).limits
const active = clause(
  "campaign.status = active",
  compare(fact("campaign.status"), "=", literal("active", FactType.text))
)
const scarce = clause(
  "bid < recommended.reach_max",
  compare(fact("cluster.bid"), "<", fact("cluster.recommended.reach_max"))
)

describe("what a policy needs", () => {
  it("comes in stages by cost, each clause with its most expensive fact", () => {
    const one = policy("01", raiseBid(), { where: [active], when: [scarce, ordersAtLeast(3)] })
    assert.deepStrictEqual(Needs.of(one, none), {
      rowSource: "clusters",
      stages: [
        { cost: "local", sources: [{ source: "campaigns" }], where: [0], rules: [[]] },
        {
          cost: "batched",
          sources: [{ source: "clusterStats", window: Window.last(7) }],
          where: [],
          rules: [[1]]
        },
        {
          cost: "scarce",
          sources: [{ source: "clusterBids" }, { source: "recommendations" }],
          where: [],
          rules: [[0]]
        }
      ],
      actionSources: [{ source: "promotionConfig" }, { source: "minimumBids" }]
    })
  })

  it("puts every clause into exactly one stage", () => {
    const one = policy("01", raiseBid(), {
      where: [active, scarce],
      when: [scarce, ordersAtLeast(3), active]
    })
    const { stages } = Needs.of(one, none)
    assert.deepStrictEqual(stages.flatMap((stage) => stage.where).sort(), [0, 1])
    assert.deepStrictEqual(stages.flatMap((stage) => stage.rules[0]!).sort(), [0, 1, 2])
  })

  it("asks about never_touch and campaign limits first of all", () => {
    const budget = clause("budget > 0 ₽", compare(fact("campaign.budget"), ">", rub(0)))
    const limits = { ...none, neverTouch: [budget] }
    const one = policy("07", pause, { each: "campaign", when: [active] })
    assert.deepStrictEqual(Needs.of(one, limits), {
      rowSource: "campaigns",
      stages: [
        { cost: "local", sources: [{ source: "campaigns" }, { source: "budgets" }], where: [], rules: [[0]] }
      ],
      actionSources: []
    })
  })

  it("reads what only the action looks at for matched rows alone", () => {
    assert.deepStrictEqual(Needs.of(policy("02", addMinus()), none).actionSources, [
      { source: "minusPhrases" }
    ])
    const toward = raiseBid({ toward: fact("cluster.recommended.reach_max") })
    assert.deepStrictEqual(
      Needs.of(policy("01", toward), none).actionSources.map((need) => need.source),
      ["promotionConfig", "clusterBids", "minimumBids", "recommendations"]
    )
  })
})
