/** Search clusters of (campaign, item) pairs: which there are, their bids, the minus list (seed 001). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Groups from "../../../domain/Groups.js"
import type { Cluster } from "../../../domain/Ids.js"
import * as Money from "../../../domain/Money.js"
import { key, type Pair } from "../../../domain/Target.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type { Batched } from "../../Batches.js"
import * as Batches from "../../Batches.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError, Undecodable } from "../../MarketplaceError.js"
import * as OddEntries from "../../OddEntries.js"
import * as PairReads from "../../PairReads.js"
import * as Asked from "../Asked.js"
import * as PairRows from "./PairRows.js"

/** Clusters with at least 100 views; one that is not listed may still exist (field note M15). */
export interface PairClusters extends Pair {
  readonly active: ReadonlyArray<Cluster>
  readonly excluded: ReadonlyArray<Cluster>
  readonly archived: ReadonlyArray<Cluster>
}

export interface ClusterBid extends PairRows.ClusterKey {
  readonly bidKopecks: Money.Kopecks
}

/**
 * `phrases` undefined means that the answer left the pair or its list out, or named two lists for it: never write a minus
 * list after that (M14).
 */
export interface MinusList extends Pair {
  readonly phrases: ReadonlyArray<Cluster> | undefined
}

/** What became of one row of a write. `unconfirmed`: the answer does not say it, or says both, so read it back. */
export interface RowOutcome<K> {
  readonly row: K
  readonly outcome: "accepted" | "failed" | "unconfirmed"
  /** The marketplace's words for a failed row; what is missing for an unconfirmed one. */
  readonly reason: string | undefined
}

/** Reads pairs, a request for each chunk of them. */
const read = <V>(
  asker: PairReads.Asker,
  operation: string,
  pairs: ReadonlyArray<Pair>,
  ask: (chunk: ReadonlyArray<Pair>) => Effect.Effect<Batches.Batched<Pair, V>, CallError>
): Effect.Effect<Batches.Batched<Pair, V>> =>
  PairReads.run(asker, operation, pairs, (chunk) => Effect.map(ask(chunk), (answered) => [answered]), {
    concurrency: 4
  }).pipe(Effect.map(Batches.flat))

