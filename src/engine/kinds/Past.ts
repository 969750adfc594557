/** A change of an earlier run, as the journal knows it. */
import type { Change } from "./Change.js"

/**
 * `open`: sent, outcome not known yet. `replaced`: sent, and something else was found in its place, so that nobody knows
 * whether it took effect before. `none`: it never took effect, whatever the reason.
 */
export type Standing = "applied" | "open" | "parked" | "replaced" | "none"

/** `at`: when it left, epoch milliseconds. */
export interface Past<C extends Change = Change> {
  readonly runId: string
  readonly change: C
  readonly standing: Standing
  readonly at: number
}

/** Names a past change among others of its slot. */
export const name = ({ change, runId }: Pick<Past, "change" | "runId">): string => key(runId, change.id)

export const key = (runId: string, changeId: string): string => `${runId}/${changeId}`
