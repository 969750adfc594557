/** What `optimise` wrote down about a change, of whatever kind. */
import type { Part } from "./Change.js"
import type { Optimised } from "./Parts.js"

/** Undefined for a change that no `optimise` made. */
export const of = ({ details }: Part<"kind" | "details">): Optimised | undefined =>
  "optimised" in details ? details.optimised : undefined
