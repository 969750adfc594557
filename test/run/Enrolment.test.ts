/** Items join promotions through the one door: what the rule chose is filed once, proved by the list, and not taken back. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Ids from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import type { Undecided } from "../../src/engine/decide/Plan.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Enrolment from "../../src/engine/kinds/Enrolment.js"
import * as Load from "../../src/engine/language/Load.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as Promotions from "../../src/sandbox/market/Promotions.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"

const policy = (more: string, mode = "mode: apply\nirreversible: accepted") => ({
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join promotions
${mode}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 7d
  - not promotion_item.in_action
when:
${more}
do: {enrol: {overlap: allowed}}
`
})
const mild = policy("  - price_drop <= 20%")

/** Today's price is that of another promotion, which says nothing of how far it falls in this one. */
const isOfAnother = (because: Undecided["because"]): boolean =>
  "reason" in because && because.reason === "otherPromotion"

/** Items that the marketplace itself says are in a promotion in the end. */
const filed = (world: Scenario.World) =>
  world
    .ledger()
    .filter(({ slot }) => slot === "promotion")
    .map(({ operation }) => operation)

describe("joining promotions", () => {
  it("files exactly the items that the rule means, once, and proves them by the promotion's list", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const { changes, policies } = planned.reviewed.plan
        expect(changes.length).toBeGreaterThan(0)
        expect(policies[0]!.rowsInScope).toBeGreaterThan(changes.length)
        expect(new Set(changes.map(({ kind, reversible }) => `${kind} ${reversible}`))).toEqual(
          new Set(["enrolment false"])
        )
        const report = yield* world.apply(planned)
        expect(new Set(report.rows.map(({ state }) => state))).toEqual(new Set(["applied"]))
        const promotions = new Set(changes.map(({ subject }) => subject.promotionId))
        expect(filed(world)).toEqual([...promotions].map(() => "uploadPromotionItems"))
        // Days before the promotion nothing is sold at its price yet.
        expect(world.ledger().flatMap(({ task }) => task?.isPricedNow ?? [])).toEqual(
          [...promotions].map(() => false)
        )
        const again = yield* world.planPromotions
        expect(again.reviewed.plan.changes).toEqual([])
        expect(world.requests("listPromotionItems")).toBeGreaterThan(0)
      })
    ))

  it("asks for the items of no promotion that the rule rules out, and nothing at all in the lane of advertising", () => {
    return Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        yield* world.plan
        expect(world.requests("listPromotions")).toBe(0)
        yield* world.planPromotions
        const started = world.requests("listPromotionItems")
        const listed = yield* Effect.succeed(world.requests("getPromotionDetails"))
        expect(listed).toBe(1)
        // Two lists for each of the few that start within the week, and of the one that runs: today's prices may be its own.
        expect(started).toBeLessThanOrEqual(3 * 2)
      })
    )
  })

  it("looks at regular promotions at the same time, and at no automatic one, so that no item is in two", () => {
    const guarded = { ...mild, text: mild.text.replace("do: {enrol: {overlap: allowed}}", "do: enrol") }
    return Scenario.run({ rules: [guarded], scale: { campaigns: 9, items: 2, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        const { gathered, reviewed } = yield* world.planPromotions
        expect(gathered.failures).toEqual([])
        expect(world.requests("listPromotionItems")).toBeGreaterThan(4)
        expect(world.requests("getPromotionDetails")).toBe(1)
        const { changes, unchanged } = reviewed.plan
        expect(changes.length).toBeGreaterThan(0)
        expect(unchanged.map(({ because }) => because.code)).toContain("overlap_in")
        const sandbox = world.sandbox.world(defaultSeller)
        const all = Promotions.all(sandbox, world.now())
        for (const { subject } of changes) {
          const own = all.find(({ id }) => id === subject.promotionId)!
          const beside = all.filter(
            ({ endsAt, id, startsAt, type }) =>
              id !== own.id && type === "regular" && startsAt < own.endsAt && own.startsAt < endsAt
          )
          const isIn = ({ id }: { readonly id: number }) =>
            Promotions.isIn(sandbox, id, subject.itemId!, world.now())
          expect(beside.filter(isIn)).toEqual([])
        }
      })
    )
  })

  it("leaves items alone whose price is that of a promotion that runs and is over before, also by a rule that rules the running one out", () =>
    Scenario.run({ rules: [mild], scale: { campaigns: 9, items: 2, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        const { changes, unknown } = (yield* world.planPromotions).reviewed.plan
        const sandbox = world.sandbox.world(defaultSeller)
        const all = Promotions.all(sandbox, world.now())
        const isPricedThere = ({ itemId, promotionId }: Change["subject"]) => {
          const own = all.find(({ id }) => id === promotionId)!
          return all.some(
            ({ endsAt, id, startsAt, type }) =>
              type === "regular" &&
              startsAt <= world.now() &&
              endsAt > world.now() &&
              endsAt <= own.startsAt &&
              Promotions.isIn(sandbox, id, itemId!, world.now())
          )
        }
        const left = unknown.filter(({ because }) => isOfAnother(because))
        expect(left.length).toBeGreaterThan(0)
        expect(left.filter(({ subject }) => !isPricedThere(subject))).toEqual([])
        expect(changes.length).toBeGreaterThan(0)
        expect(changes.filter(({ subject }) => isPricedThere(subject))).toEqual([])
      })
    ))

  it("leaves items alone that it has just filed for a promotion that runs and is over before, though no list shows them there yet", () => {
    const now = {
      path: "rules/08-now.yaml",
      text: mild.text
        .replace(/ {2}- promotion.starts_in.*\n/, "  - promotion.starts_in <= 0h\n")
        .replace("20%", "60%")
    }
    return Scenario.run({ rules: [now, mild], scale: { campaigns: 9, items: 2, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        const planOf = (policy: string) => world.planOf(new Set([policy]), "promotions")
        const before = (yield* planOf("09-join")).reviewed.plan.changes
        const first = yield* planOf("08-now")
        world.faults([{ operation: "uploadPromotionItems", kind: "slowTask", ms: 5 * 3_600_000, count: 9 }])
        yield* world.apply(first)
        const all = Promotions.all(world.sandbox.world(defaultSeller), world.now())
        const running = first.reviewed.plan.changes.flatMap(({ subject }) => {
          const ends = all.find(({ id }) => id === subject.promotionId)!.endsAt
          return before.filter(
            ({ subject: { itemId, promotionId } }) =>
              itemId === subject.itemId && all.find(({ id }) => id === promotionId)!.startsAt >= ends
          )
        })
        expect(running.length).toBeGreaterThan(0)
        const { changes, unknown } = (yield* planOf("09-join")).reviewed.plan
        const keys = new Set(running.map(({ subject }) => Target.key(subject)))
        const left = unknown.filter(({ because }) => isOfAnother(because))
        expect(changes.filter(({ subject }) => keys.has(Target.key(subject)))).toEqual([])
        expect(left.map(({ subject }) => Target.key(subject))).toEqual(expect.arrayContaining([...keys]))
      })
    )
  })

  it("asks for the items of no automatic promotion, which are never told, whatever the rule says", () => {
    const any = { ...mild, text: mild.text.replace(/ {2}- promotion.type = regular\n.*\n/, "") }
    return Scenario.run({ rules: [any], scale: { campaigns: 9, items: 2, clusters: 6 } }, (world) =>
      Effect.gen(function* () {
        const automatic = Promotions.all(world.sandbox.world(defaultSeller), world.now()).filter(
          ({ type }) => type === "auto"
        )
        expect(automatic.length).toBeGreaterThan(0)
        const { gathered, reviewed } = yield* world.planPromotions
        expect(gathered.failures).toEqual([])
        expect(reviewed.plan.changes.length).toBeGreaterThan(0)
      })
    )
  })

  for (const at of JournalPoints.points) {
    // Whether a request left that may have been on its way nobody can tell, so that one is never sent again.
    const isOnItsWay = at === "dispatching"
    const what = isOnItsWay ? "is not filed again" : "is filed once and known to be in by the next run"
    it(`${what}, when the first dies at "${at}"`, () =>
      Scenario.run({ rules: [mild] }, (world) =>
        Effect.gen(function* () {
          const loaded = { rules: world.rules, version: "1", problem: undefined }
          const call = {
            account: Scenario.account,
            lane: "promotions" as const,
            due: new Set(["09-join"]),
            loaded
          }
          const stopping = yield* Deferred.make<void>()
          const dies = (point: JournalPoints.Point) =>
            point === at ? Effect.die("the machine is gone") : Effect.void
          yield* world
            .apply(yield* world.planPromotions)
            .pipe(Effect.provideService(JournalPoints.AtPoint, dies), Effect.exit)
          // A request of which nobody knows whether it left may have filed a task, and tasks take up to six hours.
          for (const later of ["15 minutes", "6 hours"] as const) {
            yield* world.advance(later)
            const after = yield* world.cycle({ ...call, stopping })
            expect(after._tag).toBe("Done")
          }
          expect(filed(world)).toEqual(isOnItsWay ? [] : ["uploadPromotionItems"])
          const { changes, unknown } = (yield* world.planPromotions).reviewed.plan
          const priced = unknown.filter(({ because }) => !isOfAnother(because))
          expect([changes, priced]).toEqual([[], []])
        })
      ))
  }

  it("waits for a task that takes hours, and files nothing a second time meanwhile", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        const slow = {
          operation: "uploadPromotionItems",
          kind: "slowTask",
          ms: 5 * 3_600_000,
          count: 1
        } as const
        world.faults([slow])
        const report = yield* world.apply(yield* world.planPromotions)
        const { uploadId } = world.ledger().flatMap(({ task }) => task ?? [])[0]!
        expect(
          report.rows.map(({ evidence, state }) => [state, Enrolment.filedBy(evidence)?.uploadId])
        ).toEqual(report.rows.map(() => ["accepted", uploadId]))
        const call = {
          account: Scenario.account,
          lane: "promotions" as const,
          due: new Set(["09-join"]),
          loaded: { rules: world.rules, version: "1", problem: undefined },
          stopping: yield* Deferred.make<void>()
        }
        for (const _ of [1, 2, 3]) {
          yield* world.advance("90 minutes")
          yield* world.cycle(call)
        }
        expect(filed(world)).toEqual(["uploadPromotionItems"])
        yield* world.advance("90 minutes")
        yield* world.cycle(call)
        expect((yield* world.planPromotions).open).toEqual([])
        expect(filed(world)).toEqual(["uploadPromotionItems"])
      })
    ))

  it("is told as sent, and not as applied in part, where the marketplace took all of it and lists it hours later", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ operation: "uploadPromotionItems", kind: "slowTask", ms: 5 * 3_600_000, count: 1 }])
        const ended = yield* world.cycle({
          account: Scenario.account,
          lane: "promotions",
          due: new Set(["09-join"]),
          loaded: { rules: world.rules, version: "1", problem: undefined },
          stopping: yield* Deferred.make<void>()
        })
        expect(ended).toMatchObject({
          said: expect.stringMatching(/^sent, not all seen yet \(\d+ accepted\)/)
        })
      })
    ))

  it("is filed by a cycle of its lane, and by none of advertising", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        const loaded = { rules: world.rules, version: "1", problem: undefined }
        const call = { account: Scenario.account, due: new Set(["09-join"]), loaded }
        const stopping = yield* Deferred.make<void>()
        const ads = yield* world.cycle({ ...call, lane: "ads", stopping })
        expect([ads._tag, filed(world)]).toEqual(["Done", []])
        const promotions = yield* world.cycle({ ...call, lane: "promotions", stopping })
        expect(promotions).toMatchObject({ _tag: "Done", said: expect.stringContaining("applied") })
        expect(filed(world)).toEqual(["uploadPromotionItems"])
      })
    ))

  it("of which the answer got lost is not filed again, and is proved by what the list shows", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([{ operation: "uploadPromotionItems", kind: "dropAnswer", count: 1 }])
        const report = yield* world.apply(planned)
        expect(new Set(report.rows.map(({ state }) => state))).toEqual(new Set(["applied"]))
        expect(filed(world)).toEqual(["uploadPromotionItems"])
        expect(world.requests("uploadPromotionItems")).toBe(1)
      })
    ))

  it("leaves items that are in as they are, and is bound by no limit on campaigns", () => {
    const limits = {
      path: "rules/_shared/limits.yaml",
      text: `version: 1
kind: limits
account:
  never_touch: campaign.name matches "TEST*"
campaigns:
  - where: campaign.payment = cpm
    changes_per_run: 1
`
    }
    const all = {
      ...mild,
      text: policy("  - price_drop <= 60%").text.replace("  - not promotion_item.in_action\n", "")
    }
    return Scenario.run({ rules: [all, limits] }, (world) =>
      Effect.gen(function* () {
        const { changes, held, unchanged } = (yield* world.planPromotions).reviewed.plan
        expect([changes.length > 1, held]).toEqual([true, []])
        expect(new Set(unchanged.map(({ because }) => because.code))).toEqual(new Set(["enrolled_already"]))
      })
    )
  })

  it("takes no day's facts of advertising away from backtests", () =>
    Scenario.run({ rules: [mild] }, (world) =>
      Effect.gen(function* () {
        const { days } = yield* Effect.provide(Snapshots, world.context)
        yield* world.planPromotions
        expect(yield* days(Scenario.account)).toEqual([])
        yield* world.plan
        expect((yield* days(Scenario.account)).length).toBe(1)
      })
    ))

  it("waits for a person whatever the rule says, but for mode: apply with irreversible: accepted", () =>
    Scenario.run({ rules: [policy("  - price_drop <= 20%", "mode: approve")] }, (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.planPromotions
        expect(reviewed.appliable).toEqual([])
        expect(reviewed.waiting.length).toBe(reviewed.plan.changes.length)
      })
    ))

  it("is refused as a rule that asks nobody and does not say so", () => {
    const { diagnostics } = Load.check([policy("  - price_drop <= 20%", "mode: apply")])
    expect(diagnostics.map(({ code }) => code)).toEqual(["K38"])
  })
})

