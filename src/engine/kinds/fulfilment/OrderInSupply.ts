/** An order that is put into a supply, which moves it to assembly; or that moves from one open supply to another (seed 000
 * "Supplies"). No operation takes it out again. */
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import { deadlines, type Kind } from "../Kind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "order_in_supply" as const
export const prefix = "order_in_supply"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">): string => `${prefix}:${orderId}`

const stays = "no operation takes an order out of a supply: move it to another one, or cancel it"

export const kind: Kind<Of<typeof name>> = {
  lane: "orders",
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.orderOf,
  // No fact of a rule shows it.
  live: () => undefined,
  leaves: () => ({}),
  order: 41,
  writeClass: "A",
  deadlineMs: deadlines.assembly,
  operations: () => ["addOrdersToSupply"],
  irreversible: ({ before }) => (before === "" ? stays : undefined),
  isSteered: false,
  isDearer: () => false,
  risk: "notable",
  inverse: ({ change: { after, before, details } }) =>
    before === "" ? stays : { action: "put_in_supply", before: after, after: before, details, notes: [] },
  backwards: () => "put_in_supply",
  print: (value) => SupplyRef.text(String(value)),
  effect: ({ after, before, details: { isReshipment } }) =>
    `${isReshipment === true ? "is sent again in" : before === "" ? "goes into" : "moves to"} ${SupplyRef.text(String(after))}`
}
