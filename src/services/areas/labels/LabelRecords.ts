/** Label identifiers of an order in the seller's words. */
import type { OrderId } from "../../../domain/Ids.js"
import type * as Wire from "../../endpoints/Labels.js"
import { allowsHandover, type Decision, decision, type LabelKey } from "./LabelDecisions.js"

export interface Label {
  readonly key: LabelKey
  /** Undefined while there is none; the wire says null or the text "null" (field note O14). */
  readonly value: string | undefined
  readonly decision: Decision
}

/** A key without a label is not exposed for the order; one key may have several labels. */
export interface OrderLabels {
  readonly orderId: OrderId
  readonly labels: ReadonlyArray<Label>
}

export const fromWire = ({ id, metaDetails }: typeof Wire.OrderLabels.Type): OrderLabels => ({
  orderId: id,
  labels: metaDetails.map(label)
})

/** One identifier. A key that is missing is kept as an empty one, which nothing knows and so blocks. */
export const label = (wire: typeof Wire.LabelDetail.Type): Label => ({
  key: wire.key ?? "",
  value: wire.value === "null" || wire.value === "" ? undefined : wire.value,
  decision: decision(wire.decision)
})

/** Labels that would make the hand-over of the order's supply fail; a decision that is not known is among them. */
export const blocking = (labels: ReadonlyArray<Label>): ReadonlyArray<Label> =>
  labels.filter((label) => !allowsHandover(label))
