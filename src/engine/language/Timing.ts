/** When an overlay holds, and when a change is looked at again. Plain data. */
import type { Clause, Span } from "./Policy.js"

/**
 * When an overlay holds: minutes of the day in the schedule's zone, `toMinute` exclusive. A part of the day that ends
 * before it begins goes on past midnight, and `days` name the day it begins on; every day when absent.
 */
export interface During {
  readonly days?: ReadonlyArray<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
  readonly fromMinute: number
  readonly toMinute: number
}

/** The longest that `watch: after` and `cooldown` may say, milliseconds: the store keeps changes that long for them. */
export const longestAfterMs = 60 * 86_400_000
export const longestCooldownMs = 90 * 86_400_000

/** `watch:` so long after a change the conditions are asked of its row; where they hold, it is taken back. */
export interface Watch {
  /** Milliseconds after the change, ascending, at least one. */
  readonly afterMs: ReadonlyArray<number>
  readonly rollBackWhen: ReadonlyArray<Clause>
  /** Where `roll_back_when` stands. */
  readonly span: Span
}
