import { describe, expect, it } from "vitest"
import * as Boxes from "../../src/engine/language/analysis/Boxes.js"
import * as Fights from "../../src/engine/language/analysis/Fights.js"
import * as Load from "../../src/engine/language/Load.js"
import { around, folder, policy } from "./Rules.js"

const head = (where: string) => `version: 1\nname: a\neach: cluster\nwhere: ${where}\nwindow: 7d\n`
const manual = "campaign.payment = cpm and campaign.bid_type = manual"
const lines = (when: ReadonlyArray<string>) => `when:\n${when.map((one) => `  - ${one}\n`).join("")}`
const raise = (when: ReadonlyArray<string>, where = manual) =>
  `${head(where)}${lines(when)}do: {raise_bid: {by: 10%, cap: 450 ₽}}\n`
const lower = (when: ReadonlyArray<string>, where = manual) =>
  `${head(where)}${lines(when)}do: {lower_bid: {by: 3%, floor: min_bid}}\n`
const minus = (when: ReadonlyArray<string>) =>
  `${head("campaign.payment = cpm")}${lines(when)}do: add_minus\n`

const check = (...texts: ReadonlyArray<string>) =>
  Load.check(texts.map((text, i) => ({ path: `rules/0${i + 1}.yaml`, text }))).diagnostics
const told = (...texts: ReadonlyArray<string>) =>
  check(...texts).map(({ code, message }) => `${code} ${message}`)
const coded = (...when: ReadonlyArray<string>) =>
  check(minus(when)).map(({ code, span }) => `${code}@${span.line}`)
const clauses = (...when: ReadonlyArray<string>) => policy(minus(when)).rules[0]?.when ?? []

describe("conditions that cannot hold together", () => {
  it("are refused at the later one, which names the earlier", () => {
    expect(told(minus(["views >= 500", "orders = 0", "views < 100"]))).toEqual([
      "S02 These can never both hold, so the rule never acts: views >= 500 (line 7), and views < 100."
    ])
  })
  it("are found on one line, across where and when, and three at a time", () => {
    expect(coded("views >= 500 and views < 100")).toEqual(["S02@7"])
    expect(coded("spend >= 3000 ₽", "spend < 3000 ₽ * 50%")).toEqual(["S02@8"])
    expect(coded("campaign.payment = cpc and views > 5")).toEqual(["S02@7"])
    expect(coded("bid < min_bid", "bid >= 10 ₽", "min_bid <= 10 ₽")).toEqual(["S02@9"])
  })
  it("include percentages above their end, words, texts and yes-or-no facts", () => {
    expect(coded("ctr between 110% and 200%")).toEqual(["S02@7"])
    expect(coded("campaign.status in [active, paused]", "campaign.status = ready")).toEqual(["S02@8"])
    expect(coded('query contains "белые кеды"', 'not (query contains any ["кеды"])')).toEqual(["S02@8"])
    expect(coded('query = "боты"', 'query matches "*кеды*"')).toEqual(["S02@8"])
    expect(coded("cluster.in_minus", "not cluster.in_minus")).toEqual(["S02@8"])
    expect(coded("views > 2", "views < 3")).toEqual(["S02@8"])
  })
  it("include whatever is computed, by its wording", () => {
    expect(coded("spend / orders < 100 ₽", "spend / orders > 200 ₽")).toEqual(["S02@8"])
    expect(coded("bid < min_bid * 120%", "not (bid < min_bid * 120%)")).toEqual(["S02@8"])
  })
  it("are told of one side of an or", () => {
    expect(coded("(views >= 500 and views < 100) or orders > 3")).toEqual(["S02@7"])
  })
  it("are not claimed where a row is possible", () => {
    expect(coded("ctr >= 100%", "spend < 3 ₽")).toEqual([])
    expect(coded("item.acos > 150%", "views <= 500", "views >= 500")).toEqual([])
    expect(coded('query contains "кеды"', 'query contains "боты"')).toEqual([])
    expect(coded("views[7d] >= 500", "views[14d] < 100")).toEqual([])
  })
})

