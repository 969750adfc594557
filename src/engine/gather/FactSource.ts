/**
 * What facts are read from: the marketplace of one account, and what earlier runs remember of scarce answers. The engine
 * owns these ports; `marketplace` and `store` implement them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DayRange } from "../../domain/Days.js"
import type { AccountName, CampaignId, PromotionId } from "../../domain/Ids.js"
import type { Reason } from "../../domain/Reason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Subject } from "../../domain/Target.js"
import type { TopUp } from "../decide/limits/FirstDay.js"
import type { SwitchedOff } from "../decide/limits/SwitchedOff.js"
import type { Given } from "../facts/Cell.js"
import type { Charged } from "../facts/Charges.js"
import type { DayFigures } from "../facts/DayFigures.js"

/** A source failed for some keys; facts of those keys are unknown (`failed`), the rest stands. */
export interface SourceFailure {
  readonly operation: string
  readonly keys: number
  readonly message: string
  /** True when the account's token was refused: nothing else is worth asking (field note T12). */
  readonly stopsAccount: boolean
  /** The token is good, and may not ask this. */
  readonly isForbidden?: true
  /** Not asked, for asking would tell nothing: the token's kind is not served the operation, the campaign does not run, or the day is not the marketplace's. */
  readonly isVain?: true
  /** What the facts of those keys become: `failed` unless said; `notFetched` when the limit left no room. */
  readonly reason?: Extract<Reason, "failed" | "notFetched" | "notApplicable" | "otherDay">
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
  /** Vocabulary ids, without window: `cluster.ctr`. Rows that tell the same share one array. */
  readonly facts: ReadonlyArray<string>
  /** The value of each of `facts`. */
  readonly values: ReadonlyArray<Given>
  /** Of a campaign's statistics: the days that the answer names, ascending. No rule asks for them; `optimise` compares them with what it expected. */
  readonly days?: ReadonlyArray<DayFigures>
}

/** A row of facts by vocabulary id. */
export const factRow = (target: FactRow["target"], facts: Readonly<Record<string, Given>>): FactRow => ({
  target,
  facts: Object.keys(facts),
  values: Object.values(facts)
})

/** Makes rows that tell the same: they share one list of facts, which is looked up once for all of them. */
export const factRows =
  (...facts: ReadonlyArray<string>) =>
  (target: FactRow["target"], ...values: ReadonlyArray<Given>): FactRow => ({ target, facts, values })

/** What a row says of a fact; undefined where it says nothing. */
export const valueIn = ({ facts, values }: FactRow, id: string): Given | undefined => {
  const at = facts.indexOf(id)
  return at < 0 ? undefined : values[at]
}

/** What an answer says of a key and all that belongs to it; made when the key's turn comes, and anew where the answer is also kept. */
export interface LaterRows {
  readonly key: Subject
  readonly rows: () => ReadonlyArray<FactRow>
}

export interface FactAnswer {
  readonly rows: ReadonlyArray<FactRow>
  /** After `rows`, of keys with many: all rows of an answer at once live long enough to be copied by the collector. None unless said. */
  readonly later?: ReadonlyArray<LaterRows>
  readonly failures: ReadonlyArray<SourceFailure>
  /** Clusters that were answered and have no row, because no store gives their names back; none unless said. */
  readonly unstorable?: number
  /** When the answer was read, epoch milliseconds. */
  readonly readAt: number
}

/** What a run could not read of the calendar for want of calls. */
export interface CalendarUnread {
  readonly what: "list" | "details" | "items"
  /** None for the list. */
  readonly promotionId: PromotionId | undefined
  /** When it was read last, which is too long ago, epoch milliseconds; undefined for what was never read. */
  readonly readAt: number | undefined
}

/** The calendar, where calls are so few that runs one after the other complete it. */
export interface ScarceCalendar {
  /** Promotions in the order in which their items are asked for: what is missing first, then what is oldest. */
  readonly inTurn: (promotions: ReadonlyArray<Subject>) => Effect.Effect<ReadonlyArray<Subject>>
  /** In the order in which it was left. */
  readonly unread: Effect.Effect<ReadonlyArray<CalendarUnread>>
}

/** How answers are kept that hold for a day. */
export interface Keeping {
  /** What would be asked about a key now: an answer to another question is none. */
  readonly questionOf: (key: Subject) => string
  /**
   * Whether rows tell all that was asked, and nothing that bounds a bid: a least bid above the bid there is, or above a `max_bid`
   * (kopecks), is asked anew, for who knows whether it stands.
   */
  readonly isSure: (key: Subject, rows: ReadonlyArray<FactRow>, maxBids: MaxBids) => boolean
}

/** The lowest `max_bid` of any rule, kopecks. */
export interface MaxBids {
  readonly cpm?: number
  readonly cpc?: number
}

/** What to read: a source of the vocabulary for these keys, over these days when the source has a window. */
export interface FactRequest {
  /** Source id of the vocabulary, such as `clusterStats`; see `facts/Vocabulary.ts`. */
  readonly source: string
  /** Of the source's key level: campaigns, items in campaigns, items as such; none for the account. */
  readonly keys: ReadonlyArray<Subject>
  readonly days?: DayRange
  /** From when times until something are told, epoch milliseconds: the run may have waited for hours since. Now unless said. */
  readonly nowMs?: number
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
    /** Absent where any answer is as good as another. */
    readonly keeping?: Keeping
    /** What campaigns were charged in these days. Costs one call. */
    readonly charged?: (days: DayRange) => Effect.Effect<Charged>
    /** Milliseconds that the clock at hand is ahead of the marketplace's; undefined where they agree, or nobody knows. */
    readonly clockAheadMs?: Effect.Effect<number | undefined>
    /** Top-ups of these days that may have been deposits; or why they could not be read. Costs one call. */
    readonly topUps?: (days: DayRange) => Effect.Effect<ReadonlyArray<TopUp> | { readonly unread: string }>
    /** What the marketplace refuses to the account's token now, and is therefore not asked for. */
    readonly switchedOff?: Effect.Effect<ReadonlyArray<SwitchedOff>>
    /** Absent where the calendar is read whole in every run. */
    readonly calendar?: ScarceCalendar
    /** Marketplace calls made so far, by operation id. */
    readonly calls: Effect.Effect<Readonly<Record<string, number>>>
  }
>() {}

/** An answer about one key as it was read, epoch milliseconds. */
export interface Remembered {
  /** `Target.key` of the key it answers. */
  readonly key: string
  readonly readAt: number
  readonly rows: ReadonlyArray<FactRow>
}

/**
 * Keeps the last answer of sources that say so from run to run, one per account, source and key. An answer as young as its
 * source allows is used instead of a call; an older one of a scarce source only tells which keys are worth a call.
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
    /** Keys that were answered since an instant, epoch milliseconds. */
    readonly since: (
      account: string,
      source: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<string>, StoreFailure>
    /** Replaces what is known about the keys, in one transaction, and forgets what is a month old. */
    readonly keep: (
      account: string,
      source: string,
      answers: ReadonlyArray<Remembered>
    ) => Effect.Effect<void, StoreFailure>
  }
>() {}
