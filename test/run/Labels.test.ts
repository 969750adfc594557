/** Labels of the seller's own on campaigns, items and clusters: from the table to what the marketplace was told. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Column } from "../../src/engine/facts/Column.js"
import * as Load from "../../src/engine/language/Load.js"
import * as OwnTables from "../scenario/OwnTables.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Trials from "../testing/Trials.js"

const scale = { campaigns: 6, items: 2, clusters: 6 }
const policy = (each: string, when: string, action: string, where = "campaign.status = active") => ({
  path: "rules/01-raise.yaml",
  text: `version: 1
name: By label
mode: apply
each: ${each}
where: ${where}
when: ${when}
do: ${action}
cooldown: 6h
`
})
const pause = (when: string) => ({
  ...policy("campaign", when, "pause"),
  text: policy("campaign", when, "pause").text.replace("cooldown: 6h\n", "")
})
const cpm = "campaign.status = active and campaign.payment = cpm and campaign.bid_type = manual"
const lower = "{lower_bid: {by: 10%, floor: min_bid}}"
const onCampaigns = (csv: string, type = "labels") =>
  OwnTables.table("campaign.id = id", [`campaign.labels: {column: labels, type: ${type}}`], csv)

/** What the ledger says after one plan was applied, as numbers or queries. */
const touched = (rules: ReadonlyArray<Load.File>) =>
  Scenario.run({ rules, scale }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      yield* world.apply(planned)
      return { targets: world.ledger().map(({ target }) => target), planned }
    })
  )
const codes = (...files: ReadonlyArray<Load.File>) =>
  Load.check(files).diagnostics.map(({ code, span }) => `${code}@${span.file.split("/").at(-1)}:${span.line}`)
const values = (file: Load.File): ReadonlyArray<unknown> => {
  const [own] = Load.check([file]).ruleSet?.ownFacts ?? []
  return [...(own?.values ?? []), ["rest", own?.rest]].map(([key, cell]) => [
    key,
    (cell as ReturnType<Column["get"]>)._tag === "Known"
      ? (cell as { readonly value: unknown }).value
      : (cell as { readonly reason: unknown }).reason
  ])
}

describe("a column of labels", () => {
  it("is a set of words, whatever their order, capitals and marks between them; rows add up", () => {
    const csv = "id;labels\n1;Season, Новинки|season\n2;\n1; Hands  off \n3;a,,b\n"
    expect(values(onCampaigns(csv))).toEqual([
      [1, "hands off, season, новинки"],
      [2, ""],
      [3, "a, b"],
      ["rest", ""]
    ])
  })
  it("says of nobody else that they have no label, when a row names nobody that can be read", () => {
    const file = onCampaigns("id;labels\n1;season\n1О02;hands off\n")
    expect(values(file)).toEqual([
      [1, "season"],
      ["rest", "unreadable"]
    ])
    expect(codes(file)).toEqual(["F04@labels.csv:3"])
  })
  it("belongs to the level its join names", () => {
    const of = (join: string, field: string) =>
      codes(OwnTables.table(join, [`${field}: {column: labels, type: labels}`], "id;labels\n"))
    expect(of("campaign.id = id", "campaign.labels")).toEqual([])
    expect(of("item.id = id", "item.labels")).toEqual([])
    expect(of("query = id", "cluster.labels")).toEqual([])
    expect(of("campaign.id = id", "item.labels")).toEqual(["K16@labels.yaml:6"])
    expect(of("query = id", "query.labels")).toEqual(["K16@labels.yaml:6"])
    expect(of("campaign.name = id", "campaign.labels")).toEqual(["K16@labels.yaml:4"])
    for (const taken of ["campaign.name", "campaign.spend"])
      expect(of("campaign.id = id", taken)).toEqual(["K16@labels.yaml:6"])
    expect(of("query = id", "cluster.bid")).toEqual(["K16@labels.yaml:6"])
  })
})

