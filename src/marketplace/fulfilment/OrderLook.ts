/** The records of orders that are known by their number alone: the latest windows of the list first, until enough are found. */
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
import type { CallError } from "../../services/MarketplaceError.js"

/** Orders are listed for three months (seed 000); they are looked for in the days before their supply first. */
const looks = [7, 36, 65, 93]

export interface Found {
  readonly found: ReadonlyMap<OrderId, Order>
  /** Why the look ended before its end. */
  readonly failure: CallError | undefined
  /** What a person should know where some are missing. */
  readonly notes: ReadonlyArray<string>
}

/**
 * Asks for no page more once all are found, or `isEnough` of them. `createdAtMs` is that of the supply that holds them, epoch
 * milliseconds.
 */
export const find = (
  client: Client,
  orderIds: ReadonlyArray<OrderId>,
  createdAtMs: number | undefined,
  isEnough: (found: ReadonlyMap<OrderId, Order>) => boolean = () => false
): Effect.Effect<Found> =>
  Effect.gen(function* () {
    const orders = Orders.make(client)
    const nowMs = yield* Clock.currentTimeMillis
    const oldest = nowMs - 92 * Days.dayMs
    const from = Math.min(createdAtMs ?? nowMs, nowMs)
    const missing = new Set(orderIds)
    const found = new Map<OrderId, Order>()
    const isDone = () => missing.size === 0 || isEnough(found)
    let to = nowMs
    for (const days of looks) {
      if (isDone() || to <= oldest) break
      const since = Math.max(from - days * Days.dayMs, oldest)
      const listed = yield* orders.between(since, to).pipe(
        Stream.takeUntil((order) => {
          if (!missing.delete(order.orderId)) return false
          found.set(order.orderId, order)
          return isDone()
        }),
        Stream.runDrain,
        Effect.either
      )
      yield* Progress.report({ stage: "listOrders", done: found.size, total: orderIds.length })
      if (Either.isLeft(listed))
        return {
          found,
          failure: listed.left,
          notes: [
            `what the orders are of is not known for ${Plural.of(missing.size, "order")}: ${listed.left.message}`
          ]
        }
      to = since
    }
    return {
      found,
      failure: undefined,
      notes:
        missing.size === 0
          ? []
          : [
              `${Plural.of(missing.size, "order")} ${Plural.choose(missing.size, "is", "are")} in no list of orders: article, size and basket are not known`
            ]
    }
  })

/** The warehouse of orders that are in one supply: any that was found tells it. */
export const houseOf = (found: Found["found"], orderIds: ReadonlyArray<OrderId>): number | undefined =>
  orderIds.map((orderId) => found.get(orderId)?.warehouseId).find((house) => house !== undefined)
