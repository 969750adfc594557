import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as DepositMemory from "../../src/store/accounts/DepositMemory.js"
import * as Fixture from "./Fixture.js"

const on = <A, E>(story: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, story).pipe(Effect.provide(Fixture.store({ filename: ":memory:" })))
  )

describe("how far back a store knows an account's deposits", () => {
  it("begins when it meets the account, of each by itself, and does not move", () =>
    on((sql) =>
      Effect.gen(function* () {
        expect(yield* DepositMemory.read(sql, "a", 1000)).toEqual({ sinceMs: 1000 })
        expect(yield* DepositMemory.read(sql, "a", 9000)).toEqual({ sinceMs: 1000 })
        expect(yield* DepositMemory.read(sql, "b", 9000)).toEqual({ sinceMs: 9000 })
      })
    ))

  it("reaches back to the first run of a store from before there were such marks", () =>
    on((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO plans (plan_id, account, created_at, plan) VALUES ('p', 'a', 'x', ${new Uint8Array()})`
        yield* sql`INSERT INTO runs (run_id, account, lane, plan_id, approved_by, status, started_at, counts)
          VALUES ('r', 'a', 'ads', 'p', 'anna', 'done', 500, '{}')`
        expect(yield* DepositMemory.read(sql, "a", 9000)).toEqual({ sinceMs: 500 })
      })
    ))

  it("is replaced by a person's word, until it begins anew", () =>
    on((sql) =>
      Effect.gen(function* () {
        yield* DepositMemory.read(sql, "a", 1000)
        yield* DepositMemory.allow(sql, "a", "anna", 1500)
        expect(yield* DepositMemory.read(sql, "a", 2000)).toEqual({ sinceMs: 1000, allowedAtMs: 1500 })
        yield* DepositMemory.begin(sql, "a", 5000, "the serial file was gone")
        expect(yield* DepositMemory.read(sql, "a", 6000)).toEqual({ sinceMs: 5000, allowedAtMs: 1500 })
      })
    ))
})
