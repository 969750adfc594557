/** A campaign that somebody ends between a plan and its sending takes no change any more, and none is sent. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import { status } from "../../src/sandbox/market/Blueprint.js"
import * as Scenario from "../scenario/Scenario.js"

const raise = {
  path: "rules/raise.yaml",
  text: `version: 1
name: raise
mode: apply
each: campaign_item
where: [campaign.payment = cpm, campaign.status = active]
when: bid > 1 ₽
do:
  raise_bid: {by: 1%, cap: 9000 ₽}
cooldown: 1h
`
}

it("is seen by the last look where its campaign is read, and the others go", () =>
  Scenario.run({ rules: [raise] }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const campaigns = [
        ...new Set(
          planned.reviewed.plan.changes.filter(isOfCampaign).map(({ subject }) => subject.campaignId)
        )
      ]
      expect(campaigns.length).toBeGreaterThan(1)
      const [ended] = campaigns
      world.edit({ campaignId: ended!, status: status.completed })
      const { rows } = yield* world.apply(planned)
      for (const row of rows)
        expect([row.state, row.reason?.code, Reasons.ofRow(row)]).toEqual(
          row.change.subject.campaignId === ended
            ? ["skipped", "closed", "not sent: its campaign is completed, and takes no changes"]
            : ["applied", "read_back", "read back"]
        )
      expect(new Set(world.ledger().map(({ target }) => target.campaignId))).toEqual(
        new Set(campaigns.slice(1))
      )
      expect(world.sandbox.ledger.counters.get("setItemBids")?.clientErrors).toBe(0)
    })
  ))
