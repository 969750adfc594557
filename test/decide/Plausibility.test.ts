import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import * as Plausibility from "../../src/engine/decide/limits/Plausibility.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import { Table } from "../../src/engine/facts/Table.js"

const nowMs = Date.parse("2026-09-10T09:00:00Z")
const run = { nowMs, rules: "a" }
const day = 86_400_000
const figure = (fact: string, active: number, total: number, rows = 50): Plausibility.Figure => ({
  fact,
  rows,
  active,
  total,
  rowsHash: ""
})
const week = (one: Plausibility.Figure, days = 7): ReadonlyArray<Plausibility.Seen> =>
  Array.from({ length: days }, (_, n) => ({ ...one, at: nowMs - (n + 1) * day + 60_000, rules: "a" }))

const views = figure("campaign.views@today", 40, 20_000)

describe("statistics that cannot be true", () => {
  it("are all zero where most rows usually have something", () => {
    const zero = figure("campaign.views@today", 0, 0)
    expect(Plausibility.objections([zero], week(views), run)).toEqual([
      "campaign.views@today is above zero in 0 rows, usually in 40"
    ])
  })

  it("are no fault where the charges of the same days bear a fall out, which nothing charged for nothing spent does not", () => {
    const spend = figure("campaign.spend@1d", 40, 300_000)
    const [lowSpend, lowViews] = [
      { ...spend, total: 12_000 },
      { ...views, fact: "campaign.views@1d", total: 900 }
    ]
    const seen = [...week(spend), ...week({ ...views, fact: "campaign.views@1d" })]
    const [fall] = Plausibility.falls([lowSpend, lowViews], seen, run)
    expect([fall?.spend.fact, fall?.views]).toEqual(["campaign.spend@1d", ["campaign.views@1d"]])
    expect(Plausibility.falls([{ ...spend, total: 9_000_000 }, lowViews], seen, run)).toEqual([])
    const borneOut = new Set(["campaign.spend@1d", "campaign.views@1d"])
    expect(Plausibility.objections([lowSpend, lowViews], seen, run)).toHaveLength(2)
    expect(Plausibility.objections([lowSpend, lowViews], seen, run, { borneOut })).toEqual([])
    const bearsOut = (charged: number) => Plausibility.bearsOut(12_000, charged)
    expect([
      bearsOut(12_000),
      bearsOut(14_900),
      bearsOut(15_100),
      bearsOut(9_000),
      bearsOut(300_000)
    ]).toEqual([true, true, false, false, false])
    expect(Plausibility.bearsOut(0, 0)).toBe(false)
  })

  it("are zero for four fifths, not for three", () => {
    const at = (active: number) =>
      Plausibility.objections([figure("campaign.views@today", active, 20_000)], week(views), run).length
    expect([at(8), at(9), at(16)]).toEqual([1, 0, 0])
  })

  it("are no fault where few rows are usually active, or these show next to nothing", () => {
    const at = (active: number, total: number) => {
      const usual = figure("campaign.views@today", active, total)
      return Plausibility.objections([{ ...usual, active: 1, total: total / 4 }], week(usual), run).length
    }
    expect([at(6, 20_000), at(9, 20_000), at(10, 20_000)]).toEqual([0, 0, 1])
    expect([at(20, 900), at(20, 1100)]).toEqual([0, 1])
  })

  it("are more than ten times off what is usual at this hour", () => {
    const sums = (total: number) =>
      Plausibility.objections([figure("campaign.views@today", 40, total)], week(views), run)
    expect(sums(210_000)).toEqual(["campaign.views@today is 210000 in all, usually 20000 at this hour"])
    expect(sums(1_900)).toHaveLength(1)
    expect(sums(190_000)).toEqual([])
    expect(sums(2_100)).toEqual([])
  })

  it("are not held against another hour, few runs, or a run of other rows", () => {
    const zero = figure("campaign.views@today", 0, 0)
    const elsewhen = week(views).map((seen) => ({ ...seen, at: seen.at - 5 * 3_600_000 }))
    expect(Plausibility.objections([zero], elsewhen, run)).toEqual([])
    expect(Plausibility.objections([zero], week(views, 2), run)).toEqual([])
    expect(Plausibility.objections([figure("campaign.views@today", 0, 0, 10)], week(views), run)).toEqual([])
  })

  /** What three weeks of turns at these minutes of the marketplace's day object to; each remembers those of seven days. */
  const turns = (
    minutes: ReadonlyArray<number>,
    total: (minute: number, day: number) => number = (minute) => minute * 10_000
  ) => {
    const midnightMs = Date.parse("2026-09-01T00:00:00+03:00")
    const seen: Array<Plausibility.Seen> = []
    const objections: Array<string> = []
    for (let n = 0; n < 21; n++)
      for (const minute of minutes) {
        const at = midnightMs + n * day + minute * 60_000
        const now = figure("campaign.spend@today", minute === 0 ? 0 : 40, total(minute, n))
        const said = Plausibility.objections([now], seen.slice(-7 * minutes.length), {
          nowMs: at,
          rules: "a"
        })
        objections.push(...said.map((one) => `${n} ${minute}: ${one}`))
        seen.push({ ...now, at, rules: "a" })
      }
    return objections
  }
  const everyTen = Array.from({ length: 144 }, (_, n) => n * 10)

  it("of today begin anew at the marketplace's midnight: a whole day's sum is none of the first hour", () => {
    expect(turns(everyTen)).toEqual([])
    expect(turns([10, 1390, 1420])).toEqual([])
    expect(turns([5, 30, 55, 1410, 1435])).toEqual([])
  })

  it("of today are found too large half an hour after midnight, and gone", () => {
    const wrong = (factor: number) =>
      turns(everyTen, (minute, n) => minute * 10_000 * (n === 9 && minute === 30 ? factor : 1))
    expect(wrong(11)).toEqual(["9 30: campaign.spend@today is 3300000 in all, usually 300000 at this hour"])
    expect(wrong(0.05)).toHaveLength(1)
  })

  it("of today are not held against runs that had more than half as much time again, nor against those with less", () => {
    expect(turns([5, 56])).toEqual([])
    const later = week(figure("campaign.spend@today", 40, 550_000)).map((seen, n) => ({
      ...seen,
      at: Date.parse("2026-09-10T00:55:00+03:00") - (n + 1) * day
    }))
    const early = figure("campaign.spend@today", 40, 50_000)
    const at = (time: string) =>
      Plausibility.objections([early], later, { nowMs: Date.parse(`2026-09-10T${time}+03:00`), rules: "a" })
    expect(at("00:05:00")).toEqual([])
    expect(at("00:50:00")).toHaveLength(1)
  })

  it("are not held against other rules, unless they have seen the very same rows", () => {
    const zero = figure("campaign.views@today", 0, 0)
    const others = week(views).map((seen) => ({ ...seen, rules: "b", rowsHash: "r" }))
    expect(Plausibility.objections([zero], others, run)).toEqual([])
    expect(Plausibility.objections([{ ...zero, rowsHash: "s" }], others, run)).toEqual([])
    expect(Plausibility.objections([{ ...zero, rowsHash: "r" }], others, run)).toHaveLength(1)
  })

  /** Campaigns with views of thirty days; the first `asked` know those of seven, and `shown` of these have some. */
  const viewed = (asked: number, shown: number, campaigns = 6) => {
    const table = Table.make("campaign")
    for (let n = 0; n < campaigns; n++) {
      const row = table.add({ campaignId: CampaignId.make(n + 1) })
      table.set(row, "campaign.views@30d", Cells.known(100))
      if (n < asked) table.set(row, "campaign.views@7d", Cells.known(n < shown ? 10 : 0))
    }
    return Plausibility.vanished((each) => table.view(each))
  }

  it("tell nothing for days that are over where a longer window tells something, without any earlier run", () => {
    expect(viewed(6, 1)).toEqual([
      "campaign.views@7d is above zero in 1, campaign.views@30d in 6 of the same 6 rows"
    ])
    expect(viewed(5, 0)).toHaveLength(1)
    expect(viewed(6, 2)).toEqual([])
  })

  it("count only rows that know both windows: what was asked of one campaign is no tenth of the account", () => {
    expect(viewed(1, 1)).toEqual([])
    expect(viewed(4, 0)).toEqual([])
  })

  it("state a spend that was not charged", () => {
    const charged = (statedKopecks: number, chargedKopecks: number) =>
      Plausibility.objections([], [], run, {
        charged: { fact: "campaign.spend@7d", statedKopecks, chargedKopecks }
      })
    expect(charged(1_300_000, 1_000_000)).toEqual([
      "campaign.spend@7d is 13000 in all, but 10000 was charged"
    ])
    expect(charged(1_000_000, 1_300_000)).toHaveLength(1)
    expect(charged(1_200_000, 1_000_000)).toEqual([])
    expect(charged(9_000, 0)).toEqual([])
  })
})

