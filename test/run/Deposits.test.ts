import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Deposits from "../../src/engine/decide/limits/Deposits.js"
import * as Review from "../../src/engine/decide/Review.js"
import { Journal } from "../../src/engine/door/Journal.js"
import { Senders } from "../../src/engine/door/Senders.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const file = (path: string, text: string): Load.File => ({ path: `rules/${path}.yaml`, text })

/** Tops one campaign up as long as its budget is below `below`. */
const topUp = (name: string, amount: string, limits: string, more = "") =>
  file(
    name,
    `version: 1
name: ${name}
mode: apply
each: campaign
where: ["campaign.name matches 'Поиск*основная'"]
when: budget < 1000000 ₽
do:
  deposit: {amount: ${amount}, from: balance}
limits: {${limits}}
${more}`
      .replaceAll("'", '"')
      .replace('["', "['")
      .replace('"]', "']")
  )

/** Pauses whatever runs. */
const pausing = file(
  "b",
  "version: 1\nname: b\nmode: apply\neach: campaign\nwhen: campaign.status = active\ndo: pause\n"
)

const daily = (text: string) => file("_shared/limits", `version: 1\nkind: limits\naccount:\n  ${text}\n`)

const deposits = (changes: ReadonlyArray<Change>) => changes.filter(({ action }) => action === "deposit")
const amountOf = ({ after, before }: Change) => (Number(after) - Number(before)) / 100

const budgets = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "budget")
const paidRoubles = (world: Scenario.World) =>
  budgets(world).reduce((sum, { after, before }) => sum + Number(after) - Number(before), 0)

