/**
 * An order that the seller cancels (seed 000, `cancel`): only before the platform has it, and for good. The marketplace counts it
 * against the seller.
 */
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "order_cancellation" as const
export const prefix = "order_cancellation"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">): string => `${prefix}:${orderId}`

/** The seller's side of an order that was cancelled by it. */
export const cancelled = "cancel"

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("a cancelled order does not come back"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.orderOf,
  order: 45,
  writeClass: "E",
  operations: () => ["cancelOrder"],
  risk: "irreversible",
  backwards: () => "cancel",
  print: (value) => (value === cancelled ? "cancelled" : String(value)),
  effect: ({ before }) => `${before} → cancelled, for good`
}