describe("conditions that change nothing", () => {
  it("are warned about when they always hold", () => {
    expect(coded("ctr < 1% or ctr >= 1%", "orders = 0")).toEqual(["E16@7"])
    expect(coded("ctr between 0% and 100%")).toEqual(["E16@7"])
    expect(coded("cluster.state in [active, excluded, archived]", "orders = 0")).toEqual(["E16@7"])
  })
  it("are warned about when another condition means them", () => {
    expect(told(minus(["views >= 500", "orders = 0 or views >= 100"]))).toEqual([
      "S06 Says nothing new: views >= 500 (line 7) already means it. Leave one of them out."
    ])
    expect(coded("views >= 100", "views >= 500")).toEqual(["S06@7"])
    expect(coded("views >= 100", "views > 99")).toEqual(["S06@8"])
    expect(coded("orders > 3", "clicks > 3")).toEqual([])
  })
})

describe("rules that undo each other in turn", () => {
  const campaign = (when: string, action: string, more = "") =>
    `version: 1\nname: a\neach: campaign\nwhen:\n${when
      .split("; ")
      .map((one) => `  - ${one}\n`)
      .join("")}do: ${action}\n${more}`
  const pause = (more?: string) => campaign("campaign.status = active; budget < 100 ₽", "pause", more)
  const start = (when: string, more?: string) => campaign(`campaign.status = paused; ${when}`, "start", more)

  it("are named in both files, whatever their tiers, where the start may undo the pause", () => {
    for (const tier of ["", "tier: explore\n"]) {
      expect(told(pause(tier), start("budget >= 100 ₽"))).toEqual([
        expect.stringMatching(
          /^S11 This pauses the campaign; .*rules\/02.yaml:\d+ starts it, and nothing slows/
        ),
        expect.stringMatching(
          /^S11 This starts the campaign; .*rules\/01.yaml:\d+ pauses it, and nothing slows/
        )
      ])
    }
    const set = (when: string, to: string) =>
      `version: 1\nname: a\neach: campaign_item\nwhere: campaign.payment = cpm and campaign.bid_type = manual\nwhen: ${when}\ndo:\n  set_bid: {to: ${to}, cap: 90 ₽}\n`
    const codes = check(set("bid < 70 ₽", "80 ₽"), set("bid >= 70 ₽", "60 ₽")).map(({ code, severity }) => [
      code,
      severity
    ])
    expect(codes).toEqual([
      ["S11", "warning"],
      ["S11", "warning"]
    ])
  })

  it("have peace where the clock alone is at the border: it passes once, and does not go to and fro", () => {
    const tz = "schedule: {every: 1h, tz: Europe/Moscow}\n"
    const off = (when: string, more = tz) => campaign(`campaign.status = active; ${when}`, "pause", more)
    for (const [night, day] of [
      ["hour >= 22", "hour < 22"],
      ["weekday in [sat, sun]", "weekday not in [sat, sun]"],
      ["campaign.age > 30d", "campaign.age <= 30d"]
    ] as const) {
      expect(told(off(night), start(day, tz))).toEqual([])
      expect(told(campaign(night, "pause", `${tz}revert_when: ${day}\n`))).toEqual([])
    }
    expect(told(off("hour >= 22 or budget < 100 ₽"), start("hour < 22; budget >= 100 ₽", tz))).toHaveLength(2)
  })

  it("have peace with a gap, a cooldown, runs in a row, a statistic, times of day, or other campaigns", () => {
    expect(told(pause(), start("budget >= 200 ₽"))).toEqual([])
    expect(told(pause(), start("budget >= 100 ₽", "cooldown: 6h\n"))).toEqual([])
    expect(told(pause("hold_for: 3 runs\n"), start("budget >= 100 ₽"))).toEqual([])
    expect(told(pause('schedule: {at: "22:00", tz: Europe/Moscow}\n'), start("budget >= 100 ₽"))).toEqual([])
    expect(told(pause("mode: disabled\n"), start("budget >= 100 ₽"))).toEqual([])
    const sale = 'where: campaign.name contains "Sale"\n'
    expect(
      told(pause(sale), start("budget >= 100 ₽", `where: not (campaign.name contains "Sale")\n`))
    ).toEqual([])
    const statistic = (compared: string) => `spend[7d] ${compared} 100 ₽`
    expect(told(campaign(statistic("<"), "pause"), campaign(statistic(">="), "start"))).toEqual([])
  })
})

