import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import * as GroupCommit from "../../src/store/clients/GroupCommit.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Transaction from "../../src/store/clients/Transaction.js"

const failure = (action: string) => new StoreFailure({ action, hint: "none", cause: undefined })

const ownFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bidhelm-group-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A store of one table, looked at again after it was closed. */
const stored = <A>(work: (sql: SqlClient.SqlClient, folder: string) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const folder = yield* ownFolder
      const layer = SqliteClient.layer({ filename: join(folder, "store.db") })
      const opened = <B>(use: (sql: SqlClient.SqlClient) => Effect.Effect<B, unknown>) =>
        Effect.scoped(Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), layer))
      yield* opened((sql) => sql`CREATE TABLE notes (n INTEGER PRIMARY KEY)`)
      const answer = yield* opened((sql) => work(sql, folder))
      const found = yield* opened((sql) => sql<{ n: number }>`SELECT n FROM notes ORDER BY n`)
      return { answer, notes: found.map(({ n }) => n) }
    }).pipe(Effect.scoped)
  )

const note = (sql: SqlClient.SqlClient, n: number) =>
  Transaction.run(sql, `note ${n}`, function* () {
    yield* sql`INSERT INTO notes (n) VALUES (${n})`
    return n
  })

const numbers = (to: number) => Array.from({ length: to }, (_, n) => n)

describe("transactions that wait together", () => {
  it("are one commit, and each is answered its own answer", async () => {
    let commits = 0
    const group = GroupCommit.make()
    const answers = await Effect.runPromise(
      Effect.forEach(
        numbers(40),
        (n) =>
          GroupCommit.join(group, Effect.succeed(n), (all) =>
            Effect.tap(all, () => Effect.sync(() => commits++))
          ),
        { concurrency: "unbounded" }
      )
    )
    expect(answers).toEqual(numbers(40))
    expect(commits).toBe(1)
  })

  it("go each by the clock of whoever waits, not by that of the first", async () => {
    const group = GroupCommit.make()
    const at = (ms: number) =>
      Effect.withClock(
        GroupCommit.join(group, Clock.currentTimeMillis, (all) => all),
        { ...Clock.make(), currentTimeMillis: Effect.succeed(ms) }
      )
    const answers = await Effect.runPromise(Effect.forEach([1, 2, 3], at, { concurrency: "unbounded" }))
    expect(answers).toEqual([1, 2, 3])
  })

  it("are all in the store, whoever runs beside them", async () => {
    const { answer, notes } = await stored((sql) =>
      Effect.forEach(numbers(200), (n) => note(sql, n), { concurrency: 50 })
    )
    expect(answer).toEqual(numbers(200))
    expect(notes).toEqual(numbers(200))
  })

  it("do not fall with one that fails: it alone is taken back, and says what could not be done", async () => {
    const twice = (sql: SqlClient.SqlClient) =>
      Transaction.run(sql, "note two and one again", function* () {
        yield* sql`INSERT INTO notes (n) VALUES (102)`
        yield* sql`INSERT INTO notes (n) VALUES (1)`
      })
    const { answer, notes } = await stored((sql) =>
      Effect.all([note(sql, 1), Effect.either(twice(sql)), note(sql, 3)], { concurrency: "unbounded" })
    )
    const [, failed] = answer
    expect(Either.isLeft(failed) ? failed.left.action : "done").toBe("could not note two and one again")
    expect(notes).toEqual([1, 3])
  })

  it("are not answered before their commit", async () => {
    const order = await Effect.runPromise(
      Effect.gen(function* () {
        const order: Array<string> = []
        const disk = yield* Deferred.make<void>()
        const group = GroupCommit.make()
        const slowly = (all: Effect.Effect<void, GroupCommit.Failed>) =>
          Effect.tap(Effect.zipLeft(all, Deferred.await(disk)), () =>
            Effect.sync(() => order.push("on disk"))
          )
        const waiting = yield* Effect.fork(
          Effect.forEach(
            ["a", "b"],
            (name) =>
              Effect.tap(GroupCommit.join(group, Effect.void, slowly), () =>
                Effect.sync(() => order.push(name))
              ),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep(5)
        order.push("looked")
        yield* Deferred.succeed(disk, undefined)
        yield* Fiber.join(waiting)
        return order
      })
    )
    expect(order).toEqual(["looked", "on disk", "a", "b"])
  })

  it("all fail when their commit does, and none is tried again: nobody knows what the disk has", async () => {
    let ran = 0
    const group = GroupCommit.make()
    const body = Effect.sync(() => ran++)
    const full = (all: Effect.Effect<void, GroupCommit.Failed>) =>
      Effect.zipRight(all, Effect.fail(failure("full")))
    const ends = await Effect.runPromise(
      Effect.forEach(numbers(3), () => Effect.either(GroupCommit.join(group, body, full)), {
        concurrency: "unbounded"
      })
    )
    expect(ends.every(Either.isLeft)).toBe(true)
    expect(ran).toBe(3)
  })

  it("are committed though whoever asked was interrupted, and the next ones are served", async () => {
    const { notes } = await stored((sql) =>
      Effect.gen(function* () {
        const asked = yield* Effect.forkAll(numbers(5).map((n) => note(sql, n)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(asked)
        yield* note(sql, 9)
      })
    )
    expect(notes.at(-1)).toBe(9)
    expect([0, 5]).toContain(notes.length - 1)
  })
})

describe("a look at the store", () => {
  it("sees one moment, and lets somebody else's connection write meanwhile", async () => {
    const { answer, notes } = await stored((sql, folder) =>
      Effect.gen(function* () {
        yield* note(sql, 1)
        const other = SqliteClient.layer({ filename: join(folder, "store.db"), busyTimeoutMs: 100 })
        return yield* Transaction.read(sql, "count twice", function* () {
          const count = Effect.map(sql<{ c: number }>`SELECT count(*) AS c FROM notes`, ([row]) => row?.c)
          const before = yield* count
          // As another process would: nothing of this transaction is at hand.
          yield* Effect.promise(() =>
            Effect.runPromise(
              Effect.scoped(
                Effect.provide(
                  Effect.flatMap(SqlClient.SqlClient, (theirs) => note(theirs, 2)),
                  other
                )
              )
            )
          )
          return [before, yield* count]
        })
      })
    )
    expect(answer).toEqual([1, 1])
    expect(notes).toEqual([1, 2])
  })
})
