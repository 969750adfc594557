import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const file = (name: string, text: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\n${text}`
})

const raising = (name: string, mode: string, by: string, more = "") =>
  file(
    name,
    `mode: ${mode}
each: campaign_item
where: [campaign.name matches 'Поиск*основная', campaign.payment = cpm]
when: bid > 1 ₽
do:
  raise_bid: {by: ${by}, cap: 900 ₽}
cooldown: 6h
${more}`
  )

/** As the scheduler does: plan, ask for what needs a person, apply the rest. */
const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const after = yield* Asking.afterPlan(planned.reviewed)
    const by = { approvedBy: "test", account: Scenario.account, chosen: after.now }
    yield* Cycle.apply(planned.reviewed, by)
    return { after, plan: planned.reviewed.plan }
  }).pipe(Effect.provide(world.context))

/** A person's no to all that waits. */
const reject = (world: Scenario.World, { request }: Asking.AfterPlan) =>
  Effect.gen(function* () {
    if (request === undefined) throw new Error("nothing waits")
    const store = yield* ApprovalStore
    const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
    expect(yield* store.decide(Scenario.account, request.id, no)).toBe(true)
  }).pipe(Effect.provide(world.context))

const idsOf = (all: ReadonlyArray<{ readonly change: { readonly id: string } }>) =>
  all.map(({ change }) => change.id)

describe("what a person rejected", () => {
  it("takes no room of changes_per_run: what it kept out is asked next", () =>
    Scenario.run({ rules: [raising("raise", "approve", "20%", "limits: {changes_per_run: 1}\n")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(first.after.waiting).toHaveLength(1)
        expect(first.plan.held.map(({ by }) => by)).toContain("changes_per_run")
        yield* reject(world, first.after)
        yield* world.advance("1 hours")
        const second = yield* cycle(world)
        expect(idsOf(second.after.rejected)).toEqual(idsOf(first.after.waiting))
        expect(second.after.waiting).toHaveLength(1)
        expect(idsOf(second.after.waiting)).not.toEqual(idsOf(first.after.waiting))
        expect(world.ledger()).toEqual([])
      })
    ))

  it("takes no room of the day's money for deposits", () => {
    const topUp = file(
      "topup",
      `mode: approve
each: campaign
when: budget < 1000000 ₽ and campaign.status = active
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽, policy_money_per_day: 1000 ₽}
`
    )
    return Scenario.run({ rules: [topUp] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(first.after.waiting).toHaveLength(1)
        yield* reject(world, first.after)
        yield* world.advance("1 hours")
        const { waiting } = (yield* cycle(world)).after
        expect(waiting).toHaveLength(1)
        expect(waiting[0]?.change.subject).not.toEqual(first.after.waiting[0]?.change.subject)
      })
    )
  })

  it("makes nothing pointless: a campaign whose pause was rejected gets its money", () => {
    const pause = file(
      "pause",
      "mode: approve\neach: campaign\nwhere: [campaign.name matches 'Поиск*основная']\nwhen: campaign.status = active\ndo: pause\n"
    )
    const topUp = file(
      "topup",
      `mode: apply
each: campaign
where: [campaign.name matches 'Поиск*основная']
when: budget < 1000000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽}
`
    )
    return Scenario.run({ rules: [pause, topUp] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(first.plan.unchanged.map(Said.why)).toEqual([
          "pause would pause the campaign, which gets no money then, if a person agrees (bidhelm approvals); until that is answered it stays as it is"
        ])
        yield* reject(world, first.after)
        yield* world.advance("1 hours")
        yield* cycle(world)
        expect(world.ledger().map(({ slot }) => slot)).toEqual(["budget"])
      })
    )
  })

  it("is not made by itself either, though it has become small within the day", () => {
    const raise = file(
      "raise",
      `mode: approve
auto_approve: {bid_change: 10%, money_per_day: 20 ₽}
each: cluster
window: 7d
where: [campaign.name matches 'Поиск*основная', campaign.payment = cpm]
when: views >= 10
do:
  raise_bid: {by: 6%, cap: 900 ₽}
cooldown: 6h
`
    )
    return Scenario.run({ rules: [raise] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const asked = first.after.waiting.filter(({ why }) => why.includes("together would add"))
        expect(asked.length).toBeGreaterThan(1)
        yield* reject(world, first.after)
        const [kept, ...others] = asked
        const holdings = yield* Effect.provide(Holdings, world.context)
        for (const { change } of others) {
          const what = Target.key(change.subject)
          const hold = { account: Scenario.account, kind: "target" as const, what, by: "anna" }
          yield* holdings.place({ ...hold, since: world.now() })
        }
        yield* world.advance("1 hours")
        const before = world.ledger().length
        const second = yield* cycle(world)
        expect(idsOf(second.after.rejected)).toContain(kept?.change.id)
        expect(idsOf(second.after.automatic)).not.toContain(kept?.change.id)
        expect(world.ledger().length).toBe(before)
      })
    )
  })

  it("keeps its slot for that day: no other rule sets something else there in its place", () =>
    Scenario.run({ rules: [raising("ask", "approve", "20%"), raising("do", "apply", "30%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(
          first.plan.changes.map(({ overruled, origin: { name: policy } }) => [policy, overruled])
        ).toContainEqual(["ask", ["do"]])
        yield* reject(world, first.after)
        yield* world.advance("1 hours")
        const { held } = (yield* cycle(world)).plan
        expect(new Set(Said.held(held).map(({ by, limit, over }) => `${by}: ${limit}, ${over}`))).toEqual(
          new Set(["rejected: rejected by anna, not asked again until 2026-09-02 09:00"])
        )
        expect(world.ledger()).toEqual([])
        yield* world.advance("24 hours")
        expect((yield* cycle(world)).after.waiting).toHaveLength(first.after.waiting.length)
      })
    ))
})
