/** Every action, gate, tier and limit, from YAML text to plan. */

import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Planned from "./Planned.js"

const { lines1, play } = Planned

const acting = (
  action: string,
  more = "",
  each = "cluster",
  where = "campaign.payment = cpm"
) => `each: ${each}
where: ${where}
window: 7d
when: views >= 5
do:
  ${action}
${more}`

const usual = "views: 9, bid: 400 ₽, min_bid: 50 ₽"

/** One row, or several: facts beside the usual ones → what the plan says. */
type Entry = readonly [action: string, facts: string, line: string, more?: string]

const bids: ReadonlyArray<Entry> = [
  ["raise_bid: {by: 10%, cap: 450 ₽}", "", "a raise_bid 400 → 440"],
  ["raise_bid: {by: 15 ₽, cap: 450 ₽}", "", "a raise_bid 400 → 415"],
  ["raise_bid: {by: 2 steps, cap: 450 ₽}", "bid_step: 5 ₽", "a raise_bid 400 → 410"],
  ["raise_bid: {by: 50%, cap: 450 ₽}", "", "a raise_bid 400 → 450 (cap)"],
  ["raise_bid: {by: 10%, cap: item.price * 42%}", "item.price: 1000 ₽", "a raise_bid 400 → 420 (cap)"],
  [
    "raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}",
    "recommended.reach_max: 405 ₽",
    "a raise_bid 400 → 405 (toward)"
  ],
  ["raise_bid: {by: 10%, cap: 450 ₽}", "bid_step: 30 ₽", "a raise_bid 400 → 420 (step)"],
  ["raise_bid: {by: 1%, cap: 450 ₽}", "bid_step: 10 ₽", "a raise_bid 400 → 410 (step)"],
  ["lower_bid: {by: 10%, floor: 100 ₽}", "", "a lower_bid 400 → 360"],
  ["lower_bid: {by: 15 ₽, floor: 100 ₽}", "", "a lower_bid 400 → 385"],
  ["lower_bid: {by: 2 steps, floor: 100 ₽}", "bid_step: 5 ₽", "a lower_bid 400 → 390"],
  ["lower_bid: {by: 50%, floor: 300 ₽}", "", "a lower_bid 400 → 300 (floor)"],
  ["lower_bid: {by: 50%, floor: min_bid}", "min_bid: 260 ₽", "a lower_bid 400 → 260 (floor)"],
  ["lower_bid: {by: 50%, floor: 10 ₽}", "min_bid: 250 ₽", "a lower_bid 400 → 250 (min_bid)"],
  ["lower_bid: {by: 50%, toward: 390 ₽, floor: 10 ₽}", "", "a lower_bid 400 → 390 (toward)"],
  ["set_bid: {to: 420 ₽, cap: 450 ₽}", "", "a set_bid 400 → 420"],
  ["set_bid: {to: bid * 75%, cap: 450 ₽}", "", "a set_bid 400 → 300", "cooldown: 1d"],
  ["set_bid: {to: 600 ₽, cap: 450 ₽}", "", "a set_bid 400 → 450 (cap)"],
  ["set_bid: {to: 100 ₽, floor: 320 ₽, cap: 450 ₽}", "", "a set_bid 400 → 320 (floor)"],
  ["set_bid: {to: 600 ₽, max_step: 5%, cap: 450 ₽}", "", "a set_bid 400 → 420 (max_step)"],
  [
    "set_bid: {to: 419 ₽, deadband: 5%, cap: 450 ₽}",
    "",
    "a = already there, within the deadband: bid 400 ₽, to 419 ₽ (rules/a.yaml:8)"
  ],
  ["set_bid: {to: 421 ₽, deadband: 5%, cap: 450 ₽}", "", "a set_bid 400 → 421"]
]

