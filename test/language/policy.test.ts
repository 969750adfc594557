import { describe, expect, it } from "vitest"
import * as Schedules from "../../src/engine/language/check/Schedules.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Action, Policy } from "../../src/engine/language/Policy.js"
import { policy, problems } from "./Rules.js"

const head = "version: 1\nname: a\nwindow: 7d\nwhere: campaign.payment = cpm\nwhen: orders >= 3\n"
const withAction = (each: string, action: string, more = "") => `${head}each: ${each}\ndo: ${action}\n${more}`
const action = (each: string, text: string): Omit<Action, "span"> => {
  const { span: _, ...rest } = policy(withAction(each, text)).rules[0]!.action
  return rest
}
const money = (value: number) => ({ _tag: "Literal", type: { _tag: "Money" }, value })

describe("actions", () => {
  it("raise_bid moves by a share, an amount or steps, under a cap", () => {
    expect(action("cluster", "{raise_bid: {by: 10%, cap: 450 ₽}}")).toEqual({
      _tag: "RaiseBid",
      by: { _tag: "Percent", basisPoints: 1000 },
      cap: money(45_000),
      placement: "search"
    })
    expect(action("cluster", "{raise_bid: {by: 15 ₽, cap: 450 ₽}}")).toMatchObject({
      by: { _tag: "Amount", kopecks: 1500 }
    })
    expect(action("cluster", "{raise_bid: {by: 2 steps, cap: 450 ₽}}")).toMatchObject({
      by: { _tag: "Steps", steps: 2 }
    })
    expect(
      action("cluster", "{raise_bid: {by: 0.5%, toward: recommended.reach_max, cap: min_bid * 2}}")
    ).toMatchObject({
      by: { basisPoints: 50 },
      toward: { _tag: "Fact", fact: { id: "cluster.recommended.reach_max" } },
      cap: { _tag: "Arithmetic" }
    })
  })

  it("lower_bid needs a floor", () => {
    expect(
      action("campaign_item", "{lower_bid: {by: 20%, floor: min_bid, placement: recommendations}}")
    ).toMatchObject({
      _tag: "LowerBid",
      floor: { fact: { id: "campaign_item.min_bid" } },
      placement: "recommendations"
    })
  })

  it("set_bid takes an expression with step, deadband, floor and cap", () => {
    const text = "{set_bid: {to: cpm * 15% / acos, max_step: 15%, deadband: 5%, floor: min_bid, cap: 500 ₽}}"
    expect(action("campaign_item", text)).toMatchObject({
      _tag: "SetBid",
      to: { type: { _tag: "Money" } },
      maxStepBasisPoints: 1500,
      deadbandBasisPoints: 500,
      cap: money(50_000)
    })
  })

  it("minus phrases keep room by default", () => {
    expect(action("cluster", "add_minus")).toEqual({ _tag: "AddMinus", maxTotal: 900 })
    expect(action("cluster", "{add_minus: {max_total: 1000}}")).toEqual({ _tag: "AddMinus", maxTotal: 1000 })
    expect(action("cluster", "remove_minus")).toEqual({ _tag: "RemoveMinus" })
  })

  it("campaigns are paused and started, in one word or as a key", () => {
    expect(action("campaign", "pause")).toEqual({ _tag: "Pause" })
    expect(action("campaign", "{start: {}}")).toEqual({ _tag: "Start" })
  })

  const refused: ReadonlyArray<readonly [string, string, string]> = [
    ["cluster", "start", "K15@7"],
    ["campaign", "add_minus", "K15@7"],
    ["campaign_item", "remove_minus", "K15@7"],
    ["cluster", "{raise_bid: {by: 10%, cap: 5 ₽, placement: search}}", "K15@7"],
    ["cluster", "{set_bid: {to: 5 ₽}}", "K03@7"],
    ["cluster", "raise_bid", "K03@7,K03@7"],
    ["cluster", "{raise_bid: {by: 10, cap: 5 ₽}}", "E03@7"],
    ["cluster", "{raise_bid: {by: views, cap: 5 ₽}}", "K09@7"],
    ["cluster", "{raise_bid: {by: 10%, cap: .inf}}", "K14@7"],
    ["cluster", "{raise_bid: {by: 10%, cap: 0 ₽}}", "K14@7"],
    ["cluster", "{raise_bid: {by: 10%, cap: views}}", "K09@7"],
    ["cluster", "{raise_bid: {by: 10%, cap: 450 $}}", "E07@7"],
    ["cluster", "{raise_bid: {by: 10%, toward: recomended.reach_max, cap: 5 ₽}}", "E01@7"],
    ["cluster", "{lower_bid: {by: 95%, floor: 5 ₽}}", "K14@7"],
    ["cluster", "{lower_bid: {by: 10%, floor: 5 ₽, cap: 9 ₽}}", "K01@7"],
    ["cluster", "[pause]", "K16@7"],
    ["campaign", "{pause: {until: tomorrow}}", "K01@7"]
  ]
  for (const [each, text, code] of refused) {
    it(`refuses ${text} per ${each} with ${code}`, () => {
      expect(problems(withAction(each, text)).join()).toBe(code)
    })
  }
})

