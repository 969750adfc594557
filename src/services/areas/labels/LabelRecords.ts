/** Label identifiers of an order in the seller's words. */
import type { OrderId } from "../../../domain/Ids.js"
import * as MarkDecision from "../../../domain/MarkDecision.js"
import type * as Wire from "../../endpoints/Labels.js"
import * as State from "../State.js"

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
const label = (wire: typeof Wire.LabelDetail.Type): Label => ({
  key: wire.key ?? "",
  value: wire.value === "null" || wire.value === "" ? undefined : wire.value,
  decision: decision(wire.decision)
})

/** Labels that would make the hand-over of the order's supply fail; a decision that is not known is among them. */
export const blocking = (labels: ReadonlyArray<Label>): ReadonlyArray<Label> =>
  labels.filter((label) => !allowsHandover(label))

// What a check made of a label identifier, and whether it lets the supply be handed over (not-shown §4.5).

/** A key of the list, or another as text. */
type LabelKey = "imei" | "uin" | "gtin" | "sgtin" | "expiration" | "customsDeclaration" | (string & {})

type Decision = ReturnType<typeof decision>
export const decision = State.reader([
  ...MarkDecision.allowances,
  MarkDecision.pending,
  ...MarkDecision.refusals
])

interface Decided {
  readonly key: LabelKey
  readonly decision: Decision
}

const always: ReadonlySet<string> = new Set(["filled", "optional"])
const alsoByKey: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["imei", new Set(["deadlineExceeded", "imeiMaySell", "imeiSoldB2B"])],
  ["uin", new Set(["deadlineExceeded", "uinMaySell"])],
  ["sgtin", new Set(["deadlineExceeded", "sgtinIntroduced", "sgtinSoldB2B"])]
])

/** True when this identifier does not stand in the way of the hand-over; a decision that is not known does (O14). */
export const allowsHandover = ({ decision, key }: Decided): boolean =>
  always.has(decision._tag) || alsoByKey.get(key)?.has(decision._tag) === true
