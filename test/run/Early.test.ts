import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"

const raise = {
  path: "rules/raise.yaml",
  text: `version: 1
name: Raise
each: cluster
where:
  - campaign.status = active
  - campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when:
  - orders >= 3
  - bid < recommended.reach_max
do:
  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}
`
}
const tell = {
  path: "rules/tell.yaml",
  text: `version: 1
name: Tell
each: campaign_item
where: campaign.status = active
when: bid < recommended.leaders
do:
  notify: {text: "below the leaders"}
`
}

const raises = (rules: ReadonlyArray<{ readonly path: string; readonly text: string }>) =>
  Scenario.run({ rules }, (world) =>
    Effect.map(world.plan, ({ reviewed }) =>
      reviewed.plan.changes.map(({ subject: target, after }) => ({ target, after }))
    )
  )

it("what an answer says of clusters counts, also when it comes before the clusters are listed", async () => {
  const alone = await raises([raise])
  expect(alone.length).toBeGreaterThan(5)
  expect(await raises([raise, tell])).toEqual(alone)
})
