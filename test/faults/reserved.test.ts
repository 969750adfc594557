/** A connection that the cluster's library reserves on a real PostgreSQL: it sends several statements at once over it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { afterAll, describe, expect, it } from "vitest"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Postgres from "../store/Postgres.js"

afterAll(Postgres.end)

const reserving = async <A>(
  work: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown, never>
): Promise<A> => {
  const url = await (await Postgres.shared()).fresh()
  return Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, work).pipe(
      Effect.provide(PgClient.plain({ url, password: Redacted.make(Postgres.password) }))
    )
  )
}

describe("a reserved connection", () => {
  it("gets one statement at a time, so that the driver warns of nothing", async () => {
    const warnings: Array<Error> = []
    const heard = (warning: Error) => warnings.push(warning)
    process.on("warning", heard)
    const rows = await reserving((sql) =>
      Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) =>
          Effect.forEach([1, 2, 3, 4, 5], (n) => connection.executeValues(`SELECT ${n}`, []), {
            concurrency: "unbounded"
          })
        )
      )
    )
    await new Promise((wake) => setImmediate(wake))
    process.off("warning", heard)
    expect(rows).toEqual([[[1]], [[2]], [[3]], [[4]], [[5]]])
    expect(warnings).toEqual([])
  })

  it("goes on with a statement though one behind it is given up", async () => {
    const exit = await reserving((sql) =>
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* sql.reserve
          const first = yield* Effect.fork(connection.executeValues("SELECT 'done' FROM pg_sleep(2)", []))
          yield* Effect.sleep("300 millis")
          const second = yield* Effect.fork(connection.executeValues("SELECT 2", []))
          yield* Effect.sleep("100 millis")
          yield* Fiber.interrupt(second)
          return yield* Fiber.await(first)
        })
      )
    )
    expect(exit).toEqual(Exit.succeed([["done"]]))
  })
})
