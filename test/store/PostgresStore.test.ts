/** What is PostgreSQL's own: programs that start or write at once, an outage, what its operator is told. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/door/Journal.js"
import { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import * as ServerMark from "../../src/store/audit/ServerMark.js"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Transaction from "../../src/store/clients/Transaction.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as LimiterStoreSql from "../../src/store/limiter/LimiterStoreSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { steps } from "../../src/store/schema/Steps.js"
import { bucket, empty } from "./Child.js"
import { change, migrated, postgres, rows, run } from "./Fixture.js"
import * as LaterStep from "./LaterStep.js"
import * as Postgres from "./Postgres.js"

afterAll(Postgres.end)

const store = (url: string, options: Partial<PgClient.Options> = {}) =>
  Layer.mergeAll(JournalSql.layer, LimiterStoreSql.layer, Migrations.layer).pipe(
    Layer.provideMerge(postgres(url, options))
  )

type Store = SqlClient.SqlClient | Journal | LimiterStore

/** As a program of its own would: with connections of its own. */
const program = <A, E>(
  url: string,
  body: Effect.Effect<A, E, Store>,
  options: Partial<PgClient.Options> = {}
) => Effect.provide(body, store(url, options))

const sqlOf = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use)

describe("a machine whose clock is not the database's", () => {
  it("is told by how much it is ahead or behind", async () => {
    const url = await migrated()
    const ahead = sqlOf(ServerMark.aheadMs)
    const [own, old] = await Effect.runPromise(
      program(
        url,
        Effect.gen(function* () {
          const machine = yield* Effect.clock
          const set: Clock.Clock = Object.assign(Object.create(machine), {
            currentTimeMillis: Effect.succeed(0)
          })
          return [yield* ahead, yield* Effect.withClock(ahead, set)] as const
        })
      )
    )
    expect(Math.abs(own)).toBeLessThan(60_000)
    expect(old).toBeLessThan(-1_700_000_000_000)
  })
})

describe("programs that start at the same time on a new database", () => {
  it("make the schema together, each step once", async () => {
    const url = await (await Postgres.shared()).fresh()
    const versions = await Effect.runPromise(
      Effect.gen(function* () {
        const start = program(url, Effect.void, { connections: 2 })
        yield* Effect.all([start, start, start, start], { concurrency: "unbounded" })
        return yield* program(
          url,
          sqlOf((sql) => sql<{ version: number }>`SELECT version FROM schema_version ORDER BY version`)
        )
      })
    )
    expect(versions.map(({ version }) => version)).toEqual(Migrations.versions)
  })

  it("compare text by its bytes and hold whole numbers of 64 bits, in every table", async () => {
    const strange = await Effect.runPromise(
      program(
        await migrated(),
        sqlOf(
          (
            sql
          ) => sql`SELECT table_name, column_name, data_type, collation_name FROM information_schema.columns
            WHERE table_schema = 'public' AND NOT (data_type IN ('bigint', 'bytea', 'double precision')
            OR (data_type = 'text' AND collation_name = 'C'))`
        )
      )
    )
    expect(strange).toEqual([])
  })
})

describe("a store of another program", () => {
  it("is completed when a step in its middle is missing", async () => {
    const last = {
      version: 91,
      name: "a last step",
      sqlite: [],
      postgres: ["CREATE TABLE last_one (id BIGINT)"]
    }
    const url = await migrated()
    const tables = await Effect.runPromise(
      Effect.gen(function* () {
        yield* Migrations.migrateBy([...steps, last])
        yield* Migrations.migrateBy([...LaterStep.known, last])
        return yield* sqlOf(
          (sql) => sql`SELECT * FROM schema_version WHERE version = ${LaterStep.step.version} AND EXISTS
            (SELECT 1 FROM information_schema.tables WHERE table_name = 'later_two')`
        )
      }).pipe(Effect.provide(postgres(url)))
    )
    expect(tables).toHaveLength(1)
  })

  it.each([
    [99, /newer bidhelm \(store version 99/],
    [18, /before the first release .*begins with \d+\); move it away or choose another place/]
  ])("of version %i is refused by name", async (version, says) => {
    const url = await migrated()
    const failure = await Effect.runPromise(
      Effect.gen(function* () {
        yield* program(
          url,
          sqlOf((sql) => sql`INSERT INTO schema_version VALUES (${version}, 'another', 0)`)
        )
        return yield* Effect.flip(program(url, Effect.void))
      })
    )
    expect(failure.message).toMatch(says)
  })
})

describe("programs that write at the same time", () => {
  it("lose none of each other's changes to a limit", async () => {
    const url = await migrated()
    const add = Effect.flatMap(LimiterStore, (limits) =>
      limits.update(bucket, (stored = empty) => [undefined, { ...stored, refusals: stored.refusals + 1 }])
    )
    const total = await Effect.runPromise(
      Effect.gen(function* () {
        const many = program(
          url,
          Effect.all(
            Array.from({ length: 20 }, () => add),
            { concurrency: 2, discard: true }
          )
        )
        yield* Effect.all([many, many, many], { concurrency: "unbounded" })
        return yield* program(
          url,
          Effect.flatMap(LimiterStore, (limits) =>
            limits.update(bucket, (stored = empty) => [stored.refusals, stored])
          )
        )
      })
    )
    expect(total).toBe(60)
  })

  it("never both get the lock of an account, and one of them does", async () => {
    const url = await migrated()
    const answers = await Effect.runPromise(
      Effect.gen(function* () {
        const take = (holder: string) =>
          program(
            url,
            Effect.flatMap(Journal, (journal) =>
              Effect.forEach(Array.from({ length: 10 }), (_, n) =>
                journal.acquire({ account: `shop ${n}`, lane: "ads" }, holder, 1000, 500)
              )
            )
          )
        return yield* Effect.all([take("a"), take("b"), take("c")], { concurrency: "unbounded" })
      })
    )
    for (const n of Array(10).keys()) {
      expect(answers.map((one) => one[n]?.granted).filter(Boolean)).toHaveLength(1)
      expect(new Set(answers.map((one) => one[n]?.holder)).size).toBe(1)
    }
  })
})