describe("a pause that no tier below undoes", () => {
  const campaign = (action: string, when: string, more = "", where = "") =>
    `version: 1\nname: a\neach: campaign\n${where}when: ${when}\ndo: ${action}\n${more}`
  const pause = (more = "tier: safety\n", where = "") =>
    campaign("pause", "campaign.status = active and budget < 100 ₽", more, where)
  const start = (more = "", where = "") =>
    campaign("start", "campaign.status = paused and budget >= 100 ₽", more, where)
  const found = (...texts: ReadonlyArray<string>) =>
    check(...texts).map(({ code, file, fix, message, severity }) => [code, severity, file, message, fix])

  it("is told once, in the file that starts, with the other one and how to mend it", () => {
    expect(found(pause(), start())).toEqual([
      [
        "S14",
        "warning",
        "rules/02.yaml",
        "This starts the campaign, but never one that rules/01.yaml:5 paused: that is tier safety, this tier normal. Such a pause stands until a person starts the campaign.",
        "the same tier: for both, or revert_when: beside the pause"
      ]
    ])
  })

  it("is told of a start though statistics, times and what is left of the budget keep the two apart", () => {
    const night = 'cooldown: 6h\nschedule: {at: "09:00", tz: Europe/Moscow}\n'
    expect(found(pause(), start(night)).map(([code]) => code)).toEqual(["S14"])
    const little = pause("tier: safety\n", "where: campaign.status = active and budget < 50 ₽\n")
    expect(found(little, start("", "where: budget >= 500 ₽\n")).map(([code]) => code)).toContain("S14")
  })

  it("is not where it is taken back, where the start goes first or beside it, or is for other campaigns", () => {
    expect(found(pause("tier: safety\nrevert_when: budget >= 300 ₽\n"), start())).toEqual([])
    expect(found(pause(), start("mode: disabled\n"))).toEqual([])
    const gap = (tier: string) => start(tier).replace(">= 100 ₽", ">= 300 ₽")
    expect(found(pause(), gap("tier: safety\n"))).toEqual([])
    expect(found(pause("tier: explore\n"), gap(""))).toEqual([])
    expect(found(pause(), gap("tier: safety\n"), start())).toEqual([])
    const ready = campaign("start", "campaign.status = ready and budget >= 100 ₽")
    expect(found(pause(), ready)).toEqual([])
    const sale = 'campaign.name contains "Sale"'
    expect(found(pause("tier: safety\n", `where: ${sale}\n`), start("", `where: not (${sale})\n`))).toEqual(
      []
    )
  })

  it("is told where a start beside it only shows while the pause acts", () => {
    const acting = (text: string) => `${text}mode: apply\n`
    const beside = start("tier: safety\ncooldown: 6h\n")
    expect(found(acting(pause()), beside, acting(start())).map(([code]) => code)).toEqual(["S14"])
    expect(found(acting(pause()), acting(beside), acting(start()))).toEqual([])
  })
})

