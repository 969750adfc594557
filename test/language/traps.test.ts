/** What users of other rule languages fall into, by the name of the trap; here nobody does. */
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"
import * as Trials from "../testing/Trials.js"
import * as Planned from "./Planned.js"
import { problems } from "./Rules.js"

const { lines1, play } = Planned

const acting = (when: string, action = "add_minus", more = "window: 7d") =>
  `each: cluster\nwhere: campaign.payment = cpm\n${more}\nwhen: ${when}\ndo:\n  ${action}:\n`
    .replace("}:\n", "}\n")
    .replace(/\n {2}(add_minus|pause|start):\n$/, " $1\n")

const whole = (body: string) => `version: 1\nname: a\n${body}`
const changed = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("→"))
/** Code, message and fix of every problem. */
const advised = (body: string) =>
  Load.check([{ path: "rules/a.yaml", text: whole(body) }]).diagnostics.map(({ code, fix, message }) => [
    code,
    message,
    fix
  ])
const text = (body: string) => {
  const file = { path: "rules/a.yaml", text: whole(body) }
  return Render.text(Load.check([file]).diagnostics, [file])
}

describe("a text that begins with a field", () => {
  it("is told to be put in quotes, not to lose a comma that it has not", () => {
    const said = text("each: campaign\nwhen: spend@7d > 3000 ₽\ndo:\n  notify: {campaign.name} spent a lot\n")
    expect(said).toContain("A text with { needs quotes.")
    expect(said).toContain('fix: notify: "{campaign.name} spent a lot"\n')
    expect(said).not.toContain("comma")
  })

  it.each([
    ["do: {notify: {campaign.name}: {spend} spent}", 'do: {notify: "{campaign.name}: {spend} spent"}'],
    ["do:\n  notify: {campaign.name}: {spend} spent", 'notify: "{campaign.name}: {spend} spent"'],
    ["do:\n  notify: {spend[7d]} of {budget} # note", 'notify: "{spend[7d]} of {budget}" # note'],
    ['do: {notify: {text: {campaign.name}: "so"}}', `do: {notify: {text: '{campaign.name}: "so"'}}`],
    ["do: {notify: spent {spend} of {budget}}", 'do: {notify: "spent {spend} of {budget}"}'],
    ["do:\n  message: {campaign.name}: {spend} spent", 'message: "{campaign.name}: {spend} spent"']
  ])("is told once: %s", (wrong, right) =>
    expect(advised(`each: campaign\nwindow: 7d\nwhen: spend > 3000 ₽\n${wrong}\n`)).toEqual([
      ["Y09", "A text with { needs quotes.", right]
    ])
  )

  it("is not what a forgotten colon is taken for", () => {
    const said = text(
      "each: cluster\nwhere: campaign.payment = cpm\nwhen: bid > 0 ₽\ndo:\n  raise_bid: {by 10%, cap: 800 ₽}\n"
    )
    expect(said).toContain('"by 10%" has no value: put a colon and a space after its name.')
    expect(said).not.toContain("quotes")
  })

  it("is told as that where a key is begun at the end of a block, though a bracket was closed above it", () => {
    const said = text(
      "each: cluster\nwhen: bid > 0 ₽\ndo:\n  raise_bid: {by: 10%, cap: 800 ₽}\nschedule:\n  days: [mon]\n  ev\n"
    )
    expect(said).toContain('9:3 error Y22  "ev" has no value: put a colon and a space after its name.')
    expect(said).not.toContain("bracket")
  })
})

describe("a condition in braces", () => {
  const bare = "A condition needs no braces."
  it.each([
    ["when: {spend > 3000 ₽}", bare, "when: spend > 3000 ₽"],
    ["when: [{spend[7d] > 3000 ₽}, views > 5]", bare, "when: [spend[7d] > 3000 ₽, views > 5]"],
    ["when:\n  - {campaign.status in [active, paused]}", bare, "campaign.status in [active, paused]"],
    [
      "when: {spend > 3000 ₽, views > 5}",
      "Conditions need no braces. Write each on a line of its own, after a dash.",
      undefined
    ]
  ])("is told to need none: %s", (when, message, fix) =>
    expect(advised(`each: campaign\nwindow: 7d\n${when}\ndo: pause\n`)).toEqual([["Y09", message, fix]])
  )
})

