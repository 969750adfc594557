/** Days that were forecast: which are judged, when misses are too many to be chance, and what brings a policy back. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Calibration from "../../src/engine/decide/forecasts/Calibration.js"
import * as ForecastDay from "../../src/engine/decide/forecasts/ForecastDay.js"
import * as Judging from "../../src/engine/decide/forecasts/Judging.js"
import * as Standing from "../../src/engine/decide/forecasts/Standing.js"
import * as Past from "../../src/engine/decide/optimise/Past.js"
import * as Charges from "../../src/engine/facts/Charges.js"
import type { DayFigures } from "../../src/engine/facts/DayFigures.js"
import * as HeldReasons from "../../src/reporting/HeldReasons.js"
import * as Depth from "../Depth.js"
import * as Market from "../optimise/MadeUpMarket.js"

const hourMs = 3_600_000
const first = Days.Day("2026-09-01")
const dayAt = (index: number): Days.Day => Days.shift(first, index)
const today = dayAt(400)

const around = (mean: number, half: number) => ({ low: mean - half, mean, high: mean + half })
const expected = { spendKopecks: around(100_000, 20_000), orders: around(10, 5) }

const bids: Standing.Values = new Map<string, number | boolean>([
  ["bid:1/2/a", 10_000],
  ["bid:1/2/b", 12_000],
  ["minus:1/2/a", false]
])

const kept = (index: number, more: Partial<ForecastDay.ForecastDay> = {}): ForecastDay.ForecastDay => ({
  policy: "10",
  budget: "1",
  day: dayAt(index),
  campaigns: [1],
  dailyKopecks: 300_000,
  changes: 0,
  before: expected,
  after: expected,
  standing: Standing.digest(bids),
  madeAtMs: Days.startOfMarket(dayAt(index)) + 6.5 * 3_600_000,
  ...more
})

/** One letter a day: `.` inside, `s` spend outside, `o` orders outside, `b` both, `?` not judged. */
const story = (letters: string): ReadonlyArray<ForecastDay.ForecastDay> =>
  [...letters].map((letter, index) =>
    kept(index, {
      outcome: letter === "?" ? { code: "bids_moved" } : { code: "stood", sent: 1 },
      realised: {
        spendKopecks: letter === "s" || letter === "b" ? 20_000 : 105_000,
        orders: letter === "o" || letter === "b" ? 1 : 11
      }
    })
  )

const fallenAfter = (letters: string) => Calibration.of(story(letters), today)[0]?.fallen

