/**
 * An order that is put into a supply, which moves it to assembly; or that moves from one open supply to another (seed 000
 * "Supplies"). No operation takes it out again.
 */
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import { assemblyKind } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "order_in_supply" as const
export const prefix = "order_in_supply"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">): string => `${prefix}:${orderId}`

const stays = "no operation takes an order out of a supply: move it to another one, or cancel it"

/** It came from an open supply, to which it could go back: a closed one that left it over takes nothing. */
const leftOpen = ({ before, details }: Pick<Of<typeof name>, "before" | "details">): boolean =>
  before !== "" && details.isReshipment !== true

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.orderOf,
  order: 41,
  writeClass: "A",
  operations: () => ["addOrdersToSupply"],
  irreversible: (change) => (leftOpen(change) ? undefined : stays),
  risk: "notable",
  inverse: ({ change }) => {
    const { after, before, details } = change
    return leftOpen(change)
      ? { action: "put_in_supply", before: after, after: before, details, notes: [] }
      : stays
  },
  backwards: () => "put_in_supply",
  into: ({ after }) => String(after),
  print: (value) => SupplyRef.text(String(value)),
  effect: ({ after, before, details: { isReshipment } }) =>
    `${isReshipment === true ? "is sent again in" : before === "" ? "goes into" : "moves to"} ${SupplyRef.text(String(after))}`
}
