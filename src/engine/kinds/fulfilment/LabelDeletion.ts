/** A label identifier that is removed from an order, all values of its key at once (seed 000 "Label identifiers"). */
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import { deadlines, type Kind } from "../Kind.js"
import type { MarkKey } from "../Parts.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "label_deletion" as const
export const prefix = "label_deletion"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">, key: MarkKey): string =>
  `${prefix}:${orderId}/${key}`

const forGood = "what was removed is set again by whoever has the mark: bidhelm orders marks import"

export const kind: Kind<Of<typeof name>> = {
  lane: "orders",
  prefix,
  slotOf: ({ details: { key }, subject }) => slot(subject, key),
  targetOf: SupplyRef.markedOrderOf,
  // No fact of a rule shows it.
  live: () => undefined,
  leaves: () => ({}),
  order: 42,
  writeClass: "E",
  deadlineMs: deadlines.assembly,
  operations: () => ["deleteOrderLabel"],
  irreversible: () => forGood,
  isSteered: false,
  isDearer: () => false,
  risk: "irreversible",
  inverse: () => forGood,
  backwards: () => "delete_mark",
  print: (value) => (value === "" ? "none" : String(value)),
  effect: ({ details: { key } }) => `removes ${key}`
}
