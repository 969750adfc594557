/** Bids of search clusters: up to 100 a request, each with an outcome of its own (field note M12). */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Money from "../../domain/Money.js"
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import * as Target from "../../domain/Target.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { AdChange } from "../../engine/kinds/Change.js"
import type * as Clusters from "../../services/areas/advertising/Clusters.js"
import type * as PairRows from "../../services/areas/advertising/PairRows.js"
import type { Batched } from "../../services/Batches.js"
import type { Client } from "../../services/MarketplaceClient.js"
import * as Outcomes from "./Outcomes.js"

type Service = ReturnType<typeof Clusters.make>

/** Bids that are set, then bids that are removed. */
export const batches = (
  client: Client,
  clusters: Service,
  changes: ReadonlyArray<AdChange>
): ReadonlyArray<WriteBatch> => {
  const [set, removed] = Arr.partition(changes, (change) => Bids.detailsOf(change).clears === true)
  return [...settings(client, clusters, set), ...removals(clusters, removed)]
}

/** A cluster whose bid is removed runs on its item's again. */
const removals = (clusters: Service, changes: ReadonlyArray<AdChange>): ReadonlyArray<WriteBatch> =>
  Arr.chunksOf(changes, 100).map((chunk) => {
    const rows = chunk.flatMap(keyOf)
    return Outcomes.batch(
      "deleteClusterBids",
      chunk,
      rows,
      Effect.map(clusters.deleteBids(rows), (answer) => outcomesOf(chunk, answer))
    )
  })

const settings = (
  client: Client,
  clusters: Service,
  changes: ReadonlyArray<AdChange>
): ReadonlyArray<WriteBatch> => {
  const minor = client.tokenKind === "personal" || client.tokenKind === "service"
  const operation = minor ? "setClusterBidsMinorUnits" : "setClusterBids"
  return Arr.chunksOf(changes, 100).map((chunk) => {
    const rows = chunk.flatMap(bidOf)
    return Outcomes.batch(
      operation,
      chunk,
      rows,
      Effect.map(clusters.setBids(rows), (answer) => outcomesOf(chunk, answer))
    )
  })
}

/** Outcome of each change of a request, by its id. */
export const outcomesOf = <K extends PairRows.ClusterKey>(
  chunk: ReadonlyArray<AdChange>,
  { failures, values }: Batched<K, Clusters.RowOutcome<K>>
): ReadonlyMap<string, WriteOutcome> => {
  const [failure] = failures
  if (values.length === 0 && failure !== undefined) return Outcomes.ofRefused(chunk, failure.error)
  const common = commonReason(values)
  if (common !== undefined && chunk.length > 1) return Outcomes.ofReason(chunk, common)
  const byTarget = new Map<string, WriteOutcome>()
  for (const { row, outcome, reason } of values) byTarget.set(Target.key(row), outcomes[outcome](reason))
  for (const { keys, error } of failures) {
    for (const row of keys) byTarget.set(Target.key(row), Outcomes.ofError(error))
  }
  return new Map(chunk.map((change) => [change.id, byTarget.get(Target.key(change.subject)) ?? unsendable]))
}

/**
 * Why every row of a request was refused: a disabled phrase fails them all, and each row repeats the reason, which may name it
 * (field note M12). Undefined when rows have reasons of their own.
 */
const commonReason = (rows: ReadonlyArray<Clusters.RowOutcome<PairRows.ClusterKey>>): string | undefined => {
  const reason = rows[0]?.reason
  return rows.every((row) => row.outcome === "failed" && row.reason === reason) ? reason : undefined
}

const outcomes: Readonly<
  Record<Clusters.RowOutcome<unknown>["outcome"], (reason: string | undefined) => WriteOutcome>
> = {
  accepted: () => Outcomes.accepted,
  failed: (said) => ({
    _tag: "Rejected",
    reason: said === undefined ? OutcomeReason.of("refused_without_reason") : { code: "refused", said }
  }),
  unconfirmed: (said) => ({
    _tag: "Unknown",
    reason: said === undefined ? OutcomeReason.of("not_mentioned") : { code: "no_answer", said }
  })
}

const unsendable: WriteOutcome = { _tag: "NotSent", reason: OutcomeReason.of("malformed") }

const keyOf = ({ subject: target }: AdChange): ReadonlyArray<PairRows.ClusterKey> => {
  const { campaignId, itemId, cluster } = target
  return itemId === undefined || cluster === undefined ? [] : [{ campaignId, itemId, cluster }]
}

const bidOf = ({ subject: target, after }: AdChange): ReadonlyArray<Clusters.ClusterBid> => {
  const { campaignId, itemId, cluster } = target
  return itemId === undefined || cluster === undefined || typeof after !== "number"
    ? []
    : [{ campaignId, itemId, cluster, bidKopecks: Money.Kopecks(after) }]
}
