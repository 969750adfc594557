/**
 * Reads of any number of (campaign, item) pairs, a hundred a request. The marketplace refuses clusters of single
 * campaigns by refusing the whole request that names one (not-shown §3.4). Such a request is taken apart until it is known
 * which campaigns they are; these are remembered as switched off, and asked for alone from then on.
 */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CampaignId } from "../domain/Ids.js"
import type { Pair } from "../domain/Target.js"
import * as Target from "../domain/Target.js"
import * as Batches from "./Batches.js"
import { type CallError, Forbidden } from "./MarketplaceError.js"
import * as OddEntries from "./OddEntries.js"
import type { TokenKind } from "./Operation.js"
import type { RefusedCampaigns } from "./SwitchedOff.js"

type Batched<V> = Batches.Batched<Pair, V>
type Refused = Batches.Failure<Pair>

/** Of one request (seed 001 "Payload bounds"). */
export const mostPairs = 100
/** Requests that one refused request may cost: what is not known by then is found out by the next runs. */
const mostAsked = 40
/** After so many, none of which was answered (every eighth of it was refused), it is about the token, not campaigns. */
const mostInVain = 14

/** Whose reads they are. */
export interface Asker {
  readonly tokenKind: TokenKind
  readonly refusedCampaigns?: RefusedCampaigns | undefined
}

/** Pairs of one request may be answered in another order when it was taken apart. */
export const run = <V>(
  { refusedCampaigns, tokenKind }: Asker,
  operation: string,
  pairs: ReadonlyArray<Pair>,
  call: (chunk: ReadonlyArray<Pair>) => Effect.Effect<ReadonlyArray<V>, CallError>,
  settings: Batches.Settings = {}
): Effect.Effect<Batched<V>> => {
  // A base token has five calls an hour for it: they are better spent on other campaigns.
  if (refusedCampaigns === undefined || tokenKind === "base")
    return Batches.run(pairs, mostPairs, call, settings)
  return Effect.gen(function* () {
    const refused = yield* refusedCampaigns.of(operation)
    const [others, alone] = Arr.partition(pairs, ({ campaignId }) => refused.has(campaignId))
    const asked = yield* Batches.run(others, mostPairs, call, settings)
    const [lost, mixed] = Arr.partition(asked.failures, isOfSeveral)
    const parts: Array<Batched<V>> = [{ values: asked.values, failures: lost }]
    let inVain = false
    for (const failure of mixed) {
      if (inVain) {
        parts.push({ values: [], failures: [failure] })
        continue
      }
      const apart = yield* takenApart(refusedCampaigns, operation, failure, call)
      inVain = apart.inVain
      parts.push(apart)
    }
    const one = yield* Batches.runChunks(byCampaign(alone).flatMap(Arr.chunksOf(mostPairs)), call, settings)
    return joined([...parts, { values: one.values, failures: together(one.failures) }])
  })
}

/** What was answered of pairs: those that no odd entry concerns, their rows, and the others as a failure. */
export const parted = <R>(
  operation: string,
  asked: ReadonlyArray<Pair>,
  rows: ReadonlyArray<R>,
  keyOf: (row: R) => Pair,
  odd: ReadonlyArray<OddEntries.OddEntry>,
  whose: (entry: OddEntries.OddEntry) => Option.Option<Pair>
) => {
  const read = OddEntries.parted({ operation, asked, nameOf: Target.key, rows, keyOf, odd, whose })
  const lost = new Set(read.failures.flatMap(({ keys }) => keys.map(Target.key)))
  return {
    rows: read.values,
    pairs: lost.size === 0 ? asked : asked.filter((pair) => !lost.has(Target.key(pair))),
    failures: read.failures
  }
}

/** Halves, by campaigns: level by level until something is answered, then to the end of each, so that some are known. */
const takenApart = <V>(
  refusedCampaigns: RefusedCampaigns,
  operation: string,
  failure: Refused,
  call: (chunk: ReadonlyArray<Pair>) => Effect.Effect<ReadonlyArray<V>, CallError>
): Effect.Effect<Batched<V> & { readonly inVain: boolean }> =>
  Effect.gen(function* () {
    const parts: Array<Batched<V>> = []
    const given: Array<Refused> = []
    const open = halves(failure.keys)
    let answers = 0
    for (let asked = 0, part = open.shift(); part !== undefined; part = open.shift()) {
      if (asked >= (answers === 0 ? mostInVain : mostAsked)) {
        given.push({ keys: part, error: failure.error })
        continue
      }
      asked++
      const one = yield* Batches.runChunks([part], call)
      const [refused] = one.failures
      if (refused === undefined) answers++
      if (refused === undefined || !isOfSeveral(refused)) parts.push(one)
      else {
        yield* refusedCampaigns.forget(operation, campaignsOf(part))
        if (answers === 0) open.push(...halves(part))
        else open.unshift(...halves(part))
      }
      // A closed limit or a broken line says nothing about campaigns: enough for now.
      if (refused !== undefined && refused.error._tag !== "Forbidden") asked = mostAsked
    }
    // Refused as a whole it stays; else those are remembered whose fault it was.
    const inVain = answers === 0 && given.length > 0
    if (!inVain) yield* refusedCampaigns.forget(operation, campaignsOf(failure.keys))
    return { ...joined([...parts, { values: [], failures: given }]), inVain }
  })

/** A refusal by the marketplace that does not say of which of several campaigns it is. */
const isOfSeveral = ({ error, keys }: Refused): boolean =>
  error._tag === "Forbidden" &&
  error.status === 403 &&
  error.arrived === "yes" &&
  error.page === undefined &&
  campaignsOf(keys).length > 1

const campaignsOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<CampaignId> => [
  ...new Set(pairs.map(({ campaignId }) => campaignId))
]

const byCampaign = (pairs: ReadonlyArray<Pair>): ReadonlyArray<ReadonlyArray<Pair>> =>
  Object.values(Arr.groupBy(pairs, ({ campaignId }) => String(campaignId)))

const halves = (pairs: ReadonlyArray<Pair>): Array<ReadonlyArray<Pair>> => {
  const campaigns = byCampaign(pairs)
  return Arr.chunksOf(campaigns, Math.ceil(campaigns.length / 2)).map((half) => half.flat())
}

/** What is switched off for many campaigns is told once. */
const together = (failures: ReadonlyArray<Refused>): ReadonlyArray<Refused> => {
  const [others, off] = Arr.partition(
    failures,
    ({ error }) => error._tag === "Forbidden" && error.switchedOff === true
  )
  const [first, ...more] = off
  if (first === undefined || more.length === 0 || first.error._tag !== "Forbidden") return failures
  const text = `${first.error.text}; so it is for ${more.length} more of the account's campaigns`
  return [
    ...others,
    { keys: off.flatMap(({ keys }) => keys), error: new Forbidden({ ...first.error, text }) }
  ]
}

const joined = <V>(parts: ReadonlyArray<Batched<V>>): Batched<V> => ({
  values: parts.flatMap(({ values }) => values),
  failures: parts.flatMap(({ failures }) => failures)
})
