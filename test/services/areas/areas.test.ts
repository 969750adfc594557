import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { assert, describe } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { CampaignId, Cluster, ItemId, PromotionId } from "../../../src/domain/Ids.js"
import { Kopecks, Roubles } from "../../../src/domain/Money.js"
import * as FactLoader from "../../../src/marketplace/FactLoader.js"
import * as Campaigns from "../../../src/services/areas/advertising/Campaigns.js"
import * as Clusters from "../../../src/services/areas/advertising/Clusters.js"
import * as Creation from "../../../src/services/areas/advertising/Creation.js"
import * as Finance from "../../../src/services/areas/advertising/Finance.js"
import * as Management from "../../../src/services/areas/advertising/Management.js"
import * as Statistics from "../../../src/services/areas/advertising/Statistics.js"
import * as Promo from "../../../src/services/areas/promotions/Promo.js"
import {
  type Fake,
  json,
  type Reply,
  type Sent,
  token,
  withMarketplace,
  withPermit
} from "../FakeMarketplace.js"

const campaign = (n: number) => CampaignId.make(n)
const item = (n: number) => ItemId.make(n)
const pair = (c: number, i: number) => ({ campaignId: campaign(c), itemId: item(i) })
const days = { from: Day("2026-11-01"), to: Day("2026-11-07") }

/** Runs against a marketplace that answers with one value, or by the request. */
const on = <A, E>(
  reply:
    | ((sent: Sent, nth: number) => Reply)
    | Readonly<Record<string, unknown>>
    | ReadonlyArray<unknown>
    | null,
  use: (fake: Fake) => Effect.Effect<A, E>
) => withMarketplace(typeof reply === "function" ? reply : () => json(reply), use)

describe("amounts beyond all money", () => {
  const most = Number.MAX_SAFE_INTEGER

  it.effect("are not known, and nothing breaks by them", () =>
    on({ total: most, balance: most, net: 5, cashbacks: null }, ({ client }) =>
      Effect.gen(function* () {
        const finance = Finance.make(client)
        const { values } = yield* finance.budgets([campaign(777)])
        assert.deepStrictEqual(
          values.map(({ totalRoubles }) => totalRoubles),
          [undefined]
        )
        const { balanceRoubles, netRoubles } = yield* finance.balance
        assert.deepStrictEqual([balanceRoubles, netRoubles], [undefined, Roubles(5)])
      })
    )
  )

  it.effect("are not known when they add up to one", () => {
    const nms = [1001, 1002].map((nmId) => ({ nmId, views: 1, sum: 9e13, sum_price: 1 }))
    return on(
      [{ advertId: 777, days: [{ date: "2026-11-02", apps: [{ appType: 1, nms }] }] }],
      ({ client }) =>
        Effect.gen(function* () {
          const { values } = yield* Statistics.make(client).campaigns([campaign(777)], days)
          const { orderValueKopecks, spendKopecks } = values[0]!.totals
          assert.deepStrictEqual([spendKopecks, orderValueKopecks], [undefined, Kopecks(200)])
        })
    )
  })
})

