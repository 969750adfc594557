import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import { around, policy } from "./Rules.js"

const file = (name: string, text: string) => ({ path: `rules/${name}.yaml`, text })
const shared = (vars: string) => ({
  path: "rules/_shared/vars.yaml",
  text: `version: 1\nkind: vars\nvars: ${vars}\n`
})
const withVars = (when: string, vars: string, more = "window: 7d") => `${around(when, more)}vars: ${vars}\n`
const condition = (when: string, vars: string) => policy(withVars(when, vars)).hash
const plain = (when: string) => policy(around(when)).hash
const shown = (...files: ReadonlyArray<Load.File>) =>
  Load.check(files)
    .diagnostics.filter(({ code }) => !code.startsWith("S"))
    .map(({ code, file: at, span, fix }) => {
      const place = `${at.replace(/^rules\/|\.yaml$/g, "")}:${span.line}:${span.column}`
      return `${code}@${place}${fix === undefined ? "" : ` ${fix}`}`
    })

describe("a variable means its value", () => {
  const table: ReadonlyArray<readonly [when: string, vars: string, same: string]> = [
    ["spend >= $daily", "{daily: 3000 ₽}", "spend >= 3000 ₽"],
    ["spend < $daily * 50%", "{daily: 3000 ₽}", "spend < 3000 ₽ * 50%"],
    ["ctr < $low", "{low: 1.5%}", "ctr < 1.5%"],
    ["ctr < $low with $sure confidence", "{low: 1%, sure: 99%}", "ctr < 1% with 99% confidence"],
    ["orders >= $few", "{few: 5}", "orders >= 5"],
    ["avg_pos > $place", "{place: 6}", "avg_pos > 6"],
    ["change(ctr, 7d) < $drop", "{drop: -20%}", "change(ctr, 7d) < -20%"],
    ["change(ctr, $days) < -20%", "{days: 14d}", "change(ctr, 14d) < -20%"],
    ["orders[$days] > 3", "{days: 14d}", "orders[14d] > 3"],
    ["orders[$days] > 3", "{days: yesterday}", "orders[yesterday] > 3"],
    ["orders default $none = 0", "{none: 0}", "orders default 0 = 0"],
    ["min(bid, $most) < 5 ₽", "{most: 450 ₽}", "min(bid, 450 ₽) < 5 ₽"],
    ["query contains any $brand", "{brand: [кеды, боты]}", 'query contains any ["кеды", "боты"]'],
    ["query contains any $brand", "{brand: [кеды, 42]}", 'query contains any ["кеды", "42"]'],
    ["query contains $word", "{word: белые кеды}", 'query contains "белые кеды"'],
    ["query contains $word", `{word: '"5 ₽"'}`, 'query contains "5 ₽"'],
    ["query contains $word", "{word: 501}", 'query contains "501"'],
    ["query contains $word", '{word: "501"}', 'query contains "501"'],
    ["query contains $word", "{word: 2 шт}", 'query contains "2 шт"'],
    ["query contains $word", "{word: 100 процентов хлопок}", 'query contains "100 процентов хлопок"'],
    ["query contains $word", "{word: 12 больше}", 'query contains "12 больше"'],
    ["query contains $word", '{word: "007"}', 'query contains "007"'],
    ["query contains $word", '{word: "1,5"}', 'query contains "1,5"'],
    ["query contains $word", '{word: "10-12"}', 'query contains "10-12"'],
    ["query contains $word", '{word: "7 Days"}', 'query contains "7 Days"'],
    ["query contains $word", "{word: 2026-01-01}", 'query contains "2026-01-01"'],
    ["query contains $word", '{word: "2026-10-11"}', 'query contains "2026-10-11"'],
    ["query contains $word", "{word: 01.02.2026}", 'query contains "01.02.2026"'],
    ["query contains $word", "{word: 25.08.2026}", 'query contains "25.08.2026"'],
    ["query contains $word", "{word: 1.2.3}", 'query contains "1.2.3"'],
    ["query contains any $words", "{words: [501]}", 'query contains any ["501"]'],
    ["query contains any $words", '{words: ["501", "007"]}', 'query contains any ["501", "007"]'],
    [
      "query contains any $words",
      '{words: ["6h", "450 ₽", "5%"]}',
      'query contains any ["6h", "450 ₽", "5%"]'
    ],
    ["query matches $word", '{word: "501"}', 'query matches "501"'],
    ["query = $word", '{word: "501"}', 'query = "501"'],
    ["query != $word", "{word: 501}", 'query != "501"'],
    ["query in $words", "{words: [501, 42]}", 'query in ["501", "42"]'],
    ["spend >= $daily", '{daily: "3000 ₽"}', "spend >= 3000 ₽"],
    ["query matches $word", '{word: "*кеды*"}', 'query matches "*кеды*"'],
    ["query not in $words", "{words: [а, б]}", 'query not in ["а", "б"]'],
    ["campaign.id in $ids", "{ids: [11, 12]}", "campaign.id in [11, 12]"],
    ["campaign.status = $state", "{state: paused}", "campaign.status = paused"],
    ["campaign.status in $states", "{states: [paused, ready]}", "campaign.status in [paused, ready]"],
    ["campaign.search = $shown", "{shown: no}", "campaign.search = no"]
  ]
  for (const [when, vars, same] of table) {
    it(`${when} with ${vars} is ${same}`, () => expect(condition(when, vars)).toBe(plain(same)))
  }

  const bids = (by: string, cap: string, more: string) =>
    [
      "version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\ndo:",
      `  raise_bid:\n    by: ${by}\n    cap: ${cap}\n    toward: min_bid * 2\n${more}\n`
    ].join("\n")

  it("stands for amounts of actions, limits, the cooldown and the window", () => {
    const vars = "vars: {step: 10%, most: 450 ₽, many: 300, pause: 6h, share: 20%, days: 7d}"
    const text = bids(
      "$step",
      "$most",
      `cooldown: $pause\nlimits: {changes_per_run: $many, share_of_scope: $share, max_bid: {cpm: $most}}\n${vars}`
    ).replace("window: 7d", "window: $days")
    const same = bids(
      "10%",
      "450 ₽",
      "cooldown: 6h\nlimits: {changes_per_run: 300, share_of_scope: 20%, max_bid: {cpm: 450 ₽}}"
    )
    expect(policy(text).hash).toBe(policy(same).hash)
    expect(policy(text).limits).toEqual(policy(same).limits)
    expect(policy(text).cooldownMs).toBe(21_600_000)
  })

  it("may be part of a calculation in an action", () => {
    const text = bids("10%", "min($most, min_bid * 3)", "vars: {most: 450 ₽}")
    expect(policy(text).hash).toBe(policy(bids("10%", "min(450 ₽, min_bid * 3)", "")).hash)
  })

  it("hashes the value, not the name", () => {
    const one = condition("spend >= $daily", "{daily: 3000 ₽}")
    expect(condition("spend >= $limit", "{limit: 3000 ₽}")).toBe(one)
    expect(condition("spend >= $daily", "{daily: 3001 ₽}")).not.toBe(one)
  })
})

