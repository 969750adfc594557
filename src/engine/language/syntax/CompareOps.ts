/** What comparisons mean for each other. */
import type { CompareOp } from "../Policy.js"

type Table = Readonly<Record<CompareOp, CompareOp>>

/** The comparison that holds exactly where this one does not, of two known values. */
export const opposite: Table = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=" }

/** The comparison that says the same with its sides exchanged: `a < b` is `b > a`. */
export const mirrored: Table = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!=" }
