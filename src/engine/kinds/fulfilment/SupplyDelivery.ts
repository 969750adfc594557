/** A supply that is handed over: its orders are in delivery, and it takes no more (seed 000 "Supplies", field note O18). */
import type { OrderId } from "../../../domain/Ids.js"
import * as Plural from "../../../domain/Plural.js"
import type { SupplyTarget } from "../../../domain/Target.js"
import type { Change, Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "supply_delivery" as const
const prefix = "supply_delivery"

export const slot = ({ supply }: Pick<SupplyTarget, "supply">): string => `${prefix}:${supply}`

/** What is agreed to: these orders and no others. */
export const details = (orders: ReadonlyArray<OrderId>, supplyName?: string): Of<typeof name>["details"] => ({
  ...(supplyName === undefined ? {} : { supplyName }),
  orders: orders.length,
  orderIds: orders.toSorted((a, b) => a - b)
})

/** The hand-over of a supply as somebody would ask for it who only wants to know whether it was handed over. */
export const asked = (by: Change, supply: SupplyTarget["supply"]): Change => ({
  ...by,
  kind: name,
  id: slot({ supply }),
  action: "deliver",
  subject: { supply },
  details: { supplyName: "", orders: 0 },
  before: false,
  after: true
})

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("a supply that is handed over does not open again"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.supplyOf,
  order: 44,
  writeClass: "E",
  operations: () => ["deliverSupply"],
  risk: "irreversible",
  backwards: () => "deliver",
  print: (value) => (value === true ? "handed over" : "open"),
  effect: ({ details: { orders } }) =>
    `hands over ${Plural.choose(orders, "one order", `${orders} orders`)}, for good`
}
