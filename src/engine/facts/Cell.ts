/** One value of a row, or the reason why it is unknown. */
import * as Reason from "../../domain/Reason.js"

export type Cell = { readonly _tag: "Known"; readonly value: number | string | boolean } | Unknown

export interface Unknown {
  readonly _tag: "Unknown"
  readonly reason: Reason.Reason
}

/** A value as a source gives it: a known one is itself, so that millions of them are no objects. */
export type Given = number | string | boolean | Unknown

export const known = (value: number | string | boolean): Cell => ({ _tag: "Known", value })

/** One object for each reason. */
export const unknown = (reason: Reason.Reason): Unknown => unknowns[reason]

const unknowns = Object.fromEntries(
  Reason.unknowns.map((reason) => [reason, Object.freeze({ _tag: "Unknown", reason })])
) as Readonly<Record<Reason.Reason, Unknown>>

/** The number that a cell is known to hold. */
export const numberOf = (cell: Cell): number | undefined =>
  cell._tag === "Known" && typeof cell.value === "number" && Number.isFinite(cell.value)
    ? cell.value
    : undefined

/** Why what is made of these is unknown (`Reason.worse`); undefined where all are known. */
export const worst = (cells: Iterable<Cell | undefined>): Unknown | undefined => {
  let byte = Reason.known
  for (const cell of cells) if (cell?._tag === "Unknown") byte = Reason.worse(byte, Reason.code(cell.reason))
  const reason = Reason.fromCode(byte)
  return reason === undefined ? undefined : unknown(reason)
}

export const ofGiven = (given: Given): Cell => (typeof given === "object" ? given : known(given))

export const given = (cell: Cell): Given => (cell._tag === "Known" ? cell.value : cell)
