/** Search clusters of (campaign, item) pairs: which there are, their bids, the minus list (seed 001). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Cluster } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import { key, type Pair } from "../../domain/Target.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import * as Batches from "../Batches.js"
import type { Client } from "../MarketplaceClient.js"
import type { CallError } from "../MarketplaceError.js"
import * as PairReads from "../PairReads.js"
import * as Asked from "./Asked.js"

/** Clusters with at least 100 views; one that is not listed may still exist (field note M15). */
export interface PairClusters extends Pair {
  readonly active: ReadonlyArray<Cluster>
  readonly excluded: ReadonlyArray<Cluster>
  readonly archived: ReadonlyArray<Cluster>
}

export interface ClusterKey extends Pair {
  readonly cluster: Cluster
}

export interface ClusterBid extends ClusterKey {
  readonly bidKopecks: Money.Kopecks
}

/** A cluster bid as read. `disagrees` tells that the marketplace's two spellings of it differ (M19). */
export interface LiveBid extends ClusterKey {
  readonly bidKopecks: Money.Kopecks | undefined
  readonly disagrees: boolean
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

const atOnce = { concurrency: 4 }

export const make = ({ api, refusedCampaigns, tokenKind }: Client) => ({
  /** Every pair of a chunk that was answered is among the values, empty if the marketplace left it out (M16). */
  list: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, PairClusters>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "listClusters",
      pairs,
      (chunk) =>
        Effect.map(api.clusters.listClusters({ payload: { items: chunk.map(camel) } }), ({ items }) => {
          const found = new Map(
            items.map((row) => [key({ campaignId: row.advertId, itemId: row.nmId }), row.normQueries])
          )
          return chunk.map((pair) => {
            const clusters = found.get(key(pair))
            return {
              campaignId: pair.campaignId,
              itemId: pair.itemId,
              active: clusters?.active ?? [],
              excluded: clusters?.excluded ?? [],
              archived: clusters?.archived ?? []
            }
          })
        }),
      atOnce
    ),

  /** Bids set per cluster; a cluster without one runs on its item's bid. */
  bids: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, LiveBid>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getClusterBids",
      pairs,
      (chunk) =>
        Effect.map(api.clusters.getClusterBids({ payload: { items: chunk.map(snake) } }), ({ bids }) =>
          bids.map((row) => ({
            ...fromSnake(row),
            bidKopecks: row.bid_kopecks === undefined ? undefined : Money.Kopecks(row.bid_kopecks),
            disagrees:
              row.bid !== undefined && row.bid_kopecks !== undefined && row.bid * 100 !== row.bid_kopecks
          }))
        ),
      atOnce
    ),

  /** Every pair of a chunk that was answered is among the values; a null list of a named pair is empty (M03). */
  minus: (pairs: ReadonlyArray<Pair>): Effect.Effect<Batches.Batched<Pair, MinusList>> =>
    PairReads.run(
      { refusedCampaigns, tokenKind },
      "getMinusPhrases",
      pairs,
      (chunk) =>
        Effect.map(api.clusters.getMinusPhrases({ payload: { items: chunk.map(snake) } }), ({ items }) => {
          const found = Arr.groupBy(items, (row) => key({ campaignId: row.advert_id, itemId: row.nm_id }))
          return chunk.map((pair) => ({
            campaignId: pair.campaignId,
            itemId: pair.itemId,
            phrases: agreed((found[key(pair)] ?? []).map((row) => row.norm_queries))
          }))
        }),
      atOnce
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
                  ...camel(row),
                  normQuery: row.cluster,
                  bidMinorUnits: row.bidKopecks
                }))
              }
            }),
            ({ success, failed }) =>
              outcomes("setClusterBidsMinorUnits", chunk, success.map(fromCamel), failed.map(reasonCamel))
          )
        )
      : setWholeBids(api, rows),

  /** Removes cluster bids, so that the clusters run on their item's bid again. */
  deleteBids: (
    rows: ReadonlyArray<ClusterKey>
  ): Effect.Effect<Batches.Batched<ClusterKey, RowOutcome<ClusterKey>>, never, WritePermit> =>
    Batches.run(rows, 100, (chunk) =>
      Effect.flatMap(
        api.clusters.deleteClusterBids({
          payload: { bids: chunk.map((row) => ({ ...snake(row), norm_query: row.cluster })) }
        }),
        ({ success, failed }) =>
          outcomes("deleteClusterBids", chunk, success.map(fromSnake), failed.map(reasonSnake))
      )
    ),

  /** Replaces the pair's whole list, at most 1000 phrases; an empty one clears it. */
  setMinus: (pair: Pair, phrases: ReadonlyArray<Cluster>): Effect.Effect<void, CallError, WritePermit> =>
    api.clusters.setMinusPhrases({ payload: { ...snake(pair), norm_queries: phrases } })
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
        payload: { bids: chunk.map(({ row, bid }) => ({ ...snake(row), norm_query: row.cluster, bid })) }
      }),
      ({ success, failed }) =>
        outcomes(
          "setClusterBids",
          chunk.map(({ row }) => row),
          success.map(fromSnake),
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
const outcomes = <K extends ClusterKey>(
  operation: string,
  rows: ReadonlyArray<K>,
  success: ReadonlyArray<ClusterKey>,
  failed: ReadonlyArray<ClusterKey & { readonly reason: string | undefined }>
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

const snake = (pair: Pair) => ({ advert_id: pair.campaignId, nm_id: pair.itemId })
const camel = (pair: Pair) => ({ advertId: pair.campaignId, nmId: pair.itemId })

interface Snake {
  readonly advert_id: Pair["campaignId"]
  readonly nm_id: Pair["itemId"]
  readonly norm_query: Cluster
}
interface Camel {
  readonly advertId: Pair["campaignId"]
  readonly nmId: Pair["itemId"]
  readonly normQuery: Cluster
}
interface Reasoned {
  readonly reason?: string | undefined
}

const fromSnake = (row: Snake): ClusterKey => ({
  campaignId: row.advert_id,
  itemId: row.nm_id,
  cluster: row.norm_query
})
const fromCamel = (row: Camel): ClusterKey => ({
  campaignId: row.advertId,
  itemId: row.nmId,
  cluster: row.normQuery
})
const reasonSnake = (row: Snake & Reasoned) => ({ ...fromSnake(row), reason: row.reason })
const reasonCamel = (row: Camel & Reasoned) => ({ ...fromCamel(row), reason: row.reason })
