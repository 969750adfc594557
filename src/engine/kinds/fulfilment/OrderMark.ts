/**
 * A label identifier of an order: a marking code, UIN, IMEI, GTIN, expiration date or customs declaration (seed 000 "Label
 * identifiers"). A mark can be resold, so the change has its fingerprint only; the mark is in the store's column for it.
 */

import * as Hash from "../../../domain/Hash.js"
import type { OrderTarget } from "../../../domain/Target.js"
import type { Of } from "../Change.js"
import type { Kind } from "../Kind.js"
import type { MarkKey } from "../Parts.js"
import { assemblyKind } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "order_mark" as const
export const prefix = "order_mark"

export const slot = ({ orderId }: Pick<OrderTarget, "orderId">, key: MarkKey): string =>
  `${prefix}:${orderId}/${key}`

/** Which operation sets a mark. */
export const operationOf: Readonly<Record<MarkKey, string>> = {
  sgtin: "setOrderSgtins",
  uin: "setOrderUin",
  imei: "setOrderImei",
  gtin: "setOrderGtin",
  expiration: "setOrderExpiration",
  customsDeclaration: "setOrderCustomsDeclaration"
}

/** What people call a kind of mark. */
export const called: Readonly<Record<MarkKey, string>> = {
  sgtin: "marking code",
  uin: "UIN",
  imei: "IMEI",
  gtin: "GTIN",
  expiration: "expiration date",
  customsDeclaration: "customs declaration number"
}

/** What stands for marks in changes and journals: equal for equal marks, and nobody gets from it to them. "" is none. */
export const fingerprint = (marks: ReadonlyArray<string>): string =>
  marks.length === 0 ? "" : `mark ${Hash.of(["mark", ...marks]).slice(0, 16)}`

const stays = "a mark is removed by a change of its own, an expiration date only replaced"

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  prefix,
  slotOf: ({ details: { key }, subject }) => slot(subject, key),
  targetOf: SupplyRef.markedOrderOf,
  order: 42,
  writeClass: "A",
  operations: ({ details: { key } }) => [operationOf[key]],
  irreversible: ({ before }) => (before === "" ? stays : undefined),
  risk: "notable",
  inverse: ({ change: { after, before, details } }, slot) => {
    if (before === "") return stays
    const former = slot.findLast(({ change }) => change.after === before)?.change.details.masked
    const masked = former ?? "as it was before"
    return { action: "set_mark", before: after, after: before, details: { ...details, masked }, notes: [] }
  },
  backwards: () => "set_mark",
  print: (value) => (value === "" ? "none" : String(value)),
  effect: ({ details: { key, masked } }) => `sets ${called[key]} ${masked}`
}
