/** Runs of several accounts that begin at once on one PostgreSQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { afterAll, expect, it } from "vitest"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import { change, migrated, postgres, rows, run } from "./Fixture.js"
import * as Postgres from "./Postgres.js"

afterAll(Postgres.end)

it("a run of many changes is recorded in few statements, so that other runners do not disturb it", async () => {
  const url = await migrated()
  const statements = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let asked = 0
    const counted = new Proxy(sql, {
      apply: (made, self, words) => {
        if (/^\s*(INSERT|SELECT|UPDATE)/.test(String(words[0]))) asked++
        return Reflect.apply(made, self, words)
      }
    })
    const begun = Effect.gen(function* () {
      const all = rows(Array.from({ length: 160 }, (_, n) => change(n)))
      yield* (yield* Journal).begin(run(), all)
    })
    yield* Effect.provide(begun, JournalSql.layer).pipe(Effect.provideService(SqlClient.SqlClient, counted))
    return asked
  }).pipe(Effect.provide(postgres(url)))
  expect(await Effect.runPromise(statements)).toBeLessThan(20)
})
