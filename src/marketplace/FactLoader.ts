/**
 * Reads the engine's facts through the services. What was learned about campaigns is kept for the run, because other
 * sources need it: how to ask for minimum bids, which bid a cluster inherits, which statistics exist at all.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Days from "../domain/Days.js"
import type { CampaignId, PromotionId } from "../domain/Ids.js"
import * as Target from "../domain/Target.js"
import { ChangeLog } from "../engine/door/ChangeLog.js"
import type { Charge, Charged } from "../engine/facts/Charges.js"
import * as Sources from "../engine/facts/Sources.js"
import {
  type CampaignList,
  type FactRequest,
  FactSource,
  type SourceFailure
} from "../engine/gather/FactSource.js"
import * as Campaigns from "../services/areas/advertising/Campaigns.js"
import * as Clusters from "../services/areas/advertising/Clusters.js"
import * as Creation from "../services/areas/advertising/Creation.js"
import * as Finance from "../services/areas/advertising/Finance.js"
import * as Management from "../services/areas/advertising/Management.js"
import * as Statistics from "../services/areas/advertising/Statistics.js"
import * as OrderDates from "../services/areas/orders/OrderDates.js"
import * as Promo from "../services/areas/promotions/Promo.js"
import { type Client, MarketplaceClient } from "../services/MarketplaceClient.js"
import type { CallError } from "../services/MarketplaceError.js"
import * as OddEntries from "../services/OddEntries.js"
import { CalendarMemory } from "../services/ports/CalendarMemory.js"
import * as SwitchedOff from "../services/SwitchedOff.js"
import { type Answered, failure, fromBatched, leftOut, oddOnes, ofPairs } from "./facts/Answered.js"
import * as BidFacts from "./facts/BidFacts.js"
import * as CampaignFacts from "./facts/CampaignFacts.js"
import * as ClusterFacts from "./facts/ClusterFacts.js"
import * as PromotionFacts from "./facts/PromotionFacts.js"
import * as StatisticFacts from "./facts/StatisticFacts.js"
import * as TopUps from "./facts/TopUps.js"
import * as ItemReaders from "./ItemReaders.js"
import * as ScarceCalendar from "./ScarceCalendar.js"

/** The facts of the client's account, for one run: build it anew for each. */
export const layer: Layer.Layer<FactSource, never, MarketplaceClient> = Layer.effect(
  FactSource,
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const memory = yield* Effect.serviceOption(CalendarMemory)
    const log = yield* Effect.serviceOption(ChangeLog)
    const calendar =
      ScarceCalendar.isScarce(client) && Option.isSome(memory) && Option.isSome(log)
        ? ScarceCalendar.make(client, memory.value, log.value)
        : undefined
    return make(client, yield* client.calls, calendar)
  })
)

/**
 * A fresh loader for one run; `callsBefore` were made by the client for somebody else. Without a `calendar` that remembers,
 * the calendar is read live.
 */
export const make = (
  client: Client,
  callsBefore: Readonly<Record<string, number>> = {},
  calendar?: ScarceCalendar.ScarceCalendar
): typeof FactSource.Service => {
  const known = new Map<CampaignId, Campaigns.Campaign>()
  const retired = new Set<CampaignId>()
  const read = readers(client, calendar ?? liveCalendar(client), known, retired)
  return {
    account: client.account,
    currency: Effect.sync(() => currencyOf(known) ?? "RUB"),
    campaigns: list(Campaigns.make(client), retired),
    switchedOff: SwitchedOff.told(client),
    ...(calendar === undefined ? {} : { calendar }),
    calls: Effect.map(client.calls, (calls) => since(calls, callsBefore)),
    fetch: (request) =>
      Effect.gen(function* () {
        const { source } = request
        const untold = ofAnotherDay(request, yield* client.clockAheadMs)
        const answered = untold ?? (isSource(source) ? yield* read[source](request) : none)
        return { ...answered, readAt: answered.readAt ?? (yield* Clock.currentTimeMillis) }
      }),
    keeping: BidFacts.keeping((campaignId) => known.get(campaignId)),
    charged: (days) => charged(Finance.make(client), days),
    clockAheadMs: client.clockAheadMs,
    topUps: (days) => TopUps.read(Finance.make(client), days)
  }
}

