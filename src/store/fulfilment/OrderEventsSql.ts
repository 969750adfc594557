/** What happened to orders in the SQL store: one row per account, order, instant and kind. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OrderId } from "../../domain/Ids.js"
import * as TextOrder from "../../domain/TextOrder.js"
import { type Kind, kinds, type OrderEvent, OrderEvents } from "../../services/ports/OrderEvents.js"
import * as Transaction from "../clients/Transaction.js"

/** More orders than this are read in several statements: SQLite bounds the parameters of one. */
const rowsPerStatement = 500

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<OrderEvents, never, SqlClient.SqlClient> = Layer.effect(
  OrderEvents,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    record: (account, events) =>
      Transaction.run(sql, "write down what happened to orders", function* () {
        for (const { at, detail, kind, orderId } of events)
          yield* sql`INSERT INTO order_events (account, order_id, at, kind, detail)
            VALUES (${account}, ${orderId}, ${Math.floor(at)}, ${kind}, ${JSON.stringify(detail)})
            ON CONFLICT (account, order_id, at, kind) DO NOTHING`
      }),
    of: (account, orders) =>
      Transaction.read(
        sql,
        "read what happened to orders",
        Effect.map(
          Effect.forEach(
            Arr.chunksOf(new Set(orders), rowsPerStatement),
            (part) => sql<Row>`SELECT order_id, at, kind, detail FROM order_events
              WHERE account = ${account} AND ${sql.in("order_id", part)}`
          ),
          (rows) => rows.flat().flatMap(event).sort(earliest)
        )
      )
  }))
)

/** A row of `order_events`. */
export interface EventRow extends Row {
  readonly account: string
}

/** What happened to orders of all accounts since an instant, and in the last days that anything did; in SQLite's words and PostgreSQL's alike. */
export const since = (sinceMs: number, days: number): string =>
  `SELECT account, order_id, at, kind, detail FROM order_events
  WHERE at >= ${sinceMs} OR at >= (SELECT MAX(at) FROM order_events) - ${days * 86_400_000}`

/** Takes over what the store that this one takes the place of knew of orders. Call it in a transaction. */
export const keep = (sql: SqlClient.SqlClient, rows: ReadonlyArray<EventRow>) =>
  Effect.forEach(
    rows,
    ({ account, at, detail, kind, order_id }) =>
      sql`INSERT INTO order_events (account, order_id, at, kind, detail)
        VALUES (${account}, ${order_id}, ${at}, ${kind}, ${detail})
        ON CONFLICT (account, order_id, at, kind) DO NOTHING`,
    { discard: true }
  )

interface Row {
  readonly order_id: number
  readonly at: number
  readonly kind: string
  readonly detail: string
}

/** Written by this program alone; an event of a later program's kind is left out. */
const event = ({ at, detail, kind, order_id }: Row): ReadonlyArray<OrderEvent> => {
  if (!isKind(kind)) return []
  const read = JSON.parse(detail) as OrderEvent["detail"]
  return [{ orderId: OrderId.make(Number(order_id)), at: Number(at), kind, detail: read }]
}

const isKind = (text: string): text is Kind => kinds.some((kind) => kind === text)

/** By instant; what happened at once, in the order of the way. */
const earliest = (a: OrderEvent, b: OrderEvent): number =>
  a.at - b.at ||
  TextOrder.compare(a.orderId, b.orderId) ||
  TextOrder.compare(kinds.indexOf(a.kind), kinds.indexOf(b.kind))