describe("an action with its value where its keys should be", () => {
  const head = "version: 1\nname: a\neach: cluster\nwindow: 7d\nwhere: campaign.payment = cpm\n"
  const evening = 'schedule: {every: 30m, tz: Europe/Moscow}\nduring: {time: "18:00-23:00"}\n'
  const text = (action: string, more = "") => `${head}${more}when: orders >= 3\ndo:\n  ${action}\n`
  it.each([
    ["raise_bid: 10", "raise_bid: {by: 10%, cap: 450 ₽}", ""],
    ["raise_bid: 15 ₽", "raise_bid: {by: 15 ₽, cap: 450 ₽}", ""],
    ["raise_bid: 2 steps", "raise_bid: {by: 2 steps, cap: 450 ₽}", ""],
    ["lower_bid: 10", "lower_bid: {by: 10%, floor: min_bid}", ""],
    ["set_bid: 300", "set_bid: {to: 300 ₽, cap: 450 ₽}", ""],
    ["adjust_bid: 20", "adjust_bid: {by: +20%}", evening],
    ["adjust_bid: -15%", "adjust_bid: {by: -15%}", evening]
  ])("%s is offered as %s, whose values are right", (wrong, right, more) => {
    const { diagnostics } = Load.check([{ path: "rules/a.yaml", text: text(wrong, more) }])
    const told = diagnostics.find(({ code }) => code === "K16")
    // A bound that is not written is its author's to say.
    if (/cap|floor/.test(right))
      expect(told?.message).toContain(`For example ${right}, with values of your own.`)
    expect(told?.fix).toBe(/cap|floor/.test(right) ? undefined : right)
    const values = problems(text(right, more)).filter((one) => !/^(K03|S\d\d)@/.test(one))
    expect(values).toEqual([])
  })
})

describe("bid money while the payment type is open", () => {
  const text = (where: string, more = "") =>
    `version: 1\nname: a\neach: cluster\nwindow: 7d\nwhere: ${where}\nwhen: orders >= 3\ndo:\n  raise_bid:\n    by: 15 ₽\n    cap: 450 ₽\n${more}`
  it("is asked about at every amount", () => {
    expect(problems(text("campaign.status = active"))).toEqual(["K11@9", "K11@10"])
  })
  it("is settled by any condition that leaves one type", () => {
    for (const where of [
      "campaign.payment = cpc",
      "campaign.payment in [cpm]",
      "campaign.payment != cpc",
      "not campaign.payment = cpc",
      "campaign.status = active and campaign.payment = cpm",
      "(campaign.payment = cpm and campaign.search) or (campaign.payment = cpm and campaign.status = paused)"
    ]) {
      expect(problems(text(where)), where).toEqual([])
    }
    expect(problems(text("campaign.payment = cpm or campaign.search"))).toEqual(["K11@9", "K11@10"])
  })
  it("is not asked about when a condition could not be read", () => {
    expect(problems(text("campaign.payment = cpn"))).toEqual(["E13@5"])
  })
  it("covers a plain max_bid, which then means that type", () => {
    const made = policy(text("campaign.payment = cpc", "limits: {max_bid: 40 ₽}\n"))
    expect(made.limits.maxBidKopecks).toEqual({ cpc: 4000 })
  })
})

