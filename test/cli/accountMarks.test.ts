/** What the status says of accounts beside their cycles. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Tracer from "effect/Tracer"
import { expect, it } from "vitest"
import * as AccountMarks from "../../src/cli/AccountMarks.js"
import { AccountName } from "../../src/domain/Ids.js"
import { TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as StoreMarks from "../../src/store/StoreMarks.js"
import * as TokenMemorySql from "../../src/store/TokenMemorySql.js"
import * as Fixture from "../store/Fixture.js"

const hour = 3_600_000
const store = TokenMemorySql.layer.pipe(Layer.provideMerge(Fixture.store({ filename: ":memory:" })))

/** Counts the statements of an effect. */
const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.tracer, (tracer) => {
    let statements = 0
    const counted: Tracer.Tracer = {
      ...tracer,
      context: tracer.context,
      span: (name, ...rest) => {
        if (name === "sql.execute") statements += 1
        return tracer.span(name, ...rest)
      }
    }
    return Effect.map(Effect.withTracer(effect, counted), (answer) => ({ answer, statements }))
  })

it("says of each account what stands, and asks the store as often for a thousand as for one", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const memory = yield* TokenMemory
      const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const refused = (account: string, operation: string, againAt: number) =>
        memory.refused({
          account: AccountName(account),
          operation,
          scope: "",
          status: 403,
          said: "no such right",
          tokenMark: "mark",
          firstAt: nowMs - hour,
          againAt
        })
      yield* refused("shop", "setBids", nowMs + hour)
      yield* refused("shop", "getStatistics", nowMs - 1)
      yield* refused("other", "listOrders", nowMs + hour)
      yield* StoreMarks.mark(sql, nowMs, "the store was restored")
      yield* StoreMarks.lift(sql, "other", nowMs, "me")
      const { answer, statements } = yield* counting(AccountMarks.read(sql))
      const accounts = ["shop", "other", ...Array.from({ length: 998 }, (_, i) => `shop-${i}`)]
      const said = accounts.map((account) => answer.switchedOff(account))
      expect(said[0]).toEqual([expect.stringContaining("setBids is switched off")])
      expect(said[1]).toEqual([expect.stringContaining("listOrders is switched off")])
      expect(said[2]).toEqual([])
      expect(answer.onlyLooks("shop")).toContain("the store was restored")
      expect(answer.onlyLooks("other")).toBeUndefined()
      expect(answer.onlyLooks("shop-1")).toContain("the store was restored")
      expect(statements).toBe(3)
    }).pipe(Effect.provide(store))
  ))