type Calendar = Pick<ScarceCalendar.ScarceCalendar, "promo" | "reading">

const liveCalendar = (client: Client): Calendar => ({ promo: Promo.make(client), reading: (read) => read })

/** By campaign; half a history is none, and neither is one with a sum left out. */
const charged = (finance: ReturnType<typeof Finance.make>, days: Days.DayRange): Effect.Effect<Charged> =>
  Effect.map(finance.costHistory(days), ({ failures, values }) => {
    if (failures.length > 0) return undefined
    const found = new Map<CampaignId, Charge>()
    for (const { campaignId, chargedAt, sumRoubles } of values) {
      if (sumRoubles === undefined) return undefined
      const { days, kopecks } = found.get(campaignId) ?? noCharge
      const atMs = OrderDates.instant(chargedAt)
      found.set(campaignId, {
        kopecks: kopecks + sumRoubles * 100,
        days: days === undefined || atMs === undefined ? undefined : new Set([...days, Days.ofMarket(atMs)])
      })
    }
    return found
  })

const noCharge: Charge = { kopecks: 0, days: new Set() }

const currencyOf = (known: ReadonlyMap<CampaignId, Campaigns.Campaign>): string | undefined =>
  [...known.values()].find(({ currency }) => currency !== undefined)?.currency

const since = (
  calls: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(calls)
      .map(([operation, count]) => [operation, count - (before[operation] ?? 0)] as const)
      .filter(([, count]) => count > 0)
  )

/** The seller's own tables are read with the rules, not here. */

const isSource = (id: string): id is Sources.AskedId =>
  id in Sources.sources && Sources.isAsked(id as Sources.SourceId)

/** What is counted and not named is told as unread: nobody knows what these campaigns spend. */
const list = (
  campaigns: ReturnType<typeof Campaigns.make>,
  retired: Set<CampaignId>
): Effect.Effect<CampaignList> =>
  campaigns.lists.pipe(
    Effect.tap(({ listed }) =>
      Effect.sync(() => {
        for (const one of listed) if (Campaigns.isRetired(one)) retired.add(one.campaignId)
      })
    ),
    Effect.map(({ listed, unnamed, unnamedCompleted, unnamedOthers }) => ({
      ids: listed.filter(Campaigns.isCurrent).map(({ campaignId }) => campaignId),
      completed: listed.filter(({ status }) => status === "completed").map(completed),
      unnamed: { completed: unnamedCompleted, others: unnamedOthers },
      failures:
        unnamed === 0 ? [] : [leftOut(unnamed, "the campaign list counts them and does not name them")]
    })),
    Effect.catchAll((error) => Effect.succeed({ ids: [], completed: [], failures: [listFailure(error)] }))
  )

/** Also of a limit that others use up: the marketplace did answer, and asking it again soon is no use. */
const listFailure = (error: CallError): SourceFailure => {
  const told = failure("listCampaignIds", 1, error)
  return error._tag === "Throttled" ? { ...told, reason: "notFetched" } : told
}

/** Undefined where no instant is told, or in a form that nobody knows: then it is asked about. */
const completed = ({ campaignId, changedAt }: Campaigns.Listed) => ({
  campaignId,
  changedAtMs: OrderDates.instant(changedAt)
})

type Reader = (request: FactRequest) => Effect.Effect<Answered>

