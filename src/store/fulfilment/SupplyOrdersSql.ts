/** Stored orders of supplies in the SQL store: one row per account, supply and order, with its place. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OrderId, type SupplyId } from "../../domain/Ids.js"
import { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import * as Transaction from "../clients/Transaction.js"

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<SupplyOrders, never, SqlClient.SqlClient> = Layer.effect(
  SupplyOrders,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    list: (account, supplyId) =>
      Transaction.read(sql, "read the stored order of a supply", listed(sql, account, supplyId)),
    append: (account, supplyId, sorted, at) =>
      Transaction.run(sql, "store the order of a supply", function* () {
        const before = yield* listed(sql, account, supplyId)
        const known = new Set(before)
        const fresh = [...new Set(sorted)].filter((orderId) => !known.has(orderId))
        for (const [i, orderId] of fresh.entries())
          yield* Transaction.inside(sql`INSERT INTO supply_orders (account, supply_id, position, order_id, stored_at)
            VALUES (${account}, ${supplyId}, ${before.length + i + 1}, ${orderId}, ${Math.floor(at)})`)
        return [...before, ...fresh]
      })
  }))
)

const listed = (sql: SqlClient.SqlClient, account: string, supplyId: SupplyId) =>
  Effect.map(
    sql<{ readonly order_id: number }>`SELECT order_id FROM supply_orders
      WHERE account = ${account} AND supply_id = ${supplyId} ORDER BY position`,
    (rows) => rows.map(({ order_id }) => OrderId.make(Number(order_id)))
  )
