/** `optimise` beside what keeps some of its moves from being made: it spends nothing that only those would have saved. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import * as Decide from "../../src/engine/decide/Decide.js"
import type { Forecast, Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import type * as Load from "../../src/engine/language/Load.js"
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
        const draft = Decide.draft(Scenario.decideInput(world.rules, gathered))
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
      { numRuns: Depth.cases(100) }
    )
    expect([unmade > 100, raised > 100]).toEqual([true, true])
  }, 120_000)
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