describe("a list that is none to YAML", () => {
  const rule = (when: string) => `each: campaign\nwindow: 7d\n${when}\ndo: pause\n`
  const left = "This dash stands left of the others. Put it under them."
  const braces = "Conditions need no braces. Write each on a line of its own, after a dash."
  const told = (sign: string) => `"${sign}" is no dash. Start each condition with "- ".`

  it.each([
    ["when:\n    - orders = 0\n  - views > 5", "Y04", left, undefined],
    ["when:\n  - orders = 0\n- views > 5", "Y04", left, undefined],
    [
      "where:\n  - campaign.status = active\n - campaign.payment = cpm\nwhen: views > 5",
      "Y04",
      left,
      undefined
    ],
    ["when:\n  • orders = 0", "Y11", told("•"), "- orders = 0"],
    ["when:\n  – orders = 0", "Y11", told("–"), "- orders = 0"],
    ["when:\n  * orders = 0", "Y11", told("*"), "- orders = 0"],
    ["when:\n  * orders = 0\n  * views > 5", "Y11", told("*"), "- orders = 0"],
    ["when: • orders = 0", "Y11", 'Remove "•" before the condition.', "orders = 0"],
    ["when: {• orders = 0}", "Y09", "A condition needs no braces.", "when: orders = 0"],
    ["when: {\n  - orders = 0\n  - views > 5\n}", "Y09", braces, undefined],
    ["when: {\n  * orders = 0\n  * views > 5\n}", "Y09", braces, undefined]
  ])("is told once: %s", (when, code, message, fix) =>
    expect(advised(rule(when))).toEqual([[code, message, fix]])
  )

  it("is no text that begins with an asterisk: that is quoted whole", () =>
    expect(advised(rule("when: orders = 0").replace("each:", "name: * sale *\neach:"))).toContainEqual([
      "Y16",
      "A leading * needs quotes.",
      '"* sale *"'
    ]))

  it("is told once of a merge key, whatever it merges", () =>
    expect(advised(`<<: *base\n${rule("when: orders = 0")}`)).toEqual([
      ["Y19", "Merge keys are not used here. Write the values out.", undefined]
    ]))
})

describe("a missing value makes nothing true", () => {
  const negative = [
    'campaign.name != "x"',
    'query != "кеды"',
    "views != 500",
    "not (views < 500)",
    "not (views >= 500)",
    "views not in [1, 2]",
    'not (query contains "кеды")',
    'not (campaign.name matches "*кеды*")',
    "not campaign.search",
    "not (ctr between 1% and 2%)",
    "ctr < 1%",
    "not (ctr < 1% with 95% confidence)"
  ]
  const gone = ["views", "clicks", "ctr", "query", "campaign.name", "campaign.search", "orders"].map(
    (fact) => `${fact}: missing`
  )

  for (const when of negative)
    it(`${when}, of nothing known`, () => {
      const lines = lines1({ a: acting(when) }, `a, ${gone.join(", ")}`)
      expect(lines.map((line) => line.slice(0, 3))).toEqual(["a ?"])
    })

  it("unknown never becomes a number that is below: a cluster the marketplace leaves out is not at 0 views", () => {
    for (const when of ["views < 100", "orders = 0", "bid < 500 ₽", "spend < 5 ₽", "avg_pos < 3"])
      expect(changed(lines1({ a: acting(when) }, "a, clicks: 0"))).toEqual([])
  })

  it("a division by zero is no number: endless where there was something, unknown where there was nothing", () => {
    const dear = acting("cpo < 100 ₽")
    expect(lines1({ a: dear }, "a, spend: 5 ₽, orders: 0")).toEqual([])
    expect(lines1({ a: dear }, "a, spend: 0 ₽, orders: 0")[0]).toContain("a ?")
  })

  it("a bound that is unknown is no bound of zero and no licence: the bid stays", () => {
    const raise = "raise_bid: {by: 10%, toward: recommended.reach_max, cap: item.price * 40%}"
    const facts = "views: 9, bid: 400 ₽"
    for (const missing of ["item.price: 1000 ₽", "recommended.reach_max: 900 ₽"])
      expect(changed(lines1({ a: acting("views >= 5", raise) }, `a, ${facts}, ${missing}`))).toEqual([])
  })
})