/** Per campaign. */
const campaigns: ReadonlyArray<Entry> = [
  ["pause:", "", "a pause active → paused"],
  ["pause:", "campaign.status: paused", "a = already paused"],
  ["start:", "campaign.status: paused", "a start paused → active"],
  ["start:", "", "a = already active"],
  [
    "deposit: {amount: 2000 ₽, from: balance}",
    "budget: 100 ₽, balance: 9000 ₽",
    "a deposit 100 → 2100",
    "cooldown: 4h\nlimits: {money_per_day: 6000 ₽}"
  ],
  [
    "deposit: {amount: 2000 ₽, from: bonus}",
    "budget: 100 ₽, balance.bonus: 1999 ₽",
    "a = balance.bonus has 1 999 ₽, 2 000 ₽ are needed",
    "cooldown: 4h\nlimits: {money_per_day: 6000 ₽}"
  ],
  ["placements: {recommendations: off}", "", "a placements search, recommendations → search"],
  ["placements: {search: on}", "", "a = already shown in: search, recommendations"],
  [
    'notify: {text: "{campaign.name}: {spend} of {views} views"}',
    "spend: 120.50 ₽",
    "a ! Campaign 1: 120.50 ₽ of 9 views"
  ]
]

const others: ReadonlyArray<Entry> = [
  ["add_minus", "", "a add_minus false → true"],
  ["add_minus", "cluster.in_minus: yes", "a = already a minus phrase"],
  [
    "add_minus: {max_total: 20}",
    "minus.count: 20",
    "a = the list is full: 20 phrases with this plan's, max_total 20"
  ],
  ["remove_minus", "cluster.in_minus: yes", "a remove_minus true → false"]
]

describe("a bid moves as its action says", () => {
  for (const [action, facts, line, more] of bids)
    it(`${action}${facts === "" ? "" : `, ${facts}`}: ${line}`, () =>
      expect(lines1({ a: acting(action, more) }, row("a", facts))).toEqual([line]))
})

describe("a campaign changes as its action says", () => {
  for (const [action, facts, line, more] of campaigns)
    it(`${action}${facts === "" ? "" : `, ${facts}`}: ${line}`, () =>
      expect(
        lines1({ a: acting(action, more, "campaign") }, `a, views: 9${facts === "" ? "" : `, ${facts}`}`)
      ).toEqual([line]))
})

const row = (id: string, facts: string) => {
  const own = facts === "" ? [] : facts.split(", ")
  const left = usual
    .split(", ")
    .filter((one) => !own.some((said) => said.split(":")[0] === one.split(":")[0]))
  return [id, ...left, ...own].join(", ")
}

describe("minus phrases", () => {
  for (const [action, facts, line] of others)
    it(`${action}${facts === "" ? "" : `, ${facts}`}: ${line}`, () =>
      expect(lines1({ a: acting(`${action}:`.replace("}:", "}")) }, row("a", facts))).toEqual([line]))
})

describe("several rules", () => {
  const funnel = `each: cluster
where: campaign.payment = cpm
window: 7d
rules:
  - name: dear
    when: cpo > 300 ₽
    do:
      lower_bid: {by: 10%, floor: min_bid}
  - when: orders >= 3
    do:
      raise_bid: {by: 10%, cap: 450 ₽}`

  it("the first that matches acts, and an unknown one stops the row", () =>
    expect(
      lines1(
        { a: funnel },
        row("both", "orders: 3, spend: 1200 ₽"),
        row("second", "orders: 3, spend: 3 ₽"),
        row("none", "orders: 2, spend: 3 ₽"),
        row("stopped", "orders: 3, spend: missing")
      )
    ).toEqual([
      "both lower_bid 400 → 360",
      "second raise_bid 400 → 440",
      "stopped ? cpo > 300 ₽: the marketplace did not report it"
    ]))
})

