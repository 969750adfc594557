/** What `optimise` takes for hidden: by the journal, and no longer than it is. */

import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Past from "../../src/engine/decide/optimise/Past.js"
import { Writer } from "../../src/engine/door/Writer.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as CallPlan from "../../src/engine/planning/CallPlan.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as OptimisePast from "../../src/engine/planning/OptimisePast.js"
import * as Calls from "../../src/marketplace/Calls.js"
import * as BudgetLines from "../../src/reporting/preview/BudgetLines.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }

const optimise: Load.File = {
  path: "rules/10-optimise.yaml",
  text: `version: 1
name: Best profit
mode: apply
each: campaign
where: campaign.status in [active, paused]
window: 14d
do:
  optimise: {margin: 25%, budget: 400 ₽, cap: {cpm: 260 ₽, cpc: 12 ₽}}
`
}

const stop: Load.File = {
  path: "rules/03-stop.yaml",
  text: `version: 1
name: Stop
mode: apply
each: campaign
where: campaign.status = active
window: yesterday
when: spend > 1 ₽
do: pause
`
}

const past = (world: Scenario.World, planned: Cycle.Planned) =>
  Effect.gen(function* () {
    const { edits } = yield* world.journal.stops(Scenario.account)
    return yield* OptimisePast.read(Scenario.account, world.rules.policies, planned.gathered, edits).pipe(
      Effect.provide(world.context)
    )
  })

const parkedIn = ({ reviewed }: Cycle.Planned) =>
  reviewed.plan.changes.flatMap((change) =>
    change.kind === "minus_phrase" && change.details.optimised?.verb === "park" ? [change.subject] : []
  )

const hourMs = 3_600_000
const hours = (ms: number) => ms / hourMs

describe("a cluster that was parked", () => {
  it("is hidden no longer than until somebody takes it out of the minus list", async () => {
    const { spans, tookOutMs } = await Scenario.run({ rules: [vars, optimise] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.apply(planned)
        yield* world.advance("24 hours")
        const [parked] = parkedIn(planned)
        const { campaignId, itemId } = parked!
        const slots = yield* world.memory.slots(Scenario.account, world.now())
        expect(slots.get(`minus:${campaignId}/${itemId}/${parked!.cluster}`)?.ours?.parked).toBe(true)
        const tookOutMs = world.now()
        world.edit({ campaignId: Number(campaignId), itemId: Number(itemId), minus: [] })
        yield* world.advance("2 hours")
        yield* world.plan
        yield* world.advance("96 hours")
        const { parkings } = yield* past(world, yield* world.plan)
        const spans = [...parkings].flatMap(([slot, own]) => (slot.includes(`${itemId}`) ? own : []))
        return { spans, tookOutMs }
      })
    )
    expect(spans.length).toBeGreaterThan(0)
    for (const { toMs } of spans) expect(hours(toMs - tookOutMs)).toBeLessThan(3)
  }, 60_000)

  it("is hidden until its undo is seen in place, and again once that is undone", async () => {
    const { again, undone } = await Scenario.run({ rules: [vars, optimise] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { runId } = yield* world.apply(planned)
        yield* world.advance("6 hours")
        const first = yield* Story.undo(world, runId)
        yield* world.advance("48 hours")
        const undone = yield* past(world, yield* world.plan)
        yield* Story.undo(world, first.report!.runId)
        yield* world.advance("24 hours")
        return { undone, again: yield* past(world, yield* world.plan) }
      })
    )
    const spans = [...undone.parkings.values()].flat()
    expect(spans.length).toBeGreaterThan(3)
    for (const { fromMs, toMs } of spans) expect(hours(toMs - fromMs)).toBeLessThan(7)
    for (const own of again.parkings.values())
      expect([own.length, own.at(-1)?.toMs]).toEqual([2, Number.POSITIVE_INFINITY])
  }, 60_000)
})

describe("a bid that optimise moved", () => {
  it("stands no longer than until an undo is seen in place", async () => {
    const { before, now, undoneMs } = await Scenario.run({ rules: [vars, optimise] }, (world) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.plan)
        yield* world.advance("1 hour")
        const before = yield* past(world, yield* world.plan)
        const undoneMs = world.now()
        yield* Story.undo(world, runId)
        yield* world.advance("24 hours")
        return { before, undoneMs, now: yield* past(world, yield* world.plan) }
      })
    )
    expect(before.own.length).toBeGreaterThan(10)
    expect(before.own.every(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY)).toBe(true)
    expect(now.own).toHaveLength(before.own.length)
    for (const { untilMs } of now.own) expect(hours(untilMs - undoneMs)).toBeLessThan(1)
    // The bids that stand are those from before, and only the policy's own moves tell which way it goes.
    expect(before.moves.size).toBeGreaterThan(5)
    for (const [slot, moves] of before.moves) {
      const [own, back] = now.moves.get(slot)!
      expect([own?.isOwn, back?.isOwn]).toEqual([true, false])
      expect(back?.afterKopecks).toBe(moves[0]?.beforeKopecks)
    }
  }, 60_000)
})