describe("campaigns", () => {
  it.effect("come with the seller's words, and unknown codes as text", () =>
    on(
      {
        adverts: [
          {
            id: 777,
            status: 9,
            bid_type: "manual",
            settings: { name: "Boots", payment_type: "cpm", placements: { search: true } },
            nm_settings: [
              { nm_id: 1001, bids_kopecks: { search: 45000 }, subject: { id: 7, name: "Shoes" } }
            ],
            timestamps: { deleted: "2100-01-01T00:00:00Z", started: null }
          },
          { id: 778, status: 42, nm_settings: null }
        ]
      },
      ({ client }) =>
        Effect.gen(function* () {
          const { values } = yield* Campaigns.make(client).byIds([campaign(777), campaign(778)])
          assert.deepInclude(values[0], {
            name: "Boots",
            status: "active",
            payment: "cpm",
            bidType: "manual"
          })
          assert.deepStrictEqual(values[0]?.placements, { search: true, recommendations: undefined })
          assert.deepStrictEqual(values[0]?.items, [
            {
              itemId: item(1001),
              searchBidKopecks: Kopecks(45000),
              recommendationsBidKopecks: undefined,
              subject: "Shoes",
              subjectId: 7
            }
          ])
          assert.deepInclude(values[1], { status: "42", name: undefined, items: [] })
        })
    )
  )

  it.effect("are known to be more than are named by the counts of the list itself", () =>
    Effect.gen(function* () {
      const group = (status: number, count: number, ...ids: ReadonlyArray<number>) => ({
        type: 9,
        status,
        count,
        advert_list: ids.map((advertId) => ({ advertId }))
      })
      const ofNoStatus = { count: 2, advert_list: [{ advertId: 777 }] }
      for (const [adverts, all, unnamed, isWhole] of [
        [[group(9, 2, 777, 778), group(7, 1, 779)], 3, [0, 0, 0], true],
        [[group(9, 2, 777), group(7, 1, 779)], 3, [1, 0, 0], false],
        [[group(9, 2, 777, 778), group(7, 1)], 3, [0, 1, 0], false],
        [[group(7, 5, 777), group(8, 2), group(-1, 4, 778)], 11, [0, 4, 5], false],
        [[group(9, 2, 777, 778)], 3, [1, 0, 0], false],
        [[ofNoStatus], 2, [1, 0, 0], false],
        [null, 3, [3, 0, 0], false],
        [null, 0, [0, 0, 0], true]
      ] as const) {
        yield* on({ adverts, all }, ({ client }) =>
          Effect.map(Campaigns.make(client).lists, (lists) =>
            assert.deepStrictEqual(
              [[lists.unnamed, lists.unnamedCompleted, lists.unnamedOthers], lists.isWhole],
              [unnamed, isWhole]
            )
          )
        )
      }
    })
  )

  it.effect(
    "that ended and are not named are counted: the completed for the spend of the day, the others to be told",
    () =>
      Effect.gen(function* () {
        const group = (status: number, count: number) => ({ type: 9, status, count, advert_list: [] })
        const read = (adverts: ReadonlyArray<unknown>, all: number) =>
          on({ adverts, all }, ({ client }) => FactLoader.make(client).campaigns)
        const { failures, unnamed } = yield* read([group(7, 3), group(8, 2), group(-1, 4)], 9)
        assert.deepStrictEqual([unnamed, failures], [{ completed: 3, others: 6 }, []])
      })
  )

  it.effect("are asked for by 50 ids, and a failed chunk does not drop the others", () =>
    on(
      ({ url }) =>
        url.searchParams.get("ids")?.startsWith("51,")
          ? { status: 400 }
          : json({
              adverts: url.searchParams
                .get("ids")
                ?.split(",")
                .map((id) => ({ id: Number(id) }))
            }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 120 }, (_, i) => campaign(i + 1))
          const { values, failures } = yield* Campaigns.make(client).byIds(ids)
          assert.lengthOf(sent, 3)
          assert.lengthOf(values, 70)
          assert.deepStrictEqual(
            failures.map(({ keys }) => keys),
            [ids.slice(50, 100)]
          )
        })
    )
  )
})

