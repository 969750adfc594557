/**
 * The durable memory of the timetable: which due times of a job were seen, and what became of them. A due time is
 * recorded once, before anybody acts on it, so neither a restart nor a clock that was set makes a job run twice.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AccountLane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** One turn of one job of a lane; `dueAt` in epoch milliseconds. */
export interface DueTime {
  readonly job: string
  readonly dueAt: number
}

/**
 * `seen`: no turn, only where the counting of a new job or a new schedule begins. `passed`: a later due time of the
 * job took its place before it ran. `dropped`: the job was gone or switched off when its turn came.
 * `over`, `barred`: done, and nothing is left for the job to do, or the token may not do it.
 */
type DueState = "seen" | "waiting" | "running" | "done" | "failed" | "passed" | "dropped" | "over" | "barred"

export interface DueRecord extends DueTime, AccountLane {
  /** Due times after this instant and before `dueAt` are done with by this one. */
  readonly since: number
  /** The schedule it comes from, as text: another one is counted anew. */
  readonly schedule: string
  readonly state: DueState
  /** The cycle that took it. */
  readonly runId: string | undefined
  /** How it ended, or why it is tried again. */
  readonly detail: string | undefined
  /** How often a cycle took it. */
  readonly attempts: number
  /** How many plans of it were begun and not made, in a row, because the process ended meanwhile. */
  readonly cutShort: number
  readonly recordedAt: number
  readonly updatedAt: number
}

/** True while something is left to do. */
export const isOpen = ({ state }: Pick<DueRecord, "state">): boolean =>
  state === "waiting" || state === "running"

/** What to record: `state` is `seen` or `waiting`. */
export type NewDue = Pick<DueRecord, "account" | "lane" | "job" | "dueAt" | "since" | "schedule"> & {
  readonly state: Extract<DueState, "seen" | "waiting">
}

/** How a turn ended. `isWhole`: nothing is left to do of it, whoever has taken it meanwhile. */
export interface DueEnd {
  readonly state: Exclude<DueState, "seen" | "running">
  readonly detail: string
  readonly isWhole?: boolean
}

/** Each method is one committed transaction. */
export class DueTimes extends Context.Tag("bidhelm/DueTimes")<
  DueTimes,
  {
    /** The last record of each job of the lane that counts at `nowMs`, whatever its state. */
    readonly last: (
      where: AccountLane,
      nowMs: number
    ) => Effect.Effect<ReadonlyMap<string, DueRecord>, StoreFailure>
    /**
     * Keeps records that are new and answers these; one that is there already stays as it is. Earlier due times of the
     * job that still wait are `passed`.
     */
    readonly record: (
      dues: ReadonlyArray<NewDue>,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<NewDue>, StoreFailure>
    /** Due times of the lane that wait or run, by due time and job. */
    readonly open: (where: AccountLane) => Effect.Effect<ReadonlyArray<DueRecord>, StoreFailure>
    /** The same of all lanes of all accounts, by `Lane.key`. */
    readonly allOpen: Effect.Effect<ReadonlyMap<string, ReadonlyArray<DueRecord>>, StoreFailure>
    readonly find: (where: AccountLane, due: DueTime) => Effect.Effect<DueRecord | undefined, StoreFailure>
    /** Gives the open due times of the lane to a cycle, but those of `others`, and answers them. */
    readonly claim: (
      where: AccountLane,
      runId: string,
      nowMs: number,
      others?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<DueRecord>, StoreFailure>
    /**
     * Notes for what the cycle took that a plan `begins`, which counts as cut short until it is `made` or the cycle
     * gives back what it took. `left`: the lane went to another runner meanwhile, and the process lives.
     */
    readonly planning: (
      where: AccountLane,
      runId: string,
      what: "begins" | "made" | "left"
    ) => Effect.Effect<void, StoreFailure>
    /**
     * Ends, or gives back as `waiting`, what the cycle took and nobody else has taken since; with `isWhole` also what
     * another has taken since and given back.
     */
    readonly finish: (
      where: AccountLane,
      runId: string,
      dues: ReadonlyArray<DueTime>,
      end: DueEnd & { readonly nowMs: number }
    ) => Effect.Effect<void, StoreFailure>
  }
>() {}