/** One reader per source of the vocabulary. */
const readers = (
  client: Client,
  { promo, reading }: Calendar,
  known: Map<CampaignId, Campaigns.Campaign>,
  retired: ReadonlySet<CampaignId>
): Readonly<Record<Sources.AskedId, Reader>> => {
  const clusters = Clusters.make(client)
  const management = Management.make(client)
  const finance = Finance.make(client)
  const statistics = Statistics.make(client)
  const automatic = new Set<PromotionId>()
  return {
    ...ItemReaders.make(client, () => currencyOf(known)),
    campaigns: ({ keys }) =>
      Effect.zipWith(
        Campaigns.make(client).byIds(campaignsOf(keys)),
        Clock.currentTimeMillis,
        (answer, nowMs) => {
          for (const campaign of answer.values) known.set(campaign.campaignId, campaign)
          const told = new Set(answer.failures.flatMap((one) => one.keys))
          const missing = campaignsOf(keys).filter(
            (id) => !known.has(id) && !told.has(id) && !retired.has(id)
          )
          const { failures, rows } = fromBatched(answer, "getCampaigns", (one) =>
            CampaignFacts.rows(one, nowMs)
          )
          const unanswered = leftOut(missing.length, "they are listed, and their settings were not answered")
          return { rows, failures: missing.length === 0 ? failures : [...failures, unanswered] }
        }
      ),
    promotionConfig: () => single("getPromotionConfig", Effect.map(management.config, BidFacts.stepsRow)),
    balance: () => single("getBalance", Effect.map(finance.balance, BidFacts.balanceRow)),
    clusters: ({ keys }) =>
      Effect.map(clusters.list(pairsOf(keys)), ({ failures, values }) => {
        const kept = values.map(ClusterFacts.storables)
        return {
          ...ofPairs({ failures, values: kept }, "listClusters", ClusterFacts.listRows),
          unstorable: kept.reduce((sum, pair) => sum + pair.unstorable, 0)
        }
      }),
    clusterBids: ({ keys }) => Effect.map(clusters.bids(pairsOf(keys)), clusterBids(pairsOf(keys), known)),
    minusPhrases: ({ keys }) =>
      Effect.map(clusters.minus(pairsOf(keys)), (answer) =>
        ofPairs(answer, "getMinusPhrases", ClusterFacts.minusRows)
      ),
    clusterStats: ({ keys, days }) => clusterStats(statistics, pairsOf(keys), days, known),
    campaignStats: ({ keys, days }) =>
      days === undefined
        ? nothing
        : Effect.map(
            statistics.campaigns(campaignsOf(keys), days, (id) => mayHaveRun(known.get(id), days)),
            (answer) => fromBatched(answer, "getCampaignStats", StatisticFacts.campaignRows)
          ),
    budgets: ({ keys }) =>
      Effect.map(finance.budgets(campaignsOf(keys)), (answer) =>
        fromBatched(answer, "getCampaignBudget", (budget) => [BidFacts.budgetRow(budget)])
      ),
    minimumBids: ({ keys }) => minimumBids(Creation.make(client), pairsOf(keys), known),
    promotions: ({ nowMs }) =>
      Effect.tap(reading(ahead(promo, nowMs)), ({ rows }) =>
        Effect.sync(() => {
          for (const id of PromotionFacts.automatic(rows)) automatic.add(id)
        })
      ),
    promotionItems: ({ keys }) => {
      // The marketplace refuses to list those of an automatic one (field note P02).
      const listed = promotionsOf(keys).filter((id) => !automatic.has(id))
      return reading(Effect.map(Effect.forEach(listed, promotionItems(promo)), join))
    },
    recommendations: ({ keys }) =>
      Effect.map(
        Effect.forEach(pairsOf(keys), (pair) => {
          const status = known.get(pair.campaignId)?.status ?? "active"
          return status !== "active"
            ? Effect.succeed(unadvised(pair, status))
            : answered(
                "getBidRecommendations",
                Effect.map(OddEntries.apart(management.recommendations(pair)), (told) => ({
                  rows: BidFacts.adviceRows(pair, told),
                  failures: oddOnes("getBidRecommendations", told.odd)
                }))
              )
        }),
        join
      )
  }
}

