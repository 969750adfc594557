/** More pairs want a recommendation than the marketplace answers: who is asked, who is remembered, who waits. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import * as Window from "../../src/domain/Window.js"
import { factKey } from "../../src/engine/facts/Table.js"
import { FactMemory } from "../../src/engine/gather/FactSource.js"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Explanation from "../../src/reporting/explain/Explanation.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import { bare } from "../reporting/bare.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const scale = { campaigns: 8, items: 3, clusters: 4 }
const recommended = "getBidRecommendations"

const rule = (more = "") => ({
  path: "rules/01.yaml",
  text: `version: 1
name: raise
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.status = active
window: 7d
when:
  - views >= 1
  - bid < recommended.leaders
do:
  raise_bid: {by: 10%, cap: 900 ₽}
cooldown: 6h
${more}`
})

const story = <A>(
  options: Omit<Scenario.Options, "scale">,
  tell: (world: Scenario.World) => Effect.Effect<A, unknown>
) => Scenario.run({ scale, rules: [rule()], ...options }, tell)

/** Every pair that wants a recommendation, with its spend a week. */
const wanting = ({ gathered }: Cycle.Planned) => {
  const table = gathered.table("campaign_item")
  const number = (row: number, id: string) => {
    const cell = table.get(row, factKey({ id, window: Window.last(7) }))
    return cell._tag === "Known" ? Number(cell.value) : 0
  }
  return table.rows.flatMap((target, row) =>
    number(row, "campaign_item.views") >= 1
      ? [{ key: Target.key(target), spend: number(row, "campaign_item.spend") }]
      : []
  )
}

/** When each pair was last answered. */
const answered = (world: Scenario.World, planned: Cycle.Planned) =>
  Effect.map(
    Context.get(world.context, FactMemory).recall(
      Scenario.account,
      "recommendations",
      wanting(planned).map(({ key }) => key)
    ),
    (found) => new Map([...found].map(([key, { readAt }]) => [key, readAt]))
  )

/** Pairs asked since an instant, sorted. */
const askedSince = (world: Scenario.World, planned: Cycle.Planned, since: number) =>
  Effect.map(answered(world, planned), (all) =>
    [...all].flatMap(([key, at]) => (at >= since ? [key] : [])).sort()
  )

/** What was used of earlier runs' recommendations. */
const recalled = ({ gathered }: Cycle.Planned): ReadonlyMap<string, number> =>
  gathered.remembered.get("recommendations") ?? new Map()

