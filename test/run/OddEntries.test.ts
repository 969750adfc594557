/**
 * One odd entry in an answer of the sandbox, from the plan to its ledger: nothing is done of what it would have said, and
 * all else is done as if it had been read.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { beforeAll, describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const odd = (
  operation: string,
  at: string,
  put: Record<string, unknown>,
  more: Partial<Faults.Fault> = {}
): Faults.Fault => ({ kind: "oddEntry", operation, at, put, ...more })

const nameOf = ({ action, subject: target }: Change): string => `${action} ${Target.key(target)}`

/** A run with odd entries from the beginning: its changes, what the plan says was not read, and what was accepted. */
const told = (rules: Scenario.Options["rules"], ...faults: ReadonlyArray<Faults.Fault>) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => {
    said.push(String(message))
  })
  return Scenario.run(rules === undefined ? {} : { rules }, (world) =>
    Effect.gen(function* () {
      world.faults(faults)
      const planned = yield* world.plan
      const { changes } = planned.reviewed.plan
      yield* world.apply(planned)
      return {
        changes: changes.map(nameOf),
        failures: planned.gathered.failures.map(({ message }) => message),
        unknown: planned.reviewed.plan.unknown.map(
          ({ subject: target, because }) => `${Target.key(target)}: ${Said.why({ because })}`
        ),
        written: world
          .ledger()
          .map(({ slot, target }) => `${slot} ${Object.values(target).join("/")}`)
          .sort(),
        said
      }
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  )
}

type Told = Awaited<ReturnType<typeof told>>
let whole: Told
beforeAll(async () => {
  whole = await told(undefined)
})

const under = (scope: string) => (line: string) => line.includes(` ${scope}`)

describe("an entry that cannot be read", () => {
  const cases: ReadonlyArray<readonly [what: string, scope: string, fault: Faults.Fault, place: string]> = [
    [
      "settings of a campaign",
      "1000001",
      odd("getCampaigns", "adverts", { status: "9" }),
      "adverts.0.status"
    ],
    [
      "an item of a campaign, which takes its campaign with it",
      "1000001",
      odd("getCampaigns", "adverts.*.nm_settings", { nm_id: "first" }),
      "adverts.0.nm_settings.0.nm_id"
    ],
    [
      "a campaign of the list",
      "1000001",
      odd("listCampaignIds", "adverts.*.advert_list", { advertId: null }),
      "adverts.0.advert_list.0.advertId"
    ],
    [
      "clusters of a pair",
      "1000001/200000001/",
      odd("listClusters", "items", { normQueries: ["перчатки"] }),
      "items.0.normQueries"
    ],
    [
      "statistics of a pair",
      "1000001/200000001/",
      odd("getClusterStats", "stats", { stats: "none" }),
      "stats.0.stats"
    ]
  ]
  it.each(cases)("leaves %s unknown, and lets the others act", async (what, scope, fault, place) => {
    const found = await told(undefined, fault)
    const isConcerned = what.startsWith("advice")
      ? (line: string) => !found.changes.includes(line)
      : under(scope)
    const rest = whole.changes.filter((line) => !isConcerned(line))
    expect(rest.length).toBeGreaterThan(0)
    expect(rest.length).toBeLessThan(whole.changes.length)
    expect(found.changes).toEqual(rest)
    expect(found.failures.join("\n")).toContain(what.startsWith("a campaign of") ? "does not name" : place)
    expect(found.said.join("\n")).toContain(`${fault.operation}: an entry could not be read, ${place}`)
    expect(found.written.length).toBeGreaterThan(0)
    expect(whole.written).toEqual(expect.arrayContaining(found.written))
  })
})

const rule = (id: string, text: string) => ({
  path: `rules/${id}.yaml`,
  text: `version: 1\nname: ${id}\nmode: apply\n${text}\n`
})
const running = "where: [campaign.status = active, campaign.payment = cpm]\n"
const raise = "do:\n  raise_bid: {by: 10%, cap: 2000 ₽}\ncooldown: 10m"

describe("advice that cannot be read", () => {
  it("is not missing: its cluster alone is left as it is", async () => {
    const found = await told(undefined, odd("getBidRecommendations", "normQueries", { reachMax: 29_700 }))
    const lost = whole.changes.filter((line) => !found.changes.includes(line))
    expect(lost.length).toBeGreaterThan(0)
    expect(found.changes).toEqual(whole.changes.filter((line) => !lost.includes(line)))
    for (const line of lost)
      expect(found.unknown).toContainEqual(
        expect.stringContaining(`${line.replace("raise_bid ", "")}: bid < recommended.reach_max`)
      )
    expect(found.written.length).toBeGreaterThan(0)
  })
})

describe("statistics of a cluster that cannot be read", () => {
  const rules = [
    rule(
      "a",
      `each: cluster\n${running}window: 7d\nwhen: [orders default 0 < 1000000, cluster.has_own_bid = no]\n${raise}`
    )
  ]
  const pair = "1000001/200000001/"
  const stats = "stats.*.stats"

  it("are not taken for none, and the pair's others stand", async () => {
    const all = await told(rules)
    const found = await told(rules, odd("getClusterStats", stats, { orders: "many" }))
    const lost = all.changes.filter((line) => !found.changes.includes(line))
    expect(lost).toHaveLength(1)
    expect(lost[0]).toContain(pair)
    expect(found.changes).toEqual(all.changes.filter((line) => !lost.includes(line)))
    expect(found.failures.join("\n")).toContain("stats.0.stats.0.orders")
    expect(found.written).toEqual(all.written.filter((line) => found.written.includes(line)))
    expect(found.written).toHaveLength(all.written.length - 1)
  })

  it("without a name may be those of any cluster of the pair that has none", async () => {
    const all = await told(rules)
    const found = await told(rules, odd("getClusterStats", stats, { norm_query: null }))
    const lost = all.changes.filter((line) => !found.changes.includes(line))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.filter((line) => !line.includes(pair))).toEqual([])
    expect(found.changes.filter(under(pair)).length).toBeGreaterThan(0)
  })
})

