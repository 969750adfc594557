/**
 * Calls by hand whose operation a kind of change covers (`bidhelm call`): the request read as changes, and its answer as
 * their outcomes. An operation that is not here is sent raw.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CampaignId, Cluster, ItemId } from "../domain/Ids.js"
import * as OutcomeReason from "../domain/OutcomeReason.js"
import type { Pair } from "../domain/Target.js"
import type { WriteBatch, WriteOutcome, Writer } from "../engine/door/Writer.js"
import * as CampaignDeletion from "../engine/kinds/CampaignDeletion.js"
import * as CampaignItems from "../engine/kinds/CampaignItems.js"
import * as CampaignName from "../engine/kinds/CampaignName.js"
import * as CampaignStop from "../engine/kinds/CampaignStop.js"
import { type Change, isOfCampaign } from "../engine/kinds/Change.js"
import * as ClusterBid from "../engine/kinds/ClusterBid.js"
import * as Deposit from "../engine/kinds/Deposit.js"
import * as Enrolment from "../engine/kinds/Enrolment.js"
import * as ItemBid from "../engine/kinds/ItemBid.js"
import * as MinusPhrase from "../engine/kinds/MinusPhrase.js"
import * as PlacementsKind from "../engine/kinds/Placements.js"
import type { Live } from "../engine/kinds/Seen.js"
import * as Status from "../engine/kinds/Status.js"
import type { Wanted } from "../engine/planning/CallPlan.js"
import * as Amounts from "../services/areas/Amounts.js"
import * as Clusters from "../services/areas/advertising/Clusters.js"
import * as PairRows from "../services/areas/advertising/PairRows.js"
import * as Promo from "../services/areas/promotions/Promo.js"
import type { Client } from "../services/MarketplaceClient.js"
import type { CallError } from "../services/MarketplaceError.js"
import type { MarkVault } from "../services/ports/MarkVault.js"
import type { OrderEvents } from "../services/ports/OrderEvents.js"
import type { PackingTables } from "../services/ports/PackingTables.js"
import type { SupplyOrders } from "../services/ports/SupplyOrders.js"
import { type Answer, type Asking, readings as ofOrders, type Request } from "./fulfilment/CallReadings.js"
import * as ClusterBids from "./writes/ClusterBids.js"
import * as Deposits from "./writes/Deposits.js"
import * as Enrolments from "./writes/Enrolments.js"
import * as Outcomes from "./writes/Outcomes.js"

type OutcomesById = ReadonlyMap<string, WriteOutcome>

/** What is known here of packing and of marks, for the last look. */
type Known = MarkVault | OrderEvents | PackingTables | SupplyOrders

/** How the calls of one operation are read. */
interface Reading {
  readonly wanted: (client: Client, request: never) => Asking
  /** All accepted when absent. An answer also names rows of the request that are no changes, being so already. */
  readonly outcomes?: (
    changes: ReadonlyArray<Change>,
    answer: never,
    request: never
  ) => Effect.Effect<OutcomesById>
  /** What becomes of it unsent for what is seen at the last moment, although every slot is as it was; undefined where it goes. */
  readonly against?: (
    client: Client,
    changes: ReadonlyArray<Change>,
    request: never
  ) => Effect.Effect<WriteOutcome | undefined, never, Known>
  /** Its writer makes the request from the changes: the whole list as it is right before, with what was asked for. */
  readonly isMerged?: true
  /** What would have been answered, where that can be found; of a call that was done and got no answer. */
  readonly found?: (client: Client, request: never) => Effect.Effect<unknown, CallError>
}

/** The request names one campaign, and the operation says what becomes of it. */
const ofCampaign = (one: Pick<Wanted, "action" | "kind">, after: string): Reading => ({
  wanted: (_, { urlParams: { id } }: Request<"campaignManagement", "startCampaign">) =>
    Effect.succeed([{ ...one, subject: { campaignId: id }, details: {}, after: () => after } as Wanted])
})

const ofCashback = (roubles: number | undefined) =>
  roubles === undefined ? {} : { cashbackKopecks: roubles * 100 }

const sources = { 0: "balance", 1: "net", 3: "bonus" } as const