describe("several policies over one bid", () => {
  const raise = acting("raise_bid: {by: 10%, cap: 450 ₽}")
  const lower = acting("lower_bid: {by: 10%, floor: 100 ₽}")

  it("inside a tier the cheaper outcome wins, and a higher tier comes first", () => {
    expect(lines1({ a: raise, b: lower }, row("x", ""))).toEqual(["x lower_bid 400 → 360"])
    const safe = acting("raise_bid: {by: 10%, cap: 450 ₽}", "tier: safety")
    expect(lines1({ a: safe, b: lower }, row("x", ""))).toEqual(["x raise_bid 400 → 440"])
    const late = acting("lower_bid: {by: 10%, floor: 100 ₽}", "tier: explore")
    expect(lines1({ a: raise, b: late }, row("x", ""))).toEqual(["x raise_bid 400 → 440"])
  })

  it("a lower_bid that is where it wants to be keeps the bid there, a raise_bid abstains", () => {
    const kept = acting("lower_bid: {by: 10%, floor: 400 ₽}")
    expect(lines1({ a: raise, b: kept }, row("x", "")).filter((line) => line.includes("→"))).toEqual([])
    const done = acting("raise_bid: {by: 10%, cap: 400 ₽}")
    expect(lines1({ a: lower, b: done }, row("x", "")).filter((line) => line.includes("→"))).toEqual([
      "x lower_bid 400 → 360"
    ])
  })

  it("pausing wins over starting, and of adding and removing a phrase neither happens", () => {
    const of = (action: string) => acting(`${action}:`, "", "campaign")
    expect(lines1({ a: of("start"), b: of("pause") }, "x, views: 9")).toContain("x pause active → paused")
    const changes = lines1({ a: acting("add_minus:"), b: acting("remove_minus:") }, row("x", ""))
    expect(changes.filter((line) => line.includes("→"))).toEqual([])
  })
})

const spending = acting("raise_bid: {by: 50%, cap: 999 ₽}").replace("views >= 5", "spend >= 5 ₽")
const spenders = ["a, spend: 5 ₽, bid: 400 ₽", "b, spend: 9 ₽, bid: 400 ₽"]

describe("limits of a policy", () => {
  const raise = (limits: string) => lines1({ a: `${spending}\nlimits: ${limits}` }, ...spenders)

  it("changes_per_run keeps the bids with the most spend", () =>
    expect(raise("{changes_per_run: 1}").slice(0, 2)).toEqual([
      "b raise_bid 400 → 600",
      "a raise_bid 400 → 600 held: changes_per_run rules/a.yaml limits.changes_per_run 1"
    ]))
  it("share_of_scope holds all", () =>
    expect(raise("{share_of_scope: 50%}").every((line) => line.includes("held: share_of_scope"))).toBe(true))
  it("move_per_day bounds a bid from the day's first", () =>
    expect(raise("{move_per_day: 30%}")).toEqual([
      "a raise_bid 400 → 520 (move_per_day)",
      "b raise_bid 400 → 520 (move_per_day)"
    ]))
  it("max_bid, of the payment type", () =>
    expect(raise("{max_bid: {cpm: 510 ₽, cpc: 40 ₽}}")).toEqual([
      "a raise_bid 400 → 510 (max_bid)",
      "b raise_bid 400 → 510 (max_bid)"
    ]))
  it("money_per_day and policy_money_per_day of deposits", () => {
    const deposit = (limits: string, amount = 2000) =>
      lines1(
        {
          a: acting(
            `deposit: {amount: ${amount} ₽, from: balance}`,
            `cooldown: 1h\nlimits: ${limits}`,
            "campaign"
          )
        },
        "a, views: 9, budget: 10 ₽, balance: 9000 ₽",
        "b, views: 9, budget: 20 ₽, balance: 9000 ₽"
      ).map((line) => line.replace(/ held: (\S+).*/, " held: $1"))
    expect(
      deposit("{money_per_day: 2000 ₽, policy_money_per_day: 2000 ₽}").filter((line) => line.includes("held"))
    ).not.toEqual([])
    expect(deposit("{money_per_day: 2000 ₽, policy_money_per_day: 4000 ₽}")).toEqual([
      "a deposit 10 → 2010",
      "b deposit 20 → 2020"
    ])
  })
})

