/** Sums that look beyond the campaign of a row: over a group of campaigns, and over all campaigns of an item. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as OwnTables from "../scenario/OwnTables.js"
import * as Scenario from "../scenario/Scenario.js"

const shared = 200_000_001
const scale = { campaigns: 6, items: 3, clusters: 4 }
const labels = (csv: string) =>
  OwnTables.table(
    "campaign.id = id",
    ["campaign.labels: {column: labels, type: labels}"],
    `id;labels\n${csv}`
  )
const rule = (each: string, where: string, when: string, action: string) => ({
  path: "rules/01.yaml",
  text: `version: 1
name: a
mode: apply
each: ${each}
where: ${where}
window: 7d
when: ${when}
do: ${action}
`
})
const codes = (when: string, files: ReadonlyArray<Load.File> = [labels("1;season\n")], each = "campaign") =>
  Load.check([...files, rule(each, "campaign.status = active", when, '{notify: "x"}')]).diagnostics.map(
    ({ code }) => code
  )

describe("a sum over a group", () => {
  it("names a label of campaigns, which a table must have", () => {
    expect(codes('sum(spend, group = "season") > 1 ₽')).toEqual([])
    expect(codes('sum(spend[today] default 0 ₽, group = "Season") > 1 ₽', undefined, "cluster")).toEqual([])
    expect(codes('sum(spend + budget, group = "season") / sum(revenue, group = "season") > 5%')).toEqual([])
    expect(codes('sum(spend, group = "season") > 1 ₽', [])).toEqual(["E02"])
    expect(codes('sum(spend, group = "season") > 1')).toEqual(["E04"])
    expect(codes("sum(spend, group = season) > 1 ₽")).toEqual(["E11"])
    expect(codes('sum(ctr, group = "season") > 1%')).toEqual(["E11"])
    expect(codes('sum(spend, "season") > 1 ₽')).toEqual(["E09"])
    expect(codes('sum(spend, group "season") > 1 ₽')).toEqual(["E09"])
    expect(codes('sum(bid, group = "season") > 1 ₽')).toEqual(["E02"])
  })

  it("is read of all its campaigns, also of those the policy is not about, and of no others", () =>
    Scenario.run(
      {
        rules: [
          labels("1000002;season\n1000003;season\n"),
          rule("campaign", "campaign.id = 1000001", 'sum(spend, group = "season") >= 1 ₽', "pause")
        ],
        scale
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const campaigns = planned.gathered.table("campaign")
          const spent = (id: number) => {
            const row = campaigns.rows.findIndex(({ campaignId }) => campaignId === id)
            const cell = campaigns.get(row, "campaign.spend@7d")
            return cell._tag === "Known" ? Number(cell.value) : undefined
          }
          const together = spent(1_000_002)! + spent(1_000_003)!
          expect(together).toBeGreaterThan(0)
          expect([spent(1_000_004), spent(1_000_005)]).toEqual([undefined, undefined])
          yield* world.apply(planned)
          expect(world.ledger().map(({ slot, target }) => [slot, target.campaignId])).toEqual([
            ["status", 1_000_001]
          ])
          const [change] = planned.reviewed.plan.changes
          expect(change!.reason.at(-1)!.value.replace(/\D/g, "")).toBe(String(together))
        })
    ))

  it("is known of an item in an active campaign also where its other campaign is paused", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "campaign_item",
            "campaign.status = active and campaign.payment = cpm",
            "item.ad_spend >= 0.01 ₽",
            "{lower_bid: {by: 10%, floor: min_bid}}"
          )
        ],
        scale: { campaigns: 8, items: 3, clusters: 3 }
      },
      (world) =>
        Effect.gen(function* () {
          const second = World.campaign(world.sandbox.world(defaultSeller), 1_000_002)!
          Timeline.set(second.items, world.now(), [...second.blueprint.itemIds, shared])
          world.edit({ campaignId: 1_000_002, status: 11 })
          yield* world.advance("10 minutes")
          const planned = yield* world.plan
          const pairs = planned.gathered.table("campaign_item").rows.filter(({ itemId }) => itemId === shared)
          expect(pairs.map(({ campaignId }) => campaignId)).toEqual([1_000_001, 1_000_002])
          expect(planned.reviewed.plan.unknown).toEqual([])
          yield* world.apply(planned)
          const sent = world.ledger().map(({ target }) => target)
          expect(sent).toContainEqual({ campaignId: 1_000_001, itemId: shared })
        })
    ))
})
