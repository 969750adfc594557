/** One value of a row, or the reason why it is unknown. */
import type { Reason } from "../../domain/Reason.js"

export type Cell =
  | { readonly _tag: "Known"; readonly value: number | string | boolean }
  | { readonly _tag: "Unknown"; readonly reason: Reason }

export const known = (value: number | string | boolean): Cell => ({ _tag: "Known", value })
export const unknown = (reason: Reason): Cell => ({ _tag: "Unknown", reason })
