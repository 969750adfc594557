/** How the orders stand that a write is about, at the very moment at which it leaves: by the marketplace itself. */

import type { World } from "../../../src/sandbox/market/World.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import * as LabelChecks from "../../../src/sandbox/shop/LabelChecks.js"
import * as Orders from "../../../src/sandbox/shop/Orders.js"
import * as Progress from "../../../src/sandbox/shop/Progress.js"
import type { Order } from "../../../src/sandbox/shop/State.js"

export interface ShopLook {
  readonly supplyId: string | undefined
  readonly orders: ReadonlyArray<OrderLook>
}

export interface OrderLook {
  readonly orderId: number
  /** The supply that it is in. */
  readonly from: string | undefined
  /** It was where it is for so long that everybody could see it. */
  readonly isSettled: boolean
  /** A closed supply left it over. */
  readonly isLeftOver: boolean
  /** Cancelled, and everybody could see that. */
  readonly isCancelled: boolean
  /** A mark of it is missing, pending or refused, or was when its turn may have looked; `wasFailing` where everybody could see that. */
  readonly isFailing: boolean
  readonly wasFailing: boolean
}

/** So long may lie between the last look at the marketplace and the request, as for everything else of a turn. */
export const looksBackMs = 6 * 60_000

const operations: ReadonlySet<string> = new Set([
  "listNewOrders",
  "listOrders",
  "getOrderStatuses",
  "listReshipmentOrders",
  "cancelOrder",
  "getOrderStickers",
  "getCrossBorderStickers",
  "getOrderLabels",
  "deleteOrderLabel",
  "setOrderSgtins",
  "setOrderUin",
  "setOrderImei",
  "setOrderGtin",
  "setOrderExpiration",
  "setOrderCustomsDeclaration",
  "createSupply",
  "listSupplies",
  "addOrdersToSupply",
  "getSupply",
  "deleteSupply",
  "getSupplyOrderIds",
  "deliverSupply",
  "getSupplyBarcode",
  "listShippingUnits",
  "addShippingUnits",
  "listPassOffices",
  "listPasses",
  "createPass"
])

/** Whether an operation is one of the orders' lane. */
export const isOfOrders = (operation: string): boolean => operations.has(operation)

/** Of what a request names: its path and its body. */
export const of = (sandbox: Service, operation: string, text: string, nowMs: number): ShopLook => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  const supplyId = /PLATFORM-GI-\d+/.exec(text)?.[0]
  const named =
    operation === "deliverSupply" && supplyId !== undefined
      ? Orders.inSupply(world, supplyId, nowMs)
      : Orders.known(world, (text.match(/\b4\d{9}\b/g) ?? []).map(Number), nowMs)
  return { supplyId, orders: named.map((order) => lookAt(world, order, nowMs)) }
}

const lookAt = (world: World, order: Order, nowMs: number): OrderLook => {
  const before = nowMs - looksBackMs
  const failingAt = (atMs: number) =>
    LabelChecks.details(world, order, atMs).filter(({ decision }) => LabelChecks.blocks(decision))
  const failing = failingAt(nowMs)
  return {
    orderId: order.id,
    from: order.supplyId,
    isSettled: (order.moved?.at ?? 0) <= before,
    isLeftOver: order.reshipment,
    isCancelled: isCancelled(Progress.platform(world, order, before).status),
    // A check may end between the look and the request.
    isFailing: failing.length > 0 || failingAt(before).length > 0,
    wasFailing:
      (order.moved?.at ?? 0) <= before &&
      failing.some(({ key }) => {
        const label = order.labels.get(key)
        const hasStood = label === undefined || label.setAt <= before
        return hasStood && LabelChecks.blocks(LabelChecks.detail(world, order, key, before).decision)
      })
  }
}

const isCancelled = (status: Progress.PlatformStatus): boolean =>
  Progress.isFinal(status) && status !== "sold"