describe("misses that are too many", () => {
  it("are four days in a row, and half of two weeks, but not three or a third", () => {
    expect(fallenAfter("......sss")).toBeUndefined()
    expect(fallenAfter("......ssss")).toEqual({
      figure: "spend",
      outside: 4,
      judged: 4,
      offPercent: -80,
      since: "2026-09-10"
    })
    expect(fallenAfter("o.o.o.o.o.o.o.")).toMatchObject({ figure: "orders" })
    expect(fallenAfter("o..o..o..o..o.")).toBeUndefined()
  })

  it("say no percent where nothing was expected, and not that nothing was off", () => {
    const none = { ...expected, orders: around(0, 0) }
    const days = story("oooo").map((day) => ({
      ...day,
      before: none,
      after: none,
      realised: { spendKopecks: 105_000, orders: 3 }
    }))
    const fallen = Calibration.of(days, today)[0]?.fallen
    expect(fallen).toEqual({ figure: "orders", outside: 4, judged: 4, since: dayAt(3) })
    expect(HeldReasons.missed(fallen!)).toBe(
      "the orders lay outside of what was expected on 4 of the last 4 days that can be judged"
    )
  })

  it("are of one figure: spend on some days and orders on others are two short rows", () => {
    expect(fallenAfter("ssooss.o")).toBeUndefined()
    expect(fallenAfter("bbbb")).toBeDefined()
  })

  it("end with three good days in a row, and what was before counts no more", () => {
    expect(fallenAfter("ssss..")).toBeDefined()
    expect(fallenAfter("ssss..s..")).toBeDefined()
    expect(fallenAfter("ssss...")).toBeUndefined()
    expect(fallenAfter("ssss...sss")).toBeUndefined()
    expect(fallenAfter("ssss...ssss")).toBeDefined()
  })

  it("are not made or ended by days that nobody can judge", () => {
    expect(fallenAfter("ss?s?")).toBeUndefined()
    expect(fallenAfter("ss?s?s")).toBeDefined()
    expect(fallenAfter("ssss??????????")).toBeDefined()
    const asked = fc.string({ unit: fc.constantFrom(".", "s", "o", "b", "?"), maxLength: 40 })
    fc.assert(
      fc.property(asked, (letters) => {
        const [all] = Calibration.of(story(letters), today)
        const [without] = Calibration.of(
          story(letters).filter((_, index) => letters[index] !== "?"),
          today
        )
        expect(all?.fallen).toEqual(without?.fallen)
        expect(all?.judged ?? 0).toBe([...letters].filter((letter) => letter !== "?").length)
      }),
      { numRuns: Depth.cases(400) }
    )
  })

  it("come by chance to less than one budget of a hundred in a month, of right predictions", () => {
    // Every history of the last days with its chance; each figure misses one day of ten by itself.
    let open = new Map([["", 1]])
    let fallen = 0
    for (let day = 0; day < 30; day++) {
      const next = new Map<string, number>()
      for (const [before, chance] of open)
        for (const [letter, share] of [
          [".", 0.9],
          ["s", 0.1]
        ] as const) {
          const now = (before + letter).slice(-Calibration.mostDays)
          if (isFallen(now)) fallen += chance * share
          else next.set(now, (next.get(now) ?? 0) + chance * share)
        }
      open = next
    }
    expect(fallen).toBeGreaterThan(0.001)
    expect(2 * fallen).toBeLessThan(0.01)
  })

  it("come within a week where days lie far outside", () => {
    const roll = Market.dice(7)
    for (let i = 0; i < 200; i++) {
      const good = Array.from({ length: 20 }, () => (roll() < 0.05 ? "s" : ".")).join("")
      if (fallenAfter(good) === undefined)
        expect(fallenAfter(`${good}ssssss`)).toMatchObject({ figure: "spend" })
    }
  })
})

const answers = new Map<string, boolean>()

/** Whether the last days alone are too many misses; each row of letters is asked once. */
const isFallen = (letters: string): boolean => {
  const known = answers.get(letters)
  if (known !== undefined) return known
  let found = false
  for (let count = Calibration.leastDays; count <= Math.min(Calibration.mostDays, letters.length); count++) {
    const misses = [...letters.slice(-count)].filter((letter) => letter === "s").length
    found ||= Calibration.chanceOf(misses, count) < Calibration.rareness
  }
  answers.set(letters, found)
  return found
}

/** What statistics tell of yesterday, of campaign 1. */
const told = (figures: Omit<DayFigures, "day">): Past.Past["days"] =>
  new Map([[CampaignId.make(1), { range, days: [{ day: dayAt(0), ...figures }] }]])
const range = { from: dayAt(0), to: dayAt(0) }

