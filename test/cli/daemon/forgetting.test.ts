import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import * as Running from "../../../src/cli/daemon/Running.js"
import { RuleMemory } from "../../../src/engine/planning/RuleMemory.js"
import { inMemory, plan } from "../../store/Fixture.js"

const day = 86_400_000

const at = (ms: number) => Effect.zipRight(TestClock.setTime(ms), Running.forgetWhenDue(undefined))

const believed = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ at: number }>`SELECT at FROM store_marks WHERE name = 'purged'`, ([mark]) =>
    mark === undefined ? undefined : Number(mark.at) / day
  )
)

describe("a program that is started again and again", () => {
  it("forgets what is old, once a day", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* (yield* RuleMemory).savePlan({ ...plan, createdAt: "1970-01-02T00:00:00.000Z" })
        const first = yield* Effect.zipRight(at(500 * day), believed)
        const plans = yield* (yield* SqlClient.SqlClient)`SELECT 1 FROM plans`
        const soon = yield* Effect.zipRight(at(501 * day - 1), believed)
        const next = yield* Effect.zipRight(at(501 * day), believed)
        return { first, plans: plans.length, soon, next }
      }).pipe(Effect.provide(TestContext.TestContext))
    )
    expect(found).toEqual({ first: 500, plans: 0, soon: 500, next: 501 })
  })

  it("does not catch up by being started often: two days more at most from one day to the next", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* at(500 * day)
        for (let n = 0; n < 20; n++) yield* at(865 * day + n * 300_000)
        const ahead = yield* believed
        yield* at(866 * day)
        const nextDay = yield* believed
        yield* at(501 * day)
        return { ahead, nextDay, right: yield* believed }
      }).pipe(Effect.provide(TestContext.TestContext))
    )
    expect(found).toEqual({ ahead: 502, nextDay: 504, right: 501 })
  })

  it("goes on from what an earlier version noted", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO store_marks (name, account, at, detail) VALUES ('purged', '', ${500 * day}, '')`
        const same = yield* Effect.zipRight(at(500 * day + 1), believed)
        return [same, yield* Effect.zipRight(at(501 * day), believed)]
      }).pipe(Effect.provide(TestContext.TestContext))
    )
    expect(found).toEqual([500, 501])
  })

  it("ends its work though the store cannot forget", () =>
    inMemory(
      Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient)`DROP TABLE store_marks`
        yield* at(500 * day)
      }).pipe(Effect.provide(TestContext.TestContext))
    ))
})
