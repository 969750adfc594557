/** The curve of a day's spend: learned from readings alone, though campaigns stand still when most buyers come. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId } from "../../src/domain/Ids.js"
import * as SpendCurve from "../../src/engine/facts/SpendCurve.js"
import * as Depth from "../Depth.js"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const beginMs = Days.startOfMarket(Days.Day("2026-09-01"))
const campaign = CampaignId.make(1)

/** The quiet night and the busy evening of most shops. */
const usual = [2, 1.5, 1, 1, 1, 1.5, 2.5, 3.5, 4.5, 5, 5, 5, 5, 5, 5, 5, 5, 5.5, 6, 6.5, 7, 6.5, 5, 3.5]

/** Share of a curve that has passed, of hours since midnight. */
const passed = (curve: ReadonlyArray<number>, hours: number): number => {
  const sum = (to: number) =>
    curve.reduce((total, rate, hour) => total + rate * Math.min(1, Math.max(0, to - hour)), 0)
  return sum(hours) / sum(24)
}

interface Life {
  readonly days: number
  readonly curve?: ReadonlyArray<number>
  /** Kopecks of a day, counted from 0, on which it never stands still. */
  readonly kopecks?: (day: number) => number
  readonly stands?: (day: number, hours: number) => boolean
  readonly stepMinutes?: number
  readonly lateMinutes?: number
  /** Whether a pause or start is in the journal. */
  readonly isOurs?: boolean
}

/** What the marketplace shows at the end of each step, and what is learned from it. */
const live = (life: Life, campaignId = campaign, before = nothing): Memory => {
  const { curve = usual, kopecks = () => 300_000, stands = () => false, stepMinutes = 10 } = life
  const shown: Array<{ readonly atMs: number; readonly spent: number }> = []
  let known = before
  let wasActive = true
  let changedAtMs: number | undefined
  let spent = 0
  const steps = (life.days * dayMs) / (stepMinutes * minuteMs)
  for (let step = 1; step <= steps; step++) {
    const fromMs = (step - 1) * stepMinutes * minuteMs
    const toMs = step * stepMinutes * minuteMs
    const day = Math.floor(fromMs / dayMs)
    const hours = (fromMs % dayMs) / hourMs
    if (hours === 0) spent = 0
    const isActive = !stands(day, hours)
    if (isActive !== wasActive) {
      wasActive = isActive
      if (life.isOurs === true) changedAtMs = beginMs + fromMs
    }
    if (isActive) spent += kopecks(day) * (passed(curve, hours + stepMinutes / 60) - passed(curve, hours))
    shown.push({ atMs: toMs, spent })
    // At midnight the new day's figure is asked for.
    const isMidnight = toMs % dayMs === 0
    const lateMs = (life.lateMinutes ?? 0) * minuteMs
    const seen = shown.findLast(({ atMs }) => atMs <= toMs - lateMs)
    const isOfToday = seen !== undefined && Math.ceil(seen.atMs / dayMs) === Math.ceil(toMs / dayMs)
    const spendKopecks = isMidnight || !isOfToday ? 0 : Math.round(seen.spent)
    const reading = { campaignId, spendKopecks, isActive, changedAtMs }
    for (const one of SpendCurve.learn(known, [reading], beginMs + toMs))
      known = new Map([...known, [campaignId, one]])
  }
  return known
}

type Memory = ReadonlyMap<CampaignId, SpendCurve.Watched>
const nothing: Memory = new Map()

/** The shares of a day after so many, one for each half hour from midnight on. */
const sharesOn = (known: Memory, day: number, campaignId = campaign): ReadonlyArray<number | undefined> =>
  Array.from({ length: 48 }, (_, half) => {
    const nowMs = beginMs + day * dayMs + (half * hourMs) / 2
    return SpendCurve.shareAt(SpendCurve.curves(known, nowMs), campaignId, nowMs)
  })

const known = (shares: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  shares.map((share) => share ?? Number.NaN)

/** The farthest that a curve is off, of the day's whole spend. */
const error = (shares: ReadonlyArray<number | undefined>, curve: ReadonlyArray<number>): number =>
  Math.max(...known(shares).map((share, half) => Math.abs(share - passed(curve, half / 2))))

const curves = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 24, maxLength: 24 })

