/** An open supply without orders that is deleted (seed 000 "Supplies"): strays of doubled tries, and what nobody needed. */
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "supply_deletion" as const
const prefix = "supply_deletion"

export const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("a deleted supply does not come back; make another one"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  order: 46,
  writeClass: "E",
  operations: () => ["deleteSupply"],
  isDoneWhenGone: true,
  risk: "irreversible",
  backwards: () => "delete_supply",
  print: (value) => (value === true ? "there" : "deleted"),
  effect: () => "deletes the empty supply, for good"
}
