/**
 * What keeps a bid of `optimise` from going further. `optimum`: nothing, more would earn less. `cap`, `floor`: the bounds of the bid. `move`: the
 * most of a day. `budget`: money is dearer than λ = 0 makes it. `drr`: spend by revenue. `deadband`: the best bid is too near.
 * `break_even`: goals other than profit stop where views cost what they bring. `exploration`: shown to learn, not because it pays.
 */
export const bidBounds = [
  "optimum",
  "cap",
  "floor",
  "move",
  "budget",
  "drr",
  "deadband",
  "break_even",
  "exploration"
] as const
export type BidBound = (typeof bidBounds)[number]