describe("a rule that does nothing says so", () => {
  it("a mistyped field, key, word or value matches nothing silently: it is refused, with its place", () => {
    expect(problems(whole(acting("vews < 5")))).toEqual(["E01@6"])
    expect(problems(whole(`${acting("views < 5")}cooldwn: 6h\n`))).toEqual(["K01@8"])
    expect(problems(whole(acting("campaign.status = actve")))).toEqual(["E13@6"])
    expect(problems(whole(acting("views < 5").replace("add_minus", "ad_minus")))).toEqual(["K02@7"])
    expect(problems(whole(acting("campaign.search = yess")))).toEqual(["E13@6"])
  })

  it("absence is no empty result: rows nobody could decide on are listed, and counted", () => {
    expect(lines1({ a: acting("views < 100") }, "a, views: missing", "b, views: unknown failed")).toEqual([
      "a ? views < 100: the marketplace did not report it",
      "b ? views < 100: could not be fetched"
    ])
  })

  it("too many rows that could not be read hold the policy instead of letting it act on the rest", () => {
    const rows = Array.from({ length: 10 }, (_, n) => `r${n}, views: ${n < 5 ? "unknown failed" : "9"}`)
    const lines = lines1({ a: acting("views < 100") }, ...rows)
    expect(lines.filter((line) => line.includes("→") && !line.includes("held"))).toEqual([])
  })

  it("conditions that can never hold together are refused, not left alone", () =>
    expect(problems(whole(acting("views >= 500 and views < 100")))).toEqual(["S02@6"]))

  it("a rule that comes too late in a funnel is told that it never has its turn", () => {
    const body = `each: cluster\nwindow: 7d\nwhere: campaign.payment = cpm\nrules:\n  - when: orders >= 3\n    do: add_minus\n  - when: orders >= 5\n    do: add_minus\n`
    expect(problems(whole(body))).toEqual(["S07@9"])
  })
})

