/**
 * Whether a supply may still be handed over at the very moment at which it is to be: the plan may be a day old when a person
 * agrees to it, a buyer may have withdrawn since, and nothing takes a hand-over back.
 */
import * as Effect from "effect/Effect"
import type { SupplyId } from "../../domain/Ids.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Client } from "../../services/MarketplaceClient.js"
import * as HandOverParts from "./HandOverParts.js"

/** `unread`: something could not be asked, and what is not known stops a hand-over. */
export type Fitness = "fit" | "unfit" | "unread"

/** Reads what is in the supply, with the statuses and labels of it: three requests. */
export const look = (client: Client, supplyId: SupplyId): Effect.Effect<Fitness> =>
  Effect.gen(function* () {
    const inside = yield* Supplies.make(client).orderIds(supplyId)
    if (inside.length === 0) return "unfit"
    const statuses = yield* Orders.make(client).statuses(inside)
    const labels = yield* Labels.make(client).read(inside)
    const statusOf = new Map(statuses.values.map((one) => [one.orderId, one]))
    const labelsOf = new Map(labels.values.map((one) => [one.orderId, one.labels]))
    const reasons = HandOver.ofOrders(
      inside.map((orderId) => {
        const { platform, supplier } = statusOf.get(orderId) ?? {}
        return {
          orderId,
          status: supplier === undefined ? undefined : State.textOf(supplier),
          platformStatus: platform === undefined ? undefined : State.textOf(platform),
          // A mark that is missing stands in the record as required.
          required: [],
          labels: labelsOf.get(orderId)?.map(HandOverParts.label)
        }
      })
    )
    if (reasons.length === 0) return "fit"
    return reasons.every(({ code }) => code === "status_unread" || code === "labels_unread")
      ? "unread"
      : "unfit"
  }).pipe(Effect.orElseSucceed(() => "unread" as const))
