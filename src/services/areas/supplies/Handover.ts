/** What keeps a supply from being handed over. deliver fails as a whole and costs ten requests (field notes O18, T09). */
import type { OrderId } from "../../../domain/Ids.js"
import { blocking, type Label, type OrderLabels } from "../labels/LabelRecords.js"
import * as State from "../State.js"
import type { Shipping, Supply } from "./SupplyRecords.js"

export interface Readiness {
  /** True when no problem is known. */
  readonly ready: boolean
  readonly problems: ReadonlyArray<string>
  /** What the marketplace may or may not insist on: the shipping data (O20). */
  readonly warnings: ReadonlyArray<string>
  /** Orders whose labels are in the way, with just those labels. */
  readonly blocked: ReadonlyArray<OrderLabels>
}

/**
 * Checks a supply by its record, the ids of its orders, and the label records of those orders. An order without a
 * label record counts as a problem: nothing is known about it.
 */
export const readyForDelivery = (
  supply: Supply,
  orderIds: ReadonlyArray<OrderId>,
  labels: ReadonlyArray<OrderLabels>
): Readiness => {
  const known = new Map(labels.map((row) => [row.orderId, row.labels]))
  const blocked = orderIds
    .map((orderId) => ({ orderId, labels: blocking(known.get(orderId) ?? []) }))
    .filter((row) => row.labels.length > 0)
  const problems = [
    ...(supply.closed === true ? [`supply ${supply.supplyId} is closed already`] : []),
    ...(orderIds.length === 0 ? [`supply ${supply.supplyId} has no orders; add one first`] : []),
    ...orderIds
      .filter((orderId) => !known.has(orderId))
      .map((orderId) => `order ${orderId}: its label identifiers were not read; read them first`),
    ...blocked.map((row) => `order ${row.orderId}: ${row.labels.map(complaint).join(", ")}`)
  ]
  return { ready: problems.length === 0, problems, warnings: warnings(supply), blocked }
}

const complaint = ({ decision, key }: Label): string =>
  decision._tag === "required"
    ? `${key} is missing`
    : `${key} is not accepted (${State.textOf(decision) ?? "no decision"})`

const warnings = ({ shipping, supplyId }: Supply): ReadonlyArray<string> => {
  const missing = missingOf(shipping)
  return missing.length === 0
    ? []
    : [
        `supply ${supplyId} has no ${missing.join(", no ")}; sellers who need it are refused: set it in the seller's account`
      ]
}

const missingOf = (shipping: Shipping): ReadonlyArray<string> => [
  ...(shipping.method === undefined ? ["shipping method"] : []),
  ...(shipping.day === undefined ? ["shipping date"] : []),
  ...(shipping.pointId === undefined ? ["shipping point"] : []),
  ...(shipping.method?._tag === "transportCompany" && shipping.waybillUuid === undefined ? ["waybill"] : [])
]
