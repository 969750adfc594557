/** What the stories write of orders and supplies, each in the words of the ledger and of the journal. */
import { OrderId, SupplyId } from "../../../src/domain/Ids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type { OrderLook } from "../chaos/ShopLook.js"
import { changeOf, type Written } from "./Written.js"

const order = 4_101_000_001
const [one, other] = ["PLATFORM-GI-10000001", "PLATFORM-GI-10000002"]

/** An order that stands anywhere and lacks nothing, but for what is said. */
const look = (more: Partial<OrderLook> = {}): OrderLook => ({
  orderId: order,
  from: undefined,
  isSettled: true,
  isLeftOver: false,
  isCancelled: false,
  isFailing: false,
  wasFailing: false,
  ...more
})

const change = (policy: string, part: Partial<Change>): Change =>
  changeOf({ origin: { by: "policy", name: policy, line: 1 }, details: {}, ...part } as Partial<Change>)

/** An order goes into a supply, the first unless said. */
export const put = (more: Partial<OrderLook> = {}, policy = "assembles", supplyId: string = one): Written => {
  const subject = { orderId: OrderId.make(order) }
  const before = more.from ?? ""
  return {
    slot: "order",
    before: "new",
    after: "confirm",
    change: change(policy, {
      kind: "order_in_supply",
      action: "put_in_supply",
      subject,
      before,
      after: supplyId
    } as Partial<Change>),
    rowSlot: `order_in_supply:${order}`,
    operation: "addOrdersToSupply",
    url: `/supplies/${supplyId}/orders?order=${order}`,
    body: { orders: [order] },
    target: { orderId: order, supplyId },
    readBy: "getOrderStatuses",
    shop: { supplyId, orders: [look(more)] }
  }
}

/** The same order leaves the first supply for the second. */
export const move = (more: Partial<OrderLook> = {}): Written =>
  put({ from: one, ...more }, "assembles", other)

/** A supply is made. */
export const made = (name = "71001 2026-09-01 daily small #12345678"): Written => ({
  slot: "supply",
  before: null,
  after: "active",
  change: change("assembles", {
    kind: "supply_creation",
    action: "create_supply",
    subject: { supply: `new:${name}` },
    before: "",
    after: name
  } as Partial<Change>),
  rowSlot: `supply_creation:new:${name}`,
  operation: "createSupply",
  url: "/supplies",
  body: { name },
  target: { supplyId: one },
  readBy: "listSupplies"
})

/** The first supply is handed over, as its one order has it: the entry of the order, which the hand-over makes. */
export const handedOver = (more: Partial<OrderLook> = {}, policy = "assembles"): Written => ({
  slot: "order",
  before: "confirm",
  after: "complete",
  change: change(policy, {
    kind: "supply_delivery",
    action: "deliver",
    subject: { supply: SupplyId.make(one) },
    before: false,
    after: true
  } as Partial<Change>),
  rowSlot: `supply_delivery:${one}`,
  operation: "deliverSupply",
  url: `/supplies/${one}/deliver`,
  body: "",
  target: { orderId: order, supplyId: one },
  readBy: "getSupply",
  shop: { supplyId: one, orders: [look({ from: one, ...more })] }
})

/** The first supply is deleted, as nothing is in it. */
export const deleted = (policy = "assembles"): Written => ({
  slot: "supply",
  before: "active",
  after: "removed",
  change: change(policy, {
    kind: "supply_deletion",
    action: "delete_supply",
    subject: { supply: SupplyId.make(one) },
    before: true,
    after: false
  } as Partial<Change>),
  rowSlot: `supply_deletion:${one}`,
  operation: "deleteSupply",
  url: `/supplies/${one}`,
  body: "",
  target: { supplyId: one },
  readBy: "getSupply"
})

/** The order is cancelled by the seller. */
export const cancelled = (): Written => ({
  slot: "order",
  before: "new",
  after: "cancel",
  change: change("assembles", {
    kind: "order_cancellation",
    action: "cancel",
    subject: { orderId: OrderId.make(order) },
    before: "new",
    after: "cancel"
  } as Partial<Change>),
  rowSlot: `order_cancellation:${order}`,
  operation: "cancelOrder",
  url: `/orders/${order}/cancel`,
  body: "",
  target: { orderId: order },
  readBy: "getOrderStatuses",
  shop: { supplyId: undefined, orders: [look()] }
})

/** A pass is made. */
export const pass = (): Written => ({
  slot: "pass",
  before: null,
  after: { officeId: 15 },
  change: change("assembles", {
    kind: "pass_creation",
    action: "book_pass",
    subject: { pass: "15/А123ВС777" },
    before: 0,
    after: 1
  } as Partial<Change>),
  rowSlot: "pass_creation:15/А123ВС777",
  operation: "createPass",
  url: "/passes",
  body: { officeId: 15, carNumber: "А123ВС777" },
  target: { passId: 1 },
  readBy: "listPasses"
})
