/** `optimise` beside what keeps some of its moves from being made: it spends nothing that only those would have saved. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Past from "../../src/engine/decide/optimise/Past.js"
import type { Forecast, Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../src/engine/planning/Approvals.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Stopped from "../../src/engine/planning/Stopped.js"
import * as Report from "../../src/reporting/people/Approvals.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Depth from "../Depth.js"
import * as Example from "../decide/Example.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }
const where = "campaign.status = active and campaign.payment = cpm and campaign.id in [1000001, 1000002]"
const file = (name: string, text: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\nwindow: 28d\nwhere: ${where}\n${text}`
})
const optimise = (options = ", budget: 2800 ₽", more = ""): Load.File =>
  file("10-optimise", `each: campaign\ndo: {optimise: {margin: 15%, cap: {cpm: 600 ₽}${options}}}\n${more}`)
/** Bids alone, whose slots overlays and other rules move too. */
const bidsOnly = ", budget: 2800 ₽, park: no, minus: no"
const scale = { campaigns: 6, items: 4, clusters: 20 }
const inShop = <A>(
  rules: ReadonlyArray<Load.File>,
  story: (world: Scenario.World) => Effect.Effect<A, unknown>
) => Scenario.run({ rules: [vars, ...rules], scale, seed: 1 }, story)
const planOf = (...rules: ReadonlyArray<Load.File>) =>
  inShop(rules, (world) => Effect.map(world.plan, ({ reviewed }) => reviewed.plan))

const own = (changes: ReadonlyArray<Change>, { budget }: Forecast) =>
  changes.flatMap((change) => {
    const share = BudgetRoom.shareOf(change)
    return share?.budget === budget ? [share.moreKopecks] : []
  })
const sum = (values: ReadonlyArray<number>) => values.reduce((total, one) => total + one, 0)
const withoutRoom = ({ held }: Plan) => held.filter(({ because }) => because.code === "budget_no_room")

/** Raises are held, what goes is within what there is, and the forecast says what it comes to. */
const expectHalf = (plan: Plan) => {
  expect(withoutRoom(plan).length).toBeGreaterThan(0)
  for (const forecast of plan.forecasts!) {
    const { before, dailyKopecks, goes } = forecast
    const more = own(plan.changes, forecast)
    const spendKopecks = before!.spendKopecks.mean + sum(more)
    expect(spendKopecks).toBeLessThanOrEqual(Math.max(dailyKopecks, before!.spendKopecks.mean))
    expect(goes).toMatchObject({ changes: more.length, spendKopecks })
    expect(goes!.of).toBeGreaterThan(more.length)
  }
}

/** What was planned of a budget is in its forecast, whether it goes, is held or came to nothing. */
const expectAllTold = (plan: Plan, planned: ReadonlyArray<Change>) => {
  for (const forecast of plan.forecasts!) {
    const { goes, unmade } = forecast
    const held = own(
      plan.held.map(({ change }) => change),
      forecast
    )
    const made = sum([...own(plan.changes, forecast), ...held])
    const wanted = own(planned, forecast)
    expect(goes!.of).toBe(wanted.length)
    expect(made + unmade!.addsKopecks - unmade!.savesKopecks).toBe(sum(wanted))
    expect(unmade!.changes).toBe(wanted.length - goes!.changes - held.length)
  }
}

