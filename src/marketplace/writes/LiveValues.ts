/** Current values of changes' slots, in as few calls as the batch bounds allow. */

import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CampaignId } from "../../domain/Ids.js"
import * as Target from "../../domain/Target.js"
import * as Bids from "../../engine/kinds/Bids.js"
import * as CampaignDeletion from "../../engine/kinds/CampaignDeletion.js"
import * as CampaignItems from "../../engine/kinds/CampaignItems.js"
import * as CampaignName from "../../engine/kinds/CampaignName.js"
import * as CampaignStop from "../../engine/kinds/CampaignStop.js"
import { type AdChange, type Change, isOfCampaign } from "../../engine/kinds/Change.js"
import * as ClusterBid from "../../engine/kinds/ClusterBid.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import * as ItemBid from "../../engine/kinds/ItemBid.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as MinusPhrase from "../../engine/kinds/MinusPhrase.js"
import { type KindName, Payment } from "../../engine/kinds/Parts.js"
import * as Placements from "../../engine/kinds/Placements.js"
import type { Live, Shown } from "../../engine/kinds/Seen.js"
import * as Status from "../../engine/kinds/Status.js"
import * as Campaigns from "../../services/areas/advertising/Campaigns.js"
import * as Clusters from "../../services/areas/advertising/Clusters.js"
import * as Promo from "../../services/areas/promotions/Promo.js"
import * as Batches from "../../services/Batches.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"
import { mostPairs } from "../../services/PairReads.js"
import * as CampaignFacts from "../facts/CampaignFacts.js"
import * as Deposits from "./Deposits.js"
import * as Enrolments from "./Enrolments.js"
import { unreadable } from "./Outcomes.js"

/** Of one request (seed 001 "Payload bounds"). */
const mostCampaigns = 50

/** Answers within as long of each other are of about one moment, milliseconds. */
const togetherMs = 60_000

/** Kinds whose value is the campaign's status. */
const shownByStatus: ReadonlySet<KindName> = new Set([Status.name, CampaignStop.name, CampaignDeletion.name])

