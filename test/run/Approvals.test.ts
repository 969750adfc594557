import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import type * as Lane from "../../src/domain/Lane.js"
import * as Risk from "../../src/engine/decide/limits/Risk.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore, type Request } from "../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../src/engine/planning/Approvals.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as PolicyJobs from "../../src/engine/planning/PolicyJobs.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import { type Loaded, RuleSource } from "../../src/engine/planning/RuleSource.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import * as Report from "../../src/reporting/people/Approvals.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Story from "./UndoStory.js"

const mine = "campaign.name matches 'Поиск*основная'"

const raising = (by: string, auto = "\nauto_approve: {bid_change: 10%}"): Load.File => ({
  path: "rules/raise.yaml",
  text: `version: 1
name: raise
mode: approve${auto}
each: campaign_item
where: [${mine}, campaign.payment = cpm]
when: bid > 1 ₽
do:
  raise_bid: {by: ${by}, cap: 900 ₽}
cooldown: 6h
`
})

const account = (text: string): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\naccount: {${text}}\n`
})

const stopping: Load.File = {
  path: "rules/stop.yaml",
  text: "version: 1\nname: stop\nmode: approve\neach: campaign\nwhere: campaign.status = active\nwindow: today\nwhen: spend default 0 ₽ < 1000000 ₽\ndo: pause\n"
}

const topUp: Load.File = {
  path: "rules/topup.yaml",
  text: `version: 1
