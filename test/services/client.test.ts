import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { assert, describe } from "vitest"
import { AccountName, CampaignId, type ChangeId, Cluster, ItemId, PlanId } from "../../src/domain/Ids.js"
import { issue, WritePermit } from "../../src/domain/WritePermit.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import { type CallError, effectOf } from "../../src/services/MarketplaceError.js"
import * as Wire from "../../src/services/Wire.js"
import { json, type Reply, token, withMarketplace, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

const id = CampaignId.make(777)
const itemId = ItemId.make(1001)

describe("what leaves", () => {
  it.effect("goes to the host of its operation, with the token in the configured header", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          yield* client.api.campaigns.getCampaigns({ urlParams: { ids: [id, CampaignId.make(778)] } })
          yield* client.read("getPromotionDetails", inputs.getPromotionDetails!)
          assert.strictEqual(sent[0]?.url.href, "http://advert.test/api/advert/v2/adverts?ids=777%2C778")
          assert.strictEqual(sent[0]?.headers.authorization, "Bearer secret-token")
          assert.strictEqual(
            sent[1]?.url.href,
            "http://calendar.test/api/v1/calendar/promotions/details?promotionIDs=5&promotionIDs=6"
          )
        })
    )
  )

  it.effect.each(Catalogue.operations.map(({ file, id: operation }) => [operation, file] as const))(
    "asks for what can be read of %s",
    ([operation, file]) =>
      withMarketplace(
        () => json({}),
        ({ client, sent }) =>
          Effect.gen(function* () {
            yield* Effect.either(withPermit(client.call(operation, inputs[operation] ?? {})))
            const accepted = (sent[0]?.headers.accept ?? "").split(", ")
            if (file === undefined) assert.deepStrictEqual(accepted, ["application/json"])
            else assert.includeMembers(accepted, ["application/zip", "text/csv"])
          })
      )
  )

  it.effect("changes items of a campaign by either list alone, and refuses to change nothing", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const change = (items: object) =>
            Effect.either(
              withPermit(
                client.call("changeCampaignItems", { payload: { nms: [{ advert_id: 777, nms: items }] } })
              )
            )
          yield* change({ add: [1001] })
          yield* change({ delete: [1001] })
          assert.deepStrictEqual(
            sent.map(({ body }) => body),
            [
              { nms: [{ advert_id: 777, nms: { add: [1001] } }] },
              { nms: [{ advert_id: 777, nms: { delete: [1001] } }] }
            ]
          )
          for (const none of [{}, { add: [] }, { add: [], delete: [] }]) {
            const refused = Either.flip(yield* change(none))
            assert.include(Either.getOrThrow(refused).message, "name items to add or to delete")
          }
          assert.lengthOf(sent, 2)
        })
    )
  )

  it.effect("sorts the sales funnel by a field and a direction, never by a field alone", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const period = { start: "2026-11-01", end: "2026-11-07" }
          const sorted = (orderBy: object) =>
            Effect.either(client.read("getFunnelProducts", { payload: { selectedPeriod: period, orderBy } }))
          yield* sorted({ field: "openCard", mode: "desc" })
          assert.lengthOf(sent, 1)
          const refused = Either.flip(yield* sorted({ field: "openCard" }))
          assert.include(Either.getOrThrow(refused).message, "orderBy.mode: is missing")
          assert.lengthOf(sent, 1)
        })
    )
  )

  it.effect("may carry the bare token under another name", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.map(client.api.finance.getBalance(), () => {
          assert.strictEqual(sent[0]?.headers["x-key"], "secret-token")
          assert.isUndefined(sent[0]?.headers.authorization)
        }),
      { header: { name: "X-Key", scheme: "" } }
    )
  )

  it.effect("carries a JSON body on DELETE", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.map(withPermit(client.call("deleteClusterBids", inputs.deleteClusterBids!)), () => {
          assert.strictEqual(sent[0]?.method, "DELETE")
          assert.deepStrictEqual(sent[0]?.body, inputs.deleteClusterBids?.payload)
        })
    )
  )

  it.effect("tells no traces of ours to the marketplace", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.map(Effect.withSpan(client.api.finance.getBalance(), "outer"), () => {
          assert.notProperty(sent[0]?.headers, "traceparent")
          assert.notProperty(sent[0]?.headers, "b3")
        })
    )
  )

  it.effect("leaves a seller's own texts as they are when the operator has a word of its own", () =>
    withMarketplace(
      ({ body }) => json({ ...Object(body), success: [], failed: [] }),
      ({ client, sent }) => {
        const payload = {
          bids: [{ advertId: id, nmId: itemId, normQuery: Cluster.make("platform"), bidMinorUnits: 100 }]
        }
        return Effect.map(withPermit(client.api.clusters.setClusterBidsMinorUnits({ payload })), () =>
          assert.deepStrictEqual(sent[0]?.body, payload)
        )
      },
      { wire: Either.getOrThrow(Wire.make("acme")) }
    )
  )
})

