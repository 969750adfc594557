/** `bidhelm orders cancel`: cancels orders, for good. The marketplace is asked first which of them may be. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrderId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as OrderCancellation from "../../engine/kinds/fulfilment/OrderCancellation.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { isLimit } from "../../services/MarketplaceError.js"
import * as Named from "../fulfilment/Named.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as Planning from "../plan/Planning.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { ofCall, stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session, PersonPlan.Choices {
  readonly orders: ReadonlyArray<string>
  readonly rules: Option.Option<string>
}

/** Sends nothing where one of them may not be cancelled. */
export const run = (asked: Asked) =>
  Effect.gen(function* () {
    const orders = yield* Named.orders(asked.orders)
    yield* PersonPlan.answerable(asked)
    const { again, chosen, rules, within } = yield* Planning.reach(asked, "orders-cancel")
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        const { before, open } = yield* standings(orders)
        for (const [by, some] of Object.entries(Arr.groupBy(before, (one) => one.by)))
          yield* Output.note(
            `${some.map(({ orderId }) => orderId).join(", ")}: cancelled already by the ${by}, left alone.`
          )
        yield* PersonPlan.run(
          "orders-cancel",
          chosen,
          {
            operation: "cancelOrder",
            wanted: wanted(open),
            question: `Cancel ${Plural.of(open.length, "order")} of ${chosen.name}, for good?`,
            again: { rules: again, wanted: Effect.map(standings(orders), (now) => wanted(now.open)) }
          },
          asked,
          before.map((one) => ({ ...one, why: "cancelled_already" }))
        )
      })
    )
  })

const wanted = (orders: ReadonlyArray<OrderId>): ReadonlyArray<Wanted> =>
  orders.map((orderId) => ({
    kind: OrderCancellation.name,
    action: "cancel",
    subject: { orderId },
    details: {},
    after: () => OrderCancellation.cancelled
  }))

/**
 * Those that are cancelled already, and those that may be; one that may not ends the command. A refused cancel costs ten requests,
 * and the marketplace says beforehand what may be cancelled (field note O11).
 */
const standings = (orders: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const statusesOf = Orders.make(yield* MarketplaceClient).statuses
    const { failures, values } = yield* ProgressBar.shown(statusesOf(orders))
    const limit = failures.find(({ error }) => isLimit(error))
    if (limit !== undefined) return yield* ofCall(limit.error, `nothing was sent: ${limit.error.message}`)
    const statuses = new Map(values.map((one) => [one.orderId, one]))
    const failed = new Map(
      failures.flatMap(({ error, keys }) => keys.map((id) => [id, error.message] as const))
    )
    const before: Array<{ readonly orderId: OrderId; readonly by: string }> = []
    const open: Array<OrderId> = []
    const unfit: Array<string> = []
    for (const orderId of orders) {
      const status = statuses.get(orderId)
      const by = status === undefined ? undefined : OrderRecords.cancelledBy(status)
      if (status === undefined)
        unfit.push(`order ${orderId}: ${failed.get(orderId) ?? "the marketplace does not know it"}`)
      else if (by !== undefined) before.push({ orderId, by })
      else if (status.cancellable === true) open.push(orderId)
      else
        unfit.push(
          `order ${orderId} cannot be cancelled ${status.cancellable === false ? "any more" : "as far as the marketplace says"} (${State.textOf(status.supplier) ?? "status unknown"})`
        )
    }
    if (unfit.length > 0)
      return yield* stop(1, `nothing was sent: ${unfit.join("; ")}. Leave out what cannot be cancelled`)
    return { before, open }
  })