describe("a deposit", () => {
  it("is sent once per campaign, in roubles, and proved by the answer", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 2000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes, summary } = planned.reviewed.plan
        expect(changes.map((change) => [change.action, amountOf(change), change.kind])).toEqual([
          ["deposit", 2000, "campaign_deposit"]
        ])
        expect(summary).toMatchObject({ depositsKopecks: 200_000, moneyUnknown: 0, moneyPerDayKopecks: 0 })
        const report = yield* world.apply(planned)
        expect(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
          "applied: the marketplace answered with the new budget"
        ])
        expect(budgets(world)).toHaveLength(1)
        expect(paidRoubles(world)).toBe(2000)
        expect(world.requests("depositCampaignBudget")).toBe(1)
      })
    ))

  it("goes to a campaign that stands still since it was planned only where that is for want of money", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 2000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const [deposit] = deposits((yield* world.plan).reviewed.plan.changes)
        const { campaignId } = deposit!.subject
        world.edit({ campaignId: campaignId!, status: 11 })
        yield* world.advance("10 minutes")
        const { gathered } = yield* world.plan
        const campaigns = gathered.table("campaign")
        const stopped = (kopecks: number | undefined, change = deposit!) =>
          Deposits.stopped(change, {
            campaigns,
            budgets: new Map(kopecks === undefined ? [] : [[campaignId!, kopecks]])
          })
        expect(Deposits.doubtful([deposit!], campaigns)).toEqual([campaignId])
        expect(stopped(0)).toBeUndefined()
        for (const kopecks of [100, 500_000, undefined])
          expect(stopped(kopecks)).toEqual({ code: "campaign_stopped", status: "paused" })
        // What a rule tops up although it is paused stays that rule's own.
        const [ofPaused] = deposits((yield* world.plan).reviewed.plan.changes)
        expect(ofPaused!.details).toMatchObject({ status: "paused" })
        expect([stopped(500_000, ofPaused), Deposits.doubtful([ofPaused!], campaigns)]).toEqual([
          undefined,
          []
        ])
      })
    ))

  it("is held when the campaign got its money for the day, and made again the next day", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 3000 ₽")] }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("1 hours")
        const again = (yield* world.plan).reviewed.plan
        expect(again.changes).toEqual([])
        expect(Said.held(again.held).map(({ by, limit, over }) => [by, limit, over])).toEqual([
          [
            "money_per_day",
            "rules/a.yaml limits.money_per_day 3 000 ₽",
            "2 000 ₽ deposited today or in this plan, 2 000 ₽ more is 1 000 ₽ over"
          ]
        ])
        yield* world.advance("1 days")
        expect(deposits((yield* world.plan).reviewed.plan.changes)).toHaveLength(1)
      })
    ))

  it("waits for its cooldown", () =>
    Scenario.run({ rules: [topUp("a", "1000 ₽", "money_per_day: 9000 ₽", "cooldown: 4h")] }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("1 hours")
        const again = (yield* world.plan).reviewed.plan
        expect(again.changes).toEqual([])
        expect(again.unchanged.map(Said.why)).toEqual([expect.stringMatching(/^cooldown until/)])
      })
    ))

  it("of several policies is the largest, not the sum", () =>
    Scenario.run(
      {
        rules: [
          topUp("a", "1000 ₽", "money_per_day: 9000 ₽"),
          topUp("b", "3000 ₽", "money_per_day: 9000 ₽"),
          topUp("c", "2000 ₽", "money_per_day: 9000 ₽")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          expect(planned.reviewed.plan.changes.map((c) => [c.origin.name, amountOf(c), c.overruled])).toEqual(
            [["b", 3000, ["a", "c"]]]
          )
          yield* world.apply(planned)
          expect(paidRoubles(world)).toBe(3000)
        })
    ))

  it("goes to no campaign that the same plan pauses, or one before it: then it is said that a person tops it up", () =>
    Scenario.run(
      {
        rules: [topUp("a", "1000 ₽", "money_per_day: 9000 ₽"), pausing]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes, unchanged } = planned.reviewed.plan
          expect(deposits(changes)).toEqual([])
          expect(unchanged.map(Said.why)).toEqual(["b pauses the campaign, which gets no money then"])
          yield* world.apply(planned)
          yield* world.advance("30 minutes")
          const later = (yield* world.plan).reviewed.plan
          expect(deposits(later.changes)).toEqual([])
          expect(later.unchanged.map(Said.why)).toContainEqual(
            "b paused the campaign, which gets no money from rules then: if its budget is empty it cannot start again before a person tops it up"
          )
        })
    ))

  it("goes to a campaign whose pause is held: it spends on, and would run dry", () =>
    Scenario.run(
      {
        rules: [topUp("a", "1000 ₽", "money_per_day: 9000 ₽"), pausing]
      },
      (world) =>
        Effect.gen(function* () {
          const paused = yield* world.plan
          yield* world.apply(paused)
          yield* world.advance("30 minutes")
          for (const { subject: target } of paused.reviewed.plan.changes)
            world.edit({ campaignId: target.campaignId!, status: 9 })
          yield* world.advance("30 minutes")
          const { changes, held, unchanged } = (yield* world.plan).reviewed.plan
          expect(new Set(held.map(({ by }) => by))).toEqual(new Set(["human_edit"]))
          expect(deposits(changes)).toHaveLength(1)
          expect(unchanged).toEqual([])
        })
    ))

  it("that waits for a person takes no room from one that is made at once", () => {
    const one = (name: string, mode: string, campaign: string) =>
      file(
        name,
        `version: 1\nname: ${name}\nmode: ${mode}\neach: campaign\nwhere: ['campaign.name matches "${campaign}"']\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 9000 ₽}\n`
      )
    return Scenario.run(
      {
        rules: [
          one("ask", "approve", "Поиск*основная"),
          one("do", "apply", "Поиск и полки"),
          daily("money_per_day: 1500 ₽")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const { appliable, plan } = (yield* world.plan).reviewed
          expect(appliable.map(({ origin: { name: policy } }) => policy)).toEqual(["do"])
          expect(plan.held.map(({ by, change }) => [change.origin.name, by])).toEqual([
            ["ask", "money_per_day"]
          ])
        })
    )
  })

  it("is never more than the balance has", () =>
    Scenario.run({ rules: [topUp("a", "9000000 ₽", "money_per_day: 9000000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const { changes, unchanged } = (yield* world.plan).reviewed.plan
        expect(changes).toEqual([])
        expect(Said.why(unchanged[0])).toMatch(/^balance has .* ₽, 9 000 000 ₽ are needed$/)
      })
    ))

  it("is decided by nobody who does not know the balance", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 2000 ₽")] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "errorBefore", operation: "getBalance" }])
        const { changes, unknown } = (yield* world.plan).reviewed.plan
        expect(changes).toEqual([])
        expect(unknown.map(Said.why)).toEqual(["balance is unknown: could not be fetched"])
      })
    ))
})

