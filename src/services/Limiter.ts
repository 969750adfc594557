/**
 * The limiter port: every request of every account goes through `call`. One bucket per (account, token kind, limit
 * group); a bucket holds `burst` tokens and gains one every `intervalMs` (seed 001 "Limits", contract "Reading a
 * limit"). The implementation keeps its state in the store (`LimiterLive.ts`).
 */

import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { AccountName } from "../domain/Ids.js"
import type { Quota, TokenKind } from "./Operation.js"
import * as Operation from "./Operation.js"
import type { Token } from "./Token.js"

export interface Bucket {
  readonly account: AccountName
  readonly tokenKind: TokenKind
  readonly limitGroup: string
  readonly burst: number
  readonly intervalMs: number
  /** Tokens a 4xx answer costs; 1 where nothing is stated, 10 on the marketplace host. */
  readonly cost4xx: number
  /** So many calls per Moscow day beside the bucket, of all operations that name the same group. */
  readonly quota?: Quota | undefined
}

/** What an answer says about its bucket. `status` is undefined when no answer came. */
export interface Feedback {
  readonly status: number | undefined
  /** From `X-Ratelimit-Retry`, then `Retry-After`, milliseconds. */
  readonly retryAfterMs: number | undefined
  /** From `X-Ratelimit-Remaining`. */
  readonly remaining: number | undefined
  /** The request is known never to have reached the marketplace. */
  readonly arrived?: "no"
  /** Its own caller kept it back before its first byte, so it cost nothing. */
  readonly withheld?: boolean
  /** A 429 of the daily quota: the bucket itself is not empty. */
  readonly daily?: boolean
}

/**
 * The bucket will not serve this call within the caller's patience, or its state cannot be stored; nothing was sent.
 * `problem` says what to do in the second case.
 */
export class LimitStopped extends Data.TaggedError("LimitStopped")<{
  readonly limitGroup: string
  /** The limit is used up for now, what it allows could not be stored, or the seller has switched the operation off. */
  readonly because: "no_room" | "not_kept" | "switched_off"
  readonly waitMs: number
  readonly frozenUntil: number | undefined
  readonly problem?: string
}> {
  override get message(): string {
    return (
      this.problem ??
      `the limit of ${this.limitGroup} leaves no room for ${Math.ceil(this.waitMs / 1000)} s; run again later or raise --max-wait`
    )
  }
}

/** True of a limit that is used up; a store that cannot be read or written ends calls too, and is no limit. */
export const isNoRoom = (error: object): boolean =>
  error instanceof LimitStopped && error.because === "no_room"

export interface BucketState {
  readonly bucket: Bucket
  /** Whole tokens that could be spent now. */
  readonly available: number
  readonly inFlight: number
  readonly frozenUntil: number | undefined
  /** When one more request may leave at the earliest, epoch milliseconds; undefined when it may now. */
  readonly nextAt: number | undefined
}

/** A daily quota as the store knows it; its day ends at midnight in Moscow (the boundary is inferred, not-shown §2). */
export interface QuotaState {
  readonly account: AccountName
  readonly quota: Quota
  /** Calls booked today. */
  readonly used: number
  /** Until when it is closed: used up, or refused by the marketplace. Epoch milliseconds. */
  readonly closedUntil: number | undefined
  /** Whether the marketplace itself refused, so that others may have used it. */
  readonly refused: boolean
}

export class Limiter extends Context.Tag("bidhelm/Limiter")<
  Limiter,
  {
    /**
     * Books the daily quota if there is one, waits for a token, stores that it is spent, sends, and settles both by
     * the answer. A used-up quota is not waited for.
     */
    readonly call: <A, E, R>(
      bucket: Bucket,
      send: Effect.Effect<A, E, R>,
      feedback: (exit: Exit.Exit<A, E>) => Feedback
    ) => Effect.Effect<A, E | LimitStopped, R>
    readonly states: Effect.Effect<ReadonlyArray<BucketState>>
    /** Every daily quota ever used, ordered by account and group. */
    readonly quotas: Effect.Effect<ReadonlyArray<QuotaState>>
  }
>() {}

/** Who is asking within a lane (`domain/Lane`): consumers share a bucket in turns, so a flood of one does not starve another. */
export class Consumer extends Context.Reference<Consumer>()("bidhelm/Consumer", {
  defaultValue: () => "default"
}) {}

/** Longest wait a caller accepts for a token, milliseconds; beyond it the call ends with `LimitStopped`. */
export class MaxWait extends Context.Reference<MaxWait>()("bidhelm/MaxWait", {
  defaultValue: () => Number.POSITIVE_INFINITY
}) {}

// Which bucket a call of an operation draws from.

/** In the test environment all operations of the marketplace host share one request per second (seed 000 "Limits"). */
const testBucket = { limitGroup: "marketplace.test", burst: 1, intervalMs: 1000 } as const

/** The bucket of an operation under an account's token; undefined when its kind is not served. */
export const bucketOf = (
  facts: Operation.Facts,
  account: AccountName,
  token: Pick<Token, "kind" | "test">
): Bucket | undefined => {
  const limit = Operation.prudentLimitOf(facts, token.kind)
  if (limit === undefined) return undefined
  const { burst, intervalMs, limitGroup } =
    token.test && facts.host === "marketplace" ? testBucket : { limitGroup: facts.limitGroup, ...limit }
  return {
    account,
    tokenKind: token.kind,
    limitGroup,
    burst,
    intervalMs,
    cost4xx: facts.cost4xx,
    ...(facts.quota === undefined ? {} : { quota: facts.quota })
  }
}
