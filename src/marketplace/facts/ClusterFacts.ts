/** Facts of a pair's clusters: which there are, what they bid, which of them are minus phrases. */

import type { Cluster } from "../../domain/Ids.js"
import type { Kopecks } from "../../domain/Money.js"
import * as Storable from "../../domain/Storable.js"
import type { Pair } from "../../domain/Target.js"
import { unknown } from "../../engine/facts/Cell.js"
import type { FactRow } from "../../engine/gather/FactSource.js"
import type { LiveBid, MinusList, PairClusters } from "../../services/areas/advertising/Clusters.js"

import { orAbsent } from "./Answered.js"

/** Clusters whose names a store gives back as they were, and how many others were listed with them. */
export interface Storables extends PairClusters {
  readonly unstorable: number
}

/** Leaves out names that no store gives back as they were (half of a pair of signs, or a zero): what is done to them would be forgotten. */
export const storables = ({ active, archived, excluded, ...pair }: PairClusters): Storables => {
  const others = new Set(
    [active, excluded, archived].flatMap((names) => names.filter((name) => !Storable.isStorable(name)))
  )
  const kept = (names: ReadonlyArray<Cluster>) =>
    others.size === 0 ? names : names.filter((name) => !others.has(name))
  return {
    ...pair,
    active: kept(active),
    excluded: kept(excluded),
    archived: kept(archived),
    unstorable: others.size
  }
}

/** A row for each listed cluster: these are the cluster rows of a run. A cluster in two lists counts by the first. */
export const listRows = ({ campaignId, itemId, ...lists }: PairClusters): ReadonlyArray<FactRow> => {
  const told = states.filter((state) => lists[state].length > 0)
  // Of one list nothing is compared, for what stands in it twice tells the same twice.
  const seen = told.length > 1 ? new Set<string>() : undefined
  const rows: Array<FactRow> = []
  for (const state of told) {
    for (const cluster of lists[state]) {
      if (seen !== undefined && seen.size === seen.add(cluster).size) continue
      rows.push({ target: { campaignId, itemId, cluster }, facts: ofList, values: [cluster, state] })
    }
  }
  return rows
}

const states = ["active", "excluded", "archived"] as const
const ofList = ["cluster.query", "cluster.state"]

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
