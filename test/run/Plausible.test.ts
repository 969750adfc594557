import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Scenario from "../scenario/Scenario.js"

/** Lowers clusters that nobody ordered from; asks for no statistics of their campaigns. */
const lower = `version: 1
name: Lower
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: cluster
where: campaign.bid_type = manual and campaign.payment = cpm
window: 7d
when:
  - orders <= 0
  - spend <= 100 ₽
do:
  lower_bid: {by: 10%, floor: min_bid}
`
const limits = `version: 1
kind: limits
account:
  max_bid: {cpm: 900 ₽, cpc: 40 ₽}
`
/** The rule for the campaigns of which something more is true. */
const filesFor = (more = "campaign.status = active") => [
  { path: "rules/10-lower.yaml", text: lower.replace("where:", `where: ${more} and`) },
  { path: "rules/_shared/limits.yaml", text: limits }
]
/** The rule as it lowers every cluster, with something else in its text. */
const rewritten = (from: string, to: string) => {
  const text = lower
    .replace("orders <= 0", "orders <= 90000")
    .replace("spend <= 100 ₽", "spend <= 900000 ₽")
    .replace(from, to)
  return filesFor().map((file) => (file.text === limits ? file : { ...file, text }))
}

describe("a first run in which nothing was shown of any cluster", () => {
  const nothingShown = [{ kind: "zeros" as const, operation: "getClusterStats" }]

  it("only looks when their campaigns were charged for these days", () =>
    Scenario.run({ rules: filesFor() }, (world) =>
      Effect.gen(function* () {
        world.faults(nothingShown)
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toMatch(
          /cluster\.spend@7d is zero in all \d+ rows, but \d+ was charged to their campaigns/
        )
        expect(planned.reviewed.appliable).toEqual([])
        expect(world.requests("getCostHistory")).toBeGreaterThan(0)
        yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("holds the most days that rules ask about against what was charged: of one day the sums may be small", () => {
    const pause = `version: 1
name: Pause
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status = active
window: 1d
when:
  - spend <= 0 ₽
  - spend[7d] <= 0 ₽
do: pause
`
    const rules = [{ path: "rules/10-pause.yaml", text: pause }]
    return Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "zeros", operation: "getCampaignStats" }])
        const { reviewed } = yield* world.plan
        expect(reviewed.plan.observeOnly).toMatch(/campaign\.spend@7d/)
        expect(reviewed.appliable).toEqual([])
      })
    )
  })

  it("counts no run of hold_for: what nobody may believe is no match", () => {
    const rules = rewritten("\ndo:", "\nhold_for: 2 runs\ndo:")
    return Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        world.faults(nothingShown)
        const doubted = yield* world.plan
        expect(doubted.reviewed.plan.observeOnly).toMatch(/is zero in all/)
        yield* world.apply(doubted)
        world.faults([])
        yield* world.advance("24 hours")
        const first = yield* world.plan
        expect(first.reviewed.plan.observeOnly).toBeUndefined()
        expect(first.reviewed.plan.changes).toEqual([])
        yield* world.apply(first)
        yield* world.advance("24 hours")
        expect((yield* world.plan).reviewed.plan.changes.length).toBeGreaterThan(0)
      })
    )
  })

  it("takes nothing back that a person was asked for before", () => {
    const asking = rewritten("mode: apply", "mode: approve")
    const listed = Effect.flatMap(ApprovalStore, (store) => store.list(Scenario.account, 10))
    return Scenario.run({ rules: asking }, (world) =>
      Effect.gen(function* () {
        const before = yield* Asking.afterPlan((yield* world.plan).reviewed)
        expect(before.waiting.length).toBeGreaterThan(0)
        world.faults(nothingShown)
        const doubted = yield* world.plan
        expect(doubted.reviewed.plan.observeOnly).toMatch(/is zero in all/)
        expect((yield* Asking.afterPlan(doubted.reviewed)).waiting).toEqual([])
        expect((yield* listed).map(({ id, state }) => [id, state])).toEqual([
          [before.request?.id, "requested"]
        ])
      }).pipe(Effect.provide(world.context))
    )
  })

  it("says nothing where campaigns are shown in recommendations too, for these may have cost it all", () =>
    Scenario.run({ rules: filesFor("campaign.recommendations") }, (world) =>
      Effect.gen(function* () {
        world.faults(nothingShown)
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toBeUndefined()
      })
    ))

  it("asks nobody what was charged when one cluster was shown", () =>
    Scenario.run({ rules: filesFor() }, (world) =>
      Effect.gen(function* () {
        world.faults([{ ...nothingShown[0]!, share: 0.5 }])
        const planned = yield* world.plan
        expect(planned.reviewed.plan.observeOnly).toBeUndefined()
        expect(world.requests("getCostHistory")).toBe(0)
      })
    ))
})

