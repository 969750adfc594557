/** Stored orders of supplies in the SQL store: one row per account, supply and order, with its place. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Groups from "../../domain/Groups.js"
import { OrderId } from "../../domain/Ids.js"
import { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import * as Transaction from "../clients/Transaction.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<SupplyOrders, never, SqlClient.SqlClient> = Layer.effect(
  SupplyOrders,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    list: (account, supplyId) =>
      Transaction.read(sql, "read the stored order of a supply", listed(sql, account, supplyId)),
    append: (account, supplyId, sorted, at) =>
      Transaction.run(
        sql,
        "store the order of a supply",
        append(sql, account, supplyId, sorted, () => at)
      )
  }))
)

const append = (
  sql: SqlClient.SqlClient,
  account: string,
  supplyId: string,
  sorted: ReadonlyArray<OrderId>,
  atOf: (orderId: OrderId) => number
) =>
  Effect.gen(function* () {
    const before = yield* listed(sql, account, supplyId)
    const known = new Set(before)
    const fresh = [...new Set(sorted)].filter((orderId) => !known.has(orderId))
    for (const [i, orderId] of fresh.entries())
      yield* sql`INSERT INTO supply_orders (account, supply_id, position, order_id, stored_at)
        VALUES (${account}, ${supplyId}, ${before.length + i + 1}, ${orderId}, ${Math.floor(atOf(orderId))})`
    return [...before, ...fresh]
  })

/** A row of `supply_orders` without its place. */
export interface PlaceRow {
  readonly account: string
  readonly supply_id: string
  readonly order_id: number
  readonly stored_at: number
}

/** Orders of supplies of all accounts stored since an instant, and in the last days that any were, in their places; in both databases' words. */
export const since = (sinceMs: number, days: number): string =>
  `SELECT account, supply_id, order_id, stored_at FROM supply_orders
  WHERE stored_at >= ${sinceMs} OR stored_at >= (SELECT MAX(stored_at) FROM supply_orders) - ${days * 86_400_000}
  ORDER BY account, supply_id, position`

/** Takes over the order of supplies from the store that this one takes the place of. Call it in a transaction. */
export const keep = (sql: SqlClient.SqlClient, rows: ReadonlyArray<PlaceRow>) =>
  Effect.forEach(
    Groups.by(rows, (row) => JSON.stringify([row.account, row.supply_id])).values(),
    (places) => {
      const storedAt = new Map(
        places.map((row) => [OrderId.make(Number(row.order_id)), Number(row.stored_at)])
      )
      const { account, stored_at: at, supply_id: supplyId } = places[0]
      return append(sql, account, supplyId, [...storedAt.keys()], (orderId) => storedAt.get(orderId) ?? at)
    },
    { discard: true }
  )

const listed = (sql: SqlClient.SqlClient, account: string, supplyId: string) =>
  Effect.map(
    sql<{ readonly order_id: number }>`SELECT order_id FROM supply_orders
      WHERE account = ${account} AND supply_id = ${supplyId} ORDER BY position`,
    (rows) => rows.map(({ order_id }) => OrderId.make(Number(order_id)))
  )
