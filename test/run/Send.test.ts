import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId, OrderId } from "../../src/domain/Ids.js"
import * as Send from "../../src/engine/door/Send.js"
import type { Change } from "../../src/engine/kinds/Change.js"

const change = fc
  .record({
    item: fc.integer({ min: 1, max: 4 }),
    phrase: fc.integer({ min: 1, max: 30 }),
    minus: fc.boolean()
  })
  .map(
    ({ item, phrase, minus }) =>
      ({
        id: `${item}/${phrase}/${minus}`,
        origin: { by: "policy", name: "p", line: 1 },
        subject: {
          campaignId: CampaignId.make(1),
          itemId: ItemId.make(item),
          cluster: Cluster.make(`c${phrase}`)
        },
        campaignName: "",
        action: minus ? "add_minus" : "raise_bid",
        before: minus ? false : 100,
        after: minus ? true : 200,
        kind: minus ? ("minus_phrase" as const) : ("cluster_bid" as const),
        details: {},
        reason: [],
        clamps: [],
        overruled: [],
        reversible: true,
        moneyPerDayKopecks: 0
      }) as Change
  )

describe("waves of changes", () => {
  it("hold every change once and never part the minus phrases of one item", () => {
    const changes = fc.uniqueArray(change, { selector: (c) => c.id, maxLength: 60 })
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 10 }), (all, size) => {
        const waves = Send.waves(all, size)
        const ids = waves.flat().map((c) => c.id)
        expect([...ids].sort()).toEqual(all.map((c) => c.id).sort())
        for (const item of [1, 2, 3, 4]) {
          const holding = waves.filter((wave) =>
            wave.some((c) => c.kind === "minus_phrase" && c.subject.itemId === item)
          )
          expect(holding.length).toBeLessThanOrEqual(1)
        }
        for (const wave of waves) {
          const bids = wave.filter((c) => c.kind !== "minus_phrase")
          if (bids.length === wave.length) expect(wave.length).toBeLessThanOrEqual(size)
        }
      })
    )
  })

  it("never part a supply that is made from the orders that it is made for, which are looked at before it leaves", () => {
    const common = {
      origin: { by: "policy" as const, name: "p", line: 1 },
      campaignName: "",
      reason: [],
      clamps: [],
      overruled: [],
      reversible: true,
      moneyPerDayKopecks: 0
    }
    const made = (name: string): Change => ({
      ...common,
      id: name,
      kind: "supply_creation",
      action: "create_supply",
      subject: { supply: `new:${name}` },
      details: { name, orders: 3 },
      before: "",
      after: name
    })
    const put = (order: number, supply: string): Change => ({
      ...common,
      id: `${order}`,
      kind: "order_in_supply",
      action: "put_in_supply",
      subject: { orderId: OrderId.make(order) },
      details: { supplyName: "" },
      before: "",
      after: supply
    })
    const all = [
      made("a"),
      made("b"),
      ...[1, 2, 3].map((order) => put(order, "new:a")),
      ...[4, 5, 6].map((order) => put(order, "new:b")),
      put(7, "PLATFORM-GI-1")
    ]
    expect(Send.waves(all, 2).map((wave) => wave.map(({ id }) => id))).toEqual([
      ["a", "1", "2", "3"],
      ["b", "4", "5", "6"],
      ["7"]
    ])
  })
})
