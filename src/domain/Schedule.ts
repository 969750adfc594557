/** When something is due, again and again. Plain data; `engine/schedule/Timetable` says which instants that are. */

/** The days as schedules name them. */
export const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

/**
 * Either `every` in milliseconds, or `at` minutes of the day; `between` and `at` are in `tz`. A `between` that ends
 * before it begins goes on past midnight, and `days` name the day it begins on.
 */
export interface Schedule {
  readonly every?: number
  readonly at?: ReadonlyArray<number>
  readonly days?: ReadonlyArray<(typeof week)[number]>
  readonly between?: { readonly fromMinute: number; readonly toMinute: number }
  readonly tz: string
}