const twoCampaigns = (
  options = "park: no",
  window = "28d",
  where = "campaign.id in [1000001, 1000002]"
): Load.File => ({
  path: "rules/10-optimise.yaml",
  text: `version: 1
name: Best profit
mode: apply
each: campaign
where: ${where}
window: ${window}
do:
  optimise: {margin: 15%, budget: 2800 ₽, cap: {cpm: 600 ₽}, ${options}}
`
})

/** Nothing of what is spent is steered. */
const leavesAll = "leave: not query contains 'ъъъ'"

const move = (
  action: string,
  each: "cluster" | "campaign_item" = "cluster",
  more = "cooldown: 30d\n",
  where = "campaign.id in [1000001, 1000002]"
): Load.File => ({
  path: "rules/20-move.yaml",
  text: `version: 1
name: Move
mode: apply
each: ${each}
where: campaign.payment = cpm and ${where}
window: 28d
when: views < 1000000
do:
  ${action}
${more}`
})

/** Half as much again for every cluster, or for every item's bid, which clusters without one of their own follow. */
const raise = (each: "cluster" | "campaign_item" = "cluster"): Load.File =>
  move("raise_bid: {by: 50%, cap: 600 ₽}", each)

const asItStands = ({ reviewed }: Cycle.Planned) =>
  reviewed.plan.forecasts!.reduce((sum, one) => sum + one.before!.spendKopecks.mean, 0)

/** What the newest two days of its budgets were charged, kopecks a day. */
const chargedIn = ({ gathered: { campaignDays }, reviewed }: Cycle.Planned) =>
  reviewed.plan
    .forecasts!.flatMap(({ campaigns }) => campaigns)
    .flatMap((id) => campaignDays.get(CampaignId.make(id))!.days.slice(-2))
    .reduce((sum, { spendKopecks }) => sum + spendKopecks!, 0) / 2

/** What is expected of a day as the bids stand, before something moves them and after it, and what the two days behind it were charged. */
const around = (
  files: ReadonlyArray<Load.File>,
  moves: (world: Scenario.World) => Effect.Effect<unknown, unknown>
) =>
  Scenario.run({ rules: [vars, ...files] }, (world) =>
    Effect.gen(function* () {
      const optimised = world.planOf(new Set(["10-optimise"]))
      const before = asItStands(yield* optimised)
      yield* moves(world)
      yield* world.advance("1 hour")
      const after = yield* optimised
      yield* world.advance("72 hours")
      const later = yield* optimised
      return { before, plan: after.reviewed.plan, after: asItStands(after), later, came: chargedIn(later) }
    })
  )

/** As `bidhelm call … --yes` carries it out. */
const byHand = (world: Scenario.World, operation: string, request: object) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const call = { account: Scenario.account, operation, currency: "RUB", zone: "Europe/Moscow" }
    const wanted = yield* Calls.wanted(client, operation, request)
    const planned = yield* CallPlan.make(call, wanted)
    if (planned._tag !== "Plan") throw new Error(planned._tag)
    const { live, reviewed } = planned
    const whole = { operation, request, changes: reviewed.appliable, live }
    const by = { approvedBy: "anna (--yes)", account: Scenario.account }
    return yield* Cycle.apply(reviewed, by, { whole: true }).pipe(
      Effect.provideServiceEffect(
        Writer,
        Effect.flatMap(Writer, (own) => Calls.writer(own, client, whole, {}))
      )
    )
  }).pipe(Effect.provide(world.context))

const moved = (world: Scenario.World) =>
  Effect.flatMap(world.planOf(new Set(["20-move"])), (planned) => world.apply(planned))

describe("a bid that another rule moved", () => {
  for (const each of ["cluster", "campaign_item"] as const)
    it(`is expected to cost what it does now, where each ${each} was raised`, async () => {
      const { after, before, came } = await around([twoCampaigns(), raise(each)], moved)
      expect(came / before).toBeGreaterThan(1.5)
      expect(Math.abs(after / came - 1)).toBeLessThan(0.1)
    }, 60_000)
})

describe("a bid that another rule set to the minimum", () => {
  it("counts as shown for the little that it brings there", async () => {
    const lower = move("lower_bid: {by: 50%, floor: min_bid}")
    const { after, before, came } = await around([twoCampaigns(), lower], moved)
    expect(came / before).toBeLessThan(0.5)
    expect(Math.abs(after / came - 1)).toBeLessThan(0.15)
  }, 60_000)
})

describe("a bid that the rule does not move, and another one raised", () => {
  for (const each of ["cluster", "campaign_item"] as const)
    it(`is expected to cost what it does now, where each ${each} was raised`, async () => {
      const { after, before, came, later, plan } = await around([twoCampaigns(leavesAll), raise(each)], moved)
      expect(came / before).toBeGreaterThan(1.5)
      for (const told of [after, asItStands(later)]) {
        expect(told / came).toBeGreaterThan(0.95)
        expect(told / came).toBeLessThan(1.3)
      }
      expect(BudgetLines.of(plan).join()).toMatch(
        /by bids that the rule does not move, [\d\s]+ ₽ of it reckoned/
      )
    }, 60_000)
})