describe("what never leaves", () => {
  const refusedLocally = (
    effect: Effect.Effect<unknown, CallError, WritePermit>,
    sent: ReadonlyArray<unknown>,
    tag: CallError["_tag"]
  ) =>
    Effect.map(Effect.flip(withPermit(effect)), (error) => {
      assert.strictEqual(error._tag, tag)
      assert.isTrue(error._tag !== "LimitStopped" && error.arrived === "no")
      assert.lengthOf(sent, 0)
      return error.message
    })

  const cases: ReadonlyArray<readonly [string, string, { urlParams?: object; payload?: unknown }]> = [
    [
      "51 campaigns in one call",
      "getCampaigns",
      { urlParams: { ids: Array.from({ length: 51 }, (_, i) => i + 1) } }
    ],
    ["an id that is no number", "getCampaigns", { urlParams: { ids: [1, "x"] } }],
    [
      "a bid of 0",
      "setItemBids",
      { payload: { bids: [{ advert_id: 1, nm_bids: [{ nm_id: 2, bid_kopecks: 0, placement: "search" }] }] } }
    ],
    [
      "a bid with a fraction",
      "setClusterBids",
      { payload: { bids: [{ advert_id: 1, nm_id: 2, norm_query: "a", bid: 1.5 }] } }
    ],
    [
      "101 clusters",
      "deleteClusterBids",
      { payload: { bids: Array.from({ length: 101 }, () => ({ advert_id: 1, nm_id: 2, norm_query: "a" })) } }
    ],
    [
      "1001 minus phrases",
      "setMinusPhrases",
      { payload: { advert_id: 1, nm_id: 2, norm_queries: Array.from({ length: 1001 }, String) } }
    ],
    ["a name of 101 characters", "renameCampaign", { payload: { advertId: 1, name: "я".repeat(101) } }],
    ["32 days", "getCostHistory", { urlParams: { from: "2026-10-01", to: "2026-11-01" } }],
    [
      "days in the wrong order",
      "getCampaignStats",
      { urlParams: { ids: [1], beginDate: "2026-11-02", endDate: "2026-11-01" } }
    ],
    [
      "an item added and deleted at once",
      "changeCampaignItems",
      { payload: { nms: [{ advert_id: 1, nms: { add: [5], delete: [5] } }] } }
    ],
    [
      "21 campaigns with changed items",
      "changeCampaignItems",
      {
        payload: { nms: Array.from({ length: 21 }, () => ({ advert_id: 1, nms: { add: [5], delete: [] } })) }
      }
    ],
    [
      "placements of a standard bid",
      "createCampaign",
      { payload: { name: "a", bid_type: "unified", placement_types: ["search"] } }
    ],
    [
      "a cashback without its percent",
      "depositCampaignBudget",
      { urlParams: { id: 1 }, payload: { sum: 1000, type: 0, cashback_sum: 10 } }
    ],
    ["a promotion named twice", "getPromotionDetails", { urlParams: { promotionIDs: [5, 5] } }],
    [
      "a time with fractions",
      "listPromotions",
      {
        urlParams: {
          startDateTime: "2026-11-01T00:00:00.000Z",
          endDateTime: "2026-11-02T00:00:00Z",
          allPromo: true
        }
      }
    ],
    ["an operation that does not exist", "buyEverything", {}]
  ]
  it.effect.each(cases)("%s", ([, operation, input]) =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) => refusedLocally(client.call(operation, input), sent, "Refused")
    )
  )

  it.effect("and the message names the place", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const payload = {
            bids: [{ advert_id: 1, nm_bids: [{ nm_id: 2, bid_kopecks: 0, placement: "search" }] }]
          }
          assert.include(
            yield* refusedLocally(client.call("setItemBids", { payload }), sent, "Refused"),
            "bids.0.nm_bids.0.bid_kopecks: Expected a positive number, actual 0"
          )
        })
    )
  )

  it.effect("a typed request beyond a bound", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        refusedLocally(client.api.clusters.listClusters({ payload: { items: [] } }), sent, "Refused")
    )
  )

  it.effect("an operation the token's kind is not served", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          assert.include(
            yield* refusedLocally(client.api.campaignManagement.getPromotionConfig(), sent, "Forbidden"),
            "Base with secret"
          )
        }),
      { token: { ...token, kind: "base_with_secret" } }
    )
  )

  it.effect(
    "a write with a read-only token, a call outside the token's categories, any call after expiry",
    () =>
      Effect.gen(function* () {
        const write = withMarketplace(
          () => json({}),
          ({ client, sent }) =>
            refusedLocally(client.call("startCampaign", inputs.startCampaign!), sent, "Forbidden"),
          { token: { ...token, readOnly: true } }
        )
        assert.include(yield* write, "reading only")
        const foreign = withMarketplace(
          () => json({}),
          ({ client, sent }) =>
            refusedLocally(client.call("listPromotions", inputs.listPromotions!), sent, "Forbidden"),
          { token: { ...token, categories: new Set(["promotion"] as const) } }
        )
        assert.include(yield* foreign, "Prices and Discounts")
        yield* TestClock.setTime(5000)
        yield* withMarketplace(
          () => json({}),
          ({ client, sent }) => refusedLocally(client.api.finance.getBalance(), sent, "Unauthorised"),
          { token: { ...token, expiresAt: 5000 } }
        )
      })
  )

  it.effect("a write under the permit of another account", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const foreign = issue({
            account: AccountName("other"),
            planId: PlanId("p"),
            changes: new Set<ChangeId>()
          })
          const error = yield* client.api.campaignManagement
            .pauseCampaign({ urlParams: { id } })
            .pipe(Effect.provideService(WritePermit, foreign), Effect.flip)
          assert.strictEqual(error._tag, "Forbidden")
          assert.lengthOf(sent, 0)
        })
    )
  )

  it.effect("a write asked for as a read", () =>
    withMarketplace(
      () => json({}),
      ({ client, sent }) =>
        refusedLocally(client.read("pauseCampaign", inputs.pauseCampaign!), sent, "Refused")
    )
  )
})

