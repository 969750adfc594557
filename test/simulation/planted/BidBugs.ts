/** Bugs of the bids that leave, and of their pace. */
import type { Bug } from "./Bug.js"
import * as Rules from "./Rules.js"
import * as Wraps from "./Wraps.js"

const raise = Rules.of([Rules.raise])

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "bids leave without their upper bound",
    invariants: [1, 2, 5, 25],
    rules: raise,
    wrap: Wraps.bids((one) => Number(one.after) + 100_000)
  },
  {
    name: "bids leave farther than the day allows",
    invariants: [2, 5, 25],
    rules: Rules.of([Rules.raise], "move_per_day: 10%"),
    wrap: Wraps.bids((one) => Math.ceil(Number(one.before) * 0.0125) * 100)
  },
  {
    name: "bids are counted in parts of a kopeck",
    invariants: [24],
    rules: raise,
    wrap: Wraps.bodies("setItemBids", (body) => body.replace(/"bid_kopecks":(\d+)/g, '"bid_kopecks":$1.5'))
  },
  {
    name: "when a bid was last moved is forgotten",
    invariants: [18, 9],
    rules: Rules.of(Rules.seesaw),
    hours: 3,
    wrap: Wraps.histories((history) => ({ ...history, lastAppliedAt: undefined }))
  }
]
