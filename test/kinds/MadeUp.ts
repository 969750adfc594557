/** Two kinds of change that only the door's own test knows. */
import type { Kind } from "../../src/engine/kinds/Kind.js"

const shared = {
  lane: "orders",
  targetOf: () => undefined,
  live: () => undefined,
  leaves: () => ({}),
  deadlineMs: 60_000,
  isSteered: false,
  isDearer: () => false,
  risk: "notable",
  inverse: () => "not asked here",
  backwards: () => "set_bid" as const,
  print: String,
  effect: () => ""
} as const

/** What stands on a place of a shelf: all places of a shelf leave in one request. */
export const shelf: Kind = {
  ...shared,
  prefix: "shelf",
  slotOf: ({ details, subject }) => `shelf:${subject.itemId}/${JSON.stringify(details)}`,
  order: 2,
  writeClass: "B",
  operations: () => ["setShelf"],
  together: ({ subject }) => `${subject.itemId}`
}

/** A parcel that is handed over: it is not listed any more, and does not come back. */
export const parcel: Kind = {
  ...shared,
  prefix: "parcel",
  slotOf: ({ subject }) => `parcel:${subject.itemId}`,
  order: 1,
  writeClass: "E",
  operations: () => ["handOver"],
  isDoneWhenGone: true,
  irreversible: () => "gone is gone"
}