describe("cluster bids", () => {
  const row = (cluster: string, bid: number) => ({
    ...pair(777, 1001),
    cluster: Cluster.make(cluster),
    bidKopecks: Kopecks(bid)
  })
  const rows = [row("a", 45000), row("b", 45050), row("c", 100)]

  it.effect("are read in minor units, whatever the other spelling says", () =>
    on(
      {
        bids: [
          { advert_id: 777, nm_id: 1001, norm_query: "a", bid: 450, bid_kopecks: 45000 },
          { advert_id: 777, nm_id: 1001, norm_query: "b", bid: 451, bid_kopecks: 45000 }
        ]
      },
      ({ client }) =>
        Effect.map(Clusters.make(client).bids([pair(777, 1001)]), ({ values }) =>
          assert.deepStrictEqual(
            values.map(({ bidKopecks }) => bidKopecks),
            [Kopecks(45000), Kopecks(45000)]
          )
        )
    )
  )

  it.effect(
    "are written in minor units; each row has its own outcome, and of one that is not named nobody knows",
    () =>
      on(
        {
          success: [{ advertId: 777, nmId: 1001, normQuery: "a" }],
          failed: [{ advertId: 777, nmId: 1001, normQuery: "b", reason: "disabled" }]
        },
        ({ client, sent }) =>
          Effect.gen(function* () {
            const { values } = yield* withPermit(Clusters.make(client).setBids(rows))
            assert.strictEqual(sent[0]?.url.pathname, "/api/advert/v1/normquery/bids")
            assert.include(JSON.stringify(sent[0]?.body), '"bidMinorUnits":45050')
            assert.deepStrictEqual(
              values.map(({ row, outcome }) => [row.cluster, outcome]),
              [
                ["a", "accepted"],
                ["b", "failed"],
                ["c", "unconfirmed"]
              ]
            )
            assert.strictEqual(values[1]?.reason, "disabled")
          })
      )
  )

  it.effect("are unconfirmed, neither done nor failed, when the answer is empty", () =>
    on(
      () => ({ status: 200 }),
      ({ client }) =>
        Effect.map(withPermit(Clusters.make(client).setBids(rows)), ({ values }) =>
          assert.deepStrictEqual([...new Set(values.map(({ outcome }) => outcome))], ["unconfirmed"])
        )
    )
  )

  it.effect(
    "are written in whole units by a Base token, and one with a fraction is not rounded but failed",
    () =>
      withMarketplace(
        ({ body }) => json({ success: Object(body).bids, failed: [] }),
        ({ client, sent }) =>
          Effect.gen(function* () {
            const { values } = yield* withPermit(Clusters.make(client).setBids(rows))
            assert.strictEqual(sent[0]?.url.pathname, "/adv/v0/normquery/bids")
            assert.deepStrictEqual(
              Object(sent[0]?.body).bids.map(({ bid }: { bid: number }) => bid),
              [450, 1]
            )
            assert.deepStrictEqual(
              values.map(({ row, outcome }) => [row.cluster, outcome]),
              [
                ["a", "accepted"],
                ["c", "accepted"],
                ["b", "failed"]
              ]
            )
          }),
        { token: { ...token, kind: "base" } }
      )
  )
})

describe("clusters and minus phrases", () => {
  it.effect("a pair the answer leaves out has no listed clusters, but its minus list is not known", () =>
    Effect.gen(function* () {
      for (const answer of [null, { items: null }, { items: [] }]) {
        yield* on(answer, ({ client }) =>
          Effect.gen(function* () {
            const listed = yield* Clusters.make(client).list([pair(777, 1001)])
            assert.deepStrictEqual(listed.values, [
              { ...pair(777, 1001), active: [], excluded: [], archived: [] }
            ])
            const minus = yield* Clusters.make(client).minus([pair(777, 1001)])
            assert.deepStrictEqual(minus.values, [{ ...pair(777, 1001), phrases: undefined }])
          })
        )
      }
    })
  )

  it.effect("a minus list is not known when a named pair comes without it, or with two different ones", () =>
    Effect.gen(function* () {
      const row = { advert_id: 777, nm_id: 1001 }
      for (const items of [
        [row],
        [
          { ...row, norm_queries: ["a", "b"] },
          { ...row, norm_queries: ["c"] }
        ],
        [{ ...row, norm_queries: ["a", "b"] }, row]
      ]) {
        yield* on({ items }, ({ client }) =>
          Effect.map(Clusters.make(client).minus([pair(777, 1001)]), ({ values }) =>
            assert.deepStrictEqual(values, [{ ...pair(777, 1001), phrases: undefined }])
          )
        )
      }
    })
  )

  it.effect("a null minus list of a named pair is empty", () =>
    on({ items: [{ advert_id: 777, nm_id: 1001, norm_queries: null }] }, ({ client }) =>
      Effect.map(Clusters.make(client).minus([pair(777, 1001)]), ({ values }) =>
        assert.deepStrictEqual(values, [{ ...pair(777, 1001), phrases: [] }])
      )
    )
  )
})

describe("item bids", () => {
  it.effect("travel apart by campaign, so that one bad row spares the other campaigns", () =>
    on(
      ({ body }) =>
        Object(body).bids[0].advert_id === 2
          ? json({ detail: "below the floor" }, 400)
          : json({ bids: null }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const bid = (c: number, i: number) => ({
            ...pair(c, i),
            placement: "search" as const,
            bidKopecks: Kopecks(5000)
          })
          const bids = [...Array.from({ length: 60 }, (_, i) => bid(1, i + 1)), bid(2, 1), bid(2, 2)]
          const { values, failures } = yield* withPermit(Management.make(client).setItemBids(bids))
          assert.lengthOf(sent, 3)
          assert.lengthOf(values, 60)
          assert.deepStrictEqual(
            failures.map(({ keys, error }) => [keys.length, error._tag]),
            [[2, "Refused"]]
          )
        })
    )
  )
})

