import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"

const check = (text: string, more: ReadonlyArray<Load.File> = []) =>
  Load.check([{ path: "rules/a.yaml", text }, ...more])

const problems = (text: string) => {
  const files = [{ path: "rules/a.yaml", text }]
  return Render.text(Load.check(files).diagnostics, files)
}

const boost = (during: string, by = "+20%, cap: 600 ₽") => `version: 1
name: Boost
schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where: campaign.payment = cpm
during: ${during}
do:
  adjust_bid: {by: ${by}}
`

const policyOf = (text: string) => {
  const { diagnostics, ruleSet } = check(text)
  expect(diagnostics).toEqual([])
  const [policy] = ruleSet?.policies ?? []
  if (policy === undefined) throw new Error("no policy")
  return policy
}

describe("adjust_bid with during", () => {
  it("needs no condition, and keeps its sign", () => {
    const policy = policyOf(boost('{days: [fri, mon], time: "22:00-06:00"}', "-15%, floor: min_bid"))
    expect(policy.during).toEqual({ days: ["mon", "fri"], fromMinute: 1_320, toMinute: 360 })
    expect(policy.rules).toMatchObject([{ when: [], action: { _tag: "AdjustBid", basisPoints: -1_500 } }])
  })

  it("means something else at another time, so that its counts start anew", () => {
    const [a, b] = ["18:00-23:00", "18:00-22:00"].map((time) => policyOf(boost(`{time: "${time}"}`)).hash)
    expect(a).not.toBe(b)
  })

  it("may be one of several shares, of which the first that matches holds", () => {
    const policy = policyOf(`version: 1
name: Boost
schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where: campaign.payment = cpm
window: 7d
during: {time: "18:00-23:00"}
rules:
  - when: orders >= 10
    do:
      adjust_bid: {by: +30%, cap: 600 ₽}
  - when: orders >= 3
    do:
      adjust_bid: {by: +10%, cap: 600 ₽}
`)
    expect(policy.rules).toHaveLength(2)
  })

  it("fights no steering of the same bid", () => {
    const steering = `version: 1
name: Lower
each: campaign_item
where: campaign.payment = cpm
window: 7d
when: orders < 3
do:
  lower_bid: {by: 10%, floor: min_bid}
`
    const { diagnostics } = check(boost('{time: "18:00-23:00"}'), [{ path: "rules/b.yaml", text: steering }])
    expect(diagnostics).toEqual([])
  })

  it("says what is missing where it is missing", () => {
    expect(problems(boost('{days: [mon], time: "18:00-18:00"}'))).toContain("It ends when it begins")
    expect(problems(boost("{days: [mon]}"))).toContain("time: is missing")
    expect(problems(boost('{days: [], time: "18:00-20:00"}'))).toContain(
      "days: is an empty list. Write at least one value into it."
    )
    expect(problems(boost('{time: "18:00-23:00"}', "20%, cap: 600 ₽"))).toContain("+20% or -20%")
  })
})

describe("revert_when", () => {
  const stop = (when: string, revert: string) => `version: 1
name: Stop
each: campaign
where: campaign.status in [active, paused]
vars: {daily: 3000 ₽}
window: today
when: ${when}
do: pause
revert_when: ${revert}
`

  it("becomes the last rule of the policy", () => {
    const policy = policyOf(stop("spend >= $daily", "spend < $daily * 50%"))
    expect(policy.rules.map(({ action, name }) => [action._tag, name])).toEqual([
      ["Pause", undefined],
      ["Revert", "revert_when"]
    ])
  })

  it("is warned of without a gap, with a value at which both hold", () => {
    const codes = (when: string, revert: string) =>
      check(stop(when, revert)).diagnostics.map(({ code, message, severity }) => [code, severity, message])
    expect(codes("spend >= $daily", "spend < $daily")).toEqual([
      ["S10", "warning", expect.stringContaining("As soon as spend >= $daily no longer holds")]
    ])
    expect(codes("spend >= $daily", "spend < $daily + 1000 ₽")).toEqual([
      ["S10", "warning", expect.stringMatching(/both hold at spend\[today\] = 3 \d00/)]
    ])
    expect(codes("spend default 0 ₽ >= $daily", "spend default 0 ₽ < $daily * 50%")).toEqual([])
    const advice = (when: string, revert: string) =>
      /such as (\w+)/.exec(`${codes(when, revert)[0]?.[2]}`)?.[1]
    expect(advice("spend >= $daily", "spend < $daily")).toBe("half")
    expect(advice("spend < $daily", "spend >= $daily")).toBe("twice")
  })
})
