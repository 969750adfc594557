/** Calls by hand of orders, supplies, marks, units and passes, read as changes. */
import * as Effect from "effect/Effect"
import type { OrderId } from "../../domain/Ids.js"
import { of as reasonOf } from "../../domain/OutcomeReason.js"
import type { WriteOutcome } from "../../engine/door/Writer.js"
import { Mark } from "../../engine/fulfilment/marks/Mark.js"
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
import { MarkVault } from "../../services/ports/MarkVault.js"
import * as Outcomes from "../writes/Outcomes.js"
import * as KeptMarks from "./KeptMarks.js"
import * as MarkHolders from "./MarkHolders.js"
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

/** Of a mark only its fingerprint is planned; the mark is kept in the one place for it, so that it can be taken back to. */
const marked = <R extends { readonly path: { readonly orderId: OrderId } }>(
  key: MarkKey,
  marksOf: (request: R) => ReadonlyArray<string>
) => ({
  wanted: (_: Client, request: R): Asking => {
    const marks = marksOf(request)
    return one({
      kind: OrderMark.name,
      action: "set_mark",
      subject: request.path,
      details: { key, masked: marks.map((text) => String(Mark.of(key, text))).join(", ") },
      after: () => OrderMark.fingerprint(marks)
    })
  },
  against: (client: Client, changes: ReadonlyArray<Change>, request: R) =>
    Effect.gen(function* () {
      const { orderId } = request.path
      const marks = marksOf(request)
      const vault = yield* MarkVault
      const reason = yield* MarkHolders.make(client, vault).against(orderId, key, marks)
      if (reason !== undefined) return MarkHolders.unsent(reason)
      for (const change of changes)
        if (change.kind === OrderMark.name) yield* KeptMarks.keepFormer(client, vault, change)
      const kept = vault.keep(client.account, [KeptMarks.marks(orderId, key, marks)])
      return yield* Effect.match(kept, {
        onFailure: () => MarkHolders.unsent(reasonOf("mark_not_kept")),
        onSuccess: () => undefined
      })
    })
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
      Effect.map(
        StillFit.look(
          client,
          supplyId,
          changes.flatMap((change) =>
            change.kind === SupplyDelivery.name ? (change.details.orderIds ?? []) : []
          ),
          false
        ),
        (reason): WriteOutcome | undefined => (reason === undefined ? undefined : { _tag: "NotSent", reason })
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
  setOrderSgtins: marked("sgtin", ({ payload }: Request<"labels", "setOrderSgtins">) => payload.sgtins),
  setOrderUin: marked("uin", ({ payload }: Request<"labels", "setOrderUin">) => [payload.uin]),
  setOrderImei: marked("imei", ({ payload }: Request<"labels", "setOrderImei">) => [payload.imei]),
  setOrderGtin: marked("gtin", ({ payload }: Request<"labels", "setOrderGtin">) => [payload.gtin]),
  setOrderExpiration: marked("expiration", ({ payload }: Request<"labels", "setOrderExpiration">) => [
    payload.expiration
  ]),
  setOrderCustomsDeclaration: marked(
    "customsDeclaration",
    ({ payload }: Request<"labels", "setOrderCustomsDeclaration">) => [payload.customsDeclaration]
  )
}