/** The readings by operation. A test holds them against the operations that kinds of change name. */
export const readings: Readonly<Record<string, Reading>> = {
  ...ofOrders,
  startCampaign: ofCampaign({ kind: Status.name, action: "start" }, "active"),
  pauseCampaign: ofCampaign({ kind: Status.name, action: "pause" }, "paused"),
  stopCampaign: ofCampaign({ kind: CampaignStop.name, action: "stop" }, "completed"),
  deleteCampaign: ofCampaign({ kind: CampaignDeletion.name, action: "delete" }, "deleted"),
  changeCampaignItems: {
    wanted: (_, { payload }: Request<"campaignManagement", "changeCampaignItems">) =>
      Effect.succeed(
        payload.nms.flatMap(({ advert_id, nms }) => [
          ...(nms.add ?? []).map((itemId) => inCampaign(advert_id, itemId, true)),
          ...(nms.delete ?? []).map((itemId) => inCampaign(advert_id, itemId, false))
        ])
      )
  },
  renameCampaign: {
    wanted: (_, { payload: { advertId, name } }: Request<"campaignManagement", "renameCampaign">) =>
      Effect.succeed([
        {
          kind: CampaignName.name,
          action: "rename",
          subject: { campaignId: advertId },
          details: {},
          after: () => name
        }
      ])
  },
  setCampaignPlacements: {
    wanted: (_, { payload }: Request<"campaignManagement", "setCampaignPlacements">) =>
      Effect.succeed(
        payload.placements.map(({ advert_id, placements: { recommendations, search } }) => ({
          kind: PlacementsKind.name,
          action: "placements",
          subject: { campaignId: advert_id },
          details: {},
          after: () => PlacementsKind.text(search, recommendations)
        }))
      )
  },
  setItemBids: {
    wanted: (_, { payload }: Request<"campaignManagement", "setItemBids">) =>
      Effect.succeed(
        payload.bids.flatMap(({ advert_id, nm_bids }) =>
          nm_bids.map(({ bid_kopecks, nm_id, placement }) => ({
            kind: ItemBid.name,
            action: "set_bid",
            subject: { campaignId: advert_id, itemId: nm_id },
            details: { placement },
            after: () => bid_kopecks
          }))
        )
      )
  },
  setClusterBidsMinorUnits: {
    wanted: (_, { payload }: Request<"clusters", "setClusterBidsMinorUnits">) =>
      Effect.succeed(payload.bids.map((row) => clusterBid(PairRows.fromCamel(row), row.bidMinorUnits))),
    outcomes: (
      changes,
      { failed, success }: Answer<"clusters", "setClusterBidsMinorUnits">,
      { payload }: Request<"clusters", "setClusterBidsMinorUnits">
    ) =>
      rowOutcomes(
        "setClusterBidsMinorUnits",
        changes,
        payload.bids.map(PairRows.fromCamel),
        success.map(PairRows.fromCamel),
        failed.map(Clusters.reasonCamel)
      )
  },
  setClusterBids: {
    wanted: (_, { payload }: Request<"clusters", "setClusterBids">) =>
      Effect.succeed(payload.bids.map((row) => clusterBid(PairRows.fromSnake(row), row.bid * 100))),
    outcomes: (
      changes,
      answer: Answer<"clusters", "setClusterBids">,
      request: Request<"clusters", "setClusterBids">
    ) => snakeOutcomes("setClusterBids", changes, answer, request)
  },
  deleteClusterBids: {
    wanted: (_, { payload }: Request<"clusters", "deleteClusterBids">) =>
      Effect.succeed(payload.bids.map((row) => clearedBid(PairRows.fromSnake(row)))),
    outcomes: (
      changes,
      answer: Answer<"clusters", "deleteClusterBids">,
      request: Request<"clusters", "deleteClusterBids">
    ) => snakeOutcomes("deleteClusterBids", changes, answer, request)
  },
  uploadPromotionItems: {
    wanted: (client, { payload: { data } }: Request<"promo", "uploadPromotionItems">) =>
      Effect.map(Enrolments.offers(Promo.make(client), data.promotionID, data.nomenclatures), (offers) =>
        offers.map(({ details, itemId }) => ({
          kind: Enrolment.name,
          action: "enrol",
          subject: { promotionId: data.promotionID, itemId },
          details: { ...details, isPricedNow: data.uploadNow },
          after: () => true
        }))
      )
  },
  setMinusPhrases: {
    wanted: (client, { payload }: Request<"clusters", "setMinusPhrases">) =>
      replacing(client, PairRows.pairOfSnake(payload), payload.norm_queries),
    isMerged: true
  },
  depositCampaignBudget: {
    wanted: (_, { payload, urlParams: { id } }: Request<"finance", "depositCampaignBudget">) =>
      Effect.succeed([
        {
          kind: Deposit.name,
          action: "deposit",
          subject: { campaignId: id },
          details: { from: sources[payload.type], ...ofCashback(payload.cashback_sum) },
          after: (before) => Number(before) + payload.sum * 100
        }
      ]),
    outcomes: (changes, { total }: Answer<"finance", "depositCampaignBudget">) =>
      Effect.succeed(
        new Map(
          changes
            .filter(isOfCampaign)
            .map((change) => [change.id, Deposits.outcome(Amounts.whole(total), Deposits.sum(change))])
        )
      )
  }
}

