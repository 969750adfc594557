/** One runner on one SQLite file: a due time is run once, across restarts. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { AccountLane } from "../../src/domain/Lane.js"
import * as Retention from "../../src/runtime/Retention.js"
import * as SellerAccount from "../../src/runtime/SellerAccount.js"
import * as Single from "../../src/runtime/Single.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Accounts from "./Accounts.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-single-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A runner's life: everything is opened and closed again, as in a process of its own. */
const life = (takesMs: number, wake?: (where: AccountLane) => Effect.Effect<void>) => {
  const store = SqliteClient.layer({ filename: join(folder, "store.sqlite") })
  return SellerAccount.layer("one").pipe(
    Layer.provide(Accounts.layer("one", takesMs, wake)),
    Layer.provideMerge(Single.layer()),
    Layer.provideMerge(Layer.effectDiscard(Accounts.table)),
    Layer.provideMerge(store)
  )
}

const live = <A, E>(use: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof life>>>, takesMs = 0) =>
  Effect.runPromise(Effect.provide(use, life(takesMs)))

const due = { job: "01-raise", dueAt: 1_700_000_000_000 }

describe("a single runner", () => {
  it("runs a due time once, however often and from wherever it is sent", async () => {
    const ask = Effect.gen(function* () {
      const accounts = yield* SellerAccount.client
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => accounts.run({ account: "shop", lane: "ads" }, due)),
        { concurrency: "unbounded" }
      )
      expect(answers).toEqual(Array(5).fill({ outcome: "ran", said: "one" }))
      return yield* Accounts.turns
    })
    const turns = [
      { account: "shop", job: "01-raise", runner: "one", phase: "begun" },
      { account: "shop", job: "01-raise", runner: "one", phase: "ended" }
    ]
    expect(await live(ask)).toEqual(turns)
    expect(await live(ask)).toEqual(turns)
  })

  it("never runs two cycles of an account side by side, but those of two accounts, and answers meanwhile", async () => {
    const order = await live(
      Effect.gen(function* () {
        const accounts = yield* SellerAccount.client
        const sql = yield* SqlClient.SqlClient
        const both = ["a", "b"].map((job) => accounts.run({ account: "shop", lane: "ads" }, { ...due, job }))
        const running = yield* Effect.fork(
          Effect.all([...both, accounts.run({ account: "other", lane: "ads" }, due)], {
            concurrency: "unbounded"
          })
        )
        yield* Accounts.until((turns) => turns.length >= 2)
        expect(yield* accounts.standing({ account: "shop", lane: "ads" })).toMatchObject({ runner: "one" })
        expect((yield* Accounts.turns).filter(({ phase }) => phase === "ended")).toEqual([])
        yield* Fiber.join(running)
        return yield* sql<{ phase: string }>`SELECT phase FROM turns WHERE account = 'shop' ORDER BY rowid`
      }),
      300
    )
    expect(order.map(({ phase }) => phase)).toEqual(["begun", "ended", "begun", "ended"])
  })

  it("ends at once with due times that nobody runs any more, and the next one runs them", async () => {
    const begin = Effect.gen(function* () {
      const accounts = yield* SellerAccount.client
      yield* accounts.send({ account: "shop", lane: "ads" }, due)
      yield* Accounts.until((turns) => turns.length > 0)
      return performance.now()
    })
    const asked = await live(begin, 600_000)
    expect(performance.now() - asked).toBeLessThan(4000)
    await live(Accounts.until((turns) => turns.some(({ phase }) => phase === "ended")))
  })

  it("runs two lanes of an account side by side, each one behind the other", async () => {
    const order = await live(
      Effect.gen(function* () {
        const accounts = yield* SellerAccount.client
        const sql = yield* SqlClient.SqlClient
        const orders = { account: "shop", lane: "orders" } as const
        const running = yield* Effect.fork(
          Effect.all(
            [
              accounts.run({ account: "shop", lane: "ads" }, due),
              accounts.run(orders, due),
              accounts.run(orders, { ...due, job: "another" })
            ],
            { concurrency: "unbounded" }
          )
        )
        yield* Accounts.until((turns) => turns.length >= 2)
        expect(yield* accounts.standing(orders)).toMatchObject({ account: "shop", lane: "orders" })
        yield* Fiber.join(running)
        return yield* sql<{ account: string; phase: string }>`SELECT account, phase FROM turns ORDER BY rowid`
      }),
      300
    )
    const of = (account: string) => order.flatMap((turn) => (turn.account === account ? [turn.phase] : []))
    expect(
      order
        .slice(0, 2)
        .map(({ account, phase }) => `${account} ${phase}`)
        .sort()
    ).toEqual(["shop begun", "shop, orders begun"])
    expect(of("shop")).toEqual(["begun", "ended"])
    expect(of("shop, orders")).toEqual(["begun", "ended", "begun", "ended"])
  })

  it("takes up again what was interrupted, at its next start", async () => {
    const sent = Effect.gen(function* () {
      const accounts = yield* SellerAccount.client
      yield* accounts.send({ account: "shop", lane: "ads" }, due)
      return yield* Accounts.until((turns) => turns.length === 1)
    })
    expect(await live(sent, 3_600_000)).toMatchObject([{ phase: "begun" }])
    const turns = await live(Accounts.until((found) => found.some(({ phase }) => phase === "ended")))
    expect(turns.map(({ phase }) => phase)).toEqual(["begun", "begun", "ended"])
  }, 30_000)

  it("says whether it has stored what is due, and runs it though its message was lost and is sent again", async () => {
    const answers = await live(
      Effect.gen(function* () {
        const accounts = yield* SellerAccount.client
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE cluster_messages RENAME TO away`
        const away = yield* accounts.store({ account: "shop", lane: "ads" }, [due])
        yield* sql`ALTER TABLE away RENAME TO cluster_messages`
        const first = yield* accounts.store({ account: "shop", lane: "ads" }, [due])
        yield* Accounts.until((turns) => turns.length === 2)
        yield* sql`DELETE FROM cluster_messages`
        yield* sql`DELETE FROM turns`
        const again = yield* accounts.store({ account: "shop", lane: "ads" }, [due])
        yield* Accounts.until((turns) => turns.length === 2)
        return [away, first, again]
      })
    )
    expect(answers).toEqual([false, true, true])
  }, 30_000)

  it("tells the account, wherever it is, that a person has acted", async () => {
    const woken: Array<string> = []
    const wake = (where: AccountLane) => Effect.sync(() => void woken.push(where.account))
    const asked = Effect.flatMap(SellerAccount.client, (accounts) =>
      accounts.wake({ account: "shop", lane: "ads" })
    )
    await Effect.runPromise(Effect.provide(asked, life(0, wake)))
    expect(woken).toEqual(["shop"])
  })

  it("forgets old messages and keeps young ones", async () => {
    const count = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ n: number }>`SELECT count(*) AS n FROM cluster_messages`
    )
    const [kept, gone, left] = await live(
      Effect.gen(function* () {
        const accounts = yield* SellerAccount.client
        yield* accounts.run({ account: "shop", lane: "ads" }, due)
        const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const kept = yield* Retention.purge(nowMs + (Retention.keptDays - 1) * 86_400_000)
        const gone = yield* Retention.purge(nowMs + (Retention.keptDays + 1) * 86_400_000)
        return [kept, gone, (yield* count)[0]?.n] as const
      })
    )
    expect([kept, gone, left]).toEqual([0, 1, 0])
  })

  it("says what is wrong with the store where forgetting fails only when it is committed", async () => {
    const failure = await Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE cluster_messages (id BIGINT PRIMARY KEY)`
      yield* sql`CREATE TABLE cluster_replies (request_id BIGINT)`
      yield* sql`CREATE TABLE others (id BIGINT REFERENCES cluster_messages DEFERRABLE INITIALLY DEFERRED)`
      yield* sql`INSERT INTO cluster_messages VALUES (-1)`
      yield* sql`INSERT INTO others VALUES (-1)`
      return yield* Effect.flip(Retention.purge(0))
    }).pipe(
      Effect.provide(SqliteClient.layer({ filename: join(folder, "messages.sqlite") })),
      Effect.runPromise
    )
    expect(failure.message).toBe(
      "could not forget old messages between runners: FOREIGN KEY constraint failed"
    )
  })

  it("says that old messages could not be forgotten, and tries again six hours later", async () => {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    const count = await Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fiber = yield* Effect.fork(Retention.always)
      yield* TestClock.adjust("7 hours")
      const told = said.length
      yield* sql`CREATE TABLE cluster_messages (id BIGINT)`
      yield* sql`CREATE TABLE cluster_replies (request_id BIGINT)`
      yield* sql`INSERT INTO cluster_messages VALUES (-1)`
      yield* TestClock.adjust("6 hours")
      yield* Fiber.interrupt(fiber)
      const [left] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM cluster_messages`
      return [told, left?.n]
    }).pipe(
      Effect.provide(SqliteClient.layer({ filename: join(folder, "messages.sqlite") })),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.provide(TestContext.TestContext),
      Effect.runPromise
    )
    expect(said[0]).toContain("old messages between runners could not be forgotten")
    expect(count).toEqual([2, 0])
  })
})
