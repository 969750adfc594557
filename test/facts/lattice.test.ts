import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { ItemId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import type { Cell } from "../../src/engine/facts/Cell.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Level from "../../src/engine/facts/Level.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Depth from "../Depth.js"
import { target } from "../decide/Example.js"

const item = (itemId: number): Target.Subject => ({ itemId: ItemId.make(itemId) })

const account = () => {
  const clusters = Table.make("cluster")
  for (const [campaign, one] of [
    [7, 1],
    [7, 2],
    [8, 1]
  ] as const) {
    for (const name of ["а", "б"]) clusters.add(target(campaign, one, name))
  }
  return clusters
}

describe("levels that are no line", () => {
  it("show an item's fact on all rows of that item, in whatever campaign", () => {
    const table = account()
    assert.isTrue(table.setFor(item(1), "item.stock", Cells.known(5)))
    assert.deepStrictEqual(
      table.rows.map((_, row) => table.get(row, "item.stock")._tag),
      ["Known", "Known", "Unknown", "Unknown", "Known", "Known"]
    )
    assert.deepStrictEqual(table.view("item").get(0, "item.stock"), Cells.known(5))
    assert.isFalse(table.setFor(item(3), "item.stock", Cells.known(5)))
  })

  it("list items once, however many campaigns they are in, and the account as one row", () => {
    const table = account()
    assert.deepStrictEqual(table.view("item").rows, [item(1), item(2)])
    assert.deepStrictEqual(table.view("account").rows, [{}])
    assert.deepStrictEqual(Table.make("account").rows, [{}])
  })

  it("name the keys of other levels that rows belong to or are made of", () => {
    const table = account()
    const campaigns = table.view("campaign")
    const items = table.view("item")
    assert.deepStrictEqual(campaigns.keys("item", [0]), [item(1), item(2)])
    assert.deepStrictEqual(campaigns.keys("campaign_item", [1]), [target(8, 1)])
    assert.deepStrictEqual(items.keys("campaign", [0]), [target(7), target(8)])
    assert.deepStrictEqual(table.view("account").keys("item", [0]), [item(1), item(2)])
    assert.deepStrictEqual(table.keys("item", [4, 5]), [item(1)])
  })

  it("say nothing of campaigns to items, and nothing of items to campaigns", () => {
    const table = account()
    assert.isFalse(table.setFor(target(7), "item.stock", Cells.known(5)))
    assert.isFalse(table.setFor(item(1), "campaign.budget", Cells.known(5)))
    assert.deepStrictEqual(table.view("campaign").get(0, "item.stock"), Cells.unknown("notFetched"))
    table.view("campaign").set(0, "item.stock", Cells.known(5))
    assert.deepStrictEqual(table.get(0, "item.stock"), Cells.unknown("notFetched"))
  })

  it("find each of many rows of one parent", () => {
    const table = Table.make("cluster")
    for (let n = 0; n < 100; n++) assert.strictEqual(table.add(target(1, 1, `${n}`)), n)
    for (let n = 0; n < 100; n++) assert.strictEqual(table.indexOf(target(1, 1, `${n}`)), n)
    assert.strictEqual(table.indexOf(target(1, 1, "100")), undefined)
    assert.strictEqual(table.add(target(1, 1, "99")), 99)
  })
})

/** Levels of advertising; those of promotions are a line of their own. */
const levels = ["account", "campaign", "item", "campaign_item", "cluster"] as const

const facts = {
  account: "account.balance",
  campaign: "campaign.budget",
  item: "item.stock",
  campaign_item: "campaign_item.bid",
  cluster: "cluster.bid"
} as const
const subject = fc
  .record({
    level: fc.constantFrom(...levels),
    campaign: fc.integer({ min: 1, max: 3 }),
    item: fc.integer({ min: 1, max: 3 }),
    name: fc.constantFrom("а", "б", "в")
  })
  .map((all) => cut(target(all.campaign, all.item, all.name), all.level))
const step = fc.record({
  subject,
  does: fc.oneof(
    fc.constant("add" as const),
    fc.record({ fact: fc.constantFrom(...levels), value: fc.nat({ max: 9 }) })
  )
})

const cut = ({ campaignId, cluster, itemId }: Target.Target, level: Level.Level): Target.Subject => {
  if (level === "account") return {}
  if (level === "item") return { itemId: itemId! }
  if (level === "campaign") return { campaignId }
  return level === "campaign_item"
    ? { campaignId, itemId: itemId! }
    : { campaignId, itemId: itemId!, cluster: cluster! }
}

const levelOf = (one: Target.Subject): Level.Level =>
  levels.find((level) => JSON.stringify(Object.keys(one)) === JSON.stringify(Object.keys(cut(whole, level))))!
const whole = target(1, 1, "а")

/** Everything about the keys, written down as plain maps by text. */
class Naive {
  readonly keys = new Map<string, Target.Subject>([["account", {}]])
  readonly values = new Map<string, Cell>()

  add(one: Target.Subject): void {
    for (const level of Level.reachable(levelOf(one))) {
      const above = cut(one as Target.Target, level)
      this.keys.set(Target.key(above), above)
    }
  }

  set(one: Target.Subject, level: Level.Level, cell: Cell): boolean {
    const own = Level.reaches(levelOf(one), level) ? cut(one as Target.Target, level) : one
    const touched = [...this.keys.values()].filter(
      (key) => levelOf(key) === level && this.keys.has(Target.key(own)) && this.belongs(key, own)
    )
    for (const key of touched) this.values.set(Target.key(key), cell)
    return touched.length > 0
  }

  belongs(fine: Target.Subject, coarse: Target.Subject): boolean {
    const level = levelOf(coarse)
    return (
      Level.reaches(levelOf(fine), level) &&
      Target.key(cut(fine as Target.Target, level)) === Target.key(coarse)
    )
  }
}

describe("a table of several levels", () => {
  it("answers as maps by text would, whatever is added and set in whatever order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const table = Table.make("cluster")
        const naive = new Naive()
        for (const { does, subject: one } of steps) {
          if (does === "add") {
            table.addKey(one)
            naive.add(one)
          } else {
            const cell = Cells.known(does.value)
            assert.strictEqual(table.setFor(one, facts[does.fact], cell), naive.set(one, does.fact, cell))
          }
        }
        for (const each of levels) {
          const view = table.view(each)
          const wanted = [...naive.keys.values()].filter((key) => levelOf(key) === each)
          assert.deepStrictEqual(view.rows.map(Target.key).sort(), wanted.map(Target.key).sort())
          for (const [row, one] of view.rows.entries()) {
            assert.strictEqual(view.indexOf(one), row)
            for (const level of levels) {
              const above = Level.reaches(each, level)
                ? naive.values.get(Target.key(cut(one as Target.Target, level)))
                : undefined
              assert.deepStrictEqual(view.get(row, facts[level]), above ?? Cells.unknown("notFetched"))
              if (level === "account") continue
              const related = [...naive.keys.values()].filter(
                (key) =>
                  levelOf(key) === level &&
                  (naive.belongs(key, one) ||
                    naive.belongs(one, key) ||
                    [...naive.keys.values()].some(
                      (both) =>
                        levelOf(both) === "campaign_item" &&
                        naive.belongs(both, one) &&
                        naive.belongs(both, key)
                    ))
              )
              assert.deepStrictEqual(view.keys(level, [row]), related.sort(Target.compare))
            }
            const under = [...naive.keys.values()].filter(
              (key) => levelOf(key) === each && naive.belongs(key, one)
            )
            assert.deepStrictEqual(
              view.rowsUnder(one).map((n) => view.rows[n]),
              under
            )
          }
        }
      }),
      { numRuns: Depth.cases(400) }
    )
  })
})
