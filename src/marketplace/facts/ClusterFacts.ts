/** Facts of a pair's clusters: which there are, what they bid, which of them are minus phrases. */

import type { Kopecks } from "../../domain/Money.js"
import * as Storable from "../../domain/Storable.js"
import type { Pair } from "../../domain/Target.js"
import { known, unknown } from "../../engine/facts/Cell.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type { LiveBid, MinusList, PairClusters } from "../../services/areas/advertising/Clusters.js"

import { orAbsent, row } from "./Answered.js"

/**
 * One row per listed cluster: these are the cluster rows of a run. A cluster in two lists counts by the first. One whose
 * name no store gives back as it was (half of a pair of signs, or a zero) has none: what is done to it would be forgotten.
 */
export const listRows = ({ campaignId, itemId, ...lists }: PairClusters): ReadonlyArray<FactRow> => {
  const seen = new Set<string>()
  return (["active", "excluded", "archived"] as const).flatMap((state) =>
    lists[state].flatMap((cluster) => {
      if (seen.has(cluster) || !Storable.isStorable(cluster)) return []
      seen.add(cluster)
      return [
        row(
          { campaignId, itemId, cluster },
          { "cluster.query": known(cluster), "cluster.state": known(state) }
        )
      ]
    })
  )
}

/** How many of the listed clusters have no row for want of a name that can be kept. */
export const unstorable = ({ active, archived, excluded }: PairClusters): number =>
  [...new Set([...active, ...excluded, ...archived])].filter((cluster) => !Storable.isStorable(cluster))
    .length

/** Clusters without a bid of their own run on the item's search bid, so that holds for the pair first. */
export const bidRows = (
  pair: Pair,
  own: ReadonlyArray<LiveBid>,
  itemBid: Kopecks | undefined
): ReadonlyArray<FactRow> => [
  row(pairOf(pair), { "cluster.has_own_bid": known(false), "cluster.bid": orAbsent(itemBid) }),
  ...own.map((bid) =>
    row(
      { ...pairOf(pair), cluster: bid.cluster },
      bid.isRead
        ? { "cluster.has_own_bid": known(true), "cluster.bid": orAbsent(bid.bidKopecks) }
        : { "cluster.has_own_bid": unknown("failed"), "cluster.bid": unknown("failed") }
    )
  )
]

/** A list that was not answered is unknown for the whole pair (field note M14). */
export const minusRows = ({ phrases, ...pair }: MinusList): ReadonlyArray<FactRow> =>
  phrases === undefined
    ? [
        row(pairOf(pair), {
          "cluster.in_minus": unknown("absent"),
          "campaign_item.minus.count": unknown("absent")
        })
      ]
    : [
        row(pairOf(pair), {
          "cluster.in_minus": known(false),
          "campaign_item.minus.count": known(phrases.length)
        }),
        ...phrases.map((cluster) => row({ ...pairOf(pair), cluster }, { "cluster.in_minus": known(true) }))
      ]

const pairOf = ({ campaignId, itemId }: Pair): Pair => ({ campaignId, itemId })