/** Pauses what has spent its day's money, and starts it again when the day's spend is small. */
const stop = `version: 1
name: Stop
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status in [active, paused]
window: today
when: spend >= 10 ₽
do: pause
revert_when: spend < 5 ₽
`

describe("campaigns that were paused for what they spent today", () => {
  const stopping = [
    { path: "rules/10-stop.yaml", text: stop },
    { path: "rules/_shared/limits.yaml", text: limits }
  ]
  const statuses = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "status")

  it("are not started again when today's spend is all zero though it was charged", () =>
    Scenario.run({ rules: stopping }, (world) =>
      Effect.gen(function* () {
        yield* world.advance("5 hours")
        yield* world.apply(yield* world.plan)
        const paused = statuses(world).length
        expect(paused).toBeGreaterThan(0)
        yield* world.advance("1 hour")
        world.faults([{ kind: "zeros", operation: "getCampaignStats" }])
        const planned = yield* world.plan
        expect(planned.reviewed.plan.changes.length).toBeGreaterThan(0)
        expect(planned.reviewed.plan.observeOnly).toMatch(
          /campaign\.spend@today is zero in all \d+ rows, but \d+ was charged today/
        )
        yield* world.apply(planned)
        expect(statuses(world)).toHaveLength(paused)
      })
    ))
})

