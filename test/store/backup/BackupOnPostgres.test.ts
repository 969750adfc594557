/** Backups between the two databases, and a restore into a PostgreSQL database that others use as well. */

import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import * as Days from "../../../src/domain/Days.js"
import { OrderId, SupplyId } from "../../../src/domain/Ids.js"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import { RuleMemory } from "../../../src/engine/planning/RuleMemory.js"
import { Snapshots } from "../../../src/engine/planning/Snapshots.js"
import { OrderEvents } from "../../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../../src/services/ports/SupplyOrders.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import { SerialFile } from "../../../src/store/audit/SerialFile.js"
import * as SerialMarker from "../../../src/store/audit/SerialMarker.js"
import * as Backup from "../../../src/store/backup/Backup.js"
import * as BackupFile from "../../../src/store/backup/BackupFile.js"
import * as RestorePostgres from "../../../src/store/backup/RestorePostgres.js"
import * as RestoreSqlite from "../../../src/store/backup/RestoreSqlite.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as SnapshotsSql from "../../../src/store/facts/SnapshotsSql.js"
import * as OrderEventsSql from "../../../src/store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../../src/store/fulfilment/SupplyOrdersSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../../src/store/journal/RuleMemorySql.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import { change, inFolder, migrated, plan, postgres, rows, run } from "../Fixture.js"
import * as Postgres from "../Postgres.js"

afterAll(Postgres.end)

const on = <A, E>(
  url: string,
  effect: Effect.Effect<A, E, Journal | RuleMemory | SqlClient.SqlClient>
): Effect.Effect<A, unknown> =>
  Effect.provide(
    effect,
    Layer.mergeAll(JournalSql.layer, RuleMemorySql.layer, Migrations.layer).pipe(
      Layer.provideMerge(postgres(url))
    )
  )

const asked = {
  nowMs: 50_000,
  lockSeconds: 35,
  abandoned: (holder: string) => holder === "a dead one",
  serial: "/nowhere/store.serial"
}

const story = Effect.gen(function* () {
  const journal = yield* Journal
  const memory = yield* RuleMemory
  yield* memory.savePlan(plan)
  yield* journal.begin(run("run 1", { approvedBy: "ольга" }), rows([change(0), change(1)]))
  yield* journal.move("run 1", ["change 0"], ["planned"], "dispatching", { nowMs: 2_000, sent: true })
  yield* journal.move("run 1", ["change 0"], ["dispatching"], "applied", {
    nowMs: 3_000,
    reason: { code: "read_back" }
  })
  yield* journal.finish("run 1", "partial", { applied: 1 }, 4_000)
})

/** The rows of a backup by table, without the chain: a restore adds to it. */
const rowsOf = (path: string) =>
  Effect.promise(async () => {
    const tables: Record<string, Array<string>> = {}
    let into: Array<string> = []
    for await (const line of BackupFile.lines(path)) {
      if (Array.isArray(line)) into.push(JSON.stringify(line))
      const table = (line as { readonly table?: string }).table
      if (table !== undefined) {
        into = []
        if (!table.startsWith("audit")) tables[table] = into
      }
    }
    return tables
  })

describe("a store that moves", () => {
  it("from PostgreSQL to SQLite and back has every row as it was, and an unbroken chain", async () => {
    const [first, again, verified, marked] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [one, two] = yield* Effect.promise(async () => [await migrated(), await migrated()] as const)
        const [out, between, back] = ["out", "between", "back"].map((name) => join(folder, `${name}.gz`)) as [
          string,
          string,
          string
        ]
        const file = join(folder, "store.db")
        yield* on(one, story)
        const parts = [{ name: "rows", text: JSON.stringify(["Ёлка", 1.5, null]) }]
        const days = Effect.flatMap(Snapshots, (kept) =>
          kept.keep("shop", { day: Days.at(7, "UTC"), atMs: 7 }, parts)
        )
        yield* on(one, Effect.provide(days, SnapshotsSql.layer()))
        yield* on(one, Backup.write(out, 5_000))
        yield* RestoreSqlite.into(out, file, 6_000)
        yield* Effect.provide(
          Backup.write(between, 7_000),
          SqliteClient.layer({ filename: file, readOnly: true })
        )
        yield* on(two, RestorePostgres.into(between, { ...asked, replaced: join(folder, "replaced.gz") }))
        yield* on(two, Backup.write(back, 9_000))
        return [
          yield* rowsOf(out),
          yield* rowsOf(back),
          yield* on(two, AuditVerify.verify("shop")),
          yield* on(
            two,
            Effect.flatMap(Journal, (journal) => journal.observeOnly("shop"))
          )
        ] as const
      })
    )
    expect(again).toEqual(first)
    expect(Object.values(first).filter((list) => list.length > 0).length).toBeGreaterThan(4)
    expect(verified).toMatchObject({ breaks: [] })
    expect(marked?.why).toMatch(/restored from a backup/)
  })
})