describe("limits of the account", () => {
  const limits = (text: string) => `version: 1\nkind: limits\n${text}\n`
  const under = (text: string, ...rows: ReadonlyArray<string>) =>
    lines1({ a: spending, "_shared/limits": limits(text) }, ...rows)

  it("the tightest of policy, campaigns and account wins", () => {
    const text = `account: {max_bid: {cpm: 590 ₽}}
campaigns:
  - where: campaign.name matches "dear*"
    max_bid: {cpm: 480 ₽}`
    expect(
      under(text, "a, bid: 400 ₽, campaign.name: dear one, spend: 9 ₽", "b, bid: 400 ₽, spend: 9 ₽")
    ).toEqual(expect.arrayContaining(["a raise_bid 400 → 480 (max_bid)", "b raise_bid 400 → 590 (max_bid)"]))
  })
  it("never_touch that is about items tells what is wrong with it as one about items", () => {
    const facts =
      "version: 1\nkind: facts\nsource: {csv: own.csv}\njoin: item.id = nm\nfields:\n  item.tags: {column: t, type: labels}\n  item.stop: {column: s, type: yes_no}\n"
    const { diagnostics } = Load.check([
      { path: "rules/_shared/facts.yaml", text: facts },
      {
        path: "rules/_shared/limits.yaml",
        text: "version: 1\nkind: limits\naccount:\n  never_touch: item.tags contains any [vip] or item.stop\n"
      }
    ])
    expect(diagnostics.map(({ code, fix }) => [code, fix])).toEqual([["E11", '"vip"']])
  })

  it("never_touch holds what matches, or may match", () => {
    const text = 'account: {never_touch: campaign.name matches "TEST*"}'
    const lines = under(
      text,
      "a, bid: 400 ₽, campaign.name: TEST one, spend: 9 ₽",
      "b, bid: 400 ₽, spend: 9 ₽",
      "c, bid: 400 ₽, campaign.name: missing, spend: 9 ₽"
    )
    expect(lines.map((line) => line.replace(/ held: (\S+).*/, " held: $1"))).toEqual([
      "b raise_bid 400 → 600",
      "a raise_bid 400 → 600 held: never_touch",
      "c raise_bid 400 → 600 held: never_touch"
    ])
  })
  it("the kill switch holds everything", () =>
    expect(under("account: {kill_switch: true}", ...spenders)[0]).toContain("held: kill_switch"))
  it("changes_per_run, share_of_scope and move_per_day", () => {
    expect(under("account: {changes_per_run: 1}", ...spenders)[0]).toBe("b raise_bid 400 → 600")
    expect(under("account: {share_of_scope: 10%}", ...spenders)[0]).toContain("held")
    expect(under("account: {move_per_day: 10%}", ...spenders)[0]).toBe("a raise_bid 400 → 440 (move_per_day)")
  })
})

describe("values with names, templates and own facts", () => {
  const vars = "version: 1\nkind: vars\nvars: {most: 430 ₽, brand: [кеды, боты]}\n"
  const templates = `version: 1
kind: templates
templates:
  raise-to:
    params: {cap: required, step: 10%}
    each: cluster
    where: campaign.payment = cpm
    window: 7d
    when: views >= 5
    do:
      raise_bid: {by: $step, cap: $cap}
`
  const facts = `version: 1
kind: facts
source: {csv: ../../data/cost.csv}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}}
`
  it("vars of the policy and of all policies", () => {
    const own = `vars: {few: 9}\n${acting("raise_bid: {by: 10%, cap: $most}")}`.replace(
      "views >= 5",
      "views >= $few"
    )
    expect(
      lines1(
        { a: own, "_shared/vars": vars.replace(", brand: [кеды, боты]", "") },
        row("a", ""),
        row("b", "views: 8")
      )
    ).toEqual(["a raise_bid 400 → 430 (cap)"])
    const words = acting(
      "add_minus:",
      "",
      "cluster",
      "campaign.payment = cpm and not (query contains any $brand)"
    )
    expect(
      lines1(
        { a: words, "_shared/vars": vars.replace("most: 430 ₽, ", "") },
        row("КЕДЫ белые", ""),
        row("туфли", "")
      )
    ).toEqual(["туфли add_minus false → true"])
  })
  it("a template with its parameters, joined with the policy's conditions", () =>
    expect(
      lines1(
        {
          a: 'use: raise-to\nwith: {cap: 430 ₽, step: 5%}\nwhen: query contains "кед"',
          "_shared/templates": templates
        },
        row("кеды", ""),
        row("боты", ""),
        row("кеды редко", "views: 1")
      )
    ).toEqual(["кеды raise_bid 400 → 420"]))
  it("a fact of the seller's own, joined by item", () =>
    expect(
      lines1(
        { a: acting("raise_bid: {by: 10%, cap: item.cost * 42%}"), "_shared/cost": facts },
        row("a", "item.cost: 1000 ₽"),
        row("b", "item.cost: missing")
      )
    ).toEqual(["a raise_bid 400 → 420 (cap)", "b ? cap is unknown: the marketplace did not report it"]))
})