describe("a condition on labels", () => {
  const file = onCampaigns("id;labels\n1;season\n")
  const on = (when: string) => codes(file, pause(when))

  it("is told what to write instead, and never a pattern that no label has", () => {
    const told = (when: string) => Load.check([file, pause(when)]).diagnostics.map(({ fix }) => fix)
    expect(told("campaign.labels = season")).toEqual(['campaign.labels contains "season"'])
    expect(told("campaign.labels in [season, test]")).toEqual([
      'campaign.labels contains any ["season", "test"]'
    ])
    expect(told('not (campaign.labels matches "sea*")')).toEqual([undefined])
  })

  it("asks with contains, of any level the rows belong to", () => {
    expect(on('campaign.labels contains "season"')).toEqual([])
    expect(on('not (campaign.labels contains any ["season", "test"])')).toEqual([])
    for (const wrong of [
      'campaign.labels = "season"',
      'campaign.labels != "season"',
      'campaign.labels in ["season"]',
      'campaign.labels matches "sea*"',
      "campaign.labels",
      "campaign.labels contains season"
    ])
      expect(on(wrong)).toEqual(["E11@01-raise.yaml:6"])
    expect(codes(file, policy("cluster", 'campaign.labels contains "a"', lower, cpm))).toEqual([])
    const items = OwnTables.table(
      "item.id = id",
      ["item.labels: {column: labels, type: labels}"],
      "id;labels\n"
    )
    expect(codes(items, pause('item.labels contains "a"'))).toEqual(["E02@01-raise.yaml:6"])
    expect(codes(items, pause('any(item.labels contains "a")'))).toEqual([])
  })
  it("is proved to be impossible, or a fight, by whole labels", () => {
    const both = (a: string, b: string) =>
      on(`campaign.labels contains ${a} and not (campaign.labels contains ${b})`)
    expect(both('"season"', '"season"')).toEqual(["S02@01-raise.yaml:6"])
    expect(both('"Season"', 'any ["season", "x"]')).toEqual(["S02@01-raise.yaml:6"])
    expect(both('"off-season"', '"season"')).toEqual([])
    const start = {
      path: "rules/02.yaml",
      text: policy("campaign", 'campaign.labels contains "b"', "start").text.replace("cooldown: 6h\n", "")
    }
    expect(codes(file, pause('campaign.labels contains "a"'), start)).toContainEqual(
      expect.stringMatching(/^S03@/)
    )
  })
  it("may say which campaigns are never touched", () => {
    const limits = {
      path: "rules/_shared/limits.yaml",
      text: 'version: 1\nkind: limits\naccount: {never_touch: campaign.labels contains "hands off"}\n'
    }
    expect(codes(limits)).toEqual(["E01@limits.yaml:3"])
    expect(codes(limits, file)).toEqual([])
    const rules = Scenario.check([limits, file, pause("budget < 100 ₽")])
    const test = (labels: string) =>
      `${Trials.header}  - name: a case\n    now: 2026-09-01T09:00+03:00\n    rows:\n      - {id: a, budget: 50 ₽}\n    ${labels}\n`
    expect(Trials.failures(test("expect: [{id: a, do: pause}]"), rules)).toEqual([])
  })
  it("is given in rule tests as words, and nobody has labels unless the test says so", () => {
    const rules = Scenario.check([file, pause('not (campaign.labels contains "hands off")')])
    const test = (labels: string, expected: string) =>
      `${Trials.header}  - name: a case\n    now: 2026-09-01T09:00+03:00\n    rows:\n      - {id: a${labels}}\n    expect: [${expected}]\n`
    expect(Trials.failures(test("", "{id: a, do: pause}"), rules)).toEqual([])
    expect(Trials.failures(test(', campaign.labels: ""', "{id: a, do: pause}"), rules)).toEqual([])
    expect(Trials.failures(test(', campaign.labels: "season, hands off"', ""), rules)).toEqual([])
    expect(Trials.failures(test(", campaign.labels: hands off", ""), rules)).toEqual([])
    expect(Trials.failures(test(", campaign.labels: missing", ""), rules)).not.toEqual([])
  })
})

describe("what is sent by labels", () => {
  it("leaves out the campaigns that are labelled, and whoever else it may have been", async () => {
    const { targets } = await touched([
      onCampaigns("id;labels\n"),
      pause('not (campaign.labels contains "off")')
    ])
    const all = targets.map(({ campaignId }) => campaignId!)
    expect(all.length).toBeGreaterThan(2)
    const [one, ...others] = all
    const labelled = onCampaigns(`id;labels\n${one};Season, OFF\n${others[0]};offer\n`)
    const left = await touched([labelled, pause('not (campaign.labels contains "off")')])
    expect(left.targets.map(({ campaignId }) => campaignId)).toEqual(others)
    const unsure = onCampaigns(`id;labels\n${others[0]};offer\nsomebody;off\n`)
    const careful = await touched([unsure, pause('not (campaign.labels contains "off")')])
    expect(careful.targets.map(({ campaignId }) => campaignId)).toEqual([others[0]])
    const never = {
      path: "rules/_shared/limits.yaml",
      text: 'version: 1\nkind: limits\naccount: {never_touch: campaign.labels contains "off"}\n'
    }
    const guarded = await touched([labelled, never, pause("campaign.id > 1")])
    expect(guarded.targets.map(({ campaignId }) => campaignId)).toEqual(others)
  })

  it("takes labels of items and of queries, as they are written in the table", async () => {
    const all = await touched([policy("cluster", "cluster.state = active", lower, cpm)])
    const some = all.targets.filter(({ cluster }) => cluster !== undefined)
    expect(some.length).toBeGreaterThan(3)
    const query = some[0]!.cluster!
    const queries = OwnTables.table(
      "query = phrase",
      ["cluster.labels: {column: labels, type: labels}", "cluster.most: {column: most, type: money}"],
      `phrase;labels;most\n  ${query.toUpperCase().replaceAll(" ", "  ")};dear;1.00\n`
    )
    const byQuery = await touched([
      queries,
      policy("cluster", 'cluster.labels contains "dear" and bid > cluster.most', lower, cpm)
    ])
    expect(byQuery.targets).toEqual(some.filter(({ cluster }) => cluster === query))
    const { itemId } = some[0]!
    const items = OwnTables.table(
      "item.id = nm",
      ["item.labels: {column: labels, type: labels}"],
      `nm;labels\n${itemId};dear\n`
    )
    const byItem = await touched([items, policy("cluster", 'item.labels contains "dear"', lower, cpm)])
    expect(byItem.targets).toEqual(some.filter((one) => one.itemId === itemId))
    expect(byItem.planned.reviewed.plan.changes[0]!.reason.at(-1)).toMatchObject({ value: "dear" })
    expect(byItem.planned.reviewed.plan.notices ?? []).toEqual([])
  })
})
