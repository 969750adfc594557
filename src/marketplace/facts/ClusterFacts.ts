/** Facts of a pair's clusters: which there are, what they bid, which of them are minus phrases. */

import type { Kopecks } from "../../domain/Money.js"
import * as Storable from "../../domain/Storable.js"
import type { Pair } from "../../domain/Target.js"
import { unknown } from "../../engine/facts/Cell.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type { LiveBid, MinusList, PairClusters } from "../../services/areas/advertising/Clusters.js"

import { orAbsent } from "./Answered.js"

/**
 * One row per listed cluster: these are the cluster rows of a run. A cluster in two lists counts by the first. One whose
 * name no store gives back as it was (half of a pair of signs, or a zero) has none: what is done to it would be forgotten.
 */
export const listRows = ({ campaignId, itemId, ...lists }: PairClusters): ReadonlyArray<FactRow> => {
  const seen = new Set<string>()
  const rows: Array<FactRow> = []
  for (const state of ["active", "excluded", "archived"] as const) {
    for (const cluster of lists[state]) {
      const isKnown = seen.size === seen.add(cluster).size
      if (isKnown || !Storable.isStorable(cluster)) continue
      rows.push({ target: { campaignId, itemId, cluster }, facts: ofList, values: [cluster, state] })
    }
  }
  return rows
}

const ofList = ["cluster.query", "cluster.state"]

/** How many of the listed clusters have no row for want of a name that can be kept. */
export const unstorable = ({ active, archived, excluded }: PairClusters): number =>
  new Set([active, excluded, archived].flatMap((names) => names.filter((name) => !Storable.isStorable(name))))
    .size

/** Clusters without a bid of their own run on the item's search bid, so this holds for the pair, until a row of one follows. */
export const inheritedBidRow = (pair: Pair, itemBid: Kopecks | undefined): FactRow => ({
  target: pairOf(pair),
  facts: ofBid,
  values: [false, orAbsent(itemBid)]
})

export const ownBidRow = ({ bidKopecks, campaignId, cluster, isRead, itemId }: LiveBid): FactRow => ({
  target: { campaignId, itemId, cluster },
  facts: ofBid,
  values: isRead ? [true, orAbsent(bidKopecks)] : [unknown("failed"), unknown("failed")]
})

const ofBid = ["cluster.has_own_bid", "cluster.bid"]

/** A list that was not answered is unknown for the whole pair (field note M14). */
export const minusRows = ({ phrases, ...pair }: MinusList): ReadonlyArray<FactRow> => {
  const target = pairOf(pair)
  if (phrases === undefined)
    return [{ target, facts: ofMinus, values: [unknown("absent"), unknown("absent")] }]
  return [
    { target, facts: ofMinus, values: [false, phrases.length] },
    ...phrases.map(
      (cluster): FactRow => ({ target: { ...target, cluster }, facts: ofPhrase, values: [true] })
    )
  ]
}

const ofMinus = ["cluster.in_minus", "campaign_item.minus.count"]
const ofPhrase = ["cluster.in_minus"]

const pairOf = ({ campaignId, itemId }: Pair): Pair => ({ campaignId, itemId })