describe("a backup of PostgreSQL", () => {
  it("goes on behind the last row it has written, whatever the table", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const db = yield* Effect.promise(migrated)
        const tables = yield* on(db, Effect.flatMap(SqlClient.SqlClient, Migrations.all))
        expect(tables.filter(({ columns, key }) => key.length === columns.length)).toEqual([])
        const parts = tables.find(({ name }) => name === "day_snapshot_parts")
        expect(parts?.key).toEqual(["account", "day", "position"])
      })
    ))
})

describe("a restore that fails", () => {
  it("leaves no copy behind of a store that stays in its place", async () => {
    const [failure, files, runs] = await inFolder((folder) =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(migrated)
        const [whole, odd] = [join(folder, "whole.gz"), join(folder, "odd.gz")]
        yield* on(url, story)
        yield* on(url, Backup.write(whole, 5_000))
        const header = yield* Effect.promise(() => BackupFile.header(whole))
        const file = new BackupFile.Writing(odd)
        file.line(header)
        file.line({ table: "pg_class", columns: ["oid"] })
        file.line({ end: true, rows: 0 })
        file.finish()
        const replaced = join(folder, "replaced.gz")
        const failure = yield* Effect.flip(on(url, RestorePostgres.into(odd, { ...asked, replaced })))
        const runs = yield* on(
          url,
          Effect.flatMap(Journal, (journal) => journal.runs("shop", 9))
        )
        return [String(failure), readdirSync(folder).sort(), runs.length] as const
      })
    )
    expect(failure).toContain("it has a table that no store has: pg_class")
    expect(files).toEqual(["odd.gz", "odd.gz.sha256", "whole.gz", "whole.gz.sha256"])
    expect(runs).toBe(1)
  })
})

