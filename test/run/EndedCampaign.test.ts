/** A campaign that somebody ends between a plan and its sending takes no change any more, and none is sent. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { CampaignId } from "../../src/domain/Ids.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as WayBackReasons from "../../src/reporting/WayBackReasons.js"
import { status } from "../../src/sandbox/market/Blueprint.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

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

const clusters = (name: string, rest: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: apply
each: cluster
where: [campaign.payment = cpm, campaign.status = active, not cluster.in_minus]
window: 7d
${rest}
limits: {share_of_scope: 100%}
`
})

const bids = clusters(
  "bids",
  "when: bid > 1 ₽ and views >= 100\ndo:\n  raise_bid: {by: 1%, cap: 9000 ₽}\ncooldown: 1h"
)

const bidRequest = "setClusterBidsMinorUnits"

const campaignsOf = (planned: Cycle.Planned): ReadonlyArray<CampaignId> => [
  ...new Set(planned.reviewed.appliable.filter(isOfCampaign).map(({ subject }) => subject.campaignId))
]

it("is found out by one refusal where the last look does not read it, and what more there is for it stays here", () =>
  Scenario.run({ rules: [bids] }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      expect(planned.reviewed.appliable.length).toBeGreaterThan(3)
      for (const campaignId of campaignsOf(planned)) world.edit({ campaignId, status: status.completed })
      const { rows } = yield* world.apply(planned)
      expect(world.requests(bidRequest)).toBe(1)
      expect(world.ledger()).toEqual([])
      expect(new Set(rows.map(({ reason, state }) => `${state} ${reason?.code}`))).toEqual(
        new Set(["skipped closed"])
      )
    })
  ))

it("is asked for after a refusal that has another cause, once for each half of what was refused, and nothing of it stays here", async () => {
  const readings = (count: number) =>
    Scenario.run({ rules: [bids] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ operation: bidRequest, kind: "refuse", status: 400, count }])
        const before = world.requests("getCampaigns")
        const { rows } = yield* world.apply(planned)
        expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["applied"]))
        expect(world.ledger()).toHaveLength(rows.length)
        return world.requests("getCampaigns") - before
      })
    )
  expect((await readings(1)) - (await readings(0))).toBe(2)
})

it("costs one refused list of minus phrases for each campaign, however many items and phrases there are", () =>
  Scenario.run(
    {
      scale: { campaigns: 4, items: 2, clusters: 40 },
      rules: [
        clusters("most", "when: views >= 300\ndo: add_minus"),
        clusters("rest", "when: views >= 100\ndo: add_minus")
      ]
    },
    (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.planOf(new Set(["most"])))
        yield* world.advance("1 hours")
        const planned = yield* world.planOf(new Set(["rest"]))
        const campaigns = campaignsOf(planned)
        expect(planned.reviewed.appliable.length).toBeGreaterThan(campaigns.length * 2)
        for (const campaignId of campaigns) world.edit({ campaignId, status: status.completed })
        const refused = () => world.sandbox.ledger.counters.get("setMinusPhrases")?.clientErrors ?? 0
        const before = refused()
        const { rows } = yield* world.apply(planned)
        expect(refused() - before).toBeLessThanOrEqual(campaigns.length)
        expect(rows.filter(({ reason }) => reason?.code === "closed").length).toBeGreaterThan(0)
        expect(rows.filter(({ state }) => state !== "skipped" && state !== "rejected")).toEqual([])
      })
  ))

it("is what an undo says where its campaign is read: nothing of it can be set back any more", () =>
  Scenario.run({ rules: [raise] }, (world) =>
    Effect.gen(function* () {
      const { rows, runId } = yield* world.apply(yield* world.plan)
      for (const { change } of rows)
        if (isOfCampaign(change))
          world.edit({ campaignId: change.subject.campaignId, status: status.completed })
      yield* world.advance("10 minutes")
      const before = world.ledger().length
      const { left } = yield* Story.undo(world, runId)
      expect(new Set(left.map(({ because }) => WayBackReasons.text(because)))).toEqual(
        new Set(["its campaign is completed, and takes no changes"])
      )
      expect(left).toHaveLength(rows.length)
      expect(world.ledger()).toHaveLength(before)
    })
  ))

it("is what an undo says of a cluster that had no bid of its own too, though its item's bid is not read any more", () =>
  Scenario.run({ rules: [bids] }, (world) =>
    Effect.gen(function* () {
      const { rows, runId } = yield* world.apply(yield* world.plan)
      const inherited = rows.filter(({ change }) => Bids.detailsOf(change).inherited === true)
      expect(inherited.length).toBeGreaterThan(0)
      expect(inherited.length).toBeLessThan(rows.length)
      for (const { change } of rows)
        if (isOfCampaign(change))
          world.edit({ campaignId: change.subject.campaignId, status: status.completed })
      yield* world.advance("10 minutes")
      const sent = world.ledger().length
      const { left, reviewed } = yield* Story.undo(world, runId)
      expect(left).toEqual([])
      expect(reviewed.plan.held.map(({ because }) => because.code)).toEqual(rows.map(() => "campaign_over"))
      expect(world.ledger()).toHaveLength(sent)
    })
  ))
