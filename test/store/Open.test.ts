import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { CreationLog } from "../../src/engine/door/CreationLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import { DueTimes } from "../../src/engine/schedule/DueTimes.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Transaction from "../../src/store/clients/Transaction.js"
import * as CreationLogSql from "../../src/store/journal/CreationLogSql.js"
import * as DueTimesSql from "../../src/store/journal/DueTimesSql.js"
import * as ApprovalsSql from "../../src/store/people/ApprovalsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { change, inFolder, rows, run, store } from "./Fixture.js"
import { known } from "./LaterStep.js"

const using = <A, E>(
  filename: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient | Journal>,
  maxPages?: number
) =>
  Effect.scoped(Effect.provide(effect, store({ filename, ...(maxPages === undefined ? {} : { maxPages }) })))

const pragma = (name: string) =>
  Effect.map(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`PRAGMA ${name}`).values),
    (found) => found[0]?.[0]
  )

describe("opening the store", () => {
  it("makes the folder and the file, with write-ahead log, full sync and foreign keys", async () => {
    const settings = await inFolder((path) =>
      using(
        join(path, "deep", "er", "bidhelm.db"),
        Effect.all([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")])
      )
    )
    expect(settings).toEqual(["wal", 2, 1])
  })

  it("migrates once and keeps what is there", async () => {
    const [versions, runs] = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "bidhelm.db")
        yield* using(
          file,
          Effect.flatMap(Journal, (journal) => journal.begin(run(), []))
        )
        return yield* using(
          file,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const journal = yield* Journal
            const found = yield* sql<{ version: number }>`SELECT version FROM schema_version`
            return [found.map((row) => row.version), (yield* journal.runs("shop", 5)).length] as const
          })
        )
      })
    )
    expect([versions, runs]).toEqual([Migrations.versions, 1])
  })

  it("has all of it in the file itself once it is closed, so that a copy of the file alone is whole", async () => {
    const kept = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "bidhelm.db")
        yield* using(
          file,
          Effect.flatMap(Journal, (journal) => journal.begin(run(), []))
        )
        copyFileSync(file, join(path, "copy.db"))
        return yield* using(
          join(path, "copy.db"),
          Effect.flatMap(Journal, (journal) => journal.runs("shop", 5))
        )
      })
    )
    expect(kept).toHaveLength(1)
  })

  it("keeps what it holds when a later program brings it up to date", async () => {
    const holders = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "bidhelm.db")
        yield* using(
          file,
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`INSERT INTO locks (account, lane, holder, until) VALUES ('shop', 'ads', 'me', 1)`
          )
        )
        const later = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.zipRight(
            Migrations.migrateBy(known),
            sql`SELECT holder, (SELECT COUNT(*) FROM later_two) AS later FROM locks`
          )
        )
        return yield* Effect.provide(later, SqliteClient.layer({ filename: file }))
      })
    )
    expect(holders).toEqual([{ holder: "me", later: 0 }])
  })

  it.each([
    ["a newer program", 99, /newer bidhelm \(store version 99.*update bidhelm/],
    [
      "a program before the first release",
      18,
      /store version 18, this program begins with \d+\); move it away/
    ]
  ])("refuses a store that %s wrote, and says what to do", async (_, version, says) => {
    const failure = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "bidhelm.db")
        const other = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO schema_version (version, name, applied_at) VALUES (${version}, 'other', 0)`
        )
        yield* using(file, other)
        return yield* Effect.flip(using(file, Effect.void))
      })
    )
    expect(failure.message).toMatch(says)
  })

  it("says what to do with a file that is not a store, and leaves it as it is", async () => {
    const text = "this is somebody's letter. ".repeat(400)
    const [failure, after] = await inFolder((path) =>
      Effect.gen(function* () {
        const file = join(path, "letter.db")
        writeFileSync(file, text)
        return [yield* Effect.flip(using(file, Effect.void)), readFileSync(file, "utf8")] as const
      })
    )
    expect(failure.message).toMatch(/could not open the store .*letter\.db: .*not a store; restore a backup/)
    expect(after).toBe(text)
  })

  it("says what to do with a folder in the file's place and a file in the folder's place", async () => {
    const failures = await inFolder((path) => {
      mkdirSync(join(path, "folder"))
      writeFileSync(join(path, "file"), "")
      return Effect.all([
        Effect.flip(using(join(path, "folder"), Effect.void)),
        Effect.flip(using(join(path, "file", "bidhelm.db"), Effect.void))
      ])
    })
    expect(failures[0]?.message).toMatch(/check that its path names a file/)
    expect(failures[1]?.message).toMatch(/a file stands where the store's folder should be/)
  })
})

describe("a full disk", () => {
  const big = Array.from({ length: 400 }, (_, n) => change(n, { campaignName: "x".repeat(500) }))

  it("fails the run's beginning as a whole, with advice, and the store goes on working", async () => {
    const [failure, runs, changes, after] = await inFolder((path) =>
      Effect.flatMap(using(join(path, "bidhelm.db"), pragma("page_count")), (pages) =>
        using(
          join(path, "bidhelm.db"),
          Effect.gen(function* () {
            const journal = yield* Journal
            const sql = yield* SqlClient.SqlClient
            const failed = yield* Effect.flip(journal.begin(run(), rows(big)))
            const counts = yield* Effect.all([sql`SELECT * FROM runs`, sql`SELECT * FROM changes`])
            yield* journal.begin(run("small"), rows([change(1)]))
            return [
              failed,
              counts[0].length,
              counts[1].length,
              (yield* journal.rows("small")).length
            ] as const
          }),
          Number(pages) + 12
        )
      )
    )
    expect(failure.message).toMatch(
      /could not record the run before it starts: the disk is full; free some space/
    )
    expect([runs, changes, after]).toEqual([0, 0, 1])
  })
})

it("says what to do about a full disk after a statement that answers with rows too", async () => {
  const failure = await inFolder((path) =>
    Effect.flatMap(using(join(path, "bidhelm.db"), pragma("page_count")), (pages) =>
      using(
        join(path, "bidhelm.db"),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const name = "x".repeat(500_000)
          return yield* Effect.flip(
            Transaction.run(
              sql,
              "keep it",
              sql`INSERT INTO schema_version (version, name, applied_at) VALUES (1, ${name}, 0) RETURNING version`
            )
          )
        }),
        Number(pages) + 12
      )
    )
  )
  expect(failure.message).toContain("could not keep it: the disk is full; free some space and run again")
})

describe("a busy store", () => {
  it("is waited for, then reported with advice", async () => {
    const failure = await inFolder((path) =>
      using(
        join(path, "bidhelm.db"),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const release = Effect.flatMap(Journal, (journal) =>
            journal.release({ account: "shop", lane: "ads" }, "me")
          )
          const other = Effect.provide(
            release,
            store({ filename: join(path, "bidhelm.db"), busyTimeoutMs: 50 })
          )
          return yield* sql.withTransaction(Effect.promise(() => Effect.runPromise(Effect.flip(other))))
        })
      )
    )
    expect(failure.message).toMatch(/another process keeps the store busy; wait for it to end/)
  })

  it("answers what is only asked, whoever writes to it meanwhile", async () => {
    const asked = Effect.gen(function* () {
      const [journal, memory] = [yield* Journal, yield* RuleMemory]
      const [dues, creations, approvals] = [yield* DueTimes, yield* CreationLog, yield* ApprovalStore]
      const where = { account: "shop", lane: "ads" } as const
      return yield* Effect.all([
        journal.standing("shop"),
        Effect.map(journal.stops("shop"), ({ holds }) => holds),
        memory.figures("shop", 0),
        Effect.map(dues.last(where, 0), (found) => [...found]),
        dues.open(where),
        Effect.map(dues.find(where, { job: "a", dueAt: 0 }), (found) => found ?? []),
        creations.open("shop"),
        Effect.map(creations.one("a"), (found) => found ?? []),
        approvals.list("shop", 1),
        approvals.underWay("shop"),
        approvals.rejected("shop", 0),
        Effect.map(approvals.find("shop", "a"), (found) => found ?? []),
        Effect.map(approvals.approvedBids("shop", 0), (found) => [...found])
      ])
    })
    const answers = await inFolder((path) =>
      using(
        join(path, "bidhelm.db"),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const opened = Layer.mergeAll(DueTimesSql.layer, CreationLogSql.layer, ApprovalsSql.layer).pipe(
            Layer.provideMerge(store({ filename: join(path, "bidhelm.db"), busyTimeoutMs: 50 }))
          )
          // Opening it again would wait for the writer.
          const other = yield* Layer.build(opened)
          return yield* sql.withTransaction(
            Effect.promise(() => Effect.runPromise(Effect.provide(asked, other)))
          )
        }).pipe(Effect.scoped)
      )
    )
    expect(answers.flat()).toEqual([])
  })
})

describe("transactions", () => {
  it("leave nothing when interrupted in the middle", async () => {
    const count = await inFolder((path) =>
      using(
        join(path, "bidhelm.db"),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const lock = sql`INSERT INTO locks (account, lane, holder, until) VALUES ('a', 'ads', 'b', 1)`
          yield* Effect.timeoutOption(sql.withTransaction(Effect.zipRight(lock, Effect.never)), 20)
          return (yield* sql`SELECT * FROM locks`).length
        })
      )
    )
    expect(count).toBe(0)
  })

  it("that fail only when committed are failures with nothing left of them, and the store goes on working", async () => {
    const [failure, kept] = await inFolder((path) =>
      using(
        join(path, "bidhelm.db"),
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const journal = yield* Journal
          const orphan = Effect.zipRight(
            sql`PRAGMA defer_foreign_keys = ON`,
            sql`INSERT INTO day_snapshot_parts (account, day, position, name, payload)
              VALUES ('no such account', '2026-09-01', 0, '', ${new Uint8Array()})`
          )
          const failed = yield* Effect.flip(Transaction.run(sql, "keep an orphan", orphan))
          yield* journal.begin(run(), [])
          return [failed, (yield* sql`SELECT * FROM day_snapshot_parts`).length] as const
        })
      )
    )
    expect(failure.message).toMatch(/could not keep an orphan: FOREIGN KEY constraint failed/)
    expect(kept).toBe(0)
  })
})