describe("a day", () => {
  const yesterday = kept(0)
  const nowMs = Days.startOfMarket(dayAt(1)) + 6.5 * 3_600_000
  const past: Past.Past = {
    ...Past.nothing,
    days: told({ spendKopecks: 101_000, orders: 9, revenueKopecks: undefined })
  }
  const now: Judging.Now = { nowMs, settledTo: dayAt(0), standing: bids, past }
  const own = (slot: string, before: number | boolean, hour: number, until?: number): Past.Own => ({
    policy: "10",
    campaignId: 1,
    slot,
    before,
    atMs: Days.startOfMarket(dayAt(0)) + hour * 3_600_000,
    untilMs:
      until === undefined ? Number.POSITIVE_INFINITY : Days.startOfMarket(dayAt(0)) + until * 3_600_000,
    isReplaced: false
  })

  it("is judged once its statistics have settled, and not before", () => {
    expect(Judging.find(yesterday, now)).toEqual({
      policy: "10",
      budget: "1",
      day: dayAt(0),
      outcome: { code: "stood", sent: 1 },
      realised: { spendKopecks: 101_000, orders: 9 }
    })
    expect(Judging.find(yesterday, { ...now, settledTo: dayAt(-1) })).not.toHaveProperty("realised")
    expect(Judging.find(yesterday, { ...now, nowMs: Days.startOfMarket(dayAt(1)) - 1 })).toBeUndefined()
    const settled = ForecastDay.withFound([yesterday], [Judging.find(yesterday, now)!])[0]!
    expect(Judging.find(settled, now)).toBeUndefined()
    expect(Calibration.judge(yesterday, dayAt(1))).toEqual({ _tag: "Unjudged", because: "not_settled" })
    expect(Calibration.judge(yesterday, dayAt(60))).toEqual({ _tag: "Unjudged", because: "not_read" })
  })

  it("takes later corrections of its statistics, and no figure for one that is missing", () => {
    const settled = ForecastDay.withFound([yesterday], [Judging.find(yesterday, now)!])[0]!
    const corrected = (orders: number | undefined): Past.Past => ({
      ...past,
      days: told({ spendKopecks: 101_000, orders, revenueKopecks: 5 })
    })
    expect(Judging.find(settled, { ...now, past: corrected(12) })?.realised?.orders).toBe(12)
    expect(Judging.find(settled, { ...now, past: corrected(undefined) })).toBeUndefined()
    const two = kept(0, { campaigns: [1, 2] })
    expect(Judging.find(two, now)).not.toHaveProperty("realised")
  })

  it("counts a campaign as nothing that no row is of, where charges of the day name none; one of the two proves nothing", () => {
    const two = kept(0, { campaigns: [1, 2] })
    const id = CampaignId.make(2)
    const told: Past.Past["days"] = new Map([...past.days, [id, { range, days: [] }]])
    const charged = (own: Charges.Charged, days = range): Past.Past["charges"] =>
      new Map([[Charges.keyOf(days), own]])
    const ofTwo = (days: ReadonlySet<Days.Day> | undefined) => new Map([[id, { kopecks: 500, days }]])
    const earlier = { from: dayAt(-9), to: dayAt(-1) }
    const spendOf = (days: Past.Past["days"], charges: Past.Past["charges"]) =>
      Judging.find(two, { ...now, past: { ...past, days, charges } })?.realised?.spendKopecks
    expect(spendOf(told, charged(new Map()))).toBe(101_000)
    expect(spendOf(told, charged(ofTwo(new Set([dayAt(-1)])), { ...range, from: dayAt(-1) }))).toBe(101_000)
    for (const [days, charges] of [
      [told, charged(ofTwo(new Set([dayAt(0)])))],
      [told, charged(ofTwo(undefined))],
      [told, charged(undefined)],
      [told, charged(new Map(), earlier)],
      [past.days, charged(new Map())],
      [new Map([...past.days, [id, { range: earlier, days: [] }]]), charged(new Map())]
    ] as const)
      expect(spendOf(days, charges)).toBeUndefined()
  })

  it("are not judged where an overlay lowered one of their bids, of which nothing is expected", () => {
    const overlaid = (factor: number, from: number, to: number, slot = "bid:1/2/b", base = 1) => {
      const move = (hour: number, share: number) => ({
        atMs: Days.startOfMarket(dayAt(0)) + hour * hourMs,
        isOwn: false,
        followed: false,
        beforeKopecks: base,
        afterKopecks: base,
        ...(share === 1 ? {} : { overlay: { policy: "05", factor: share } })
      })
      const moves = new Map([[slot, [move(from, factor), move(to, 1)]]])
      const standing: Standing.Values = new Map([...bids, ["cluster_bid:1/2/кеды", 9_000] as const])
      const then = kept(0, { standing: Standing.digest(standing) })
      return Judging.find(then, { ...now, standing, past: { ...past, moves } })?.outcome?.code
    }
    expect(overlaid(0.7, 18, 23)).toBe("bids_moved")
    expect(overlaid(0.7, -6, 9)).toBe("bids_moved")
    const ofItem = "item_bid:1/2/search"
    expect(overlaid(0.7, 18, 23, ofItem, 9_000), "a cluster without a bid of its own").toBe("bids_moved")
    expect(overlaid(0.7, 18, 23, ofItem, 8_000), "a cluster with one").toBe("stood")
    expect([overlaid(1.5, 18, 23), overlaid(0.7, -6, 5), overlaid(0.7, 25, 30)]).toEqual([
      "stood",
      "stood",
      "stood"
    ])
  })

  it("counts changes of its own from when they were sent, by the buyers that were still to come", () => {
    const planned = kept(0, {
      changes: 2,
      standing: Standing.digest(new Map([...bids, ["bid:1/2/a", 8_000] as const]))
    })
    const sentAt = (hour: number) =>
      Judging.find(planned, { ...now, past: { ...past, own: [own("bid:1/2/a", 8_000, hour)] } })?.outcome
    expect(sentAt(7)).toEqual({ code: "stood", sent: 0.44 })
    const evening = sentAt(20)
    expect(evening).toMatchObject({ code: "stood" })
    expect(evening?.code === "stood" && evening.sent).toBeCloseTo(0.104, 2)
    // Taken back on the same day, and on the next one.
    const takenBack = (hour: number) =>
      Judging.find(planned, { ...now, past: { ...past, own: [own("bid:1/2/a", 8_000, 7, hour)] } })?.outcome
    expect(takenBack(7.5)).toMatchObject({ code: "stood", sent: expect.closeTo(0.013, 3) })
    expect(takenBack(30)).toEqual({ code: "stood", sent: 0.44 })
    const replaced = (hour: number) => {
      const change = { ...own("bid:1/2/a", 8_000, 7, hour), isReplaced: true }
      return Judging.find(planned, { ...now, past: { ...past, own: [change] } })?.outcome
    }
    expect(replaced(8)).toEqual({ code: "bids_moved" })
    expect(replaced(30)).toEqual({ code: "stood", sent: 0.44 })
    // Its bid is not the one that was there, and nothing of ours explains it.
    expect(Judging.find(planned, now)?.outcome).toEqual({ code: "bids_moved" })
  })

  it("is left unjudged when a rule had stopped a campaign for longer, or its bids are not known", () => {
    const paused = (minutes: number): Past.Past => {
      const fromMs = Days.startOfMarket(dayAt(0)) + 20 * 3_600_000
      return {
        ...past,
        pauses: new Map([[CampaignId.make(1), [{ fromMs, toMs: fromMs + minutes * 60_000 }]]])
      }
    }
    expect(Judging.find(yesterday, { ...now, past: paused(200) })?.outcome).toEqual({
      code: "paused",
      minutes: 200
    })
    expect(Judging.find(yesterday, { ...now, past: paused(20) })?.outcome?.code).toBe("stood")
    expect(Judging.find(yesterday, { ...now, standing: undefined })?.outcome).toEqual({
      code: "bids_unknown"
    })
  })
})

