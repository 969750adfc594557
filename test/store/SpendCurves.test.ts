import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId } from "../../src/domain/Ids.js"
import * as SpendCurve from "../../src/engine/facts/SpendCurve.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as Fixture from "./Fixture.js"

const beginMs = Days.startOfMarket(Days.Day("2026-09-01"))
const ids = Array.from({ length: 120 }, (_, i) => CampaignId.make(1_000_001 + i))

/** What is remembered of all campaigns after readings every hour. */
const learnedAfter = (hours: number): ReadonlyArray<SpendCurve.Watched> => {
  let known: ReadonlyMap<CampaignId, SpendCurve.Watched> = new Map()
  for (let hour = 0; hour <= hours; hour++) {
    const readings = ids.map((campaignId) => ({
      campaignId,
      spendKopecks: (hour % 24) * 1003,
      isActive: hour !== 5,
      changedAtMs: undefined
    }))
    const learned = SpendCurve.learn(known, readings, beginMs + hour * 3_600_000)
    known = new Map(learned.map((one) => [one.campaignId, one]))
  }
  return [...known.values()]
}

describe("what was spent when", () => {
  it("survives a restart as it was learned, one short row a campaign, for its account only", () =>
    Fixture.inFolder((path) =>
      Effect.gen(function* () {
        const store = Fixture.store({ filename: `${path}/store.db` })
        const memory = learnedAfter(30 * 24 + 7)
        const keep = (watched: ReadonlyArray<SpendCurve.Watched>) =>
          Effect.flatMap(RuleMemory, ({ keepSpendCurves }) => keepSpendCurves("shop", watched))
        yield* Effect.provide(Effect.zipRight(keep(learnedAfter(3)), keep(memory)), store)
        yield* Effect.provide(
          Effect.gen(function* () {
            const { spendCurves } = yield* RuleMemory
            expect([...(yield* spendCurves("shop")).values()]).toEqual(memory)
            expect((yield* spendCurves("other")).size).toBe(0)
            const sql = yield* SqlClient.SqlClient
            const [row] = yield* sql<{ count: number; longest: number }>`
              SELECT COUNT(*) AS count, MAX(LENGTH(watched)) AS longest FROM spend_curves`
            expect(Number(row?.count)).toBe(ids.length)
            expect(Number(row?.longest)).toBeLessThan(1200)
          }),
          store
        )
      })
    ))

  it("is never replaced by what an earlier run read, unless that is of a clock that was far ahead", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const { keepSpendCurves, spendCurves } = yield* RuleMemory
        const [first, second, ahead] = [learnedAfter(3), learnedAfter(4), learnedAfter(24 * 3)]
        yield* keepSpendCurves("shop", second)
        yield* keepSpendCurves("shop", first)
        expect([...(yield* spendCurves("shop")).values()]).toEqual(second)
        yield* keepSpendCurves("shop", ahead)
        yield* keepSpendCurves("shop", second)
        expect([...(yield* spendCurves("shop")).values()]).toEqual(second)
      })
    ))
})