describe("a deposit whose outcome is unknown", () => {
  const rules = [topUp("a", "2000 ₽", "money_per_day: 9000 ₽")]

  for (const [kind, proved] of [
    ["dropAnswer", "applied"],
    ["halfBody", "applied"],
    ["errorAfter", "applied"],
    ["emptyBody", "applied"],
    ["html", "not_applied"],
    ["errorBefore", "not_applied"]
  ] as const) {
    it(`is proved by the money and not sent again by its run: ${kind} is ${proved}`, () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          world.faults([{ kind, operation: "depositCampaignBudget", count: 1 }])
          const report = yield* world.apply(planned)
          expect(report.rows.map(({ state }) => state)).toEqual([proved])
          expect(Reasons.ofRow(report.rows[0]!)).toMatch(/^proved by the money/)
          expect(world.requests("depositCampaignBudget")).toBe(1)
          expect(paidRoubles(world)).toBe(proved === "applied" ? 2000 : 0)
        })
      ))
  }

  it("is parked when the money cannot be read, counts as paid, and is never sent again", () =>
    Scenario.run({ rules: [...rules, daily("money_per_day: 3000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([
          { kind: "dropAnswer", operation: "depositCampaignBudget", count: 1 },
          { kind: "errorBefore", operation: "getCostHistory", skip: 1 }
        ])
        const report = yield* world.apply(planned)
        expect(report).toMatchObject({ counts: { parked: 1 }, status: "partial" })
        world.faults([])
        for (let run = 0; run < 3; run++) {
          yield* world.advance("6 hours")
          const next = yield* world.plan
          expect(next.reviewed.plan.changes).toEqual([])
          expect(next.reviewed.plan.unknown.map(Said.why)).toEqual([
            expect.stringContaining("may or may not have been paid")
          ])
          expect(next.open).toEqual([])
          yield* world.apply(next)
        }
        expect(world.requests("depositCampaignBudget")).toBe(1)
        const made = yield* world.journal.deposits(Scenario.account, Scenario.startMs)
        expect(made.map(({ kopecks }) => kopecks)).toEqual([200_000])
        const overdue = yield* world.journal.overdue(undefined, world.now())
        expect(overdue.map(({ state }) => state)).toEqual(["parked"])
      })
    ))

  it("is not even tried when the money cannot be read before", () =>
    Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ kind: "errorBefore", operation: "getCostHistory" }])
        const report = yield* world.apply(planned)
        expect(report.rows[0]).toMatchObject({
          state: "skipped",
          reason: { code: "money_unreadable" }
        })
        expect(world.requests("depositCampaignBudget")).toBe(0)
      })
    ))

  it("is one whose run died while it was under way, too", () =>
    Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ kind: "latency", operation: "depositCampaignBudget", ms: 20_000, count: 1 }])
        const applying = yield* Effect.fork(world.apply(planned))
        yield* world.advance("10 seconds")
        yield* Fiber.interrupt(applying)
        yield* world.advance("6 hours")
        const next = yield* world.plan
        expect(next.reviewed.plan.changes).toEqual([])
        const report = yield* world.apply(next)
        expect(report.recovered.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
          expect.stringMatching(/^(applied|not_applied): proved by the money/)
        ])
        expect(paidRoubles(world)).toBe(report.recovered[0]?.state === "applied" ? 2000 : 0)
        expect(world.requests("depositCampaignBudget")).toBeLessThanOrEqual(1)
      })
    ))

  for (const [what, isOver, ends] of [
    ["may only hang, so that it may still be sent", false, "parked"],
    ["has ended, so that nothing of it will ever be sent", true, "not_applied"]
  ] as const)
    it(`is ${ends} when no money moved and the process that was sending it ${what}`, () =>
      Scenario.run({ rules }, (world) =>
        Effect.gen(function* () {
          const as = (name: string) => Effect.provideService(Senders, { name, isOver: () => isOver })
          const planned = yield* world.plan
          world.faults([{ kind: "errorBefore", operation: "depositCampaignBudget", count: 1 }])
          const applying = yield* Effect.fork(world.apply(planned).pipe(as("pid 1 on there")))
          yield* world.advance("30 seconds")
          yield* Fiber.interrupt(applying)
          const next = yield* world.plan
          const report = yield* world.apply(next).pipe(as("pid 2 on here"))
          expect(report.recovered.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
            isOver
              ? expect.stringMatching(/^not_applied: proved by the money/)
              : expect.stringMatching(/^parked: .*no money has moved, but the process .* \(pid 1 on there\)/)
          ])
          const later = (yield* world.plan).reviewed.plan
          expect(later.changes.map(({ kind }) => kind)).toEqual(isOver ? ["campaign_deposit"] : [])
          expect(world.requests("depositCampaignBudget")).toBe(1)
        })
      ))

  it("ends the deposits of its run", () =>
    Scenario.run(
      {
        rules: [
          file(
            "a",
            "version: 1\nname: a\nmode: apply\neach: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 9000 ₽}\n"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          expect(planned.reviewed.appliable.length).toBeGreaterThan(2)
          world.faults([{ kind: "dropAnswer", operation: "depositCampaignBudget", skip: 1, count: 1 }])
          const report = yield* world.apply(planned)
          expect(report.counts).toEqual({
            applied: 2,
            skipped: planned.reviewed.appliable.length - 2
          })
          expect(world.requests("depositCampaignBudget")).toBe(2)
        })
    ))
})