it("an item is not filed for a promotion that ran when it was planned and is yet to begin now: its price would fall at once", () =>
  Scenario.run({ rules: [mild] }, (world) =>
    Effect.gen(function* () {
      const { changes } = (yield* world.planPromotions).reviewed.plan
      const planned = changes.find((change) => change.kind === Enrolment.name)!
      const { startsAt: _, ...running } = planned.details
      const atMs = world.now()
      const { planPriceKopecks, priceKopecks } = running
      const dates = planned.details.endsAt === undefined ? {} : { endsAt: planned.details.endsAt }
      const prices = {
        ...(priceKopecks === undefined ? {} : { priceKopecks }),
        ...(planPriceKopecks === undefined ? {} : { planPriceKopecks })
      }
      const stale = (startsAt: number | undefined, more: { readonly isPricedNow?: boolean } = {}) =>
        Enrolment.kind.stale?.(
          { ...planned, details: { ...running, ...more } },
          {
            _tag: "Value",
            value: false,
            offer: { ...prices, ...dates, ...(startsAt === undefined ? {} : { startsAt }), atMs }
          },
          atMs
        )?.code
      const said = (details: typeof running) =>
        Enrolment.kind.effect({ ...planned, details }, "₽").includes("the price falls at once")
      expect([said(planned.details), said(running)]).toEqual([false, true])
      expect(stale(atMs - 1)).toBeUndefined()
      expect(stale(atMs + 86_400_000)).toBe("dates_changed")
      expect(stale(undefined)).toBe("live_value_unread")
      expect(stale(atMs + 86_400_000, { isPricedNow: true })).toBeUndefined()
    })
  ))