describe("clusters of which nothing was shown", () => {
  const zero = figure("cluster.spend@7d", 0, 0, 12)

  it("cannot all be zero when their campaigns were charged", () => {
    expect(Plausibility.silence(zero, 250_000)).toEqual([
      "cluster.spend@7d is zero in all 12 rows, but 2500 was charged to their campaigns"
    ])
  })

  it("may be zero when little was charged, when one was shown, or when none was read", () => {
    expect(Plausibility.silence(zero, 90_000)).toEqual([])
    expect(Plausibility.silence({ ...zero, active: 1 }, 250_000)).toEqual([])
    expect(Plausibility.silence({ ...zero, rows: 0 }, 250_000)).toEqual([])
  })
})

describe("campaigns that spent nothing today", () => {
  const zero = figure("campaign.spend@today", 0, 0, 3)

  it("cannot all be idle when they were charged today", () => {
    expect(Plausibility.idleness(zero, 68_800)).toEqual([
      "campaign.spend@today is zero in all 3 rows, but 688 was charged today"
    ])
  })

  it("may be when little was charged yet, when one spent something, or when none was read", () => {
    expect(Plausibility.idleness(zero, 9000)).toEqual([])
    expect(Plausibility.idleness({ ...zero, active: 1 }, 68_800)).toEqual([])
    expect(Plausibility.idleness({ ...zero, rows: 0 }, 68_800)).toEqual([])
  })
})