describe("recommendations", () => {
  it.effect("for another campaign or item than was asked for are a failure, not advice", () =>
    Effect.gen(function* () {
      for (const [own, isOurs] of [
        [{ advertId: 777, nmId: 1001 }, true],
        [{}, true],
        [{ advertId: 777, nmId: 1002 }, false],
        [{ advertId: 778, nmId: 1001 }, false]
      ] as const) {
        const read = yield* on(
          { ...own, paymentType: "cpm", base: { leadersBid: { bidKopecks: 30000 } } },
          ({ client }) => Effect.either(Management.make(client).recommendations(pair(777, 1001)))
        )
        assert.strictEqual(read._tag === "Right", isOurs)
      }
    })
  )

  it.effect("of 0 or none are no advice, and both payment types are told apart", () =>
    Effect.gen(function* () {
      const of = (answer: Readonly<Record<string, unknown>>) =>
        on(answer, ({ client }) => Management.make(client).recommendations(pair(777, 1001)))
      const cpm = yield* of({
        paymentType: "cpm",
        base: { competitiveBid: { bidKopecks: 30000 }, leadersBid: null, top2: { bidKopecks: 0 } },
        normQueries: [{ normQuery: "a", reachMax: { bidKopecks: 60000, bidKopecksMin: 50000 } }]
      })
      assert.deepStrictEqual(cpm, {
        _tag: "Cpm",
        competitiveKopecks: Kopecks(30000),
        leadersKopecks: undefined,
        top2Kopecks: undefined,
        clusters: [
          {
            cluster: Cluster.make("a"),
            reachMinKopecks: undefined,
            reachMediumKopecks: undefined,
            reachMaxKopecks: Kopecks(60000)
          }
        ]
      })
      const cpc = yield* of({ paymentType: "cpc", levels: [{ range1To2: { bidKopecks: 900 } }] })
      assert.deepStrictEqual(cpc, {
        _tag: "Cpc",
        levels: [{ top2Kopecks: Kopecks(900), top10Kopecks: undefined, top34Kopecks: undefined }]
      })
    })
  )

  it.effect("minimum bids use the word of the other operations", () =>
    on(
      { bids: [{ nm_id: 1001, bids: [{ type: "recommendation", value: 25000, currency: "RUB" }] }] },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const { values } = yield* Creation.make(client).minimumBids(campaign(777), [item(1001)], "cpm", [
            "recommendations"
          ])
          assert.deepStrictEqual(Object(sent[0]?.body).placement_types, ["recommendation"])
          assert.deepStrictEqual(values, [
            { itemId: item(1001), placement: "recommendations", bidKopecks: Kopecks(25000) }
          ])
        })
    )
  )
})

