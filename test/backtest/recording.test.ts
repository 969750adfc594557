/** What a run read comes back from its recording exactly as it was. */
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Reason from "../../src/domain/Reason.js"
import type * as Target from "../../src/domain/Target.js"
import * as Window from "../../src/domain/Window.js"
import * as Recall from "../../src/engine/backtest/Recall.js"
import * as Recording from "../../src/engine/backtest/Recording.js"
import { type Cell, known, unknown } from "../../src/engine/facts/Cell.js"
import * as Level from "../../src/engine/facts/Level.js"
import * as Table from "../../src/engine/facts/Table.js"

const circumstances = {
  account: "shop",
  nowMs: Date.parse("2026-11-01T06:00:00Z"),
  zone: "Europe/Moscow",
  currency: "RUB",
  rulesHash: "hash",
  asked: ["campaigns", "clusterStats@7d"],
  campaignsUnread: 2,
  spentByCompleted: 1_200
}

const number = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, Infinity, -Infinity, 44_000))
const text = fc.oneof(fc.string(), fc.constantFrom("женские кеды", 'кеды "47", 😀', "", "\u2028"))
const orUnknown = (value: fc.Arbitrary<number | string | boolean>): fc.Arbitrary<Cell> =>
  fc.oneof(
    value.map(known),
    fc.constantFrom(...Reason.reasons.slice(1)).map((reason) => unknown(reason as Reason.Reason))
  )

const facts: ReadonlyArray<readonly [string, fc.Arbitrary<Cell>]> = [
  ["account.balance", orUnknown(number)],
  ["campaign.name", orUnknown(text)],
  ["campaign.search", orUnknown(fc.boolean())],
  [Table.factKey({ id: "campaign.acos", window: Window.last(7, 1) }), orUnknown(number)],
  ["item.cost:money", orUnknown(number)],
  ["campaign_item.bid", orUnknown(number)],
  ["cluster.query", orUnknown(text)],
  ["cluster.state", orUnknown(fc.constantFrom("active", "excluded"))],
  [Table.factKey({ id: "cluster.ctr", window: Window.today }), orUnknown(number)]
]

const target = fc
  .record({
    campaignId: fc.integer({ min: 1, max: 4 }).map((id) => CampaignId.make(id)),
    itemId: fc.option(fc.integer({ min: 1, max: 4 }).map((id) => ItemId.make(id))),
    cluster: fc.option(text.map((name) => Cluster.make(name)))
  })
  .map(({ campaignId, cluster, itemId }): Target.Subject => {
    if (itemId === null) return { campaignId }
    return cluster === null ? { campaignId, itemId } : { campaignId, itemId, cluster }
  })

interface Made {
  readonly targets: ReadonlyArray<Target.Subject>
  readonly cells: ReadonlyArray<{ readonly key: string; readonly of: number; readonly cell: Cell }>
}

const filled: fc.Arbitrary<Made> = fc.record({
  targets: fc.array(target, { maxLength: 25 }),
  cells: fc.array(
    fc
      .integer({ min: 0, max: facts.length - 1 })
      .chain((at) => fc.record({ key: fc.constant(facts[at]![0]), of: fc.nat(), cell: facts[at]![1] })),
    { maxLength: 60 }
  )
})

const build = ({ cells, targets }: Made) => {
  const table = Table.make("cluster")
  for (const one of targets) table.addKey(one)
  for (const { cell, key, of } of cells) {
    const rows = Table.view(table, levelOf(key))
    if (rows.size > 0) rows.set(of % rows.size, key, cell)
  }
  return (each: Level.Level) => Table.view(table, each)
}

const levelOf = (key: string): Level.Level => Level.order.find((level) => key.startsWith(`${level}.`))!

/** Every row with every fact it has, whatever its number. */
const content = (table: (each: Level.Level) => Table.Table) =>
  Level.order.map((level) => {
    const rows = table(level)
    return new Map(
      rows.rows.map((row, at) => [
        JSON.stringify(row),
        facts.filter(([key]) => levelOf(key) === level).map(([key]) => rows.get(at, key))
      ])
    )
  })

const there = (table: (each: Level.Level) => Table.Table) => {
  const read = Recall.recall([...Recording.parts({ ...circumstances, table })])
  return Either.getOrThrow(read)
}

describe("a recording", () => {
  it("gives every value, every reason and every row back", () => {
    fc.assert(
      fc.property(filled, (made) => {
        const table = build(made)
        const { facts: _, table: again, ...rest } = there(table)
        expect(rest).toEqual(circumstances)
        expect(content(again)).toEqual(content(table))
      })
    )
  })

  it("is the same text in whatever order rows and facts arrived", () => {
    fc.assert(
      fc.property(filled, (made) => {
        const table = build(made)
        const shuffled = there(build({ ...made, targets: [...made.targets].reverse(), cells: [] })).table
        for (const level of Level.order) {
          for (const [at, row] of table(level).rows.entries()) {
            for (const [key] of [...facts].reverse()) {
              if (levelOf(key) === level && table(level).columns.has(key)) {
                shuffled(level).setFor(row, key, table(level).get(at, key))
              }
            }
          }
        }
        expect([...Recording.parts({ ...circumstances, table: shuffled })]).toEqual([
          ...Recording.parts({ ...circumstances, table })
        ])
      })
    )
  })

  it("leaves a word out that rules no longer have", () => {
    const table = build({ targets: [{ campaignId: CampaignId.make(7) }], cells: [] })
    const parts = [...Recording.parts({ ...circumstances, table })]
    const old = { name: Recording.factName("campaign.forgotten"), text: parts[1]!.text }
    const read = Either.getOrThrow(Recall.recall([...parts, old]))
    expect([...read.facts]).toEqual([])
    expect(read.table("campaign").size).toBe(1)
  })

  it("says why it cannot be read", () => {
    const table = build({ targets: [], cells: [] })
    const parts = [...Recording.parts({ ...circumstances, table })]
    const newer = parts.map((part) =>
      part.name === Recording.headName
        ? { ...part, text: part.text.replace(`"version":${Recording.version}`, '"version":99') }
        : part
    )
    expect(Recall.recall(newer)).toEqual(Either.left(expect.stringContaining("version 99")))
    expect(Recall.recall([])).toEqual(Either.left("it is damaged"))
    expect(Recall.recall(parts.slice(0, 1))).toEqual(Either.left("it is damaged"))
  })
})
