/** Look-back of a statistic: `7d` are the last seven complete days, `today` the running one. */
import * as Days from "./Days.js"

/**
 * `days` complete days that end `settleDays` before yesterday's end; `today` is the running day alone.
 * `7d` is `{days: 7, settleDays: 0}`, `yesterday` is `{days: 1, settleDays: 0}`.
 */
export type Window =
  | { readonly _tag: "Last"; readonly days: number; readonly settleDays: number }
  | { readonly _tag: "Today" }

export const today: Window = { _tag: "Today" }
export const last = (days: number, settleDays = 0): Window => ({ _tag: "Last", days, settleDays })

/** Stable text, also the suffix of a fact key: `7d`, `14d-1d`, `today`. */
export const key = (window: Window): string =>
  window._tag === "Today"
    ? "today"
    : window.settleDays === 0
      ? `${window.days}d`
      : `${window.days}d-${window.settleDays}d`

/**
 * The days a window means at an instant: the marketplace's, whatever the seller's zone. By days of their own, sellers in
 * the east would each night count a day as complete that the marketplace is still filling.
 */
export const resolve = (window: Window, nowMs: number): Days.DayRange => {
  const day = Days.ofMarket(nowMs)
  if (window._tag === "Today") return { from: day, to: day }
  const to = Days.shift(day, -1 - window.settleDays)
  return { from: Days.shift(to, 1 - window.days), to }
}