describe("what comes back", () => {
  const call = (operation: string, reply: Parameters<typeof withMarketplace>[0]) =>
    withMarketplace(reply, (fake) =>
      Effect.map(Effect.either(withPermit(fake.client.call(operation, inputs[operation]!))), (result) => ({
        result,
        ...fake
      }))
    )

  it.effect("204, null, nothing and an empty list are the same empty result", () =>
    Effect.gen(function* () {
      for (const body of ["", "null", "[]"]) {
        const { result } = yield* call("getPaymentHistory", () => ({ status: 200, body }))
        assert.deepStrictEqual(result, Either.right([]))
      }
      for (const operation of ["getPaymentHistory", "getCostHistory", "listCampaignItems"]) {
        assert.deepStrictEqual((yield* call(operation, () => ({ status: 204 }))).result, Either.right([]))
      }
      const lists = yield* call("listCampaignIds", () => json({ adverts: null, all: 0 }))
      assert.deepStrictEqual(lists.result, Either.right({ adverts: [], all: 0 }))
    })
  )

  it.effect("a write that promises nothing succeeds with any 2xx, unless a refusal hides in it", () =>
    Effect.gen(function* () {
      for (const operation of ["setCampaignPlacements", "startCampaign", "setMinusPhrases"]) {
        for (const status of [200, 204]) {
          const { result } = yield* call(operation, () => ({ status, body: status === 200 ? "OK" : "" }))
          assert.strictEqual(result._tag, "Right", `${operation} ${status}`)
        }
        const hidden = yield* call(operation, () => json({ status: 400, title: "not done" }))
        assert.isTrue(Either.isLeft(hidden.result) && hidden.result.left._tag === "Undecodable")
      }
    })
  )

  it.effect("a created campaign's id may be a number or the same as text", () =>
    Effect.gen(function* () {
      for (const body of ["12345", '"12345"', " 12345\n"]) {
        const { result } = yield* call("createCampaign", () => ({ status: 200, body }))
        assert.deepStrictEqual(result, Either.right(CampaignId.make(12345)))
      }
    })
  )

  it.effect("an id beyond exact numbers is not taken for another", () =>
    Effect.gen(function* () {
      const { result } = yield* call("createCampaign", () => ({ status: 200, body: "9007199254740993" }))
      assert.isTrue(Either.isLeft(result) && result.left._tag === "Undecodable")
    })
  )

  it.effect("statistics without data have four faces", () =>
    Effect.gen(function* () {
      for (const body of ["null", "[]", '{"status":400,"title":"no statistics"}', '[{"status":400}]']) {
        const { result } = yield* call("getCampaignStats", () => ({ status: 200, body }))
        assert.strictEqual(result._tag, "Right", body)
      }
    })
  )

  it.effect("fewer bytes than promised is a broken answer, not an empty one", () =>
    Effect.gen(function* () {
      const { result } = yield* call("pauseCampaign", () => ({
        status: 200,
        body: "",
        headers: { "content-length": "20" }
      }))
      assert.isTrue(Either.isLeft(result) && result.left._tag === "Transport")
      assert.isTrue(
        Either.isLeft(result) && result.left._tag === "Transport" && result.left.arrived === "maybe"
      )
    })
  )

  it.effect("a connection that was never made is known not to have arrived", () =>
    Effect.gen(function* () {
      for (const [fault, syscall, arrived] of [
        ["ECONNREFUSED", "connect", "no"],
        ["EHOSTUNREACH", "connect", "no"],
        ["ENOTFOUND", "getaddrinfo", "no"],
        ["ECONNRESET", "read", "maybe"],
        ["UND_ERR_SOCKET", "", "maybe"]
      ] as const) {
        const { result } = yield* call("pauseCampaign", () => ({ fault, syscall }))
        assert.isTrue(
          Either.isLeft(result) && result.left._tag === "Transport" && result.left.arrived === arrived
        )
      }
    })
  )

  it.effect("a connection that loses its way after a write has left may have brought it", () =>
    Effect.gen(function* () {
      for (const fault of ["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED"]) {
        for (const syscall of ["read", "write"]) {
          const { result } = yield* call("depositCampaignBudget", () => ({ fault, syscall }))
          assert.isTrue(Either.isLeft(result) && effectOf(result.left) === "unknown", `${syscall} ${fault}`)
        }
      }
    })
  )

  it.effect("the token never shows in an error, however it was sent", () =>
    Effect.gen(function* () {
      for (const scheme of ["Bearer", ""]) {
        const error = yield* withMarketplace(
          ({ headers }) => json({ title: "bad", detail: `you sent ${headers.authorization} to us` }, 401),
          ({ client }) => Effect.flip(client.api.finance.getBalance()),
          { header: { name: "Authorization", scheme } }
        )
        assert.include(error.message, "[removed]")
        assert.notInclude(error.message, "secret-token")
      }
    })
  )

  it.effect("the token never shows in what was taken for no answer, though the status says success", () =>
    Effect.gen(function* () {
      const replies: ReadonlyArray<(token: string) => Reply> = [
        (token) => ({ status: 200, body: `<html><title>for ${token}</title>` }),
        (token) => json({ balance: token }),
        (token) => json({ error: `no ${token}` })
      ]
      for (const [nth, reply] of replies.entries()) {
        const error = yield* withMarketplace(
          ({ headers }) => reply(headers.authorization?.replace("Bearer ", "") ?? ""),
          ({ client }) =>
            Effect.flip(
              nth < 2
                ? client.api.finance.getBalance()
                : client.call("pauseCampaign", inputs.pauseCampaign!).pipe(withPermit)
            )
        )
        assert.strictEqual(error._tag, "Undecodable")
        assert.include(error.message, "[removed]")
        assert.notInclude(error.message, "secret-token")
      }
    })
  )

  it.effect("a read that fails twice and then answers is one answer", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(
        call("getBalance", (_, nth) => (nth < 2 ? { status: 502 } : json({ balance: 10 })))
      )
      yield* TestClock.adjust("1 minute")
      const { result, sent } = yield* Fiber.join(fiber)
      assert.strictEqual(result._tag, "Right")
      assert.lengthOf(sent, 3)
    })
  )

  it.effect("a path that was not found for a moment is not given up for one that is not there either", () =>
    withMarketplace(
      ({ url }, nth) =>
        nth === 0 || !url.pathname.startsWith("/api/advert/")
          ? json({ title: "path not found" }, 404)
          : json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const asked = client.call("getClusterDailyStats", inputs.getClusterDailyStats!).pipe(withPermit)
          assert.strictEqual((yield* Effect.flip(asked))._tag, "Refused")
          yield* asked
          assert.lengthOf(sent, 3)
        })
    )
  )

  it.effect("a path that is gone is asked for under its other name, and a day later once more itself", () => {
    const [first, other] = ["/api/advert/v1/normquery/stats", "/adv/v1/normquery/stats"]
    return withMarketplace(
      ({ url }) => (url.pathname === first ? json({ title: "path not found" }, 404) : json({})),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ask = client.read("getClusterDailyStats", inputs.getClusterDailyStats!)
          yield* Effect.repeatN(ask, 2)
          yield* TestClock.adjust("23 hours")
          yield* ask
          yield* TestClock.adjust("61 minutes")
          yield* ask
          yield* ask
          assert.deepStrictEqual(
            sent.map(({ url }) => url.pathname),
            [first, other, other, other, other, first, other, other]
          )
        })
    )
  })

  it.effect("an other path that is gone in its turn gives way to the first at once", () => {
    let gone = "/api/advert/v1/normquery/stats"
    return withMarketplace(
      ({ url }) => (url.pathname === gone ? json({ title: "path not found" }, 404) : json({})),
      ({ client, sent }) =>
        Effect.gen(function* () {
          const ask = client.read("getClusterDailyStats", inputs.getClusterDailyStats!)
          yield* ask
          gone = "/adv/v1/normquery/stats"
          yield* ask
          yield* ask
          assert.deepStrictEqual(
            sent.map(({ url }) => url.pathname.startsWith("/api/")),
            [true, false, false, true, true]
          )
        })
    )
  })

  it.effect("a retired path is tried under its other name, once for all calls", () =>
    withMarketplace(
      ({ url }) =>
        url.pathname.startsWith("/api/advert/") ? json({ title: "path not found" }, 404) : json({}),
      ({ client, sent }) =>
        Effect.gen(function* () {
          yield* client.call("getClusterDailyStats", inputs.getClusterDailyStats!).pipe(withPermit)
          yield* client.call("getClusterDailyStats", inputs.getClusterDailyStats!).pipe(withPermit)
          assert.deepStrictEqual(
            sent.map(({ url }) => url.pathname),
            ["/api/advert/v1/normquery/stats", "/adv/v1/normquery/stats", "/adv/v1/normquery/stats"]
          )
        })
    )
  )
})

