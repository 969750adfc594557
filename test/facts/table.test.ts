import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Window from "../../src/domain/Window.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"
import { target } from "../decide/Example.js"

const clusters = () => {
  const table = Table.make("cluster")
  for (const name of ["а", "б"]) for (const item of [1, 2]) table.add(target(7, item, name))
  table.add(target(8, 1, "а"))
  return table
}

describe("a table of facts", () => {
  it("numbers each row once, however often it is added", () => {
    const table = clusters()
    assert.deepStrictEqual(
      [table.add(target(7, 2, "а")), table.size, table.indexOf(target(8, 1, "а"))],
      [1, 5, 4]
    )
  })

  it("finds each row, whichever was found before", () => {
    const table = clusters()
    for (const first of table.rows)
      for (const [row, then] of table.rows.entries())
        assert.deepStrictEqual([table.rows[table.indexOf(first)!], table.indexOf(then)], [first, row])
    assert.isUndefined(table.indexOf(target(8, 1, "б")))
  })

  it("finds each of many rows under what it belongs to alone", () => {
    const table = Table.make("cluster")
    const names = Array.from({ length: 1000 }, (_, n) => `кеды ${n}`)
    for (const [n, name] of names.entries()) table.add(target(7, 1 + (n % 2), name))
    for (const [n, name] of names.entries()) {
      assert.strictEqual(table.indexOf(target(7, 1 + (n % 2), name)), n)
      assert.isUndefined(table.indexOf(target(7, 2 - (n % 2), name)))
      assert.strictEqual(table.nameOf(n), name)
    }
    assert.isUndefined(table.indexOf(target(7, 1, "туфли")))
  })

  it("finds each of many rows that bear the same names", () => {
    const table = Table.make("cluster")
    const rows = Array.from({ length: 1000 }, (_, n) =>
      target(7 + (n % 5), 1 + Math.floor(n / 50), `кеды ${n % 10}`)
    )
    const numbers = rows.map((row) => table.add(row))
    assert.deepStrictEqual(
      rows.map((row) => table.indexOf(row)),
      numbers
    )
    assert.deepStrictEqual(
      numbers.map((number) => table.rows[number]),
      rows
    )
    assert.strictEqual(table.size, new Set(rows.map((row) => JSON.stringify(row))).size)
    assert.isUndefined(table.indexOf(target(7, 1, "кеды 1")))
  })

  it("keeps words of a fact apart from the names of rows, and names that were told with them", () => {
    const table = clusters()
    table.set(0, "cluster.state", Cells.known("active"))
    table.set(2, "cluster.query", Cells.known("б"))
    assert.deepStrictEqual(table.columns.get("cluster.state")?.texts, ["active"])
    assert.deepStrictEqual(table.columns.get("cluster.query")?.texts, ["а", "б"])
    assert.deepStrictEqual(table.get(2, "cluster.query"), Cells.known("б"))
  })

  it("knows nothing until it is told", () => {
    assert.deepStrictEqual(clusters().get(0, "cluster.bid"), Cells.unknown("notFetched"))
  })

  it("serves every row of a campaign with a fact that was set once", () => {
    const table = clusters()
    assert.isTrue(table.setFor(target(7), "campaign.name", Cells.known("Кеды")))
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4].map((row) => table.get(row, "campaign.name")._tag),
      ["Known", "Known", "Known", "Known", "Unknown"]
    )
  })

  it("serves every row of the account with the account's facts", () => {
    const table = clusters()
    table.setFor("account", "account.bid_step.cpm", Cells.known(100))
    table.add(target(9, 1, "а"))
    assert.deepStrictEqual(table.get(5, "account.bid_step.cpm"), Cells.known(100))
  })

  it("spreads a reason for an item over all its clusters", () => {
    const table = clusters()
    table.setFor(target(7, 1), "cluster.bid", Cells.unknown("failed"))
    assert.deepStrictEqual(
      [0, 1, 2].map((row) => table.get(row, "cluster.bid")),
      [Cells.unknown("failed"), Cells.unknown("notFetched"), Cells.unknown("failed")]
    )
  })

  it("sets nothing for keys it does not know or for facts finer than its rows", () => {
    const table = Table.make("campaign")
    table.add(target(7))
    assert.isFalse(table.setFor(target(8), "campaign.name", Cells.known("Кеды")))
    assert.isFalse(table.setFor(target(7, 1, "а"), "cluster.bid", Cells.known(1)))
  })

  it("gives every number back as it was told, whatever stood in the column before", () => {
    const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true }))
    const told = fc.array(fc.tuple(fc.nat(4), fc.option(number)), { maxLength: 20 })
    fc.assert(
      fc.property(told, (all) => {
        const table = clusters()
        const expected = [0, 1, 2, 3, 4].map(() => Cells.unknown("notFetched") as Cells.Cell)
        for (const [row, value] of all) {
          const cell = value === null ? Cells.unknown("failed") : Cells.known(value)
          table.set(row, "cluster.bid", cell)
          expected[row] = cell
        }
        assert.deepStrictEqual(
          expected.map((_, row) => table.get(row, "cluster.bid")),
          expected
        )
      })
    )
  })

  it("keeps windows apart", () => {
    const table = clusters()
    const week = Table.factKey({ id: "cluster.ctr", window: Window.last(7, 1) })
    table.set(0, week, Cells.known(0.01))
    assert.deepStrictEqual(
      [week, table.get(0, week), table.get(0, "cluster.ctr@7d")],
      ["cluster.ctr@7d-1d", Cells.known(0.01), Cells.unknown("notFetched")]
    )
  })

  it("gives back text, yes or no and numbers as they were set; not-a-number is unknown", () => {
    const table = clusters()
    table.set(0, "cluster.query", Cells.known("кеды"))
    table.set(0, "cluster.in_minus", Cells.known(false))
    table.set(0, "cluster.cpo@7d", Cells.known(Number.POSITIVE_INFINITY))
    table.set(0, "cluster.bid", Cells.known(Number.NaN))
    assert.deepStrictEqual(
      ["cluster.query", "cluster.in_minus", "cluster.cpo@7d", "cluster.bid"].map((key) => table.get(0, key)),
      [
        Cells.known("кеды"),
        Cells.known(false),
        Cells.known(Number.POSITIVE_INFINITY),
        Cells.unknown("absent")
      ]
    )
  })

  it("shares coarser levels with a finer table, both ways", () => {
    const items = Table.make("campaign_item")
    items.add(target(7, 1))
    items.setFor(target(7), "campaign.name", Cells.known("Кеды"))
    const finer = Table.view(items, "cluster")
    finer.add(target(7, 1, "а"))
    finer.setFor(target(7, 1), "campaign_item.bid", Cells.known(100))
    assert.deepStrictEqual(
      [finer.get(0, "campaign.name"), items.get(0, "campaign_item.bid"), items.size, finer.size],
      [Cells.known("Кеды"), Cells.known(100), 1, 1]
    )
  })

  it("lists the distinct keys of some rows, sorted, and the rows below a key", () => {
    const table = clusters()
    assert.deepStrictEqual(table.keys("campaign_item", [4, 3, 1, 0]), [
      target(7, 1),
      target(7, 2),
      target(8, 1)
    ])
    assert.deepStrictEqual([table.rowsUnder(target(7, 2)), table.rowsUnder(target(9))], [[1, 3], []])
  })

  it("refuses a fact that is not in the vocabulary", () => {
    assert.throws(() => clusters().get(0, "cluster.bdi"), /not a fact/)
  })
})
