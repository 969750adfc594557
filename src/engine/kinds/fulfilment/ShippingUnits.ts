/**
 * How many shipping units a supply to a pickup point has (seed 000 "Supplies", field note O22). The call adds some, so it is never
 * made again before the list was read.
 */
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "shipping_units" as const
const prefix = "shipping_units"

const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("units are deleted by hand before the hand-over: bidhelm call deleteShippingUnits"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  order: 43,
  writeClass: "C",
  operations: () => ["addShippingUnits"],
  risk: "notable",
  backwards: () => "add_units",
  print: (value) => (value === 1 ? "1 unit" : `${value} units`),
  effect: ({ after, before }) => `${before} → ${after} shipping units`
}