describe("a policy of clusters that runs within an overlay over their items", () => {
  const night = (time = "22:00-08:00", more = "") =>
    `version: 1\nname: b\nmode: apply\nschedule: {every: 30m, tz: Europe/Moscow}\neach: campaign_item\nwhere: campaign.payment = cpm\nduring: {time: "${time}"${more}}\ndo: {adjust_bid: {by: -20%, floor: min_bid}}\n`
  const steer = (schedule: string, where = manual) =>
    `${raise(["orders >= 3"], where)}mode: apply\nschedule: {${schedule}, tz: Europe/Moscow}\n`
  const found = (...texts: ReadonlyArray<string>) =>
    check(...texts).flatMap(({ code, file, fix, message }) => (code === "S15" ? [[file, message, fix]] : []))

  it("is told that clusters without a bid of their own never move", () => {
    expect(found(steer('at: "06:30"'), night())).toEqual([
      [
        "rules/01.yaml",
        "This never moves clusters without a bid of their own: they wait while an overlay stands over their item's, and this is due within that of rules/02.yaml:8 alone (22:00-08:00).",
        "a schedule: that is due outside of 22:00-08:00 too"
      ]
    ])
  })

  it.each([
    ['at: ["06:30", "23:00"]', night(), true],
    ['at: "08:00"', night(), true],
    ['at: "22:00"', night(), false],
    ['at: ["06:30", "12:00"]', night(), false],
    ['every: 30m, between: "23:00-05:00"', night(), true],
    ['every: 30m, between: "22:00-05:00"', night(), false],
    ['every: 30m, between: "23:00-09:00"', night(), false],
    ["every: 3h", night(), false],
    ['at: "06:30", days: [tue, wed]', night("22:00-08:00", ", days: [mon, tue]"), true],
    ['at: "06:30", days: [mon, tue]', night("22:00-08:00", ", days: [mon, tue]"), false],
    ['at: "06:30"', night("22:00-08:00", ", days: [mon, tue]"), false],
    ['at: "23:00", days: [mon]', night("22:00-08:00", ", days: [mon, tue]"), true]
  ])("is found by its times: %s", (schedule, overlay, isFound) => {
    expect(found(steer(schedule), overlay).length).toBe(isFound ? 1 : 0)
  })

  it("is not where clusters have bids of their own, other campaigns are meant, or the overlay may not stand", () => {
    const at = 'at: "06:30"'
    expect(found(steer(at, `${manual} and cluster.has_own_bid`), night())).toEqual([])
    const [sale, none] = ['campaign.name contains "Sale"', 'not (campaign.name contains "Sale")']
    const ofSale = night().replace("campaign.payment = cpm", sale)
    expect(found(steer(at, `${manual} and ${none}`), ofSale)).toEqual([])
    expect(found(steer(at), night().replace("during:", "window: 7d\nwhen: orders >= 3\nduring:"))).toEqual([])
    for (const mode of ["preview", "approve", "disabled"])
      expect(found(steer(at), night().replace("mode: apply", `mode: ${mode}`))).toEqual([])
    expect(found(steer(at).replace("mode: apply", "mode: approve"), night())).toHaveLength(1)
    expect(found(steer(at), night().replace("Moscow", "Samara"))).toEqual([])
  })
})

