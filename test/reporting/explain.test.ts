/** `bidhelm explain` as a person reads it. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Explaining from "../../src/cli/plan/Explaining.js"
import { ItemId } from "../../src/domain/Ids.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import type * as Table from "../../src/engine/facts/Table.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Explanation from "../../src/reporting/explain/Explanation.js"
import * as TextExplanation from "../../src/reporting/explain/TextExplanation.js"
import { type Facts, history, type Row, table, target } from "../decide/Example.js"
import { check } from "../golden/check.js"
import * as Scenario from "../scenario/Scenario.js"
import { bare } from "./bare.js"

/** 21 November 2026, 13:40 in Moscow. */
const now = Date.parse("2026-11-21T10:40:00Z")
const hour = 3_600_000

const raise = `version: 1
name: Raise paying clusters toward reach max
mode: apply
schedule: {every: 3h, tz: Europe/Moscow}
each: cluster
where: campaign.status = active and campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when:
  - orders >= 3
  - cpo < 200 ₽
  - bid < recommended.reach_max
do:
  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}
cooldown: 6h
`
const minus = `version: 1
name: Minus clusters nobody clicks
mode: apply
each: cluster
window: 30d
when:
  - ctr < 1% with 99% confidence
  - orders = 0
do: {add_minus: {max_total: 900}}
`
const position = `version: 1
name: Lower bids of the first places
mode: apply
each: cluster
where: campaign.payment = cpm
window: yesterday
when: avg_pos < 3
do:
  lower_bid: {by: 3%, floor: min_bid}
`
const item = `version: 1
name: Steer item bids to target ACOS
mode: apply
each: campaign_item
where: campaign.payment = cpm
window: 7d
rules:
  - name: burns money
    when: orders = 0 and spend >= 800 ₽
    do:
      lower_bid: {by: 20%, floor: min_bid}
  - name: steer
    when: orders >= 5
    do:
      set_bid: {to: 350 ₽, max_step: 15%, cap: 500 ₽}
cooldown: 1d
`
const evening = `version: 1
name: Boost white trainers
mode: apply
schedule: {every: 30m, tz: Europe/Moscow}
each: cluster
where: query contains any ["белые"] and campaign.payment = cpm
during: {time: "13:00-23:00"}
do:
  adjust_bid: {by: +20%, cap: 600 ₽}
`
const stock = `version: 1
name: Pause ads when stock runs out
mode: apply
each: campaign
where: campaign.status in [active, paused]
when: all(item.stock < 3)
do: pause
revert_when: any(item.stock >= 7)
`
const files = {
  "01-raise": raise,
  "02-minus": minus,
  "03-position": position,
  "04-acos": item,
  "05-evening": evening,
  "06-stock": stock
}

const trainers: Facts = {
  "cluster.query": "женские кеды",
  "cluster.bid": 44_000,
  "cluster.orders@7d": 5,
  "cluster.cpo@7d": 8_000,
  "cluster.views@30d": 500,
  "cluster.clicks@30d": 2,
  "cluster.ctr@30d": 0.004,
  "cluster.orders@30d": 9,
  "cluster.recommended.reach_max": 80_000,
  "campaign_item.orders@7d": 7,
  "campaign_item.spend@7d": 60_000,
  "campaign_item.bid": 30_000,
  "item.stock": 2
}
const rows: ReadonlyArray<Row> = [
  { target: target(777, 1001, "женские кеды"), facts: trainers },
  {
    target: target(777, 1001, "белые кеды"),
    facts: {
      ...trainers,
      "cluster.query": "белые кеды",
      "cluster.orders@7d": 2,
      "cluster.cpo@7d": 24_000,
      "cluster.avg_pos@1d": Cells.unknown("failed")
    }
  },
  {
    target: target(777, 1002, "детские кеды"),
    facts: {
      ...trainers,
      "cluster.query": "детские кеды",
      "cluster.orders@7d": 0,
      "campaign_item.orders@7d": 3,
      "item.stock": 12
    }
  }
]

const itemOf = (id: number) => ({ itemId: ItemId.make(id) })

