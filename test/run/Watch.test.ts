/** `watch:` takes back what did harm, asks again where nobody knows, and never does the same at once again. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { File } from "../../src/engine/language/Load.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const scale = { campaigns: 3, items: 2, clusters: 10 }

const watching = (condition: string, ...more: ReadonlyArray<string>): File => ({
  path: "rules/raise.yaml",
  text: [
    "version: 1",
    "name: Raise",
    "mode: apply",
    "each: campaign_item",
    "where: campaign.payment = cpm and campaign.bid_type = manual",
    "when: campaign.status = active",
    "do:",
    "  raise_bid: {by: 10%, cap: 5000 ₽}",
    "cooldown: 30d",
    "watch:",
    "  after: [1d, 3d]",
    `  roll_back_when: ${condition}`,
    ...more,
    ""
  ].join("\n")
})

describe("a change under watch", () => {
  it("is taken back at its mark when the condition holds, with the value that says so", () =>
    Scenario.run({ rules: [watching("campaign.spend[1d] >= 1 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        yield* world.advance("12 hours")
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        yield* world.advance("13 hours")
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        expect(changes.length).toBe(rows.length)
        expect(changes[0]?.undoes?.policy).toBe("raise")
        expect(changes[0]?.reason.at(-1)?.condition).toBe("campaign.spend[1d] >= 1 ₽")
        expect(changes[0]?.reason.at(-1)?.value).toMatch(/₽/)
        yield* world.apply(planned)
        expect(Story.differing(world.ledger())).toEqual([])
      })
    ))

  it("stays when the condition does not hold, and is not asked about that mark again", () =>
    Scenario.run({ rules: [watching("campaign.spend[1d] >= 9000000 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        yield* world.advance("25 hours")
        const first = yield* world.plan
        expect(first.reviewed.plan.changes).toEqual([])
        expect(first.reviewed.plan.watched?.length).toBe(rows.length)
        const look = yield* world.plan
        expect(look.reviewed.plan.watched?.length).toBe(rows.length)
        yield* world.apply(look)
        expect((yield* world.plan).reviewed.plan.watched).toBeUndefined()
        yield* world.advance("2 days")
        expect((yield* world.plan).reviewed.plan.watched?.map(({ afterMs }) => afterMs / 3_600_000)[0]).toBe(
          72
        )
      })
    ))

  it("stays while nobody can answer, and is asked about again later", () =>
    Scenario.run({ rules: [watching("campaign.spend[1d] >= 1 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        yield* world.advance("25 hours")
        world.faults([{ kind: "errorBefore", operation: "getCampaignStats" }])
        const blind = yield* world.plan
        expect(blind.reviewed.plan.changes).toEqual([])
        expect(blind.reviewed.plan.watched).toBeUndefined()
        expect(
          blind.reviewed.plan.unknown.filter(({ because }) => Said.why({ because }).startsWith("watch 24h"))
            .length
        ).toBe(rows.length)
        world.faults([])
        expect((yield* world.plan).reviewed.plan.changes.length).toBe(rows.length)
      })
    ))

  it("stays while statistics cannot be true, and is asked about again when they are", () =>
    Scenario.run({ rules: [watching("campaign.spend[1d] >= 1 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        yield* world.advance("25 hours")
        world.faults([{ kind: "zeros", operation: "getCampaignStats" }])
        const doubted = yield* world.plan
        expect(doubted.reviewed.plan.observeOnly).toMatch(
          /campaign\.spend@1d is 0 in all, but \d+ was charged/
        )
        expect(doubted.reviewed.plan.changes).toEqual([])
        yield* world.apply(doubted)
        world.faults([])
        expect((yield* world.plan).reviewed.plan.changes.length).toBe(rows.length)
      })
    ))

  it("is not moved again by its policy before the watch's longest span is over", () =>
    Scenario.run(
      {
        rules: [
          {
            ...watching("campaign.spend[1d] >= 1 ₽"),
            text: watching("campaign.spend[1d] >= 1 ₽").text.replace("cooldown: 30d", "cooldown: 1h")
          }
        ],
        scale
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.apply(yield* world.plan)
          yield* world.advance("25 hours")
          const back = yield* world.apply(yield* world.plan)
          expect(back.rows.every(({ change }) => change.undoes !== undefined)).toBe(true)
          yield* world.advance("2 days")
          const rested = yield* world.plan
          expect(rested.reviewed.plan.changes).toEqual([])
          expect(Said.why(rested.reviewed.plan.unchanged[0])).toMatch(
            /^its watch took a change back; left alone until/
          )
          yield* world.advance("26 hours")
          expect((yield* world.plan).reviewed.plan.changes.length).toBe(back.rows.length)
        })
    ))

  it("is not moved again by its policy before that either when other policies have moved the bid since", () => {
    const { path, text } = watching("campaign.spend[1d] >= 1 ₽")
    const other = [
      "version: 1",
      "name: Other",
      "mode: apply",
      "each: campaign_item",
      "where: campaign.payment = cpm and campaign.bid_type = manual",
      "when: bid > 1 ₽",
      "do:",
      "  lower_bid: {by: 5%, floor: 100 ₽}",
      "cooldown: 1h",
      ""
    ].join("\n")
    const rules = [
      { path, text: text.replace("cooldown: 30d", "cooldown: 1h") },
      { path: "rules/other.yaml", text: other }
    ]
    return Scenario.run({ rules, scale }, (world) =>
      Effect.gen(function* () {
        const only = (policy: string) => world.planOf(new Set([policy]))
        yield* world.apply(yield* only("raise"))
        yield* world.advance("25 hours")
        const back = yield* world.apply(yield* only("raise"))
        expect(back.rows.every(({ change }) => change.undoes !== undefined)).toBe(true)
        yield* world.advance("4 hours")
        const moved = yield* world.apply(yield* only("other"))
        expect(moved.rows.length).toBe(back.rows.length)
        yield* world.advance("44 hours")
        const rested = yield* only("raise")
        expect(rested.reviewed.plan.changes).toEqual([])
        yield* world.advance("26 hours")
        expect((yield* only("raise")).reviewed.plan.changes.length).toBe(back.rows.length)
      })
    )
  })

  it("gone back leaves the earlier ones of its policy to revert_when", () => {
    const { path, text } = watching("campaign.spend[1d] >= 1 ₽")
    const reverting = text.replace("cooldown: 30d", "cooldown: 1h\nrevert_when: bid >= 4000 ₽")
    return Scenario.run({ rules: [{ path, text: reverting }], scale }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.apply(yield* world.plan)
        yield* world.advance("4 hours")
        const second = yield* world.apply(yield* world.plan)
        expect(second.rows.length).toBe(first.rows.length)
        yield* world.advance("25 hours")
        const back = yield* world.apply(yield* world.plan)
        expect(new Set(back.rows.map(({ change }) => change.undoes?.runId))).toEqual(new Set([second.runId]))
        const slots = yield* world.memory.slots(Scenario.account, 0)
        for (const { change, slot } of first.rows)
          expect(slots.get(slot)?.ours).toEqual({
            policy: "raise",
            before: change.before,
            after: change.after,
            returns: true
          })
      })
    )
  })

  it("is looked for among changes of its time, however long the past of its bid is", () => {
    const { path, text } = watching("campaign.spend[1d] >= 9000000 ₽")
    const rules = [{ path, text: text.replace("cooldown: 30d", "cooldown: 1h").replace("[1d, 3d]", "1h") }]
    return Scenario.run({ rules, scale }, (world) =>
      Effect.gen(function* () {
        for (const _ of Array.from({ length: 12 })) {
          yield* world.apply(yield* world.plan)
          yield* world.advance("2 days")
        }
        const log = Context.get(world.context, ChangeLog)
        const read: Array<number> = []
        const counting: typeof ChangeLog.Service = {
          ...log,
          ofSlots: (...asked) =>
            Effect.tap(log.ofSlots(...asked), ({ length }) => Effect.sync(() => read.push(length)))
        }
        const due = yield* Cycle.watchesDue(Scenario.account, world.rules.policies, world.now()).pipe(
          Effect.provideService(ChangeLog, counting),
          Effect.provide(world.context)
        )
        const slots = new Set(due.map(({ past }) => Kinds.slotOf(past.change))).size
        expect(slots).toBeGreaterThan(0)
        // Nobody asks about a change that is more than a week past its mark: of each slot at most the last four count.
        expect(read).toHaveLength(1)
        expect(read[0]).toBeLessThanOrEqual(slots * 4)
      })
    )
  })

  it("goes back by itself in mode approve too, as far as its policy approves of anything", () => {
    const { path, text } = watching("campaign.spend[1d] >= 1 ₽", "auto_approve: {bid_change: 1%}")
    const rules = [{ path, text: text.replace("mode: apply", "mode: approve") }]
    return Scenario.run({ rules, scale }, (world) =>
      Effect.gen(function* () {
        const asked = yield* world.plan
        const chosen = new Set(asked.reviewed.waiting.map(({ change }) => change.id))
        expect(chosen.size).toBeGreaterThan(0)
        const by = { approvedBy: "anna", account: Scenario.account, chosen }
        yield* Effect.provide(Cycle.apply(asked.reviewed, by), world.context)
        yield* world.advance("25 hours")
        const planned = yield* world.plan
        expect(planned.reviewed.waiting.length).toBe(chosen.size)
        const after = yield* Effect.provide(Asking.afterPlan(planned.reviewed), world.context)
        expect(after.waiting).toEqual([])
        expect(after.now.size).toBe(chosen.size)
      })
    )
  })

  it("is left alone when somebody has changed the value since", () =>
    Scenario.run({ rules: [watching("campaign.spend[1d] >= 1 ₽")], scale }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        const { campaignId, itemId } = rows[0]!.change.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks: 123_400 })
        yield* world.advance("25 hours")
        const { plan } = (yield* world.plan).reviewed
        expect(plan.changes.length).toBe(rows.length - 1)
        expect(
          plan.unchanged.some(({ because }) =>
            Said.why({ because }).includes("somebody has changed the value since")
          )
        ).toBe(true)
      })
    ))

  /** Lowers clusters that have no bid of their own, and takes that back after a day. */
  const lowering: ReadonlyArray<File> = [
    {
      path: "rules/lower.yaml",
      text: `version: 1
name: Lower
mode: apply
each: cluster
where: campaign.payment = cpm and campaign.bid_type = manual and not cluster.has_own_bid
when: campaign.status = active
do:
  lower_bid: {by: 10%, floor: 50 ₽}
cooldown: 30d
watch:
  after: [1d]
  roll_back_when: campaign.spend[1d] >= 1 ₽
`
    },
    {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: 300 ₽, cpc: 40 ₽}\n  human_edit_hold: 0d\n  enforce_max_bid: preview\n"
    }
  ]
  const small = { campaigns: 1, items: 1, clusters: 6 }

  it.each([
    ["to which max_bid lets it", 25_000, true],
    ["and stays where that is above max_bid", 90_000, false]
  ])("of a cluster without a bid of its own goes back to its item's bid of now, %s", (_, itemsBid, goes) =>
    Scenario.run({ rules: lowering, scale: small }, (world) =>
      Effect.gen(function* () {
        const { rows } = yield* world.apply(yield* world.plan)
        const ours = rows.filter(({ change }) => change.origin.name === "lower")
        expect(ours.length).toBeGreaterThan(2)
        const { campaignId, itemId } = ours[0]!.change.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: itemsBid, placement: "search" })
        yield* world.advance("26 hours")
        const sent = world.ledger().length
        const planned = yield* world.plan
        const { changes, held } = planned.reviewed.plan
        const back = [...changes, ...held.map(({ change }) => change)].filter(({ undoes }) => undoes)
        expect(back.map(({ after }) => after)).toEqual(ours.map(() => itemsBid))
        expect(back.every(({ moneyPerDayKopecks: money }) => typeof money !== "number" || money > 0)).toBe(
          true
        )
        expect(held.filter(({ change }) => change.undoes).map(({ by }) => by)).toEqual(
          goes ? [] : ours.map(() => "max_bid")
        )
        yield* world.apply(planned)
        const cleared = world
          .ledger()
          .slice(sent)
          .filter(({ slot }) => slot === "bid")
        expect(cleared.length).toBe(goes ? ours.length : 0)
      })
    )
  )
})
