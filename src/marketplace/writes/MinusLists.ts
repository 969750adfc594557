/**
 * Minus phrases. The marketplace replaces a pair's whole list (field note M14), so ours are merged into the list as
 * it is now, everybody else's phrases are kept, and nothing is written when the list could not be read or changed
 * between reading and writing. Where the call limit or a 429 came between, it is read again.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { BeforeSend, Withheld } from "../../domain/BeforeSend.js"
import type { Cluster } from "../../domain/Ids.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import * as Target from "../../domain/Target.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { AdChange } from "../../engine/kinds/Change.js"
import type * as Clusters from "../../services/areas/advertising/Clusters.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as Outcomes from "./Outcomes.js"

/** What the marketplace stores per pair (seed 001 "Payload bounds"). */
const mostPhrases = 1000

/** A list that was read longer ago is read again before it is replaced, milliseconds. */
export const freshMs = 10_000
/** So often it is read; on a slow machine the last reading counts for longer. */
export const mostReadings = 3
export const lastFreshMs = 60_000

type Service = ReturnType<typeof Clusters.make>

export const batches = (
  clusters: Service,
  changes: ReadonlyArray<AdChange>
): Effect.Effect<ReadonlyArray<WriteBatch>> =>
  Effect.gen(function* () {
    const groups = Object.values(Arr.groupBy(changes, (change) => Target.key(pairOf(change))))
    const lists = yield* read(
      clusters,
      groups.map((group) => pairOf(group[0]))
    )
    return groups.map((group) => {
      const pair = pairOf(group[0])
      const now = lists.get(Target.key(pair))
      const body = { ...pair, phrases: now === undefined ? [] : merge(now, group) }
      return Outcomes.batch("setMinusPhrases", group, body, replace(clusters, pair, now, group))
    })
  })

/** The list as it is, without phrases we remove, and with phrases we add at its end. */
export const merge = (
  now: ReadonlyArray<Cluster>,
  changes: ReadonlyArray<AdChange>
): ReadonlyArray<Cluster> => {
  const removed = new Set(changes.filter((change) => change.after === false).map(phraseOf))
  const kept = now.filter((phrase) => !removed.has(phrase))
  const present = new Set<Cluster | undefined>(kept)
  const added = changes.filter((change) => change.after === true).map(phraseOf)
  return [
    ...kept,
    ...added.flatMap((phrase) => (phrase === undefined || present.has(phrase) ? [] : [phrase]))
  ]
}

const replace = (
  clusters: Service,
  pair: Target.Pair,
  before: ReadonlyArray<Cluster> | undefined,
  changes: ReadonlyArray<AdChange>,
  reading = 1
): Effect.Effect<ReadonlyMap<string, WriteOutcome>, never, WritePermit> =>
  Effect.gen(function* () {
    const now = (yield* read(clusters, [pair])).get(Target.key(pair))
    if (before === undefined || now === undefined) {
      return notSent(changes, { code: "minus_list_unread" })
    }
    if (!sameList(before, now)) {
      return notSent(changes, { code: "minus_list_moving" })
    }
    const merged = merge(now, changes)
    if (merged.length > mostPhrases) {
      return notSent(changes, { code: "minus_list_full", phrases: merged.length, most: mostPhrases })
    }
    const isLast = reading >= mostReadings
    const fresh = freshness(yield* Clock.currentTimeMillis, isLast ? lastFreshMs : freshMs)
    const look = Effect.zipRight(fresh, yield* BeforeSend)
    const sent = yield* Effect.either(
      Effect.provideService(clusters.setMinus(pair, merged), BeforeSend, look)
    )
    if (sent._tag === "Right") return Outcomes.forAll(changes, Outcomes.accepted)
    return !isLast && sent.left._tag === "Withheld" && sent.left.reason.code === "stale_list"
      ? yield* replace(clusters, pair, before, changes, reading + 1)
      : ofRefused(changes, merged, sent.left)
  })

/** Where the words of a refusal name none of ours, a phrase of ours is no more at fault than those of others that are sent with it. */
const ofRefused = (
  changes: ReadonlyArray<AdChange>,
  list: ReadonlyArray<Cluster>,
  error: CallError
): ReadonlyMap<string, WriteOutcome> => {
  const outcomes = Outcomes.ofRefused(changes, error)
  const ours = new Set(changes.map(phraseOf))
  const before = list.filter((phrase) => !ours.has(phrase))
  if (before.length === 0) return outcomes
  const named = Outcomes.phraseNamed(error, before)
  const of = {
    phrases: list.length,
    before: before.length,
    ...(named === undefined ? {} : { named })
  }
  return new Map(
    changes.flatMap((change) => {
      const outcome = outcomes.get(change.id)
      return outcome === undefined ? [] : [[change.id, ofOne(of, outcome)] as const]
    })
  )
}

const ofOne = (
  of: { readonly phrases: number; readonly before: number; readonly named?: string },
  outcome: WriteOutcome
): WriteOutcome => {
  if (outcome._tag !== "Doubted" || outcome.reason.code !== "refused") return outcome
  return { ...outcome, reason: { code: "minus_list_refused", ...of, said: outcome.reason.said } }
}

/** Asked before each request, repeats after a 429 included: phrases added since the reading would be lost. */
const freshness = (readAt: number, allowedMs: number): Effect.Effect<void, Withheld> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    nowMs - readAt > allowedMs ? new Withheld({ reason: { code: "stale_list" } }) : Effect.void
  )

/** Lists by pair; a pair whose list was not answered is missing. */
const read = (
  clusters: Service,
  pairs: ReadonlyArray<Target.Pair>
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<Cluster>>> =>
  Effect.map(
    clusters.minus(pairs),
    ({ values }) =>
      new Map(
        values.flatMap((list) =>
          list.phrases === undefined ? [] : [[Target.key(pairOnly(list)), list.phrases] as const]
        )
      )
  )

const notSent = (changes: ReadonlyArray<AdChange>, reason: OutcomeReason) =>
  Outcomes.forAll(changes, { _tag: "NotSent", reason })

const sameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((phrase, index) => phrase === b[index])

const phraseOf = (change: AdChange): Cluster | undefined => change.subject.cluster

/** A minus change always has an item. */
const pairOf = ({ subject: target }: AdChange): Target.Pair => pairOnly(target)

const pairOnly = ({ campaignId, itemId }: Target.Target): Target.Pair => {
  if (itemId === undefined) throw new RangeError(`a minus phrase of campaign ${campaignId} names no item`)
  return { campaignId, itemId }
}
