/** The account of the stories made by hand: a small world, policies under tight limits, and one item to change. */
import * as Load from "../../../src/engine/language/Load.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as Economics from "../chaos/Economics.js"

export const startMs = Date.parse("2026-09-01T06:00:00Z")
export const seller = "seller"
const firstId = 1_000_001
/** Paid per 1000 impressions, bids by hand, shown in search. */
export const campaignId = firstId
export const itemId = 200_000_001

export const makeWorld = (): World.World =>
  World.make({ seller, seed: 1, scale: { campaigns: 3, items: 3, clusters: 4 }, originMs: startMs, firstId })
export const world = makeWorld()

/** A promotion that starts in four days; one that the marketplace fills itself. */
export const promotionId = 1005
export const autoPromotionId = 1004
/** Items that may join it: one whose price falls by less than `mostDrop`, and one whose price falls by more. */
export const [cheapItem, dearItem, memberItem] = [200_000_001, 200_000_004, 200_000_002]
const mostDrop = 25

/** The smallest bid of the item that stories are about, kopecks; and one that may move a little. */
const { combined, recommendations, search } = World.item(world, itemId).floors.cpm
export const leastBid = Math.min(combined, recommendations, search)
export const usualBid = leastBid + 2000

/** The cap of the policy `steered`, between two steps, and the line of its action. */
export const steeredCap = 39_950
export const steeredLine = 10

/** A cluster with orders enough to tell what they are worth, its bid, and the views of fourteen days; one that is hardly seen. */
export const busyCluster = {
  place: [200_000_002, "куртки для мальчика зелёные"],
  bid: 25_700,
  views: 10_001
} as const
export const quietCluster = { place: [200_000_003, "сапоги зимние розовые"], bid: 17_200, views: 3 } as const

/**
 * Policies under tight limits: `bids`, `clusters` and `campaigns` apply, `steered` moves bids, `shown` is a preview, `asked`
 * waits for a person. `assembles` does all alone, `assemblesAsking` asks before a hand-over, `assemblesAsked` always,
 * `assemblesShown` only shows. `joins`, `joinsAsked` and `joinsShown` join promotions in the same three modes.
 * `optimises` has money enough, `optimisesAtLoss` sells what leaves next to nothing, the campaign spends six times what `optimisesWithin` has.
 */
export const rules: RuleSet = (() => {
  const policy = (name: string, mode: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1
name: ${name}
mode: ${mode}
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status = active
when: budget < 5000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
cooldown: 1h
limits: {changes_per_run: 2, money_per_day: 1000 ₽, policy_money_per_day: 3000 ₽}
`
  })
  const limits = {
    path: "rules/_shared/limits.yaml",
    text: `version: 1
kind: limits
account:
  max_bid: {cpm: 400 ₽, cpc: 40 ₽}
  changes_per_run: 3
  move_per_day: 20%
  money_per_day: 2000 ₽
`
  }
  const steered = {
    path: "rules/steered.yaml",
    text: `version: 1
name: steered
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign_item
where: campaign.status = active and campaign.payment = cpm
window: 7d
when: orders <= 9
do:
  raise_bid: {by: 3 ₽, cap: ${steeredCap / 100} ₽}
`
  }
  const others = ["cluster", "campaign"].map((each) => ({
    path: `rules/${each}s.yaml`,
    text: `version: 1
name: ${each}s
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: ${each}
where: campaign.status = active
when: campaign.budget > 9000000 ₽
do: ${each === "cluster" ? "add_minus" : "pause"}
`
  }))
  const joins = (name: string, mode: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1
name: ${name}
mode: ${mode}
schedule: {every: 1h, tz: Europe/Moscow}
each: promotion_item
where: promotion.starts_in > 0h
when: price_drop <= ${mostDrop}%
do: enrol
`
  })
  const optimises = (name: string, margin: string, budget: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1
name: ${name}
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise: {goal: profit, margin: ${margin}, budget: ${budget}, cap: {cpm: 400 ₽}, move: 20%}
`
  })
  const byCost = {
    path: "rules/joinsByCost.yaml",
    text: `version: 1
name: joinsByCost
mode: apply
irreversible: accepted
schedule: {every: 1h, tz: Europe/Moscow}
each: promotion_item
where: promotion.starts_in > 0h
when: unit_cost <= plan_price * 60%
do: enrol
`
  }
  const assembles = (name: string, warehouse: number, mode: string, deliver: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1
kind: fulfilment
name: ${name}
mode: ${mode}
deliver: ${deliver}
warehouses: [${warehouse}]
waves:
  - {name: daily, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
`
  })
  const { diagnostics, ruleSet } = Load.check([
    assembles("assembles", 1, "apply", "apply"),
    assembles("assemblesAsking", 2, "apply", "approve"),
    assembles("assemblesAsked", 3, "approve", "approve"),
    assembles("assemblesShown", 4, "preview", "approve"),
    joins("joins", "apply\nirreversible: accepted"),
    joins("joinsAsked", "approve"),
    joins("joinsShown", "preview"),
    byCost,
    Economics.table(0),
    policy("bids", "apply"),
    optimises("optimises", "25%", "5000 ₽"),
    optimises("optimisesAtLoss", "0.5%", "5000 ₽"),
    optimises("optimisesWithin", "25%", "10 ₽"),
    steered,
    ...others,
    policy("shown", "preview"),
    policy("asked", "approve"),
    limits
  ])
  if (ruleSet === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
  return ruleSet
})()