export const make = ({ api, refusedCampaigns, tokenKind }: Client) => ({
  /** Every pair of a chunk that was answered is among the values, empty if the marketplace left it out (M16). */
  list: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, PairClusters>> =>
    read({ refusedCampaigns, tokenKind }, "listClusters", pairs, (chunk) =>
      OddEntries.apart(api.clusters.listClusters({ payload: { items: chunk.map(PairRows.camel) } })).pipe(
        Effect.map(({ answer, odd }) => {
          const keyOf = PairRows.pairOfCamel
          const own = PairReads.parted("listClusters", chunk, answer.items, keyOf, odd, PairRows.camelOwner)
          const found = new Map(own.rows.map((row) => [key(keyOf(row)), row.normQueries]))
          const values = own.pairs.map(({ campaignId, itemId }) => {
            const clusters = found.get(key({ campaignId, itemId }))
            return {
              campaignId,
              itemId,
              active: clusters?.active ?? [],
              excluded: clusters?.excluded ?? [],
              archived: clusters?.archived ?? []
            }
          })
          return { values, failures: own.failures }
        })
      )
    ),

  /** Bids set per cluster; a cluster without one runs on its item's bid. */
  bids: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, LiveBid>> =>
    read({ refusedCampaigns, tokenKind }, "getClusterBids", pairs, (chunk) =>
      OddEntries.apart(api.clusters.getClusterBids({ payload: { items: chunk.map(PairRows.snake) } })).pipe(
        Effect.flatMap(({ answer, odd }) => liveBids({ asked: chunk, rows: answer.bids, odd }))
      )
    ),

  /** Every pair of a chunk that was answered is among the values; a null list of a named pair is empty (M03). */
  minus: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, MinusList>> =>
    read({ refusedCampaigns, tokenKind }, "getMinusPhrases", pairs, (chunk) =>
      OddEntries.apart(api.clusters.getMinusPhrases({ payload: { items: chunk.map(PairRows.snake) } })).pipe(
        Effect.flatMap(({ answer, odd }) => {
          // One of nobody may be a second list of any pair, and of two that differ none is written (M14).
          if (odd.some((one) => Option.isNone(PairRows.snakeOwner(one))))
            return Effect.fail(OddEntries.error("getMinusPhrases", odd))
          const keyOf = PairRows.pairOfSnake
          const own = PairReads.parted(
            "getMinusPhrases",
            chunk,
            answer.items,
            keyOf,
            odd,
            PairRows.snakeOwner
          )
          const found = Groups.by(own.rows, (row) => key(keyOf(row)))
          const values = own.pairs.map(({ campaignId, itemId }) => ({
            campaignId,
            itemId,
            phrases: agreed((found.get(key({ campaignId, itemId })) ?? []).map((row) => row.norm_queries))
          }))
          return Effect.succeed({ values, failures: own.failures })
        })
      )
    ),

  /** Minor units where the token may, else whole base units; a bid that is not whole is failed, not rounded (M11). */
  setBids: (
    rows: ReadonlyArray<ClusterBid>
  ): Effect.Effect<Batches.Batched<ClusterBid, RowOutcome<ClusterBid>>, never, WritePermit> =>
    tokenKind === "personal" || tokenKind === "service"
      ? Batches.run(rows, 100, (chunk) =>
          Effect.flatMap(
            api.clusters.setClusterBidsMinorUnits({
              payload: {
                bids: chunk.map((row) => ({
                  ...PairRows.camel(row),
                  normQuery: row.cluster,
                  bidMinorUnits: row.bidKopecks
                }))
              }
            }),
            ({ success, failed }) =>
              outcomes(
                "setClusterBidsMinorUnits",
                chunk,
                success.map(PairRows.fromCamel),
                failed.map(reasonCamel)
              )
          )
        )
      : setWholeBids(api, rows),

  /** Removes cluster bids, so that the clusters run on their item's bid again. */
  deleteBids: (
    rows: ReadonlyArray<PairRows.ClusterKey>
  ): Effect.Effect<
    Batches.Batched<PairRows.ClusterKey, RowOutcome<PairRows.ClusterKey>>,
    never,
    WritePermit
  > =>
    Batches.run(rows, 100, (chunk) =>
      Effect.flatMap(
        api.clusters.deleteClusterBids({
          payload: { bids: chunk.map((row) => ({ ...PairRows.snake(row), norm_query: row.cluster })) }
        }),
        ({ success, failed }) =>
          outcomes("deleteClusterBids", chunk, success.map(PairRows.fromSnake), failed.map(reasonSnake))
      )
    ),

  /** Replaces the pair's whole list, at most 1000 phrases; an empty one clears it. */
  setMinus: (pair: Pair, phrases: ReadonlyArray<Cluster>): Effect.Effect<void, CallError, WritePermit> =>
    api.clusters.setMinusPhrases({ payload: { ...PairRows.snake(pair), norm_queries: phrases } })
})

const setWholeBids = (api: Client["api"], rows: ReadonlyArray<ClusterBid>) => {
  const priced = rows.map((row) => ({ row, roubles: Money.toRoubles(row.bidKopecks) }))
  const refused = priced.flatMap(
    ({ row, roubles }): ReadonlyArray<RowOutcome<ClusterBid>> =>
      Either.isLeft(roubles)
        ? [{ row, outcome: "failed", reason: `${roubles.left}, and this token can set whole ones only` }]
        : []
  )
  const whole = priced.flatMap(({ row, roubles }) =>
    Either.isRight(roubles) ? [{ row, bid: roubles.right }] : []
  )
  return Batches.run(whole, 100, (chunk) =>
    Effect.flatMap(
      api.clusters.setClusterBids({
        payload: {
          bids: chunk.map(({ row, bid }) => ({ ...PairRows.snake(row), norm_query: row.cluster, bid }))
        }
      }),
      ({ success, failed }) =>
        outcomes(
          "setClusterBids",
          chunk.map(({ row }) => row),
          success.map(PairRows.fromSnake),
          failed.map(reasonSnake)
        )
    )
  ).pipe(
    Effect.map(({ values, failures }) => ({
      values: [...values, ...refused],
      failures: failures.map(({ keys, error }) => ({ keys: keys.map(({ row }) => row), error }))
    }))
  )
}

