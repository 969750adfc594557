/** Seed 000 "Label identifiers". Values are taken at once and looked up later; see `shop/LabelChecks.ts`. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Faults from "../Faults.js"
import * as Moscow from "../Moscow.js"
import * as LabelChecks from "../shop/LabelChecks.js"
import * as Orders from "../shop/Orders.js"
import type { LabelKey, Order } from "../shop/State.js"

type Answered = Either.Either<Answer.Answer, Refusal>

export const handlers: Call.Handlers<
  | "getOrderLabels"
  | "deleteOrderLabel"
  | "setOrderSgtins"
  | "setOrderUin"
  | "setOrderImei"
  | "setOrderGtin"
  | "setOrderExpiration"
  | "setOrderCustomsDeclaration"
> = {
  /** Unknown orders are missing; 404 where all are unknown. */
  getOrderLabels: (call) => {
    const orders = Orders.known(call.world, call.payload.orders, call.nowMs)
    if (orders.length === 0) return Either.left(refuseCode(404, "NotFound", "no such orders"))
    const rows = orders.map((order) => ({
      id: order.id,
      metaDetails: LabelChecks.details(call.world, order, call.nowMs)
    }))
    return Either.right(Answer.json({ orders: rows }))
  },

  deleteOrderLabel: (call) => {
    const { key } = call.query
    const order = Orders.find(call.world, call.path.orderId, call.nowMs)
    const refused = order === undefined ? cannot("the order does not exist") : unready(call, order)
    if (order === undefined || refused !== undefined) return Either.left(refused ?? cannot("no order"))
    if (!LabelChecks.exposes(order, key)) return Either.left(cannot(`the order has no ${key}`))
    const before = LabelChecks.remove(order, key, call.nowMs)
    record(call, order, key, before, [])
    return Either.right(Answer.empty(204))
  },

  setOrderSgtins: (call) => set(call, call.path.orderId, "sgtin", call.payload.sgtins),
  setOrderUin: (call) => set(call, call.path.orderId, "uin", [call.payload.uin]),
  setOrderImei: (call) => set(call, call.path.orderId, "imei", [call.payload.imei]),
  setOrderGtin: (call) => set(call, call.path.orderId, "gtin", [call.payload.gtin]),

  setOrderExpiration: (call) => {
    const { expiration } = call.payload
    const [day, month, year] = expiration.split(".")
    const expires = Moscow.parseDay(`${year}-${month}-${day}`)
    if (expires === undefined)
      return Either.left(refuseCode(400, "IncorrectParameter", `${expiration} is no date`))
    return expires < Moscow.dayOf(call.nowMs) + leastDaysLeft
      ? Either.left(
          refuseCode(400, "LowExpirationDate", `the date must be at least ${leastDaysLeft} days ahead`)
        )
      : set(call, call.path.orderId, "expiration", [expiration])
  },

  setOrderCustomsDeclaration: (call) =>
    set(call, call.path.orderId, "customsDeclaration", [call.payload.customsDeclaration])
}

/** By the marketplace's date, which is Moscow's (field note O17). */
const leastDaysLeft = 30

/** Only three of the operations document 404; the others say that the record cannot take the value. */
const withNotFound: ReadonlySet<LabelKey> = new Set(["sgtin", "expiration", "customsDeclaration"])

const set = (call: Call.Context, orderId: number, key: LabelKey, values: ReadonlyArray<string>): Answered => {
  const order = Orders.find(call.world, orderId, call.nowMs)
  if (order === undefined)
    return Either.left(
      withNotFound.has(key)
        ? refuseCode(404, "NotFound", `order ${orderId} does not exist`)
        : cannot(`order ${orderId} does not exist`)
    )
  if (!LabelChecks.exposes(order, key))
    return Either.left(refuseCode(409, "MetaKeyNotRequired", `order ${orderId} takes no ${key}`))
  const refused = unready(call, order)
  if (refused !== undefined) return Either.left(refused)
  const before = LabelChecks.set(call.world, order, key, values, call.nowMs, checkOf(call, order))
  record(call, order, key, before, values)
  return Either.right(Answer.empty(204))
}

/** How the check goes where a fault says so. */
const checkOf = (call: Call.Context, order: Order) => {
  const fault = Faults.ofShop(call.faults, call.operation, "labelCheck").find((one) =>
    Faults.strikes(call.world.seed, one, order.id)
  )
  return {
    ...(fault?.ms === undefined ? {} : { checkMs: fault.ms }),
    ...(fault?.decision === undefined ? {} : { verdict: fault.decision })
  }
}

const unready = (call: Call.Context, order: Order): Refusal | undefined =>
  Orders.status(call.world, order, call.nowMs) === "confirm"
    ? undefined
    : cannot(`order ${order.id} is not in assembly`)

const cannot = (text: string): Refusal => refuseCode(409, "FailedToUpdateMeta", text)

const record = (
  call: Call.Context,
  order: Order,
  labelKey: LabelKey,
  before: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): void =>
  Call.record(call, {
    slot: "label",
    target: { orderId: order.id, labelKey },
    before,
    after,
    effectiveAt: call.nowMs
  })
