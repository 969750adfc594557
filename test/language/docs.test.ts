import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Level from "../../src/engine/facts/Level.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import * as Load from "../../src/engine/language/Load.js"
import { codes } from "../../src/engine/language/problems/Codes.js"
import { isError } from "../../src/engine/language/problems/Diagnostic.js"
import * as Scenario from "../scenario/Scenario.js"

const path = "docs/rules/writing-rules.md"

const facts = () => {
  const rows = Vocabulary.facts.map((fact) => {
    const unit = fact.unit === "" ? "" : ` (${fact.unit})`
    const windowed = fact.windowed ? "yes" : ""
    return `| \`${fact.word}\` | ${fact.level} | ${FactType.describe(fact.type)} | ${windowed} | ${fact.about}${unit} |`
  })
  return ["| field | level | type | windowed | meaning |", "|---|---|---|---|---|", ...rows].join("\n")
}

const problems = () => {
  const rows = Object.entries(codes).map(
    ([code, { mistake, example }]) => `| ${code} | ${mistake} | \`${example.replaceAll("|", "\\|")}\` |`
  )
  return ["| code | mistake | example |", "|---|---|---|", ...rows].join("\n")
}

const fill = (text: string, mark: string, table: string) =>
  text.replace(
    new RegExp(`<!-- ${mark} -->[\\s\\S]*?<!-- end -->`),
    () => `<!-- ${mark} -->\n${table}\n<!-- end -->`
  )

describe("the reference for marketers", () => {
  it("lists every field and every code (UPDATE_DOCS=1 rewrites it)", () => {
    const text = readFileSync(path, "utf8")
    const fresh = fill(fill(text, "facts", facts()), "codes", problems())
    if (process.env.UPDATE_DOCS === "1") writeFileSync(path, fresh)
    else expect(text).toBe(fresh)
  })
  it("names every row there is where it says what each: holds", () => {
    const row = /^\| `each` \|.*$/m.exec(readFileSync(path, "utf8"))?.[0] ?? ""
    expect(Level.order.filter((level) => !row.includes(`\`${level}\``))).toEqual([])
  })
  it("counts the rules that init writes, in README and in the library", () => {
    const words =
      "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    const word = (count: number) => words.split(" ")[count] ?? String(count)
    const { policies } = Scenario.check(Scenario.shippedRules())
    const left = policies.filter(({ mode }) => mode === "disabled")
    expect(readFileSync("README.md", "utf8")).toContain(
      `writes ${word(policies.length)} rules with their tests, ${word(left.length)} of them to be turned on, and a policy for orders`
    )
    expect(readFileSync("docs/rules/library.md", "utf8")).toContain(
      `writes ${word(policies.length)} policies with their tests into \`rules/\`, and one for orders`
    )
  })
  it("shows only rules that pass the check", () => {
    const examples = [...readFileSync(path, "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      (match) => match[1] ?? ""
    )
    const isWhole = (text: string) => /^version: 1$/m.test(text)
    const whole = examples.filter(isWhole)
    expect(whole.length).toBeGreaterThanOrEqual(6)
    const files = whole.map((text, i) => ({ path: `rules/example-${i}.yaml`, text }))
    expect(Load.check(files).diagnostics).toEqual([])
    for (const part of examples.filter((text) => !isWhole(text))) {
      const action = /^do:/m.test(part) ? "" : "do:\n  lower_bid: {by: 10%, floor: min_bid}\n"
      const text = `version: 1\nname: part\n${part}${action}`
      expect(Load.check([{ path: "rules/part.yaml", text }]).diagnostics.filter(isError), part).toEqual([])
    }
  })
})