describe("statistics", () => {
  it.effect("of clusters are exact to the kopeck, and what cpc lacks stays unknown", () =>
    on(
      {
        stats: [
          {
            advert_id: 777,
            nm_id: 1001,
            stats: [
              {
                norm_query: "a",
                clicks: 3,
                views: null,
                ctr: null,
                cpm: null,
                spend: 0.3,
                cpc: 0.1,
                orders: 0
              }
            ]
          }
        ]
      },
      ({ client }) =>
        Effect.gen(function* () {
          const { values } = yield* Statistics.make(client).clusters([pair(777, 1001), pair(777, 1002)], days)
          const row = values[0]?.clusters[0]
          assert.strictEqual(row?.spendKopecks, Kopecks(30))
          assert.strictEqual(row?.orders, 0)
          assert.isUndefined(row?.views)
          assert.deepStrictEqual(values[1]?.clusters, [])
        })
    )
  )

  it.effect("of more than 30 days are refused before anything is sent", () =>
    on({}, ({ client, sent }) =>
      Effect.gen(function* () {
        const long = { from: Day("2026-10-01"), to: Day("2026-10-31") }
        const { failures } = yield* Statistics.make(client).clusters([pair(777, 1001)], long)
        assert.strictEqual(failures[0]?.error._tag, "Refused")
        assert.lengthOf(sent, 0)
      })
    )
  )

  const entry = (nmId: number, views: number, orders: number, sum: number) => ({
    nmId,
    views,
    clicks: 1,
    atbs: 1,
    orders,
    shks: orders,
    sum,
    sum_price: orders * 1000
  })
  const day = (date: string, ...nms: ReadonlyArray<object>) => ({ date, apps: [{ appType: 1, nms }] })

  it.effect("of campaigns count each day, app and item once, and keep associated orders apart", () =>
    on(
      [
        {
          advertId: 777,
          views: 9250,
          sum: 940.4,
          days: [
            day("2026-11-02T00:00:00+03:00", entry(1001, 100, 2, 10.1), entry(1001, 100, 2, 10.1)),
            day("2026-11-01T00:00:00Z", entry(1001, 50, 1, 20.2), entry(1002, 0, 4, 0)),
            day("2026-10-31T00:00:00Z", entry(1001, 9000, 9, 900))
          ]
        }
      ],
      ({ client }) =>
        Effect.gen(function* () {
          const { values } = yield* Statistics.make(client).campaigns([campaign(777), campaign(778)], days)
          assert.deepInclude(values[0]?.totals, {
            views: 150,
            orders: 3,
            associatedOrders: 4,
            spendKopecks: Kopecks(3030),
            orderValueKopecks: Kopecks(300_000)
          })
          assert.deepStrictEqual(
            values[0]?.items.map(({ itemId, totals }) => [itemId, totals.orders]),
            [
              [1001, 3],
              [1002, undefined]
            ]
          )
          assert.isFalse(values[1]?.reported)
          assert.isUndefined(values[1]?.totals.spendKopecks)
        })
    )
  )

  it.effect(
    "of campaigns without data are not reported, whatever face that has; other refusals are failures",
    () =>
      Effect.gen(function* () {
        const ask = (reply: () => Reply) =>
          on(reply, ({ client }) => Statistics.make(client).campaigns([campaign(777)], days))
        for (const reply of [
          () => json(null),
          () => json([]),
          () => json([{ status: 400 }]),
          () => json({ detail: "there is no statistics for the period", status: 400 }, 400)
        ]) {
          const { values, failures } = yield* ask(reply)
          assert.deepStrictEqual([values[0]?.reported, failures.length], [false, 0])
        }
        for (const detail of [
          "bad ids",
          "cannot parse request data",
          "Unknown field in the data",
          "campaign 777 is not found in statistics",
          "endDate is now before stats began"
        ]) {
          const { failures } = yield* ask(() => json({ detail }, 400))
          assert.strictEqual(failures[0]?.error._tag, "Refused", detail)
        }
      })
  )

  it.effect(
    "are asked once more of campaigns that were left out among others, before that is believed",
    () => {
      const reported = (id: number) => ({ advertId: id, days: [day("2026-11-02", entry(1001, 9, 1, 2))] })
      const ids = [777, 778, 779].map(campaign)
      const asked = (fake: Fake) =>
        fake.sent.map(({ url }) => url.searchParams.get("ids")?.split(",").map(Number))
      const told = (second: () => Reply, mayHaveSome?: (id: CampaignId) => boolean) =>
        on(
          (_, nth) => (nth === 0 ? json([reported(777)]) : second()),
          (fake) =>
            Effect.map(
              Statistics.make(fake.client).campaigns(ids, days, mayHaveSome),
              ({ failures, values }) => ({
                asked: asked(fake),
                reported: values.map(({ campaignId, reported }) => [Number(campaignId), reported]),
                failed: failures.flatMap(({ keys }) => keys)
              })
            )
        )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* told(() => json([reported(779)])), {
          asked: [
            [777, 778, 779],
            [778, 779]
          ],
          reported: [
            [777, true],
            [778, false],
            [779, true]
          ],
          failed: []
        })
        const refused = yield* told(() => json({ detail: "bad ids" }, 400))
        assert.deepStrictEqual([refused.reported, refused.failed], [[[777, true]], [778, 779]])
        const idle = yield* told(
          () => json([reported(779)]),
          (id) => id === 779
        )
        assert.deepStrictEqual(idle.asked[1], [779])
        const base = yield* withMarketplace(
          () => json([reported(777)]),
          (fake) => Effect.as(Statistics.make(fake.client).campaigns(ids, days), fake),
          { token: { ...token, kind: "base" } }
        )
        assert.deepStrictEqual(asked(base), [[777, 778, 779]])
      })
    }
  )

  it.effect("of campaigns leave a number unknown of which one entry does not tell its part", () =>
    on(
      [{ advertId: 777, days: [day("2026-11-01", entry(1001, 9, 1, 1), { nmId: 1002, views: 5, sum: 2 })] }],
      ({ client }) =>
        Effect.map(Statistics.make(client).campaigns([campaign(777)], days), ({ values }) => {
          const { orders, spendKopecks, views } = values[0]?.totals ?? {}
          assert.deepStrictEqual([views, spendKopecks, orders], [14, Kopecks(300), undefined])
          assert.deepStrictEqual(
            values[0]?.items.map(({ totals }) => totals.orders),
            [1, undefined]
          )
        })
    )
  )

  it.effect("of a campaign are a failure where its days are far less than the sum the answer states", () =>
    on(
      [
        { advertId: 777, views: 1000, clicks: 2, days: [day("2026-11-01", entry(1001, 400, 1, 1))] },
        { advertId: 778, views: 400, clicks: 1, days: [day("2026-11-01", entry(1001, 400, 1, 1))] }
      ],
      ({ client }) =>
        Effect.map(
          Statistics.make(client).campaigns([campaign(777), campaign(778)], days),
          ({ failures, values }) => {
            assert.deepStrictEqual(
              values.map(({ campaignId }) => campaignId),
              [campaign(778)]
            )
            assert.deepStrictEqual(
              failures.map(({ error, keys }) => [keys, error._tag]),
              [[[campaign(777)], "Undecodable"]]
            )
          }
        )
    )
  )

  it.effect("of one day are asked with the day before, which is not counted", () =>
    on(
      [{ advertId: 777, days: [day("2026-11-06", entry(1, 5, 0, 1)), day("2026-11-07", entry(1, 7, 0, 2))] }],
      (fake) =>
        Effect.gen(function* () {
          const today = { from: days.to, to: days.to }
          const { values } = yield* Statistics.make(fake.client).campaigns([campaign(777)], today)
          assert.strictEqual(fake.sent[0]?.url.searchParams.get("beginDate"), "2026-11-06")
          assert.strictEqual(values[0]?.totals.views, 7)
        })
    )
  )
})

