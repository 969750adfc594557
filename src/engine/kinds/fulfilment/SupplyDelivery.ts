/** A supply that is handed over: its orders are in delivery, and it takes no more (seed 000 "Supplies", field note O18). */
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import { deadlines, type Kind } from "../Kind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "supply_delivery" as const
export const prefix = "supply_delivery"

export const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

const forGood = "a supply that is handed over does not open again"

export const kind: Kind<Of<typeof name>> = {
  lane: "orders",
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  // No fact of a rule shows it.
  live: () => undefined,
  leaves: () => ({}),
  order: 44,
  writeClass: "E",
  deadlineMs: deadlines.assembly,
  operations: () => ["deliverSupply"],
  irreversible: () => forGood,
  isSteered: false,
  isDearer: () => false,
  risk: "irreversible",
  inverse: () => forGood,
  backwards: () => "deliver",
  print: (value) => (value === true ? "handed over" : "open"),
  effect: ({ details: { orders } }) =>
    `hands over ${orders === 1 ? "one order" : `${orders} orders`}, for good`
}