describe("a bid that was moved before the next run", () => {
  /** An hour of it is told by no statistics yet. */
  const expectNow = ({ after, before, came }: Awaited<ReturnType<typeof around>>) => {
    expect(Math.abs(came / before - 1)).toBeGreaterThan(0.25)
    expect(Math.abs(after / came - 1)).toBeLessThan(0.15)
  }

  it("by an overlay is expected to cost what it does under that", async () => {
    const overlay = move(
      "adjust_bid: {by: +50%, cap: 900 ₽}",
      "cluster",
      'schedule: {every: 30m, tz: Europe/Moscow}\nduring: {time: "08:00-23:00"}\n'
    )
    expectNow(await around([twoCampaigns(), overlay], moved))
  }, 60_000)

  it("by an undo of what had stood for ten days is expected to cost what it did before", async () => {
    const undone = (world: Scenario.World) =>
      Effect.gen(function* () {
        const { runId } = yield* world.apply(yield* world.planOf(new Set(["20-move"])))
        yield* world.advance("240 hours")
        yield* Story.undo(world, runId)
      })
    const { after, came } = await around([twoCampaigns("park: no", "14d"), raise()], undone)
    expect(Math.abs(after / came - 1)).toBeLessThan(0.15)
  }, 60_000)

  it("by a call is expected to cost what it does now", async () => {
    const called = (world: Scenario.World) =>
      Effect.gen(function* () {
        const { gathered } = yield* world.planOf(new Set(["10-optimise"]))
        const clusters = gathered.table("cluster")
        const bids = clusters.rows.flatMap(({ campaignId, cluster, itemId }, row) => {
          const bid = clusters.get(row, "cluster.bid")
          const inMinus = clusters.get(row, "cluster.in_minus")
          return bid._tag === "Known" && inMinus._tag === "Known" && inMinus.value === false
            ? [
                {
                  advert_id: campaignId,
                  nm_id: itemId,
                  norm_query: cluster,
                  bid: Math.round(Number(bid.value) / 66)
                }
              ]
            : []
        })
        const report = yield* byHand(world, "setClusterBids", { payload: { bids } })
        expect(report.rows.filter(({ state }) => state === "applied").length).toBeGreaterThan(20)
      })
    expectNow(await around([twoCampaigns()], called))
  }, 60_000)
})

describe("a cluster without a bid of its own", () => {
  const moved = (atMs: number, followed = false): Past.Moved => ({
    atMs,
    followed,
    isOwn: false,
    beforeKopecks: 100,
    afterKopecks: 200
  })
  const times = (own: ReadonlyArray<Past.Moved>, follows: boolean) =>
    Past.following(own, [moved(1), moved(3), moved(5)], follows).map(({ atMs }) => atMs)

  it("moves with its item's, before it has one and after it lost it", () => {
    expect(times([], true)).toEqual([1, 3, 5])
    expect(times([], false)).toEqual([])
    expect(times([moved(2, true)], false)).toEqual([1, 2])
    expect(times([moved(2, true), moved(4)], true)).toEqual([1, 2, 4, 5])
  })

  it("goes the way that its own moves went, whichever way its item's did", () => {
    const turning = [1, 3, 5].map((atMs) => ({
      ...moved(atMs),
      isOwn: true,
      beforeKopecks: atMs === 3 ? 300 : 100
    }))
    expect(Past.lastMove(Past.following([], turning, true), 9)).toEqual({})
    const up = { ...moved(4), isOwn: true, followed: true }
    expect(Past.lastMove(Past.following([up], turning, true), 9).lastMove).toMatchObject({
      direction: 1,
      turns: 0
    })
  })
})

describe("a campaign that a rule paused", () => {
  it("is paused no longer than until somebody starts it", async () => {
    const { spans, startedMs, paused } = await Scenario.run({ rules: [vars, optimise, stop] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.apply(planned)
        yield* world.advance("24 hours")
        const startedMs = world.now()
        const paused = planned.reviewed.plan.changes.flatMap(({ after, subject }) =>
          after === "paused" ? [Number(subject.campaignId)] : []
        )
        for (const campaignId of paused) world.edit({ campaignId, status: 9 })
        yield* world.advance("1 hour")
        yield* world.plan
        yield* world.advance("72 hours")
        const { pauses } = yield* past(world, yield* world.plan)
        return { paused, startedMs, spans: [...pauses.values()] }
      })
    )
    expect(paused.length).toBeGreaterThan(0)
    expect(spans).toHaveLength(paused.length)
    for (const own of spans)
      expect(Past.overlapDays(own, { fromMs: startedMs, toMs: startedMs + 3 * Days.dayMs })).toBeLessThan(0.1)
  }, 60_000)
})