describe("a digest of bids", () => {
  const values = fc
    .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 9_999 })), {
      selector: ([slot]) => slot,
      minLength: 1,
      maxLength: 200
    })
    .map((pairs) => new Map<string, number>(pairs))

  it("does not depend on the order, and sees any bid that moved", () => {
    fc.assert(
      fc.property(values, fc.nat(), (bids, at) => {
        const before = Standing.digest(bids)
        expect(Standing.compare(before, Standing.digest(new Map([...bids].reverse())))).toBe("same")
        const [slot, bid] = [...bids][at % bids.size]!
        expect(Standing.compare(before, Standing.digest(new Map([...bids, [slot, bid + 1]])))).toBe("moved")
        expect(before.length).toBeLessThan(900)
      }),
      { numRuns: Depth.cases(300) }
    )
  })

  it("lets bids come and go, as long as most stay", () => {
    const many = new Map(Array.from({ length: 300 }, (_, i) => [`bid:1/2/${i}`, 100 + i] as const))
    const before = Standing.digest(many)
    const few = new Map([...many].slice(3))
    expect(Standing.compare(before, Standing.digest(few))).toBe("same")
    expect(Standing.compare(before, Standing.digest(new Map([...many].slice(200))))).toBe("unknown")
    expect(Standing.compare(before, Standing.digest(new Map()))).toBe("unknown")
  })
})
