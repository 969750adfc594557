/**
 * Durable memory of the limiter: one row per bucket and one per daily quota, shared by every process that works on the
 * same store. The row is the truth; a decision to send is taken and stored in one transaction on it.
 */

import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { AccountName } from "../../domain/Ids.js"
import type { Bucket } from "../Limiter.js"
import type { Quota } from "../Operation.js"

/** A request that has left and whose answer has not been seen. It holds one token until `expiresAt`. */
export interface Flight {
  readonly id: string
  /** Process that sent it, see `LimiterStore.owner`. */
  readonly owner: string
  readonly sentAt: number
  /** Latest moment it can arrive, epoch milliseconds; from then on its token counts as spent at that moment. */
  readonly expiresAt: number
}

/** A bucket as stored. Times are epoch milliseconds. */
export interface StoredBucket {
  /** Content at `creditAt`, counted in milliseconds of refill: `intervalMs` of them are one token. May be negative. */
  readonly creditMs: number
  readonly creditAt: number
  /** The interval `creditMs` was counted with. */
  readonly intervalMs: number
  readonly flights: ReadonlyArray<Flight>
  /** Nothing is sent before this moment. */
  readonly frozenUntil: number | undefined
  /** Refusals (429) since the last answer of another kind. */
  readonly refusals: number
}

/** A daily quota as stored. */
export interface StoredQuota {
  /** The Moscow day `used` counts, `YYYY-MM-DD`. */
  readonly day: string
  readonly used: number
  /** Refused by the marketplace: nothing is sent before this moment, epoch milliseconds. */
  readonly closedUntil: number | undefined
  /** Day of the first refusal since the last answer of another kind. */
  readonly refusedOn: string | undefined
}

export interface QuotaRow {
  readonly account: AccountName
  readonly quota: Quota
  readonly stored: StoredQuota
}

/** The limiter's memory failed; nothing was sent after it. The message says what to do. */
export class LimiterStoreFailure extends Data.TaggedError("LimiterStoreFailure")<{
  readonly message: string
  readonly cause: unknown
}> {}

export class LimiterStore extends Context.Tag("bidhelm/LimiterStore")<
  LimiterStore,
  {
    /** Names this process (and this opening of the store) in flights. */
    readonly owner: string
    /** False when the process of that name has certainly ended. */
    readonly alive: (owner: string) => boolean
    /** Reads the row, lets `change` decide, writes what it answers; one committed transaction. */
    readonly update: <A>(
      bucket: Bucket,
      change: (stored: StoredBucket | undefined) => readonly [answer: A, next: StoredBucket]
    ) => Effect.Effect<A, LimiterStoreFailure>
    /** All buckets ever used, ordered by account, token kind and limit group. */
    readonly list: Effect.Effect<
      ReadonlyArray<{ readonly bucket: Bucket; readonly stored: StoredBucket }>,
      LimiterStoreFailure
    >
    /** As `update`, for the daily quota of an account, whatever its token. */
    readonly updateQuota: <A>(
      account: AccountName,
      quota: Quota,
      change: (stored: StoredQuota | undefined) => readonly [answer: A, next: StoredQuota]
    ) => Effect.Effect<A, LimiterStoreFailure>
    /** All quotas ever used, ordered by account and group. */
    readonly listQuotas: Effect.Effect<ReadonlyArray<QuotaRow>, LimiterStoreFailure>
  }
>() {}

/** Identity of a bucket: account, token kind, limit group. */
export const key = (bucket: Bucket): string =>
  JSON.stringify([bucket.account, bucket.tokenKind, bucket.limitGroup])