describe("rows of items, of the account, and below a row", () => {
  const told = (each: string, when: string) =>
    `each: ${each}\nwindow: 7d\nwhen: ${when}\ndo:\n  notify: {text: "yes"}`

  it("all and any; over no rows unknown", () => {
    const rows = [
      "both, items: [{item.stock: 1}, {item.stock: 2}]",
      "one, items: [{item.stock: 1}, {item.stock: 9}]",
      "maybe, items: [{item.stock: 1}, {item.stock: unknown failed}]",
      "no, items: [{item.stock: 8}, {item.stock: 9}]",
      "bare"
    ]
    const paused = (when: string) =>
      lines1({ a: `each: campaign\nwhen: ${when}\ndo: pause` }, ...rows).map((line) =>
        line.split(" ").slice(0, 2).join(" ")
      )
    expect(paused("all(item.stock < 3)")).toEqual(["both pause", "maybe ?", "bare ?"])
    expect(paused("any(item.stock < 3)")).toEqual(["both pause", "one pause", "maybe pause", "bare ?"])
  })
  it("each: item has the item's own figures, over all its campaigns", () =>
    expect(
      lines1(
        { a: told("item", "drr > 50%") },
        "dear, item.all_revenue: 100 ₽, campaigns: [{spend: 30 ₽}, {spend: 21 ₽}]",
        "fine, item.all_revenue: 100 ₽, campaigns: [{spend: 30 ₽}, {spend: 20 ₽}]"
      )
    ).toEqual(["dear ! yes"]))
  it("each: account is one row", () =>
    expect(
      lines1({ a: told("account", "ad_spend > 50 ₽") }, "shop, campaigns: [{spend: 30 ₽}, {spend: 21 ₽}]")
    ).toEqual(["shop ! yes"]))
})

describe("what nobody knows", () => {
  const quiet = (more: string) => acting("add_minus:", more)
  it("if_unknown: notify puts undecided rows on top", () => {
    const [plain] = [lines1({ a: quiet("if_unknown: skip") }, row("a", "views: missing"))]
    expect(plain).toEqual(["a ? views >= 5: the marketplace did not report it"])
    expect(lines1({ a: quiet("if_unknown: notify") }, row("a", "views: missing"))).toEqual([
      ...plain,
      "a ! views >= 5: the marketplace did not report it"
    ])
  })
  it("max_unknown holds the policy when too much could not be read", () => {
    const rows = [row("a", ""), row("b", "views: unknown failed")]
    const lines = lines1({ a: quiet("max_unknown: 0%") }, ...rows)
    expect(lines[0]).toContain("held: max_unknown")
    expect(lines1({ a: quiet("max_unknown: 60%") }, ...rows)[0]).toBe("a add_minus false → true")
  })
})

