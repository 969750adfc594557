import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Format from "../../src/engine/language/format/Format.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Yaml from "../../src/engine/language/yaml/Yaml.js"
import * as Depth from "../Depth.js"
import { around, folder } from "./Rules.js"

const path = "rules/a.yaml"
const format = (text: string): string => {
  const made = Format.format({ path, text })
  if (made._tag !== "Formatted") throw new Error(made._tag)
  return made.text
}
const condition = (when: string): string => /- (.*)\n/.exec(format(around(when)))?.[1] ?? ""
const hash = (text: string): string | undefined => Load.check([{ path, text }]).ruleSet?.hash

describe("fmt writes an expression one way", () => {
  it.each([
    ["views>=500", "views >= 500"],
    ["orders   ==  0", "orders = 0"],
    ["views ≥ 500", "views >= 500"],
    ["spend > 1000₽", "spend > 1000 ₽"],
    ["spend > 1000 rub", "spend > 1000 ₽"],
    ["spend > 1000 руб.", "spend > 1000 ₽"],
    ["ctr < 1 % AND NOT campaign.search", "ctr < 1% and not campaign.search"],
    ["( views > 5 or orders > 1 )and( clicks > 2 )", "(views > 5 or orders > 1) and (clicks > 2)"],
    ['query contains any ["а","б" , "в"]', 'query contains any ["а", "б", "в"]'],
    ['query contains "a==b  rub"', 'query contains "a==b  rub"'],
    ["(spend+10₽)/orders<5₽", "(spend + 10 ₽) / orders < 5 ₽"],
    ["spend[today]>5₽", "spend[today] > 5 ₽"]
  ])("%s as %s", (text, written) => expect(condition(text)).toBe(written))

  it("with variables, whose amounts are spelt alike and whose texts stay", () => {
    const text = (when: string, amount: string) =>
      around(when, `window: 7d\nvars: {daily: ${amount}, words: ["a-b", "1000rub", c-d]}`)
    const ugly = text("spend>=$daily*50 % and not(query contains any $words)", "3000rub")
    const fine = text("spend >= $daily * 50% and not (query contains any $words)", "3000 ₽")
    expect(format(ugly)).toBe(fine)
    expect(hash(fine)).toBeDefined()
    expect(hash(ugly)).toBe(hash(fine))
  })

  it("leaves values of shared variables alone where they may be words to look for, or nobody sees their use", () => {
    const words = {
      path: "rules/_shared/vars.yaml",
      text: "version: 1\nkind: vars\nvars:\n  words: [500 руб, дешево]\n  daily:   3000 руб\n"
    }
    const spaces = words.text.replace("daily:   ", "daily: ")
    expect(Format.format(words)).toMatchObject({ _tag: "Formatted", text: spaces })
    const own = around("spend > $daily", "window: 7d\nvars: {daily: 3000 руб, unused: [500 руб, носки]}")
    expect(format(own)).toBe(own.replace("3000 руб", "3000 ₽"))
  })

  it("leaves one alone that it cannot read, and mends the rest of the file", () => {
    expect(format(around("views  >>  5").replace("name: a", "name:   a"))).toBe(around("views  >>  5"))
  })
})

