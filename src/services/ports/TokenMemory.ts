/**
 * What is remembered about the tokens of accounts: to which seller an account belongs, and which operations the
 * marketplace has refused to a token (402, 403). Instants are epoch milliseconds.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** An account and the seller whose token was the first under its name, or the one somebody bound it to. */
export interface Binding {
  readonly account: string
  /** As `Token.seller` tells it. */
  readonly seller: string
  readonly at: number
  readonly by: string
}

/** What came of binding: `Bound` now or before; `Other` seller has the account; another account has the seller. */
export type Bound =
  | { readonly _tag: "Bound" }
  | { readonly _tag: "Other"; readonly binding: Binding }
  | { readonly _tag: "Taken"; readonly binding: Binding }

/** What binding anew has done. */
export interface Rebound {
  /** The bindings that stood before. */
  readonly before: ReadonlyArray<Binding>
  /** How many holds of the seller's former name stand under the new one now, and did not before. */
  readonly carried: number
  /** The kill switch of the account is engaged. */
  readonly isKilled: boolean
}

/** An operation that the marketplace refused to an account's token; it is not asked again before `againAt`. */
export interface Refusal {
  readonly account: string
  readonly operation: string
  /** Of which campaigns the request was, where the refusal may be about them; empty for the operation as a whole. */
  readonly scope: string
  readonly status: number
  /** The marketplace's own words. */
  readonly said: string
  /** Tells tokens apart; the token cannot be found from it. */
  readonly tokenMark: string
  readonly firstAt: number
  readonly againAt: number
}

/** The memory failed; nothing was sent after it. `hint` says what to do. */
export class TokenMemoryFailure extends Data.TaggedError("TokenMemoryFailure")<{
  readonly action: string
  readonly hint: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.action}: ${this.hint}`
  }
}

export class TokenMemory extends Context.Tag("bidhelm/TokenMemory")<
  TokenMemory,
  {
    /** Binds an account that has no seller yet; decided in one transaction, whoever else asks meanwhile. */
    readonly bind: (binding: Binding) => Effect.Effect<Bound, TokenMemoryFailure>
    /**
     * Binds an account anew because a person says so, and frees the seller from another account, whose used call limits
     * and standing holds the account takes over; without a seller the account is only freed. Goes into the audit chain.
     * Nothing else of the other account comes along: ask for what it has not finished before, and say in `why` what is
     * left behind.
     */
    readonly rebind: (
      account: string,
      seller: string | undefined,
      by: string,
      nowMs: number,
      why?: string
    ) => Effect.Effect<Rebound, TokenMemoryFailure>
    /** All bindings, by account. */
    readonly bindings: Effect.Effect<ReadonlyArray<Binding>, TokenMemoryFailure>
    /** All refusals of an account, by operation; some may be over. */
    readonly refusals: (account: string) => Effect.Effect<ReadonlyArray<Refusal>, TokenMemoryFailure>
    readonly refused: (refusal: Refusal) => Effect.Effect<void, TokenMemoryFailure>
    /** The operation was answered: forgets its refusal. */
    readonly answered: (
      account: string,
      operation: string,
      scope: string
    ) => Effect.Effect<void, TokenMemoryFailure>
    /** A person wants everything to be asked again; answers what was forgotten. Goes into the audit chain. */
    readonly forgive: (
      account: string,
      by: string,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<Refusal>, TokenMemoryFailure>
  }
>() {}