describe("optimise beside what cancels its cuts", () => {
  let alone: Plan
  beforeAll(async () => {
    alone = await planOf(optimise())
  })

  it("raises with what it saves where nothing does", () => {
    expect(alone.forecasts!.length).toBe(2)
    for (const forecast of alone.forecasts!) {
      const { before, dailyKopecks, spendKopecks } = forecast
      expect(before!.spendKopecks.mean).toBeGreaterThan(dailyKopecks)
      const more = own(alone.changes, forecast)
      expect(more.filter((kopecks) => kopecks > 0).length).toBeGreaterThan(0)
      expect(Math.abs(before!.spendKopecks.mean + sum(more) - spendKopecks.mean)).toBeLessThan(50)
    }
    expect(withoutRoom(alone)).toEqual([])
    expect(alone.forecasts!.every((forecast) => !("goes" in forecast) && !("unmade" in forecast))).toBe(true)
  })

  it("makes nothing dearer with what another rule holds back", async () => {
    const plan = await planOf(
      optimise(),
      file("20-back", "each: cluster\nwhen: clicks >= 1\ndo: remove_minus\ncooldown: 1d\n")
    )
    expect(plan.unchanged.filter(({ because }) => because.code === "held_back").length).toBeGreaterThan(10)
    expectHalf(plan)
  })

  const hide = (limits = "") =>
    file("02-minus", `each: cluster\nwhen: orders <= 4 and not cluster.in_minus\ndo: add_minus\n${limits}`)
  /** With what it was before its review, and after a second one. */
  const reviewed = (...rules: ReadonlyArray<Load.File>) =>
    inShop(rules, (world) =>
      Effect.map(world.plan, ({ gathered, reviewed: { plan } }) => {
        const past = { ...Past.nothing, unlisted: gathered.unlisted }
        const draft = Decide.draft(Scenario.decideInput(world.rules, gathered, { past }))
        const context = { rules: world.rules, ...Example.around, campaigns: gathered.table("campaign") }
        return { draft, plan, again: Review.review(plan, context).plan }
      })
    )

  for (const [what, limits] of [
    ["goes", ""],
    ["is held", "limits: {changes_per_run: 1}\n"]
  ] as const)
    it(`tells of bids that a minus phrase overtakes which ${what}, once and again after a reload`, async () => {
      const { again, draft, plan } = await reviewed(optimise(bidsOnly), hide(limits))
      expect(plan.held.some(({ change }) => change.origin.name === "02-minus")).toBe(limits !== "")
      expect(plan.unchanged.filter(({ because }) => because.code === "overtaken").length).toBeGreaterThan(5)
      expectHalf(plan)
      expectAllTold(plan, draft.changes)
      expect(again).toEqual(plan)
    })

  it("tells of what is done in another rule's name", async () => {
    const { again, draft, plan } = await reviewed(
      optimise(undefined, "limits: {share_of_scope: 1%}\n"),
      hide()
    )
    const { equals = [] } = draft
    expect(equals.length).toBeGreaterThan(0)
    expect(plan.changes.filter(({ agreed = [] }) => agreed.includes("10-optimise")).length).toBeGreaterThan(0)
    expect(plan.changes.some(({ origin }) => origin.name === "10-optimise")).toBe(false)
    expectAllTold(plan, [...draft.changes, ...equals])
    expect(again).toEqual(plan)
  })

  it("makes nothing dearer with what an overlay's beginning leaves for the next run", async () => {
    const boost = file(
      "05-boost",
      'schedule: {every: 30m, tz: Europe/Moscow}\neach: cluster\nwhen: orders <= 4 and not cluster.in_minus\nduring: {time: "08:00-23:00"}\ndo: {adjust_bid: {by: +20%, cap: 600 ₽}}\n'
    )
    const plan = await planOf(boost, optimise(bidsOnly))
    expect(plan.changes.some(({ overruled }) => overruled.includes("10-optimise"))).toBe(true)
    expectHalf(plan)
  })

  it("makes nothing dearer with what waits for its own cooldown", async () => {
    const push = file(
      "20-push",
      "each: cluster\nwhen: orders <= 4 and not cluster.in_minus\ndo: {raise_bid: {by: 30%, cap: 600 ₽}}\n"
    )
    const plan = await inShop([optimise(bidsOnly, "cooldown: 3d\n"), push], (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.planOf(new Set(["20-push"])))
        yield* world.advance("24 hours")
        return (yield* world.planOf(new Set(["10-optimise"]))).reviewed.plan
      })
    )
    expect(plan.unchanged.filter(({ because }) => because.code === "cooldown").length).toBeGreaterThan(10)
    expectHalf(plan)
  })

  it("never spends more than its budget or what is spent as it stands, whatever keeps some of its moves", async () => {
    const files = [optimise(bidsOnly, "cooldown: 1d\n"), ...others.map(([name, text]) => file(name, text))]
    const { gathered } = await inShop(files, (world) => world.plan)
    const slots = Decide.draft(Scenario.decideInput(Scenario.check([vars, files[0]!]), gathered)).changes.map(
      Kinds.slotOf
    )
    let unmade = 0
    let raised = 0
    fc.assert(
      fc.property(beside, ({ beside, options, past }) => {
        const rules = Scenario.check([vars, optimise(options, "cooldown: 1d\n"), ...beside])
        const histories = new Map(
          slots.flatMap((slot, at) => {
            const one = past[at % past.length]
            return one === undefined ? [] : [[slot, historyOf(slot, one, gathered.nowMs)] as const]
          })
        )
        const draft = Decide.draft(Scenario.decideInput(rules, gathered, { slots: histories }))
        const context = { rules, ...Example.around, campaigns: gathered.table("campaign") }
        const { plan } = Review.review(draft, context)
        for (const forecast of plan.forecasts!) {
          const spends = forecast.before!.spendKopecks.mean
          const more = own(plan.changes, forecast)
          expect(spends + sum(more)).toBeLessThan(Math.max(forecast.dailyKopecks, spends) + 50)
          unmade += forecast.unmade?.changes ?? 0
          raised += more.filter((kopecks) => kopecks > 0).length
        }
      }),
      { numRuns: Depth.cases(160) }
    )
    expect([unmade > 0, raised > 0]).toEqual([true, true])
  }, 120_000)
})