/** What a request asks for. */
export const wanted = (client: Client, operation: string, request: object): Asking =>
  readings[operation]?.wanted(client, request as never) ?? Effect.succeed([])

/** What a call would have answered that was done and got no answer; undefined where nobody finds it. */
export const found = (client: Client, operation: string, request: object): Effect.Effect<unknown> =>
  Effect.orElseSucceed(
    readings[operation]?.found?.(client, request as never) ?? Effect.succeed(undefined),
    () => undefined
  )

const inCampaign = (campaignId: CampaignId, itemId: ItemId, isIn: boolean): Wanted => ({
  kind: CampaignItems.name,
  action: isIn ? "add_item" : "remove_item",
  subject: { campaignId, itemId },
  details: {},
  after: () => isIn
})

/** Clusters have bids of their own in campaigns that are paid so, and in no others (seed 001, `normquery/bids`). */
const payment = "cpm"

const clusterBid = (subject: PairRows.ClusterKey, bidKopecks: number): Wanted => ({
  kind: ClusterBid.name,
  action: "set_bid",
  subject,
  details: { payment },
  after: () => bidKopecks
})

/** A cluster whose own bid is removed shows its item's bid in search. */
const clearedBid = (subject: PairRows.ClusterKey): Wanted => {
  const { campaignId, itemId } = subject
  return {
    kind: ClusterBid.name,
    action: "set_bid",
    subject,
    details: { clears: true, payment },
    follows: { kind: ItemBid.name, subject: { campaignId, itemId }, details: { placement: "search" } }
  }
}

/** The whole list of a pair: what it does not name goes. */
const replacing = (client: Client, pair: Pair, phrases: ReadonlyArray<Cluster>): Asking =>
  Effect.flatMap(Clusters.make(client).minus([pair]), ({ failures, values }) => {
    const [failed] = failures
    if (failed !== undefined) return Effect.fail(failed.error)
    const now = values.flatMap((list) => list.phrases ?? [])
    const change = (cluster: Cluster, isIn: boolean): Wanted => ({
      kind: MinusPhrase.name,
      action: isIn ? "add_minus" : "remove_minus",
      subject: { ...pair, cluster },
      details: {},
      after: () => isIn
    })
    const asked = new Set(phrases)
    return Effect.succeed([
      ...now.filter((phrase) => !asked.has(phrase)).map((phrase) => change(phrase, false)),
      ...[...asked].filter((phrase) => !now.includes(phrase)).map((phrase) => change(phrase, true))
    ])
  })

const snakeOutcomes = (
  operation: "setClusterBids" | "deleteClusterBids",
  changes: ReadonlyArray<Change>,
  { failed, success }: Answer<"clusters", "setClusterBids">,
  { payload }: Request<"clusters", "deleteClusterBids">
) =>
  rowOutcomes(
    operation,
    changes,
    payload.bids.map(PairRows.fromSnake),
    success.map(PairRows.fromSnake),
    failed.map(Clusters.reasonSnake)
  )

