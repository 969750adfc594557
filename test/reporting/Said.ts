/** What a row of a plan says to people, of a plan in roubles. */
import type { LeftReason } from "../../src/engine/decide/Inverse.js"
import type { Notice } from "../../src/engine/decide/Plan.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as WayBackReasons from "../../src/reporting/WayBackReasons.js"

/** What `RunTests` is given. */
export const sentences = { row: RowReasons.text }

const near = { currency: "RUB", nowMs: 0 }

/** Why a row is unknown or unchanged; undefined of no row. A time always has its day. */
export function why(row: { readonly because: RowReasons.Because }): string
export function why(row: { readonly because: RowReasons.Because } | undefined): string | undefined
export function why(row: { readonly because: RowReasons.Because } | undefined): string | undefined {
  return row === undefined ? undefined : RowReasons.text(row.because, near)
}

/** What a policy wants a person to know. */
export const notice = (one: Notice): string => RowReasons.notice(one, near)

/** Why a change is not taken back; undefined of none. */
export const leftWhy = (left: { readonly because: LeftReason } | undefined): string | undefined =>
  left === undefined ? undefined : WayBackReasons.text(left.because)
