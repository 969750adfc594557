import { describe, expect, it } from "vitest"
import * as Trials from "./Trials.js"

const file = (cases: string) => `version: 1\nkind: tests\npolicy: 01-raise\ncases:\n${cases}`

const boost = Trials.rules(`version: 1
name: Evening boost
schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where: campaign.name matches "*кеды*" and campaign.payment = cpm
during: {days: [mon, tue, wed, thu, fri], time: "18:00-23:00"}
do:
  adjust_bid: {by: +20%, cap: 600 ₽}
`)

const evening = (at18: string, change = "", at23 = "{id: a, adjust_bid: 440 ₽}") =>
  file(`  - name: an evening
    defaults: {campaign.name: Летние кеды, min_bid: 150 ₽, bid_step.cpm: 1 ₽}
    rows:
      - {id: a, bid: 440 ₽}
      - {id: b, bid: 440 ₽, campaign.name: Сапоги}
    runs:
      - {at: 2026-09-01T17:30+03:00, expect: []}
      - {at: 2026-09-01T18:00+03:00, expect: [${at18}]}
      - {at: 2026-09-01T18:30+03:00, ${change}expect: []}
      - {at: 2026-09-01T23:00+03:00, expect: [${at23}]}
      - {at: 2026-09-05T18:00+03:00, expect: []}
`)

describe("a test of an overlay", () => {
  it("sees it begin, stand, and end, and nothing on a Saturday", () => {
    expect(Trials.failures(evening("{id: a, adjust_bid: 528 ₽}"), boost)).toEqual([])
  })

  it("fails on another amount", () => {
    expect(Trials.failures(evening("{id: a, adjust_bid: 500 ₽}"), boost)).toEqual([
      "a: bid 500 ₽ by adjust_bid / bid 440 ₽ → 528 ₽"
    ])
  })

  it("lets a run state a bid that somebody else has set meanwhile", () => {
    expect(
      Trials.failures(evening("{id: a, adjust_bid: 528 ₽}", "rows: [{id: a, bid: 300 ₽}], ", ""), boost)
    ).toEqual([])
  })
})

describe("a test of revert_when", () => {
  const stop = Trials.rules(`version: 1
name: Stop for today
tier: safety
schedule: {every: 10m, tz: Europe/Moscow}
each: campaign
where: campaign.status in [active, paused]
vars: {daily: 3000 ₽}
window: today
when: spend default 0 ₽ >= $daily
do: pause
revert_when: spend default 0 ₽ < $daily * 50%
if_unknown: notify
`)

  it("sees what the policy paused start again, and nothing that was paused before", () => {
    const text = file(`  - name: a day and the next morning
    rows:
      - {id: a, spend: 3100 ₽}
      - {id: b, spend: 3100 ₽, campaign.status: paused}
      - {id: c, spend: 3100 ₽}
    runs:
      - {at: 2026-09-01T20:00+03:00, expect: [{id: a, do: pause}, {id: c, do: pause}]}
      - at: 2026-09-02T00:10+03:00
        rows: [{id: a, spend: missing}, {id: b, spend: missing}, {id: c, spend: 1600 ₽}]
        expect: [{id: a, do: start}]
      - {at: 2026-09-02T00:20+03:00, expect: []}
`)
    expect(Trials.failures(text, stop)).toEqual([])
  })
})