name: top up
mode: approve
each: campaign
when: budget < 1000000 ₽ and campaign.status = active
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽, policy_money_per_day: 1000 ₽, changes_per_run: 10}
`
}

const afterPlan = (world: Scenario.World, planned: Cycle.Planned) =>
  Asking.afterPlan(planned.reviewed).pipe(Effect.provide(world.context))

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

const listed = (world: Scenario.World) =>
  Effect.flatMap(ApprovalStore, (store) => store.list(Scenario.account, 10)).pipe(
    Effect.provide(world.context)
  )

/** A person's yes, as `bidhelm approve` carries it out. */
const approve = (world: Scenario.World, request: Request, planned: Cycle.Planned) =>
  Effect.gen(function* () {
    const store = yield* ApprovalStore
    const nowMs = world.now()
    const context = { ...planned.context, account: Scenario.account, nowMs }
    const reviewed = Review.reload(JSON.parse(JSON.stringify(request.plan)), context)
    if (Either.isLeft(reviewed)) return reviewed.left
    const bound = Approvals.bind(request, reviewed.right, { nowMs, done: yield* Approvals.done(request) })
    if (Either.isLeft(bound)) return Report.unbound(bound.left, request)
    const ids = bound.right.chosen
    const decided = yield* store.decide(Scenario.account, request.id, {
      to: "approved",
      by: "anna",
      nowMs,
      ids
    })
    if (!decided) return "decided meanwhile"
    const report = yield* apply(world, reviewed.right, ids)
    yield* Approvals.carriedOut(request, report.runId)
    return report.status
  }).pipe(Effect.provide(world.context))

describe("a policy in mode approve", () => {
  it("sends nothing by itself without auto_approve, and asks with plan, changes and money", () =>
    Scenario.run({ rules: [raising("6%", "")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        expect(world.ledger()).toEqual([])
        expect(after.now.size).toBe(0)
        const [request] = yield* listed(world)
        expect(request?.asked.map(({ id }) => id)).toEqual(planned.reviewed.plan.changes.map(({ id }) => id))
        const expiresAt = Date.parse(request!.plan.createdAt) + 86_400_000
        expect(request).toMatchObject({ state: "requested", expiresAt })
        expect(Approvals.figures(request!)).toMatchObject({ tier: "notable", depositsKopecks: 0 })
        expect(yield* approve(world, request!, planned)).toBe("done")
        expect(world.ledger()).toHaveLength(request!.asked.length)
        expect((yield* listed(world))[0]).toMatchObject({ state: "applied", decidedBy: "anna" })
        expect(yield* approve(world, (yield* listed(world))[0]!, planned)).toContain("is applied")
        expect(world.ledger()).toHaveLength(request!.asked.length)
      })
    ))

  it("waits with a pause that figures of the running day ask for until that day is over, and no longer", () =>
    Scenario.run({ rules: [stopping] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const midnight = Days.startOfMarket(Days.shift(Days.ofMarket(world.now()), 1))
        expect(after.request).toMatchObject({ state: "requested", expiresAt: midnight })
        yield* world.advance("15 hours")
        expect(yield* approve(world, after.request!, planned)).toMatch(/is expired. The next plan asks anew/)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("asks for no such pause of a plan that comes when its day is over", () =>
    Scenario.run({ rules: [stopping, raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.advance("15 hours")
        const after = yield* afterPlan(world, planned)
        const kinds = (some: ReadonlyArray<Risk.Assessed>) => new Set(some.map(({ change }) => change.kind))
        expect([kinds(after.waiting), kinds(after.late)]).toEqual([
          new Set(["item_bid"]),
          new Set(["campaign_status"])
        ])
        const [request] = yield* listed(world)
        expect(request?.asked.map(({ policy }) => policy)).toEqual(after.waiting.map(() => "raise"))
        expect(request?.expiresAt).toBe(Date.parse(planned.reviewed.plan.createdAt) + Days.dayMs)
      })
    ))

  it("waits no more once its policy acts by itself, shows alone or is disabled, by whichever plan knows it", () => {
    const other = {
      path: "rules/other.yaml",
      text: raising("1%", "").text.replace("name: raise", "name: other")
    }
    const now = (mode: string): ReadonlyArray<Load.File> => {
      const [mine, its] = [raising("20%", ""), other].map(({ path, text }) => ({
        path,
        text: text.replace("mode: approve", `mode: ${mode}`)
      }))
      return mode === "gone"
        ? [{ path: other.path, text: other.text.replace("approve", "preview") }]
        : [mine!, its!]
    }
    const ends = { state: "superseded", why: "the next plan did not ask for it" }
    return Effect.runPromise(
      Effect.forEach(["apply", "preview", "disabled", "gone"], (mode) =>
        Effect.promise(() =>
          Scenario.run({ rules: [raising("20%", "")] }, (world) =>
            Effect.gen(function* () {
              yield* cycle(world)
              const then = yield* Cycle.plan(Scenario.check(now(mode)), { zone: "Europe/Moscow" }).pipe(
                Effect.provide(FactLoader.layer),
                Effect.provide(world.context)
              )
              yield* afterPlan(world, then)
              const [asked, ...more] = yield* listed(world)
              expect([mode, asked, more]).toEqual([
                mode,
                expect.objectContaining(mode === "gone" ? { state: "requested" } : ends),
                []
              ])
            })
          )
        )
      )
    )
  })

  it("ends once no policy stands behind it, whether its file is gone or it is disabled, and no plan comes at all", () => {
    const other = {
      path: "rules/other.yaml",
      text: raising("1%", "").text.replace("name: raise", "name: other")
    }
    const disabled = (file: Load.File) => ({ ...file, text: file.text.replace("approve", "disabled") })
    const left = {
      gone: [other],
      disabled: [disabled(raising("20%", "")), disabled(other)],
      there: [raising("30%", "")]
    }
    return Effect.runPromise(
      Effect.forEach(["gone", "disabled", "there"] as const, (mode) =>
        Effect.promise(() =>
          Scenario.run({ rules: [raising("20%", "")] }, (world) =>
            Effect.gen(function* () {
              const { after, planned } = yield* cycle(world)
              const ended = yield* Asking.endOrphans(Scenario.account, Scenario.check(left[mode]))
              const [asked] = yield* listed(world)
              if (mode === "there") {
                expect([ended, asked?.state]).toEqual([0, "requested"])
                return
              }
              expect(ended).toBe(1)
              expect(asked).toMatchObject({
                id: after.request?.id,
                state: "superseded",
                decidedBy: "bidhelm",
                why: "its policy is gone from the rules, or disabled"
              })
              expect(yield* approve(world, asked!, planned)).toContain("is superseded")
              expect(yield* Asking.endOrphans(Scenario.account, Scenario.check(left[mode]))).toBe(0)
              expect(world.ledger()).toEqual([])
            }).pipe(Effect.provide(world.context))
          )
        )
      )
    )
  })

  it("goes on waiting for what a policy that is there asks, when another one of it is gone", () => {
    const other = {
      path: "rules/other.yaml",
      text: raising("20%", "").text.replace("name: raise", "name: other").replace("основная", "и полки")
    }
    return Scenario.run({ rules: [raising("20%", ""), other] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        yield* Asking.endOrphans(Scenario.account, Scenario.check([other]))
        const [asked, ...more] = yield* listed(world)
        expect([asked?.state, new Set(asked?.asked.map(({ policy }) => policy)), more]).toEqual([
          "requested",
          new Set(["other"]),
          []
        ])
      }).pipe(Effect.provide(world.context))
    )
  })

  it("is ended by the first look of a timetable whose rules have no policy for it, once these rules can be used", () =>
    Scenario.run({ rules: [raising("20%", "")] }, (world) =>
      Effect.gen(function* () {
        yield* cycle(world)
        const none = Scenario.check([])
        let loaded: Loaded = { rules: none, version: "v2", problem: "a file is half written" }
        let looks = 0
        const jobs = yield* PolicyJobs.source(
          () => Effect.succeed({ _tag: "Stopping" as const }),
          (rules) => {
            looks++
            return looks === 1
              ? Effect.succeed(undefined)
              : Effect.as(Effect.orDie(Asking.endOrphans(Scenario.account, rules)), new Set<string>()).pipe(
                  Effect.provide(world.context)
                )
          }
        ).pipe(Effect.provideService(RuleSource, { current: Effect.sync(() => loaded) }))
        yield* jobs.current
        expect([looks, (yield* listed(world))[0]?.state]).toEqual([0, "requested"])
        loaded = { ...loaded, problem: undefined }
        yield* jobs.current
        expect((yield* listed(world))[0]?.state).toBe("requested")
        yield* jobs.current
        expect((yield* listed(world))[0]?.state).toBe("superseded")
        yield* jobs.current
        expect(looks).toBe(2)
      })
    ))

  it("waits no longer than its plan may be applied, however long that was in the making", () =>
    Scenario.run({ rules: [raising("20%", "")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.advance("3 hours")
        const { request } = yield* afterPlan(world, planned)
        yield* world.advance("21 hours")
        yield* world.advance("1 minute")
        expect(Approvals.stateAt(request!, world.now())).toBe("expired")
        expect(yield* approve(world, request!, planned)).toMatch(/older than 24 hours/)
      })
    ))

  it("waits since it was asked for first: the same plan asked for again tells no later end", () =>
    Scenario.run({ rules: [raising("6%", "")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        yield* world.advance("3 hours")
        const again = yield* Effect.provide(Asking.afterPlan(planned.reviewed), world.context)
        const [kept] = yield* listed(world)
        expect(again.request).toMatchObject({ id: after.request!.id, expiresAt: kept!.expiresAt })
        expect(kept!.expiresAt).toBe(after.request!.expiresAt)
      })
    ))

  it("makes small moves by itself until they add up, then asks; an approval begins anew", () =>
    Scenario.run({ rules: [raising("6%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(first.after.automatic.length).toBe(first.planned.reviewed.plan.changes.length)
        const sent = world.ledger().length
        expect(sent).toBe(first.after.automatic.length)
        yield* world.advance("7 hours")
        const second = yield* cycle(world)
        expect(second.after.now.size).toBe(0)
        expect(second.after.waiting[0]?.why).toMatch(/^it is 1[12]\.\d+% from .* 10% go by themselves$/)
        expect(world.ledger()).toHaveLength(sent)
        expect(yield* approve(world, second.after.request!, second.planned)).toBe("done")
        expect(world.ledger()).toHaveLength(sent + second.after.waiting.length)
        yield* world.advance("7 hours")
        const third = yield* cycle(world)
        expect(third.after.automatic.length).toBe(first.after.automatic.length)
        yield* world.advance("7 hours")
        expect((yield* cycle(world)).after.automatic).toEqual([])
      })
    ))

  it("refuses an approval whose rules have changed, and one that is a day old", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const rules = { ...planned.context.rules, hashes: { orders: "", others: "another" } }
        const changed = { ...planned, context: { ...planned.context, rules } }
        expect(yield* approve(world, after.request!, changed)).toContain("The rules have changed")
        yield* world.advance("24 hours")
        expect(yield* approve(world, after.request!, planned)).toMatch(/older than 24 hours|is expired/)
        expect(Approvals.stateAt((yield* listed(world))[0]!, world.now())).toBe("expired")
        expect(world.ledger()).toEqual([])
      })
    ))

  it("leaves a change alone whose value moved between request and approval", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const { subject: target } = after.waiting[0]!.change
        world.edit({
          campaignId: target.campaignId!,
          itemId: target.itemId!,
          bidKopecks: 15_000,
          placement: "search"
        })
        yield* approve(world, after.request!, planned)
        expect(world.ledger().some(({ before }) => before === 15_000)).toBe(false)
        expect(world.ledger()).toHaveLength(after.waiting.length - 1)
      })
    ))

  it("stays the same request as long as the same is asked for the same reasons; a yes makes exactly that, once", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const { id, requestedAt } = first.after.request!
        yield* world.advance("1 hours")
        const second = yield* cycle(world)
        const [kept, ...more] = yield* listed(world)
        expect([kept?.id, kept?.requestedAt, more]).toEqual([id, requestedAt, []])
        const madeAt = Date.parse(second.planned.reviewed.plan.createdAt)
        expect([second.after.request?.id, kept?.plan.createdAt, kept?.expiresAt]).toEqual([
          id,
          second.planned.reviewed.plan.createdAt,
          madeAt + 86_400_000
        ])
        expect(yield* approve(world, kept!, second.planned)).toBe("done")
        const made = first.after.waiting.map(({ change }) => [change.before, change.after])
        expect(world.ledger().map(({ after, before }) => [before, after])).toEqual(
          expect.arrayContaining(made)
        )
        expect(world.ledger()).toHaveLength(made.length)
        expect(yield* approve(world, (yield* listed(world))[0]!, second.planned)).toContain("is applied")
        expect(world.ledger()).toHaveLength(made.length)
      })
    ))

  it("is another request once any of it is asked otherwise, and an old id makes nothing of the new", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const { campaignId, itemId } = first.after.waiting[0]!.change.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 15_000, placement: "search" })
        yield* world.advance("1 hours")
        const second = yield* cycle(world)
        const [now, before, ...more] = yield* listed(world)
        expect(now?.id).toBe(second.after.request?.id)
        expect(now?.id).not.toBe(first.after.request?.id)
        expect(before).toMatchObject({
          id: first.after.request?.id,
          state: "superseded",
          decidedAt: world.now(),
          decidedBy: "bidhelm",
          why: `replaced by ${now?.id}`
        })
        expect(more).toEqual([])
        expect(yield* Effect.provide(Approvals.successorOf(before!), world.context)).toBe(now?.id)
        expect(yield* Effect.provide(Approvals.successorOf(now!), world.context)).toBeUndefined()
        expect(yield* approve(world, before!, second.planned)).toContain("is superseded")
        expect(world.ledger()).toEqual([])
      })
    ))

  it("is asked anew under a new id once nobody answered in time, however little has changed", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        yield* world.advance("25 hours")
        const second = yield* cycle(world)
        expect(second.after.request?.id).not.toBe(first.after.request?.id)
        expect((yield* listed(world))[0]).toMatchObject({
          id: second.after.request?.id,
          requestedAt: world.now()
        })
        expect(yield* approve(world, first.after.request!, first.planned)).toMatch(/is expired|older than 24/)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("asks under a new id where a saved plan asks for more than what is left of its request by now", () => {
    const other = {
      path: "rules/other.yaml",
      text: raising("20%", "").text.replace("name: raise", "name: other").replace("основная", "и полки")
    }
    return Scenario.run({ rules: [raising("20%", ""), other] }, (world) =>
      Effect.gen(function* () {
        const saved = yield* cycle(world)
        const { id } = saved.after.request!
        const ask = (planned: Cycle.Planned) => afterPlan(world, planned)
        const askedBy = (request: Request | undefined) => new Set(request?.asked.map(({ policy }) => policy))
        yield* world.advance("1 hours")
        const { campaignId, itemId } = saved.after.waiting.find(
          ({ change }) => change.origin.name === "raise"
        )!.change.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 15_000, placement: "search" })
        yield* ask(yield* world.planOf(new Set(["raise"])))
        yield* world.advance("1 hours")
        yield* ask(yield* world.planOf(new Set(["other"])))
        const shown = (yield* listed(world)).find((one) => one.id === id)
        expect([shown?.state, askedBy(shown)]).toEqual(["requested", new Set(["other"])])
        const again = yield* ask(saved.planned)
        expect(askedBy(again.request)).toEqual(new Set(["raise", "other"]))
        expect(again.request?.id).not.toBe(id)
        expect((yield* listed(world)).map((one) => [one.id, one.state])).toEqual(
          expect.arrayContaining([
            [id, "superseded"],
            [again.request?.id, "requested"]
          ])
        )
        expect((yield* ask(saved.planned)).request?.id).toBe(again.request?.id)
        expect(
          yield* approve(world, (yield* listed(world)).find((one) => one.id === id)!, saved.planned)
        ).toContain("is superseded")
        expect(world.ledger()).toEqual([])
      })
    )
  })

  it("is another request under other rules, though they ask for the same", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const edited = raising("20%")
        const rules = Scenario.check([{ ...edited, text: edited.text.replace("900 ₽", "901 ₽") }])
        const then = yield* Cycle.plan(rules, { zone: "Europe/Moscow" }).pipe(
          Effect.provide(FactLoader.layer),
          Effect.provide(world.context)
        )
        yield* afterPlan(world, then)
        expect(
          (yield* listed(world)).map(({ id, state }) => [id === first.after.request?.id, state])
        ).toEqual(
          expect.arrayContaining([
            [false, "requested"],
            [true, "superseded"]
          ])
        )
      })
    ))

  it("does not ask again for a day what was rejected, and then under a new id", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        const { id } = first.after.request!
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
        expect(yield* store.decide(Scenario.account, id, no)).toBe(true)
        expect(yield* store.decide(Scenario.account, id, no)).toBe(false)
        yield* world.advance("1 hours")
        const third = yield* cycle(world)
        expect(third.after.request).toBeUndefined()
        expect(third.after.rejected).toHaveLength(first.after.waiting.length)
        yield* world.advance("24 hours")
        const last = yield* cycle(world)
        expect(last.after.waiting).toHaveLength(first.after.waiting.length)
        expect(last.after.request?.id).not.toBe(id)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("keeps its older request when the next cycle cannot read what it needs", () => {
    const spending = raising("20%")
    const text = spending.text.replace("when: bid > 1 ₽", "window: 7d\nwhen: spend > 1 ₽ and bid > 1 ₽")
    return Scenario.run({ rules: [{ ...spending, text }] }, (world) =>
      Effect.gen(function* () {
        const due = new Set(world.rules.policies.map(({ id }) => id))
        const loaded = { rules: world.rules, version: "v1", problem: undefined }
        const stopping = Deferred.unsafeMake<void>(FiberId.none)
        const scheduled = world.cycle({ lane: "ads", account: Scenario.account, due, loaded, stopping })
        yield* scheduled
        const [first] = yield* listed(world)
        yield* world.advance("1 hours")
        world.faults([{ kind: "errorBefore", operation: "getCampaignStats", status: 503 }])
        yield* scheduled
        expect((yield* listed(world)).map(({ id, state }) => [id, state])).toEqual([[first?.id, "requested"]])
        world.faults([])
        yield* world.advance("1 hours")
        yield* scheduled
        const [kept, ...more] = yield* listed(world)
        expect([kept?.id, kept?.state, more]).toEqual([first?.id, "requested", []])
        expect(Date.parse(kept!.plan.createdAt)).toBeGreaterThan(Date.parse(first!.plan.createdAt))
      })
    )
  })

  it("approves of some of a request exactly what was named: nothing for an empty name, nothing for one that fits several", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const request = after.request!
        expect(request.asked.length).toBeGreaterThan(1)
        const [first] = request.asked.map(({ id }) => id)
        const bound = (only: ReadonlyArray<string>) =>
          Approvals.bind(request, planned.reviewed, { only, nowMs: world.now(), done: new Set() })
        const one = bound([first!.slice(0, 8)])
        expect(Either.isRight(one) && [...one.right.chosen]).toEqual([first])
        for (const only of [[""], [first!.slice(0, 8), ""]]) {
          const named = bound(only)
          expect(named).toEqual(Either.left({ code: "empty_name" }))
        }
        const both = Approvals.bind(
          {
            ...request,
            asked: request.asked.map((one, n) => ({ ...one, id: `a${n}` })),
            plan: {
              ...request.plan,
              changes: request.plan.changes.map((change, n) => ({ ...change, id: `a${n}` }))
            }
          },
          planned.reviewed,
          { only: ["a"], nowMs: world.now(), done: new Set() }
        )
        const changes = request.asked.length
        expect(both).toEqual(Either.left({ code: "several_changes", name: "a", changes }))
      })
    ))

  it("asks again for what a person approved and then took back", () =>
    Scenario.run({ rules: [raising("50%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(yield* approve(world, first.after.request!, first.planned)).toBe("done")
        const [request] = yield* listed(world)
        yield* world.advance("1 hours")
        expect((yield* Story.undo(world, request!.runId!)).report?.status).toBe("done")
        const sent = world.ledger().length
        yield* world.advance("4 days")
        const again = yield* cycle(world)
        expect(again.planned.reviewed.plan.changes.length).toBe(first.after.waiting.length)
        expect(again.after.automatic).toEqual([])
        expect(again.after.waiting).toHaveLength(first.after.waiting.length)
        expect(world.ledger()).toHaveLength(sent)
      })
    ))

  it("asks again for what a person approved and somebody has set back by hand", () =>
    Scenario.run({ rules: [raising("50%")] }, (world) =>
      Effect.gen(function* () {
        const first = yield* cycle(world)
        expect(yield* approve(world, first.after.request!, first.planned)).toBe("done")
        yield* world.advance("1 hours")
        for (const { change } of first.after.waiting) {
          const { campaignId, itemId } = change.subject
          const bidKopecks = Number(change.before)
          world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks })
        }
        yield* world.plan
        const sent = world.ledger().length
        yield* world.advance("4 days")
        const again = yield* cycle(world)
        expect(again.after.automatic).toEqual([])
        expect(again.after.waiting).toHaveLength(first.after.waiting.length)
        expect(world.ledger()).toHaveLength(sent)
      })
    ))

  it("asks for the way back to where the week began when somebody has moved the bid away from there", () =>
    Scenario.run({ rules: [raising("90%")] }, (world) =>
      Effect.gen(function* () {
        const { waiting } = (yield* world.plan).reviewed
        const weekAgo = new Map(waiting.map(({ change }) => [Kinds.slotOf(change), Number(change.after)]))
        const assessed = Risk.assess(waiting, { approved: new Map(), weekAgo }, "RUB", [])
        expect(assessed.length).toBeGreaterThan(0)
        expect(new Set(assessed.map(({ tier }) => tier))).toEqual(new Set(["notable"]))
        expect(assessed[0]?.why).toMatch(
          /^somebody has moved it since: it stands 4\d(\.\d+)?% from .*; 10% go/
        )
      })
    ))

  it("does not ask for a day what was rejected, however many requests came since", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after } = yield* cycle(world)
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const request = after.request!
        const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
        expect(yield* store.decide(Scenario.account, request.id, no)).toBe(true)
        yield* Effect.forEach(Array.from({ length: 120 }), (_, n) =>
          store.replace(Scenario.account, new Set(["other"]), new Set(), {
            ...request,
            id: `other-${n}`,
            asked: [{ ...request.asked[0]!, policy: "other", slot: "status:1" }],
            requestedAt: world.now() + n
          })
        )
        yield* world.advance("20 hours")
        const later = yield* cycle(world)
        expect(later.after.rejected).toHaveLength(request.asked.length)
        expect(later.after.waiting).toEqual([])
      })
    ))

  it("asks for nothing that a person says no to while it asks: the no counts, or whoever says it hears what asks now", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const request = (yield* cycle(world)).after.request!
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const { campaignId, itemId } = request.plan.changes[0]!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, bidKopecks: 15_000, placement: "search" })
        yield* world.advance("1 hours")
        const planned = yield* world.plan
        const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
        let heard: Fiber.Fiber<boolean, unknown> | undefined
        const between = {
          ...store,
          rejected: (account: string, sinceMs: number) =>
            Effect.tap(store.rejected(account, sinceMs), () => {
              heard = Effect.runFork(store.decide(Scenario.account, request.id, no))
              return Effect.repeatN(Effect.yieldNow(), 100)
            })
        }
        const after = yield* Asking.afterPlan(planned.reviewed).pipe(
          Effect.provideService(ApprovalStore, between),
          Effect.provide(world.context)
        )
        const same = after.waiting.filter(({ change }) =>
          request.asked.some(({ after, slot }) => slot === Kinds.slotOf(change) && after === change.after)
        )
        expect(same.length).toBeGreaterThan(0)
        expect(yield* Fiber.join(heard!)).toBe(false)
        expect((yield* listed(world)).map(({ id, state }) => [id, state])).toEqual([
          [after.request?.id, "requested"],
          [request.id, "superseded"]
        ])
      })
    ))

  it("hears a yes that is given while it asks for the same again: it is not asked anew", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const request = (yield* cycle(world)).after.request!
        const store = yield* Effect.provide(ApprovalStore, world.context)
        yield* world.advance("1 hours")
        const planned = yield* world.plan
        const ids = new Set(request.asked.map(({ id }) => id))
        const yes = { to: "approved" as const, by: "anna", nowMs: world.now(), ids }
        const between = {
          ...store,
          replace: (...asked: Parameters<typeof store.replace>) =>
            Effect.zipRight(store.decide(Scenario.account, request.id, yes), store.replace(...asked))
        }
        const after = yield* Asking.afterPlan(planned.reviewed).pipe(
          Effect.provideService(ApprovalStore, between),
          Effect.provide(world.context)
        )
        expect([after.waiting, after.request]).toEqual([[], undefined])
        expect((yield* listed(world)).map(({ id, state }) => [id, state])).toEqual([[request.id, "approved"]])
      })
    ))

  it("lets others write while it reads what moves are measured from", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const [memory, store] = yield* Effect.provide(Effect.all([RuleMemory, ApprovalStore]), world.context)
        const planned = yield* world.plan
        const wrote: Array<boolean> = []
        const write = async () => {
          const done = Effect.runPromise(store.reopen(Scenario.account, "none")).then(() => true)
          const late = new Promise<boolean>((tell) => setTimeout(tell, 1_000, false))
          wrote.push(await Promise.race([done, late]))
        }
        const slow = {
          ...memory,
          slots: (...asked: Parameters<typeof memory.slots>) =>
            Effect.zipRight(Effect.promise(write), memory.slots(...asked))
        }
        yield* Asking.afterPlan(planned.reviewed).pipe(
          Effect.provideService(RuleMemory, slow),
          Effect.provide(world.context)
        )
        expect(wrote).toEqual([true])
      })
    ))

  it("lists what waits however many requests came and went since, and finds none by an empty name", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const request = (yield* cycle(world)).after.request!
        const store = yield* Effect.provide(ApprovalStore, world.context)
        expect(yield* store.find(Scenario.account, "")).toBeUndefined()
        yield* Effect.forEach(Array.from({ length: 20 }), (_, n) =>
          store.replace(Scenario.account, new Set(["other"]), new Set(), {
            ...request,
            id: `other-${n}`,
            asked: [{ ...request.asked[0]!, policy: "other", slot: "status:1" }],
            requestedAt: world.now() + n
          })
        )
        const shown = yield* listed(world)
        expect(shown.filter(({ state }) => state === "requested").map(({ id }) => id)).toEqual([
          "other-19",
          request.id
        ])
        yield* world.advance("25 hours")
        expect((yield* listed(world)).map(({ id }) => id)).not.toContain(request.id)
      })
    ))

  it("does not ask for a day for a deposit that was rejected, though the budget has fallen since", () =>
    Scenario.run(
      { rules: [topUp, account("money_per_day: 2000 ₽")], scale: { campaigns: 3, items: 2, clusters: 10 } },
      (world) =>
        Effect.gen(function* () {
          const { after } = yield* cycle(world)
          expect(after.waiting.length).toBeGreaterThan(0)
          const store = yield* Effect.provide(ApprovalStore, world.context)
          const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
          yield* store.decide(Scenario.account, after.request!.id, no)
          yield* world.advance("6 hours")
          const later = yield* cycle(world)
          const befores = (all: typeof after.rejected) => all.map(({ change }) => change.before)
          expect(befores(later.after.rejected)).not.toEqual(befores(after.waiting))
          expect(later.after.rejected).toHaveLength(after.waiting.length)
          const slots = (all: typeof after.rejected) => all.map(({ change }) => Kinds.slotOf(change))
          expect(slots(later.after.waiting)).not.toContain(slots(after.waiting)[0])
        })
    ))

  it("asks for those that cost more when small moves together pass money_per_day", () => {
    const auto = "\nauto_approve: {bid_change: 10%, money_per_day: 1 ₽}\nwindow: 7d"
    const { path, text } = raising("6%", auto)
    const clusters = text.replace("each: campaign_item", "each: cluster").replace("bid > 1 ₽", "views >= 10")
    return Scenario.run({ rules: [{ path, text: clusters }] }, (world) =>
      Effect.gen(function* () {
        const { after } = yield* cycle(world)
        expect(after.waiting.length).toBeGreaterThan(0)
        const over = after.waiting.filter(({ why }) =>
          /would add about .* a day; 1.* go by themselves/.test(why)
        )
        expect(over.length).toBeGreaterThan(0)
        expect(over.every(({ change }) => Number(change.moneyPerDayKopecks) > 0)).toBe(true)
        const others = after.waiting.filter((one) => !over.includes(one)).map(({ why }) => why)
        expect(others.every((why) => why === "nobody can estimate what it costs")).toBe(true)
        expect(world.ledger()).toHaveLength(after.automatic.length)
      })
    )
  })
})

describe("an approval whose program ended", () => {
  const approved = (world: Scenario.World) =>
    Effect.gen(function* () {
      const { after, planned } = yield* cycle(world)
      const request = after.request!
      const store = yield* ApprovalStore
      const ids = new Set(request.asked.map(({ id }) => id))
      yield* store.decide(Scenario.account, request.id, {
        to: "approved",
        by: "anna",
        nowMs: world.now(),
        ids
      })
      return { ids, planned, request }
    }).pipe(Effect.provide(world.context))

  const settle = (world: Scenario.World, lane: Lane.Lane = "ads") =>
    Approvals.settle({ account: Scenario.account, lane }).pipe(Effect.provide(world.context))

  it("is left alone by another lane, whose lock says nothing about its run", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { request } = yield* approved(world)
        expect(yield* settle(world, "promotions")).toEqual([])
        expect((yield* listed(world))[0]).toMatchObject({ state: "approved" })
        expect(yield* settle(world)).toEqual([{ id: request.id, runId: undefined }])
      })
    ))

  it("before its run began waits for a person again, once", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { planned, request } = yield* approved(world)
        expect(yield* settle(world)).toEqual([{ id: request.id, runId: undefined }])
        expect((yield* listed(world))[0]).toMatchObject({ state: "requested" })
        expect(yield* settle(world)).toEqual([])
        expect(yield* approve(world, request, planned)).toBe("done")
        expect(world.ledger()).toHaveLength(request.asked.length)
      })
    ))

  it("is its run's too when another run let it wait between the yes and that run's lock", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { ids, planned, request } = yield* approved(world)
        expect(yield* settle(world)).toEqual([{ id: request.id, runId: undefined }])
        expect((yield* listed(world))[0]).toMatchObject({ state: "requested" })
        const { runId } = yield* apply(world, planned.reviewed, ids)
        yield* Approvals.carriedOut(request, runId).pipe(Effect.provide(world.context))
        expect((yield* listed(world))[0]).toMatchObject({ state: "applied", runId })
      })
    ))

  it("after its run began is that run's, and is not asked again", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { ids, planned, request } = yield* approved(world)
        const { runId } = yield* apply(world, planned.reviewed, ids)
        expect(yield* settle(world)).toEqual([{ id: request.id, runId }])
        expect((yield* listed(world))[0]).toMatchObject({ state: "applied", runId })
        expect(yield* settle(world)).toEqual([])
      })
    ))

  it("after a run that sent nothing of it waits for a person again", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { ids, planned, request } = yield* approved(world)
        world.kill("looks wrong")
        expect((yield* apply(world, planned.reviewed, ids)).status).toBe("failed")
        expect(yield* settle(world)).toEqual([{ id: request.id, runId: undefined }])
        world.kill(undefined)
        expect((yield* listed(world))[0]).toMatchObject({ state: "requested" })
        expect(yield* approve(world, request, planned)).toBe("done")
        expect(world.ledger()).toHaveLength(request.asked.length)
      })
    ))
})

describe("an approval of which nothing was sent", () => {
  it("waits again as a whole, and no move is measured from it", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const request = after.request!
        const [first] = request.asked
        const store = yield* ApprovalStore
        const ids = new Set([first!.id])
        const yes = { to: "approved" as const, by: "anna", nowMs: world.now(), ids }
        expect(yield* store.decide(Scenario.account, request.id, yes)).toBe(true)
        world.kill("looks wrong")
        const report = yield* apply(world, planned.reviewed, ids)
        const changes = planned.reviewed.plan.changes.filter(({ id }) => ids.has(id))
        expect(yield* Approvals.ended(request, report, changes)).toBe(true)
        const [waits] = yield* listed(world)
        expect(waits).toMatchObject({ state: "requested", asked: request.asked })
        expect(waits?.runId).toBeUndefined()
        expect([...(yield* store.approvedBids(Scenario.account, 0))]).toEqual([])
        expect(world.ledger()).toEqual([])
      }).pipe(Effect.provide(world.context))
    ))

  it("but found in place is carried out all the same", () =>
    Scenario.run({ rules: [raising("20%")] }, (world) =>
      Effect.gen(function* () {
        const { after, planned } = yield* cycle(world)
        const request = after.request!
        const ids = new Set(request.asked.map(({ id }) => id))
        for (const { change } of after.waiting) {
          const { campaignId, itemId } = change.subject
          const bidKopecks = Number(change.after)
          world.edit({ campaignId: campaignId!, itemId: itemId!, placement: "search", bidKopecks })
        }
        const store = yield* ApprovalStore
        const yes = { to: "approved" as const, by: "anna", nowMs: world.now(), ids }
        yield* store.decide(Scenario.account, request.id, yes)
        const report = yield* apply(world, planned.reviewed, ids)
        expect(yield* Approvals.ended(request, report)).toBe(false)
        expect((yield* listed(world))[0]).toMatchObject({ state: "applied", runId: report.runId })
        expect(world.ledger()).toEqual([])
      }).pipe(Effect.provide(world.context))
    ))
})