const readAt = (text: string) => Date.parse(`2026-11-21T${text}:00+03:00`)
const readings = new Map([
  ["campaigns", readAt("08:40")],
  ["clusters", readAt("08:41")],
  ["clusterBids", readAt("08:41")],
  ["clusterStats@7d", readAt("08:52")],
  ["clusterStats@30d", readAt("08:53")],
  ["campaignStats@7d", readAt("08:50")],
  ["itemStocks", readAt("08:45")]
])

type Slots = ReadonlyArray<Partial<SlotHistory> & { readonly slot: string }>

const checked = (of: Readonly<Record<string, string>>): RuleSet =>
  Scenario.check(Object.entries(of).map(([id, text]) => ({ path: `rules/${id}.yaml`, text })))

const world = (
  slots: Slots = [],
  of: Readonly<Record<string, string>> = files,
  shop: typeof rows = rows,
  made?: { readonly rules: RuleSet; readonly facts: Table.Table }
) => {
  const rules = made?.rules ?? checked(of)
  const facts = made?.facts ?? table("cluster", shop)
  const known = new Map(slots.map((slot) => [slot.slot, history(slot)]))
  const input = {
    account: "shop",
    currency: "RUB",
    nowMs: now,
    zone: "Europe/Moscow",
    rules,
    slots: known,
    calls: {}
  }
  const tables = { table: facts.view.bind(facts) }
  const planOf = (policies: RuleSet["policies"]) =>
    Decide.plan({ ...input, gathered: Match.all(policies, tables) })
  const plan = planOf(rules.policies)
  const alone = new Map(rules.policies.map((one) => [one.id, planOf([one])]))
  const asked = (subject: Explanation.Input["target"]): Explanation.Input => ({
    ...bare,
    target: subject,
    policies: rules.policies,
    plan,
    ...tables,
    readings,
    remembered: new Map([["recommendations", new Map([["777/1001", readAt("06:10")]])]]),
    slots: known,
    alone,
    ownFacts: rules.ownFacts ?? []
  })
  const explain = (about: Explanation.Explanation["target"], subject: Explanation.Input["target"]) => {
    const made = Explanation.make(asked(subject))
    expect(made.target).toBe(about)
    return made
  }
  return { asked, explain, rules }
}

/** The item's bid was changed an hour ago. */
const changed = [{ slot: "item_bid:777/1001/search", lastPolicy: "04-acos", lastAppliedAt: now - hour }]