describe("rules that fight", () => {
  it("are named once, at the one that loses, with the other one and a row that both match", () => {
    const both =
      "both match campaign.bid_type = manual, campaign.payment = cpm, avg_pos[7d] = 2.7, orders[7d] = 3, views[7d] = 100."
    const [up, down] = [raise(["orders >= 3"]), lower(["avg_pos < 3", "views >= 100"])]
    expect(told(up, down)).toEqual([`S03 This raises the bid, rules/02.yaml:9 lowers it; ${both}`])
    expect(check(down, up).map(({ file, related }) => [file, related?.[0]?.span.file])).toEqual([
      ["rules/02.yaml", "rules/01.yaml"]
    ])
  })
  it("are warnings: the cheaper outcome wins, whatever was meant", () => {
    expect(check(raise(["orders >= 3"]), lower(["views >= 100"])).map(({ severity }) => severity)).toEqual([
      "warning"
    ])
  })
  it("say that the cheaper outcome wins in one run alone, where the two are due at different times", () => {
    const at = (time: string) => `schedule: {at: "${time}", tz: Europe/Moscow}\n`
    const said = (up: string, down: string) => {
      const [found] = check(`${raise(["orders >= 3"])}${up}`, `${lower(["views >= 100"])}${down}`)
      return [found?.fix, found?.related?.[0]?.message]
    }
    const apart = "a condition that keeps the two rules apart, or"
    const wins = "lowers the bid; of two outcomes the cheaper one wins"
    expect(said(at("06:00"), at("06:00"))).toEqual([`${apart} tier: for the one that goes first`, wins])
    expect(said(at("06:00"), at("07:00"))).toEqual([
      `${apart} one schedule: for both, with tier: for the one that goes first`,
      `${wins} where both are due in one run; due at different times, the first to come acts, and its change keeps the other waiting (cooldown, new statistics)`
    ])
  })
  it("are named once for two policies, however many of their rules meet", () => {
    const funnel = (action: string) =>
      `${head(manual)}rules:\n${["orders >= 9", "orders >= 3", "views > 5"].map((when) => `  - when: ${when}\n    do: {${action}}\n`).join("")}`
    const found = told(funnel("raise_bid: {by: 3%, cap: 9 ₽}"), funnel("lower_bid: {by: 3%, floor: min_bid}"))
    expect(found.map((one) => one.slice(0, 3))).toEqual(["S03"])
  })
  it("show figures that could occur, and that agree with each other", () => {
    const item = (when: string, action: string) =>
      `version: 1\nname: a\neach: campaign_item\nwhere: ${manual}\nwindow: 14d\nwhen:\n${when
        .split("; ")
        .map((one) => `  - ${one}\n`)
        .join("")}do: {${action}}\n`
    const up = item("spend >= 30000 ₽; orders >= 5", "raise_bid: {by: 10%, cap: 450 ₽}")
    const down = item("acos > 25%; clicks >= 100; ctr < 3%", "lower_bid: {by: 10%, floor: min_bid}")
    const row = /both match (.*)\.$/.exec(told(up, down)[0] ?? "")?.[1] ?? ""
    const figure = (word: string): number =>
      Number(
        (row.split(", ").find((one) => one.startsWith(`${word}[`)) ?? "")
          .split(" = ")[1]
          ?.replace(/[^\d.]/g, "")
      )
    expect(figure("acos")).toBeGreaterThan(25)
    expect(figure("acos")).toBeLessThanOrEqual(1000)
    expect(figure("orders")).toBeLessThanOrEqual(figure("clicks"))
    expect(figure("ctr")).toBeLessThan(3)
  })
  it("are settled by a cooldown that lasts until the other's next turn, and by no shorter one", () => {
    const every = (period: string) => `schedule: {every: ${period}, tz: Europe/Moscow}\n`
    const down = `${lower(["views >= 100"])}${every("1d")}`
    const up = `${raise(["orders >= 3"])}${every("3h")}`
    expect(told(`${up}cooldown: 1d\n`, down)).toEqual([])
    expect(told(`${up}cooldown: 6h\n`, down)).toHaveLength(1)
    expect(told(up, `${down}cooldown: 5d\n`)).toHaveLength(1)
    expect(told(`${up}cooldown: 1d\n`, `${down}cooldown: 5d\n`)).toHaveLength(1)
    expect(told(`${up}cooldown: 5d\n`, `${down}cooldown: 5d\n`)).toEqual([])
  })
  it("make peace by one condition that parts them", () => {
    expect(told(raise(["orders >= 3"]), lower(["orders < 3"]))).toEqual([])
    const brand = 'query contains any ["бренд", "лого"]'
    expect(told(raise([`not (${brand})`, "orders > 1"]), lower([brand, "views > 9"]))).toEqual([])
    expect(
      told(
        raise(["orders >= 3"]),
        lower(["views > 9"], "campaign.payment = cpc and campaign.bid_type = manual")
      ).filter((one) => one.startsWith("S03"))
    ).toEqual([])
  })
  it("are seen through comparisons of facts with facts", () => {
    const found = told(raise(["bid < recommended.reach_max", "orders > 0"]), lower(["cpo > item.cpo * 120%"]))
    expect(found.map((one) => one.slice(0, 3))).toEqual(["S03"])
  })
  it("are seen where one pauses what another one tops up, unless a tier says that the pause goes first", () => {
    const policy = (more: string) => `version: 1\nname: a\neach: campaign\nwindow: 7d\n${more}`
    const top = policy(
      "when: budget < spend / 14\ndo:\n  deposit: {amount: 2000 ₽, from: balance}\nlimits: {money_per_day: 6000 ₽}\n"
    )
    const stop = (spent: string, tier = "normal") =>
      policy(`tier: ${tier}\nwhen: spend ${spent}\ndo: pause\n`)
    const told1 = "S03 This adds money to the campaign, rules/02.yaml:7 pauses it"
    expect(told(top, stop("> 100 ₽")).map((one) => one.split(";")[0])).toEqual([told1])
    expect(told(top, stop("> 100 ₽", "explore")).map((one) => one.split(";")[0])).toEqual([told1])
    expect(told(top, stop("> 100 ₽", "safety"))).toEqual([])
    expect(told(top.replace("when: ", "when: spend < 50 ₽ and "), stop("> 100 ₽"))).toEqual([])
  })
  it("are none when one is switched off, or both want the same, or they set different things", () => {
    expect(told(raise(["orders >= 3"]), `${lower(["views >= 100"])}mode: disabled\n`)).toEqual([])
    expect(told(raise(["orders >= 3"]), raise(["views >= 100"]))).toEqual([])
    expect(told(raise(["orders >= 3"]), minus(["views >= 100"]))).toEqual([])
  })
  it("are found between pausing and starting, setting and raising, adding and removing", () => {
    const campaign = (when: string, action: string) =>
      `version: 1\nname: a\neach: campaign\nwindow: today\nwhen: ${when}\ndo: ${action}\n`
    expect(told(campaign("spend > 5 ₽", "pause"), campaign("orders > 3", "start"))).toHaveLength(1)
    expect(told(minus(["orders = 0"]), minus(["views > 5"]).replace("add_", "remove_"))).toHaveLength(1)
    const set = (to: string) =>
      raise(["views > 5"]).replace(/raise_bid.*/, `set_bid: {to: ${to}, cap: 90 ₽}}`)
    expect(told(raise(["orders > 3"]), set("80 ₽"))).toHaveLength(1)
    expect(told(set("80 ₽"), set("70 ₽"))).toHaveLength(1)
    expect(told(set("80 ₽"), set("80 ₽"))).toEqual([])
  })
  it("are five at most per file", () => {
    const many = Array.from({ length: 9 }, (_, i) => lower([`views >= ${i + 1}`]))
    const found = check(raise(["orders >= 3"]), ...many)
    expect(found.filter(({ file }) => file === "rules/01.yaml")).toHaveLength(Fights.mostPerPolicy)
    expect(found).toHaveLength(Fights.mostPerPolicy)
  })
})

