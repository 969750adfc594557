/** Rules as people first write them, from a sheet, a chat or another tool: what is told of each, and that obeying it ends in a rule that checks. */
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"

const check = (body: string) =>
  Load.check([{ path: "rules/a.yaml", text: `version: 1\nname: a\n${body}\n` }]).diagnostics.filter(
    ({ code }) => code !== "S08"
  )
const told = (body: string) =>
  check(body).map(({ fix, message }) => `${message}${fix === undefined ? "" : ` [${fix}]`}`)

const campaign = (...lines: ReadonlyArray<string>) => ["each: campaign", "window: 7d", ...lines].join("\n")
const cluster = (action: string) =>
  `each: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\n${action}`

describe("a rule as somebody first writes it", () => {
  it.each([
    [
      "two actions",
      campaign("when: spend > 5 ₽", "do: pause", "do: {notify: stopped}"),
      ['"do" is already on line 6. One policy does one thing: put the second into a file of its own.'],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "a list of actions",
      campaign("when: spend > 5 ₽", "do:", "  - pause", "  - notify: stopped"),
      ["One policy does one thing. Put the second action into a file of its own."],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "two lists of conditions",
      campaign("when: spend > 5 ₽", "when: orders = 0", "do: pause"),
      ['"when" is already on line 5. Make one list of both, each condition after a dash.'],
      campaign("when:", "  - spend > 5 ₽", "  - orders = 0", "do: pause")
    ],
    [
      "rules without the line above them",
      campaign("- when: spend > 5 ₽", "  do: pause", "- when: orders = 0", "  do: pause"),
      ["Rules in a list stand below rules: write that line above this dash."],
      campaign("rules:", "- when: spend > 5 ₽", "  do: pause", "- when: orders = 0", "  do: pause")
    ],
    [
      "several kinds of rows",
      campaign("when: spend > 5 ₽", "do: pause").replace("campaign", "[campaign, cluster]"),
      [
        "each: holds a list where one of account, campaign, promotion, item, campaign_item, promotion_item, cluster should be."
      ],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "options in words",
      cluster("do: raise_bid 10% cap 450"),
      [
        "What is behind raise_bid stands in braces after a colon, or not at all. [do: {raise_bid: {by: 10%, cap: 450 ₽}}]"
      ],
      cluster("do: {raise_bid: {by: 10%, cap: 450 ₽}}")
    ],
    [
      "options in words, by their names",
      cluster("do: raise_bid by 30% cap 300 ₽"),
      [
        "What is behind raise_bid stands in braces after a colon, or not at all. [do: {raise_bid: {by: 30%, cap: 300 ₽}}]"
      ],
      cluster("do: {raise_bid: {by: 30%, cap: 300 ₽}}")
    ],
    [
      "a part of the options",
      cluster("do: raise_bid 30%"),
      [
        "What is behind raise_bid stands in braces after a colon, or not at all. For example raise_bid: {by: 30%, cap: 450 ₽}, with values of your own."
      ],
      cluster("do:\n  raise_bid: {by: 30%, cap: 500 ₽}")
    ],
    [
      "options that no program reads",
      cluster("do: {raise_bid: 10% up to 300}"),
      [
        "raise_bid: holds one value where keys such as by:, toward:, cap: should be. For example raise_bid: {by: 10%, cap: 450 ₽}, with values of your own."
      ],
      cluster("do: {raise_bid: {by: 10%, cap: 300 ₽}}")
    ],
    [
      "an action with its options on one line",
      cluster("do: raise_bid: {by: 10%, cap: 400 ₽}"),
      ["An action with options stands in braces. [do: {raise_bid: {by: 10%, cap: 400 ₽}}]"],
      cluster("do: {raise_bid: {by: 10%, cap: 400 ₽}}")
    ],
    [
      "a condition behind an action",
      campaign("when: spend > 5 ₽", "do: pause if orders = 0"),
      ["What is behind pause stands in braces after a colon, or not at all."],
      campaign("when: spend > 5 ₽ and orders = 0", "do: pause")
    ],
    [
      "options in words behind a colon",
      cluster("do:\n  raise_bid: на 15% до 500"),
      [
        "raise_bid: holds one value where keys such as by:, toward:, cap: should be. For example raise_bid: {by: 10%, cap: 450 ₽}, with values of your own."
      ],
      cluster("do:\n  raise_bid: {by: 10%, cap: 450 ₽}")
    ],
    [
      "an option of another action",
      cluster("do:\n  raise_bid: {by: 10%, to: 300 ₽, cap: 450 ₽}"),
      ['"to" does not belong here, but to set_bid. Possible: by, toward, cap, placement. Policy not loaded.'],
      cluster("do:\n  set_bid: {to: 300 ₽, cap: 450 ₽}")
    ],
    [
      "a deposit as one amount",
      campaign("when: budget < 5 ₽", "do:", "  deposit: 1000", "limits: {money_per_day: 6000 ₽}"),
      [
        "deposit: holds one value where keys such as amount:, from: should be. For example deposit: {amount: 1000 ₽, from: balance}, with values of your own."
      ],
      campaign(
        "when: budget < 5 ₽",
        "do:",
        "  deposit: {amount: 1000 ₽, from: balance}",
        "limits: {money_per_day: 6000 ₽}"
      ).replace("window: 7d\n", "")
    ],
    [
      "days in words",
      campaign("when: spend > 5 ₽", "do: pause").replace("7d", "неделя"),
      ["A window is today, yesterday or a number of days such as 7d. [7d]"],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "yesterday in Russian",
      campaign("when: spend > 5 ₽", "do: pause").replace("7d", "вчера"),
      ["A window is today, yesterday or a number of days such as 7d. [yesterday]"],
      campaign("when: spend > 5 ₽", "do: pause").replace("7d", "yesterday")
    ],
    [
      "a schedule in words",
      campaign("schedule: каждый день в 09:00", "when: spend > 5 ₽", "do: pause"),
      [
        'schedule: holds one value where keys such as every:, at:, days: should be. Write schedule: {at: "09:00", tz: …}, with tz: the city whose clock it is, such as Europe/Moscow.'
      ],
      campaign('schedule: {at: "09:00", tz: Europe/Moscow}', "when: spend > 5 ₽", "do: pause")
    ],
    [
      "a schedule of another tool",
      campaign('schedule: "0 9 * * *"', "when: spend > 5 ₽", "do: pause"),
      [
        "schedule: holds one value where keys such as every:, at:, days: should be. For example schedule: {every: 3h}, with values of your own."
      ],
      campaign("schedule: {every: 3h}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "hours between which it runs",
      campaign("schedule: 08:00-23:00", "when: spend > 5 ₽", "do: pause"),
      [
        'schedule: holds one value where keys such as every:, at:, days: should be. Write schedule: {every: …, between: "08:00-23:00", tz: …}, with every: how often, such as 30m, and tz: the city whose clock it is, such as Europe/Moscow.'
      ],
      campaign(
        'schedule: {every: 30m, between: "08:00-23:00", tz: Europe/Moscow}',
        "when: spend > 5 ₽",
        "do: pause"
      )
    ],
    [
      "each hour in a word",
      campaign("schedule: hourly", "when: spend > 5 ₽", "do: pause"),
      ["schedule: holds one value where keys such as every:, at:, days: should be. [schedule: {every: 1h}]"],
      campaign("schedule: {every: 1h}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "a formula of a sheet",
      campaign("when: = ЕСЛИ(spend > 5 ₽; 1; 0)", "do: pause"),
      ["A formula of a sheet is not read here. Write what it asks, such as views > 500"],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "a variable without its dollar",
      campaign("vars: {daily: 5}", "when: orders > daily", "do: pause"),
      ['Unknown field "daily". A variable has its $ in front: $daily [$daily]'],
      campaign("vars: {daily: 5}", "when: orders > $daily", "do: pause")
    ],
    [
      "a list variable without its dollar",
      campaign("vars: {words: [a, b]}", "when: campaign.name contains any words", "do: pause"),
      ["A variable has its $ in front: $words [$words]"],
      campaign("vars: {words: [a, b]}", "when: campaign.name contains any $words", "do: pause")
    ],
    [
      "braces of JSON below keys",
      campaign("when: spend > 5 ₽", '{"do": "pause"}'),
      [
        "Braces below keys are the value of none. Write what is in them as keys without braces, or behind the key whose value they are."
      ],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "two times of a day",
      campaign("schedule: at 9:00 and 18:00", "when: spend > 5 ₽", "do: pause"),
      [
        "schedule: holds one value where keys such as every:, at:, days: should be. For example schedule: {every: 3h}, with values of your own."
      ],
      campaign("schedule: {every: 3h}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "a beginning of its hours",
      campaign("schedule: every 2 hours from 8:00", "when: spend > 5 ₽", "do: pause"),
      [
        "schedule: holds one value where keys such as every:, at:, days: should be. For example schedule: {every: 3h}, with values of your own."
      ],
      campaign("schedule: {every: 3h}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "minutes in words",
      campaign("schedule: every 15 minutes", "when: spend > 5 ₽", "do: pause"),
      ["schedule: holds one value where keys such as every:, at:, days: should be. [schedule: {every: 15m}]"],
      campaign("schedule: {every: 15m}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "minutes alone",
      campaign("schedule: 15m", "when: spend > 5 ₽", "do: pause"),
      ["schedule: holds one value where keys such as every:, at:, days: should be. [schedule: {every: 15m}]"],
      campaign("schedule: {every: 15m}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "hours in Russian",
      campaign("schedule: каждые 2 часа", "when: spend > 5 ₽", "do: pause"),
      ["schedule: holds one value where keys such as every:, at:, days: should be. [schedule: {every: 2h}]"],
      campaign("schedule: {every: 2h}", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "a time without its unit",
      campaign("when: spend > 5 ₽", "do: pause", "cooldown: 360"),
      ["cooldown is a duration, such as 6h. [360m or 360h]"],
      campaign("when: spend > 5 ₽", "do: pause", "cooldown: 360m")
    ],
    [
      "signs between thousands",
      campaign("when: spend > 5 ₽", "do: pause", "limits: {changes_per_run: 1’975}"),
      ["Remove the separator: 1975 [1975]"],
      campaign("when: spend > 5 ₽", "do: pause", "limits: {changes_per_run: 1975}")
    ],
    [
      "conditions with commas between them",
      campaign("when: spend > 5 ₽, orders = 0", "do: pause"),
      ["Write and instead of , [and]"],
      campaign("when: spend > 5 ₽ and orders = 0", "do: pause")
    ],
    [
      "conditions below a word",
      campaign("when:", "  any:", "    - spend > 5 ₽", "    - orders = 0", "do: pause"),
      [
        "when: holds keys where a condition such as views >= 500 should be. [when: spend > 5 ₽ or orders = 0]"
      ],
      campaign("when: spend > 5 ₽ or orders = 0", "do: pause")
    ],
    [
      "conditions below a word, joined themselves",
      campaign("when: {any: [spend > 5 ₽ and views > 3, orders = 0]}", "do: pause"),
      [
        "when: holds keys where a condition such as views >= 500 should be. [when: (spend > 5 ₽ and views > 3) or orders = 0]"
      ],
      campaign("when: (spend > 5 ₽ and views > 3) or orders = 0", "do: pause")
    ],
    [
      "a word between lines",
      campaign("when:", "  - spend > 5 ₽", "  - OR", "  - orders = 0", "do: pause"),
      [
        'Lines are joined by and. For or write one line, its conditions beside each other: orders = 0 or views < 5. Remove "OR".'
      ],
      campaign("when: spend > 5 ₽ or orders = 0", "do: pause")
    ],
    [
      "numbered conditions",
      campaign("when:", "  1. spend > 5 ₽", "  2. orders = 0", "do: pause"),
      ['Two conditions became one text. Start each with "- ". [- spend > 5 ₽]'],
      campaign("when:", "  - spend > 5 ₽", "  - orders = 0", "do: pause")
    ],
    [
      "a time with a point",
      campaign('schedule: {at: "9.00", tz: Europe/Moscow}', "when: spend > 5 ₽", "do: pause"),
      ['9.00 is not a time. 00:00 to 23:59. ["09:00"]'],
      campaign('schedule: {at: "09:00", tz: Europe/Moscow}', "when: spend > 5 ₽", "do: pause")
    ],
    [
      "one for yes",
      campaign("when: campaign.search = 1 and spend > 5 ₽", "do: pause"),
      ["Expected yes or no instead of 1. [yes]"],
      campaign("when: campaign.search = yes and spend > 5 ₽", "do: pause")
    ],
    [
      "an empty text for no value",
      campaign('when: spend = ""', "do: pause"),
      ['"" is no value. Where nothing is told write spend is not known, or spend = 0 ₽ for none at all.'],
      campaign("when: spend is not known", "do: pause")
    ],
    [
      "a share where a bid is set",
      cluster("do:\n  set_bid: {to: +10%, cap: 450 ₽}"),
      ["to is money, such as 450 ₽. [to: bid * 110%]"],
      cluster("do:\n  set_bid: {to: bid * 110%, cap: 450 ₽}")
    ],
    [
      "a share for a bound, which would move with the bid and bound nothing",
      cluster("do:\n  raise_bid: {by: 10%, cap: +10%}"),
      ["cap is money, such as 450 ₽."],
      cluster("do:\n  raise_bid: {by: 10%, cap: 450 ₽}")
    ],
    [
      "an action behind a word",
      campaign("when: spend > 5 ₽", "do:", "  action: pause"),
      [
        "An action is a key of its own below do:, or stands behind it. The whole of do: is one line: do: pause"
      ],
      campaign("when: spend > 5 ₽", "do: pause")
    ],
    [
      "a name that is a number",
      campaign("when: campaign.name = 500", "do: pause"),
      ['Text needs quotes. ["500"]'],
      campaign('when: campaign.name = "500"', "do: pause")
    ],
    [
      "a name that is larger than a number",
      campaign("when: campaign.name > 500", "do: pause"),
      ["text is neither larger nor smaller. Use = or !=."],
      campaign('when: campaign.name != "500"', "do: pause")
    ],
    [
      "a field with a colon",
      campaign("when:", "  spend: > 5 ₽", "do: pause"),
      ["A condition has no colon. [spend > 5 ₽]"],
      campaign("when:", "  spend > 5 ₽", "do: pause")
    ],
    [
      "a field in Russian, with its row",
      campaign("where: кампания.статус = active", "when: spend > 5 ₽", "do: pause"),
      ['Unknown field "кампания.статус". Here it is campaign.status. [campaign.status]'],
      campaign("where: campaign.status = active", "when: spend > 5 ₽", "do: pause")
    ],
    [
      "unless",
      campaign("unless: orders > 0", "do: pause"),
      ['Unknown key "unless". Write when: not (…). Policy not loaded.'],
      campaign("when: not (orders > 0)", "do: pause")
    ],
    [
      "else",
      campaign("when: orders > 0", "do: pause", "else: start"),
      [
        'Unknown key "else". Several rules stand in a list below rules:, and the first that holds acts. Policy not loaded.'
      ],
      campaign("rules:", "  - when: orders > 0", "    do: pause")
    ]
  ])("%s: is told once, and what is told checks", (_, wrong, problems, right) => {
    expect(told(wrong)).toEqual(problems)
    expect(check(right)).toEqual([])
  })

  it("is told no list of rules where a list of another key begins", () => {
    expect(told(campaign("when:", "- spend > 5 ₽", "- orders = 0", "do: pause"))).toEqual([])
  })
})