describe("a cluster's own bid that cannot be read", () => {
  const rules = [rule("a", `each: cluster\n${running}when: bid > 0 ₽\n${raise}`)]
  /** Every cluster has a bid of its own; then the next answers are odd, and the rule looks again. */
  const again = (put: Record<string, unknown>, isArmedLate = false) =>
    Scenario.run({ rules, scale: { campaigns: 3, items: 4, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("1 hours")
        const before = world.ledger().length
        const fault = odd("getClusterBids", "bids", put)
        if (!isArmedLate) world.faults([fault])
        const planned = yield* world.plan
        world.faults([fault])
        const report = yield* world.apply(planned)
        const written = world.ledger().slice(before)
        return {
          planned: planned.reviewed.plan.changes.length,
          skipped: report.rows.filter(({ state }) => state === "skipped").map(Reasons.ofRow),
          written: written.map(({ after, before: from }) => [from, after]),
          failures: planned.gathered.failures.map(({ message }) => message)
        }
      }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
    )

  let all: Awaited<ReturnType<typeof again>>
  beforeAll(async () => {
    all = await again({})
  })

  it("is not the item's bid: that cluster is left as it is, and the others act", async () => {
    const found = await again({ bid_kopecks: "much" })
    expect(all.planned).toBeGreaterThan(10)
    expect(found.planned).toBe(all.planned - 1)
    expect(found.written).toHaveLength(all.written.length - 1)
    expect(all.written).toEqual(expect.arrayContaining(found.written))
    expect(found.failures.join()).toContain("bids.0.bid_kopecks")
  })

  it("of no named cluster leaves its pair alone, and of no named pair all of them", async () => {
    const ofPair = await again({ norm_query: null, bid_kopecks: "much" })
    expect(ofPair.written.length).toBeGreaterThan(0)
    expect(ofPair.written.length).toBeLessThan(all.written.length - 1)
    const ofNobody = await again({ nm_id: null, bid_kopecks: "much" })
    expect(ofNobody.written).toEqual([])
  })

  it("just before it would be written is left as it is", async () => {
    const found = await again({ bid_kopecks: "much" }, true)
    expect(found.planned).toBe(all.planned)
    expect(found.skipped.filter((why) => why?.includes("the cluster's bid was not answered"))).toHaveLength(1)
    expect(found.written).toHaveLength(all.written.length - 1)
  })
})

describe("a minus list that cannot be read", () => {
  const writing = (put: Record<string, unknown>, more: Partial<Faults.Fault> = {}) =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([odd("getMinusPhrases", "items", put, more)])
        yield* world.apply(planned)
        const pairs = (targets: ReadonlyArray<object>) => [
          ...new Set(targets.map((one) => Object.values(one).slice(0, 2).join("/")))
        ]
        return {
          meant: pairs(
            planned.reviewed.plan.changes.flatMap(({ kind, subject }) =>
              kind === "minus_phrase" ? [subject] : []
            )
          ),
          written: pairs(
            world
              .ledger()
              .flatMap(({ operation, target }) => (operation === "setMinusPhrases" ? [target] : []))
          )
        }
      }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
    )

  it("is never replaced, and those of the other pairs are", async () => {
    const once = await writing({ norm_queries: ["зима", 5] }, { count: 1 })
    expect(once.meant.length).toBeGreaterThan(2)
    expect(once.written).toEqual(once.meant.slice(1))
    // Right before it is written a pair is read alone: there the odd entry is the only one.
    expect((await writing({ norm_queries: ["зима", 5] })).written).toEqual([])
  })

  it("of no named pair may be a second one of any: none is replaced", async () => {
    expect((await writing({ nm_id: null })).written).toEqual([])
  })
})

