/** What holds of every plan, whatever the streams. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Optimise from "../../src/engine/optimise/Optimise.js"
import type { Input, Stream } from "../../src/engine/optimise/Stream.js"
import * as Depth from "../Depth.js"
import { input, levelsOf, settings, stream } from "./Streams.js"

const numRuns = Depth.cases(400, 1 / 8)
const holds = (given: fc.Arbitrary<Input>, property: (one: Input) => void) =>
  fc.assert(fc.property(given, property), { numRuns })
const decisions = (one: Input) => {
  const plan = Optimise.plan(one)
  return { plan, all: one.streams.map((_, i) => plan.decision(i)) }
}
const plus = (input: Input, more: number): Input => ({
  ...input,
  budgets: input.budgets.map(({ dailyKopecks, id }) => ({
    id,
    ...(dailyKopecks === undefined ? {} : { dailyKopecks: dailyKopecks + more })
  }))
})
const moves = ({ bidKopecks, firstBidTodayKopecks }: Stream, bid: number, move: number) =>
  bid === bidKopecks || Math.abs(bid - firstBidTodayKopecks) <= firstBidTodayKopecks * move + 1e-6

describe("a plan", () => {
  it("never leaves floor, cap, step and the most of a day's move", () => {
    holds(input({ explore: 0.03 }), (one) => {
      decisions(one).all.forEach(({ bidKopecks: bid, verb }, i) => {
        const own = one.streams[i]!
        expect(moves(own, bid, one.settings.move)).toBe(true)
        if (verb !== "bid") expect(bid).toBe(own.bidKopecks)
        else {
          expect(bid % own.stepKopecks).toBe(0)
          expect(bid).toBeGreaterThanOrEqual(own.floorKopecks)
          // A bid above its cap comes down as far as it may.
          expect(bid).toBeLessThanOrEqual(
            Math.max(own.capKopecks, Math.ceil((own.bidKopecks * 0.7) / own.stepKopecks) * own.stepKopecks)
          )
        }
      })
    })
  })

  it("turns a bid back only where the one it aims at lies a third off, whatever the deadband", () => {
    let turned = 0
    holds(input({ explore: 0.03 }), (given) => {
      const one = { ...given, settings: { ...given.settings, deadband: 0 } }
      decisions(one).all.forEach(({ bidKopecks: bid, reason, verb }, i) => {
        const { bidKopecks: before, capKopecks, floorKopecks, lastMove } = one.streams[i]!
        if (verb !== "bid" || lastMove === undefined || reason._tag !== "Decided") return
        if (before > capKopecks || before < floorKopecks || Math.sign(bid - before) === lastMove.direction)
          return
        // Whoever costs more than it brings comes down at once.
        if (reason.binds === "break_even" && bid < before) return
        const far = Math.max(reason.targetKopecks / before, before / reason.targetKopecks)
        expect(far).toBeGreaterThanOrEqual(1.3)
        turned++
      })
    })
    expect(turned).toBeGreaterThan(0)
  })

  it("neither lets back what it has parked today, nor puts into minus what it has let back today", () => {
    let kept = 0
    holds(input({ explore: 0.03 }), (one) => {
      decisions(one).all.forEach(({ verb }, i) => {
        const { standing } = one.streams[i]!
        if (standing._tag === "Parked" && standing.forDays === 0) expect(verb).toBe("leave")
        else if (standing._tag === "Live" && standing.backForDays === 0)
          expect(["leave", "bid"]).toContain(verb)
        else return
        kept++
      })
    })
    expect(kept).toBeGreaterThan(0)
  })

  it("spends no more than the budget in prediction, or says that it cannot", () => {
    holds(input({ explore: 0.03 }), (one) => {
      const { all, plan } = decisions(one)
      for (const budget of plan.budgets) {
        if (
          budget.dailyKopecks === undefined ||
          budget.spendKopecksPerDay.mean <= budget.dailyKopecks * (1 + 1e-9)
        )
          continue
        expect(budget.isOverspent).toBe(true)
        // Whoever is shown is as low as it goes today; who comes back does so at the bid it left with, and goes down from the next day on.
        all.forEach(({ bidKopecks, reason, verb }, i) => {
          const own = one.streams[i]!
          if (own.budget !== budget.id || reason._tag === "Nothing" || reason.after.bidKopecks === 0) return
          if (verb === "unpark") return
          const lowest = Math.max(own.floorKopecks, own.firstBidTodayKopecks * (1 - one.settings.move))
          const band = own.bidKopecks * (1 - one.settings.deadband)
          if (one.settings.drr === undefined)
            expect(bidKopecks <= lowest + own.stepKopecks || lowest + own.stepKopecks > band * 0.8).toBe(true)
        })
      }
    })
  })

  it("predicts for each budget what its decisions predict", () => {
    holds(input({ explore: 0.03 }), (one) => {
      const { all, plan } = decisions(one)
      for (const budget of plan.budgets) {
        let [spend, profit] = [budget.undecidedSpendKopecksPerDay, 0]
        all.forEach(({ reason }, i) => {
          if (one.streams[i]!.budget !== budget.id || reason._tag === "Nothing") return
          spend += reason.after.spendKopecksPerDay
          profit += reason.after.profitKopecksPerDay
        })
        const moved = all.some(
          ({ reason }) => reason._tag === "Nothing" && reason.why.code === "floor_out_of_reach"
        )
        if (moved) continue
        expect(spend).toBeCloseTo(budget.spendKopecksPerDay.mean, 3)
        expect(profit).toBeCloseTo(budget.profitKopecksPerDay.mean, 3)
      }
    })
  })

  it("never earns less in prediction with more budget", () => {
    const more = fc.tuple(input({ goal: "profit" }), fc.integer({ min: 1, max: 100_000 }))
    fc.assert(
      fc.property(
        more,
        ([
          {
            settings: { drr: _, ...own },
            ...rest
          },
          extra
        ]) => {
          const one = { ...rest, settings: own }
          const [less, greater] = [one, plus(one, extra)].map((each) => Optimise.plan(each).budgets[0]!)
          expect(greater!.targetProfitKopecksPerDay).toBeGreaterThanOrEqual(
            less!.targetProfitKopecksPerDay - 1e-6
          )
          expect(greater!.targetLambda).toBeLessThanOrEqual(less!.targetLambda + 1e-9)
          const [a, b] = [one, plus(one, extra)].map(
            (each) => Optimise.plan({ ...each, settings: { ...own, park: false } }).budgets[0]!
          )
          if (!a!.isOverspent)
            expect(b!.profitKopecksPerDay.mean).toBeGreaterThanOrEqual(a!.profitKopecksPerDay.mean - 1e-6)
        }
      ),
      { numRuns }
    )
  })

  it("does not depend on the order of its rows", () => {
    const shuffled = input({ explore: 0.03 }).chain((one) =>
      fc
        .shuffledSubarray([...one.streams.keys()], { minLength: one.streams.length })
        .map((order) => ({ one, order }))
    )
    fc.assert(
      fc.property(shuffled, ({ one, order }) => {
        const straight = decisions(one)
        const mixed = decisions({
          ...one,
          streams: order.map((i) => one.streams[i]!),
          budgets: [...one.budgets].reverse()
        })
        expect(order.map((i) => straight.all[i])).toEqual(mixed.all)
        expect(straight.plan.budgets).toEqual(mixed.plan.budgets)
      }),
      { numRuns }
    )
  })

  it("moves no bid that waits, and lets the same ones rest", () => {
    let parked = 0
    holds(input({ explore: 0 }), (one) => {
      const waiting = { ...one, streams: one.streams.map((own) => ({ ...own, waits: true as const })) }
      const free = decisions(one).all
      decisions(waiting).all.forEach(({ verb }, i) => {
        expect(verb).toBe(free[i]!.verb === "bid" ? "leave" : free[i]!.verb)
        if (verb === "park") parked++
      })
    })
    expect(parked).toBeGreaterThan(0)
  })

  it("pays what an overlay adds from the budget, and aims no bid higher for it", () => {
    let lower = 0
    holds(input({ explore: 0, goal: "profit", park: false }), ({ streams, ...given }) => {
      const { drr: _, ...settings } = given.settings
      const unlimited = { streams, settings, budgets: [{ id: "c" }, { id: "d" }] }
      // Just enough for what stands without an overlay.
      const budgets = Optimise.plan(unlimited).budgets.map(({ id, spendKopecksPerDay }) => ({
        id,
        dailyKopecks: Math.ceil(spendKopecksPerDay.mean)
      }))
      const raised = streams.map((own, i) =>
        i % 2 === 0 ? { ...own, raises: [{ factor: 1.5, share: 0.4 }] } : own
      )
      const free = decisions({ streams, settings, budgets }).all
      const { all, plan } = decisions({ streams: raised, settings, budgets })
      for (const { dailyKopecks, isOverspent, overlaysKopecksPerDay, spendKopecksPerDay } of plan.budgets) {
        expect(overlaysKopecksPerDay).toBeLessThanOrEqual(spendKopecksPerDay.mean)
        if (!isOverspent) expect(spendKopecksPerDay.mean).toBeLessThanOrEqual(dailyKopecks! * (1 + 1e-9))
      }
      all.forEach(({ reason }, i) => {
        const before = free[i]!.reason
        if (reason._tag !== "Decided" || before._tag !== "Decided") return
        expect(reason.targetKopecks).toBeLessThanOrEqual(before.targetKopecks)
        if (reason.targetKopecks < before.targetKopecks) lower++
      })
    })
    expect(lower).toBeGreaterThan(0)
  })

  it("keeps exploration within its part of the budget", () => {
    holds(input({ explore: 0.1, goal: "profit" }), (one) => {
      for (const budget of Optimise.plan(one).budgets) {
        expect(budget.explorationKopecksPerDay).toBeLessThanOrEqual(budget.explorationCapKopecks + 1e-9)
        if (budget.dailyKopecks !== undefined)
          expect(budget.explorationCapKopecks).toBeCloseTo(budget.dailyKopecks * 0.1, 6)
      }
    })
  })

  it("changes nothing without a margin, without statistics, in minus or twice a day", () => {
    const others = Array.from({ length: 12 }, (_, i) => stream({ id: `z${i}` }))
    const why = (over: Partial<Stream>) => {
      const one = decisions({
        streams: [stream(over), ...others],
        budgets: [{ id: "c", dailyKopecks: 50_000 }],
        settings
      })
      const { reason, verb } = one.all[0]!
      expect([verb, one.plan.acts(0)]).toEqual(["leave", false])
      return reason._tag === "Nothing" ? reason.why : undefined
    }
    expect(why({ worth: { _tag: "Absent", reason: "unlisted" } })).toEqual({
      code: "no_margin",
      because: "unlisted"
    })
    expect(why({ counts: { _tag: "Absent", reason: "absent" } })).toEqual({
      code: "no_statistics",
      because: "absent"
    })
    expect(why({ standing: { _tag: "Minus" } })).toEqual({ code: "in_minus" })
    expect(why({ firstBidTodayKopecks: 19_000 })).toEqual({ code: "moved_today" })
    expect(why({ capKopecks: 9_000 })).toEqual({ code: "floor_above_cap" })
    expect(why({ floorKopecks: 30_000 })).toEqual({ code: "floor_out_of_reach" })
    expect(why({ standing: { _tag: "Parked", forDays: 2, times: 1 }, counts: counted(9000, 9, 0) })).toEqual({
      code: "parked_until",
      inDays: 5
    })
  })

  it("refuses a curve that contradicts itself, and counts what such a stream spends", () => {
    const levels = (...bids: ReadonlyArray<number>): Stream["levels"] => ({
      _tag: "Known",
      value: (["reach_min", "reach_medium", "reach_max"] as const).map((name, i) => ({
        name,
        bidKopecks: bids[i]!
      }))
    })
    const one: Input = {
      streams: [stream({ id: "a", levels: levels(40_000, 30_000, 20_000) }), stream({ id: "b" })],
      budgets: [{ id: "c", dailyKopecks: 30_000 }],
      settings
    }
    const { all, plan } = decisions(one)
    expect(all[0]!.reason).toEqual({
      _tag: "Nothing",
      why: { code: "contradictory_levels", lowerKopecks: 40_000, higherKopecks: 20_000 }
    })
    expect(plan.budgets[0]!.undecidedSpendKopecksPerDay).toBeCloseTo(200_000 / 14)
    const day = (daysAgo: number) => ({
      daysAgo,
      bidKopecks: daysAgo > 7 ? 15_000 : 30_000,
      views: daysAgo > 7 ? 2000 : 500,
      clicks: 20,
      spendKopecks: 10_000,
      liveShare: 1
    })
    const fell = stream({ history: Array.from({ length: 14 }, (_, i) => day(i + 1)) })
    const reason = decisions({ ...one, streams: [fell] }).all[0]!.reason
    expect(reason._tag === "Nothing" && reason.why.code).toBe("contradictory_history")
  })

  it("counts what it leaves at the bid that stands, where that has moved: at most a tenth less than it costs, and as it was seen after a week", () => {
    let few = 0
    fc.assert(
      fc.property(
        fc.record({
          half: fc.integer({ min: 12_000, max: 40_000 }),
          // As steep as one in six curves is not.
          exponent: fc.double({ min: 1.5, max: 3, noNaN: true }),
          from: fc.integer({ min: 10_000, max: 30_000 }),
          by: fc.double({ min: 0.5, max: 2, noNaN: true }),
          days: fc.integer({ min: 0, max: 20 })
        }),
        ({ by, days, exponent, from, half }) => {
          const now = Math.round(from * by)
          const costs = (bid: number) => (10_000 * bid) / (1 + (half / bid) ** exponent) / 1000
          const history = Array.from({ length: 28 }, (_, at) => {
            const bidKopecks = at < days ? now : from
            const spendKopecks = costs(bidKopecks)
            return {
              daysAgo: at + 1,
              bidKopecks,
              spendKopecks,
              views: (spendKopecks * 1000) / bidKopecks,
              clicks: 9,
              liveShare: 1
            }
          })
          const of = (count: (day: (typeof history)[number]) => number) =>
            history.reduce((sum, day) => sum + count(day), 0)
          const left = stream({
            bidKopecks: now,
            firstBidTodayKopecks: now,
            history,
            levels: levelsOf(half, exponent),
            worth: { _tag: "Absent", reason: "notApplicable" },
            counts: {
              _tag: "Known",
              value: {
                views: of(({ views }) => views),
                clicks: 252,
                orders: 28,
                spendKopecks: of(({ spendKopecks }) => spendKopecks),
                liveDays: 28
              }
            }
          })
          const plan = Optimise.plan({ streams: [left], budgets: [{ id: "c" }], settings })
          const { undecidedReckonedKopecksPerDay: reckoned, undecidedSpendKopecksPerDay: spend } =
            plan.budgets[0]!
          const isFar = Math.abs(from / now - 1) > 0.05
          expect(spend).toBeGreaterThan(costs(now) * 0.9)
          expect(spend).toBeLessThan(Math.max(costs(from), costs(now) * 1.8) * (1 + 1e-9))
          if (days >= 7 && isFar) expect([spend / costs(now), reckoned]).toEqual([expect.closeTo(1, 9), 0])
          if (days >= 7 || !isFar) return
          few += 1
          // What days at this bid have shown is seen.
          if (days === 0) expect(reckoned > 0).toBe(now > from)
          else if (now < from) expect(reckoned).toBe(0)
        }
      ),
      { numRuns }
    )
    expect(few).toBeGreaterThan(5)
  })

  it("moves a bid further, the more evidence there is for the same rates", () => {
    const others = Array.from({ length: 40 }, (_, i) =>
      stream({ id: `z${i}`, counts: counted(20_000, 400, 8) })
    )
    const of = (times: number, orders: number) => {
      const one = stream({
        counts: counted(1000 * times, 20 * times, orders * times),
        levels: levelsOf(20_000, 2.5)
      })
      const { reason } = decisions({ streams: [one, ...others], budgets: [{ id: "c" }], settings }).all[0]!
      if (reason._tag !== "Decided") throw new Error("it is decided")
      return {
        value: reason.valueKopecks.mean,
        target: reason.targetKopecks,
        width: reason.valueKopecks.high - reason.valueKopecks.low
      }
    }
    const own = (orders: number) => (orders / 1000) * 50_000 * 1000
    for (const orders of [0, 3]) {
      const tries = [1, 3, 10, 30].map((times) => of(times, orders))
      for (let i = 1; i < tries.length; i++) {
        const [less, more] = [tries[i - 1]!, tries[i]!]
        expect(Math.abs(more.value - own(orders))).toBeLessThan(Math.abs(less.value - own(orders)))
        if (orders > 0) expect(more.target).toBeGreaterThanOrEqual(less.target)
        else expect(more.target).toBeLessThanOrEqual(less.target)
      }
    }
  })

  it("puts a cluster in minus only when it is all but sure, and parks the weak while money is scarce", () => {
    const good = Array.from({ length: 30 }, (_, i) => stream({ id: `z${i}` }))
    const verb = (counts: Stream["counts"], daily: number, over: Partial<Stream> = {}) =>
      decisions({
        streams: [stream({ counts, ...over }), ...good],
        budgets: [{ id: "c", dailyKopecks: daily }],
        settings
      }).all[0]!.verb
    expect(verb(counted(60_000, 60, 0), 10_000_000)).toBe("minus")
    expect(verb(counted(250, 0, 0), 10_000_000)).not.toBe("minus")
    const weak = counted(20_000, 400, 8)
    expect(verb(weak, 10_000_000)).not.toBe("park")
    expect(verb(weak, 100_000)).toBe("park")
    expect(verb(weak, 100_000, { canMinus: false })).toBe("bid")
    expect(
      verb(counted(20_000, 600, 30), 10_000_000, { standing: { _tag: "Parked", forDays: 1, times: 1 } })
    ).toBe("unpark")
  })

  it("keeps spend within its part of revenue", () => {
    const streams = Array.from({ length: 10 }, (_, i) =>
      stream({ id: `z${i}`, bidKopecks: 28_000, firstBidTodayKopecks: 28_000 })
    )
    const at = (drr?: number) =>
      Optimise.plan({
        streams,
        budgets: [{ id: "c" }],
        settings: { ...settings, ...(drr === undefined ? {} : { drr }) }
      }).budgets[0]!
    const ratio = (drr?: number) => at(drr).spendKopecksPerDay.mean / at(drr).revenueKopecksPerDay
    const free = ratio()
    expect(ratio(free * 0.9)).toBeLessThanOrEqual(free * 0.9)
    expect(at(free * 0.9).drrLambda).toBeGreaterThan(0)
    expect(at(free * 0.1).isOverspent).toBe(true)
  })
})

function counted(views: number, clicks: number, orders: number): Stream["counts"] {
  return { _tag: "Known", value: { views, clicks, orders, spendKopecks: views * 20, liveDays: 14 } }
}