describe("a restore whose commit fails", () => {
  it("names the copy of what was there", async () => {
    const [failure, files] = await inFolder((folder) =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(migrated)
        const [whole, replaced] = [join(folder, "whole.gz"), join(folder, "replaced.gz")]
        yield* on(url, story)
        yield* on(url, Backup.write(whole, 5_000))
        const refusing = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.all([
            sql`CREATE TABLE cluster_replies (id BIGINT)`,
            sql`INSERT INTO cluster_replies VALUES (1)`,
            sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$`,
            sql`CREATE CONSTRAINT TRIGGER refused AFTER DELETE ON cluster_replies DEFERRABLE INITIALLY DEFERRED
              FOR EACH ROW EXECUTE FUNCTION refuse()`
          ])
        )
        yield* on(url, refusing)
        const failure = yield* Effect.flip(on(url, RestorePostgres.into(whole, { ...asked, replaced })))
        return [String(failure), readdirSync(folder)] as const
      })
    )
    expect(failure).toMatch(/not now; what was there is kept as \S+replaced\.gz/)
    expect(files).toContain("replaced.gz")
  })
})

describe("a restore into a database that is shared", () => {
  it("knows every change since the backup as it ended, and its chain tells so; where the chain is another one, nobody knows", async () => {
    const since = Effect.gen(function* () {
      const journal = yield* Journal
      yield* journal.move("run 1", ["change 1"], ["planned"], "dispatching", {
        nowMs: 5_500,
        sent: true,
        requestHash: "abc"
      })
      yield* journal.move("run 1", ["change 1"], ["dispatching"], "applied", { nowMs: 5_600 })
      yield* journal.finish("run 1", "done", { applied: 2 }, 5_700)
      yield* journal.begin(run("run 2"), rows([change(2), change(3)]))
      yield* journal.move("run 2", ["change 2"], ["planned"], "claimed", { nowMs: 5_800 })
    })
    const read = Effect.gen(function* () {
      const journal = yield* Journal
      const found = yield* Effect.forEach(["run 1", "run 2"], journal.rows)
      return [found, yield* journal.runs("shop", 9)] as const
    })
    const [before, after, first, second, verified] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [db, other] = yield* Effect.promise(async () => [await migrated(), await migrated()] as const)
        const file = join(folder, "out.gz")
        yield* on(db, story)
        yield* on(db, Backup.write(file, 5_000))
        yield* on(db, since)
        yield* on(
          other,
          Effect.flatMap(Journal, (journal) => journal.begin(run("run 7"), rows([change(0), change(1)])))
        )
        const before = yield* on(db, read)
        const first = yield* on(db, RestorePostgres.into(file, { ...asked, replaced: join(folder, "1.gz") }))
        const after = yield* on(db, read)
        const verified = yield* on(db, AuditVerify.verify("shop"))
        const second = yield* on(
          other,
          RestorePostgres.into(file, { ...asked, replaced: join(folder, "2.gz") })
        )
        return [before, after, first.kept.changes, second.kept.changes, verified.breaks] as const
      })
    )
    expect(after).toEqual(before)
    expect([first, second]).toEqual([3, undefined])
    expect(verified).toEqual([])
  })

  it("is made again from an older backup, and knows every change since that one", async () => {
    const [newer, older] = await inFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* Effect.promise(migrated)
        const serial = join(folder, "store.serial")
        const begin = (n: number) =>
          on(
            db,
            Effect.flatMap(Journal, (journal) => journal.begin(run(`run ${n}`), rows([change(n)])))
          )
        yield* begin(1)
        yield* on(db, Backup.write(join(folder, "older.gz"), 5_000))
        yield* begin(2)
        yield* on(db, Backup.write(join(folder, "newer.gz"), 6_000))
        yield* begin(3)
        yield* on(db, SerialMarker.note(serial))
        const restored = (name: string, nowMs: number) => {
          const options = { ...asked, serial, nowMs, replaced: join(folder, `${nowMs}.gz`) }
          return on(db, RestorePostgres.into(join(folder, name), options))
        }
        return [yield* restored("newer.gz", 50_000), yield* restored("older.gz", 60_000)] as const
      })
    )
    expect([newer.kept.changes, older.kept.changes]).toEqual([1, 2])
  })

  it("does not set free what a person stopped after the backup was made", async () => {
    const [kept, stops] = await inFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* Effect.promise(migrated)
        const [file, replaced] = [join(folder, "out.gz"), join(folder, "replaced.gz")]
        yield* on(db, story)
        yield* on(db, Backup.write(file, 5_000))
        const kill = { account: "shop", kind: "kill", what: "", since: 6_000, by: "ольга" } as const
        const place = Effect.flatMap(Holdings, (holdings) => holdings.place(kill))
        yield* on(db, Effect.provide(place, StopsSql.layer))
        const edit = { slot: "campaign_status:1", ours: "paused", live: "active" }
        yield* on(
          db,
          Effect.flatMap(Journal, (journal) =>
            journal.keepEdits("shop", [{ ...edit, writtenAt: 5_500, firstSeenAt: 6_000 }], [])
          )
        )
        const { holds, kept } = yield* on(db, RestorePostgres.into(file, { ...asked, replaced }))
        const stops = yield* on(
          db,
          Effect.flatMap(Journal, (journal) => journal.stops("shop"))
        )
        return [[holds, kept], stops] as const
      })
    )
    expect(kept).toEqual([1, { changes: 0, edits: 1, rejected: 0, areOrdersRead: true }])
    expect(stops.holds).toMatchObject([{ kind: "kill", since: 6_000, by: "ольга" }])
    expect(stops.edits).toMatchObject([{ slot: "campaign_status:1", live: "active", firstSeenAt: 6_000 }])
  })

  it("does not forget what people stop while it begins, and does not overtake a run that begins then", async () => {
    const [kept, holds, busy] = await inFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* Effect.promise(migrated)
        const file = join(folder, "out.gz")
        yield* on(db, story)
        yield* on(db, Backup.write(file, 5_000))
        /** Begins to restore, and goes on when `meanwhile` has ended. */
        const during = <A, E>(
          name: string,
          meanwhile: Effect.Effect<A, E, Journal | RuleMemory | SqlClient.SqlClient>
        ) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const held = yield* sql.reserve
            yield* held.executeRaw("BEGIN; LOCK TABLE runs IN ACCESS SHARE MODE", [])
            const replaced = join(folder, name)
            const restoring = yield* Effect.fork(
              Effect.either(on(db, RestorePostgres.into(file, { ...asked, replaced })))
            )
            yield* Effect.repeat(sql<{ n: number }>`SELECT count(*) AS n FROM pg_locks WHERE NOT granted`, {
              until: ([row]) => row?.n === 1
            })
            yield* meanwhile
            yield* held.executeRaw("COMMIT", [])
            return yield* Fiber.join(restoring)
          }).pipe(Effect.scoped)
        const kill = { account: "shop", kind: "kill", what: "", since: 6_000, by: "ольга" } as const
        const stopped = Effect.gen(function* () {
          const journal = yield* Journal
          yield* Effect.provide(
            Effect.flatMap(Holdings, (holdings) => holdings.place(kill)),
            StopsSql.layer
          )
          const where = { account: "shop", lane: "ads" } as const
          yield* journal.acquire(where, "a dead one", 49_000, 45_000)
        })
        const replaced = yield* Effect.flatten(on(db, during("one.gz", stopped)))
        const kept = yield* rowsOf(join(folder, "one.gz"))
        const stops = yield* on(
          db,
          Effect.flatMap(Journal, (journal) => journal.stops("shop"))
        )
        const working = Effect.flatMap(Journal, (journal) =>
          journal.acquire({ account: "shop", lane: "ads" }, "pid 7 on desk", 49_000, 45_000)
        )
        const busy = yield* Effect.flip(Effect.flatten(on(db, during("two.gz", working))))
        return [kept, [replaced.holds, stops.holds], String(busy)] as const
      })
    )
    expect(holds).toMatchObject([1, [{ kind: "kill", since: 6_000, by: "ольга" }]])
    expect(kept.operator_holds).toHaveLength(1)
    expect(busy).toContain("a run is using it (pid 7 on desk)")
  })

  it("does not forget what a person said no to after it, nor the order of parcels", async () => {
    const supplies = [SupplyId.make("PLATFORM-GI-1"), SupplyId.make("PLATFORM-GI-2")]
    const known = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stored = yield* SupplyOrders
      return {
        said: yield* sql`SELECT state, plan, decided_at, decided_by, why FROM approvals`,
        places: yield* Effect.forEach(supplies, (id) => stored.list("shop", id)),
        packed: yield* (yield* OrderEvents).of("shop", [OrderId.make(7), OrderId.make(3)]),
        broken: (yield* AuditVerify.verify("shop")).breaks
      }
    }).pipe(Effect.provide(Layer.merge(OrderEventsSql.layer, SupplyOrdersSql.layer)))
    const [kept, before, after] = await inFolder((folder) =>
      Effect.gen(function* () {
        const db = yield* Effect.promise(migrated)
        const [file, replaced] = [join(folder, "out.gz"), join(folder, "replaced.gz")]
        yield* on(db, story)
        yield* on(db, Backup.write(file, 5_000))
        const since = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO approvals
            (approval_id, account, plan, asked, state, requested_at, expires_at, decided_at, decided_by, why)
            VALUES ('r1', 'shop', ${new Uint8Array([0, 255, 7])}, '[]', 'rejected', 5500, 90000, 6000, 'ольга', 'no')`
          for (const supplyId of supplies)
            yield* (yield* SupplyOrders).append(
              "shop",
              supplyId,
              [7, 3].map((id) => OrderId.make(id)),
              6_000
            )
          const detail = { supplyId: SupplyId.make("PLATFORM-GI-2") }
          yield* (yield* OrderEvents).record("shop", [
            { orderId: OrderId.make(7), at: 6_000, kind: "packed", detail }
          ])
        }).pipe(Effect.provide(Layer.merge(OrderEventsSql.layer, SupplyOrdersSql.layer)))
        yield* on(db, since)
        const before = yield* on(db, known)
        const { kept } = yield* on(db, RestorePostgres.into(file, { ...asked, replaced }))
        return [kept, before, yield* on(db, known)] as const
      })
    )
    expect(kept).toEqual({ changes: 0, edits: 0, rejected: 1, areOrdersRead: true })
    expect(after).toEqual(before)
    expect(after.places).toEqual([
      [7, 3],
      [7, 3]
    ])
    expect([after.said.length, after.packed.length, after.broken]).toEqual([1, 1, []])
  })

  it("takes nothing from a database that lacks what this machine has seen in it", async () => {
    const changes = (seen: "all" | "more") =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const db = yield* Effect.promise(migrated)
          const [file, replaced] = [join(folder, "out.gz"), join(folder, "replaced.gz")]
          const serial = join(folder, "store.serial")
          yield* on(db, story)
          yield* on(db, Backup.write(file, 5_000))
          yield* on(
            db,
            Effect.flatMap(Journal, ({ begin }) => begin(run("run 2"), rows([change(2)])))
          )
          yield* on(db, SerialMarker.note(serial))
          const noted = new SerialFile(serial)
          const [head] = noted.heads().values()
          const lost = { ...head!, seq: head!.seq + 1, hash: "of a run that is gone" }
          if (seen === "more") noted.replace(noted.heads(), new Map([[head!.account, lost]]))
          return (yield* on(db, RestorePostgres.into(file, { ...asked, serial, replaced }))).kept.changes
        })
      )
    expect([await changes("all"), await changes("more")]).toEqual([1, undefined])
  })

  it("leaves the tables of others alone, waits for the last runner, and forgets its messages", async () => {
    const [refused, others, messages, tables] = await inFolder((folder) =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(migrated)
        const out = join(folder, "out.gz")
        yield* on(url, story)
        const sqlOf = SqlClient.SqlClient
        yield* on(
          url,
          Effect.flatMap(sqlOf, (sql) =>
            Effect.all([
              sql`CREATE TABLE invoices (id BIGINT PRIMARY KEY)`,
              sql`INSERT INTO invoices VALUES (7)`,
              sql`CREATE TABLE cluster_messages (id BIGINT PRIMARY KEY)`,
              sql`INSERT INTO cluster_messages VALUES (1)`,
              sql`CREATE TABLE cluster_runners (address TEXT, last_heartbeat TIMESTAMP)`,
              sql`INSERT INTO cluster_runners VALUES ('127.0.0.1:34431', NOW() - INTERVAL '20 seconds')`
            ])
          )
        )
        yield* on(url, Backup.write(out, 5_000))
        const restore = (name: string) =>
          on(url, RestorePostgres.into(out, { ...asked, replaced: join(folder, name) }))
        const failure = yield* Effect.flip(restore("first.gz"))
        yield* on(
          url,
          Effect.flatMap(
            sqlOf,
            (sql) => sql`UPDATE cluster_runners SET last_heartbeat = NOW() - INTERVAL '40 seconds'`
          )
        )
        yield* restore("second.gz")
        const count = (table: string) =>
          on(
            url,
            Effect.flatMap(sqlOf, (sql) => sql<{ n: number }>`SELECT COUNT(*) AS n FROM ${sql(table)}`)
          ).pipe(Effect.map(([row]) => row?.n))
        return [
          String(failure),
          yield* count("invoices"),
          yield* count("cluster_messages"),
          Object.keys(yield* rowsOf(out))
        ] as const
      })
    )
    expect(refused).toMatch(/bidhelm run works on it \(127\.0\.0\.1:34431\); stop every runner/)
    expect([others, messages]).toEqual([1, 0])
    expect(tables).not.toContain("invoices")
    expect(tables).not.toContain("cluster_messages")
  })
})