describe("the share of a day", () => {
  it("is 0 at midnight, never falls and never passes the whole, whatever was read", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            afterMinutes: fc.integer({ min: 0, max: 300 }),
            spendKopecks: fc.nat(1_000_000),
            isActive: fc.boolean(),
            campaignId: fc.constantFrom(1, 2, 3).map((id) => CampaignId.make(id))
          }),
          { minLength: 100, maxLength: 400 }
        ),
        (readings) => {
          let memory = live({ days: 3, stepMinutes: 60 })
          let nowMs = beginMs + 3 * dayMs
          for (const { afterMinutes, ...reading } of readings) {
            nowMs += afterMinutes * minuteMs
            const learned = SpendCurve.learn(memory, [{ ...reading, changedAtMs: undefined }], nowMs)
            memory = new Map([...memory, ...learned.map((one) => [one.campaignId, one] as const)])
          }
          const day = Math.ceil((nowMs - beginMs) / dayMs)
          for (const id of [1, 2, 3, 4].map((one) => CampaignId.make(one))) {
            const shares = sharesOn(memory, day, id)
            if (shares.every((share) => share === undefined)) continue
            expect(shares[0]).toBe(0)
            for (const [half, share] of known(shares).entries()) {
              expect(share).toBeLessThanOrEqual(1)
              expect(share).toBeGreaterThanOrEqual(half === 0 ? 0 : shares[half - 1]!)
            }
          }
        }
      ),
      { numRuns: Depth.cases(80) }
    ))

  it("is that of any curve after three weeks", () =>
    fc.assert(
      fc.property(curves, (curve) => {
        expect(error(sharesOn(live({ days: 21, curve, stepMinutes: 30 }), 21), curve)).toBeLessThan(0.02)
      }),
      { numRuns: Depth.cases(40) }
    ))

  it("is right though the campaign stood still on half of the afternoons, those of most buyers", () => {
    // On every second day three times the buyers, so that the limit is spent by the afternoon.
    const busy = (day: number) => day % 2 === 1
    const memory = live({
      days: 21,
      kopecks: (day) => (busy(day) ? 900_000 : 300_000),
      stands: (day, hours) => busy(day) && hours >= 13,
      isOurs: true
    })
    expect(error(sharesOn(memory, 21), usual)).toBeLessThan(0.02)
    // Sums of money by hour, as they are, take the afternoon for half of what it is.
    const naive = usual.map((rate, hour) => rate * (hour < 13 ? 2 : 1))
    expect(Math.abs(passed(naive, 13) - passed(usual, 13))).toBeGreaterThan(0.1)
  })

  it("is right though the campaign rests for an hour or two on every day, as pacing lets it", () => {
    const memory = live({
      days: 28,
      stands: (day, hours) => [9, 14, 19].some((begin) => hours >= begin + (day % 3) && hours < begin + 2),
      isOurs: true
    })
    expect(error(sharesOn(memory, 28), usual)).toBeLessThan(0.04)
  })

  it("does not depend on how much money it is", () =>
    fc.assert(
      fc.property(curves, fc.integer({ min: 2, max: 50 }), (curve, times) => {
        const once = live({ days: 4, curve, stepMinutes: 60, kopecks: () => 10_000_000 })
        const often = live({ days: 4, curve, stepMinutes: 60, kopecks: () => 10_000_000 * times })
        const differences = known(sharesOn(once, 4)).map((share, half) =>
          Math.abs(share - sharesOn(often, 4)[half]!)
        )
        expect(Math.max(...differences)).toBeLessThan(1e-4)
      }),
      { numRuns: Depth.cases(20) }
    ))

  it("is the same in whatever order campaigns are read and kept", () =>
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 }), (order) => {
        const memories = [1, 2, 3, 4].map((id) =>
          live(
            { days: 2, curve: usual.map((rate, hour) => rate + ((hour * id) % 5)), stepMinutes: 60 },
            CampaignId.make(id)
          )
        )
        const nowMs = beginMs + 2 * dayMs + hourMs
        const learnedIn = (ids: ReadonlyArray<number>) => {
          const together = new Map(ids.flatMap((id) => [...memories[id - 1]!]))
          const readings = ids.map((id) => ({
            campaignId: CampaignId.make(id),
            spendKopecks: id * 100,
            isActive: true,
            changedAtMs: undefined
          }))
          return SpendCurve.learn(together, readings, nowMs)
        }
        expect(learnedIn(order)).toEqual(learnedIn([1, 2, 3, 4]))
      }),
      { numRuns: Depth.cases(40) }
    ))
})

