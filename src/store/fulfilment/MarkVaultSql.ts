/** Marks of orders in the SQL store: the only column that holds any. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Marks, MarkVault, waitsMs } from "../../services/ports/MarkVault.js"
import * as Transaction from "../clients/Transaction.js"
import * as Believed from "../retention/Believed.js"

/** An order is at its buyer's by then, and nobody takes its marks back. */
const forgottenAfterMs = 90 * 86_400_000

/** More orders than this are read in several statements: SQLite bounds the parameters of one. */
const rowsPerStatement = 500

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<MarkVault, never, SqlClient.SqlClient> = Layer.effect(
  MarkVault,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    keep: (account, marks) =>
      Transaction.run(sql, "keep the marks of orders", function* () {
        const nowMs = yield* Clock.currentTimeMillis
        for (const { fingerprint, key, marks: secret, orderId } of marks)
          yield* sql`INSERT INTO order_marks (account, order_id, mark_key, fingerprint, marks, kept_at)
              VALUES (${account}, ${orderId}, ${key}, ${fingerprint}, ${JSON.stringify(Redacted.value(secret))}, ${nowMs})
              ON CONFLICT (account, order_id, mark_key, fingerprint) DO UPDATE SET kept_at = excluded.kept_at`
        const before = (yield* Believed.instant(sql, nowMs)) - forgottenAfterMs
        yield* sql`DELETE FROM order_marks WHERE account = ${account} AND kept_at < ${before}`
      }),
    keepSeen: (account, marks) =>
      Transaction.run(sql, "keep the marks of orders", function* () {
        const keptAt = (yield* Clock.currentTimeMillis) - waitsMs - 1
        for (const { fingerprint, key, marks: secret, orderId } of marks)
          yield* sql`INSERT INTO order_marks (account, order_id, mark_key, fingerprint, marks, kept_at)
              VALUES (${account}, ${orderId}, ${key}, ${fingerprint}, ${JSON.stringify(Redacted.value(secret))}, ${keptAt})
              ON CONFLICT (account, order_id, mark_key, fingerprint) DO UPDATE SET kept_at = excluded.kept_at`
      }),
    since: (account, sinceMs) =>
      Transaction.read(
        sql,
        "read the marks of orders",
        Effect.map(
          sql<Row>`SELECT order_id, mark_key, fingerprint, marks FROM order_marks
            WHERE account = ${account} AND kept_at >= ${Math.floor(sinceMs)}
            ORDER BY kept_at, order_id, mark_key, fingerprint`,
          (rows) => rows.map(kept)
        )
      ),
    of: (account, orderIds) =>
      Transaction.read(
        sql,
        "read the marks of orders",
        Effect.map(
          Effect.forEach(
            Arr.chunksOf(new Set(orderIds), rowsPerStatement),
            (part) => sql<Row>`SELECT order_id, mark_key, fingerprint, marks FROM order_marks
              WHERE account = ${account} AND ${sql.in("order_id", part)} ORDER BY order_id, mark_key, fingerprint`
          ),
          (rows) => rows.flat().map(kept)
        )
      )
  }))
)

interface Row {
  readonly order_id: number
  readonly mark_key: string
  readonly fingerprint: string
  readonly marks: string
}

const kept = ({ fingerprint, mark_key, marks, order_id }: Row): Marks => ({
  orderId: Number(order_id),
  key: mark_key,
  fingerprint,
  marks: Redacted.make(JSON.parse(marks) as ReadonlyArray<string>)
})