const rule = (name: string, body: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign_item
where: campaign.payment = cpm and campaign.bid_type = manual
window: 7d
${body}
`
})
/** Asks for the spend, and changes nothing but on the day it is applied alone. */
const cut = rule("cut", "when: spend >= 1 ₽\ndo:\n  lower_bid: {by: 50%, floor: min_bid}\ncooldown: 9d")
const night = rule("night", 'during: {time: "10:00-12:00"}\ndo:\n  adjust_bid: {by: -90%, floor: min_bid}')
const off = {
  path: "rules/off.yaml",
  text: cut.text
    .replace(/each: .*$/s, "each: campaign\nwindow: 7d\nwhen: spend >= 1 ₽\ndo: pause\n")
    .replace("name: cut", "name: off")
}
const two = {
  rules: [
    cut,
    night,
    { path: "rules/_shared/limits.yaml", text: limits.replace("cpm: 900 ₽", "cpm: 9000 ₽") }
  ],
  scale: { campaigns: 2, items: 1, clusters: 3 }
}
const hundredfold = { kind: "hundredfold" as const, operation: "getCampaignStats" }
const unchargeable = { kind: "errorBefore" as const, operation: "getCostHistory" }

/** The bids of both campaigns in search, set by hand, kopecks. */
const setByHand = (world: Scenario.World, bidKopecks: number) =>
  Effect.map(world.plan, ({ gathered }) => {
    const items = gathered.table("campaign_item")
    for (let row = 0; row < items.size; row++) {
      const { campaignId, itemId } = items.target(row)
      if (campaignId !== undefined && itemId !== undefined)
        world.edit({ campaignId, itemId, bidKopecks, placement: "search" })
    }
  })
const doubt = (world: Scenario.World) =>
  Effect.map(world.plan, ({ reviewed }) => reviewed.plan.observeOnly ?? "none")

describe("bids that fell below a tenth of what most of the spend was paid at", () => {
  it("by hand: nothing is wrong when that spend was charged; nobody knows while charges cannot be read", () =>
    Scenario.run(two, (world) =>
      Effect.gen(function* () {
        yield* setByHand(world, 400_000)
        yield* world.advance("96 hours")
        yield* setByHand(world, 8_000)
        yield* world.advance("1 hour")
        const before = world.requests("getCostHistory")
        expect(yield* doubt(world)).toBe("none")
        expect(world.requests("getCostHistory") - before).toBe(1)
        world.faults([unchargeable])
        expect(yield* doubt(world)).toMatch(
          /campaign_item\.spend@7d: .*unless somebody lowered bids that far/
        )
        world.faults([hundredfold])
        expect(yield* doubt(world)).toMatch(/campaign_item\.spend@7d: /)
      })
    ))

  /** Halved by a rule at 09:00, and from 10:00 on a tenth of that by an overlay, which is over by now. */
  const fallen = (world: Scenario.World) =>
    Effect.gen(function* () {
      yield* setByHand(world, 400_000)
      yield* world.advance("96 hours")
      yield* world.apply(yield* world.planOf(new Set(["cut"])))
      yield* world.advance("1 hour")
      yield* world.apply(yield* world.planOf(new Set(["night"])))
      expect(world.ledger().map(({ after }) => after)).toEqual([200_000, 200_000, 20_000, 20_000])
      yield* world.advance("3 hours")
    })

  it("by rules and overlays: the journal knows what they were, and doubts only what is too much even for that", () =>
    Scenario.run(two, (world) =>
      Effect.gen(function* () {
        yield* fallen(world)
        world.faults([unchargeable])
        expect(yield* doubt(world)).toBe("none")
        world.faults([unchargeable, hundredfold])
        expect(yield* doubt(world)).toMatch(/campaign_item\.spend@7d: /)
      })
    ))

  it("are given back by an overlay whose time is over though statistics cannot be true; nothing else is done", () =>
    Scenario.run({ ...two, rules: [...two.rules, off] }, (world) =>
      Effect.gen(function* () {
        yield* fallen(world)
        world.faults([hundredfold])
        const planned = yield* world.plan
        expect(planned.reviewed.plan.observeOnly).toMatch(/but the end of overlays/)
        expect(new Set(planned.reviewed.plan.changes.map(({ action }) => action))).toEqual(
          new Set(["adjust_bid", "pause"])
        )
        yield* world.apply(planned)
        expect(
          world
            .ledger()
            .slice(4)
            .map(({ after }) => after)
        ).toEqual([200_000, 200_000])
      })
    ))
})

describe("rules that ask different windows of different campaigns", () => {
  const asking = (name: string, where: string, window: string) => ({
    path: `rules/${name}.yaml`,
    text: `version: 1\nname: ${name}\nmode: apply\nschedule: {every: 1h, tz: Europe/Moscow}\neach: campaign\nwhere: ${where}\nwindow: ${window}\nwhen: views < 5 and spend < 5 ₽\ndo: pause\n`
  })

  it("make no doubt: one campaign has shown something in 14 days, all of them in 30", () => {
    const rules = [
      asking("one", "campaign.id = 1000001", "14d"),
      asking("all", "campaign.status in [active, paused]", "30d")
    ]
    return Scenario.run({ rules, scale: { campaigns: 8, items: 1, clusters: 3 } }, (world) =>
      Effect.gen(function* () {
        const { gathered, reviewed } = yield* world.plan
        const known = (fact: string) => {
          const rows = gathered.table("campaign")
          return rows.rows.filter((_, row) => rows.get(row, fact)._tag === "Known").length
        }
        expect(known("campaign.views@14d")).toBe(1)
        expect(known("campaign.views@30d")).toBeGreaterThanOrEqual(5)
        expect(reviewed.plan.observeOnly).toBeUndefined()
      })
    )
  })
})

describe("a run whose statistics are wrong", () => {
  it("only looks: the plan shows its changes and says why none can be applied", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        for (let day = 0; day < 4; day++) {
          const { plan } = (yield* world.plan).reviewed
          expect(plan.observeOnly).toBeUndefined()
          yield* world.advance("24 hours")
        }
        world.faults([
          { kind: "zeros", operation: "getCampaignStats" },
          { kind: "zeros", operation: "getClusterStats" }
        ])
        const planned = yield* world.plan
        expect(planned.reviewed.appliable).toEqual([])
        expect(planned.reviewed.plan.observeOnly).toMatch(/only looks/)
        expect(planned.reviewed.plan.notices?.map(({ text }) => text)).toContain(
          planned.reviewed.plan.observeOnly
        )
        yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
        world.faults([])
        expect((yield* world.plan).reviewed.appliable.length).toBeGreaterThan(0)
      })
    ))
})

describe("a spend that fell beyond a tenth because campaigns were paused in the night", () => {
  const lowered = rule(
    "lowered",
    "when: spend[1d] >= 1 ₽\ndo:\n  lower_bid: {by: 2%, floor: min_bid}\ncooldown: 1d"
  )
  const scale = { campaigns: 12, items: 2, clusters: 3 }

  it("makes no doubt while as little was charged; it does where nobody can tell", () =>
    Scenario.run({ rules: [lowered], scale }, (world) =>
      Effect.gen(function* () {
        yield* setByHand(world, 60_000)
        for (let day = 0; day < 5; day++) {
          expect(yield* doubt(world)).toBe("none")
          yield* world.advance("24 hours")
        }
        yield* world.advance("17 hours")
        const campaigns = (yield* world.plan).gathered.table("campaign")
        for (const [row] of campaigns.rows.entries())
          world.edit({ campaignId: campaigns.target(row).campaignId!, status: 11 })
        yield* world.advance("31 hours")
        const before = world.requests("getCostHistory")
        expect(yield* doubt(world)).toBe("none")
        expect(world.requests("getCostHistory") - before).toBe(1)
        world.faults([unchargeable])
        expect(yield* doubt(world)).toMatch(/campaign_item\.spend@1d is \d+ in all, usually \d+ at this hour/)
      })
    ))
})