describe("variables of all files", () => {
  const two = [file("a", around("spend >= $daily")), file("b", around("query contains any $brand"))]
  const hashes = (files: ReadonlyArray<Load.File>) =>
    Load.check(files).ruleSet?.policies.map(({ hash }: Policy) => hash)

  it("come from _shared/vars.yaml, whatever the order of the files", () => {
    const vars = shared("{daily: 3000 ₽, brand: [кеды]}")
    const wanted = [plain("spend >= 3000 ₽"), plain('query contains any ["кеды"]')]
    expect(hashes([vars, ...two])).toEqual(wanted)
    expect(hashes([...two, vars])).toEqual(wanted)
    expect(shown(...two, vars)).toEqual([])
  })

  it("are read once where they are long lists, however many policies ask for them", () => {
    const asking = (name: string, list: string, more = "") =>
      file(name, `${around(`views > ${name} and ${list}`)}${more}`)
    for (const list of ["campaign.id in $ids", "query contains any $ids", "campaign.id not in $ids"]) {
      const files = [asking("1", list), asking("2", list), asking("3", list, "vars: {ids: [1, 2]}\n")]
      const { ruleSet } = Load.check([...files, shared("{ids: [1, 2, 3]}")])
      const [one, two, other] = (ruleSet?.policies ?? []).map(({ rules }) => {
        const asked = rules[0]?.when[0]?.condition
        return asked?._tag === "And" ? asked.all[1] : undefined
      })
      expect(one).toBeDefined()
      expect(two).toBe(one)
      expect(other).not.toEqual(one)
    }
  })

  it("give way to the policy's own", () => {
    const own = file("a", withVars("spend >= $daily", "{daily: 100 ₽}"))
    const limits = file("b", around("spend >= $daily"))
    expect(hashes([own, limits, shared("{daily: 3000 ₽}")])).toEqual([
      plain("spend >= 100 ₽"),
      plain("spend >= 3000 ₽")
    ])
  })

  it("may be named by the limits", () => {
    const limits = {
      path: "rules/_shared/limits.yaml",
      text: "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: $most}\n  never_touch: campaign.id in $tests\n"
    }
    const { ruleSet, diagnostics } = Load.check([limits, shared("{most: 900 ₽, tests: [5]}")])
    expect(diagnostics).toEqual([])
    expect(ruleSet?.limits).toMatchObject({ maxBidKopecks: { cpm: 90_000 }, neverTouch: [{}] })
  })

  it("are in one file only", () => {
    const other = { path: "rules/team/vars.yaml", text: "version: 1\nkind: vars\nvars: {few: 5}\n" }
    expect(shown(shared("{daily: 3000 ₽}"), other)).toEqual(["K18@team/vars:1:1"])
  })

  it("warn when no file names them, unless a file is broken", () => {
    const vars = shared("{daily: 3000 ₽, weekly: 1 ₽}")
    expect(shown(file("a", around("spend >= $daily")), vars)).toEqual(["K19@_shared/vars:3:23"])
    expect(shown(file("a", around("spend >= $daily and vews > 1")), vars)).toEqual(["E01@a:6:25 views"])
  })
})