describe("the rules of a funnel", () => {
  const funnel = (...rules: ReadonlyArray<string>) =>
    `${head(manual)}rules:\n${rules.map((one) => `  - when: ${one}\n    do: {lower_bid: {by: 3%, floor: min_bid}}\n`).join("")}`
  it("are told when they never have their turn", () => {
    expect(told(funnel("orders >= 3", "views > 5", "orders >= 5"))).toEqual([
      "S07 Never has its turn: every row it matches is taken by a rule before it (line 10 or above)."
    ])
  })
  it("fight only with the rows that the rules before them leave", () => {
    expect(told(funnel("orders >= 3", "views > 5"), raise(["orders >= 3"])).length).toBe(1)
    const split = funnel("orders < 3", "views > 5")
    expect(
      told(
        split.replace("lower_bid: {by: 3%, floor: min_bid}", "raise_bid: {by: 3%, cap: 9 ₽}"),
        raise(["orders < 3"])
      )
    ).toEqual([])
  })
})

describe("rules that the marketplace cannot serve", () => {
  const fixes = (text: string) => check(text).flatMap(({ code, fix }) => (code === "S08" ? [fix] : []))
  it("are told the condition that is missing", () => {
    expect(fixes(around("ctr < 1%"))).toEqual(["campaign.payment = cpm"])
    expect(fixes(raise(["orders > 3"], "campaign.payment = cpm"))).toEqual(["campaign.bid_type = manual"])
    expect(fixes(raise(["orders > 3"], "campaign.payment = cpc"))).toEqual([
      "campaign.bid_type = manual and campaign.payment = cpm"
    ])
  })
  it("are told how campaigns are paid for which a budget has no cap", () => {
    const optimise = (cap: string, where: string, of = "account") =>
      `version: 1\nname: a\neach: campaign\nwhere: ${where}\nwindow: 7d\ndo: {optimise: {margin: 25%, budget: 900 ₽, budget_of: ${of}, cap: {${cap}}}}\n`
    expect(fixes(optimise("cpm: 9 ₽", "campaign.status = active"))).toEqual(["campaign.payment = cpm"])
    expect(fixes(optimise("cpc: 9 ₽", "campaign.status = active"))).toEqual(["campaign.payment = cpc"])
    expect(fixes(optimise("cpm: 9 ₽, cpc: 4 ₽", "campaign.status = active"))).toEqual([])
    expect(fixes(optimise("cpm: 9 ₽", "campaign.payment = cpm"))).toEqual([])
    expect(fixes(optimise("cpm: 9 ₽", "campaign.status = active", "campaign"))).toEqual([])
    const rule = (when: string, cap: string) =>
      `  - name: ${cap}\n    when: ${when}\n    do: {optimise: {margin: 25%, budget: 900 ₽, budget_of: campaign, cap: {${cap}: 9 ₽}}}\n`
    expect(
      fixes(
        `version: 1\nname: a\neach: campaign\nwindow: 7d\nrules:\n${rule("campaign.payment = cpc", "cpc")}${rule("orders > 5", "cpm").replace("of: campaign", "of: account")}`
      )
    ).toEqual([])
  })
  it("are left alone when the scope rules those campaigns out", () => {
    expect(fixes(minus(["ctr < 1%"]))).toEqual([])
    expect(fixes(around("orders = 0"))).toEqual([])
    expect(fixes(raise(["ctr < 1%"]))).toEqual([])
  })
})