/** The marketplace refuses to recommend bids for a campaign that does not run (field note M27). */
const unadvised = ({ campaignId }: Target.Pair, status: string): Answered => ({
  rows: [],
  failures: [
    {
      operation: "getBidRecommendations",
      keys: 1,
      message: `getBidRecommendations: not asked: campaign ${campaignId} is ${status}, and bids are recommended only for a campaign that runs`,
      stopsAccount: false,
      isVain: true
    }
  ]
})

/**
 * Whether a campaign may have shown anything on these days: second looks for the many that stand paused for weeks would
 * take the few calls of statistics from the others. One that was never answered is not known to stand.
 */
const mayHaveRun = (campaign: Campaigns.Campaign | undefined, days: Days.DayRange): boolean => {
  if (campaign === undefined || campaign.status === "active") return true
  if (campaign.status === "ready") return false
  const changedAtMs = OrderDates.instant(campaign.updatedAt)
  return changedAtMs === undefined || Days.ofMarket(changedAtMs) >= days.from
}

/**
 * The list of the calendar ahead, then the details of every promotion in it; its dates are told from `fromMs`. Of one without
 * details the list's word stands: an item that is in it joins nothing at the same time.
 */
const ahead = (promo: Calendar["promo"], fromMs: number | undefined): Effect.Effect<Answered> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const listed = yield* Effect.either(
      Stream.runCollect(promo.list({ ...PromotionFacts.ahead(nowMs), all: false }))
    )
    if (listed._tag === "Left") return { rows: [], failures: [failure("listPromotions", 1, listed.left)] }
    const ids = [...listed.right].flatMap(({ id }) => id ?? [])
    if (ids.length === 0) return { rows: [], failures: [] }
    const details = yield* promo.details(ids)
    const told = new Set(details.values.map(({ id }) => id))
    const { failures, rows } = fromBatched(details, "getPromotionDetails", (one) =>
      PromotionFacts.row(one, fromMs ?? nowMs)
    )
    const untold = [...listed.right].filter(({ id }) => !told.has(id))
    return {
      rows: [...rows, ...untold.flatMap((one) => PromotionFacts.listedRow(one, fromMs ?? nowMs))],
      failures
    }
  })

/** Both lists of a promotion: items in it, and items that may join it. One that is refused has no rows (field note P02). */
const promotionItems =
  (promo: Calendar["promo"]) =>
  (promotionId: PromotionId): Effect.Effect<Answered> =>
    answered(
      "listPromotionItems",
      Effect.map(
        // What enters between the two answers is in both: the later one, of those that are in, holds.
        Effect.forEach([false, true], (enrolled) => Stream.runCollect(promo.items(promotionId, enrolled))),
        (lists) => ({
          rows: lists.flatMap((list) =>
            [...list].flatMap((item) => PromotionFacts.itemRow(promotionId, item))
          ),
          failures: []
        })
      )
    )

const promotionsOf = (keys: ReadonlyArray<Target.Subject>): ReadonlyArray<PromotionId> =>
  keys.flatMap(({ promotionId }) => promotionId ?? [])

const none: Answered = { rows: [], failures: [] }
const nothing: Effect.Effect<Answered> = Effect.succeed(none)

/** A running day that is not the marketplace's: of a day that has not begun it would tell nothing, as of one without spend. */
const ofAnotherDay = ({ days, keys, nowMs, source }: FactRequest, aheadMs = 0): Answered | undefined => {
  if (days === undefined || nowMs === undefined || aheadMs === 0 || days.to !== Days.ofMarket(nowMs))
    return undefined
  const theirs = Days.ofMarket(nowMs - aheadMs)
  if (theirs === days.to) return undefined
  const message = `${source} of ${days.to}: not asked: by the marketplace's clock it is ${theirs}`
  const failure = { operation: source, keys: keys.length, message, stopsAccount: false } as const
  return { rows: [], failures: [{ ...failure, isVain: true, reason: "otherDay" }] }
}