describe("scarce facts under a limit", () => {
  it("go to the pairs with the most money at stake", () =>
    story({ maxScarceCalls: 5 }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const pairs = wanting(planned)
        expect(pairs.length).toBeGreaterThan(8)
        const richest = [...pairs].sort((a, b) => b.spend - a.spend).slice(0, 5)
        expect(yield* askedSince(world, planned, 0)).toEqual(richest.map(({ key }) => key).sort())
        expect(world.requests(recommended)).toBe(5)
      })
    ))

  it("are said to be left out, for which policy and why", () =>
    story({ maxScarceCalls: 5 }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const all = wanting(planned).length
        expect(planned.gathered.left).toEqual({ [recommended]: all - 5 })
        const text = `5 of ${all} pairs looked at, by value; ${all - 5} not looked at (the limit of ${recommended} leaves 5 calls)`
        expect(planned.reviewed.plan.notices).toEqual([{ policy: "01", campaignName: "", text }])
        expect(TextPreview.render(planned.reviewed.plan, { colour: false, all: false })).toContain(text)
        const left = planned.reviewed.plan.unknown.filter(({ because }) =>
          Said.why({ because }).includes("not fetched")
        )
        expect(left).toHaveLength(all - 5)
      })
    ))

  it("are remembered while they are fresh: the next run asks others, and uses both", () =>
    story({ maxScarceCalls: 5 }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const before = yield* askedSince(world, first, 0)
        yield* world.advance("5 minutes")
        const secondAt = world.now()
        const second = yield* world.plan
        const since = yield* askedSince(world, second, secondAt)
        expect(since).toHaveLength(5)
        expect(since.filter((key) => before.includes(key))).toEqual([])
        expect([...recalled(second).keys()].sort()).toEqual(before)
        const decided = wanting(second).length - (second.gathered.left[recommended] ?? 0)
        expect(decided).toBe(10)
      })
    ))

  it("need no call at all when everything is remembered, and the plan is the same", () =>
    story({}, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const calls = world.requests(recommended)
        const second = yield* world.plan
        expect(calls).toBe(wanting(first).length)
        expect(world.requests(recommended)).toBe(calls)
        expect(second.reviewed.plan.changes).toEqual(first.reviewed.plan.changes)
        expect(second.reviewed.plan.changes.length).toBeGreaterThan(0)
        const { subject: target } = second.reviewed.plan.changes[0]!
        const explained = (planned: Cycle.Planned) =>
          Explanation.make({
            ...bare,
            readings: planned.gathered.readings,
            target,
            policies: world.rules.policies,
            table: planned.gathered.table,
            plan: planned.reviewed.plan,
            remembered: planned.gathered.remembered
          })
            .policies[0]?.conditions.flatMap(({ sources }) => sources.map(({ text }) => text))
            .filter((text) => text.startsWith("recommendations"))
        expect(explained(first)).toEqual(["recommendations, read 09:00"])
        expect(explained(second)).toEqual(["recommendations, remembered from 09:00"])
      })
    ))

  it("are not believed when they come from the future, after the clock was set back", () =>
    story({}, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const memory = Context.get(world.context, FactMemory)
        const keys = wanting(planned).map(({ key }) => key)
        const known = yield* memory.recall(Scenario.account, "recommendations", keys)
        expect(known.size).toBeGreaterThan(0)
        const later = [...known.values()].map((one) => ({ ...one, readAt: one.readAt + 7 * 86_400_000 }))
        yield* memory.keep(Scenario.account, "recommendations", later)
        const before = world.requests("getBidRecommendations")
        yield* world.plan
        expect(world.requests("getBidRecommendations") - before).toBe(known.size)
      })
    ))

  it("never decide once they are stale: what is not asked again is unknown", () =>
    story({ maxScarceCalls: 5 }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        yield* world.advance("4 hours")
        const at = world.now()
        const second = yield* world.plan
        const fresh = yield* askedSince(world, second, at)
        expect(fresh).toHaveLength(5)
        expect(recalled(second).size).toBe(0)
        const acting = second.reviewed.plan.changes.map(({ subject: target }) => Target.key(target))
        expect(acting.filter((key) => !fresh.includes(key))).toEqual([])
        const pairs = wanting(first).length
        expect(second.gathered.left).toEqual({ [recommended]: pairs - 5 })
      })
    ))

  it("visit every pair in as few runs as the calls allow, with partial: rotate", () =>
    story({ maxScarceCalls: 4, rules: [rule("partial: rotate\n")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const pairs = wanting(first).map(({ key }) => key)
        expect(first.reviewed.plan.notices?.[0]?.text).toContain("the oldest first")
        const seen = new Set(yield* askedSince(world, first, 0))
        for (let run = 1; run < Math.ceil(pairs.length / 4); run++) {
          yield* world.advance("4 hours")
          const at = world.now()
          for (const key of yield* askedSince(world, yield* world.plan, at)) seen.add(key)
        }
        expect([...seen].sort()).toEqual([...pairs].sort())
      })
    ))

  it("come to pairs again that a clock which was ahead has answered, with partial: rotate", () =>
    story({ maxScarceCalls: 4, rules: [rule("partial: rotate\n")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        const memory = Context.get(world.context, FactMemory)
        const keys = wanting(first).map(({ key }) => key)
        const known = yield* memory.recall(Scenario.account, "recommendations", keys)
        const ahead = [...known.values()].map((one) => ({ ...one, readAt: one.readAt + 365 * 86_400_000 }))
        yield* memory.keep(Scenario.account, "recommendations", ahead)
        for (let run = 0; run <= Math.ceil(keys.length / 4); run++) {
          yield* world.advance("4 hours")
          yield* world.plan
        }
        const late = [...(yield* answered(world, first)).values()].filter((at) => at > world.now())
        expect([known.size, late]).toEqual([4, []])
      })
    ))

  it("are not lost when the run is killed half-way", () =>
    story({}, (world) =>
      Effect.gen(function* () {
        const killed = yield* Effect.timeoutOption(world.plan, "45 seconds")
        expect(killed._tag).toBe("None")
        const before = world.requests(recommended)
        expect(before).toBeGreaterThan(3)
        const planned = yield* world.plan
        const again = world.requests(recommended) - before
        const all = wanting(planned).length
        // One call was in the air when the run ended.
        expect(again).toBeGreaterThanOrEqual(all - before)
        expect(again).toBeLessThanOrEqual(all - before + 1)
        expect(planned.gathered.left).toEqual({})
      })
    ))

  it("are asked as they come when the calls suffice for everybody", () =>
    story({ maxScarceCalls: 1000 }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(planned.gathered.left).toEqual({})
        expect(world.requests(recommended)).toBe(wanting(planned).length)
        expect(planned.reviewed.plan.notices).toEqual([])
      })
    ))
})

it("is not asked for a campaign that does not run, since the marketplace only refuses: it is told in plain words", () =>
  story({ rules: [{ ...rule(), text: rule().text.replace(" and campaign.status = active", "") }] }, (world) =>
    Effect.gen(function* () {
      const first = yield* world.plan
      const campaignId = first.gathered.table("campaign_item").target(0).campaignId
      if (campaignId === undefined) throw new Error("no campaign")
      world.edit({ campaignId, status: 11 })
      yield* world.advance("4 hours")
      const asked = world.requests(recommended)
      const second = yield* world.plan
      const told = second.gathered.failures.filter(({ operation }) => operation === recommended)
      const messages = told.map(({ message }) => message)
      expect(messages).toContain(
        `getBidRecommendations: not asked: campaign ${campaignId} is paused, and bids are recommended only for a campaign that runs`
      )
      expect(messages.filter((message) => !message.includes("not asked"))).toEqual([])
      expect(world.requests(recommended) - asked).toBe(wanting(second).length - told.length)
    })
  ))
