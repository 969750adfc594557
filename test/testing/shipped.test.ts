import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import * as Hash from "../../src/domain/Hash.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Clause, Policy } from "../../src/engine/language/Policy.js"
import * as Coverage from "../../src/engine/testing/Coverage.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as RunTests from "../../src/engine/testing/RunTests.js"
import { folder } from "../language/Rules.js"
import * as Said from "../reporting/Said.js"
import * as Economics from "../scenario/Economics.js"

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

it("tests are read and run without a hash of the rules, only of changes: nobody keeps what they make", () => {
  const asked = vi.spyOn(Hash, "of")
  const rules = Load.check(folder("rules")).ruleSet!
  const read = ReadTests.read(files, rules)
  const around = { rules, zone: "Europe/Moscow", currency: "RUB" }
  expect(RunTests.run(read.files ?? [], around, Said.sentences).cases.length).toBeGreaterThan(0)
  const named = asked.mock.calls.filter(([json]) => !JSON.stringify(json).includes('"slot":'))
  asked.mockRestore()
  expect(named).toEqual([])
})

/** All of them turned on but some, as their headers say; with costs of the seller's. */
const turnedOn = (off: RegExp) =>
  folder("rules").map(({ path, text }) => {
    const on = text.includes("do: enrol") ? "mode: approve" : "mode: apply"
    return { path, text: text.replace(/^mode: \w+/m, off.test(path) ? "mode: disabled" : on) }
  })
const costs = Economics.free(0)

it("the shipped rules go together, also when all of them are turned on", () => {
  const [plain, byCosts] = [turnedOn(/\/(10|11|12)-/), turnedOn(/\/(01|04|10)-/)]
  for (const on of [plain, byCosts]) {
    expect(on.filter(({ text }) => /^mode: a/m.test(text))).toHaveLength(14)
    expect(Load.check([...on, costs]).diagnostics).toEqual([])
  }
})

it("10 is told of every shipped rule that it replaces, as long as it is on, and not of the position keeper, which keeps to what 10 leaves", () => {
  const { diagnostics } = Load.check([...turnedOn(/\/$/), costs])
  const of10 = diagnostics.filter(({ code }) => code === "S13")
  expect(new Set(of10.map(({ file }) => file))).toEqual(new Set(["rules/10-optimise.yaml"]))
  expect(of10.map(({ related }) => /\/(\d\d)-/.exec(related?.[0]?.span.file ?? "")?.[1]).sort()).toEqual([
    "01",
    "02",
    "04",
    "11",
    "12",
    "14",
    "15",
    "16"
  ])
})

it("a newcomer hears nothing of costs until a rule that asks for them is turned on, and is then told what to do", () => {
  expect(Load.check(folder("rules")).diagnostics).toEqual([])
  const told = Load.check(turnedOn(/\/(01|04|10)-/)).diagnostics
  expect(told.map(({ code, file, fix, severity }) => [file, code, severity, fix])).toEqual(
    ["09-join-promotions", "11-raise-while-profitable", "12-steer-to-break-even"].map((id) => [
      `rules/${id}.yaml`,
      "S12",
      "warning",
      "bidhelm economics template --out rules/_shared/economics.csv"
    ])
  )
})

it("the library's page names every shipped policy, and no other", () => {
  const table =
    /<!-- library -->([\s\S]*?)<!-- end -->/.exec(readFileSync("docs/rules/library.md", "utf8"))?.[1] ?? ""
  const ids = readdirSync("rules").flatMap((name) => (name.endsWith(".yaml") ? [name.slice(0, -5)] : []))
  expect([...table.matchAll(/`(\d\d-[a-z-]+)`/g)].map(([, id]) => id)).toEqual(ids.sort())
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
  // Without these the action itself still refuses: there is no such bid, the bid is where it should be, it is in the list,
  // it is paused, nobody can join it.
  expect(unnoticed).toEqual([
    "01-raise-to-reach-max: campaign.bid_type = manual and campaign.payment = cpm",
    "01-raise-to-reach-max: cpo * bid / cpm < item.price * $acos_at_most",
    "01-raise-to-reach-max: bid < recommended.reach_max",
    "01-raise-to-reach-max: cpo * bid / cpm < item.price * $acos_at_most",
    "01-raise-to-reach-max: bid < recommended.reach_max",
    "02-minus-low-ctr: not cluster.in_minus",
    "03-daily-budget-stop: campaign.status in [active, paused]",
    "06-hold-position: campaign.bid_type = manual and campaign.payment = cpm",
    "07-stock-pause: campaign.status in [active, paused]",
    "09-join-promotions: promotion.type = regular",
    "11-raise-while-profitable: campaign.bid_type = manual and campaign.payment = cpm",
    "11-raise-while-profitable: cpo * bid / cpm < profit_per_order * 50%",
    "11-raise-while-profitable: bid < recommended.reach_max",
    "11-raise-while-profitable: bid < recommended.reach_max",
    "14-target-acos-per-click: campaign.payment = cpc",
    "15-lower-dear-clusters: campaign.bid_type = manual and campaign.payment = cpm",
    "15-lower-dear-clusters: cluster.state = active",
    "15-lower-dear-clusters: cpo * bid / cpm > item.price * $acos_at_most",
    "17-pace-through-the-day: campaign.status in [active, paused]"
  ])
})