describe("what is watched", () => {
  const daysUnknown = (life: Omit<Life, "days">) => {
    const until = (days: number) => sharesOn(live({ ...life, days }), days)[24] === undefined
    return Array.from({ length: 8 }, (_, day) => day).filter(until).length
  }

  it("must be a day and a half before anything is said; hours in which the campaign stood still are not", () => {
    expect(daysUnknown({})).toBe(2)
    expect(daysUnknown({ stands: (_, hours) => hours >= 12, isOurs: true })).toBe(4)
    expect(daysUnknown({ stands: () => true })).toBe(8)
  })

  it("serves a campaign that is new to the account as well", () => {
    const other = CampaignId.make(2)
    const shares = sharesOn(live({ days: 10 }), 10, other)
    expect(error(shares, usual)).toBeLessThan(0.05)
  })

  it("is no time after a start until late statistics have caught up, whoever started it", () => {
    const watchedOf = (life: Omit<Life, "days">) => {
      const [one] = live({ ...life, days: 1, stepMinutes: 30 }).values()
      // The day is over: what was watched of it is folded in.
      const { pasts } = SpendCurve.curves(new Map([[campaign, one!]]), beginMs + dayMs + hourMs)
      return pasts.get(campaign)!.minutes
    }
    const whole = watchedOf({})
    expect(whole.every((minutes) => minutes > 25)).toBe(true)
    for (const isOurs of [true, false]) {
      const minutes = watchedOf({ stands: (_, hours) => hours >= 10 && hours < 12, isOurs })
      expect(minutes.slice(10, 14)).toEqual([0, 0, 0, 0])
      expect(minutes[9]).toBeGreaterThan(0)
      expect(minutes[16]).toBe(whole[16])
    }
  })

  it("is nothing between readings hours apart, and when a figure was corrected downwards", () => {
    const minutes = (known: Memory) => [...known.values()][0]!.today.minutes.reduce((a, b) => a + b, 0)
    const memory = live({ days: 1, stepMinutes: 30 })
    const read = (known: Memory, hours: number, spendKopecks: number): Memory =>
      new Map(
        SpendCurve.learn(
          known,
          [{ campaignId: campaign, spendKopecks, isActive: true, changedAtMs: undefined }],
          beginMs + dayMs + hours * hourMs
        ).map((one) => [one.campaignId, one])
      )
    const first = read(memory, 1, 5000)
    expect(minutes(first)).toBe(60)
    expect(minutes(read(first, 3.1, 9000))).toBe(60)
    expect(minutes(read(first, 2, 4000))).toBe(60)
    expect(minutes(read(first, 2, 5000))).toBe(120)
    // A clock that was ahead: the day is read anew, and what was learned stays.
    const back = read(read(first, 30, 1000), 2, 5000)
    expect(minutes(back)).toBe(0)
    expect(sharesOn(back, 5)[24]).toBe(sharesOn(read(first, 30, 1000), 5)[24])
  })

  it("is the figure of today where statistics are late: its share is what the figure has reached by now", () => {
    const memory = live({ days: 21, lateMinutes: 90 })
    const shifted = Array.from(
      { length: 48 },
      (_, half) => passed(usual, Math.max(0, half / 2 - 1.5)) / passed(usual, 22.5)
    )
    const shares = known(sharesOn(memory, 21))
    expect(Math.max(...shares.map((share, half) => Math.abs(share - shifted[half]!)))).toBeLessThan(0.03)
  })

  it("fades: after two months of other days the old ones are forgotten", () => {
    const old = live({ days: 14, curve: [...usual].reverse() })
    const fresh = live({ days: 60, stepMinutes: 30 })
    const both = [...live({ days: 60, stepMinutes: 30 }, campaign, old).values()]
    expect(
      Math.abs(sharesOn(new Map([[campaign, both[0]!]]), 60)[24]! - sharesOn(fresh, 60)[24]!)
    ).toBeLessThan(0.02)
  })
})