describe("bids without a bound", () => {
  const item = (action: string, more = "") =>
    `version: 1\nname: a\neach: campaign_item\nwindow: 7d\nwhen: orders >= 3\ndo: {${action}}\n${more}`
  const limits = {
    path: "rules/_shared/limits.yaml",
    text: "version: 1\nkind: limits\naccount: {max_bid: {cpm: 900 ₽, cpc: 40 ₽}}\n"
  }
  it("are warned about when the cap is a field and no max_bid is set", () => {
    const text = item("raise_bid: {by: 10%, cap: recommended.top2}")
    expect(check(text).map(({ code, span }) => `${code}@${span.line}`)).toEqual(["S09@6"])
    expect(Load.check([{ path: "rules/01.yaml", text }, limits]).diagnostics).toEqual([])
    expect(
      told(item("raise_bid: {by: 10%, cap: recommended.top2}", "limits: {max_bid: {cpm: 9 ₽, cpc: 4 ₽}}\n"))
    ).toEqual([])
  })
  it("are refused when a set_bid moves by itself in each run", () => {
    const creeping = item("set_bid: {to: bid * 110%, cap: min_bid * 3}").replace(
      "orders >= 3",
      "bid > min_bid"
    )
    expect(
      Load.check([{ path: "rules/01.yaml", text: creeping }, limits]).diagnostics.map(({ code }) => code)
    ).toEqual(["S01"])
    const calmed = { path: "rules/01.yaml", text: `${creeping}cooldown: 6h\n` }
    expect(Load.check([calmed, limits]).diagnostics).toEqual([])
  })
})