describe("finance", () => {
  it.effect("a long history is asked for month by month without gap or overlap", () =>
    on([], ({ client, sent }) =>
      Effect.gen(function* () {
        yield* Finance.make(client).costHistory({ from: Day("2026-01-01"), to: Day("2026-03-05") })
        assert.deepStrictEqual(
          sent.map(({ url }) => [url.searchParams.get("from"), url.searchParams.get("to")]),
          [
            ["2026-01-01", "2026-01-31"],
            ["2026-02-01", "2026-03-03"],
            ["2026-03-04", "2026-03-05"]
          ]
        )
      })
    )
  )

  it.effect("a deposit is whole base units and is sent once, whatever becomes of it", () =>
    on(
      () => ({ status: 500 }),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const error = yield* Finance.make(client)
            .deposit(campaign(777), { sumRoubles: Roubles(1000), source: "balance" })
            .pipe(withPermit, Effect.flip)
          assert.strictEqual(error._tag, "Unavailable")
          assert.deepStrictEqual(
            sent.map(({ body }) => body),
            [{ sum: 1000, type: 1, return: true }]
          )
        })
    )
  )
})

describe("promotions", () => {
  it.effect("items come page by page, prices to the kopeck", () =>
    on(
      ({ url }) => {
        const offset = Number(url.searchParams.get("offset"))
        const length = offset === 0 ? 1000 : 3
        const row = (_: unknown, i: number) => ({ id: offset + i + 1, price: 12.5, inAction: true })
        return json({ data: { nomenclatures: Array.from({ length }, row) } })
      },
      ({ client, sent }) =>
        Effect.gen(function* () {
          const items = yield* Stream.runCollect(Promo.make(client).items(PromotionId.make(5), true))
          assert.lengthOf(sent, 2)
          assert.strictEqual(items.length, 1003)
          assert.strictEqual([...items][0]?.priceKopecks, Kopecks(1250))
        })
    )
  )
})
