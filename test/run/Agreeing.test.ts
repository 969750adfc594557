/** Rules that want the very same, judged by what reached the marketplace (decision 0122). */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Scenario from "../scenario/Scenario.js"

const rule = (name: string, mode: string, more = "", action = "pause"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: ${mode}
each: campaign
where: campaign.status = active
when: campaign.name matches 'Поиск*'
do: ${action}
${more}`
})

const cutting = (name: string, mode: string, more = ""): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1
name: ${name}
mode: ${mode}
each: campaign_item
where: [campaign.name matches 'Поиск*основная', campaign.payment = cpm]
when: bid > 1 ₽
do:
  lower_bid: {by: 10%, floor: 1 ₽}
cooldown: 6h
${more}`
})

const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const planned = yield* world.plan
    const after = yield* Asking.afterPlan(planned.reviewed)
    yield* Cycle.apply(planned.reviewed, {
      approvedBy: "test",
      account: Scenario.account,
      chosen: after.now
    })
    return { after, plan: planned.reviewed.plan }
  }).pipe(Effect.provide(world.context))

const sent = (world: Scenario.World) =>
  world
    .ledger()
    .map(({ after, target }) => `${target.campaignId} ${target.itemId ?? ""} ${after}`)
    .sort()

/** What a single run of the rules sends. */
const sentBy = (...rules: ReadonlyArray<Load.File>) => {
  let found: ReadonlyArray<string> = []
  return Effect.runPromise(
    Effect.promise(() =>
      Scenario.run({ rules: [...rules] }, (world) =>
        Effect.gen(function* () {
          yield* cycle(world)
          found = sent(world)
        })
      )
    )
  ).then(() => found)
}

const few = "limits: {changes_per_run: 1}\n"

describe("of rules that want the same", () => {
  it.each([
    ["pauses", rule],
    ["equal bid cuts", cutting]
  ])(
    "%s are made by the one that may, whatever their files are called",
    async (_, make) => {
      const alone = await sentBy(make("03-stop", "apply"))
      expect(alone.length).toBeGreaterThan(1)
      for (const first of ["01", "04"]) {
        expect(await sentBy(make(`${first}-ask`, "approve"), make("03-stop", "apply"))).toEqual(alone)
        expect(await sentBy(make(`${first}-few`, "apply", few), make("03-stop", "apply"))).toEqual(alone)
      }
    },
    120_000
  )

  it("one that a person has put on hold stops for itself alone, and each is named", () =>
    Scenario.run({ rules: [rule("01-stop", "apply"), rule("03-stop", "apply")] }, (world) =>
      Effect.gen(function* () {
        const hold = { account: Scenario.account, kind: "policy" as const, since: world.now(), by: "anna" }
        const holdings = yield* Effect.provide(Holdings, world.context)
        yield* holdings.place({ ...hold, what: "01-stop" })
        const { plan } = yield* world.plan.pipe(Effect.map(({ reviewed }) => reviewed))
        expect(new Set(plan.changes.map(({ origin }) => origin.name))).toEqual(new Set(["03-stop"]))
        expect(
          plan.changes.every(({ agreed, overruled }) => agreed?.[0] === "01-stop" && overruled.length === 0)
        ).toBe(true)
        expect(plan.held).toEqual([])
        yield* holdings.place({ ...hold, what: "03-stop" })
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        yield* cycle(world)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("what a person rejected stays undone for all that ask", () =>
    Scenario.run({ rules: [rule("01-ask", "approve"), rule("02-ask", "approve")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const wanted = first.after.waiting.length
        expect(wanted).toBeGreaterThan(0)
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
        expect(yield* store.decide(Scenario.account, first.after.request!.id, no)).toBe(true)
        yield* world.advance("1 hours")
        const second = yield* cycle(world)
        expect([second.after.request, second.after.rejected.length]).toEqual([undefined, wanted])
        expect(world.ledger()).toEqual([])
      })
    ))

  it("no more is done than the account allows", async () => {
    const account: Load.File = {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount: {changes_per_run: 1}\n"
    }
    const made = await sentBy(account, cutting("01-cut", "apply", few), cutting("03-cut", "apply"))
    expect(made).toHaveLength(1)
  }, 60_000)

  const optimise: Load.File = {
    path: "rules/10-optimise.yaml",
    text: "version: 1\nname: 10-optimise\nmode: approve\neach: campaign\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\ndo: {optimise: {margin: 15%, budget: 2800 ₽, cap: {cpm: 600 ₽}}}\n"
  }
  const hiding: Load.File = {
    path: "rules/minus.yaml",
    text: "version: 1\nname: minus\nmode: apply\neach: cluster\nwhere: campaign.status = active and campaign.payment = cpm\nwindow: 28d\nwhen: orders <= 4 and not cluster.in_minus\ndo: add_minus\n"
  }

  it("leaves a saving that both want to the rule that asks nobody, though it counts in a budget of optimise", () => {
    const phrases = (...rules: ReadonlyArray<Load.File>) =>
      Scenario.run({ rules, scale: { campaigns: 6, items: 4, clusters: 20 }, seed: 1 }, (world) =>
        Effect.gen(function* () {
          const { after, plan } = yield* cycle(world)
          const made = world
            .ledger()
            .flatMap(({ after, slot, target }) =>
              slot === "minus" ? [after].flat().map((phrase) => `${target.itemId} ${phrase}`) : []
            )
          return { made: new Set(made), after, plan }
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
