/**
 * Every kind of change with every kind of token, from the rule to what the marketplace accepted; in `npm test` with two of
 * them in turn, one that may ask often and one that asks for campaigns once an hour.
 */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as LedgerCheck from "../../src/cli/sandbox/LedgerCheck.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Depth from "../Depth.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = (body: string): Load.File => ({
  path: "rules/rule.yaml",
  text: `version: 1\nname: rule\nmode: apply\n${body}\n`
})

const manual = "where:\n  - campaign.payment = cpm\n  - campaign.bid_type = manual\n"
const kinds: Readonly<Record<string, string>> = {
  "bids of clusters, some of which have none of their own": `each: cluster\n${manual}  - (cluster.has_own_bid or campaign.id = 1000001)\nwhen: bid < 300 ₽\ndo:\n  raise_bid: {by: 10%, cap: 450 ₽}\ncooldown: 6h`,
  "bids of items": `each: campaign_item\n${manual}when: bid < 300 ₽\ndo:\n  raise_bid: {by: 10%, cap: 450 ₽}\ncooldown: 6h`,
  "bids of items in recommendations": `each: campaign_item\n${manual}  - campaign.recommendations\nwhen: bid.recommendations < 300 ₽\ndo:\n  raise_bid: {by: 10%, cap: 450 ₽, placement: recommendations}\ncooldown: 6h`,
  "an overlay": `schedule: {every: 30m, tz: Europe/Moscow}\neach: campaign_item\n${manual}during: {time: "06:00-23:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 600 ₽}`,
  "minus phrases": `each: cluster\n${manual}window: 7d\nwhen: not cluster.in_minus and orders = 0\ndo: add_minus`,
  "minus phrases taken off": `each: cluster\n${manual}when: cluster.in_minus\ndo: remove_minus`,
  pauses: "each: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 1\ndo: pause",
  starts: "each: campaign\nwhen: campaign.status = paused\ndo: start",
  placements: `each: campaign\n${manual}when: campaign.recommendations\ndo:\n  placements: {recommendations: off}`,
  deposits:
    "each: campaign\nwhere: campaign.status = active\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}"
}
const tokens = ["personal", "service", "base_with_secret", "base"] as const

const isTried = (kind: number, token: number): boolean => Depth.isDeep || token % 2 === kind % 2

/** Paused, so that there is something to start (status 11, seed 001 "States and transitions"). */
const paused = { campaignId: 1_000_001, status: 11 }

/**
 * Of one run: minutes until everything is read back, and reads of campaigns, of which a Base token has one an hour. The
 * slowest kinds wait for an hour's read after each of their requests.
 */
const most = {
  personal: { minutes: 10, campaignReads: 3 },
  service: { minutes: 10, campaignReads: 3 },
  base_with_secret: { minutes: 250, campaignReads: 4 },
  base: { minutes: 250, campaignReads: 4 }
} as const

describe.each(tokens)("a token of the kind %s", (kind) => {
  it.each(Object.entries(kinds).filter((_, i) => isTried(i, tokens.indexOf(kind))))(
    "changes %s, each once, in a bounded time, without a single 429",
    (_, body) => {
      const scale = { campaigns: 4, items: 2, clusters: 6 }
      return Scenario.run({ token: { kind }, scale, rules: [rule(body)] }, (world) =>
        Effect.gen(function* () {
          world.edit(paused)
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          expect(changes.length).toBeGreaterThan(0)
          const begun = { nowMs: world.now(), reads: world.requests("getCampaigns") }
          const report = yield* world.apply(planned)
          expect(report.counts).toEqual({ applied: changes.length })
          const entries = world.ledger()
          expect(LedgerCheck.compare(changes, { entries, breaches: 0 })).toEqual({
            agreed: changes.length,
            missing: [],
            surplus: []
          })
          expect((world.now() - begun.nowMs) / 60_000).toBeLessThanOrEqual(most[kind].minutes)
          expect(world.requests("getCampaigns") - begun.reads).toBeLessThanOrEqual(most[kind].campaignReads)
          expect(world.throttled()).toBe(0)
        })
      )
    }
  )
})
