/** What disappears between a plan and its application costs its own changes, and no other. The ledger is the judge. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"
import { withPermit } from "./FakeMarketplace.js"

const rules = [
  {
    path: "rules/bids.yaml",
    text: `version: 1
name: bids
mode: apply
each: campaign_item
where:
  - campaign.name matches "Поиск*"
  - campaign.payment = cpm
when: campaign.status = active
do:
  set_bid: {to: 180 ₽, cap: 180 ₽}
`
  }
]

type Gone = Target.Pair

const story = (
  meanwhile: (world: Scenario.World, gone: Gone) => Effect.Effect<void, unknown>,
  isGone: (target: Target.Target, gone: Gone) => boolean
) =>
  Scenario.run({ rules, scale: { campaigns: 3, items: 2, clusters: 10 } }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const { changes } = planned.reviewed.plan
      const { campaignId, itemId } = changes[0]!.subject
      const gone = { campaignId: campaignId!, itemId: itemId! }
      yield* meanwhile(world, gone)
      // Until the marketplace shows it.
      yield* world.advance("5 minutes")
      const { rows } = yield* world.apply(planned)
      const lost = rows.filter(({ change }) => isGone(Target.ofSubject(change.subject)!, gone))
      expect(lost.length).toBeGreaterThan(0)
      expect(lost.length).toBeLessThan(rows.length)
      expect(rows.filter((row) => !lost.includes(row)).every(({ state }) => state === "applied")).toBe(true)
      const bids = world.ledger().filter(({ slot }) => slot.startsWith("bid"))
      expect(bids).toHaveLength(rows.length - lost.length)
      return lost.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)
    })
  )

describe("what disappears after the plan", () => {
  it("an item that somebody took out of its campaign: its bid is skipped, the others are set", async () => {
    const said = await story(
      (world, { campaignId, itemId }) => {
        const { api } = Context.get(world.context, MarketplaceClient)
        const nms = [{ advert_id: campaignId, nms: { add: [], delete: [itemId] } }]
        return withPermit(api.campaignManagement.changeCampaignItems({ payload: { nms } }))
      },
      (target, gone) => target.campaignId === gone.campaignId && target.itemId === gone.itemId
    )
    expect([...new Set(said)]).toEqual(["skipped: gone: the item is no longer in the campaign"])
  })

  it.each([
    ["finished", 7],
    ["deleted", -1]
  ])("a campaign that was %s: its bids are not set, those of others are", async (_, status) => {
    const said = await story(
      (world, { campaignId }) => Effect.sync(() => world.edit({ campaignId, status })),
      (target, gone) => target.campaignId === gone.campaignId
    )
    for (const one of said) expect(one).toMatch(/^(skipped|rejected): /)
  })
})
