/**
 * Label identifiers of assembly orders (seed 000, "Label identifiers"). Checks run asynchronously: after a set the
 * decision is pending and turns later (field note O14), so read the labels again before the hand-over.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrderId } from "../../../domain/Ids.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type * as Wire from "../../endpoints/Labels.js"
import type { Client } from "../../MarketplaceClient.js"
import { type CallError, local, Refused } from "../../MarketplaceError.js"
import * as ByOrder from "../orders/ByOrder.js"
import * as LabelFormats from "./LabelFormats.js"
import * as LabelRecords from "./LabelRecords.js"

/** Keys that can be removed; an expiration can only be overwritten (O17). */
export type DeletableKey = typeof Wire.DeletableKey.Type

type Written = Effect.Effect<void, CallError, WritePermit>

/** Every set needs an order in confirm whose record exposes the key, and replaces what was there. */
export const make = ({ api }: Client) => ({
  /** Labels of each order with their decisions; an order that is missing was not answered. */
  read: (orders: ReadonlyArray<OrderId>) => read(api, orders),

  /** As `read`, and waits with growing pauses while the check of any label is pending (O14). */
  readUntilChecked: (orders: ReadonlyArray<OrderId>, pauses: ByOrder.Pauses = usualPauses) =>
    ByOrder.askUntil(
      orders,
      (some) => read(api, some),
      ({ labels }) => labels.some(({ decision }) => decision._tag === "pending"),
      pauses
    ),

  setSgtins: (orderId: OrderId, codes: ReadonlyArray<string>): Written =>
    sent("setOrderSgtins", LabelFormats.sgtins(codes), (sgtins) =>
      api.labels.setOrderSgtins({ path: { orderId }, payload: { sgtins } })
    ),

  /** The check may need 30 minutes after the contract specification was loaded; a stale `uinNotFound` clears only
   * after a removal and another set (O16). */
  setUin: (orderId: OrderId, text: string): Written =>
    sent("setOrderUin", LabelFormats.uin(text), (uin) =>
      api.labels.setOrderUin({ path: { orderId }, payload: { uin } })
    ),

  setImei: (orderId: OrderId, text: string): Written =>
    sent("setOrderImei", LabelFormats.imei(text), (imei) =>
      api.labels.setOrderImei({ path: { orderId }, payload: { imei } })
    ),

  setGtin: (orderId: OrderId, text: string): Written =>
    sent("setOrderGtin", LabelFormats.gtin(text), (gtin) =>
      api.labels.setOrderGtin({ path: { orderId }, payload: { gtin } })
    ),

  /** `dd.mm.yyyy`; can be changed later but not removed. */
  setExpiration: (orderId: OrderId, text: string): Written =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      sent("setOrderExpiration", LabelFormats.expiration(text, nowMs), (expiration) =>
        api.labels.setOrderExpiration({ path: { orderId }, payload: { expiration } })
      )
    ),

  setCustomsDeclaration: (orderId: OrderId, text: string): Written =>
    sent("setOrderCustomsDeclaration", LabelFormats.customsDeclaration(text), (customsDeclaration) =>
      api.labels.setOrderCustomsDeclaration({ path: { orderId }, payload: { customsDeclaration } })
    ),

  /** Removes all values of a key. */
  remove: (orderId: OrderId, key: DeletableKey): Written =>
    api.labels.deleteOrderLabel({ path: { orderId }, urlParams: { key } })
})

const usualPauses: ByOrder.Pauses = { firstMs: 5000, longestMs: 60_000, patienceMs: 30 * 60_000 }

const read = (
  api: Client["api"],
  orders: ReadonlyArray<OrderId>
): Effect.Effect<ByOrder.Answered<LabelRecords.OrderLabels>> =>
  ByOrder.ask(orders, 100, (chunk) =>
    Effect.map(api.labels.getOrderLabels({ payload: { orders: chunk } }), (answer) =>
      answer.orders.map(LabelRecords.fromWire)
    )
  )

/** Sends a value that passed its check; nothing leaves for another. */
const sent = <A>(
  operation: string,
  checked: Either.Either<A, string>,
  call: (value: A) => Written
): Written =>
  Either.match(checked, {
    onLeft: (problem) => Effect.fail(new Refused(local(operation, problem))),
    onRight: call
  })
