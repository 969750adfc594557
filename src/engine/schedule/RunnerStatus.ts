/** How the scheduler stands, for operators: health, metrics, and the CLI. Instants are epoch milliseconds. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AccountLane } from "../../domain/Lane.js"
import type { Trouble } from "./Job.js"

/** Why a lane could not be looked at. */
export interface Problem {
  readonly trouble: Extract<Trouble, "StoreFailed" | "Broken">
  /** For people. */
  readonly said: string
}

/** How a lane of an account stands with the scheduler. */
export interface LaneStatus extends AccountLane {
  /** When a job is due next; undefined when none ever is. */
  readonly nextDueAt: number | undefined
  /** The oldest due time that was not run yet, and how late it is now; 0 when nothing waits. */
  readonly lagMs: number
  readonly waiting: ReadonlyArray<{ readonly job: string; readonly dueAt: number }>
  /** Since when its due times are with whoever runs cycles. */
  readonly submittedAt: number | undefined
  /** Why the lane could not be looked at; undefined when it could. */
  readonly problem: Problem | undefined
}

export interface Standing {
  /** Each account has one lane at least: those that have jobs. */
  readonly accounts: ReadonlyArray<LaneStatus>
  /** Of the jobs: the version of the rules. */
  readonly rulesVersion: string
  /** Why the newest rule files are not used. */
  readonly rulesProblem: string | undefined
  readonly lastLookAt: number | undefined
  readonly isDraining: boolean
}

/** A runner looks at least every two minutes. */
const lateMs = 600_000

/** Why nothing that becomes due is taken up, and what to do; undefined while accounts are looked at. */
export const notLooking = (lastLookAt: Standing["lastLookAt"], nowMs: number): string | undefined => {
  if (lastLookAt === undefined) return "it has not looked at its accounts yet"
  return nowMs - lastLookAt < lateMs
    ? undefined
    : `it has not looked at its accounts for ${Math.floor((nowMs - lastLookAt) / 60_000)} minutes; if it stays so, restart bidhelm run`
}

export class RunnerStatus extends Context.Tag("bidhelm/RunnerStatus")<
  RunnerStatus,
  { readonly current: Effect.Effect<Standing> }
>() {}