const clusterBids =
  (pairs: ReadonlyArray<Target.Pair>, known: ReadonlyMap<CampaignId, Campaigns.Campaign>) =>
  (answer: Effect.Effect.Success<ReturnType<ReturnType<typeof Clusters.make>["bids"]>>): Answered => {
    const failed = new Set(answer.failures.flatMap(({ keys }) => keys.map(Target.key)))
    const isRead = ({ campaignId, itemId }: Target.Pair) =>
      failed.size === 0 || !failed.has(Target.key({ campaignId, itemId }))
    const itemBid = (pair: Target.Pair) => {
      const campaign = known.get(pair.campaignId)
      const item = campaign?.items.find(({ itemId }) => itemId === pair.itemId)
      return campaign === undefined || item === undefined ? undefined : CampaignFacts.mainBid(campaign, item)
    }
    const rows = [
      ...pairs.filter(isRead).map((pair) => ClusterFacts.inheritedBidRow(pair, itemBid(pair))),
      ...answer.values.filter(isRead).map(ClusterFacts.ownBidRow)
    ]
    return { rows, failures: fromBatched(answer, "getClusterBids", () => []).failures }
  }

const clusterStats = (
  statistics: ReturnType<typeof Statistics.make>,
  pairs: ReadonlyArray<Target.Pair>,
  days: Days.DayRange | undefined,
  known: ReadonlyMap<CampaignId, Campaigns.Campaign>
): Effect.Effect<Answered> => {
  const isPerClick = (pair: Target.Pair) => known.get(pair.campaignId)?.payment === "cpc"
  const [others, perClick] = Arr.partition(pairs, isPerClick)
  const inapplicable: Answered = { rows: perClick.map(StatisticFacts.noClusterStatistics), failures: [] }
  if (days === undefined || others.length === 0) return Effect.succeed(inapplicable)
  return Effect.map(statistics.clusters(others, days), (answer) => ({
    ...ofPairs(answer, "getClusterStats", StatisticFacts.clusterRows),
    rows: inapplicable.rows
  }))
}

const minimumBids = (
  creation: ReturnType<typeof Creation.make>,
  pairs: ReadonlyArray<Target.Pair>,
  known: ReadonlyMap<CampaignId, Campaigns.Campaign>
): Effect.Effect<Answered> =>
  Effect.map(
    Effect.forEach(campaignsOf(pairs), (campaignId) => {
      const question = BidFacts.minimumQuestion(known.get(campaignId))
      if (question === undefined) return nothing
      const items = pairs.filter((pair) => pair.campaignId === campaignId).map((pair) => pair.itemId)
      return Effect.map(
        creation.minimumBids(campaignId, items, question.payment, question.placements),
        (answer) => fromBatched(answer, "getMinimumBids", (bid) => BidFacts.minimumRow(campaignId, bid))
      )
    }),
    join
  )

const single = (
  operation: string,
  call: Effect.Effect<Answered["rows"][number], CallError>
): Effect.Effect<Answered> =>
  answered(
    operation,
    Effect.map(call, (row) => ({ rows: [row], failures: [] }))
  )

const answered = (operation: string, call: Effect.Effect<Answered, CallError>): Effect.Effect<Answered> =>
  Effect.catchAll(call, (error) => Effect.succeed({ rows: [], failures: [failure(operation, 1, error)] }))

const join = (parts: ReadonlyArray<Answered>): Answered => ({
  rows: parts.flatMap((part) => part.rows),
  later: parts.flatMap(({ later = [] }) => later),
  failures: parts.flatMap((part) => part.failures)
})

const campaignsOf = (keys: ReadonlyArray<Target.Subject>): ReadonlyArray<CampaignId> => [
  ...new Set(keys.flatMap(({ campaignId }) => campaignId ?? []))
]

const pairsOf = (keys: ReadonlyArray<Target.Subject>): ReadonlyArray<Target.Pair> =>
  keys.flatMap(({ campaignId, itemId }) =>
    campaignId === undefined || itemId === undefined ? [] : [{ campaignId, itemId }]
  )