/** By the id of the change; `sparing` as `Writer` has it. */
export const read = (
  client: Client,
  changes: ReadonlyArray<Change>,
  sparing?: "sparing"
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.zipWith(
    ofCampaigns(client, changes.filter(isOfCampaign), sparing === "sparing" && client.tokenKind === "base"),
    Enrolments.read(Promo.make(client), changes),
    (ofAds, ofPromotions) => new Map([...ofAds, ...ofPromotions])
  )

const ofCampaigns = (
  client: Client,
  changes: ReadonlyArray<AdChange>,
  withoutCampaigns: boolean
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.gen(function* () {
    const clusters = Clusters.make(client)
    const bidChanges = changes.filter((change) => change.kind === ClusterBid.name)
    const minusChanges = changes.filter((change) => change.kind === MinusPhrase.name)
    const bids = byPair(yield* readTimed(pairsOf(bidChanges), mostPairs, clusters.bids))
    const lists = byPair(yield* readTimed(pairsOf(minusChanges), mostPairs, clusters.minus))
    const own = (change: AdChange) =>
      bids.values.get(pairKey(change))?.find((bid) => bid.cluster === change.subject.cluster)
    const phrasesOf = (change: AdChange) => lists.values.get(pairKey(change))?.[0]?.phrases
    // A pair that is gone is answered with an empty list. A Base token reads campaigns once an hour, too seldom to ask.
    const mayBeGone = (change: AdChange) => phrasesOf(change)?.length === 0 && client.tokenKind !== "base"
    // A cluster without a bid of its own shows the bid of its item, so that campaign is read as well.
    const others = changes.filter((change) =>
      change.kind === MinusPhrase.name
        ? mayBeGone(change)
        : !Kinds.isPayment(change) && (change.kind !== ClusterBid.name || own(change) === undefined)
    )
    const isListed = ({ kind }: AdChange) => client.tokenKind === "base" && shownByStatus.has(kind)
    const asked = withoutCampaigns ? [] : others
    const status = yield* readStatuses(client, asked.filter(isListed))
    const campaigns = withoutCampaigns
      ? () => unreadable("campaigns can be read once an hour, and were not asked for")
      : yield* readCampaigns(
          client,
          asked.filter((change) => !isListed(change))
        )
    // Reading campaigns may have waited an hour. One old pair would withhold every change that is sent with it.
    const late = yield* bids.olderOf(bidChanges)
    if (late.length > 0) bids.add(yield* readTimed(pairsOf(late), mostPairs, clusters.bids))
    const budget = yield* Deposits.budgets(client, changes.filter(Kinds.isPayment))
    const live = (change: AdChange): Live => {
      if (Kinds.isPayment(change)) return budget(change)
      if (change.kind === MinusPhrase.name) {
        const failed = lists.failed.get(pairKey(change))
        if (failed !== undefined) return unreadable(failed)
        const phrases = phrasesOf(change)
        const { cluster } = change.subject
        if (phrases === undefined || cluster === undefined)
          return unreadable("the minus list was not answered")
        const place = mayBeGone(change) ? campaigns(change) : undefined
        return place !== undefined && place._tag !== "Value"
          ? place
          : { _tag: "Value", value: phrases.includes(cluster), ...lists.readAt(change) }
      }
      if (isListed(change)) return status(change)
      if (change.kind !== ClusterBid.name) return campaigns(change)
      const failed = bids.failed.get(pairKey(change))
      if (failed !== undefined) return unreadable(failed)
      const bid = own(change)
      if (bid !== undefined)
        return valueOr(bid.bidKopecks, "the cluster's bid was not answered", bids.readAt(change))
      const inherited = campaigns({ ...change, kind: ItemBid.name, details: { placement: "search" } })
      return inherited._tag === "Value"
        ? { ...inherited, inherited: true, ...earlier(inherited, bids.readAt(change)) }
        : inherited
    }
    return new Map(changes.map((change) => [change.id, live(change)]))
  })

/** Statuses by the campaign list: a Base token may read it four times an hour, and campaigns once. */
const readStatuses = (client: Client, changes: ReadonlyArray<AdChange>) =>
  Effect.gen(function* () {
    if (changes.length === 0) return () => unreadable("the campaign list was not asked for")
    const answer = yield* Effect.either(Campaigns.make(client).lists)
    if (answer._tag === "Left") return () => unreadable(answer.left)
    const { isWhole, listed } = answer.right
    const found = new Map(listed.map((one) => [one.campaignId, one]))
    const read = { readAt: yield* Clock.currentTimeMillis }
    return ({ subject: target }: AdChange): Live => {
      const campaign = found.get(target.campaignId)
      if (campaign === undefined && !isWhole)
        return unreadable("the campaign list leaves out campaigns that it counts")
      return campaign === undefined
        ? { _tag: "Gone", what: "campaign" }
        : valueOr(campaign.status, "the campaign's status was not answered", read)
    }
  })

/** Status or item bid of a change, or that its item is there, once its campaign was read. */
const readCampaigns = (client: Client, changes: ReadonlyArray<AdChange>) =>
  Effect.gen(function* () {
    const ids: ReadonlyArray<CampaignId> = [...new Set(changes.map((change) => change.subject.campaignId))]
    const answer = yield* readTimed(ids, mostCampaigns, Campaigns.make(client).byIds)
    const readAt = new Map(answer.readAt.flatMap(({ atMs, keys }) => keys.map((id) => [id, atMs] as const)))
    const found = new Map(answer.values.map((campaign) => [campaign.campaignId, campaign]))
    const failed = new Map(
      answer.failures.flatMap(({ keys, error }) => keys.map((id) => [id, error] as const))
    )
    return (change: AdChange): Live => {
      const { campaignId, itemId } = change.subject
      const why = failed.get(campaignId)
      if (why !== undefined) return unreadable(why)
      const campaign = found.get(campaignId)
      if (campaign === undefined) return { _tag: "Gone", what: "campaign" }
      const read = atOf(readAt.get(campaignId))
      const open = { ...read, ...closedOf(campaign) }
      const item = campaign.items.find((candidate) => candidate.itemId === itemId)
      const isGone: Live = { _tag: "Gone", what: "item" }
      switch (change.kind) {
        case Status.name:
        case CampaignStop.name:
        case CampaignDeletion.name:
          return valueOr(campaign.status, "the campaign's status was not answered", read)
        case CampaignName.name:
          return valueOr(campaign.name, "the campaign's name was not answered", read)
        case Placements.name:
          return shownIn(campaign, open)
        case CampaignItems.name:
          return { _tag: "Value", value: item !== undefined, ...open }
        case MinusPhrase.name:
          return item === undefined ? isGone : { _tag: "Value", value: false, ...open }
        case ItemBid.name:
        case ClusterBid.name:
          return item === undefined
            ? isGone
            : valueOr(bidOf(change, campaign, item), noBid, { ...open, ...paymentOf(campaign) })
        case Deposit.name:
          return unreadable("a budget is read by itself")
      }
    }
  })

const isPayment = Schema.is(Payment)

const paymentOf = ({ payment }: Campaigns.Campaign): { readonly payment?: Payment } =>
  isPayment(payment) ? { payment } : {}

const noBid = "the item's bid was not answered"

const bidOf = (change: AdChange, campaign: Campaigns.Campaign, item: Campaigns.Campaign["items"][number]) =>
  Bids.detailsOf(change).placement === "recommendations"
    ? item.recommendationsBidKopecks
    : CampaignFacts.mainBid(campaign, item)

/** Why nothing of the campaign can be set any more: it was ended, refused or deleted. */
const closedOf = ({ status }: Campaigns.Campaign): Pick<Shown, "closed"> =>
  status === undefined || Campaigns.isCurrent({ status, type: undefined })
    ? {}
    : { closed: `its campaign is ${status}, and takes no changes` }

const shownIn = ({ placements }: Campaigns.Campaign, read: Read): Live => {
  const { recommendations, search } = placements
  return search === undefined || recommendations === undefined
    ? unreadable("the campaign's placements were not answered")
    : { _tag: "Value", value: Placements.text(search, recommendations), ...read }
}

const valueOr = (value: number | string | undefined, why: string, read: Read): Live =>
  value === undefined ? unreadable(why) : { _tag: "Value", value, ...read }

/** What is known of a value beside it. */
type Read = Pick<Shown, "closed" | "payment" | "readAt">

/** When a value was read, where that is known; epoch milliseconds. */
interface ReadAt {
  readonly readAt?: number
}

const atOf = (readAt: number | undefined): ReadAt => (readAt === undefined ? {} : { readAt })

/** A value that two answers tell together is as old as the older of them. */
const earlier = (one: ReadAt, other: ReadAt): ReadAt =>
  one.readAt === undefined || other.readAt === undefined ? {} : { readAt: Math.min(one.readAt, other.readAt) }

/** What was answered of pairs; `add` takes the place of what was answered of the same ones before. */
const byPair = <V extends Target.Pair>(first: TimedBatch<Target.Pair, V>) => {
  const values = new Map<string, Array<V>>()
  const failed = new Map<string, CallError>()
  const times = new Map<string, number>()
  const add = (answer: TimedBatch<Target.Pair, V>): void => {
    for (const { atMs, keys } of answer.readAt) {
      for (const pair of keys) {
        times.set(Target.key(pair), atMs)
        values.set(Target.key(pair), [])
        failed.delete(Target.key(pair))
      }
    }
    for (const value of answer.values) {
      values.get(Target.key({ campaignId: value.campaignId, itemId: value.itemId }))?.push(value)
    }
    for (const { error, keys } of answer.failures) {
      for (const pair of keys) failed.set(Target.key(pair), error)
    }
  }
  add(first)
  const readAt = (change: AdChange): ReadAt => atOf(times.get(pairKey(change)))
  /** Those whose pair was read so long before now that what was read since does not fit it. */
  const olderOf = (changes: ReadonlyArray<AdChange>) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) =>
      changes.filter((change) => nowMs - (readAt(change).readAt ?? nowMs) > togetherMs)
    )
  return { values, failed, readAt, olderOf, add }
}