describe("fmt sets spaces and nothing else", () => {
  const ugly = `# top
version:   1
name : "Ugly:  keep"${"  "}
schedule: { every: 3h ,between:  "08:00-23:00",tz: Europe/Moscow }
each: cluster


# about where
where:
# first
-   campaign.payment==cpm     # beside
- "orders  ≥ 3"
when: views>5
window: 7d
do:
      raise_bid:
            # why ten
            by: 10 %
            cap: 450руб   # in cpm
# the end`
  const fine = `# top
version: 1
name: "Ugly:  keep"
schedule: {every: 3h, between: "08:00-23:00", tz: Europe/Moscow}
each: cluster


# about where
where:
  # first
  - campaign.payment = cpm     # beside
  - "orders >= 3"
when: views > 5
window: 7d
do:
  raise_bid:
    # why ten
    by: 10%
    cap: 450 ₽   # in cpm
# the end
`
  it("as a marketer would by hand", () => expect(format(ugly)).toBe(fine))
  it("keeps Windows line ends and the byte order mark", () => {
    expect(format(`\ufeff${ugly.replaceAll("\n", "\r\n")}`)).toBe(`\ufeff${fine.replaceAll("\n", "\r\n")}`)
  })
  it("moves the lines of a longer value with their key, and keeps its words", () => {
    const text = around("views > 5").replace("name: a", "name: >-\n      two\n        and  \n\n      three")
    expect(format(text)).toBe(text)
    const folded = around("views > 5").replace("  - views > 5", "      - views > 5 and\n         orders = 0")
    expect(format(folded)).toContain("  - views > 5 and\n     orders = 0")
    expect(hash(format(folded))).toBe(hash(folded))
  })
  it("leaves columns alone where a colon begins a line: what is below may not be what it seems", () => {
    const text = "name: a\n0\n   :\n  - orders >= 3\ndo:\n  raise_bid:\n    by: 10%\n"
    expect(format(text)).toBe(text)
  })
  it("leaves a file alone that YAML does not read as meant: tabs, open quotes, two documents", () => {
    for (const file of folder("test/broken").filter(({ path }) => /y(01|02|13|15|18|19|22)-/.test(path))) {
      const made = Format.format(file)
      if (/in-condition/.test(file.path)) continue
      expect([file.path, made._tag]).toEqual([file.path, "Unreadable"])
    }
  })
})

describe("fmt breaks a long condition into one per line", () => {
  const long = "views >= 1000 and ctr < 1% and orders = 0 and clicks between 1 and 50 and spend > 100 ₽"
  const policy = (when: string) => around("x").replace("when:\n  - x", `when: ${when}`)
  it("where it joins conditions by and", () => {
    const text = format(policy(long))
    expect(text).toContain(
      "when:\n  - views >= 1000\n  - ctr < 1%\n  - orders = 0\n  - clicks between 1 and 50\n  - spend > 100 ₽\ndo:"
    )
    expect(hash(text)).toBe(hash(policy(long)))
  })
  it.each([
    ["a comment stands beside it", `${long} # why`],
    ["it is short", "views >= 1000 and ctr < 1%"],
    ["it says or", long.replaceAll(" and ", " or ").replace("1 or 50", "1 and 50")]
  ])("unless %s", (_, when) => expect(format(policy(when))).toBe(policy(when)))
})

const shipped = folder("rules").map(({ text }) => text)
const loading = folder("test/broken").flatMap(({ text }) => {
  const made = Format.format({ path, text })
  return made._tag === "Unreadable" ? [] : [text]
})

/** Policies in every layout: what is between the words is drawn, the words are a policy's. */
const spaces = fc.constantFrom("", " ", "  ")
const gaps = fc.constantFrom(" ", "  ", "    ")
const remark = fc.constantFrom("", "", "  # why", " #  tail  ")
const compare = fc
  .tuple(
    fc.constantFrom("orders>", "views>=", "clicks !=", "views   >", "orders!="),
    spaces,
    fc.integer({ min: 1, max: 99999 })
  )
  .map((parts) => parts.join(""))
const money = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), spaces, fc.constantFrom("₽", "rub", "руб", "руб."))
  .map((parts) => parts.join(""))