describe("every mistake is named at once", () => {
  it("conditions that can never hold together are told beside a mistake in another condition", () => {
    const when = (first: string) => `\n  - ${first}\n  - views >= 500\n  - views < 100`
    expect(problems(whole(acting(when("ctr < 100%"))))).toEqual(["E16@7", "S02@9"])
    expect(problems(whole(acting(when("vews > 1"))))).toEqual(["E01@7", "S02@9"])
    expect(problems(whole(acting(when("views[7d] > 1"), "add_minus", "window: 7x")))).toEqual(["K16@5"])
  })

  it("of rows that nobody knows only what is wrong on any rows is told", () => {
    const rows = (each: string) =>
      `${each}window: 7d\nwhen:\n  - budget < 100\n  - item.stock < 5\n  - promotion.type = regular\n  - vews > 5\n  - any(bid > 5)\ndo:\n  raise_bid: {by: 10%, cap: 450 ₽, placement: search}\n`
    expect(problems(whole(rows("each: keyword\n")))).toEqual(["K04@3", "E04@6", "E01@9", "E04@10"])
    expect(problems(whole(rows("")))).toEqual(["K13@1", "E04@5", "E01@8", "E04@9"])
    const optimise = "optimise: {margin: 25%, budget: 3000 ₽, cap: {cpm: 450 ₽}}"
    expect(problems(whole(rows("").replace(/raise_bid.*/, optimise)))).toEqual(problems(whole(rows(""))))
  })

  it("what a file says whose rows nobody knows is read anew where the same stands in another", () => {
    const asked = (each: string) =>
      whole(`${each}when: promotion.type = regular\nwhere: campaign.payment = cpm\ndo: add_minus\n`)
    const files = ["", "each: cluster\n"].map((each, at) => ({ path: `rules/${at}.yaml`, text: asked(each) }))
    expect(Load.check(files).diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "K13 rules/0.yaml",
      "E02 rules/1.yaml"
    ])
  })

  it("with line, column and fix, in every file", () => {
    const body =
      "each: cluster\nwindow: 90d\nwhen:\n  - vews > 5\n  - ctr < 0.01\n  - spend > 500\ndo:\n  rise_bid: {by: 5%}\ntires: safety\n"
    const files = ["a", "b"].map((name) => ({ path: `rules/${name}.yaml`, text: whole(body) }))
    const { diagnostics } = Load.check(files)
    for (const { path } of files) {
      const own = diagnostics.filter(({ file }) => file === path)
      expect(own.map(({ code, span }) => `${code}@${span.line}:${span.column}`)).toEqual(
        expect.arrayContaining(["K08@4:9", "E01@6:5", "E03@7:11", "E04@8:13", "K02@10:3", "K01@11:1"])
      )
      for (const one of own) expect(one.span.endColumn).toBeGreaterThan(one.span.column)
    }
  })

  it("the file is not loaded in part: other rules do not run without the limits that failed", () => {
    const broken = {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount: {max_bids: 5 ₽}\n"
    }
    const good = { path: "rules/a.yaml", text: whole(acting("views < 5")) }
    expect(Load.check([good]).ruleSet).toBeDefined()
    expect(Load.check([good, broken]).ruleSet).toBeUndefined()
  })
})

describe("a test cannot pass by saying nothing", () => {
  const rules = Trials.rules()
  it("a name that is missing, an empty test and an expectation left out are mistakes", () => {
    const row = "rows: [{id: a, orders: 5, cpo: 80 ₽, bid: 300 ₽}]"
    expect(Trials.problems(Trials.oneCase(row, "expect: []").replace("01-raise", "01-rase"), rules)).toEqual([
      "T01@3:9"
    ])
    expect(Trials.problems(Trials.oneCase(row, "expect: [{id: z, set_bid: 330 ₽}]"), rules)).toEqual([
      "T05@8:19"
    ])
    expect(Trials.problems(Trials.oneCase(row), rules)).toEqual(["T03@5:5"])
    expect(Trials.problems(Trials.header.replace("cases:", "cases: []"), rules)).toEqual(["T02@4:1"])
  })
  it("a row that changes without being listed fails the test, and so does one that stays undecided", () => {
    expect(
      Trials.failures(
        Trials.oneCase("rows: [{id: a, orders: 5, cpo: 80 ₽, bid: 300 ₽}]", "expect: []"),
        rules
      )
    ).toHaveLength(1)
    expect(
      Trials.failures(Trials.oneCase("rows: [{id: a, orders: 5, bid: 300 ₽}]", "expect: []"), rules)
    ).toHaveLength(1)
  })
})

describe("units are never guessed", () => {
  it("percent against fraction: ctr < 0.01 and ctr < 1 are refused, 1% is a hundredth", () => {
    expect(problems(whole(acting("ctr < 0.01")))).toEqual(["E03@6"])
    expect(problems(whole(acting("ctr < 1")))).toEqual(["E03@6"])
    expect(
      changed(lines1({ a: acting("ctr < 1%") }, "a, views: 1000, clicks: 9", "b, views: 1000, clicks: 10"))
    ).toEqual(["a add_minus false → true"])
  })
  it("kopecks against roubles: money needs its sign", () =>
    expect(problems(whole(acting("spend > 500")))).toEqual(["E04@6"]))
  it("a bid per click is no bid per thousand views", () =>
    expect(
      problems(
        whole("each: campaign_item\nwindow: 7d\nwhen: orders >= 3\ndo:\n  raise_bid: {by: 10%, cap: 450 ₽}\n")
      )
    ).toEqual(["K11@7"]))
  it("money and counts, a share and money are not compared", () =>
    expect(problems(whole(acting("spend > views")))).toEqual(["E11@6"]))
})

