/** Windows of statistics: `today`, `yesterday`, `7d`, `7d before 7d`, `14d, settle 1d`. */

import * as Days from "../../../domain/Days.js"
import * as Window from "../../../domain/Window.js"
import type { Code } from "../problems/Codes.js"
import * as Durations from "../syntax/Durations.js"
import * as Phrases from "../syntax/Phrases.js"

/** A window, or why the text is none. */
export type Read =
  | { readonly _tag: "Window"; readonly window: Window.Window }
  | { readonly _tag: "Wrong"; readonly code: Code; readonly message: string; readonly fix?: string }

const wrong = (code: Code, message: string, fix?: string): Read => ({
  _tag: "Wrong",
  code,
  message,
  ...(fix === undefined ? {} : { fix })
})

/** Reads what stands in `ctr[…]` or after `window:`. */
export const read = (text: string): Read => {
  const [first = "", second, ...more] = text.split(",").map((part) => part.trim())
  const base = length(first)
  if (base._tag === "Wrong" || second === undefined) return base
  const settle = /^settle[: ]\s*(.*)$/.exec(second)?.[1]
  if (settle === undefined || more.length > 0)
    return wrong("K16", "After the comma only settle 1d is possible.")
  return settled(base, settle)
}

/** Adds a settle time to a window: the days that are left out at its end. */
export const settled = (base: Read, settle: string): Read => {
  if (base._tag === "Wrong") return base
  const days = wholeDays(settle)
  if (typeof days !== "number") return days
  if (base.window._tag === "Today") return wrong("K16", "today has nothing to settle. Use days, such as 7d.")
  if (days < 1 || days > 14) return wrong("K14", "settle is from 1d to 14d.")
  return { _tag: "Window", window: Window.last(base.window.days, base.window.settleDays + days) }
}

/** As many days, right before the window's own: the other half of `change(ctr, 7d)`. `today` has none. */
export const previous = (window: Window.Window): Window.Window | undefined =>
  window._tag === "Today" ? undefined : Window.last(window.days, window.settleDays + window.days)

/** How many days a window reaches back, those left out at its end included; `today` reaches none. */
export const reach = (window: Window.Window): number =>
  window._tag === "Today" ? 0 : window.days + window.settleDays

const length = (text: string): Read => {
  if (text === "today") return { _tag: "Window", window: Window.today }
  if (text === "yesterday") return { _tag: "Window", window: Window.last(1) }
  const [own = "", before, ...more] = text.split(/\s+before\s+/)
  if (before !== undefined) {
    const base = length(own)
    const skipped = length(before)
    if (base._tag === "Wrong") return base
    if (skipped._tag === "Wrong") return skipped
    if (more.length > 0 || base.window._tag === "Today" || skipped.window._tag === "Today") {
      return wrong("K16", "before stands between two numbers of days: 7d before 7d.", "7d before 7d")
    }
    return { _tag: "Window", window: Window.last(base.window.days, skipped.window.days) }
  }
  const days = wholeDays(text)
  if (typeof days !== "number") return days
  if (days < 1) return wrong("K14", "A window has at least one day: 1d, or today.")
  return { _tag: "Window", window: Window.last(days) }
}

const wholeDays = (text: string): number | Read => {
  const duration = Durations.parse(text)
  const form = "A window is today, yesterday or a number of days such as 7d."
  if (duration === undefined)
    return wrong("K16", form, /^\d+$/.test(text) ? `${text}d` : Phrases.daysAt(`за ${text}`, 0)?.meant)
  if (duration._tag === "Vague") return wrong("K07", duration.message)
  const days = duration.milliseconds / Days.dayMs
  return Number.isInteger(days) ? days : wrong("K16", `Statistics are counted by whole days. ${form}`)
}