describe("transactions on PostgreSQL", () => {
  it("that fail only when committed are failures with nothing left of them, and the store goes on", async () => {
    const [failure, left] = await Effect.runPromise(
      program(
        await migrated(),
        sqlOf((sql) =>
          Effect.gen(function* () {
            yield* sql`ALTER TABLE day_snapshot_parts ALTER CONSTRAINT day_snapshot_parts_account_day_fkey DEFERRABLE INITIALLY DEFERRED`
            const orphan = sql`INSERT INTO day_snapshot_parts (account, day, position, name, payload)
              VALUES ('no such account', '2026-09-01', 0, '', ${new Uint8Array()})`
            const failed = yield* Effect.flip(Transaction.run(sql, "keep an orphan", orphan))
            return [failed, yield* sql`SELECT * FROM day_snapshot_parts`] as const
          })
        )
      )
    )
    expect(failure.message).toMatch(/could not keep an orphan: .*foreign key constraint/)
    expect(left).toEqual([])
  })

  it("are a part of the transaction around them", async () => {
    const [failed, left] = await Effect.runPromise(
      program(
        await migrated(),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const journal = yield* Journal
          const outer = Effect.zipRight(journal.begin(run(), rows([change(1)])), Effect.fail("no" as const))
          const exit = yield* Effect.exit(sql.withTransaction(outer))
          return [Exit.isFailure(exit), (yield* journal.runs(undefined, 5)).length] as const
        })
      )
    )
    expect([failed, left]).toEqual([true, 0])
  })

  it("read sums and counts as numbers and refuse one that a number cannot hold", async () => {
    const [row, failure] = await Effect.runPromise(
      program(
        await migrated(),
        sqlOf((sql) =>
          Effect.all([
            sql`SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS a FROM (VALUES (1::bigint), (2)) AS t (x)`,
            Effect.flip(Transaction.read(sql, "count", sql`SELECT 9007199254740993::bigint`))
          ])
        )
      )
    )
    expect(row).toEqual([{ n: 2, s: 3, a: 1.5 }])
    expect(failure.message).toMatch(
      /could not count: the number 9007199254740993 is larger than a number can be/
    )
  })
})

describe("an outage of PostgreSQL", () => {
  it("is a failure with advice, also in the middle of a transaction, and is over when the server is back", async () => {
    const server = await Postgres.start()
    try {
      const url = await server.fresh()
      const [during, down, runs] = await Effect.runPromise(
        program(
          url,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const journal = yield* Journal
            yield* journal.begin(run("before"), rows([change(0)]))
            const cut = Effect.gen(function* () {
              yield* sql`INSERT INTO plans (plan_id, account, created_at, plan) VALUES ('lost', 'shop', '', ${new Uint8Array()})`
              yield* Effect.promise(server.stop)
              yield* sql`SELECT 1`
            })
            const failed = yield* Effect.flip(Transaction.run(sql, "keep the plan", cut))
            const refused = yield* Effect.flip(journal.begin(run("meanwhile"), rows([change(0)])))
            yield* Effect.promise(server.restart)
            yield* journal.begin(run("after"), rows([change(0)]))
            const lost = yield* sql`SELECT * FROM plans`
            return [
              failed,
              refused,
              [lost.length, (yield* journal.runs("shop", 5)).map((one) => one.runId)]
            ] as const
          })
        )
      )
      expect(during.message).toMatch(
        /could not keep the plan: .*PostgreSQL.*what was sent is read back first/
      )
      expect(down.message).toMatch(/could not record the run before it starts: .*PostgreSQL does not answer/)
      expect(runs).toEqual([0, ["before", "after"]])
    } finally {
      await server.remove()
    }
  })
})

describe("a store that cannot be opened", () => {
  const failure = (url: string, password = Postgres.password) =>
    Effect.runPromise(
      Effect.map(
        Effect.flip(Effect.scoped(Layer.build(PgClient.layer({ url, password: Redacted.make(password) })))),
        ({ message }) => message
      )
    )

  it("says what to do about server, user and database, and never tells the password", async () => {
    const url = await migrated()
    expect(await failure(url, "wrong")).toMatch(
      /PostgreSQL refused the user or the password; check .*store_password/
    )
    expect(await failure(`${url}_nowhere`)).toMatch(/no database of this name; make it with: createdb/)
    const closed = url.replace(/:\d+\//, ":1/")
    expect(await failure(closed)).toMatch(
      /could not open the store postgres:\/\/bidhelm@127.0.0.1:1\/.*: PostgreSQL does not answer/
    )
    expect(await failure("postgres://bidhelm@no-such-host.invalid/x", "secret")).not.toContain("secret")
  })

  it("says of a database that is set read-only what to set, at opening and when it is set so later", async () => {
    const url = await migrated()
    const name = new URL(url).pathname.slice(1)
    const later = await Effect.runPromise(
      program(
        url,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
          const closed = sql`SET TRANSACTION READ ONLY`
          const write = sql`INSERT INTO store_marks (name, account, at, detail) VALUES ('x', '', 0, '')`
          return yield* Effect.flip(Transaction.run(sql, "write", Effect.zipRight(closed, write)))
        })
      )
    )
    expect(later.message).toMatch(/the server is a copy, or it, the database or the user is set so/)
    expect(await failure(url)).toMatch(/set read-only; set default_transaction_read_only off/)
  })
})