describe("from run to run", () => {
  const at = (day: number, time = "09:00") => `2026-09-0${day}T${time}+03:00`
  const changes = (story: Planned.Story) =>
    play(story).map((lines) => lines.filter((line) => line.includes("→")))
  const series = (bid: string) => `a, views: 9x20, bid: ${bid}, min_bid: 50 ₽`

  it("a bid waits for statistics of a day after its last change", () =>
    expect(
      changes({
        files: { a: acting("raise_bid: {by: 10%, cap: 999 ₽}") },
        rows: [series("400 ₽")],
        from: "2026-08-20",
        runs: [[at(1)], [at(1, "20:00")], [at(2)], [at(3)]]
      })
    ).toEqual([["a raise_bid 400 → 440"], [], ["a raise_bid 440 → 484"], ["a raise_bid 484 → 532 (step)"]]))
  it("cooldown leaves a row alone", () =>
    expect(
      changes({
        files: { a: acting("raise_bid: {by: 10%, cap: 999 ₽}", "cooldown: 30h") },
        rows: [series("400 ₽")],
        from: "2026-08-20",
        runs: [[at(1)], [at(2)], [at(3)]]
      }).map((lines) => lines.length)
    ).toEqual([1, 0, 1]))
  it("hold_for waits for as many runs in a row", () =>
    expect(
      changes({
        files: { a: acting("raise_bid: {by: 10%, cap: 999 ₽}", "hold_for: 2 runs") },
        rows: [series("400 ₽")],
        from: "2026-08-20",
        runs: [[at(1)], [at(1, "20:00")], [at(2)]]
      })
    ).toEqual([[], [], ["a raise_bid 400 → 440"]]))
  it("move_per_day counts from the day's first bid, whatever moved it", () =>
    expect(
      changes({
        files: {
          a: "each: cluster\nwhere: campaign.payment = cpm\nwhen: bid < 900 ₽\ndo:\n  raise_bid: {by: 20%, cap: 999 ₽}\ncooldown: 1h\nlimits: {move_per_day: 30%}"
        },
        rows: ["a, bid: 400 ₽"],
        runs: [[at(1)], [at(1, "12:00")], [at(1, "15:00")], [at(2)]]
      })
    ).toEqual([
      ["a raise_bid 400 → 480"],
      ["a raise_bid 480 → 520 (move_per_day)"],
      [],
      ["a raise_bid 520 → 624"]
    ]))
  it("during: lays adjust_bid over the bid, and gives it back", () =>
    expect(
      changes({
        files: {
          a: 'schedule: {every: 30m, tz: Europe/Moscow}\neach: campaign_item\nwhere: campaign.payment = cpm\nduring: {days: [tue], time: "18:00-23:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 470 ₽}'
        },
        rows: ["a, bid: 400 ₽, min_bid: 50 ₽"],
        runs: [[at(1, "17:59")], [at(1, "18:00")], [at(1, "20:00")], [at(1, "23:00")], [at(2, "19:00")]]
      })
    ).toEqual([[], ["a adjust_bid 400 → 470 (cap)"], [], ["a adjust_bid 470 → 400"], []]))
  it("revert_when takes back what the policy did, and nothing else", () => {
    const files = {
      a: "each: campaign\nwindow: today\nwhen: spend >= 3000 ₽\ndo: pause\nrevert_when: spend < 1500 ₽"
    }
    expect(
      changes({
        files,
        rows: ["ours, spend: 3000 ₽", "theirs, spend: 10 ₽, campaign.status: paused"],
        runs: [[at(1)], [at(1, "20:00"), "ours, spend: 2000 ₽"], [at(2), "ours, spend: 0 ₽"]]
      })
    ).toEqual([["ours pause active → paused"], [], ["ours start paused → active"]])
  })
  it("a campaign that a rule pauses gets no money, beside the pause and after it", () =>
    expect(
      changes({
        files: {
          a: "each: campaign\nwindow: today\nwhen: spend >= 3000 ₽\ndo: pause\nrevert_when: spend < 1500 ₽",
          b: "each: campaign\nwhen: budget < 500 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 9000 ₽}"
        },
        rows: ["ours, spend: 3000 ₽, budget: 10 ₽, balance: 9000 ₽"],
        runs: [[at(1)], [at(1, "20:00")], [at(2), "ours, spend: 0 ₽"], [at(2, "12:00")]]
      })
    ).toEqual([
      ["ours pause active → paused"],
      [],
      ["ours start paused → active", "again: ours deposit 10 → 1010"],
      ["ours deposit 10 → 1010"]
    ]))
  it("a bid above max_bid is lowered without any rule", () =>
    expect(
      lines1(
        {
          a: acting("raise_bid: {by: 10%, cap: 999 ₽}", "", "campaign_item"),
          "_shared/limits":
            "version: 1\nkind: limits\naccount: {max_bid: {cpm: 300 ₽}, enforce_max_bid: apply}\n"
        },
        row("a", "")
      ).filter((line) => line.includes("→"))
    ).toEqual(["a set_bid 400 → 300"]))
})
