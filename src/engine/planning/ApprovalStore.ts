/** What people are asked: requests of plans whose changes need a yes. `store` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Tier } from "../decide/limits/Risk.js"
import type { Plan } from "../decide/Plan.js"
import type { SlotValue } from "../kinds/SlotHistory.js"

export type State = "requested" | "approved" | "rejected" | "expired" | "superseded" | "applied"

/** Who asks, and who ends what no person ends. */
export const program = "bidhelm"

/** Why a request is over that expired. */
export const unanswered = "nobody answered it in time"

/** One change of a request. */
export interface Asked {
  /** Of the change in the plan. */
  readonly id: string
  readonly slot: string
  readonly policy: string
  readonly after: SlotValue
  readonly tier: Tier
  /** Why it waits. */
  readonly why: string
  /** By rules of another folder than the configured one: that the policy is not among these says nothing. */
  readonly elsewhere?: true
}

/** Instants are epoch milliseconds. */
export interface Request {
  readonly id: string
  readonly account: string
  readonly plan: Plan
  readonly asked: ReadonlyArray<Asked>
  /** What it asked for besides, and the yes to it left out; absent where that is nothing. */
  readonly left?: ReadonlyArray<Asked>
  readonly state: State
  readonly requestedAt: number
  readonly expiresAt: number
  /** When it was answered or ended, by whom (`program` where by no person), and why; a person need not say why. */
  readonly decidedAt?: number
  readonly decidedBy?: string
  readonly why?: string
  readonly runId?: string
}

/** A person's word on a request. `ids` are the changes approved; a rejection names none. */
export interface Decision {
  readonly to: "approved" | "rejected"
  readonly by: string
  readonly why?: string
  readonly nowMs: number
  readonly ids?: ReadonlySet<string>
}

/** Keeps requests. Each method is one committed transaction. */
export class ApprovalStore extends Context.Tag("bidhelm/ApprovalStore")<
  ApprovalStore,
  {
    /** Does what only reads and writes the store as one transaction: nobody answers anything meanwhile. It may run twice. */
    readonly atOnce: <A, R>(body: Effect.Effect<A, StoreFailure, R>) => Effect.Effect<A, StoreFailure, R>
    /**
     * Takes what older requests ask of these policies or slots out of them (superseded when nothing is left), and adds
     * the new request if there is one. Of one that is there under its id: what waits takes the newer plan, what was
     * replaced meanwhile waits again, what somebody has answered does not. Answers whether the request waits.
     */
    readonly replace: (
      account: string,
      policies: ReadonlySet<string>,
      slots: ReadonlySet<string>,
      request: Request | undefined
    ) => Effect.Effect<boolean, StoreFailure>
    /** Takes what waits of other policies than these, by the configured rules, out of it, and ends with this reason what is left without any; answers how many. */
    readonly keepOnly: (
      account: string,
      policies: ReadonlySet<string>,
      why: string
    ) => Effect.Effect<number, StoreFailure>
    /** The latest first: everything that waits, and so many of all. */
    readonly list: (account: string, limit: number) => Effect.Effect<ReadonlyArray<Request>, StoreFailure>
    /** Those rejected after an instant. */
    readonly rejected: (
      account: string,
      afterMs: number
    ) => Effect.Effect<ReadonlyArray<Request>, StoreFailure>
    /** By its id, or the beginning of it when that names one only. */
    readonly find: (account: string, id: string) => Effect.Effect<Request | undefined, StoreFailure>
    /** False when it was decided, replaced or expired meanwhile: then nothing happened. */
    readonly decide: (account: string, id: string, decision: Decision) => Effect.Effect<boolean, StoreFailure>
    /** Tells which run an approval led to; what it set is what automatic moves are measured from. */
    readonly applied: (
      account: string,
      id: string,
      runId: string,
      bids: ReadonlyMap<string, number>,
      nowMs: number
    ) => Effect.Effect<void, StoreFailure>
    /** Approved ones of which no run is known, oldest first: under way, or cut short. */
    readonly underWay: (account: string) => Effect.Effect<ReadonlyArray<Request>, StoreFailure>
    /** Lets an approval that came to nothing wait for a person again, with what it asked for before the yes. */
    readonly reopen: (account: string, id: string) => Effect.Effect<void, StoreFailure>
    /** Bids that a person approved since an instant and nobody has taken back, kopecks, by slot. */
    readonly approvedBids: (
      account: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyMap<string, number>, StoreFailure>
  }
>() {}