it("an item does not join where the dates of another promotion that it is in are not answered, and nothing is said of a move", () =>
  Scenario.run({ rules: [mild] }, (world) =>
    Effect.gen(function* () {
      const { changes } = (yield* world.planPromotions).reviewed.plan
      const planned = changes.find((change) => change.kind === Enrolment.name)!
      const { endsAt, planPriceKopecks, priceKopecks, startsAt } = planned.details
      const other = { promotionId: Ids.PromotionId.make(7), promotionName: "Осень" }
      const reason = (days: { readonly startsAt?: number; readonly endsAt?: number }) =>
        Enrolment.kind.stale?.(
          { ...planned, details: { ...planned.details, besides: [other] } },
          {
            _tag: "Value",
            value: false,
            offer: {
              priceKopecks: priceKopecks!,
              planPriceKopecks: planPriceKopecks!,
              startsAt: startsAt!,
              endsAt: endsAt!,
              besides: [{ ...other, ...days }],
              atMs: world.now()
            }
          },
          world.now()
        )
      const before = startsAt! - 1
      expect(reason({ startsAt: 0, endsAt: before })).toBeUndefined()
      expect(reason({ startsAt: 0, endsAt: endsAt! })).toMatchObject({
        code: "overlap_moved",
        promotionId: 7
      })
      expect(reason({ startsAt: 0 })).toEqual({
        code: "live_value_unread",
        said: "the dates of promotion 7 Осень were not answered"
      })
    })
  ))
