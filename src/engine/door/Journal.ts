/** The durable memory of runs: what was meant, what left, what became of it. The engine owns the port; `store` implements it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AccountLane, Lane } from "../../domain/Lane.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Change } from "../kinds/Change.js"
import type { Deposited } from "../kinds/Deposit.js"
import type { StopMemory } from "./HoldStore.js"
import type { ObserveOnly } from "./ObserveOnly.js"

/**
 * `claimed`: a run with the lane's lock took it and has sent nothing yet. `dispatching`: the request leaves now, or
 * left. `parked`: a deposit that can be proved neither paid nor unpaid; only a person settles it (`bidhelm resolve`).
 */
export const journalStates = [
  "planned",
  "claimed",
  "dispatching",
  "accepted",
  "rejected",
  "unknown",
  "applied",
  "not_applied",
  "conflict",
  "parked",
  "skipped"
] as const
export type JournalState = (typeof journalStates)[number]

/** States in which the outcome is still open: they are read back before anything else is sent. */
export const openStates: ReadonlyArray<JournalState> = [
  "planned",
  "claimed",
  "dispatching",
  "accepted",
  "unknown"
]

/** Of these what has left, or may have. */
export const awaitedStates: ReadonlyArray<JournalState> = ["dispatching", "accepted", "unknown"]

export interface JournalRow {
  readonly runId: string
  readonly planId: string
  readonly account: string
  readonly slot: string
  readonly change: Change
  readonly state: JournalState
  readonly operation: string | undefined
  readonly requestHash: string | undefined
  /** Why it is in this state; undefined where the state says it all. */
  readonly reason: OutcomeReason | undefined
  /** Epoch milliseconds of the last state change, and of the moment the request left. */
  readonly updatedAt: number
  readonly sentAt: number | undefined
  /** Of a deposit: the money before it left, as `DepositProof` wrote it. Of an enrolment: the task it was filed in. Of what was made: the marketplace's id of it. */
  readonly evidence?: string
  /** When an open row should have ended, epoch milliseconds; known once it was claimed. */
  readonly deadlineAt?: number
}

/** Who may send in a lane of an account: the holder of its lock, in one epoch of it. Every new holder begins a new epoch. */
export interface Fence extends AccountLane {
  readonly holder: string
  readonly epoch: number
}

/** `Taken`: some row was no longer in the state it should be in. `Fenced`: the lock is another's by now. */
export type Claim =
  | { readonly _tag: "Moved" }
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Fenced"; readonly holder: string; readonly epoch: number }

export interface RunRecord {
  readonly runId: string
  readonly account: string
  /** Under whose lock it runs. */
  readonly lane: Lane
  readonly planId: string
  readonly startedAt: number
  readonly finishedAt: number | undefined
  readonly status: "running" | "done" | "partial" | "failed" | "interrupted"
  readonly counts: Readonly<Record<string, number>>
  /** Who approved the run, for the audit chain; absent when it was read back from the store. */
  readonly approvedBy?: string
}

/** What is written down with a move of rows; `sent` when a request may leave, or has left, with them. */
interface Note {
  readonly nowMs: number
  readonly operation?: string
  readonly requestHash?: string
  readonly sent?: boolean
  /** What is kept with the rows from now on, see `JournalRow`. */
  readonly evidence?: string
}

/** Durable memory of runs. Each method is one committed transaction. */
export class Journal extends Context.Tag("bidhelm/Journal")<
  Journal,
  {
    /**
     * Takes the apply lock of a lane; the second of two `apply` at once gets the holder back. A lease that has run
     * out may be taken by anybody, and so may one that ends later than any lease could: the clock was set back. A
     * holder renews by taking it again, which keeps the epoch; every other holder begins the next one. With
     * `renewing` it is taken only while it is still the holder's in that epoch.
     */
    readonly acquire: (
      where: AccountLane,
      holder: string,
      nowMs: number,
      leaseMs: number,
      renewing?: number
    ) => Effect.Effect<
      {
        readonly granted: boolean
        readonly holder: string
        readonly until: number
        readonly epoch: number
      },
      StoreFailure
    >
    readonly release: (where: AccountLane, holder: string) => Effect.Effect<void, StoreFailure>
    /** Why nothing may be sent for the account, as after a restore: `begin` refuses then. Undefined when it may. */
    readonly observeOnly: (account: string) => Effect.Effect<ObserveOnly | undefined, StoreFailure>
    /** When a person reconciled the account of a restored store, epoch milliseconds: what was sent before may be missing here. */
    readonly reconciledAt: (account: string) => Effect.Effect<number | undefined, StoreFailure>
    readonly begin: (
      run: RunRecord,
      rows: ReadonlyArray<Pick<JournalRow, "slot" | "change">>
    ) => Effect.Effect<void, StoreFailure>
    /** Moves rows from one of `from` to `to`; answers the change ids that did move. */
    readonly move: (
      runId: string,
      changeIds: ReadonlyArray<string>,
      from: ReadonlyArray<JournalState>,
      to: JournalState,
      note: Note & { readonly reason?: OutcomeReason }
    ) => Effect.Effect<ReadonlyArray<string>, StoreFailure>
    /**
     * As `move`, for moves that let a request leave: all rows or none, and none unless the lane's lock still has
     * the fence's holder and epoch. Both are looked at in the transaction that moves. Without rows it only looks.
     */
    readonly claim: (
      fence: Fence,
      runId: string,
      changeIds: ReadonlyArray<string>,
      from: ReadonlyArray<JournalState>,
      to: JournalState,
      note: Note & { readonly deadlineMs?: number }
    ) => Effect.Effect<Claim, StoreFailure>
    /**
     * Rows that should have ended by now: open ones past their deadline, those that never were claimed for an hour,
     * and parked deposits. Of all accounts when none is named; oldest first.
     */
    readonly overdue: (
      account: string | undefined,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    readonly finish: (
      runId: string,
      status: RunRecord["status"],
      counts: Readonly<Record<string, number>>,
      nowMs: number
    ) => Effect.Effect<void, StoreFailure>
    /** Rows of the account, or of one lane of it, whose outcome is open; oldest first. */
    readonly open: (account: string, lane?: Lane) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** The latest first; those before a run, when one is named: none when it is not there. Of one lane, or of all. */
    readonly runs: (
      account: string | undefined,
      limit: number,
      before?: string,
      lane?: Lane
    ) => Effect.Effect<ReadonlyArray<RunRecord>, StoreFailure>
    readonly rows: (runId: string) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Of these slots those of which a change left, or may have left, and was not refused; those of a run are not asked. */
    readonly leftBefore: (
      account: string,
      slots: ReadonlyArray<string>,
      except: string
    ) => Effect.Effect<ReadonlySet<string>, StoreFailure>
    /** Changes of slots with a prefix that left since an instant, or may have, or are open still, whenever they left, and were not refused; those of a run are not asked. */
    readonly leftSince: (
      account: string,
      prefix: string,
      sinceMs: number,
      except: string
    ) => Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure>
    /** Deposits that left since an instant, or may have left, and were not refused; oldest first. */
    readonly deposits: (
      account: string,
      sinceMs: number
    ) => Effect.Effect<ReadonlyArray<Deposited>, StoreFailure>
  } & StopMemory<StoreFailure>
>() {}
