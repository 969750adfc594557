import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import type { Clause, Policy } from "../../src/engine/language/Policy.js"
import * as Coverage from "../../src/engine/testing/Coverage.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import { folder } from "../language/Rules.js"
import * as Said from "../reporting/Said.js"

const { ruleSet } = Load.check(folder("rules"))
const files = readdirSync("rules/tests")
  .sort()
  .map((name) => ({ path: join("rules/tests", name), text: readFileSync(join("rules/tests", name), "utf8") }))

it("the shipped rules pass their tests, and the tests see every condition decide", () => {
  if (ruleSet === undefined) throw new Error("the shipped rules have errors")
  const read = ReadTests.read(files, ruleSet)
  expect(read.diagnostics).toEqual([])
  const result = RunTests.run(
    read.files ?? [],
    { rules: ruleSet, zone: "Europe/Moscow", currency: "RUB" },
    Said.sentences
  )
  expect(
    result.cases.flatMap((one) => one.failures.map((f) => `${one.name}: ${f.row}: ${f.expected} / ${f.got}`))
  ).toEqual([])
  const unseen = result.coverage.rules.flatMap(({ acted, conditions, policy }) => [
    ...(acted ? [] : [`${policy} acts`]),
    ...conditions.filter(({ decided }) => !decided).map(({ text }) => `${policy}: ${text}`)
  ])
  expect(unseen).toEqual([])
  expect(Coverage.percent(result.coverage)).toBe(100)
})

it("the shipped rules go together, also when all of them are turned on", () => {
  const on = folder("rules").map(({ path, text }) => ({
    path,
    text: text.replace(/^mode: \w+/m, "mode: apply")
  }))
  expect(on.filter(({ text }) => text.includes("mode: apply"))).toHaveLength(8)
  expect(Load.check(on).diagnostics).toEqual([])
})

it("the library's page names every shipped policy, and no other", () => {
  const table =
    /<!-- library -->([\s\S]*?)<!-- end -->/.exec(readFileSync("docs/rules/library.md", "utf8"))?.[1] ?? ""
  expect([...table.matchAll(/`(\d\d-[a-z-]+)`/g)].map(([, id]) => id)).toEqual(
    ruleSet?.policies.map(({ id }) => id as string).sort()
  )
})

it("the tests notice every condition that is taken out of a shipped rule", () => {
  if (ruleSet === undefined) throw new Error("the shipped rules have errors")
  const without = (policy: Policy, gone: Clause): Policy => {
    const cut = (clauses: ReadonlyArray<Clause>) => clauses.filter((clause) => clause !== gone)
    return {
      ...policy,
      where: cut(policy.where),
      rules: policy.rules.map((rule) => ({ ...rule, when: cut(rule.when) }))
    }
  }
  const unnoticed = ruleSet.policies.flatMap((policy) => {
    const clauses = [...policy.where, ...policy.rules.flatMap(({ when }) => when)]
    const own = files.filter(({ path }) => path.endsWith(`/${policy.id}.test.yaml`))
    return clauses.flatMap((clause) => {
      const { text } = clause
      const broken = ruleSet.policies.map((one) => (one === policy ? without(policy, clause) : one))
      const rules = { ...ruleSet, policies: broken }
      const read = ReadTests.read(own, rules)
      const { cases } = RunTests.run(
        read.files ?? [],
        { rules, zone: "Europe/Moscow", currency: "RUB" },
        Said.sentences
      )
      return cases.some((one) => one.failures.length > 0) ? [] : [`${policy.id}: ${text}`]
    })
  })
  // Without these the action itself still refuses: there is no such bid, the bid is there, it is in the list, it is paused.
  expect(unnoticed).toEqual([
    "01-raise-to-reach-max: campaign.bid_type = manual and campaign.payment = cpm",
    "01-raise-to-reach-max: bid < recommended.reach_max",
    "02-minus-low-ctr: not cluster.in_minus",
    "03-daily-budget-stop: campaign.status in [active, paused]",
    "06-hold-position: campaign.bid_type = manual and campaign.payment = cpm",
    "07-stock-pause: campaign.status in [active, paused]"
  ])
})
