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

/** What is read of an order in a supply that its change does not name: no reference of one. */
export const elsewhere = "another supply"

const cameFromElsewhere =
  "the supply that it comes from is not known: bidhelm supplies move puts an order back into an open one"

const stays = "no operation takes an order out of a supply: move it to another one, or cancel it"

/** Only an open supply that is known could take it back: a closed one that left it over takes nothing. */
const irreversible = ({
  before,
  details
}: Pick<Of<typeof name>, "before" | "details">): string | undefined => {
  if (before === "" || details.isReshipment === true) return stays
  return before === elsewhere ? cameFromElsewhere : undefined
}

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.orderOf,
  order: 41,
  writeClass: "A",
  operations: () => ["addOrdersToSupply"],
  irreversible,
  risk: "notable",
  inverse: ({ change }) => {
    const { after, before, details } = change
    return (
      irreversible(change) ?? { action: "put_in_supply", before: after, after: before, details, notes: [] }
    )
  },
  backwards: () => "put_in_supply",
  into: ({ after }) => String(after),
  print: (value) => (value === elsewhere ? elsewhere : SupplyRef.text(String(value))),
  effect: ({ after, before, details: { isReshipment } }) =>
    `${isReshipment === true ? "is sent again in" : before === "" ? "goes into" : "moves to"} ${SupplyRef.text(String(after))}`
}
