/**
 * What the scheduler knows of work: jobs of an account's lane, when each is due, and who runs them. Policies are one
 * supplier of jobs; polls, reports and messages are others. What a job does the scheduler does not know.
 */
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AccountLane } from "../../domain/Lane.js"
import type { Schedule } from "../../domain/Schedule.js"
import type * as Places from "./Places.js"

/** Work of one lane that has its times. */
export interface Job extends AccountLane {
  /** Names it in records and messages; no other job of the lane has it. */
  readonly id: string
  /** Undefined for one that no timetable runs any more: what became due before still has its turn. */
  readonly schedule: Schedule | undefined
  /** Further times that it is due at, as when an overlay is over. */
  readonly alsoAt?: ReadonlyArray<Schedule>
  readonly runnable: Runnable
}

/** Runs jobs. Those of one runnable that are due at the same time are one cycle. */
export interface Runnable {
  /** What the cycle goes by, named in status and records: the rules' version. */
  readonly version: string
  /**
   * Never fails: whatever goes wrong is answered, for the scheduler decides when to try again. Interrupting it is safe
   * at any moment.
   */
  readonly run: (call: CycleCall) => Effect.Effect<CycleResult>
}

/** One cycle of a lane. */
export interface CycleCall extends AccountLane {
  /** Ids of the jobs that are due. */
  readonly due: ReadonlySet<string>
  /** Done when the program is about to end: the cycle sends no further request. */
  readonly stopping: Deferred.Deferred<void>
  /** Done once the plan is made: lets the next account begin, while this one sends and waits for what it reads back. */
  readonly planned?: Effect.Effect<void>
  /** Runs what only waits, before the plan is made: meanwhile another account plans. */
  readonly away?: Places.Place["away"]
  /** Told whenever the cycle begins with something else. */
  readonly doing?: (what: Doing) => Effect.Effect<void>
}

/** What a cycle is at, in a person's words. */
export type Doing =
  | "waiting for its turn"
  | "planning"
  | "sending"
  | "reading back"
  | "writing down how it ended"

/**
 * How a cycle ended. `Refused`: the token or the account itself, so only a person can mend it. `Limited`: a call limit
 * is used up. `Unreachable`: the marketplace did not answer what nothing can do without. `Unread`: nor what a job asked
 * for, and nothing was done. `Busy`: another apply of the lane runs. `LockLost`: the lock was lost before anything
 * was sent. `Broken`: a defect of the program. After each of these the due jobs have still to run.
 */
export type CycleResult =
  | {
      readonly _tag: "Done"
      readonly planId: string | undefined
      readonly runId: string | undefined
      readonly said: string
      /** Why the job is not due again: nothing is left to do, or the token may not do it. */
      readonly ends?: "over" | "barred"
      /** Sending ended before the last change. */
      readonly isCut?: true
      /** Something could not be read, and nothing was done, told or counted: the same again repeats nothing. */
      readonly isUnread?: true
    }
  | { readonly _tag: "Stopping" }
  | { readonly _tag: Trouble; readonly why: string }

export const troubles = [
  "Refused",
  "Limited",
  "Unreachable",
  "Unread",
  "StoreFailed",
  "Busy",
  "LockLost",
  "Broken"
] as const
export type Trouble = (typeof troubles)[number]

/** All jobs as they stand now. */
export interface Jobs {
  /** Changes whenever a job does. */
  readonly version: string
  /** Why the newest jobs are not used, where and how to mend it; undefined when they are. */
  readonly problem: string | undefined
  /** Those of an account; the same list as long as the version stays. */
  readonly of: (account: string) => ReadonlyArray<Job>
}

/** Asked at every wake-up and at the beginning of every cycle, so it must be cheap; it never fails. */
export class JobSource extends Context.Tag("bidhelm/JobSource")<
  JobSource,
  { readonly current: Effect.Effect<Jobs> }
>() {}

/** The jobs of several suppliers. */
export const together = (sources: ReadonlyArray<typeof JobSource.Service>): typeof JobSource.Service => ({
  current: Effect.map(Effect.all(sources.map(({ current }) => current)), (all): Jobs => {
    const problems = all.flatMap(({ problem }) => problem ?? [])
    return {
      version: all.map(({ version }) => version).join(" "),
      problem: problems.length === 0 ? undefined : problems.join("\n"),
      of: (account) => all.flatMap((jobs) => jobs.of(account))
    }
  })
})
