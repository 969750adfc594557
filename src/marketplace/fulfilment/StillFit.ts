/**
 * Whether a supply may still be handed over at the very moment at which it is to be: the plan may be a day old when a person
 * agrees to it, a buyer may have withdrawn since, another program may have filled the supply, and nothing takes a hand-over back.
 */
import * as Effect from "effect/Effect"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import { type OutcomeReason, of as reasonOf } from "../../domain/OutcomeReason.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Client } from "../../services/MarketplaceClient.js"
import { type CallError, isLimit } from "../../services/MarketplaceError.js"
import type { OrderEvents } from "../../services/ports/OrderEvents.js"
import { PackingTables } from "../../services/ports/PackingTables.js"
import type { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import * as HandOverParts from "./HandOverParts.js"
import * as Parcels from "./Parcels.js"

/**
 * What speaks against handing over these orders, and no others; undefined where nothing does. Reads what is in the supply, with its
 * statuses and labels: three requests. Nobody may be packing it. What a person said of its parcels holds (`isSaid`); else an order that
 * was not agreed to counts as added also when it was cancelled, no parcel of one that was packed here and left may lie in the pile, and
 * where some were packed at a table all must be.
 */
export const look = (
  client: Client,
  supplyId: SupplyId,
  agreed: ReadonlyArray<OrderId>,
  isSaid: boolean
): Effect.Effect<OutcomeReason | undefined, never, OrderEvents | PackingTables | SupplyOrders> =>
  Effect.gen(function* () {
    const inside = yield* Supplies.make(client).orderIds(supplyId)
    if (inside.length === 0) return reasonOf("hand_over_unfit")
    const parcels = isSaid ? Effect.succeed(noParcels) : Parcels.look(client.account, supplyId, inside)
    const { left } = yield* parcels
    const statuses = yield* Orders.make(client).statuses([...inside, ...left])
    const labels = yield* Labels.make(client).read(inside)
    const statusOf = new Map(statuses.values.map((one) => [one.orderId, one]))
    const labelsOf = new Map(labels.values.map((one) => [one.orderId, one.labels]))
    const expected = new Set(agreed)
    const isOut = (orderId: OrderId) => {
      const state = statusOf.get(orderId)
      return isSaid && !expected.has(orderId) && state !== undefined && OrderRecords.isCancelled(state)
    }
    const going = inside.filter((orderId) => !isOut(orderId))
    const different = others(going, inside, agreed)
    if (different !== undefined) return different
    const stateOf = (orderId: OrderId) => {
      const { platform, supplier } = statusOf.get(orderId) ?? {}
      return {
        orderId,
        status: supplier === undefined ? undefined : State.textOf(supplier),
        platformStatus: platform === undefined ? undefined : State.textOf(platform)
      }
    }
    const reasons = [
      ...HandOver.ofOrders(
        inside.map((orderId) => ({
          ...stateOf(orderId),
          // A mark that is missing stands in the record as required.
          required: [],
          labels: labelsOf.get(orderId)?.map(HandOverParts.label)
        }))
      ).filter((reason) => !(HandOver.isToTakeOut(reason) && isOut(reason.orderId))),
      ...HandOver.ofParcels(left.map(stateOf))
    ]
    if (reasons.length === 0) {
      const packer = yield* (yield* PackingTables).packerOf(client.account, supplyId)
      if (packer !== undefined) return { code: "hand_over_packing" as const, packer }
      // Read once the table is known to be closed: it may have opened and closed while the requests waited for their turn.
      const unscanned = HandOver.unscanned(going, (yield* parcels).scanned)
      return unscanned.length === 0 ? undefined : { code: "hand_over_part_packed" as const, left: unscanned }
    }
    return reasons.every(({ code }) => code === "status_unread" || code === "labels_unread")
      ? unread([...statuses.failures, ...labels.failures][0]?.error)
      : reasonOf("hand_over_unfit")
  }).pipe(
    Effect.catchTag("StoreFailure", ({ message }) =>
      Effect.succeed<OutcomeReason>({ code: "store_failed", said: message })
    ),
    Effect.catchAll((error) => Effect.succeed(unread(error)))
  )

const noParcels: Pick<Parcels.Parcels, "left" | "scanned"> = { left: [], scanned: undefined }

/** Why nobody knows whether a supply may go: a call limit is none that somebody has to look at. */
export const unread = (error: CallError | undefined): OutcomeReason =>
  error !== undefined && isLimit(error)
    ? { code: "limit_left_no_room", said: error.message }
    : reasonOf("hand_over_unread")

/** `going` are those of `inside` that would be handed over. */
const others = (
  going: ReadonlyArray<OrderId>,
  inside: ReadonlyArray<OrderId>,
  agreed: ReadonlyArray<OrderId>
): OutcomeReason | undefined => {
  const [expected, there] = [new Set(agreed), new Set(inside)]
  const added = going.filter((orderId) => !expected.has(orderId)).sort((a, b) => a - b)
  const missing = agreed.filter((orderId) => !there.has(orderId))
  return added.length + missing.length === 0 ? undefined : { code: "hand_over_others", added, missing }
}
