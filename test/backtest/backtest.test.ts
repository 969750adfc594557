/** What rules say to recorded days: each from its own snapshot alone, with what they did before in mind. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Said from "../reporting/Said.js"
import * as Recorded from "./Recorded.js"

const raise = ["window: 1d", "when: orders >= 3", "do:", "  raise_bid: {by: 10%, cap: 600 ₽}"]
const ordered = (orders: number) => ({ "cluster.orders@1d": orders })
const kinds = (day: { readonly policies: ReadonlyArray<{ readonly changes: ReadonlyArray<unknown> }> }) =>
  day.policies.map(({ changes }) => changes.length)

describe("a backtest", () => {
  it("says what would have fired and why, without any money", () => {
    const { days } = Recorded.run(Recorded.rule(...raise), [
      Recorded.day("2026-11-02", { кеды: ordered(5), кроссовки: ordered(1) })
    ])
    expect(days[0]).toMatchObject({ day: "2026-11-02", zone: "Europe/Moscow" })
    const [told] = days[0]!.policies
    expect(told).toMatchObject({ policy: "01-rule", state: "ran", rowsInScope: 2, rowsMatched: 1 })
    expect(told?.changes).toMatchObject([
      {
        subject: { cluster: "кеды" },
        before: 40_000,
        after: 44_000,
        reason: [
          { condition: "campaign.payment = cpm" },
          { condition: "orders >= 3", value: "5", holds: "true" }
        ]
      }
    ])
    expect(JSON.stringify(days)).not.toMatch(/moneyPerDay|spendPerDay/)
  })

  it("counts rules in preview and leaves disabled ones out", () => {
    const facts = [Recorded.day("2026-11-02", { кеды: ordered(5) })]
    expect(kinds(Recorded.run(Recorded.rule("mode: preview", ...raise), facts).days[0]!)).toEqual([1])
    expect(kinds(Recorded.run(Recorded.rule("mode: disabled", ...raise), facts).days[0]!)).toEqual([])
  })

  it("remembers from day to day what it would have changed: a cooldown holds the next day back", () => {
    const days = ["2026-11-02", "2026-11-03", "2026-11-04"].map((date) =>
      Recorded.day(date, { кеды: ordered(5) })
    )
    const { days: told } = Recorded.run(Recorded.rule("cooldown: 40h", ...raise), days)
    expect(told.map((day) => day.policies[0]?.changes.length)).toEqual([1, 0, 1])
    expect(told[1]?.policies[0]?.unchanged).toMatchObject([
      { because: { code: "cooldown" }, rows: 1, such: "777/1001/кеды" }
    ])
  })

  it("counts hold_for over the days, and anew after a day without a match", () => {
    const { days } = Recorded.run(
      Recorded.rule("hold_for: 2 runs", ...raise),
      [5, 5, 1, 5, 5].map((orders, at) => Recorded.day(`2026-11-0${at + 1}`, { кеды: ordered(orders) }))
    )
    expect(days.map((day) => day.policies[0]?.changes.length)).toEqual([0, 1, 0, 0, 1])
    expect(Said.why(days[0]?.policies[0]?.unchanged[0])).toContain("hold_for: matched in 1 of 2 runs")
  })

  it("runs a policy on the days of its schedule only", () => {
    // 2026-11-06 is a Friday.
    const { days } = Recorded.run(
      Recorded.rule('schedule: {at: "06:00", days: [fri, mon], tz: Europe/Moscow}', ...raise),
      ["2026-11-06", "2026-11-07", "2026-11-09"].map((date) => Recorded.day(date, { кеды: ordered(5) }))
    )
    expect(days.map((day) => day.policies[0]?.state)).toEqual(["ran", "notDue", "ran"])
  })

  it("runs a policy that is due every few days as often", () => {
    const { days } = Recorded.run(
      Recorded.rule("schedule: {every: 2d, tz: Europe/Moscow}", ...raise),
      ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-05"].map((date) =>
        Recorded.day(date, { кеды: ordered(5) })
      )
    )
    expect(days.map((day) => day.policies[0]?.state)).toEqual(["ran", "notDue", "ran", "ran"])
  })

  it("leaves undecided what no plan recorded, and says once since when it is there", () => {
    const rules = Recorded.rule(
      "window: 14d",
      "when: ctr < 1% and orders[1d] = 0",
      "do:",
      "  add_minus: {max_total: 900}"
    )
    const without = { кеды: ordered(0), кроссовки: ordered(0) }
    const withCtr = { ...ordered(0), "cluster.ctr@14d": 0.004 }
    const { days, totals } = Recorded.run(rules, [
      Recorded.day("2026-11-01", without),
      Recorded.day("2026-11-02", without),
      Recorded.day("2026-11-03", { кеды: withCtr, кроссовки: ordered(0) })
    ])
    expect(days[0]?.policies[0]).toMatchObject({
      changes: [],
      rowsNotRecorded: 2,
      missing: ["ctr[14d]"],
      unknown: [{ rows: 2, because: { code: "condition_unknown", reason: "notFetched" } }]
    })
    // A row that the plan of the day did not ask about is as unknown, but the fact as such is there.
    expect(days[2]?.policies[0]).toMatchObject({ rowsNotRecorded: 1, missing: [] })
    expect(days[2]?.policies[0]?.changes).toHaveLength(1)
    expect(totals.gaps).toEqual([
      { fact: "ctr[14d]", days: ["2026-11-01", "2026-11-02"], recordedFrom: "2026-11-03" }
    ])
  })

  it("knows no sum over campaigns of a day on which some of them could not be read", () => {
    const rules = Recorded.rule("window: 1d", "when: item.ad_orders >= 3", ...raise.slice(2))
    const sold = { кеды: { "campaign_item.orders@1d": 5 } }
    const { days } = Recorded.run(rules, [
      Recorded.day("2026-11-02", sold),
      Recorded.day("2026-11-03", sold, 1)
    ])
    expect(kinds(days[0]!)).toEqual([1])
    expect(kinds(days[1]!)).toEqual([0])
    expect(days[1]?.policies[0]?.unknown).toMatchObject([{ rows: 1 }])
  })

  it("makes nothing dearer under spend_per_day on a day on which some campaigns could not be read", () => {
    const rules = Recorded.ruleUnder("spend_per_day: 50000 ₽", ...raise)
    const sold = { кеды: { ...ordered(5), "campaign.spend@today": 0 } }
    const { days } = Recorded.run(rules, [
      Recorded.day("2026-11-02", sold),
      Recorded.day("2026-11-03", sold, 1)
    ])
    expect(days.map(({ policies }) => policies[0]?.held.length)).toEqual([0, 1])
  })

  it("names rows whose bids went up one day and down another", () => {
    const rules = Recorded.rule(
      "window: 1d",
      "rules:",
      "  - when: orders >= 3",
      "    do:",
      "      raise_bid: {by: 10%, cap: 600 ₽}",
      "  - when: orders = 0",
      "    do:",
      "      lower_bid: {by: 10%, floor: 200 ₽}"
    )
    const { totals } = Recorded.run(
      rules,
      [5, 0, 5].map((orders, at) =>
        Recorded.day(`2026-11-0${at + 1}`, { кеды: ordered(orders), кроссовки: ordered(5) })
      )
    )
    expect(totals.flapping).toEqual([
      {
        subject: { campaignId: 777, itemId: 1001, cluster: "кеды" },
        slot: "cluster_bid:777/1001/кеды",
        turns: 2,
        policies: ["01-rule"],
        last: "lower_bid on 2026-11-02, raise_bid on 2026-11-03"
      }
    ])
    expect(totals.byPolicy).toMatchObject([
      { policy: "01-rule", daysRun: 3, daysWithChanges: 3, byAction: { raise_bid: 5, lower_bid: 1 } }
    ])
  })

  it("never looks ahead: whatever later days hold, the earlier ones are told the same", () => {
    const rules = Recorded.rule("hold_for: 2 runs", "cooldown: 30h", ...raise)
    const orders = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 2 })
    const days = (all: ReadonlyArray<ReadonlyArray<number>>) =>
      all.map(([a = 0, b = 0], at) =>
        Recorded.day(`2026-11-${10 + at}`, { кеды: ordered(a), кроссовки: ordered(b) })
      )
    fc.assert(
      fc.property(
        fc.array(orders, { minLength: 1, maxLength: 4 }),
        fc.array(orders, { maxLength: 3 }),
        fc.array(orders, { maxLength: 3 }),
        (past, one, other) => {
          const told = (later: typeof one) =>
            JSON.stringify(Recorded.run(rules, days([...past, ...later])).days.slice(0, past.length))
          expect(told(one)).toBe(told(other))
        }
      ),
      { numRuns: 40 }
    )
  })
})
