import { describe, expect, it } from "vitest"
import * as ExplainScope from "../../../src/cli/plan/ExplainScope.js"
import { CampaignId, ItemId } from "../../../src/domain/Ids.js"
import * as Load from "../../../src/engine/language/Load.js"

const rules = (when: string) => {
  const text = `version: 1
name: raise
mode: apply
each: campaign_item
where: campaign.payment = cpm
window: 7d
when: ${when}
do:
  raise_bid: {by: 10%, cap: 900 ₽}
`
  const { diagnostics, ruleSet } = Load.check([{ path: "rules/raise.yaml", text }])
  if (ruleSet === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
  return ruleSet
}

const target = { campaignId: CampaignId.make(7), itemId: ItemId.make(11) }
const other = { campaignId: CampaignId.make(8), itemId: ItemId.make(11) }

describe("what is read to explain an item in a campaign", () => {
  it("is all campaigns where its rule adds up what they spent: else it would be told another sum than the plan's", () => {
    for (const when of ["item.drr < 10%", "item.ad_spend < 500 ₽ or not (views > 3)"]) {
      const scope = ExplainScope.scopeOf(rules(when), target)
      expect(scope.hasCampaign(other.campaignId)).toBe(true)
      expect(scope.asks("campaignStats", other)).toBe(true)
      expect(scope.asks("minimumBids", other)).toBe(false)
    }
  })

  it("is its own campaign where its rule asks no more", () => {
    const scope = ExplainScope.scopeOf(rules("views > 3"), target)
    expect(scope.hasCampaign(other.campaignId)).toBe(false)
    expect(scope.asks("campaignStats", other)).toBe(false)
  })
})
