/** One value of a row, or the reason why it is unknown. */
import { type Reason, unknowns as reasons } from "../../domain/Reason.js"

export type Cell = { readonly _tag: "Known"; readonly value: number | string | boolean } | Unknown

export interface Unknown {
  readonly _tag: "Unknown"
  readonly reason: Reason
}

/** A value as a source gives it: a known one is itself, so that millions of them are no objects. */
export type Given = number | string | boolean | Unknown

export const known = (value: number | string | boolean): Cell => ({ _tag: "Known", value })

/** One object for each reason. */
export const unknown = (reason: Reason): Unknown => unknowns[reason]

const unknowns = Object.fromEntries(
  reasons.map((reason) => [reason, Object.freeze({ _tag: "Unknown", reason })])
) as Readonly<Record<Reason, Unknown>>

export const ofGiven = (given: Given): Cell => (typeof given === "object" ? given : known(given))

export const given = (cell: Cell): Given => (cell._tag === "Known" ? cell.value : cell)
