/** The records of orders that are known by their number alone: the latest windows of the list first, until all are found. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as Days from "../../domain/Days.js"
import type { OrderId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Progress from "../../domain/Progress.js"
import type { Order } from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import type { Client } from "../../services/MarketplaceClient.js"

/** Orders are listed for three months (seed 000); they are looked for in the days before their supply first. */
const looks = [7, 36, 65, 93]

/** Their records by id, and a note where some are missing. `createdAtMs` is that of the supply that holds them, epoch milliseconds. */
export const find = (client: Client, orderIds: ReadonlyArray<OrderId>, createdAtMs: number | undefined) =>
  Effect.gen(function* () {
    const orders = Orders.make(client)
    const nowMs = yield* Clock.currentTimeMillis
    const oldest = nowMs - 92 * Days.dayMs
    const from = Math.min(createdAtMs ?? nowMs, nowMs)
    const missing = new Set(orderIds)
    const found = new Map<OrderId, Order>()
    let to = nowMs
    for (const days of looks) {
      if (missing.size === 0 || to <= oldest) break
      const since = Math.max(from - days * Days.dayMs, oldest)
      const listed = yield* Effect.either(
        Stream.runForEach(orders.between(since, to), (order) =>
          Effect.sync(() => {
            if (missing.delete(order.orderId)) found.set(order.orderId, order)
          })
        )
      )
      yield* Progress.report({ stage: "listOrders", done: found.size, total: orderIds.length })
      if (Either.isLeft(listed))
        return {
          found,
          notes: [
            `what the orders are of is not known for ${Plural.of(missing.size, "order")}: ${listed.left.message}`
          ]
        }
      to = since
    }
    return {
      found,
      notes:
        missing.size === 0
          ? []
          : [
              `${Plural.of(missing.size, "order")} ${Plural.choose(missing.size, "is", "are")} in no list of orders: article, size and basket are not known`
            ]
    }
  })
