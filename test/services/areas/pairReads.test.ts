/** Clusters of single campaigns are refused with the whole request that names one; who it is stays known in the real store. */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import { CampaignId, ItemId } from "../../../src/domain/Ids.js"
import * as Clusters from "../../../src/services/areas/advertising/Clusters.js"
import type { TokenKind } from "../../../src/services/Operation.js"
import { TokenMemory } from "../../../src/services/ports/TokenMemory.js"
import * as TokenMemorySql from "../../../src/store/accounts/TokenMemorySql.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Fake from "../FakeMarketplace.js"

const told = <A>(story: Effect.Effect<A, unknown, TokenMemory>) => {
  const store = TokenMemorySql.layer.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(SqliteClient.layer({ filename: ":memory:" }))
  )
  return Effect.runPromise(story.pipe(Effect.provide(store), Effect.provide(TestContext.TestContext)))
}

/** A marketplace that refuses requests which name one of these campaigns; what came of reading their minus lists. */
const read = (campaigns: ReadonlyArray<number>, refused: ReadonlyArray<number>, kind?: TokenKind) =>
  Fake.withMarketplace(
    (sent) => {
      const { items } = sent.body as { readonly items: ReadonlyArray<{ readonly advert_id: number }> }
      return items.some(({ advert_id }) => refused.includes(advert_id))
        ? Fake.json({ title: "access denied", detail: "no clusters here" }, 403)
        : Fake.json({ items: items.map((one) => ({ ...one, norm_queries: [] })) })
    },
    ({ client, sent }) =>
      Effect.map(
        Clusters.make(client).minus(
          campaigns.map((id) => ({ campaignId: CampaignId.make(id), itemId: ItemId.make(id + 1000) }))
        ),
        ({ failures, values }) => ({
          requests: sent.length,
          known: values.map(({ campaignId }) => Number(campaignId)).sort((a, b) => a - b),
          unknown: failures
            .flatMap(({ keys }) => keys.map(({ campaignId }) => Number(campaignId)))
            .sort((a, b) => a - b),
          said: failures.map(({ error }) => error.message)
        })
      ),
    { token: { ...Fake.token, kind: kind ?? "personal" } }
  )

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const without = (all: ReadonlyArray<number>, ...left: ReadonlyArray<number>) =>
  all.filter((one) => !left.includes(one))
const scopes = Effect.flatMap(TokenMemory, (memory) =>
  Effect.map(memory.refusals("shop"), (all) => all.map(({ scope }) => scope))
)

describe("a campaign whose clusters are refused", () => {
  it("is found among the others, which stay known; from then on they are asked without it", () =>
    told(
      Effect.gen(function* () {
        const first = yield* read(upTo(32), [5])
        expect(first).toMatchObject({ known: without(upTo(32), 5), unknown: [5] })
        expect(first.requests).toBeLessThanOrEqual(11)
        expect(yield* scopes).toEqual(["campaign 5"])
        const next = yield* read(upTo(32), [5])
        expect(next).toMatchObject({ requests: 1, known: without(upTo(32), 5), unknown: [5] })
        expect(next.said[0]).toMatch(/^getMinusPhrases for campaign 5 is switched off/)
        const others = yield* read([4, 5, 6, 40], [5])
        expect(others).toMatchObject({ requests: 1, known: [4, 6, 40], unknown: [5] })
      })
    ))

  it("is asked for alone after its rest, and together with the others once it was answered", () =>
    told(
      Effect.gen(function* () {
        yield* read(upTo(8), [3])
        yield* TestClock.adjust("16 minutes")
        expect(yield* read(upTo(8), [3])).toMatchObject({ requests: 2, unknown: [3] })
        yield* TestClock.adjust("25 hours")
        expect(yield* read(upTo(8), [])).toMatchObject({ requests: 2, known: upTo(8), unknown: [] })
        expect(yield* read(upTo(8), [])).toMatchObject({ requests: 1, known: upTo(8) })
      })
    ))

  it("may be one of several: what they have in common is told once", () =>
    told(
      Effect.gen(function* () {
        const refused = [2, 30, 31, 77]
        const first = yield* read(upTo(100), refused)
        expect(first).toMatchObject({ known: without(upTo(100), ...refused), unknown: refused })
        const next = yield* read(upTo(100), refused)
        expect(next).toMatchObject({ requests: 1, known: without(upTo(100), ...refused), unknown: refused })
        expect(next.said).toHaveLength(1)
        expect(next.said[0]).toMatch(/so it is for 3 more of the account's campaigns$/)
      })
    ))
})

describe("clusters that are refused to the token", () => {
  it("are not asked for campaign by campaign: a few requests, and none while the refusal is believed", () =>
    told(
      Effect.gen(function* () {
        const first = yield* read(upTo(300), upTo(300))
        expect(first).toMatchObject({ known: [] })
        expect(first.requests).toBe(3 + 14)
        expect(first.unknown).toHaveLength(300)
        expect((yield* read(upTo(300), upTo(300))).requests).toBe(0)
      })
    ))

  it("cost a base token, which has five calls an hour, no more than the request", () =>
    told(
      Effect.gen(function* () {
        expect(yield* read(upTo(8), [3], "base")).toMatchObject({ requests: 1, known: [] })
      })
    ))
})