describe("a problem with a variable", () => {
  it("stands where the variable is used", () => {
    const text = `${around("views > $low and ctr < $low")}vars: {low: 5}\n`
    expect(shown(file("a", text))).toEqual(["E03@a:6:28 where it is defined, low: 5%"])
  })

  it.each([
    ["acos > $dear", "{dear: 0.25}", "E03", "dear: 0.25%       (or 25%, if 0.25 is a share)"],
    ["ctr between 1% and $dear", "{dear: 5}", "E03", "dear: 5%"],
    ["spend > $dear", "{dear: 300}", "E04", "dear: 300 ₽"],
    ["spend > $dear * 50%", "{dear: 300}", "E04", "dear: 300 ₽"],
    ["spend > 50% * $dear", "{dear: 300}", "E04", "dear: 300 ₽"],
    ["campaign.status = $state", "{state: actve}", "E13", "state: active"],
    ["views > $few", "{few: 1.500}", "E05", "few: 1500"]
  ])("is mended in its definition: %s with %s", (when, vars, code, mended) => {
    const text = withVars(when, vars).replace("each: cluster", "each: campaign").replace("add_minus", "pause")
    expect(shown(file("a", text))).toEqual([expect.stringMatching(`^${code}@`)])
    expect(shown(file("a", text))[0]).toContain(` where it is defined, ${mended}`)
  })

  it("is mended there too where it is a whole value", () => {
    const text = `version: 1\nname: a\neach: cluster\nwhere: campaign.payment = cpm\nwindow: 7d\nwhen: orders >= 3\ndo:\n  raise_bid: {by: $step, cap: $most}\ncooldown: "$rest"\nvars: {step: 10, most: 300, rest: 6}\n`
    expect(shown(file("a", text))).toEqual([
      "E03@a:8:19 where it is defined, step: 10%",
      "E04@a:8:31 where it is defined, most: 300 ₽",
      "K09@a:9:11 where it is defined, rest: 6m, 6h or 6d"
    ])
  })

  it("suggests the name that was meant, own or shared", () => {
    const vars = shared("{brand_words: [кеды], target: 15%}")
    const near = (name: string) => shown(file("a", around(`query contains any $${name}`)), vars)
    expect(near("brnd")).toEqual(["E15@a:6:24 $brand_words"])
    expect(near("brand_word")).toEqual(["E15@a:6:24 $brand_words"])
    expect(near("zebra")).toEqual(["E15@a:6:24"])
  })

  it("is named for whole values too, once", () => {
    const text =
      "version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen: orders = 0\ndo:\n  add_minus: {max_total: $most}\ncooldown: $rest\n"
    expect(shown(file("a", `${text}vars: {mostly: 5}\n`))).toEqual(["E15@a:7:26 $mostly", "E15@a:8:11"])
  })

  const refused: ReadonlyArray<readonly [when: string, vars: string, problem: string]> = [
    ["query contains $list", "{list: [a]}", "E09@a:6:20"],
    ["query in $word", "{word: a}", "E09@a:6:14"],
    ["views > $list", "{list: [1, 2]}", "E11@a:6:13"],
    ["views > $list", "{list: []}", "K16@a:8:8"],
    ["views > 5", "{list: {a: 1}}", "K16@a:8:8"],
    ["views > 5", "{low: $high}", "E15@a:8:13"],
    ["views > 5", "{low: 1 000 ₽}", "E06@a:8:13 1000"],
    ["views > 5", "{low: 1 month}", "K07@a:8:13"],
    ["views > 5", "{low: [007]}", "Y20@a:8:14"],
    ["views > 5", "{low: 10-12}", "E07@a:8:13"],
    ["views > $low", '{low: "007"}', "Y20@a:6:13"],
    ["spend > $low", '{low: "1 000 ₽"}', "E06@a:6:13"],
    ["spend > $low * 2", '{low: "1 000 ₽"}', "E06@a:6:13"],
    ["query contains 501", "{low: 1}", 'E11@a:6:20 "501"'],
    ["views > 5", "5 ₽", "K16@a:8:1"]
  ]
  for (const [when, vars, problem] of refused) {
    it(`${when} with ${vars} is ${problem}`, () => {
      expect(shown(file("a", withVars(when, vars)))).toContain(problem)
    })
  }

  it("says of digits that cannot be a number that a word stands in quotes", () => {
    const { diagnostics } = Load.check([file("a", withVars("query contains any $words", "{words: [007]}"))])
    expect(diagnostics.map(({ message }) => message)).toContain(
      "This number would change to 7. Remove the zeros in front. A word to look for stands in quotes."
    )
    const last = Load.check([file("a", withVars("spend > $low", "{low: 3.000.000}"))]).diagnostics.at(-1)
    expect([last?.message, last?.fix]).toEqual([
      "No point inside a number: 3000000. A word to look for stands in quotes.",
      "3000000"
    ])
  })

  it("says of an empty list that it needs a word, where it stands and where it is used", () => {
    const told = (...files: ReadonlyArray<Load.File>) =>
      Load.check(files).diagnostics.map(({ message }) => message)
    const when = "query contains any $brand_words"
    const atHome = "brand_words: is an empty list. Write at least one word, such as brand_words: [кеды]"
    expect(told(file("a", around(when)), shared("{brand_words: []}"))).toEqual([
      atHome,
      "$brand_words is an empty list: write at least one word into it, in _shared/vars.yaml"
    ])
    expect(told(file("a", withVars(when, "{brand_words: []}")))).toEqual([
      "$brand_words is an empty list: write at least one word into it, in vars:",
      atHome
    ])
  })

  it("says of an empty list of conditions what to write into it", () => {
    const { diagnostics } = Load.check([file("a", around("x").replace(/when:\n.*/, "when: []"))])
    expect(diagnostics.map(({ message }) => message)).toContain(
      "when: is an empty list. Write a condition into it, such as when: [views >= 500]."
    )
  })

  it("is in the braces of a message, whether it stands behind notify or behind text; elsewhere in it a $ is a dollar", () => {
    const telling = (message: string) =>
      withVars("spend >= $daily", "{daily: 3000 ₽}").replace("add_minus", message)
    const [named, written] = ['"{spend} of {$daily}, $daily"', '"{spend} of {3000 ₽}, $daily"']
    const forms = [`{notify: ${named}}`, `{notify: {text: ${named}}}`, `{notify: ${written}}`]
    expect(new Set(forms.map((form) => policy(telling(form)).hash)).size).toBe(1)
    expect(shown(file("a", telling('{notify: {text: "{$dayly}"}}')))).toEqual(["E15@a:7:23 $daily"])
  })

  it("with a unit in words is a text, and its number is told how to be written where one is asked for", () =>
    expect(shown(file("a", withVars("orders > $few", "{few: 2 шт}")))).toEqual([
      "E07@a:6:14 where it is defined, few: 2"
    ]))

  it("that is a text though it begins as a number is told as what it holds", () => {
    const messages = (when: string, vars: string) =>
      Load.check([file("a", withVars(when, vars))]).diagnostics.map(
        ({ code, message }) => `${code} ${message}`
      )
    expect(messages("spend > $daily", "{daily: 1000 ₽ в день}")).toEqual([
      'E11 $daily is a text: beside a number stands its unit alone, not "1000 ₽ в день".'
    ])
    expect(messages("orders > $few", "{few: 1.500.50}")).toEqual([
      'E05 $few is "1.500.50". A number has one point or none.'
    ])
  })

  it("is no problem for a dollar in a name", () => {
    expect(shown(file("a", around("views > 5").replace("name: a", "name: about $daily")))).toEqual([])
  })

  it("does not take a variable's name for a misaligned key", () => {
    const text = `${around("spend > $limits")}vars:\n  limits: 5 ₽\n`
    expect(shown(file("a", text))).toEqual([])
  })
})
