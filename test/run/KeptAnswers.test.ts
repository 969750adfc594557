/** Least bids are read once a day (field note M09): what an earlier run read is used, as long as it is an answer. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Shop from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as OwnPast from "../sandbox/OwnPast.js"
import * as Scenario from "../scenario/Scenario.js"

const floors = "getMinimumBids"

const rule = {
  path: "rules/lower.yaml",
  text: `version: 1
name: lower
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.status = active and campaign.bid_type = manual
when: bid > min_bid
do:
  lower_bid: {by: 1%, floor: min_bid}
cooldown: 1h
`
}

const story = <A>(tell: (world: Scenario.World) => Effect.Effect<A, unknown>) =>
  Scenario.run({ scale: { campaigns: 6, items: 3, clusters: 2 }, rules: [rule] }, tell)

const floorsOf = ({ gathered }: Cycle.Planned) => {
  const table = gathered.table("campaign_item")
  return table.rows.map((_, row) => table.get(row, "campaign_item.min_bid"))
}

it("a plan asks for the least bids that no plan of the day has read, and decides alike", () =>
  story((world) =>
    Effect.gen(function* () {
      const first = yield* world.plan
      const asked = world.requests(floors)
      expect(asked).toBeGreaterThan(1)
      yield* world.advance("23 hours")
      const second = yield* world.plan
      expect(world.requests(floors)).toBe(asked)
      expect(floorsOf(second)).toEqual(floorsOf(first))
      expect(second.reviewed.plan.changes.map(({ after }) => after)).toEqual(
        first.reviewed.plan.changes.map(({ after }) => after)
      )
      yield* world.advance("2 hours")
      yield* world.plan
      expect(world.requests(floors)).toBe(2 * asked)
    })
  ))

it("of a campaign whose bid was refused since the least bids are read again, and the next bid is taken", () =>
  story((world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const asked = world.requests(floors)
      const { campaignId, itemId } = planned.reviewed.plan.changes[0]!.subject
      const { floors: least } = Shop.item(world.sandbox.world(defaultSeller), itemId!)
      Object.assign(least.cpm, { search: 90_000_000 })
      const report = yield* world.apply(planned)
      const refused = report.rows.filter(({ state }) => state === "rejected")
      expect(new Set(refused.map(({ change }) => change.subject.campaignId))).toEqual(new Set([campaignId]))
      const again = yield* world.plan
      expect(world.requests(floors)).toBe(asked + 1)
      const ofItem = again.reviewed.plan.changes.filter(({ subject }) => subject.itemId === itemId)
      expect(ofItem).toEqual([])
    })
  ))

it("of a campaign whose bid a web page refused are used on, for the page says nothing of them", () =>
  story((world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const asked = world.requests(floors)
      world.faults([{ kind: "errorBefore", operation: "setItemBids", status: 403 }])
      expect((yield* world.apply(planned)).counts).toHaveProperty("rejected")
      yield* world.plan
      expect(world.requests(floors)).toBe(asked)
    })
  ))

it("of a campaign that is shown in more places than then they are read again", () =>
  story((world) =>
    Effect.gen(function* () {
      const first = yield* world.plan
      const asked = world.requests(floors)
      const { campaignId } = first.reviewed.plan.changes[0]!.subject
      const { placements } = Shop.campaign(world.sandbox.world(defaultSeller), campaignId!)!
      const shown = Timeline.latest(placements)
      placements.steps.push({ at: world.now(), value: { ...shown, recommendations: !shown.recommendations } })
      yield* world.plan
      expect(world.requests(floors)).toBe(asked + 1)
    })
  ))

it("of an answer that named no least bid nothing is kept: the next plan asks again", () =>
  story((world) =>
    Effect.gen(function* () {
      world.faults([{ kind: "nulls", operation: floors }])
      const blind = yield* world.plan
      expect(blind.reviewed.plan.changes).toEqual([])
      world.faults([])
      expect((yield* world.plan).reviewed.plan.changes.length).toBeGreaterThan(0)
    })
  ))

it("a least bid above max_bid is asked in each plan, so that one that has fallen keeps no bid too high", () =>
  Scenario.run(
    {
      scale: { campaigns: 6, items: 3, clusters: 2 },
      rules: [
        rule,
        {
          path: "rules/_shared/limits.yaml",
          text: "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: 110 ₽, cpc: 40 ₽}\n  enforce_max_bid: apply\n"
        }
      ]
    },
    (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const items = first.gathered.table("campaign_item").rows.flatMap(({ itemId }) => itemId ?? [])
        const setFloors = (kopecks: number) => {
          for (const itemId of items)
            OwnPast.setFloors(world.sandbox.world(defaultSeller), itemId, { search: kopecks })
        }
        yield* world.advance("25 hours")
        setFloors(12_000)
        const isLowered = ({ reviewed }: Cycle.Planned) =>
          reviewed.plan.changes.some(
            (change) => change.after === 11_000 && Bids.detailsOf(change).placement === "search"
          )
        expect(isLowered(yield* world.plan)).toBe(false)
        setFloors(9_000)
        yield* world.advance("1 hour")
        expect(isLowered(yield* world.plan)).toBe(true)
      })
  ))
