/** The ways in which something is written, one or two for each class, and the points of the journal that each passes. */
import type { Point } from "../../src/engine/door/JournalPoints.js"
import type * as Stage from "./Stage.js"

export interface Way {
  readonly about: string
  readonly rules: ReadonlyArray<keyof typeof Stage.rules>
  readonly command: ReadonlyArray<string>
  /** Points that this way never passes; the program itself is asked whether that is so. */
  readonly without: ReadonlyArray<Point>
  /** What must be in the ledger, by slot, once the command was killed and what comes next has run. */
  readonly slots: Readonly<Record<string, number>>
  /** What is there besides when the request had left before the kill. */
  readonly whenLeft?: Readonly<Record<string, number>>
  /** Operation of which exactly one request may ever leave; none when it is not run again and was killed before. */
  readonly operation?: string
  /** No list proves that it was not made: killed right before it left, it is for a person to say so. */
  readonly isUnproved?: true
  /** What runs after the kill: the same command, unless a person has to look before it is sent again. */
  readonly next?: ReadonlyArray<string>
  /** The point that stands for all of them in a quick look. */
  readonly short: Point
}

const call = (operation: string, params: object) => [
  "call",
  operation,
  "--params",
  JSON.stringify(params),
  "--yes"
]

/** A creation has no wave of changes to read back. */
const ofApplyOnly: ReadonlyArray<Point> = ["sent", "seen", "settled"]

export const ways: Readonly<Record<string, Way>> = {
  A: {
    about: "bids and a status",
    rules: ["bids", "status"],
    command: ["apply", "--yes"],
    without: [],
    slots: { "bid.search": 4, status: 1 },
    short: "dispatching"
  },
  B: {
    about: "minus lists",
    rules: ["minus"],
    command: ["apply", "--yes"],
    without: [],
    slots: { minus: 4 },
    short: "answered"
  },
  "C campaign": {
    about: "a campaign (`call`)",
    rules: ["status"],
    command: call("createCampaign", {
      name: "Of ours",
      nms: [200000001],
      bid_type: "manual",
      placement_types: ["search"]
    }),
    without: ofApplyOnly,
    slots: { campaign: 1 },
    operation: "createCampaign",
    short: "answered"
  },
  "C supply": {
    about: "a supply (`call`)",
    rules: ["status"],
    command: call("createSupply", { name: "Boots" }),
    without: ofApplyOnly,
    slots: { supply: 1 },
    operation: "createSupply",
    isUnproved: true,
    short: "claimed"
  },
  D: {
    about: "a deposit",
    rules: ["deposit"],
    command: ["apply", "--yes"],
    without: [],
    slots: { budget: 1 },
    operation: "depositCampaignBudget",
    short: "answered"
  },
  E: {
    about: "a campaign's end (`call`)",
    // What runs next changes another campaign only.
    rules: ["status"],
    command: call("stopCampaign", { id: 1000001 }),
    without: [],
    slots: { status: 1 },
    whenLeft: { status: 2 },
    operation: "stopCampaign",
    next: ["apply", "--yes"],
    short: "answered"
  }
}