describe("optimise that a person is asked about", () => {
  const asking = ({ path, text }: Load.File, more = ""): Load.File => ({
    path,
    text: text.replace("mode: apply", `mode: approve${more}`)
  })
  const minus = asking(
    file("02-minus", "each: cluster\nwhen: orders <= 4 and not cluster.in_minus\ndo: add_minus\n")
  )

  /** As the scheduler does when these are due: what needs nobody goes, the rest is asked. */
  const asked = (world: Scenario.World, policy: string) =>
    Effect.gen(function* () {
      const planned = yield* world.planOf(new Set([policy]))
      const { now, request } = yield* Asking.afterPlan(planned.reviewed)
      if (now.size > 0) yield* sent(planned.reviewed, now)
      return { planned, now, id: request!.id }
    }).pipe(Effect.provide(world.context))
  const sent = (reviewed: Review.ReviewedPlan, chosen: ReadonlySet<string>) =>
    Cycle.apply(reviewed, { approvedBy: "anna", account: Scenario.account, chosen })

  /** As `bidhelm approve` does; what is left out, by change. */
  const approve = (
    world: Scenario.World,
    { id, planned }: { readonly id: string; readonly planned: Cycle.Planned },
    only?: (asked: ReadonlyArray<Change>) => ReadonlyArray<Change>
  ) =>
    Effect.gen(function* () {
      const nowMs = world.now()
      const request = (yield* (yield* ApprovalStore).find(Scenario.account, id))!
      const done = yield* Approvals.standing(request)
      const shown = Report.plain(request, nowMs, { done: new Map([[id, done]]) })
      const context = { ...planned.context, account: Scenario.account, nowMs }
      const reviewed = yield* Review.reload(JSON.parse(JSON.stringify(request.plan)), context)
      const named = only?.(Approvals.changesOf(request)).map((change) => change.id)
      const bound = Approvals.bind(request, reviewed, { only: named, nowMs, done })
      const none = Either.isLeft(bound) ? bound.left : undefined
      const { chosen, refused } = Either.getOrElse(bound, () => ({ chosen: new Set<string>(), refused: [] }))
      if (none === undefined) yield* sent(reviewed, chosen)
      return { request, shown, none, chosen, refused }
    }).pipe(Effect.provide(world.context))

  /** Whether the marketplace accepted it, whoever sent it. */
  const isMade =
    (ledger: ReadonlyArray<Ledger.Entry>) =>
    ({ after, kind, subject: { campaignId, cluster, itemId } }: Change) =>
      ledger.some(
        ({ after: now, slot, target }) =>
          target.campaignId === campaignId &&
          target.itemId === itemId &&
          (kind === "minus_phrase"
            ? slot === "minus" && [now].flat().some((phrase) => phrase === cluster)
            : slot.startsWith("bid") && target.cluster === cluster && now === after)
      )

  /** What is spent of each budget by what the marketplace accepted, against what there is. */
  const spentOf = ({ changes }: Plan, ledger: ReadonlyArray<Ledger.Entry>) => {
    const shares = changes.flatMap((change) => {
      const share = BudgetRoom.shareOf(change)
      return share === undefined ? [] : [{ ...share, isMade: isMade(ledger)(change) }]
    })
    return Object.values(Arr.groupBy(shares, ({ key }) => key)).map((all) => {
      const [{ dailyKopecks, spendKopecks }] = all
      const made = all.filter((one) => one.isMade).map(({ moreKopecks }) => moreKopecks)
      return {
        raised: made.filter((kopecks) => kopecks > 0).length,
        over: spendKopecks + sum(made) - Math.max(dailyKopecks, spendKopecks)
      }
    })
  }
  const raises = (changes: ReadonlyArray<Change>) => changes.filter(BudgetRoom.isDearer)

  it("raises nothing with what another rule's request took out of its own, and says so beforehand", () =>
    inShop([asking(optimise()), minus], (world) =>
      Effect.gen(function* () {
        const first = yield* asked(world, "10-optimise")
        yield* asked(world, "02-minus")
        const { refused, request, shown } = yield* approve(world, first)
        expect(request.asked.length).toBeLessThan(request.plan.changes.length)
        expect(raises(Approvals.changesOf(request)).length).toBeGreaterThan(3)
        expect(world.ledger().length).toBeGreaterThan(0)
        for (const { over } of spentOf(request.plan, world.ledger())) expect(over).toBeLessThanOrEqual(50)
        const left = refused.filter(({ because }) => because.code === "budget_no_room")
        expect(left.length).toBeGreaterThan(0)
        expect(shown.noRoom).toEqual(left.map(({ change }) => change.id))
        const text = Report.preview(request, world.now(), "Europe/Moscow")
        expect(text).toContain(`of these ${left.length} without room in a budget, which approve leaves out`)
        expect(text.split("approve leaves it out: campaign").length - 1).toBeGreaterThan(0)
      })
    ))

  it("raises all of it once the other rule has made that room", () =>
    inShop([asking(optimise()), minus], (world) =>
      Effect.gen(function* () {
        const first = yield* asked(world, "10-optimise")
        yield* approve(world, yield* asked(world, "02-minus"))
        const { chosen, refused, request, shown } = yield* approve(world, first)
        expect(refused).toEqual([])
        expect(shown).not.toHaveProperty("noRoom")
        expect(raises(request.plan.changes).every(({ id }) => chosen.has(id))).toBe(true)
        for (const { over } of spentOf(request.plan, world.ledger())) expect(over).toBeLessThanOrEqual(50)
      })
    ))

  it("raises nothing with what went without asking and was refused", () =>
    inShop([asking(optimise(bidsOnly), "\nauto_approve: {bid_change: 40%, money_per_day: 1 ₽}")], (world) =>
      Effect.gen(function* () {
        world.faults(
          ["setClusterBidsMinorUnits", "setItemBids"].map((operation) => ({
            operation,
            kind: "refuse" as const,
            status: 400
          }))
        )
        const first = yield* asked(world, "10-optimise")
        expect(first.now.size).toBeGreaterThan(3)
        expect(world.ledger()).toEqual([])
        world.faults([])
        yield* world.advance("10 minutes")
        const { none, request } = yield* approve(world, first)
        for (const { over } of spentOf(request.plan, world.ledger())) expect(over).toBeLessThanOrEqual(50)
        expect(none).toMatchObject({ code: "nothing_left", first: { code: "budget_no_room" } })
      })
    ))

  it("raises nothing with cuts that went without asking and that a person has set back", () =>
    inShop(
      [
        asking(
          optimise(", budget: 2000 ₽, park: no, minus: no"),
          "\nauto_approve: {bid_change: 30%, money_per_day: 1 ₽}"
        )
      ],
      (world) =>
        Effect.gen(function* () {
          const first = yield* asked(world, "10-optimise")
          const { changes } = first.planned.reviewed.plan
          const cuts = changes.filter(({ id }) => first.now.has(id))
          expect(cuts.length).toBeGreaterThan(3)
          expect(cuts.filter(isMade(world.ledger()))).toEqual(cuts)
          yield* world.advance("10 minutes")
          for (const {
            before,
            subject: { campaignId, cluster, itemId }
          } of cuts)
            world.edit({
              campaignId: campaignId!,
              itemId: itemId!,
              ...(cluster === undefined ? {} : { cluster }),
              bidKopecks: Number(before),
              placement: "search"
            })
          yield* world.advance("10 minutes")
          yield* approve(world, first)
          const sentOf = (some: ReadonlyArray<Change>) => some.filter(isMade(world.ledger()))
          expect(raises(changes).length).toBeGreaterThan(3)
          expect(sentOf(raises(changes))).toEqual([])
        })
    ))

  it("raises nothing with cuts that minus phrases were to stand for, where a yes came in the same run and these were refused", () =>
    inShop([optimise(bidsOnly), minus], (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { now, waiting } = yield* Asking.afterPlan(planned.reviewed)
        expect(waiting.length).toBeGreaterThan(3)
        world.faults([{ operation: "setMinusPhrases", kind: "refuse", status: 400 }])
        yield* sent(planned.reviewed, new Set([...now, ...waiting.map(({ change }) => change.id)]))
        for (const { over } of spentOf(planned.reviewed.plan, world.ledger()))
          expect(over).toBeLessThanOrEqual(50)
      }).pipe(Effect.provide(world.context))
    ))

  for (const [isAgreed, budget, far] of [
    [true, 2800, 35],
    [false, 3200, 25]
  ] as const)
    it(`raises nothing with a cut that somebody held between the question and the yes, where what waits was ${isAgreed ? "agreed to" : "left"}`, () =>
      inShop(
        [
          asking(
            optimise(`, budget: ${budget} ₽, park: no, minus: no`),
            `\nauto_approve: {bid_change: ${far}%}`
          )
        ],
        (world) =>
          Effect.gen(function* () {
            const { context, reviewed } = yield* world.plan
            const { automatic, now, waiting } = yield* Asking.afterPlan(reviewed)
            const payers = automatic.filter(
              ({ change }) => (BudgetRoom.shareOf(change)?.moreKopecks ?? 0) < 0
            )
            expect(payers.length).toBeGreaterThan(3)
            expect(
              raises(reviewed.plan.changes.filter(({ id }) => isAgreed || now.has(id))).length
            ).toBeGreaterThan(0)
            for (const { change } of payers)
              yield* (yield* Holdings).place({
                account: Scenario.account,
                kind: "target",
                what: Target.key(change.subject),
                since: world.now(),
                by: "anna"
              })
            const again = yield* Review.reload(JSON.parse(JSON.stringify(reviewed.plan)), {
              ...context,
              stops: yield* Stopped.stops(Scenario.account, world.rules.limits, "Europe/Moscow"),
              account: Scenario.account,
              nowMs: world.now()
            })
            const ids = new Set([...now, ...(isAgreed ? waiting.map(({ change }) => change.id) : [])])
            const done = yield* Approvals.standing({ account: Scenario.account, plan: reviewed.plan })
            const { chosen } = Approvals.still(again, ids, done)
            yield* sent(again, chosen)
            for (const { over } of spentOf(reviewed.plan, world.ledger()))
              expect(over).toBeLessThanOrEqual(50)
          }).pipe(Effect.provide(world.context))
      ))

  it("raises with what a campaign would have saved that somebody has completed since, for nothing is spent there", () =>
    inShop([asking(optimise(", budget: 2800 ₽, budget_of: account, park: no, minus: no"))], (world) =>
      Effect.gen(function* () {
        const first = yield* asked(world, "10-optimise")
        const { context, reviewed } = first.planned
        const { changes } = reviewed.plan
        const of = (campaignId: number) =>
          changes.filter(({ subject }) => "campaignId" in subject && subject.campaignId === campaignId)
        const [over, other] = [CampaignId.make(1_000_002), 1_000_001]
        expect(of(over).some(BudgetRoom.makesRoom)).toBe(true)
        expect(raises(of(other)).length).toBeGreaterThan(0)
        world.edit({ campaignId: over, status: 7 })
        yield* world.advance("5 minutes")
        const listed = new Set([...(context.listed ?? [])].filter((id) => id !== over))
        const planned = { ...first.planned, context: { ...context, listed } }
        const { refused } = yield* approve(world, { ...first, planned })
        expect(new Set(refused.map(({ because }) => because?.code))).toEqual(new Set(["campaign_over"]))
        expect(refused.length).toBe(of(over).length)
        expect(world.ledger().length).toBe(of(other).length)
      })
    ))

  it("raises what a person names alone, for whoever leaves out what makes room has said so", () =>
    inShop([asking(optimise())], (world) =>
      Effect.gen(function* () {
        const { chosen, refused, request } = yield* approve(world, yield* asked(world, "10-optimise"), raises)
        expect(refused).toEqual([])
        expect(chosen.size).toBe(raises(request.plan.changes).length)
        const spent = spentOf(request.plan, world.ledger())
        expect(sum(spent.map(({ raised }) => raised))).toBe(chosen.size)
      })
    ))
})

