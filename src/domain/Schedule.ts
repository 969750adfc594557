/** When something is due, again and again. Plain data; `engine/schedule/Timetable` says which instants that are. */

/** The days as schedules name them. */
export const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

/** `18:30` of a minute of the day. */
export const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

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
