import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { PolicyId } from "../../src/domain/Ids.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"
import * as Match from "../../src/engine/gather/Match.js"
import type * as Load from "../../src/engine/language/Load.js"
import type { Policy, RuleSet } from "../../src/engine/language/Policy.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = (name: string, body: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\n${body}\n`
})

const stockPause = rule(
  "07-stock-pause",
  `each: campaign
where: campaign.status in [active, paused]
when: all(item.stock_days < 3)
do: pause`
)

/** Items of each campaign that can be changed, as a plan lists them. */
const itemsByCampaign = (planned: Effect.Effect.Success<Scenario.World["plan"]>) => {
  const items = new Map<number, Array<number>>()
  for (const { campaignId, itemId } of planned.gathered.table("campaign_item").rows) {
    items.set(campaignId!, [...(items.get(campaignId!) ?? []), itemId!])
  }
  return items
}

/** A rule set with further policies whose rows are other ones, asking what the any(…) of the first rule asks. */
const plus = (rules: RuleSet, each: Policy["each"], from: string): RuleSet => {
  const policy = rules.policies.find(({ id }) => id === from)!
  const [clause] = policy.rules[0]!.when
  const { condition } = clause!
  const when = each === "item" && condition._tag === "Quantified" ? condition.condition : condition
  const made: Policy = {
    ...policy,
    id: PolicyId(`${from} per ${each}`),
    each,
    where: [],
    rules: [{ ...policy.rules[0]!, when: [{ ...clause!, condition: when }] }]
  }
  return { ...rules, policies: [...rules.policies, made] }
}

describe("pausing ads when stock runs out", () => {
  it("pauses a campaign when all its items run out, and not while one of them does not", () =>
    Scenario.run({ rules: [stockPause], scale: { campaigns: 6, items: 3, clusters: 4 } }, (world) =>
      Effect.gen(function* () {
        const before = yield* world.plan
        expect(before.reviewed.plan.changes).toEqual([])
        const status = (campaign: number) => {
          const table = before.gathered.table("campaign")
          const row = table.rows.findIndex((one) => one.campaignId === campaign)
          const cell = table.get(row, "campaign.status")
          return cell._tag === "Known" ? cell.value : undefined
        }
        const items = itemsByCampaign(before)
        const [campaign, other] = [...items.keys()].filter((one) => status(one) === "active")
        const spared = items.get(other!)!.find((one) => !items.get(campaign!)!.includes(one))!
        for (const itemId of new Set([...items.get(campaign!)!, ...items.get(other!)!])) {
          if (itemId !== spared) world.play({ itemId, play: "count_stock", units: 0 })
        }
        yield* world.advance("2 hours")
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.map(({ subject: target }) => target.campaignId)).toEqual([
          campaign
        ])
        expect(planned.reviewed.plan.changes[0]!.reason).toContainEqual({
          condition: "all(item.stock_days < 3)",
          holds: "true",
          value: `${items.get(campaign!)!.length} of ${items.get(campaign!)!.length} items, such as item ${items.get(campaign!)![0]}: 0`
        })
        // One report of all items at once, however many campaigns ask.
        expect(world.requests("getStockProducts")).toBe(2)
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ applied: 1 })
        const again = yield* world.plan
        expect(again.reviewed.plan.changes).toEqual([])
      })
    ))

  it("does nothing and says why while the stock cannot be read", () =>
    Scenario.run({ rules: [stockPause], scale: { campaigns: 4, items: 2, clusters: 4 } }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "refuse", operation: "getStockProducts" }])
        const { plan } = (yield* world.plan).reviewed
        expect(plan.changes).toEqual([])
        expect(plan.unknown.length).toBeGreaterThan(0)
        for (const { because } of plan.unknown)
          expect(Said.why({ because })).toMatch(/^all\(item\.stock_days < 3\): /)
      })
    ))
})

