/** What a reader of one source answers: rows for the engine, and what could not be read, in the engine's words. */
import type { Reason } from "../../domain/Reason.js"
import type { Pair, Subject } from "../../domain/Target.js"
import { type Given, unknown } from "../../engine/facts/Cell.js"
import type { SourceId } from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type { FactRow, LaterRows, SourceFailure } from "../../engine/gather/FactSource.js"
import type { Batched } from "../../services/Batches.js"
import * as Limiter from "../../services/Limiter.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as OddEntries from "../../services/OddEntries.js"

export interface Answered {
  readonly rows: ReadonlyArray<FactRow>
  readonly later?: ReadonlyArray<LaterRows>
  readonly failures: ReadonlyArray<SourceFailure>
  /** As in a `FactAnswer`. */
  readonly unstorable?: number
  /** When the oldest part of it was read, epoch milliseconds; now unless said. */
  readonly readAt?: number
}

/** A field that was not answered is absent, never zero. */
export const orAbsent = (value: number | string | boolean | undefined): Given =>
  value === undefined ? unknown("absent") : value

/** Rows of the values that came, failures of those that did not. */
export const fromBatched = <K, V>(
  { values, failures }: Batched<K, V>,
  operation: string,
  rowsOf: (value: V) => ReadonlyArray<FactRow>
): Answered => ({
  rows: values.flatMap(rowsOf),
  failures: failed(failures, operation)
})

/** As `fromBatched`, of pairs, each of which has the rows of its clusters. */
export const ofPairs = <V extends Pair>(
  { values, failures }: Batched<Pair, V>,
  operation: string,
  rowsOf: (value: V) => ReadonlyArray<FactRow>
): Answered => ({
  rows: [],
  later: values.map((value) => ({ key: value, rows: () => rowsOf(value) })),
  failures: failed(failures, operation)
})

const failed = <K>(failures: Batched<K, unknown>["failures"], operation: string) =>
  failures.map(({ keys, error }) => failure(operation, keys.length, error))

/** Entries that could not be read, as a failure; none where there are none. */
export const oddOnes = (
  operation: string,
  odd: ReadonlyArray<OddEntries.OddEntry>
): ReadonlyArray<SourceFailure> =>
  odd.length === 0 ? [] : [failure(operation, odd.length, OddEntries.error(operation, odd))]

export const failure = (operation: string, keys: number, error: CallError): SourceFailure => ({
  operation,
  keys,
  message: error.message,
  stopsAccount: error._tag === "Unauthorised",
  reason: Limiter.isNoRoom(error) ? "notFetched" : "failed",
  ...(error._tag === "Forbidden" && error.unserved === true ? { isVain: true } : {})
})

// What is there and was not answered: unknown, and not nothing.

/** Campaigns that are there and were not answered; whatever they spend counts for the limits of the account. */
export const leftOut = (campaigns: number, why: string): SourceFailure => ({
  operation: "getCampaigns",
  keys: campaigns,
  message: `getCampaigns: the marketplace leaves campaigns out (${why}); no rule can see them in this run`,
  stopsAccount: false,
  reason: "failed"
})

/** Every fact of a source as unknown, for the target and all below it of which nothing else is said. */
export const unansweredRow = (target: Subject, source: SourceId, reason: Reason): FactRow => {
  const facts = Vocabulary.facts.filter((fact) => fact.source === source).map(({ id }) => id)
  return { target, facts, values: facts.map(() => unknown(reason)) }
}