/**
 * A row in neither list, or in both, may or may not have been carried out: nobody says failed of it (M12 would). Rows
 * that were never asked for are told: somebody's bids were changed, or the answer is another request's.
 */
export const outcomes = <K extends PairRows.ClusterKey>(
  operation: string,
  rows: ReadonlyArray<K>,
  success: ReadonlyArray<PairRows.ClusterKey>,
  failed: ReadonlyArray<PairRows.ClusterKey & { readonly reason: string | undefined }>
): Effect.Effect<ReadonlyArray<RowOutcome<K>>> => {
  const accepted = new Set(success.map(key))
  const reasons = new Map(failed.map((row) => [key(row), row.reason]))
  const asked = new Set(rows.map(key))
  const strange = [...success, ...failed].filter((row) => !asked.has(key(row)))
  return Effect.as(
    Asked.warnOfAnswer(operation, strange.length, strange[0]),
    rows.map((row) => {
      const id = key(row)
      const isAccepted = accepted.has(id)
      if (isAccepted === reasons.has(id))
        return { row, outcome: "unconfirmed", reason: isAccepted ? contradicted : unnamed }
      return isAccepted
        ? { row, outcome: "accepted", reason: undefined }
        : { row, outcome: "failed", reason: reasons.get(id) }
    })
  )
}

const unnamed = "the answer names it neither as done nor as failed"
const contradicted = "the answer names it both as done and as failed"

/** The one list that all rows of a pair tell; undefined where none does, or two differ. */
const agreed = (
  lists: ReadonlyArray<ReadonlyArray<Cluster> | undefined>
): ReadonlyArray<Cluster> | undefined => {
  const [first, ...others] = lists
  const isSame = (other: ReadonlyArray<Cluster> | undefined) =>
    other?.length === first?.length && other?.every((phrase, nth) => phrase === first?.[nth])
  return others.every(isSame) ? first : undefined
}

interface Reasoned {
  readonly reason?: string | undefined
}

export const reasonSnake = (row: PairRows.Snake & Reasoned) => ({
  ...PairRows.fromSnake(row),
  reason: row.reason
})
export const reasonCamel = (row: PairRows.Camel & Reasoned) => ({
  ...PairRows.fromCamel(row),
  reason: row.reason
})

// Bids that clusters have of their own, as the marketplace answers them.

/** A cluster bid as read: of the marketplace's two spellings the one in minor units (M19). */
export interface LiveBid extends PairRows.ClusterKey {
  readonly bidKopecks: Money.Kopecks | undefined
  /** False for a row of which no more can be read than whose it is. */
  readonly isRead: boolean
}

interface Row extends PairRows.Snake {
  readonly bid_kopecks?: number | undefined
}

/**
 * Bids of the asked pairs. A cluster without a row inherits its item's bid, so an odd row is never as good as none: the
 * cluster it names has a bid that is not read; where it names none, its pair is a failure, and where not even that, all.
 */
const liveBids = ({
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
  campaignId: row.advert_id,
  itemId: row.nm_id,
  cluster: row.norm_query,
  bidKopecks: row.bid_kopecks === undefined ? undefined : Money.Kopecks(row.bid_kopecks),
  isRead: true
})

const notRead = (cluster: PairRows.ClusterKey): LiveBid => ({
  ...cluster,
  bidKopecks: undefined,
  isRead: false
})