describe("what YAML makes of words and numbers", () => {
  it("unquoted 10:00 is ten o'clock, not 600", () => {
    const at = (time: string) => `schedule: {at: ${time}, tz: Europe/Moscow}\n${acting("views < 5")}`
    const minute = (time: string) =>
      Load.check([{ path: "rules/a.yaml", text: whole(at(time)) }]).ruleSet?.policies[0]?.schedule?.at
    expect(minute("10:00")).toEqual([600])
    expect(minute('"10:00"')).toEqual([600])
    expect(minute("600")).toBeUndefined()
    expect(problems(whole(at("600")))).toEqual(["K06@3"])
  })
  it("version 1.10 is not 1.1, and 0123 and long numbers are refused instead of changed", () => {
    expect(problems(whole(acting("views < 5")).replace("version: 1\n", "version: 1.10\n"))).toEqual(["K17@1"])
    expect(problems(whole(acting("campaign.id = 0123")))).toEqual(["Y20@6"])
    expect(problems(whole(acting("campaign.id = 1234567890123456789")))).toEqual(["Y20@6"])
  })
  it("tells of zeros in front and of tags what to write, and quotes a text in the quotes it does not have", () => {
    const told = (text: string) =>
      Load.check([{ path: "rules/a.yaml", text }]).diagnostics.map(({ code, fix, message }) => [
        code,
        message,
        fix
      ])
    const good = acting("views < 5")
    expect(told(whole(`${good}limits: {changes_per_run: 010}\n`))).toEqual([
      ["Y20", "This number would change to 10. Write 10; a text, such as a code, stands in quotes.", "10"]
    ])
    expect(told(`version: !!int 1\nname: a\n${good}`)).toEqual([
      ["Y19", "Tags are not used here. Write the value alone.", undefined]
    ])
    expect(told(whole(good).replace("name: a", 'name: Sale: "June", it\'s'))[0]).toEqual([
      "Y07",
      "Text with a colon needs quotes.",
      "name: 'Sale: \"June\", it''s'"
    ])
  })
  it("on, yes and no are words, norway stays norway", () => {
    expect(problems(whole(`mode: on\n${acting("views < 5")}`))).toEqual(["K04@3"])
    expect(changed(lines1({ a: acting('query = "no"') }, "no, views: 5"))).toEqual([
      "no add_minus false → true"
    ])
  })
  it("text after # in a condition is not dropped in silence", () =>
    expect(problems(whole(acting("query contains #sale")))).toEqual(["Y08@6"]))
  it("an exclamation mark, an anchor, a merge key and a second document are refused", () => {
    expect(problems(whole(acting("!campaign.search")))).toEqual(["Y14@6"])
    expect(problems(whole(acting("&x views < 5")))).toEqual(["Y19@6"])
    expect(problems(`${whole(acting("views < 5"))}---\n`)).toEqual(["Y18@8"])
    expect(problems(`${whole(acting("views < 5"))}<<: {mode: apply}\n`)).toEqual(["Y19@8"])
    expect(problems(`${whole(acting("views < 5"))}limits: {<<: {changes_per_run: 9}}\n`)).toEqual(["Y19@8"])
  })
})