const clause = fc.oneof(
  compare,
  fc.tuple(compare, fc.constantFrom("and", "AND", "or"), compare).map((parts) => parts.join(" ")),
  fc
    .tuple(gaps, compare)
    .map(
      ([gap, inner]) =>
        `not${gap}(${gap}campaign.search==no or${gap}${inner.replace(/\w+ *[>=!]+/, "item.id==")})`
    ),
  money.map((amount) => `spend>${amount}`),
  fc.constant('query contains any ["a  b" ,"== rub","#c"]')
)
const quoted = fc
  .tuple(clause, fc.boolean())
  .map(([text, quote]) => (quote || / #|: /.test(text) ? `'${text}'` : text))
const policies = fc
  .record({
    gap: gaps,
    step: fc.constantFrom(1, 2, 3, 4, 6),
    dash: fc.constantFrom(0, 1, 2, 4),
    clauses: fc.array(fc.tuple(quoted, remark), { minLength: 1, maxLength: 4 }),
    comment: fc.constantFrom("", "# note\n", "   # odd place\n", "\n\n"),
    where: fc.array(
      compare.map((text) => text.replace(/^\w+/, "campaign.id")),
      { minLength: 1, maxLength: 6 }
    ),
    cap: money,
    tail: fc.constantFrom("", "\n", "   \n", "\n# end", "\n\n\n"),
    line: fc.constantFrom("\n", "\r\n")
  })
  .map(({ cap, clauses, comment, dash, gap, line, step, tail, where }) => {
    const indent = " ".repeat(step)
    const list = clauses.map(([text, note]) => `${" ".repeat(dash)}-${gap}${text}${note}\n`).join(comment)
    const scope = `campaign.payment==cpm and ${where.join(" and ")}`
    return `version:${gap}1\nname: "A: b"\n${comment}each: cluster${gap}\nwhere: ${scope}\nwindow: 7d\nwhen:\n${list}do:\n${indent}raise_bid:\n${indent}${indent}by: 10 %\n${comment}${indent}${indent}cap: ${cap}${tail}`.replaceAll(
      "\n",
      line
    )
  })
const texts = fc.oneof(fc.constantFrom(...shipped, ...loading), policies, policies)

const comments = (text: string) =>
  Yaml.lex(text)
    .filter(({ type }) => type === "comment")
    .map((lexeme) => lexeme.text)

/** Without white space and the spellings fmt may change; a list of conditions reads like one condition. */
const squashed = (text: string): string =>
  text
    .replace(/^(\s*)-\s+/gm, "$1")
    .replace(/(rub|руб\.?)/g, "₽")
    .replaceAll("==", "=")
    .replace(/\b(AND|and)\b/g, "")
    .replace(/\s+/g, "")

describe("whatever the layout of a policy", () => {
  const runs = { numRuns: Depth.cases(200) }
  it("a second fmt changes nothing", () =>
    fc.assert(
      fc.property(texts, (text) => void expect(format(format(text))).toBe(format(text))),
      runs
    ))
  it("the meaning hash stays", () =>
    fc.assert(
      fc.property(texts, (text) => void expect(hash(format(text))).toBe(hash(text))),
      runs
    ))
  it("every comment stays, byte for byte", () =>
    fc.assert(
      fc.property(texts, (text) => void expect(comments(format(text))).toEqual(comments(text))),
      runs
    ))
  it("only white space and the listed spellings change", () =>
    fc.assert(
      fc.property(texts, (text) => void expect(squashed(format(text))).toBe(squashed(text))),
      runs
    ))
  it("no line ends in spaces, but for those inside comments", () =>
    fc.assert(
      fc.property(policies, (text) => {
        for (const line of format(text).split(/\r?\n/))
          if (!line.includes("#")) expect(line).toBe(line.trimEnd())
      }),
      runs
    ))
  it("most of the drawn policies load, so the properties speak of rules that work", () => {
    const drawn = fc.sample(policies, { numRuns: 300, seed: 1 })
    expect(drawn.filter((text) => hash(text) !== undefined).length).toBeGreaterThan(150)
    expect(drawn.filter((text) => format(text) !== text).length).toBeGreaterThan(290)
  })
})

it("the shipped rules are written as fmt writes", () => {
  for (const text of shipped) expect(format(text)).toBe(text)
})