describe("a deposit without an answer, with a token that may read the charges once an hour", () => {
  const rules = [topUp("a", "2000 ₽", "money_per_day: 9000 ₽")]

  for (const [kind, proved] of [
    ["dropAnswer", "applied"],
    ["errorBefore", "not_applied"]
  ] as const) {
    it(`is proved by two readings all the same: ${kind} is ${proved}`, () =>
      Scenario.run(
        { rules, token: { kind: "base" }, scale: { campaigns: 3, items: 1, clusters: 4 } },
        (world) =>
          Effect.gen(function* () {
            const planned = yield* world.plan
            expect(planned.reviewed.plan.changes).toHaveLength(1)
            world.faults([{ kind, operation: "depositCampaignBudget", count: 1 }])
            const report = yield* world.apply(planned)
            expect(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
              expect.stringMatching(`^${proved}: proved by the money`)
            ])
            expect(world.requests("depositCampaignBudget")).toBe(1)
            expect(paidRoubles(world)).toBe(proved === "applied" ? 2000 : 0)
            expect(world.throttled()).toBe(0)
          })
      ))
  }

  it("is parked when one reading is all there is", () =>
    Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([
          { kind: "dropAnswer", operation: "depositCampaignBudget", count: 1 },
          { kind: "errorBefore", operation: "getCostHistory", skip: 2 }
        ])
        const startedAt = world.now()
        const report = yield* world.apply(planned)
        expect(report.counts).toEqual({ parked: 1 })
        expect(world.now() - startedAt).toBeLessThan(20 * 60_000)
      })
    ))
})

