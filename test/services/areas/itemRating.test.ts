import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId } from "../../../src/domain/Ids.js"
import * as ItemRating from "../../../src/services/areas/analytics/ItemRating.js"
import { type Fake, json, type Reply, type Sent, token, withMarketplace } from "../FakeMarketplace.js"

const item = (n: number) => ItemId.make(n)
const noon = Date.parse("2026-11-21T12:00:00+03:00")
const week = { from: Day("2026-11-14"), to: Day("2026-11-20") }

interface Body {
  readonly currentPeriod: { readonly start: string; readonly end: string }
  readonly pastPeriod?: { readonly start: string; readonly end: string }
  readonly nmIds?: ReadonlyArray<number>
  readonly offset: number
  readonly limit: number
}
const bodyOf = (sent: Sent | undefined) => sent?.body as Body

const on = <A, E>(
  reply: (body: Body) => Reply,
  use: (fake: Fake) => Effect.Effect<A, E>,
  options: Parameters<typeof withMarketplace>[2] = {}
) =>
  withMarketplace(
    (sent) => reply(bodyOf(sent)),
    (fake) => Effect.zipRight(TestClock.setTime(noon), use(fake)),
    options
  )

const rated = (nmId: number) => ({
  nmId,
  title: "Boots",
  vendorCode: "B-1",
  subjectId: 7,
  subjectName: "Shoes",
  brandName: "Bidhelm",
  tagName: "",
  tagId: 0,
  pinnedFeedback: true,
  rating: 9.1,
  feedbackRating: { current: 4.7, percentile: null },
  feedbackCount: { current: 120, dynamics: 5 },
  fiveStar: { current: 100 },
  oneStar: { current: 3, dynamics: -2 },
  disqualified: 1,
  isShadowed: false
})
const answer = (...ids: ReadonlyArray<number>) =>
  json({
    data: {
      sellerRating: { current: 4.8, dynamics: 1 },
      feedbackIncrease: { current: 12, total: 400, fiveStar: { current: 10, dynamics: 3, total: 350 } },
      items: ids.map(rated)
    }
  })

const collect = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.map(Stream.runCollect(stream), (rows) => [...rows])

describe("item ratings", () => {
  it.effect("come with stars and reviews; a null percentile and a missing change are absent (A20, A12)", () =>
    on(
      () => answer(1001),
      ({ client }) =>
        Effect.map(collect(ItemRating.make(client).items({ days: week })), ([row]) => {
          assert.deepInclude(row, {
            itemId: item(1001),
            reviewPinned: true,
            tag: undefined,
            tagId: undefined
          })
          assert.deepStrictEqual(row?.feedbackRating, {
            current: 4.7,
            changePercent: undefined,
            percentile: undefined
          })
          assert.deepStrictEqual(row?.stars.one, { current: 3, changePercent: -2 })
          assert.deepStrictEqual(row?.stars.four, { current: undefined, changePercent: undefined })
        })
    )
  )

  it.effect("are asked for days that end yesterday and begin 364 days before it (A20)", () =>
    on(
      () => answer(),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { items } = ItemRating.make(client)
          yield* collect(
            items({ days: { from: Day("2024-01-01"), to: Day("2026-11-21") }, compare: "preceding" })
          )
          assert.deepStrictEqual(bodyOf(sent[0]).currentPeriod, { start: "2025-11-21", end: "2026-11-20" })
          assert.deepStrictEqual(bodyOf(sent[0]).pastPeriod, { start: "2025-11-21", end: "2026-11-20" })
          const error = yield* Effect.flip(
            collect(items({ days: { from: Day("2026-11-21"), to: Day("2026-11-21") } }))
          )
          assert.include(error.message, "2025-11-21 to 2026-11-20")
          assert.lengthOf(sent, 1)
        })
    )
  )

  it.effect("are asked for 50 items at a time; others' rows are left out (A16)", () =>
    on(
      ({ nmIds = [] }) => answer(...nmIds, 9999),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 60 }, (_, i) => item(i + 1))
          const rows = yield* collect(ItemRating.make(client).items({ days: week, items: ids }))
          assert.deepStrictEqual(
            rows.map(({ itemId }) => itemId),
            ids
          )
          assert.deepStrictEqual(
            sent.map((one) => bodyOf(one).nmIds?.length),
            [50, 10]
          )
        })
    )
  )

  it.effect("of the whole selection tell the seller's rating and the new reviews", () =>
    on(
      () => answer(),
      ({ client }) =>
        Effect.gen(function* () {
          const { overall } = ItemRating.make(client)
          const { reviews, sellerRating } = yield* overall({ days: week })
          assert.deepStrictEqual(sellerRating, { current: 4.8, changePercent: 1 })
          assert.deepInclude(reviews, { current: 12, total: 400, changePercent: undefined })
          assert.deepStrictEqual(reviews?.stars.five, { current: 10, changePercent: 3, total: 350 })
          const error = yield* Effect.flip(overall({ days: week, items: [] }))
          assert.include(error.message, "no item is named")
        })
    )
  )

  it.effect.each([[{ data: {} }], [{ data: null }], [{}], [null]] as const)(
    "are none where the answer is %j",
    ([body]) =>
      on(
        () => json(body),
        ({ client }) =>
          Effect.gen(function* () {
            const { items, overall } = ItemRating.make(client)
            assert.deepStrictEqual(yield* collect(items({ days: week })), [])
            assert.deepStrictEqual(yield* overall({ days: week }), {
              sellerRating: undefined,
              reviews: undefined
            })
          })
      )
  )

  it.effect("are not asked for with a Base token, with or without a secret (A20)", () =>
    Effect.forEach(["base", "base_with_secret"] as const, (kind) =>
      on(
        () => answer(1001),
        ({ client, sent }) =>
          Effect.map(Effect.flip(collect(ItemRating.make(client).items({ days: week }))), (error) => {
            assert.strictEqual(error._tag, "Forbidden")
            assert.lengthOf(sent, 0)
          }),
        { token: { ...token, kind } }
      )
    )
  )
})
