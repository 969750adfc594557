/** An open supply without orders that is deleted (seed 000 "Supplies"): strays of doubled tries, and what nobody needed. */
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import { deadlines, type Kind } from "../Kind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "supply_deletion" as const
export const prefix = "supply_deletion"

export const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

const forGood = "a deleted supply does not come back; make another one"

export const kind: Kind<Of<typeof name>> = {
  lane: "orders",
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  // No fact of a rule shows it.
  live: () => undefined,
  leaves: () => ({}),
  order: 46,
  writeClass: "E",
  deadlineMs: deadlines.assembly,
  operations: () => ["deleteSupply"],
  isDoneWhenGone: true,
  irreversible: () => forGood,
  isSteered: false,
  isDearer: () => false,
  risk: "irreversible",
  inverse: () => forGood,
  backwards: () => "delete_supply",
  print: (value) => (value === true ? "there" : "deleted"),
  effect: () => "deletes the empty supply, for good"
}