describe("the limiter", () => {
  it.effect("is asked for the bucket of the operation and the token's kind, and told what came", () =>
    withMarketplace(
      () => ({ status: 200, body: "{}", headers: { "X-Ratelimit-Remaining": "3" } }),
      ({ client, buckets, feedback }) =>
        Effect.gen(function* () {
          yield* client.api.finance.getBalance()
          yield* client.read("listPromotions", inputs.listPromotions!)
          const common = { account: AccountName("shop"), tokenKind: "base", cost4xx: 1, burst: 1 }
          assert.deepStrictEqual(buckets, [
            { ...common, tokenKind: "base", limitGroup: "advert.getBalance", intervalMs: 1_800_000 },
            { ...common, tokenKind: "base", limitGroup: "calendar", intervalMs: 3_600_000 }
          ])
          assert.deepStrictEqual(feedback[0], { status: 200, retryAfterMs: undefined, remaining: 3 })
          assert.deepStrictEqual(yield* client.calls, { getBalance: 1, listPromotions: 1 })
        }),
      { token: { ...token, kind: "base" } }
    )
  )

  it.effect("learns the marketplace's deadline from a refusal", () =>
    withMarketplace(
      () => ({ status: 403, body: "", headers: { "Retry-After": "12" } }),
      ({ client, feedback }) =>
        Effect.map(Effect.either(client.api.finance.getBalance()), () =>
          assert.deepStrictEqual(feedback[0], { status: 403, retryAfterMs: 12_000, remaining: undefined })
        )
    )
  )
})
