/** What only waits for a person, beside what goes at once: judged by what reached the marketplace (decision 0028). */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../src/engine/planning/Approvals.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const account = (text: string): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\naccount: {${text}}\n`
})

const topUp: Load.File = {
  path: "rules/topup.yaml",
  text: `version: 1
name: top up
mode: apply
each: campaign
when: budget < 1000000 ₽ and campaign.status = active
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽, policy_money_per_day: 10000 ₽}
`
}

const afterPlan = (world: Scenario.World, planned: Cycle.Planned) =>
  Approvals.afterPlan(planned.reviewed).pipe(Effect.provide(world.context))

/** As the scheduler does: plan, ask for what needs a person, apply the rest. */
const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const after = yield* afterPlan(world, planned)
    yield* apply(world, planned.reviewed, after.now)
    return { planned, after }
  })

const apply = (world: Scenario.World, reviewed: Review.ReviewedPlan, chosen: ReadonlySet<string>) =>
  Cycle.apply(reviewed, { approvedBy: "test", account: Scenario.account, chosen }).pipe(
    Effect.provide(world.context)
  )

describe("what only waits for a person", () => {
  const file = (name: string, mode: string, rest: string): Load.File => ({
    path: `rules/${name}.yaml`,
    text: `version: 1\nname: ${name}\nmode: ${mode}\n${rest}`
  })
  const clusters = "each: cluster\nwhere: campaign.payment = cpm and not cluster.in_minus\nwindow: 7d\n"
  const minus = file("minus", "approve", `${clusters}when: views >= 10\ndo: add_minus\n`)
  const moving = (how: string) => file("move", "apply", `${clusters}when: views >= 10\ndo: ${how}\n`)
  const stop = file(
    "stop",
    "approve",
    `each: campaign\nwhere: campaign.name matches 'Поиск*основная'\nwhen: campaign.status = active\ndo: pause\n`
  )
  const whys = ({ unchanged }: Review.ReviewedPlan["plan"]) =>
    new Set(
      unchanged.flatMap((row) =>
        row.because.code === "overtaken" ? [`${row.policy}: ${Said.why(row)}`] : []
      )
    )

  it("keeps no cut of a rule in apply back, and its yes still makes it a minus phrase", () =>
    Scenario.run({ rules: [minus, moving("{lower_bid: {by: 20%, floor: 60 ₽}}")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const cuts = world.ledger().filter(({ slot }) => slot === "bid")
        expect(cuts.length).toBeGreaterThan(3)
        expect(cuts.every(({ after, before }) => before === null || Number(after) < Number(before))).toBe(
          true
        )
        expect(whys(planned.reviewed.plan)).toEqual(new Set())
        expect(after.waiting.length).toBeGreaterThan(3)
        const ids = new Set(after.request!.asked.map(({ id }) => id))
        expect((yield* apply(world, planned.reviewed, ids)).status).toBe("done")
        const phrases = world.ledger().flatMap(({ after, slot }) => (slot === "minus" ? [after].flat() : []))
        for (const { change } of after.waiting) expect(phrases).toContain(change.subject.cluster)
      })
    ))

  it("leaves the cut out where the yes comes in the same run: a minus phrase takes no bid", () =>
    Scenario.run({ rules: [minus, moving("{lower_bid: {by: 20%, floor: 60 ₽}}")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const after = yield* afterPlan(world, planned)
        const ids = new Set([...after.now, ...after.waiting.map(({ change }) => change.id)])
        const pointless = Review.pointless(planned.reviewed, ids)
        expect(pointless.size).toBeGreaterThan(3)
        const { counts, status } = yield* apply(world, planned.reviewed, ids)
        expect([status, counts]).toEqual(["done", { applied: ids.size - pointless.size }])
      })
    ))

  it("keeps back what makes dearer and what pays, and says that a person is asked", () =>
    Scenario.run(
      {
        rules: [
          minus,
          moving("{raise_bid: {by: 20%, cap: 900 ₽}}"),
          stop,
          topUp,
          account("money_per_day: 20000 ₽")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const { after, planned } = yield* cycle(world)
          const stopped = new Set(
            after.waiting.flatMap(({ change }) =>
              change.kind === "campaign_status" ? [change.subject.campaignId] : []
            )
          )
          expect(stopped.size).toBeGreaterThan(0)
          const sent = world.ledger()
          const paid = sent.filter(({ slot }) => slot === "budget").map(({ target }) => target.campaignId)
          expect(paid.length).toBeGreaterThan(0)
          expect(paid.filter((id) => stopped.has(id as never))).toEqual([])
          expect(whys(planned.reviewed.plan)).toEqual(
            new Set([
              "move: minus asks a person whether it becomes a minus phrase; its bid waits until that is answered",
              "topup: stop asks a person whether the campaign is paused, which gets no money until that is answered"
            ])
          )
          const store = yield* Effect.provide(ApprovalStore, world.context)
          yield* store.decide(Scenario.account, after.request!.id, {
            to: "rejected",
            by: "anna",
            nowMs: world.now()
          })
          yield* world.advance("1 hours")
          yield* cycle(world)
          const now = world
            .ledger()
            .filter(({ slot }) => slot === "budget")
            .map(({ target }) => target.campaignId)
          for (const id of stopped) expect(now).toContain(id)
        })
    ))

  const optimise = file(
    "10-optimise",
    "approve",
    "each: campaign\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\ndo: {optimise: {margin: 15%, budget: 2800 ₽, cap: {cpm: 600 ₽}}}\n"
  )
  const hiding = file(
    "minus",
    "apply",
    "each: cluster\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\nwhen: orders <= 4 and not cluster.in_minus\ndo: add_minus\n"
  )

  it("leaves a saving that both want to the rule that asks nobody, though it counts in a budget of optimise", () => {
    const phrases = (...rules: ReadonlyArray<Load.File>) =>
      Scenario.run({ rules, scale: { campaigns: 6, items: 4, clusters: 20 }, seed: 1 }, (world) =>
        Effect.gen(function* () {
          const { after, planned } = yield* cycle(world)
          const made = world
            .ledger()
            .flatMap(({ after, slot, target }) =>
              slot === "minus" ? [after].flat().map((phrase) => `${target.itemId} ${phrase}`) : []
            )
          return { made: new Set(made), after, plan: planned.reviewed.plan }
        })
      )
    return Effect.runPromise(
      Effect.gen(function* () {
        const alone = yield* Effect.promise(() => phrases(hiding))
        expect(alone.made.size).toBeGreaterThan(10)
        const { after, made, plan } = yield* Effect.promise(() => phrases(hiding, optimise))
        expect(made).toEqual(alone.made)
        expect(plan.changes.some(({ agreed = [] }) => agreed.includes("10-optimise"))).toBe(true)
        // What is saved in another rule's name pays for nothing in this plan.
        expect(after.waiting.length).toBeGreaterThan(0)
        for (const { before, budget, dailyKopecks } of plan.forecasts!) {
          const more = after.waiting.flatMap(({ change }) => {
            const share = BudgetRoom.shareOf(change)
            return share?.budget === budget ? [share.moreKopecks] : []
          })
          const spends = before!.spendKopecks.mean
          const goes = more.reduce((sum, one) => sum + one, spends)
          expect(goes).toBeLessThanOrEqual(Math.max(dailyKopecks, spends) + 50)
        }
      })
    )
  }, 60_000)
})