/** Rules that move the same slots, or keep them. */
const others = [
  [
    "05-boost",
    `schedule: {every: 30m, tz: Europe/Moscow}\neach: cluster\nwhen: orders <= 4\nduring: {time: "08:00-23:00"}\ndo: {adjust_bid: {by: +20%, cap: 600 ₽}}\n`
  ],
  ["20-back", "each: cluster\nwhen: clicks >= 9\ndo: remove_minus\n"],
  ["21-push", "each: cluster\nwhen: orders <= 1\ndo: {raise_bid: {by: 30%, cap: 600 ₽}}\n"],
  ["22-lower", "each: cluster\nwhen: orders <= 2\ndo: {lower_bid: {by: 10%, floor: min_bid}}\n"],
  ["23-first", "tier: safety\neach: cluster\nwhen: orders >= 9\ndo: {raise_bid: {by: 5%, cap: 300 ₽}}\n"]
] as const

const beside = fc.record({
  options: fc
    .record({
      budget: fc.integer({ min: 1_500, max: 4_500 }),
      rest: fc.constantFrom("", ", park: no, minus: no")
    })
    .map(({ budget, rest }) => `, budget: ${budget} ₽${rest}`),
  beside: fc
    .subarray([...others])
    .chain((some) =>
      fc.record({
        some: fc.constant(some),
        modes: fc.array(fc.constantFrom("apply", "apply", "preview"), {
          minLength: some.length,
          maxLength: some.length
        })
      })
    )
    .map(({ modes, some }) =>
      some.map(([name, text], at) => {
        const made = file(name, text)
        return { ...made, text: made.text.replace("mode: apply", `mode: ${modes[at]}`) }
      })
    ),
  past: fc.array(fc.constantFrom(undefined, undefined, "moved", "pending", "rolledBack"), {
    minLength: 1,
    maxLength: 9
  })
})

const historyOf = (slot: string, past: string, nowMs: number): SlotHistory => ({
  slot,
  lastPolicy: "10-optimise",
  lastAppliedAt: past === "moved" ? nowMs - 3_600_000 : undefined,
  pendingSince: past === "pending" ? nowMs - 60_000 : undefined,
  dayFirstBid: undefined,
  ...(past === "rolledBack" ? { rolledBack: [{ policy: "10-optimise", at: nowMs - 3_600_000 }] } : {})
})
