/** The facts of whole days in the SQL store: one compressed row per part, so that no text is held whole. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../domain/Days.js"
import { type Part, Snapshots } from "../../engine/planning/Snapshots.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import * as Packed from "../Packed.js"
import * as Believed from "../retention/Believed.js"

/** For how many days snapshots are kept unless the configuration says otherwise. */
const usualDays = 90

/** Needs a migrated store (`Migrations.layer`). Snapshots older than `keptDays` are forgotten; 0 keeps none at all. */
export const layer = (keptDays: number = usualDays): Layer.Layer<Snapshots, never, SqlClient.SqlClient> =>
  Layer.effect(
    Snapshots,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      keep: (account, { atMs, day }, parts) =>
        Effect.gen(function* () {
          // Before the transaction, which others wait for.
          const packed = keptDays === 0 ? [] : yield* pack(parts)
          yield* Transaction.run(sql, "keep the facts of the day", function* () {
            const at = Math.floor(atMs)
            const believed = keptDays === 0 ? day : Days.ofMarket(yield* Believed.instant(sql, at))
            yield* sql`DELETE FROM day_snapshots
                WHERE account = ${account} AND day <= ${Days.shift(believed < day ? believed : day, -keptDays)}`
            if (keptDays === 0) return
            const later = yield* sql`SELECT 1 FROM day_snapshots
                WHERE account = ${account} AND day = ${day} AND taken_at > ${at}`
            if (later.length > 0) return
            yield* sql`DELETE FROM day_snapshots WHERE account = ${account} AND day = ${day}`
            yield* sql`INSERT INTO day_snapshots (account, day, taken_at) VALUES (${account}, ${day}, ${at})`
            const rows = packed.map((part, position) => ({ account, day, position, ...part }))
            for (const [first, last] of spans(rows.length))
              yield* sql`INSERT INTO day_snapshot_parts ${sql.insert(rows.slice(first, last))}`
          })
        }),
      days: (account) =>
        Transaction.read(
          sql,
          "read which days' facts are kept",
          Effect.map(
            sql<{ day: string; taken_at: number }>`SELECT day, taken_at FROM day_snapshots
              WHERE account = ${account} ORDER BY day`,
            (rows) => rows.map(({ day, taken_at }) => ({ day: Days.Day(day), atMs: taken_at }))
          )
        ),
      first: (account, day) =>
        Transaction.read(
          sql,
          "read what is kept of the day",
          sql<Row>`SELECT name, payload FROM day_snapshot_parts
            WHERE account = ${account} AND day = ${day} AND position = 0`
        ).pipe(Effect.map(unpack)),
      read: (account, day) =>
        Transaction.read(
          sql,
          "read the facts of a day",
          sql<Row>`SELECT name, payload FROM day_snapshot_parts
            WHERE account = ${account} AND day = ${day} ORDER BY position`
        ).pipe(Effect.map(unpack))
    }))
  )

/**
 * Rows that one statement takes: as many at a time as halving them down to one leaves few statements to be compiled.
 */
const spans = (rows: number): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (let first = 0; first < rows; ) {
    const left = rows - first
    const size = left >= largest ? largest : 2 ** Math.floor(Math.log2(left))
    found.push([first, first + size])
    first += size
  }
  return found
}

const largest = 64

interface Row {
  readonly name: string
  readonly payload: Uint8Array
}

const pack = (parts: Iterable<Part>) =>
  Effect.try({
    try: () => Array.from(parts, ({ name, text }): Row => ({ name, payload: Packed.of(text) })),
    catch: (cause) => Failure.from("pack the facts of the day", cause)
  })

/** One day that cannot be unpacked must not hide the others: it is answered as no parts at all. */
const unpack = (rows: ReadonlyArray<Row>): ReadonlyArray<Part> => {
  try {
    return rows.map(({ name, payload }) => ({ name, text: Packed.text(payload) }))
  } catch {
    return []
  }
}
