/** Bids that clusters have of their own, as the marketplace answers them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Money from "../../../domain/Money.js"
import { key, type Pair } from "../../../domain/Target.js"
import type { Batched } from "../../Batches.js"
import type { Undecodable } from "../../MarketplaceError.js"
import * as OddEntries from "../../OddEntries.js"
import * as PairRows from "./PairRows.js"

/** A cluster bid as read. `disagrees` tells that the marketplace's two spellings of it differ (M19). */
export interface LiveBid extends PairRows.ClusterKey {
  readonly bidKopecks: Money.Kopecks | undefined
  readonly disagrees: boolean
  /** False for a row of which no more can be read than whose it is. */
  readonly isRead: boolean
}

interface Row extends PairRows.Snake {
  readonly bid?: number | undefined
  readonly bid_kopecks?: number | undefined
}

/**
 * Bids of the asked pairs. A cluster without a row inherits its item's bid, so an odd row is never as good as none: the
 * cluster it names has a bid that is not read; where it names none, its pair is a failure, and where not even that, all.
 */
export const read = ({
  asked,
  odd,
  rows
}: {
  readonly asked: ReadonlyArray<Pair>
  readonly rows: ReadonlyArray<Row>
  readonly odd: ReadonlyArray<OddEntries.OddEntry>
}): Effect.Effect<Batched<Pair, LiveBid>, Undecodable> => {
  const told = rows.map(fromWire)
  if (odd.length === 0) return Effect.succeed({ values: told, failures: [] })
  const error = OddEntries.error("getClusterBids", odd)
  const unread = new Map<string, PairRows.ClusterKey>()
  const lost = new Set<string>()
  for (const entry of odd) {
    const cluster = PairRows.snakeCluster(entry)
    const owner = PairRows.snakeOwner(entry)
    if (Option.isSome(cluster)) unread.set(key(cluster.value), cluster.value)
    else if (Option.isSome(owner)) lost.add(key(owner.value))
    else return Effect.fail(error)
  }
  const isLost = ({ campaignId, itemId }: Pair): boolean => lost.has(key({ campaignId, itemId }))
  const values = [...told.filter((bid) => !unread.has(key(bid))), ...[...unread.values()].map(notRead)]
  return Effect.succeed({
    values: values.filter((bid) => !isLost(bid)),
    failures: [{ keys: asked.filter(isLost), error }]
  })
}

const fromWire = (row: Row): LiveBid => ({
  ...PairRows.fromSnake(row),
  bidKopecks: row.bid_kopecks === undefined ? undefined : Money.Kopecks(row.bid_kopecks),
  disagrees: row.bid !== undefined && row.bid_kopecks !== undefined && row.bid * 100 !== row.bid_kopecks,
  isRead: true
})

const notRead = (cluster: PairRows.ClusterKey): LiveBid => ({
  ...cluster,
  bidKopecks: undefined,
  disagrees: false,
  isRead: false
})
