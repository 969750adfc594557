/** Current values of changes' slots, in as few calls as the batch bounds allow. */
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import * as Target from "../../domain/Target.js"
import * as PlacementsIntent from "../../engine/decide/PlacementsIntent.js"
import type { Change } from "../../engine/decide/Plan.js"
import type { Live } from "../../engine/run/Ports.js"
import * as Campaigns from "../../services/areas/Campaigns.js"
import * as Clusters from "../../services/areas/Clusters.js"
import type { Batched } from "../../services/Batches.js"
import type { Client } from "../../services/MarketplaceClient.js"
import * as CampaignFacts from "../facts/CampaignFacts.js"
import * as Deposits from "./Deposits.js"

export const read = (
  client: Client,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.gen(function* () {
    const clusters = Clusters.make(client)
    const bidChanges = changes.filter((change) => change.placement === "cluster")
    const minusChanges = changes.filter((change) => change.unit === "minus_phrase")
    const bids = byPair(yield* clusters.bids(pairsOf(bidChanges)))
    const lists = byPair(yield* clusters.minus(pairsOf(minusChanges)))
    const own = (change: Change) =>
      bids.values.get(pairKey(change))?.find((bid) => bid.cluster === change.target.cluster)
    // A cluster without a bid of its own shows the bid of its item, so that campaign is read as well.
    const others = changes.filter(
      (change) =>
        change.unit !== "minus_phrase" &&
        change.unit !== "kopecks_deposit" &&
        (change.placement !== "cluster" || own(change) === undefined)
    )
    const isListed = ({ unit }: Change) => unit === "status" && client.tokenKind === "base"
    const status = yield* readStatuses(client, others.filter(isListed))
    const campaigns = yield* readCampaigns(
      client,
      others.filter((change) => !isListed(change))
    )
    const budget = yield* Deposits.budgets(
      client,
      changes.filter(({ unit }) => unit === "kopecks_deposit")
    )
    const live = (change: Change): Live => {
      if (change.unit === "kopecks_deposit") return budget(change)
      if (change.unit === "minus_phrase") {
        const failed = lists.failed.get(pairKey(change))
        if (failed !== undefined) return unreadable(failed)
        const phrases = lists.values.get(pairKey(change))?.[0]?.phrases
        const { cluster } = change.target
        return phrases === undefined || cluster === undefined
          ? unreadable("the minus list was not answered")
          : { _tag: "Value", value: phrases.includes(cluster) }
      }
      if (isListed(change)) return status(change)
      if (change.placement !== "cluster") return campaigns(change)
      const failed = bids.failed.get(pairKey(change))
      if (failed !== undefined) return unreadable(failed)
      const bid = own(change)
      if (bid !== undefined) return valueOr(bid.bidKopecks, "the cluster's bid was not answered")
      const inherited = campaigns({ ...change, placement: "search" })
      return inherited._tag === "Value" ? { ...inherited, inherited: true } : inherited
    }
    return new Map(changes.map((change) => [change.id, live(change)]))
  })

/** Statuses by the campaign list: a Base token may read it four times an hour, and campaigns once. */
const readStatuses = (client: Client, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    if (changes.length === 0) return () => unreadable("the campaign list was not asked for")
    const answer = yield* Effect.either(Campaigns.make(client).all)
    if (answer._tag === "Left") return () => unreadable(answer.left.message)
    const found = new Map(answer.right.map((listed) => [listed.campaignId, listed]))
    return ({ target }: Change): Live => {
      const campaign = found.get(target.campaignId)
      return campaign === undefined
        ? { _tag: "Gone", why: "the marketplace no longer lists the campaign" }
        : valueOr(campaign.status, "the campaign's status was not answered")
    }
  })

/** Status or item bid of a change, once its campaign was read. */
const readCampaigns = (client: Client, changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const ids: ReadonlyArray<CampaignId> = [...new Set(changes.map((change) => change.target.campaignId))]
    const answer = yield* Campaigns.make(client).byIds(ids)
    const found = new Map(answer.values.map((campaign) => [campaign.campaignId, campaign]))
    const failed = new Map(
      answer.failures.flatMap(({ keys, error }) => keys.map((id) => [id, error.message] as const))
    )
    return (change: Change): Live => {
      const { campaignId, itemId } = change.target
      const why = failed.get(campaignId)
      if (why !== undefined) return unreadable(why)
      const campaign = found.get(campaignId)
      if (campaign === undefined) return { _tag: "Gone", why: "the marketplace no longer lists the campaign" }
      if (change.unit === "status") return valueOr(campaign.status, "the campaign's status was not answered")
      if (change.unit === "placements") return shownIn(campaign)
      const item = campaign.items.find((candidate) => candidate.itemId === itemId)
      if (item === undefined) return { _tag: "Gone", why: "the item is no longer in the campaign" }
      const bid =
        change.placement === "recommendations"
          ? item.recommendationsBidKopecks
          : CampaignFacts.mainBid(campaign, item)
      return valueOr(bid, "the item's bid was not answered")
    }
  })

const shownIn = ({ placements }: Campaigns.Campaign): Live => {
  const { recommendations, search } = placements
  return search === undefined || recommendations === undefined
    ? unreadable("the campaign's placements were not answered")
    : { _tag: "Value", value: PlacementsIntent.text(search, recommendations) }
}

const unreadable = (why: string): Live => ({ _tag: "Unreadable", why })

const valueOr = (value: number | string | undefined, why: string): Live =>
  value === undefined ? unreadable(why) : { _tag: "Value", value }

const byPair = <V extends Target.Pair>({ values, failures }: Batched<Target.Pair, V>) => {
  const grouped = new Map<string, Array<V>>()
  for (const value of values) {
    const key = Target.key({ campaignId: value.campaignId, itemId: value.itemId })
    const group = grouped.get(key)
    if (group === undefined) grouped.set(key, [value])
    else group.push(value)
  }
  const failed = new Map(
    failures.flatMap(({ keys, error }) => keys.map((pair) => [Target.key(pair), error.message] as const))
  )
  return { values: grouped, failed }
}

const pairsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Target.Pair> => {
  const pairs = new Map<string, Target.Pair>()
  for (const { target } of changes) {
    const { campaignId, itemId } = target
    if (itemId !== undefined) pairs.set(Target.key({ campaignId, itemId }), { campaignId, itemId })
  }
  return [...pairs.values()].sort(Target.compare)
}

const pairKey = ({ target }: Change): string =>
  target.itemId === undefined ? "" : Target.key({ campaignId: target.campaignId, itemId: target.itemId })
