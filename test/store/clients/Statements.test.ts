import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import { expect, it } from "vitest"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"

/** What a client answers, and the spans that it opens meanwhile. */
const traced = <A>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
  Effect.gen(function* () {
    const spans: Array<string> = []
    const tracer = yield* Effect.tracer
    const noting: Tracer.Tracer = {
      ...tracer,
      context: tracer.context,
      span: (name, ...rest) => {
        spans.push(name)
        return tracer.span(name, ...rest)
      }
    }
    const answer = yield* Effect.withTracer(work(yield* SqlClient.SqlClient), noting)
    return { answer, spans }
  }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })), Effect.runPromise)

it("a statement opens a span of its own, unless a transaction is around it", async () => {
  const { spans } = await traced((sql) =>
    Effect.zipRight(sql`SELECT 1`, sql.withTransaction(Effect.zipRight(sql`SELECT 1`, sql`SELECT 2`)))
  )
  expect(spans).toEqual(["sql.execute", "sql.transaction"])
})

it("what a transaction wrote is taken back with it, and what is written in one stays", async () => {
  const { answer } = await traced((sql) =>
    Effect.gen(function* () {
      yield* sql`CREATE TABLE notes (n INTEGER PRIMARY KEY)`
      const writing = (n: number) => sql`INSERT INTO notes (n) VALUES (${n})`
      yield* Effect.either(sql.withTransaction(Effect.zipRight(writing(1), Effect.fail("changed my mind"))))
      yield* sql.withTransaction(Effect.zipRight(writing(2), sql.withTransaction(writing(3))))
      const few = sql.and([sql`n > ${1}`, sql.in("n", [1, 2, 3])])
      return yield* sql<{ n: number }>`SELECT n FROM notes WHERE ${few} ORDER BY n`
    })
  )
  expect(answer).toEqual([{ n: 2 }, { n: 3 }])
})
