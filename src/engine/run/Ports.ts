/**
 * What a run needs from the world. The engine owns these ports; `marketplace` implements fetching and writing,
 * `store` implements the journal. Time comes from `effect/Clock`.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { DayRange } from "../../domain/Days.js"
import type { AccountName, CampaignId } from "../../domain/Ids.js"
import type { Reason } from "../../domain/Reason.js"
import type { Subject } from "../../domain/Target.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import type { Purse } from "../decide/DepositProof.js"
import type { TopUp } from "../decide/FirstDay.js"
import type { SwitchedOff } from "../decide/SwitchedOff.js"
import type { Cell } from "../facts/Cell.js"
import type { Change } from "../kinds/Change.js"

/** The store could not be read or written; nothing was sent after it. `hint` says what to do. */
export class StoreFailure extends Data.TaggedError("StoreFailure")<{
  readonly action: string
  readonly hint: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.action}: ${this.hint}`
  }
}

/** A source failed for some keys; facts of those keys are unknown (`failed`), the rest stands. */
export interface SourceFailure {
  readonly operation: string
  readonly keys: number
  readonly message: string
  /** True when the account's token was refused: nothing else is worth asking (field note T12). */
  readonly stopsAccount: boolean
  /** What the facts of those keys become: `failed` unless said; `notFetched` when the limit left no room. */
  readonly reason?: Extract<Reason, "failed" | "notFetched" | "notApplicable">
}

/** The campaigns of the account. */
export interface CampaignList {
  /** Every one that can still be changed (statuses 4, 9 and 11, field note M38), ascending. */
  readonly ids: ReadonlyArray<CampaignId>
  /** Those that ended, and when they last changed, epoch milliseconds; undefined where nobody says. */
  readonly completed: ReadonlyArray<{
    readonly campaignId: CampaignId
    readonly changedAtMs: number | undefined
  }>
  /** How many more are counted without being named: completed ones, and others that nobody can change; none unless said. */
  readonly unnamed?: { readonly completed: number; readonly others: number }
  readonly failures: ReadonlyArray<SourceFailure>
}

/**
 * Facts of one row from one source. Facts not named stay unknown (`absent`). A fact that is finer than the target
 * holds for everything below the target, unless a later row of the answer says otherwise.
 */
export interface FactRow {
  /** `"account"` for facts of the account itself (balance, bid steps). */
  readonly target: Subject | "account"
  /** By vocabulary id, without window: `cluster.ctr`. */
  readonly cells: ReadonlyMap<string, Cell>
}

export interface FactAnswer {
  readonly rows: ReadonlyArray<FactRow>
  readonly failures: ReadonlyArray<SourceFailure>
  /** Clusters that were answered and have no row, because no store gives their names back; none unless said. */
  readonly unstorable?: number
  /** When the answer was read, epoch milliseconds. */
  readonly readAt: number
}

/** What to read: a source of the vocabulary for these keys, over these days when the source has a window. */
export interface FactRequest {
  /** Source id of the vocabulary, such as `clusterStats`; see `facts/Vocabulary.ts`. */
  readonly source: string
  /** Of the source's key level: campaigns, items in campaigns, items as such; none for the account. */
  readonly keys: ReadonlyArray<Subject>
  readonly days?: DayRange
}

/**
 * Reads facts of one account. One call of `fetch` is one marketplace call when `keys` fit the source's batch.
 * A key of which the answer has no row, while the answer has no failure, is `absent`; with a failure it is that
 * failure's reason. Source `campaigns` answers a row per campaign and per item of it, `clusters` a row per cluster:
 * these rows are the run's universe.
 */
export class FactSource extends Context.Tag("bidhelm/FactSource")<
  FactSource,
  {
    readonly account: AccountName
    /** Account currency as the marketplace spells it, known once campaigns were read. */
    readonly currency: Effect.Effect<string>
    /** Where the run's rows begin. */
    readonly campaigns: Effect.Effect<CampaignList>
    readonly fetch: (request: FactRequest) => Effect.Effect<FactAnswer>
    /** What campaigns were charged in these days, kopecks; undefined when it could not be read. Costs one call. */
    readonly charged?: (days: DayRange) => Effect.Effect<ReadonlyMap<CampaignId, number> | undefined>
    /** Top-ups of these days that may have been deposits; or why they could not be read. Costs one call. */
    readonly topUps?: (days: DayRange) => Effect.Effect<ReadonlyArray<TopUp> | { readonly unread: string }>
    /** What the marketplace refuses to the account's token now, and is therefore not asked for. */
    readonly switchedOff?: Effect.Effect<ReadonlyArray<SwitchedOff>>
    /** Marketplace calls made so far, by operation id. */
    readonly calls: Effect.Effect<Readonly<Record<string, number>>>
  }
>() {}

/** A scarce answer about one key as it was read, epoch milliseconds. */
export interface Remembered {
  /** `Target.key` of the key it answers. */
  readonly key: string
  readonly readAt: number
  readonly rows: ReadonlyArray<FactRow>
}

/**
 * Keeps the last answer of scarce sources from run to run, one per account, source and key. An answer as young as its
 * source allows is used instead of a call; an older one only tells which keys are worth a call.
 */
export class FactMemory extends Context.Tag("bidhelm/FactMemory")<
  FactMemory,
  {
    /** Answers about these keys, by key; keys without one are left out. */
    readonly recall: (
      account: string,
      source: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Remembered>, StoreFailure>
    /** Replaces what is known about the keys, in one transaction, and forgets what is a month old. */
    readonly keep: (
      account: string,
      source: string,
      answers: ReadonlyArray<Remembered>
    ) => Effect.Effect<void, StoreFailure>
  }
>() {}

/**
 * Live value of a change's slot, read just before sending and again after the visibility delay. `readAt` is when, epoch
 * milliseconds, where that may be long before the whole answer came.
 */
export type Live =
  | {
      readonly _tag: "Value"
      readonly value: number | string | boolean
      readonly inherited?: boolean
      readonly readAt?: number
    }
  | { readonly _tag: "Gone"; readonly why: string }
  | { readonly _tag: "Unreadable"; readonly why: string }

/**
 * What one request did to one change. `Unknown` means it may or may not have arrived. `Spoiled` means that it was
 * certainly not carried out, and only because of another change of the request, which is `Rejected` (field note M12):
 * it is worth sending without that one.
 */
export type WriteOutcome =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Spoiled"; readonly why: string }
  | { readonly _tag: "Rejected"; readonly why: string; readonly stopsAccount: boolean }
  | { readonly _tag: "NotSent"; readonly why: string }
  | { readonly _tag: "Unknown"; readonly why: string }

/** Changes that travel in one request, and how to send them. */
export interface WriteBatch {
  readonly operation: string
  readonly changes: ReadonlyArray<Change>
  /** Hash of the body that will be sent; journaled before it leaves. */
  readonly requestHash: string
  /** Outcome per change id; never fails, never resends by itself after an unknown outcome. */
  readonly send: Effect.Effect<ReadonlyMap<string, WriteOutcome>, never, WritePermit>
}

/** Writes changes of one account. */
export class Writer extends Context.Tag("bidhelm/Writer")<
  Writer,
  {
    /** Current values of the changes' slots, by change id, in as few calls as the batch bounds allow. */
    readonly readLive: (changes: ReadonlyArray<Change>) => Effect.Effect<ReadonlyMap<string, Live>>
    /**
     * Groups changes into requests. Minus lists are merged with the live list here, so the list is read again
     * right before. Order is deterministic.
     */
    readonly batches: (changes: ReadonlyArray<Change>) => Effect.Effect<ReadonlyArray<WriteBatch>>
    /** How long until a change of this kind can be seen, milliseconds (seed 001 "Timing", field note M02). */
    readonly visibilityMs: (change: Change) => number
    /**
     * The money around a deposit as it is now, with the charges of the campaign since a day (today, unless said);
     * undefined when some of it cannot be read.
     */
    readonly purse: (change: Change, spentFrom?: string) => Effect.Effect<Purse | undefined>
  }
>() {}

/** True stops every write within one request (checked before each). */
export class KillSwitch extends Context.Tag("bidhelm/KillSwitch")<
  KillSwitch,
  { readonly engaged: Effect.Effect<string | undefined> }
>() {}
