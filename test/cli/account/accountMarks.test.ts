/** What the status says of accounts beside their cycles. */
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Tracer from "effect/Tracer"
import { expect, it } from "vitest"
import * as AccountMarks from "../../../src/cli/account/AccountMarks.js"
import { AccountName } from "../../../src/domain/Ids.js"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import { TokenMemory } from "../../../src/services/ports/TokenMemory.js"
import * as TokenMemorySql from "../../../src/store/accounts/TokenMemorySql.js"
import * as StoreMarks from "../../../src/store/audit/StoreMarks.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Fixture from "../../store/Fixture.js"

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

const hold = (account: string, kind: "kill" | "account" | "policy", more = {}) => ({
  account,
  kind,
  what: kind === "policy" ? "01-raise" : "",
  since: 10 * hour,
  by: "anna",
  ...more
})

/** What stands of the named accounts at 12:00, of a store in which these holds were placed. */
const standing = (names: ReadonlyArray<string>, holds: ReadonlyArray<ReturnType<typeof hold>>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const path = join(yield* Fixture.folder, "store.sqlite")
        yield* Effect.gen(function* () {
          const { place } = yield* Holdings
          for (const one of holds) yield* place(one)
        }).pipe(Effect.provide(StopsSql.layer.pipe(Layer.provide(Fixture.store({ filename: path })))))
        const accounts = names.map((name) => ({
          name,
          token: { _tag: "Environment", name: "TOKEN" } as const,
          tokenKind: undefined,
          sandbox: false
        }))
        return yield* AccountMarks.stops({ store: { _tag: "Sqlite", path }, accounts }, 12 * hour)
      })
    )
  )

it("tells kill switches and holds of whole accounts that stand, with the command that lifts each", async () => {
  const holds = [
    hold("shop", "kill", { why: "bids look wrong" }),
    hold("shop", "policy"),
    hold("other", "account", { until: 13 * hour }),
    hold("other", "kill", { until: 11 * hour }),
    hold("gone", "kill")
  ]
  const stood = { since: 10 * hour, by: "anna" }
  const kill = { account: "shop", kind: "kill", ...stood, why: "bids look wrong" }
  expect(await standing(["shop", "other"], holds)).toEqual([
    {
      account: "other",
      kind: "account",
      ...stood,
      until: 13 * hour,
      resume: "bidhelm resume --account other"
    },
    { ...kill, resume: "bidhelm resume --kill --account shop" }
  ])
  expect(await standing(["shop"], holds)).toEqual([{ ...kill, resume: "bidhelm resume --kill" }])
})

it("fails where the holds cannot be read, and does not tell of none", async () => {
  const store = { _tag: "Sqlite", path: "/nowhere/store.sqlite" } as const
  const error = await Effect.runPromise(Effect.flip(AccountMarks.stops({ store, accounts: [] }, 0)))
  expect(error.message).toContain("the store")
})