describe("lists of conditions side by side", () => {
  it("tell a rule that never has its turn", () => {
    expect(Boxes.isCovered(clauses("orders >= 5"), [clauses("orders >= 3")])).toBe(true)
    expect(Boxes.isCovered(clauses("views > 9"), [clauses("views > 20"), clauses("views < 50")])).toBe(true)
    expect(Boxes.isCovered(clauses("orders >= 3"), [clauses("orders >= 5")])).toBe(false)
    expect(Boxes.isCovered(clauses("orders >= 5"), [clauses("orders >= 3", "views > 9")])).toBe(false)
  })
  it("tell whether doing and undoing leave a gap", () => {
    const gap = (a: string, b: string) => Boxes.gapBetween(clauses(a), clauses(b))
    expect(gap("spend >= 3000 ₽", "spend < 1500 ₽")).toBe("gap")
    expect(gap("spend >= 3000 ₽", "spend < 3000 ₽")).toBe("touching")
    expect(gap("spend >= 3000 ₽", "spend <= 3000 ₽")).toBe("overlap")
    expect(gap("spend >= 3000 ₽", "orders > 3")).toBe("unknown")
  })
  it("give up beyond 256 boxes, and then claim nothing", () => {
    const wide = (fact: string) =>
      `${Array.from({ length: 40 }, (_, i) => `(${fact} = ${i} and clicks > ${i})`).join(" or ")}`
    expect(Boxes.ofClauses(clauses(wide("views"), wide("orders"))).length).toBeLessThanOrEqual(Boxes.most)
    expect(coded(wide("views"), wide("orders"))).toEqual([])
  })
})

describe("the analysis of a large folder", () => {
  it("compares 19,900 pairs of 200 rules within its bound", () => {
    const texts = Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? raise : lower)([`orders between ${i * 10} and ${i * 10 + 9}`, "cpo < item.cpo * 120%"])
    )
    expect(told(...texts)).toEqual([])
  })
})

it("finds nothing in the shipped rules", () => {
  expect(Load.check(folder("rules")).diagnostics).toEqual([])
})

describe("a policy that optimises", () => {
  const optimise = (more = "") => `version: 1
name: best profit
mode: apply
schedule: {at: "06:30", tz: Europe/Moscow}
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise:
    margin: 25%
    budget: 3000 ₽
    cap: {cpm: 450 ₽}
${more}`
  const acting = (text: string) => text.replace("version: 1\n", "version: 1\nmode: apply\n")
  const both = "in the same campaigns: what one plans the other changes, and each waits for the other."
  const found = (...texts: ReadonlyArray<string>) => told(...texts).filter((one) => one.startsWith("S13"))

  it("is told of another one that moves its bids or minus phrases", () => {
    expect(found(optimise(), acting(raise(["ctr > 2%"])), acting(minus(["ctr < 1%"])))).toEqual([
      `S13 This sets bids and minus phrases together, and rules/02.yaml:9 raises the bid ${both}`,
      `S13 This sets bids and minus phrases together, and rules/03.yaml:9 adds the minus phrase ${both}`
    ])
    expect(found(optimise(), optimise())).toEqual([
      `S13 This sets bids and minus phrases together, and rules/02.yaml:9 changes the bid ${both}`
    ])
  })

  it("is not where one of the two only shows, goes first by its tier, or is for other campaigns or for what is left alone", () => {
    const other = acting(raise(["ctr > 2%"]))
    expect(found(optimise(), other.replace("mode: apply\n", "mode: preview\n"))).toEqual([])
    expect(found(optimise(), other.replace("mode: apply\n", "mode: apply\ntier: safety\n"))).toEqual([])
    expect(found(optimise(), acting(raise(["ctr > 2%"], `${manual} and campaign.status = paused`)))).toEqual(
      []
    )
    const leave = '    leave: query contains "бренд"\n'
    expect(found(optimise(leave), acting(raise(["ctr > 2%", 'query contains "бренд"'])))).toEqual([])
    expect(found(optimise(leave), acting(raise(["ctr > 2%", 'query contains "кеды"'])))).toHaveLength(1)
  })
})