describe("schedules", () => {
  const schedule = (text: string): Policy["schedule"] =>
    policy(`${head}each: campaign\ndo: pause\nschedule: ${text}\n`).schedule
  const codes = (text: string) => problems(`${head}each: campaign\ndo: pause\nschedule: ${text}\n`)
  it("holds times as minutes and intervals as milliseconds", () => {
    expect(schedule('{every: 3h, between: "08:00-23:00", tz: Europe/Moscow}')).toEqual({
      every: 10_800_000,
      between: { fromMinute: 480, toMinute: 1380 },
      tz: "Europe/Moscow"
    })
    expect(schedule("{at: [18:30, 06:00], days: [sun, mon], tz: Europe/Moscow}")).toEqual({
      at: [360, 1110],
      days: ["mon", "sun"],
      tz: "Europe/Moscow"
    })
    expect(schedule("{every: 10m}")).toEqual({ every: 600_000, tz: "UTC" })
  })
  it("knows sellers' usual zones without asking, and each of them is one", () => {
    for (const zone of Schedules.usualZones) {
      expect(new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone).toBe(zone)
      expect(codes(`{at: 06:00, tz: ${zone}}`)).toEqual([])
    }
  })

  it("refuses what has no plain meaning", () => {
    expect(codes("{tz: Europe/Moscow}")).toEqual(["K13@8"])
    expect(codes("{every: 1h, at: 06:00, tz: Europe/Moscow}")).toEqual(["K16@8"])
    expect(codes("{every: 1s}")).toEqual(["K14@8"])
    expect(codes("{every: 1 month}")).toEqual(["K07@8"])
    expect(codes("{every: 3}")).toEqual(["K09@8"])
    expect(codes("{at: 06:00, tz: +03:00}")).toEqual(["K05@8"])
    expect(codes("{at: 06:00, tz: Europe/Mosscow}")).toEqual(["K05@8"])
    expect(codes("{at: 06:00, days: [monday], tz: Europe/Moscow}")).toEqual(["K04@8"])
    expect(codes("every hour")).toEqual(["K16@8"])
  })
})

describe("evidence", () => {
  const text = (when: string, more: string) =>
    `version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwhen: ${when}\ndo: {raise_bid: {by: 10%, cap: 5 ₽}}\n${more}`
  it("is asked for when nothing keeps a relative move from repeating", () => {
    expect(problems(text("bid < recommended.reach_max", ""))).toEqual(["S01@6"])
    expect(problems(text("bid < recommended.reach_max", "cooldown: 6h\n"))).toEqual([])
    expect(problems(text("orders[7d] > 3", ""))).toEqual([])
  })
})

describe("the hash of a policy", () => {
  const base = withAction("campaign", "pause")
  it("does not see comments, names, layout or the order of keys", () => {
    const other = `# comment\nversion: 1\neach: campaign\ndo:\n  pause:\nwhen:\n  - orders>=3\nwindow: 7d\nwhere:\n  - "campaign.payment = cpm"\nname: b\n`
    expect(policy(other).hash).toBe(policy(base).hash)
  })
  it("does not see whether and is written on one line or two", () => {
    const one = base.replace("orders >= 3", "orders >= 3 and views > 5")
    const two = base.replace("when: orders >= 3", "when: [orders >= 3, views > 5]")
    expect(policy(one).hash).toBe(policy(two).hash)
  })
  it("sees every bound, condition and window", () => {
    const variants = [
      base,
      base.replace("orders >= 3", "orders >= 4"),
      base.replace("window: 7d", "window: 8d"),
      base.replace("do: pause", "do: start"),
      `${base}cooldown: 1h\n`,
      `${base}limits: {changes_per_run: 5}\n`
    ]
    expect(new Set(variants.map((text) => policy(text).hash)).size).toBe(variants.length)
  })
})

it("mode is preview unless said, and the id is the file's stem", () => {
  expect(policy(withAction("campaign", "pause"))).toMatchObject({ mode: "preview", id: "a", name: "a" })
})

it("one file with many mistakes has them all named at once", () => {
  const text = `version: 1
name: many
mode: aply
each: clusters
schedule: {every: 5, tz: Moscow}
where:
  - campaign.status = active && campaign.payment = cpm
  - status in [active]
window: 40d
when:
  - ctr < 1
  - cpo < 200
  - orders > "3"
  - query contains кеды
do:
  raise_bids:
    by: 10
    cap: 450 рублей
tier: urgent
limits: {changes_per_run: many, share_of_scope: 0.2, max_bid: 500}
`
  expect(problems(text)).toEqual(
    "K04@3 K04@4 K09@5 K05@5 E07@7 E01@8 K08@9 E03@11 E04@12 E11@13 E11@14 K02@16 E03@17 K04@19 K09@20 E03@20 E04@20".split(
      " "
    )
  )
})
