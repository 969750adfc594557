/** What was read of scarce sources, kept from run to run in the real store. */
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import { unknown } from "../../src/engine/facts/Cell.js"
import { FactMemory, factRow, factRows, type Remembered } from "../../src/engine/gather/FactSource.js"
import * as Fixture from "./Fixture.js"

const day = 86_400_000
const pair = { campaignId: CampaignId.make(777), itemId: ItemId.make(1001) }
const answer = (readAt: number, of: Target.Subject = pair, price = 42_000): Remembered => ({
  key: Target.key(of),
  readAt,
  rows: [
    factRow(of, { "campaign_item.recommended.leaders": unknown("absent") }),
    factRow({ ...pair, cluster: Cluster.make('кеды "47"') }, { "cluster.recommended.reach_max": price })
  ]
})
const other = { campaignId: CampaignId.make(778), itemId: ItemId.make(1001) }

describe("the memory of answers that are kept", () => {
  it("gives back what was kept, by account, source and key, also in the next process", () =>
    Fixture.inFolder((path) => {
      const filename = join(path, "store.sqlite")
      const keep = Effect.flatMap(FactMemory, (memory) =>
        memory.keep("shop", "recommendations", [answer(1000), answer(2000, other)])
      )
      const recall = (account: string, source: string, keys: ReadonlyArray<string>) =>
        Effect.flatMap(FactMemory, (memory) => memory.recall(account, source, keys))
      return Effect.gen(function* () {
        yield* Effect.provide(keep, Fixture.store({ filename }))
        yield* Effect.gen(function* () {
          const found = yield* recall("shop", "recommendations", ["777/1001", "1/1"])
          expect([...found]).toEqual([["777/1001", answer(1000)]])
          expect((yield* recall("another", "recommendations", ["777/1001"])).size).toBe(0)
          expect((yield* recall("shop", "another", ["777/1001"])).size).toBe(0)
          const { since } = yield* FactMemory
          expect(yield* since("shop", "recommendations", 1000)).toEqual(["778/1001"])
          expect(yield* since("another", "recommendations", 0)).toEqual([])
        }).pipe(Effect.provide(Fixture.store({ filename })))
      })
    }))

  it("holds one answer per key, the newest, and none that is a month old", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.keep("shop", "recommendations", [answer(5 * day, pair, 1), answer(4 * day, other)])
        yield* memory.keep("shop", "recommendations", [answer(4.5 * day, pair, 2)])
        const found = yield* memory.recall("shop", "recommendations", ["777/1001"])
        expect(found.get("777/1001")).toEqual(answer(5 * day, pair, 1))
        yield* memory.keep("shop", "recommendations", [answer(35.5 * day, pair, 3)])
        const rows = yield* sql<{ key: string }>`SELECT key FROM scarce_answers`
        expect(rows.map(({ key }) => key)).toEqual(["777/1001"])
      })
    ))

  it("holds no answer of a clock that was ahead once there is another", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        yield* memory.keep("shop", "recommendations", [answer(365 * day, pair, 1)])
        yield* memory.keep("shop", "recommendations", [answer(3 * day, pair, 2)])
        const found = yield* memory.recall("shop", "recommendations", ["777/1001"])
        expect(found.get("777/1001")).toEqual(answer(3 * day, pair, 2))
      })
    ))

  it("asks again what it cannot read", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.keep("shop", "recommendations", [answer(1000)])
        yield* sql`UPDATE scarce_answers SET facts = '[[1'`
        expect((yield* memory.recall("shop", "recommendations", ["777/1001"])).size).toBe(0)
      })
    ))

  it("writes the facts and the item of many clusters once, and gives back each row as it was", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        const sql = yield* SqlClient.SqlClient
        const levels = factRows("cluster.recommended.reach_min", "cluster.recommended.reach_max")
        const of = (item: Target.Pair, n: number) => ({ ...item, cluster: Cluster.make(`кеды ${n}`) })
        const clusters = Array.from({ length: 50 }, (_, n) => n)
        const rows = [
          ...clusters.map((n) => levels(of(pair, n), n, n === 7 ? unknown("notApplicable") : 100 + n)),
          levels(pair, 1, 2),
          levels(pair, 3, 4),
          ...clusters.map((n) => levels(of(other, n), n, n + 1)),
          factRow(of(other, 0), { "cluster.bid": 5 }),
          factRow("account", { "account.balance": 6 }),
          factRow({ itemId: pair.itemId }, { "item.price": 7 })
        ]
        yield* memory.keep("shop", "recommendations", [{ key: "777/1001", readAt: 1000, rows }])
        const found = yield* memory.recall("shop", "recommendations", ["777/1001"])
        expect(found.get("777/1001")?.rows).toEqual(rows)
        const [kept] = yield* sql<{ facts: string }>`SELECT facts FROM scarce_answers`
        expect(kept?.facts.match(/reach_max/g)).toHaveLength(4)
        expect(kept?.facts.match(/campaignId/g)).toHaveLength(5)
      })
    ))

  it("asks again what was kept in another shape", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.keep("shop", "recommendations", [answer(1000)])
        const target = '{"campaignId":777,"itemId":1001,"cluster":"кеды"}'
        yield* sql`UPDATE scarce_answers SET facts = ${`[[${target},{"cluster.recommended.reach_max":42000}]]`}`
        expect((yield* memory.recall("shop", "recommendations", ["777/1001"])).size).toBe(0)
      })
    ))

  it("recalls more keys than one statement takes", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* FactMemory
        const pairs = Array.from({ length: 1201 }, (_, n) => ({ ...pair, itemId: ItemId.make(n + 1) }))
        yield* memory.keep(
          "shop",
          "recommendations",
          pairs.map((one) => answer(1000, one))
        )
        const found = yield* memory.recall("shop", "recommendations", pairs.map(Target.key))
        expect(found.size).toBe(1201)
      })
    ))
})