describe("the same plan", () => {
  it("pays once, though somebody applies it twice", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 9000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.apply(planned)
        const second = yield* world.apply(planned)
        expect(second.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual([
          expect.stringContaining("skipped: not sent: deposits were made since the plan")
        ])
        expect(paidRoubles(world)).toBe(2000)
      })
    ))

  it("pays nothing where the store was restored and reconciled since, for it may have paid before; a plan of after that pays", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 9000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* Effect.sleep("1 minute")
        const reconciledAt = world.now()
        const restored = Context.add(world.context, Journal, {
          ...Context.get(world.context, Journal),
          reconciledAt: () => Effect.succeed(reconciledAt)
        })
        const by = { approvedBy: "test", account: Scenario.account }
        const [row] = (yield* Cycle.apply(planned.reviewed, by).pipe(Effect.provide(restored))).rows
        expect(`${row?.state}: ${Reasons.ofRow(row!)}`).toMatch(/^skipped: not sent: the store was restored/)
        expect(paidRoubles(world)).toBe(0)
        yield* Effect.sleep("1 minute")
        const anew = yield* world.plan
        yield* Cycle.apply(anew.reviewed, by).pipe(Effect.provide(restored))
        expect(paidRoubles(world)).toBe(2000)
      })
    ))

  it("pays nothing into a campaign that somebody topped up meanwhile", () =>
    Scenario.run({ rules: [topUp("a", "2000 ₽", "money_per_day: 9000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const { context, reviewed } = yield* world.plan
        const lower = reviewed.plan.changes.map((c) => ({ ...c, before: 0, after: 200_000 }))
        const edited = Review.review({ ...reviewed.plan, changes: lower }, context)
        const by = { approvedBy: "test", account: Scenario.account }
        const report = yield* Cycle.apply(edited, by).pipe(Effect.provide(world.context))
        expect(report.rows[0]?.state).toBe("skipped")
        expect(Reasons.ofRow(report.rows[0]!)).toMatch(/^the budget has grown since the plan/)
        expect(paidRoubles(world)).toBe(0)
      })
    ))
})

describe("limits on money", () => {
  const all = (limits: string) =>
    file(
      "a",
      `version: 1\nname: a\nmode: apply\neach: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {${limits}}\n`
    )

  it("let whole deposits through up to the policy's money per day", () =>
    Scenario.run({ rules: [all("money_per_day: 1000 ₽, policy_money_per_day: 2500 ₽")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(deposits(planned.reviewed.plan.changes)).toHaveLength(2)
        expect(planned.reviewed.plan.held.length).toBeGreaterThan(0)
        expect(new Set(planned.reviewed.plan.held.map(({ by }) => by))).toEqual(
          new Set(["policy_money_per_day"])
        )
        yield* world.apply(planned)
        yield* world.advance("1 hours")
        expect(deposits((yield* world.plan).reviewed.plan.changes)).toEqual([])
        expect(paidRoubles(world)).toBe(2000)
      })
    ))

  it("count what was deposited before for each policy that wanted it", () => {
    const few = "money_per_day: 3000 ₽, policy_money_per_day: 1000 ₽"
    const rules = [topUp("a", "1000 ₽", few), topUp("b", "1000 ₽", few)]
    return Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        expect(paidRoubles(world)).toBe(1000)
        yield* world.advance("1 hours")
        const { changes, held } = (yield* world.plan).reviewed.plan
        expect([deposits(changes), held.map(({ by }) => by)]).toEqual([[], ["policy_money_per_day"]])
      })
    )
  })

  it("count the deposits of all policies for the account", () =>
    Scenario.run({ rules: [all("money_per_day: 1000 ₽"), daily("money_per_day: 1000 ₽")] }, (world) =>
      Effect.gen(function* () {
        const { changes, held } = (yield* world.plan).reviewed.plan
        expect(changes).toHaveLength(1)
        expect(Said.limit(held[0])).toBe("_shared/limits.yaml account.money_per_day 1 000 ₽")
      })
    ))
})

describe("the first day of a store with an account", () => {
  const rules = [topUp("a", "1000 ₽", "money_per_day: 1000 ₽")]

  it("makes no deposit for 24 hours, and then makes it by itself", () =>
    Scenario.run({ rules, firstDay: true }, (world) =>
      Effect.gen(function* () {
        for (const hours of ["0 hours", "12 hours", "11 hours"] as const) {
          yield* world.advance(hours)
          const planned = yield* world.plan
          expect(planned.reviewed.plan.held.map(({ by }) => by)).toEqual(["first_day"])
          yield* world.apply(planned)
        }
        expect(paidRoubles(world)).toBe(0)
        yield* world.advance("2 hours")
        yield* world.apply(yield* world.plan)
        expect(paidRoubles(world)).toBe(1000)
      })
    ))
})
