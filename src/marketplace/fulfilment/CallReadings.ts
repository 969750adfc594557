/** Calls by hand of orders, supplies, marks, units and passes, read as changes. */
import * as Effect from "effect/Effect"
import type { OrderId } from "../../domain/Ids.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as LabelDeletion from "../../engine/kinds/fulfilment/LabelDeletion.js"
import * as OrderCancellation from "../../engine/kinds/fulfilment/OrderCancellation.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as PassCreation from "../../engine/kinds/fulfilment/PassCreation.js"
import * as ShippingUnits from "../../engine/kinds/fulfilment/ShippingUnits.js"
import * as SupplyDeletion from "../../engine/kinds/fulfilment/SupplyDeletion.js"
import * as SupplyDelivery from "../../engine/kinds/fulfilment/SupplyDelivery.js"
import type { MarkKey } from "../../engine/kinds/Parts.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as Outcomes from "../writes/Outcomes.js"
import * as StillFit from "./StillFit.js"

type Api = Client["api"]
export type Request<G extends keyof Api, O extends keyof Api[G]> = Api[G][O] extends (
  request: infer R
) => unknown
  ? R
  : never
export type Answer<G extends keyof Api, O extends keyof Api[G]> = Api[G][O] extends (
  request: never
) => Effect.Effect<infer A, infer _E, infer _R>
  ? A
  : never
/** What a request asks for, or why that cannot be told from what is there now. */
export type Asking = Effect.Effect<ReadonlyArray<Wanted>, CallError>

const one = (wanted: Wanted): Asking => Effect.succeed([wanted])

/** Of a mark only its fingerprint is planned and kept. */
const marked = (orderId: OrderId, key: MarkKey, marks: ReadonlyArray<string>): Asking =>
  one({
    kind: OrderMark.name,
    action: "set_mark",
    subject: { orderId },
    details: { key, masked: "as the call says" },
    after: () => OrderMark.fingerprint(marks)
  })

const passMs = 48 * 3_600_000

export const readings = {
  addOrdersToSupply: {
    wanted: (_: Client, { path: { supplyId }, payload }: Request<"supplies", "addOrdersToSupply">): Asking =>
      Effect.succeed(
        payload.orders.map((orderId) => ({
          kind: OrderInSupply.name,
          action: "put_in_supply",
          subject: { orderId },
          details: {},
          after: () => supplyId
        }))
      )
  },
  addShippingUnits: {
    wanted: (_: Client, { path: { supplyId }, payload }: Request<"supplies", "addShippingUnits">): Asking =>
      one({
        kind: ShippingUnits.name,
        action: "add_units",
        subject: { supply: supplyId },
        details: {},
        after: (before) => Number(before) + payload.amount
      })
  },
  deliverSupply: {
    wanted: (client: Client, { path: { supplyId } }: Request<"supplies", "deliverSupply">): Asking =>
      Effect.map(Supplies.make(client).orderIds(supplyId), (orders) => [
        {
          kind: SupplyDelivery.name,
          action: "deliver",
          subject: { supply: supplyId },
          details: SupplyDelivery.details(orders),
          after: () => true
        }
      ]),
    against: (
      client: Client,
      changes: ReadonlyArray<Change>,
      { path: { supplyId } }: Request<"supplies", "deliverSupply">
    ) =>
      StillFit.look(
        client,
        supplyId,
        changes.flatMap((change) =>
          change.kind === SupplyDelivery.name ? (change.details.orderIds ?? []) : []
        ),
        false
      )
  },
  deleteSupply: {
    wanted: (_: Client, { path: { supplyId } }: Request<"supplies", "deleteSupply">): Asking =>
      one({
        kind: SupplyDeletion.name,
        action: "delete_supply",
        subject: { supply: supplyId },
        details: {},
        after: () => false
      })
  },
  cancelOrder: {
    wanted: (_: Client, { path: { orderId } }: Request<"orders", "cancelOrder">): Asking =>
      one({
        kind: OrderCancellation.name,
        action: "cancel",
        subject: { orderId },
        details: {},
        after: () => OrderCancellation.cancelled
      })
  },
  createPass: {
    wanted: (_: Client, { payload }: Request<"passes", "createPass">): Asking =>
      Effect.clockWith(({ currentTimeMillis }) =>
        Effect.flatMap(currentTimeMillis, (nowMs) =>
          one({
            kind: PassCreation.name,
            action: "book_pass",
            subject: { pass: `${payload.officeId}/${payload.carNumber}` },
            details: { ...payload },
            // The clocks may differ by minutes.
            after: () => nowMs + passMs - 600_000
          })
        )
      ),
    outcomes: (changes: ReadonlyArray<Change>, { id }: Answer<"passes", "createPass">) =>
      Effect.succeed(Outcomes.forAll(changes, Outcomes.made(id))),
    found: (client: Client, { payload }: Request<"passes", "createPass">) =>
      Effect.map(Passes.make(client).listAll, (passes) =>
        passes
          .filter((pass) => Passes.same(pass, payload))
          .sort((a, b) => (b.validUntilMs ?? 0) - (a.validUntilMs ?? 0))
          .map(({ passId }) => ({ id: passId }))
          .at(0)
      )
  },
  deleteOrderLabel: {
    wanted: (
      _: Client,
      { path: { orderId }, urlParams: { key } }: Request<"labels", "deleteOrderLabel">
    ): Asking =>
      one({
        kind: LabelDeletion.name,
        action: "delete_mark",
        subject: { orderId },
        details: { key },
        after: () => ""
      })
  },
  setOrderSgtins: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderSgtins">) =>
      marked(orderId, "sgtin", payload.sgtins)
  },
  setOrderUin: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderUin">) =>
      marked(orderId, "uin", [payload.uin])
  },
  setOrderImei: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderImei">) =>
      marked(orderId, "imei", [payload.imei])
  },
  setOrderGtin: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderGtin">) =>
      marked(orderId, "gtin", [payload.gtin])
  },
  setOrderExpiration: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderExpiration">) =>
      marked(orderId, "expiration", [payload.expiration])
  },
  setOrderCustomsDeclaration: {
    wanted: (_: Client, { path: { orderId }, payload }: Request<"labels", "setOrderCustomsDeclaration">) =>
      marked(orderId, "customsDeclaration", [payload.customsDeclaration])
  }
}