describe("one time zone", () => {
  it("data is counted in the account's days, whatever the schedule's zone", () => {
    // 1 September 00:30 in Moscow is 31 August in London and 1 September in Vladivostok.
    const story = (tz: string) =>
      play({
        files: {
          a: acting(
            "views = 5",
            "add_minus",
            `schedule: {every: 1h, between: "00:00-23:59", tz: ${tz}}\nwindow: yesterday`
          )
        },
        rows: ["a, views: 1 5 9"],
        from: "2026-08-30",
        runs: [["2026-09-01T00:30+03:00"]]
      })
    for (const tz of ["Europe/Moscow", "Europe/London", "Asia/Vladivostok"])
      expect(story(tz)).toEqual([["a add_minus false → true"]])
  })
  it("a time of day without a zone is refused, and so is a zone without a city", () => {
    expect(problems(whole(`schedule: {at: "06:00"}\n${acting("views < 5")}`))).toEqual(["K13@3"])
    expect(problems(whole(`schedule: {at: "06:00", tz: MSK}\n${acting("views < 5")}`))).toEqual(["K05@3"])
  })
})

describe("no rule wins by its place", () => {
  const raise = acting("views >= 5", "raise_bid: {by: 10%, cap: 450 ₽}")
  const lower = acting("views >= 5", "lower_bid: {by: 10%, floor: 100 ₽}")
  const facts = "a, views: 9, bid: 400 ₽, min_bid: 50 ₽"

  it("the later file does not silently override the earlier: the cheaper outcome wins in either order", () => {
    expect(changed(lines1({ a: raise, b: lower }, facts))).toEqual(["a lower_bid 400 → 360"])
    expect(changed(lines1({ a: lower, b: raise }, facts))).toEqual(["a lower_bid 400 → 360"])
  })
  it("and the fight is told before anything runs", () => {
    const files = { a: raise, b: lower }
    const given = Object.entries(files).map(([name, body]) => ({
      path: `rules/${name}.yaml`,
      text: whole(body)
    }))
    expect(
      Load.check(given)
        .diagnostics.filter(({ code }) => code === "S03")
        .map(({ file }) => file)
    ).toEqual(["rules/a.yaml"])
  })
  it("rules never see what other rules have just decided", () => {
    const cheap = acting("bid < 380 ₽ and views >= 5", "add_minus")
    const [first] = changed(lines1({ a: lower, b: cheap }, facts))
    expect(first).toBe("a lower_bid 400 → 360")
    expect(lines1({ a: lower, b: cheap }, facts)).not.toContain("a add_minus false → true")
  })
  it("a key written twice is refused: the later one does not win", () =>
    expect(problems(whole(`${acting("views < 5")}each: campaign\n`))).toEqual(["Y13@8"]))
})

it("a name that looks right is told apart: Cyrillic letters, no-break spaces, curly quotes", () => {
  expect(problems(whole(acting("сtr < 1%")))).toEqual(["E12@6"])
  expect(text(acting("сtr < 1%"))).toContain("Did you mean ctr?")
  expect(problems(whole(`mode: “apply”\n${acting("views < 5")}`))).toEqual(["Y17@3"])
  expect(problems(whole(acting("views < 5").replace("\ndo:", "\n\u00a0do:")))).toContain("Y02@7")
})

describe("a list copied from a document", () => {
  const rule = (...lines: ReadonlyArray<string>) =>
    Load.check([
      {
        path: "rules/a.yaml",
        text: `version: 1\nname: a\neach: campaign\nwindow: 7d\nwhen:\n${lines.join("\n")}\ndo: pause\n`
      }
    ]).diagnostics.map(({ code, fix, span }) => [code, span.line, fix])

  it.each(["–", "—", "•", "·"])("with %s loses its bullets", (bullet) =>
    expect(rule(`  ${bullet} orders = 0`, `  ${bullet} views > 5`)).toEqual([["Y11", 6, "- orders = 0"]])
  )

  it("with a dash out of line is told at that dash", () =>
    expect(rule("  - orders = 0", "    - views > 5")).toEqual([["Y04", 7, undefined]]))

  it("with a difference over two lines is no list", () =>
    expect(rule("  - views", "    - orders > 5")).toEqual([]))
})
