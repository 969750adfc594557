/**
 * A supply that is made for orders (seed 000 "Supplies"). The marketplace takes a name twice, so each has a marker of its own, and a supply of one
 * name is filed once, whatever became of it (field note O29).
 */
import * as Plural from "../../../domain/Plural.js"
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "supply_creation" as const
export const prefix = "supply_creation"

export const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("an empty supply is deleted by a change of its own; one with orders stays"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  order: 40,
  writeClass: "C",
  operations: () => ["createSupply"],
  makes: "supply",
  isOnce: true,
  madeFor: ({ subject: { supply } }) => supply,
  risk: "notable",
  backwards: () => "delete_supply",
  print: (value) => (value === "" ? "not there" : `"${value}"`),
  effect: ({ details: { name: supplyName, orders } }) =>
    `makes the supply "${supplyName}" for ${Plural.choose(orders, "one order", `${orders} orders`)}`
}
