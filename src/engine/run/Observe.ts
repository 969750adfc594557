/** Compares what a change wanted with what the marketplace shows now. Pure. */
import * as Money from "../../domain/Money.js"
import type { Change } from "../decide/Plan.js"
import type { SlotValue } from "../decide/SlotHistory.js"
import type { Live } from "./Ports.js"

/**
 * `Before` and `After` are the plan's own values; `Other` is somebody else's, or is not listed (`isGone`): its place, or
 * the bid of its own that a cluster was given; else `live` is what they set. `isUnlisted`: what was to be removed, or a
 * cluster's first bid of its own, is not in a list, which may not be whole. `Silent` could not be read.
 */
export type Seen =
  | { readonly _tag: "Before"; readonly isUnlisted?: true }
  | { readonly _tag: "After"; readonly isUnlisted?: true }
  | { readonly _tag: "Other"; readonly why: string; readonly isGone?: true; readonly live?: SlotValue }
  | { readonly _tag: "Silent"; readonly why: string }

/** What a live value means for a change. A change the reader does not mention was not read. */
export const compare = (change: Change, live: Live | undefined): Seen => {
  if (live === undefined) return { _tag: "Silent", why: "the marketplace did not mention it" }
  switch (live._tag) {
    case "Unreadable":
      return { _tag: "Silent", why: live.why }
    case "Gone":
      return { _tag: "Other", why: `gone: ${live.why}`, isGone: true }
    case "Value":
      if (change.unit === "kopecks_deposit") return beforeDeposit(change, live.value)
      // Without a bid of its own a cluster shows its item's, whatever that is by now.
      if (change.clears === true && live.inherited === true) return { _tag: "After", isUnlisted: true }
      return live.value === change.after && live.inherited !== true && change.clears !== true
        ? { _tag: "After" }
        : live.value === change.before
          ? { _tag: "Before", ...(live.inherited === true ? { isUnlisted: true } : {}) }
          : {
              _tag: "Other",
              why: `changed by someone (${print(change, change.before)} → ${print(change, live.value)})`,
              ...(live.inherited === true ? { isGone: true } : { live: live.value })
            }
  }
}

/** A budget falls by itself; only more money than the plan saw speaks against a deposit. */
const beforeDeposit = (change: Change, live: number | string | boolean): Seen =>
  Number(live) <= Number(change.before)
    ? { _tag: "Before" }
    : {
        _tag: "Other",
        why: `the budget has grown since the plan (${print(change, change.before)} → ${print(change, live)})`
      }

/** A value of a change in the seller's words: `440 ₽`, `paused`, `in the list`. */
export const print = (change: Change, value: number | string | boolean): string => {
  if (typeof value === "boolean") return value ? "in the minus list" : "not in the minus list"
  return typeof value === "number" && change.unit.startsWith("kopecks")
    ? Money.format(Money.Kopecks(value))
    : `${value}`
}
