/** What a row of a plan says to people, of a plan in roubles. */
import type { LeftReason } from "../../src/engine/decide/Inverse.js"
import type { Notice } from "../../src/engine/decide/Plan.js"
import type { Held } from "../../src/engine/kinds/Change.js"
import type { HeldReason } from "../../src/engine/kinds/HeldReason.js"
import * as HeldReasons from "../../src/reporting/HeldReasons.js"
import * as OptimiseWords from "../../src/reporting/OptimiseWords.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as WayBackReasons from "../../src/reporting/WayBackReasons.js"

/** What `RunTests` is given. */
export const sentences = { row: RowReasons.text, held: HeldReasons.line, made: OptimiseWords.lines }

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

/** Held changes with their words. */
export const held = (all: ReadonlyArray<Held>) => all.map((one) => HeldReasons.withWords(one, near))

/** What holds a change, and how far it is over; undefined of none. */
export const limit = (one: Held | undefined): string | undefined => words(one?.because)?.limit
export const over = (one: Held | undefined): string | undefined => words(one?.because)?.over

export const words = (because: HeldReason | undefined): HeldReasons.Words | undefined =>
  because === undefined ? undefined : HeldReasons.words(because, near)
