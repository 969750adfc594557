import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { ForecastDay } from "../../src/engine/decide/forecasts/ForecastDay.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as StopsSql from "../../src/store/people/StopsSql.js"
import * as Fixture from "./Fixture.js"

const range = { low: 80_000, mean: 100_000, high: 120_000 }
const expected = { spendKopecks: range, orders: { low: 2, mean: 4.25, high: 8 } }

const forecast = (day: string, more: Partial<ForecastDay> = {}): ForecastDay => ({
  policy: "10-optimise",
  budget: "1000001",
  day,
  campaigns: [1_000_001],
  dailyKopecks: 300_000,
  changes: 3,
  before: expected,
  after: expected,
  standing: "2.xyz  1.abc",
  madeAtMs: 1_756_700_000_000,
  ...more
})

const outcome = { code: "stood", sent: 0.889 } as const
const realised = { spendKopecks: 101_200, orders: 5, revenueKopecks: 900_000 }

describe("what was expected of days", () => {
  it("survives a restart, for its account only, in the order of policies, budgets and days", () =>
    Fixture.inFolder((path) =>
      Effect.gen(function* () {
        const days = ["2026-09-02", "2026-09-01"].map((day) => forecast(day))
        const other = forecast("2026-09-01", { policy: "09-other", budget: "account" })
        yield* Effect.provide(
          Effect.flatMap(RuleMemory, (memory) => memory.keepForecasts("shop", [...days, other], [])),
          Fixture.store({ filename: `${path}/store.db` })
        )
        yield* Effect.provide(
          Effect.gen(function* () {
            const { forecasts } = yield* RuleMemory
            expect(yield* forecasts("shop", undefined, "2026-01-01")).toEqual([other, days[1], days[0]])
            expect(yield* forecasts("shop", ["10-optimise"], "2026-09-02")).toEqual([days[0]])
            expect(yield* forecasts("shop", [], "2026-01-01")).toEqual([])
            expect(yield* forecasts("other", undefined, "2026-01-01")).toEqual([])
          }),
          Fixture.store({ filename: `${path}/store.db` })
        )
      })
    ))

  it("stays what the first plan of the day said, and takes what is found of it; the latest statistics hold", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const { forecasts, keepForecasts } = yield* RuleMemory
        const name = { policy: "10-optimise", budget: "1000001", day: "2026-09-01" }
        yield* keepForecasts("shop", [forecast("2026-09-01")], [])
        yield* keepForecasts("shop", [forecast("2026-09-01", { changes: 99 })], [])
        yield* keepForecasts("shop", [], [{ ...name, outcome }])
        yield* keepForecasts("shop", [], [{ ...name, realised: { spendKopecks: 1, orders: 0 } }])
        yield* keepForecasts("shop", [], [{ ...name, outcome: { code: "bids_moved" }, realised }])
        yield* keepForecasts("shop", [], [{ ...name, day: "2026-08-01", realised }])
        expect(yield* forecasts("shop", undefined, "2026-01-01")).toEqual([
          { ...forecast("2026-09-01"), outcome, realised, standing: "" }
        ])
      })
    ))

  it("is forgiven by a person for the budgets named, which the audit chain tells", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const { forecasts, keepForecasts } = yield* RuleMemory
        const { forgiveForecasts } = yield* Holdings
        const sql = yield* SqlClient.SqlClient
        yield* keepForecasts("shop", [forecast("2026-09-01"), forecast("2026-09-01", { budget: "2" })], [])
        yield* forgiveForecasts("shop", [{ policy: "10-optimise", budget: "2" }], "anna", 7_000)
        const kept = yield* forecasts("shop", undefined, "2026-01-01")
        expect(kept.map(({ budget, forgivenAtMs }) => [budget, forgivenAtMs])).toEqual([
          ["1000001", undefined],
          ["2", 7_000]
        ])
        expect(yield* sql`SELECT who, what, after_value FROM audit WHERE account = 'shop'`).toEqual([
          {
            who: "anna",
            what: "missed forecasts forgiven",
            after_value: '[{"policy":"10-optimise","budget":"2"}]'
          }
        ])
      }).pipe(Effect.provide(StopsSql.layer))
    ))
})