describe("statistics of a campaign that cannot be read", () => {
  it("stop nothing and count as no sum: no deposit is made while today's spend is not whole", async () => {
    const daily = Scenario.atOnce().filter(({ path }) => /_shared|0[23]-/.test(path))
    const all = await told(daily)
    const found = await told(daily, odd("getCampaignStats", "", { sum: "5389" }, { nth: 2 }))
    expect(all.changes.filter((line) => line.startsWith("pause"))).toEqual(["pause 1000003"])
    expect(found.changes).toEqual(all.changes.filter((line) => !line.startsWith("pause")))
    expect(found.unknown.join("\n")).toContain("1000003: spend")

    const rules = [
      rule(
        "a",
        "each: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 2000 ₽, from: balance}\nlimits: {money_per_day: 2000 ₽}"
      ),
      {
        path: "rules/_shared/limits.yaml",
        text: "version: 1\nkind: limits\naccount:\n  spend_per_day: 10000000 ₽\n  money_per_day: 100000 ₽\n"
      }
    ]
    expect((await told(rules)).written.length).toBeGreaterThan(0)
    const unsure = await told(rules, odd("getCampaignStats", "", { advertId: null, sum: "5389" }))
    expect(unsure.changes).toEqual([])
    expect(unsure.written).toEqual([])
  })
})

describe("charges that cannot be read in part", () => {
  it("prove nothing: a deposit is not even tried", () =>
    Scenario.run(
      {
        rules: [
          rule(
            "a",
            "each: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 2000 ₽, from: balance}\nlimits: {money_per_day: 2000 ₽}"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
          world.faults([odd("getCostHistory", "", { updSum: "5" })])
          yield* world.apply(planned)
          expect(world.requests("getCostHistory")).toBeGreaterThan(0)
          expect(world.requests("depositCampaignBudget")).toBe(0)
        })
    ))
})

describe("least bids that cannot be read", () => {
  const rules = [
    rule(
      "a",
      "each: campaign_item\nwhere: [campaign.status = active, campaign.payment = cpm]\nwindow: 7d\nwhen: [views > 0, bid >= min_bid]\ndo:\n  raise_bid: {by: 10%, cap: 2000 ₽}"
    )
  ]

  it("leave their item as it is, and the campaign's others act", async () => {
    const all = await told(rules)
    const found = await told(rules, odd("getMinimumBids", "bids", { bids: 5 }, { count: 1 }))
    const lost = all.changes.filter((line) => !found.changes.includes(line))
    expect(lost).toHaveLength(1)
    expect(found.changes).toEqual(all.changes.filter((line) => !lost.includes(line)))
    expect(found.failures.join()).toContain(
      "getMinimumBids: the answer could not be read (200): an entry could not be read, bids.0.bids"
    )
    expect(found.written.length).toBeGreaterThan(0)
  })
})