/** A row that only suffered for another, or is in doubt, is refused like that one: nobody sends it again by itself. */
const rowOutcomes = (
  operation: string,
  changes: ReadonlyArray<Change>,
  rows: ReadonlyArray<PairRows.ClusterKey>,
  success: ReadonlyArray<PairRows.ClusterKey>,
  failed: Parameters<typeof Clusters.outcomes>[3]
): Effect.Effect<OutcomesById> => {
  const bids = changes.filter(isOfCampaign)
  return Effect.map(Clusters.outcomes(operation, rows, success, failed), (values) => {
    const found = ClusterBids.outcomesOf(bids, { values, failures: [] })
    return new Map(
      [...found].map(([id, one]) => [
        id,
        one._tag === "Spoiled" || one._tag === "Doubted" ? { _tag: "Rejected", reason: one.reason } : one
      ])
    )
  })
}

/** What came back from the marketplace; nothing when no request left. */
export interface Heard {
  answer?: unknown
  error?: CallError
  /** Why the request was refused, whichever of its changes it was. */
  refused?: OutcomeReason.OutcomeReason
  /** The request left, or may have, and no answer came. */
  isUnanswered?: true
}

/**
 * The writer of one call: as the account's, but that all its changes travel in the request as it was written, whole or
 * not at all. `live` is what the plan has just read, which is not asked for again right away. What comes back is noted in
 * `heard`.
 */
export const writer = (
  account: typeof Writer.Service,
  client: Client,
  call: {
    readonly operation: string
    readonly request: object
    readonly changes: ReadonlyArray<Change>
    readonly live: ReadonlyMap<string, Live>
  },
  heard: Heard
): Effect.Effect<typeof Writer.Service, never, Known> =>
  Effect.map(Effect.context<Known>(), (known) => writerOf(account, client, call, heard, known))

const writerOf = (
  account: typeof Writer.Service,
  client: Client,
  { changes, live, operation, request }: Parameters<typeof writer>[2],
  heard: Heard,
  known: Context.Context<Known>
): typeof Writer.Service => {
  const reading = readings[operation]
  let unread: ReadonlyMap<string, Live> | undefined = live
  const send = client.call(operation, request).pipe(
    Effect.tap((answer) => Effect.sync(() => Object.assign(heard, { answer }))),
    Effect.flatMap((answer) =>
      reading?.outcomes === undefined
        ? Effect.succeed(Outcomes.forAll(changes, Outcomes.accepted))
        : reading.outcomes(changes, answer as never, request as never)
    ),
    Effect.catchAll((error) => {
      heard.error = error
      return Effect.succeed(Outcomes.forAll(changes, Outcomes.ofError(error)))
    })
  )
  const fit = Effect.suspend(
    () => reading?.against?.(client, changes, request as never) ?? Effect.succeed(undefined)
  )
  const sendFit = Effect.flatMap(Effect.provide(fit, known), (unsent) =>
    unsent === undefined ? send : Effect.succeed(Outcomes.forAll(changes, unsent))
  )
  return {
    ...account,
    readLive: (asked, sparing) =>
      Effect.suspend(() => {
        const read = unread
        unread = undefined
        return read === undefined ? account.readLive(asked, sparing) : Effect.succeed(read)
      }),
    batches: (some) => {
      if (some.length === 0) return Effect.succeed([])
      if (some.length < changes.length) return Effect.succeed([apart(operation, some)])
      const made =
        reading?.isMerged === true
          ? account.batches(some)
          : Effect.succeed([Outcomes.batch(operation, changes, request, sendFit)])
      return Effect.map(made, (batches) => batches.map((batch) => heardBy(heard, batch)))
    }
  }
}

const heardBy = (heard: Heard, batch: WriteBatch): WriteBatch => ({
  ...batch,
  send: Effect.tap(batch.send, (outcomes) =>
    Effect.sync(() => {
      for (const one of outcomes.values()) {
        if (one._tag === "Rejected" || one._tag === "Doubted") heard.refused ??= one.reason
        if (one._tag === "Unknown" && one.reason.code === "no_answer") heard.isUnanswered = true
      }
    })
  )
})

/** A part of the request may not go, so nothing of it goes. */
const apart = (operation: string, some: ReadonlyArray<Change>): WriteBatch =>
  Outcomes.batch(
    operation,
    some,
    {},
    Effect.succeed(Outcomes.forAll(some, { _tag: "NotSent", reason: OutcomeReason.of("goes_whole") }))
  )