describe("an explanation", () => {
  it("tells a raise, a miss, an unknown, a cooldown, an overlay and the rows below", () => {
    const { explain } = world(changed)
    const texts = [
      explain("777/1001/женские кеды", target(777, 1001, "женские кеды")),
      explain("777/1001/белые кеды", target(777, 1001, "белые кеды")),
      explain("777/1001", target(777, 1001)),
      explain("777", target(777))
    ]
    check("explain.txt", texts.map(TextExplanation.render).join("\n"))
  })

  it("reads as its manual says", () => {
    const { explain } = world(changed)
    const [first, second] = TextExplanation.render(
      explain("777/1001/женские кеды", target(777, 1001, "женские кеды"))
    ).split("\n\n01-raise")
    const manual = readFileSync(new URL("../../docs/rules/explain.md", import.meta.url), "utf8")
    expect(manual).toContain(`${first}\n\n01-raise${second!.split("\n\n")[0]}`)
    const miss = TextExplanation.render(explain("777/1001/белые кеды", target(777, 1001, "белые кеды")))
    for (const id of ["01-raise", "03-position", "06-stock"])
      expect(manual).toContain(miss.split("\n\n").find((block) => block.startsWith(id)))
  })

  it("names no next move by a day that only a clock far ahead has seen", () => {
    const next = (aheadHours: number) =>
      world([{ slot: "item_bid:777/1002/search", lastAppliedAt: now + aheadHours * hour }])
        .explain("777/1002", target(777, 1002))
        .policies.find(({ policy }) => policy === "04-acos")?.nextMove
    expect([next(20)?.notBefore, next(48)]).toEqual([new Date(now + 44 * hour).toISOString(), undefined])
  })

  it("does not blame the call limit for what nobody asks: a policy that is disabled, a row that is out already", () => {
    const facts = { ...trainers, "cluster.orders@7d": Cells.unknown("notFetched") }
    const unread = [{ target: target(777, 1001, "женские кеды"), facts }]
    const off = world([], { "01-raise": raise.replace("mode: apply", "mode: disabled") }, unread)
    const text = TextExplanation.render(off.explain("777/1001/женские кеды", unread[0]!.target))
    expect(text).toContain(
      "not known: orders[7d] (not asked, for the policy is disabled); asked once that changes"
    )
    const out = world([], { "01-raise": raise.replace("cpo < 200 ₽", "cpo < 20 ₽") }, unread)
    const [near] = out.explain("777", target(777)).crowds[0]!.nearest
    expect(near?.missing[0]?.why).toBe(
      "orders[7d] is unknown: not asked, for another condition does not hold"
    )
    expect(text).not.toContain("the call limit")
    expect(near?.conditions.map(({ value }) => value)).toContain(
      "unknown (not asked, for another condition does not hold)"
    )
    const limited = TextExplanation.render(
      world([], { "01-raise": raise }, unread).explain("777/1001/женские кеды", unread[0]!.target)
    )
    expect(limited).toContain("the call limit left no room for it")
  })

  it("says how many rows below missed beside the three that it names", () => {
    const many = Array.from({ length: 20 }, (_, i) => ({
      target: target(777, 1001, `кеды ${i}`),
      facts: { ...trainers, "cluster.orders@7d": Cells.unknown("notFetched") }
    }))
    const made = world([], { "01-raise": raise }, many).explain("777", target(777))
    expect(made.crowds[0]?.verdicts).toEqual({ unknown: 20 })
    expect(TextExplanation.render(made)).toContain(
      "\n  and 17 more that missed; ask for one of them by its target"
    )
  })

  it("names for rows of promotions only a target that explain takes", () => {
    const { crowds, ...made } = world().explain("777", target(777))
    const [{ nearest, ...crowd }] = crowds as [(typeof crowds)[0]]
    const hint = (asked: string, row: string) =>
      TextExplanation.render({
        ...made,
        target: asked,
        crowds: [{ ...crowd, verdicts: { "does not act": 9 }, nearest: [{ ...nearest[0]!, target: row }] }]
      })
        .split("\n")
        .find((line) => line.includes("8 more"))
    expect([
      hint("account", "promotion/2001/1001"),
      hint("account", "promotion/2001"),
      hint("item/1001", "promotion/2001/1001"),
      hint("item/1001", "777/1001")
    ]).toEqual([
      "  and 8 more that missed; ask for one of them by its item, such as item/1001",
      "  and 8 more that missed",
      "  and 8 more that missed",
      "  and 8 more that missed; ask for one of them by its target"
    ])
  })

  it("has no line that a name of the marketplace's would write", () => {
    const made = world().explain("777/1001/женские кеды", target(777, 1001, "женские кеды"))
    const lines = (campaignName: string) => TextExplanation.render({ ...made, campaignName }).split("\n")
    const [first, ...others] = lines("Осень\nzz: disabled: mode is disabled")
    expect(first).toContain("zz: disabled")
    expect(others).toEqual(lines("Осень").slice(1))
  })

  it("tells of rules that want the same in whose name it is done, and names the others", () => {
    const ask = raise.replace("mode: apply", "mode: approve")
    const { explain } = world([], { "01-ask": ask, "09-other": ask })
    const made = explain("777/1001/женские кеды", target(777, 1001, "женские кеды"))
    expect(made.policies.map(({ agreed, policy, why }) => [policy, agreed, why.split(",")[0]])).toEqual([
      ["01-ask", ["09-other"], expect.stringContaining("bid")],
      ["09-other", [], "wants the same as 01-ask"]
    ])
    const text = TextExplanation.render(made)
    expect(text).toContain("agreed: wanted by 09-other too")
    expect(text).toContain(
      "09-other: unchanged: wants the same as 01-ask, in whose name a person is asked, unless auto_approve covers it"
    )
    const both = world([], { "01-raise": raise, "09-other": raise })
    expect(
      TextExplanation.render(both.explain("777/1001/женские кеды", target(777, 1001, "женские кеды")))
    ).toContain("09-other: unchanged: wants the same as 01-raise, in whose name it is changed")
  })

  it("names who was overruled and what they wanted, and the loser hears the same", () => {
    const up = raise.replace("cap: 450 ₽", "cap: 500 ₽").replace("by: 10%", "by: 5%")
    const { explain } = world([], { "01-raise": raise, "09-other": up })
    const { policies } = explain("777/1001/женские кеды", target(777, 1001, "женские кеды"))
    const [winner, loser] = policies
    expect(winner?.move).toEqual([
      "raise 10% → 484 ₽",
      "toward 800 ₽ (line 13)",
      "cap 450 ₽ (line 13) → 450 ₽",
      "step 1 ₽ → 450 ₽"
    ])
    expect(winner?.overruled).toEqual([
      { policy: "09-other", wanted: "bid 440 → 462 ₽ per 1000 views (+5.0%)" }
    ])
    expect([loser?.policy, loser?.why]).toEqual(["09-other", "overruled by 01-raise"])
    expect(loser?.notes).toContain("alone it would: bid 440 → 462 ₽ per 1000 views (+5.0%)")
  })

  it("looks through the plan no more often for many rows than for one", () => {
    const looks = (clusters: number) => {
      const many = Array.from({ length: clusters }, (_, i) => ({
        target: target(777, 1001, `кеды ${i}`),
        facts: { ...trainers, "cluster.orders@7d": i % 5 }
      }))
      const asked = world([], { "01-raise": raise, "02-minus": minus }, many).asked(target(777))
      let count = 0
      const plan = new Proxy(asked.plan, {
        get: (all, key, plan) => {
          if (key === "unchanged") count += 1
          return Reflect.get(all, key, plan)
        }
      })
      expect(Explanation.make({ ...asked, plan }).crowds[0]?.rows).toBe(clusters)
      return count
    }
    expect(looks(20)).toBe(looks(1))
  })

  it("names no share of the scope for what only takes back", () => {
    const back = `${raise.replace("cooldown: 6h\n", "")}revert_when: orders < 1\nlimits: {share_of_scope: 20%, changes_per_run: 9}\n`
    const ours = { policy: "01-raise", before: 40_000, after: 44_000 }
    const slot = "cluster_bid:777/1001/женские кеды"
    const named = (orders: number) => {
      const facts = { ...trainers, "cluster.orders@7d": orders }
      const shop = [{ target: target(777, 1001, "женские кеды"), facts }]
      const { asked, rules } = world([{ slot, ours }], { "01-raise": back }, shop)
      const scope = { hasCampaign: () => true, asks: () => true, isCounted: () => true, isWhole: () => false }
      const [told] = Explanation.make({
        ...asked(shop[0]!.target),
        uncounted: (policy, onlyTakesBack) => Explaining.uncounted(policy, rules, scope, onlyTakesBack)
      }).policies
      return [told?.rule, told?.verdict, told?.notes.at(-1)?.split(";")[0]]
    }
    const about = "not counted over the whole account here: changes_per_run"
    expect(named(5)).toEqual([undefined, "acts", `${about}, share_of_scope`])
    expect(named(0)).toEqual(["revert_when", "acts", about])
  })

  it("names each reason for which parts of a sum are unknown once, with its parts", () => {
    const spent = `version: 1
name: Pause when much is spent
mode: apply
each: account
when: sum(campaign.spend[7d]) > 100 ₽
do:
  notify: {text: "much is spent"}
`
    const parts = (["failed", "absent", "failed"] as const).map((reason, i) => ({
      target: target(777 + i, 1001, "кеды"),
      facts: { ...trainers, "campaign.spend@7d": Cells.unknown(reason) }
    }))
    const text = TextExplanation.render(world([], { "01-spent": spent }, parts).explain("account", {}))
    const lines = text.split("\n").filter((line) => line.includes("not known:"))
    expect(lines).toEqual([
      "  not known: spend[7d] of 777, 779 (could not be fetched); the next run asks again",
      "  not known: spend[7d] of 778 (the marketplace did not report it); known once the marketplace reports it"
    ])
  })

  it("tells a value that misses its bound by little with the digits that part them", () => {
    const clicked = `version: 1
name: Lower what is clicked much
mode: apply
each: cluster
window: 30d
when:
  - ctr <= 25%
  - ctr between 0% and 25%
do: {lower_bid: {by: 3%, floor: min_bid}}
`
    const shop = [{ target: target(777, 1001, "кеды"), facts: { ...trainers, "cluster.ctr@30d": 0.25004 } }]
    const [one] = world([], { "01-clicked": clicked }, shop).explain(
      "777/1001/кеды",
      target(777, 1001, "кеды")
    ).policies
    expect(one?.wouldActWith).toEqual(["ctr <= 25% (25.004% now)", "ctr between 0% and 25% (25.004% now)"])
    expect(one?.conditions.map(({ value }) => value)).toEqual(["25.004%", "25.004%"])
  })

  it("names at most three rows below that keep all(…) from holding", () => {
    const many = Array.from({ length: 6 }, (_, i) => ({
      target: target(777, 1001 + i, "кеды"),
      facts: { ...trainers, "item.stock": i === 0 ? 1 : 5 + i }
    }))
    const { explain } = world([], { "06-stock": stock }, many)
    const [one] = explain("777", target(777)).policies
    expect(one?.wouldActWith).toEqual([
      "item 1002: item.stock < 3 (6 now) and item 1003: item.stock < 3 (7 now) and item 1004: item.stock < 3 (8 now) and 2 more"
    ])
  })

  it("tells the age of the seller's own table, and what is unknown until it is written anew", () => {
    const own = `version: 1
kind: facts
source: {csv: ../../data/cost.csv}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}}
max_age: 30d
`
    const costly = `${item.slice(0, item.indexOf("window:"))}when: item.cost >= 100 ₽
do:
  lower_bid: {by: 10%, floor: min_bid}
cooldown: 1d
`
    const data = {
      path: "data/cost.csv",
      content: {
        _tag: "Rows" as const,
        rows: [
          { line: 1, cells: ["nm", "cost"] },
          { line: 2, cells: ["1001", "120.00"] }
        ]
      },
      modifiedMs: now - 72 * hour,
      readMs: now
    }
    const rules = Scenario.check([
      { path: "rules/07-cost.yaml", text: costly },
      { path: "rules/_shared/cost.yaml", text: own, data }
    ])
    const facts = table("cluster", rows)
    for (const row of rules.ownFacts ?? []) facts.setFor(itemOf(1001), row.fact.id, row.values.get(1001)!)
    for (const row of rules.ownFacts ?? []) facts.setFor(itemOf(1002), row.fact.id, Cells.unknown("unlisted"))
    const known = world([], undefined, undefined, { rules, facts })
    const [one] = known.explain("777/1001", target(777, 1001)).policies
    expect(one?.conditions.at(-1)).toMatchObject({
      value: "120 ₽",
      sources: [{ source: "own", text: "data/cost.csv, 3 days old", file: "data/cost.csv" }]
    })
    const notThere = costly.replace("item.cost >= 100 ₽", "unit_cost + packaging + storage >= 100 ₽")
    const untold = Scenario.check([{ path: "rules/07-cost.yaml", text: notThere }])
    const bare = world([], undefined, undefined, { rules: untold, facts: table("cluster", rows) })
    const [without] = bare.explain("777/1001", target(777, 1001)).policies
    expect(without?.conditions.at(-1)?.sources).toEqual([{ source: "own", text: "your own table, not read" }])
    const [other] = known.explain("777/1002", target(777, 1002)).policies
    expect(other?.missing).toMatchObject([
      { fact: "item.cost", reason: "unlisted", until: "known once data/cost.csv has a value for the item" }
    ])
  })
})
