/** States of an assembly order (seed 000 "States and transitions"). What is not known counts as open (O04). */
import * as State from "../State.js"

/** Changed by the seller or the carrier only. */
export type SupplierStatus = ReturnType<typeof supplierStatus>
export const supplierStatus = State.reader(["new", "confirm", "complete", "cancel", "cancel_carrier"])

/** The platform's side. Transitions are not documented: accept any order of values (not-shown §4.7). */
export type PlatformStatus = ReturnType<typeof platformStatus>
export const platformStatus = State.reader([
  "waiting",
  "sorted",
  "sold",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "defect",
  "ready_for_pickup",
  "postponed_delivery",
  "accepted_by_carrier",
  "sent_to_carrier",
  "canceled_by_carrier"
])

/** Both sides of one order. */
export interface OrderState {
  readonly supplier: SupplierStatus
  readonly platform: PlatformStatus
}

const endsForSupplier: ReadonlySet<string> = new Set(["cancel", "cancel_carrier"])
const endsForPlatform: ReadonlySet<string> = new Set([
  "sold",
  "canceled",
  "canceled_by_client",
  "declined_by_client",
  "defect",
  "canceled_by_carrier"
])

/** True when nothing more is expected: sold, cancelled by anyone, or defective. A code that is not known is not final. */
export const isFinal = ({ platform, supplier }: OrderState): boolean =>
  platform._tag !== "unknown" &&
  supplier._tag !== "unknown" &&
  (endsForSupplier.has(supplier._tag) || endsForPlatform.has(platform._tag))

/** True while the order has to be asked for again, whatever its age. */
export const isOpen = (state: OrderState): boolean => !isFinal(state)

/** True while stickers can be made: in assembly or in delivery (O12). */
export const hasSticker = ({ supplier }: OrderState): boolean =>
  supplier._tag === "confirm" || supplier._tag === "complete"