const pairsOf = (changes: ReadonlyArray<AdChange>): ReadonlyArray<Target.Pair> => {
  const pairs = new Map<string, Target.Pair>()
  for (const { subject: target } of changes) {
    const { campaignId, itemId } = target
    if (itemId !== undefined) pairs.set(Target.key({ campaignId, itemId }), { campaignId, itemId })
  }
  return [...pairs.values()].sort(Target.compare)
}

const pairKey = ({ subject: target }: AdChange): string =>
  target.itemId === undefined ? "" : Target.key({ campaignId: target.campaignId, itemId: target.itemId })

// Reads of many keys of which every value tells when it was read: a call limit may lie between two requests, or
// between two operations that are read together, and then what came first is old when the last has come.

interface TimedBatch<K, V> extends Batches.Batched<K, V> {
  /** The keys of each request, and when it was answered, epoch milliseconds. */
  readonly readAt: ReadonlyArray<{ readonly keys: ReadonlyArray<K>; readonly atMs: number }>
}

/** As `read` of all keys, `most` at a time; one refusal that is about all of them ends it. */
const readTimed = <K, V>(
  keys: ReadonlyArray<K>,
  most: number,
  read: (chunk: ReadonlyArray<K>) => Effect.Effect<Batches.Batched<K, V>>
): Effect.Effect<TimedBatch<K, V>> =>
  Effect.gen(function* () {
    let stop: CallError | undefined
    const one = (chunk: ReadonlyArray<K>) =>
      Effect.gen(function* () {
        const answer: Batches.Batched<K, V> =
          stop === undefined ? yield* read(chunk) : { values: [], failures: [{ keys: chunk, error: stop }] }
        stop ??= answer.failures.find(({ error }) => Batches.stopsAll(error))?.error
        return { ...answer, keys: chunk, atMs: yield* Clock.currentTimeMillis }
      })
    const parts = yield* Effect.forEach(Arr.chunksOf(keys, most), one, { concurrency: 4 })
    return {
      values: parts.flatMap(({ values }) => values),
      failures: parts.flatMap(({ failures }) => failures),
      readAt: parts.map((part) => ({ keys: part.keys, atMs: part.atMs }))
    }
  })