describe("policies whose rows span campaigns", () => {
  const rules = [
    stockPause,
    rule("drr", "each: campaign\nwindow: 7d\nwhen: any(item.drr > 0%)\ndo: pause"),
    rule("floor", "each: campaign\nwhen: any(bid > min_bid)\ndo: pause"),
    rule(
      "minus",
      "each: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen:\n  - item.stock > 0\n  - views > 0\ndo: add_minus"
    )
  ]

  it("make their way beside the others, ask nothing twice and wait for nobody in a circle", () =>
    Scenario.run({ rules, scale: { campaigns: 8, items: 3, clusters: 3 } }, (world) =>
      Effect.gen(function* () {
        const all = plus(plus(plus(world.rules, "item", "drr"), "item", "floor"), "account", "drr")
        const alone = yield* gather(world, world.rules)
        const asked = alone.calls
        const both = yield* gather(world, all)
        expect(both.calls.getStockProducts).toBe(asked.getStockProducts)
        expect(both.calls.getFunnelProducts).toBe(asked.getFunnelProducts)
        expect(both.calls.getCampaignStats).toBe(asked.getCampaignStats)
        expect(both.calls.getMinimumBids).toBe(asked.getMinimumBids)
        const found = Match.policy(all.policies.find(({ id }) => id === "drr per item")!, both)
        expect(found.table.size).toBe(both.table("item").size)
        const matched = found.rules.flatMap((rule) => [...rule.matched])
        expect(matched.length).toBeGreaterThan(0)
        for (const row of matched) {
          const { itemId } = found.table.rows[row]!
          const own = both.table("campaign_item")
          const spend = own
            .rowsUnder({ itemId: itemId! })
            .map((below) => own.get(below, "campaign_item.spend@7d"))
            .reduce((sum, cell) => sum + (cell._tag === "Known" ? Number(cell.value) : 0), 0)
          expect(spend).toBeGreaterThan(0)
        }
      })
    ))

  it("end when there is no campaign at all", () =>
    Scenario.run({ rules, scale: { campaigns: 1, items: 1, clusters: 1 } }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "refuse", operation: "listCampaignIds" }])
        const { table } = yield* gather(world, plus(world.rules, "item", "drr"))
        expect(table("item").size).toBe(0)
      })
    ))
})

describe("telling of items and of the account", () => {
  const tell = (each: string, when: string) =>
    rule(each, `each: ${each}\nwindow: 7d\nwhen: ${when}\ndo:\n  notify: {text: "${each}"}`)

  it("has one notice per item and one of the account, and changes nothing", () =>
    Scenario.run(
      {
        rules: [tell("item", "drr > 0%"), tell("account", "ad_spend > 0 ₽ and any(spend > 0 ₽)")],
        scale: { campaigns: 6, items: 3, clusters: 3 }
      },
      (world) =>
        Effect.gen(function* () {
          const { plan } = (yield* world.plan).reviewed
          expect(plan.changes).toEqual([])
          const of = (policy: string) => (plan.notices ?? []).filter((one) => one.policy === policy)
          expect(of("account").map(({ subject: target }) => target)).toEqual([{}])
          expect(of("item").length).toBeGreaterThan(0)
          for (const { subject: target } of of("item")) expect(Object.keys(target ?? {})).toEqual(["itemId"])
        })
    ))
})

describe("sums and questions over all campaigns, some of which could not be read", () => {
  const cheap = rule(
    "cheap",
    "each: campaign_item\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: item.drr < 1000%\ndo:\n  raise_bid: {by: 10%, cap: 900 ₽}"
  )
  const told = rule(
    "told",
    'each: account\nwindow: 7d\nwhen: ad_spend < 1000000000 ₽ or all(spend < 1000000000 ₽)\ndo:\n  notify: {text: "little was spent"}'
  )
  const little = { rules: [cheap, told], scale: { campaigns: 8, items: 3, clusters: 3 } }

  it("are unknown, so no bid is raised because the spend of the others looks small", () =>
    Scenario.run(little, (world) =>
      Effect.gen(function* () {
        const whole = (yield* world.plan).reviewed.plan
        expect(whole.changes.length).toBeGreaterThan(0)
        expect((whole.notices ?? []).some(({ text }) => text === "little was spent")).toBe(true)
        world.faults([{ kind: "omit", operation: "getCampaigns", share: 0.5 }])
        const { gathered, reviewed } = yield* world.plan
        expect(gathered.table("campaign").size).toBeGreaterThan(0)
        expect(reviewed.plan.changes).toEqual([])
        expect((reviewed.plan.notices ?? []).some(({ text }) => text === "little was spent")).toBe(false)
        expect(new Set(reviewed.plan.unknown.map(Said.why))).toEqual(
          new Set([
            "item.drr < 1000%: could not be fetched",
            "ad_spend < 1000000000 ₽ or all(spend < 1000000000 ₽): could not be fetched"
          ])
        )
      })
    ))

  it("are answered where the rows that are there decide", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "told",
            'each: account\nwindow: 7d\nwhen: any(spend default 0 ₽ >= 0 ₽)\ndo:\n  notify: {text: "one is enough"}'
          )
        ],
        scale: { campaigns: 8, items: 3, clusters: 3 }
      },
      (world) =>
        Effect.gen(function* () {
          world.faults([{ kind: "omit", operation: "getCampaigns", share: 0.5 }])
          const { plan } = (yield* world.plan).reviewed
          expect((plan.notices ?? []).map(({ text }) => text)).toContain("one is enough")
        })
    ))
})

const gather = (world: Scenario.World, rules: RuleSet) =>
  Effect.flatMap(world.facts, (facts) =>
    Gather.run(rules, { zone: "Europe/Moscow" }).pipe(Effect.provideService(FactSource, facts))
  )
