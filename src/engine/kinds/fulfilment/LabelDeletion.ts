/** A label identifier that is removed from an order, all values of its key at once (seed 000 "Label identifiers"). */
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import type { MarkKey } from "../Parts.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as OrderMark from "./OrderMark.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "label_deletion" as const
export const prefix = "label_deletion"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">, key: MarkKey): string =>
  `${prefix}:${orderId}/${key}`

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("what was removed is set again by whoever has the mark: bidhelm orders marks import"),
  prefix,
  slotOf: ({ details: { key }, subject }) => slot(subject, key),
  targetOf: SupplyRef.markedOrderOf,
  order: 42,
  writeClass: "E",
  operations: () => ["deleteOrderLabel"],
  risk: "irreversible",
  backwards: () => "delete_mark",
  print: (value) => (value === "" ? "none" : String(value)),
  effect: ({ details: { key } }) => `removes ${OrderMark.called[key]}`
}
