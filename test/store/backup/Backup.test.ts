import fs, { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { OrderId, SupplyId } from "../../../src/domain/Ids.js"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import type { OperatorHold } from "../../../src/engine/kinds/OperatorHold.js"
import * as Parcels from "../../../src/marketplace/fulfilment/Parcels.js"
import { OrderEvents } from "../../../src/services/ports/OrderEvents.js"
import { SupplyOrders } from "../../../src/services/ports/SupplyOrders.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import * as SerialMarker from "../../../src/store/audit/SerialMarker.js"
import * as StoreMarks from "../../../src/store/audit/StoreMarks.js"
import * as Backup from "../../../src/store/backup/Backup.js"
import * as BackupFile from "../../../src/store/backup/BackupFile.js"
import * as RestoreSqlite from "../../../src/store/backup/RestoreSqlite.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as OrderEventsSql from "../../../src/store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../../src/store/fulfilment/SupplyOrdersSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as OpenFiles from "../../OpenFiles.js"
import { change, inFolder, rows, run } from "../Fixture.js"

/** What other tests of this process have left open. */
let before: ReadonlySet<string> = new Set()
beforeEach(() => {
  before = new Set(OpenFiles.all())
})

const isOpen = (): boolean =>
  OpenFiles.all()?.some((path) => path.includes(".db") && !before.has(path)) ?? true

const released = Effect.promise(() => OpenFiles.released(isOpen))

/** As into a store that nobody has open any more. */
const restore = (file: string, store: string) =>
  Effect.zipRight(released, RestoreSqlite.into(file, store, 10_000))

const open = (filename: string) =>
  SerialMarker.guarding(`${filename}.serial`).pipe(
    Layer.provide(JournalSql.layer),
    Layer.provide(Migrations.layer),
    Layer.provideMerge(SqliteClient.layer({ filename }))
  )

const stopping = (filename: string) => Layer.provideMerge(StopsSql.layer, open(filename))

const place = (hold: OperatorHold) => Effect.flatMap(Holdings, (holdings) => holdings.place(hold))

const begin = (id: string, more: Parameters<typeof run>[1] = {}) =>
  Effect.flatMap(Journal, (journal) => journal.begin(run(id, more), rows([change(0), change(1)])))

const backup = (store: string, file: string) =>
  Effect.provide(Backup.write(file, 9_000), SqliteClient.layer({ filename: store, readOnly: true }))

describe("a backup", () => {
  it("restores what was there, keeps what it replaces, and sends nothing until it is reconciled", async () => {
    const [kept, refused, lifted, files] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        yield* Effect.provide(begin("run 2"), open(store))
        yield* restore(file, store)
        return yield* Effect.provide(
          Effect.gen(function* () {
            const journal = yield* Journal
            const sql = yield* SqlClient.SqlClient
            const runs = (yield* journal.runs("shop", 9)).map(({ runId }) => runId)
            const failure = yield* Effect.flip(begin("run 3"))
            yield* StoreMarks.lift(sql, "shop", 11_000, "olga")
            yield* begin("run 3")
            return [
              runs,
              failure.message,
              (yield* AuditVerify.verify("shop")).breaks,
              readdirSync(folder)
            ] as const
          }),
          open(store)
        )
      })
    )
    expect(kept).toEqual(["run 2", "run 1"])
    expect(refused).toMatch(
      /nothing was sent: the store was restored from a backup of 1970.*bidhelm reconcile/
    )
    expect(lifted).toEqual([])
    expect(files.some((name) => name.startsWith("store.db.replaced-"))).toBe(true)
  })

  it("restores texts with signs that some take for the end of a line", async () => {
    const names = ["Shoes\u2028summer", "Shoes\u2029winter", "Shoes\u0085spring"]
    const restored = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        const named = names.map((campaignName, n) => change(n, { campaignName }))
        yield* Effect.provide(
          Effect.flatMap(Journal, (journal) => journal.begin(run("run 1"), rows(named))),
          open(store)
        )
        yield* backup(store, file)
        yield* RestoreSqlite.into(file, join(folder, "new.db"), 10_000)
        const journal = Effect.flatMap(Journal, (one) => one.rows("run 1"))
        return yield* Effect.provide(journal, open(join(folder, "new.db")))
      })
    )
    expect(restored.map(({ change: { campaignName } }) => campaignName)).toEqual(names)
  })

  it("that ends in the middle is refused, and so is one that is no archive", () =>
    inFolder((folder) =>
      Effect.promise(async () => {
        const whole = join(folder, "whole")
        const cut = join(folder, "cut")
        const foreign = join(folder, "foreign")
        const writing = new BackupFile.Writing(whole)
        writing.line(["x".repeat(5_000)])
        writing.finish()
        const bytes = readFileSync(whole)
        writeFileSync(cut, bytes.subarray(0, bytes.length - 9))
        writeFileSync(foreign, "not gzipped")
        await expect(BackupFile.header(cut)).rejects.toThrow()
        await expect(BackupFile.header(foreign)).rejects.toThrow()
        await expect(BackupFile.header(join(folder, "absent"))).rejects.toThrow(/ENOENT/)
      })
    ))

  it("goes on behind the last row it has written, whatever the table", () =>
    inFolder((folder) =>
      Effect.provide(
        Effect.gen(function* () {
          const tables = yield* Migrations.all(yield* SqlClient.SqlClient)
          expect(tables.filter(({ columns, key }) => key.length === columns.length)).toEqual([])
          const parts = tables.find(({ name }) => name === "day_snapshot_parts")
          expect(parts?.key).toEqual(["account", "day", "position"])
        }),
        open(join(folder, "store.db"))
      )
    ))

  it("does not set free what a person stopped after it was made", async () => {
    const [holds, restored, lost, unbroken] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        const hold = { account: "shop", by: "olga" }
        const before = { ...hold, kind: "policy", what: "01", since: 8_000 } as const
        const kill = { ...hold, kind: "kill", what: "", since: 9_500, why: "wrong prices" } as const
        yield* Effect.provide(Effect.zipRight(begin("run 1"), place(before)), stopping(store))
        yield* backup(store, file)
        yield* Effect.provide(place(kill), stopping(store))
        const restored = yield* restore(file, store)
        const [stops, verified] = yield* Effect.provide(
          Effect.all([
            Effect.flatMap(Journal, (journal) => journal.stops("shop")),
            AuditVerify.verify("shop")
          ]),
          open(store)
        )
        const lost = yield* RestoreSqlite.into(file, join(folder, "new.db"), 10_000)
        return [stops.holds, restored.holds, lost.holds, verified.breaks] as const
      })
    )
    expect(holds.map(({ kind, since, why }) => [kind, since, why])).toEqual([
      ["policy", 8_000, undefined],
      ["kill", 9_500, "wrong prices"]
    ])
    expect([restored, lost]).toEqual([2, undefined])
    expect(unbroken).toEqual([])
  })

  it("does not forget which parcels were packed after it was made, however long ago, nor in which order", async () => {
    const [found, restored] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        const supplyId = SupplyId.make("PLATFORM-GI-1")
        const [first, second, third] = [OrderId.make(7), OrderId.make(3), OrderId.make(5)]
        const packed = (orderId: OrderId, at: number) =>
          Effect.gen(function* () {
            const detail = { supplyId }
            yield* (yield* OrderEvents).record("shop", [{ orderId, at, kind: "packed", detail }])
            yield* (yield* SupplyOrders).append("shop", supplyId, [orderId], at)
          })
        const parcels = Layer.provideMerge(
          Layer.merge(OrderEventsSql.layer, SupplyOrdersSql.layer),
          open(store)
        )
        yield* Effect.provide(Effect.zipRight(begin("run 1"), packed(first, 8_000)), parcels)
        yield* backup(store, file)
        yield* Effect.provide(packed(second, 9_500), parcels)
        yield* Effect.provide(packed(third, 9_500 + 60 * 86_400_000), parcels)
        const { kept } = yield* restore(file, store)
        const known = yield* Effect.provide(Parcels.look("shop", supplyId, [second, third]), parcels)
        return [known, kept] as const
      })
    )
    expect([...found.packed]).toEqual([7, 3, 5])
    expect(found.left).toEqual([7])
    expect(restored).toEqual({ changes: 0, edits: 0, rejected: 0, areOrdersRead: true })
  })

  it("does not set it free where nobody can read which limits there were", async () => {
    const [holds, restored] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        const kill = { account: "shop", by: "olga", kind: "kill", what: "", since: 9_500 } as const
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        yield* Effect.provide(
          Effect.zipRight(
            place(kill),
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("DROP TABLE store_marks"))
          ),
          stopping(store)
        )
        const restored = yield* restore(file, store)
        const stops = yield* Effect.provide(
          Effect.flatMap(Journal, (journal) => journal.stops("shop")),
          open(store)
        )
        return [stops.holds, restored] as const
      })
    )
    expect(holds.map(({ kind, since }) => [kind, since])).toEqual([["kill", 9_500]])
    expect([restored.holds, restored.isMarked]).toEqual([1, false])
  })

  it("is whole though another one was begun under its name", () =>
    inFolder((folder) =>
      Effect.promise(async () => {
        const path = join(folder, "backup.gz")
        const [one, other] = [new BackupFile.Writing(path), new BackupFile.Writing(path)]
        for (const text of ["first", "second"]) {
          one.line([text, "of the one"])
          other.line([text, "of the other, which is longer"])
        }
        one.finish()
        expect(() => other.finish()).toThrow(/never replaces another/)
        other.abandon()
        await BackupFile.verify(path)
        expect(readdirSync(folder).sort()).toEqual(["backup.gz", "backup.gz.sha256"])
      })
    ))

  it("leaves the store in its place when there is no room for the restored one beside it", async () => {
    const [failure, runs, files] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        yield* Effect.provide(begin("run 2"), open(store))
        // Nothing can be copied to where a folder is.
        mkdirSync(`${store}.new`)
        const failure = yield* Effect.flip(restore(file, store))
        const runs = Effect.flatMap(Journal, (journal) => journal.runs("shop", 9))
        return [failure.message, yield* Effect.provide(runs, open(store)), readdirSync(folder)] as const
      })
    )
    expect(failure).toContain("could not put the restored store in its place")
    expect(runs.map(({ runId }) => runId)).toEqual(["run 2", "run 1"])
    expect(files.filter((name) => /replaced|restoring/.test(name))).toEqual([])
  })

  it("puts the store back when the exchange fails half-way", async () => {
    const [failure, text, files] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [other, file] = [join(folder, "other.db"), join(folder, "backup.gz")]
        const store = join(folder, "store.db")
        yield* Effect.provide(begin("run 1"), open(other))
        yield* backup(other, file)
        writeFileSync(store, "damaged")
        // A folder cannot be moved to where a file is.
        mkdirSync(`${store}-shm`)
        writeFileSync(`${store}.replaced-1970-01-01T00-00-10.000Z-shm`, "")
        const failure = yield* Effect.flip(restore(file, store))
        return [failure.message, readFileSync(store, "utf8"), readdirSync(folder)] as const
      })
    )
    expect(failure).toContain("could not put the restored store in its place")
    expect(text).toBe("damaged")
    expect(files).toContain("store.db-shm")
    expect(files.filter((name) => /replaced-.*Z$|restoring|new/.test(name))).toEqual([])
  })

  it("never replaces a file, and is refused when a byte of it changed", async () => {
    const [again, damaged] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        const second = yield* Effect.flip(backup(store, file))
        const bytes = readFileSync(file)
        bytes[bytes.length >> 1] = bytes[bytes.length >> 1]! ^ 1
        writeFileSync(file, bytes)
        return [second.message, (yield* Effect.flip(restore(file, store))).message]
      })
    )
    expect(again).toMatch(/exists, and a backup never replaces another/)
    expect(damaged).toMatch(/its SHA-256 differs/)
  })

  it("does not replace a store that somebody works with, and takes a dead run's lock for nobody's", async () => {
    const opened = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        const failing = Effect.flip(RestoreSqlite.into(file, store, 10_000))
        const whileOpen = yield* Effect.provide(Effect.zipRight(begin("run 2"), failing), open(store))
        const lock = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`INSERT INTO locks (account, lane, holder, until) VALUES ('shop', 'ads', 'pid 7 on desk', 99000)`
        )
        yield* Effect.provide(lock, open(store))
        yield* restore(file, store)
        return whileOpen.message
      })
    )
    expect(opened).toMatch(/another process has it open/)
  })
})

describe("while a restore works", () => {
  it("nobody stops what would be forgotten: a kill is refused, and stands when it is placed again", async () => {
    const [refused, holds] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        const kill = place({ account: "shop", kind: "kill", what: "", since: 9_500, by: "olga" })
        const runs = Effect.forEach(Array(20).keys(), (n) => begin(`run ${n}`), { discard: true })
        yield* Effect.provide(runs, open(store))
        yield* backup(store, file)
        const restoring = yield* Effect.fork(restore(file, store))
        while (!existsSync(`${store}.restoring`)) yield* Effect.sleep(0)
        const held = SqliteClient.layer({ filename: store, busyTimeoutMs: 20 })
        const hasty = Layer.provideMerge(StopsSql.layer, Layer.provideMerge(Migrations.layer, held))
        const refused = yield* Effect.either(Effect.provide(kill, hasty))
        yield* Fiber.join(restoring)
        if (Either.isLeft(refused)) yield* Effect.provide(kill, stopping(store))
        const stops = Effect.flatMap(Journal, (journal) => journal.stops("shop"))
        return [
          Either.isLeft(refused) && refused.left.message,
          (yield* Effect.provide(stops, open(store))).holds
        ]
      })
    )
    expect(holds).toMatchObject([{ kind: "kill", since: 9_500 }])
    expect(refused).toContain("another process keeps the store busy")
  })

  it("the store is there at every moment, the old one or the restored one", async () => {
    const [wasThere, found] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* backup(store, file)
        const wasThere: Array<boolean> = []
        const rename = fs.renameSync
        vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
          wasThere.push(existsSync(store))
          rename(from, to)
          wasThere.push(existsSync(store))
        })
        syncBuiltinESMExports()
        const { replaced } = yield* restore(file, store)
        return [wasThere, existsSync(replaced ?? "")] as const
      })
    ).finally(() => {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })
    expect(wasThere.length).toBeGreaterThan(0)
    expect(wasThere).not.toContain(false)
    expect(found).toBe(true)
  })

  it("a store that somebody makes where there was none is not replaced", async () => {
    const [failure, runs] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [other, store] = [join(folder, "other.db"), join(folder, "store.db")]
        const file = join(folder, "backup.gz")
        yield* Effect.provide(begin("run 1"), open(other))
        yield* backup(other, file)
        const restoring = yield* Effect.fork(Effect.flip(restore(file, store)))
        while (!existsSync(`${store}.restoring`)) yield* Effect.sleep(0)
        yield* Effect.provide(begin("run 2"), open(store))
        const failure = yield* Fiber.join(restoring)
        const runs = Effect.flatMap(Journal, (journal) => journal.runs("shop", 9))
        return [failure.message, yield* Effect.provide(runs, open(store))] as const
      })
    )
    expect(failure).toContain("another process has made one meanwhile")
    expect(runs.map(({ runId }) => runId)).toEqual(["run 2"])
  })
})

it("a store whose file has another name is neither opened nor replaced, and it is said how to mend it", async () => {
  const [opened, restored, again] = await inFolder((folder) =>
    Effect.gen(function* () {
      const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
      yield* Effect.provide(begin("run 1"), open(store))
      yield* backup(store, file)
      fs.linkSync(store, join(folder, "other.db"))
      const opened = yield* Effect.flip(Effect.provide(begin("run 2"), open(store)))
      const restored = yield* Effect.flip(restore(file, store))
      fs.rmSync(join(folder, "other.db"))
      yield* Effect.provide(begin("run 2"), open(store))
      return [opened.message, restored.message, "opened"]
    })
  )
  for (const message of [opened, restored])
    expect(message).toMatch(/store\.db has another name on its disk \(a hard link\).*-samefile .*delete it/)
  expect(again).toBe("opened")
})

describe("an old copy of the store's file", () => {
  it("is noticed when it is opened, and sends nothing", async () => {
    const failure = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, copy] = [join(folder, "store.db"), join(folder, "copy.db")]
        yield* Effect.provide(begin("run 1"), open(store))
        yield* released
        copyFileSync(store, copy)
        yield* Effect.provide(begin("run 2"), open(store))
        yield* released
        copyFileSync(copy, store)
        return yield* Effect.flip(Effect.provide(begin("run 3"), open(store)))
      })
    )
    expect(failure.message).toMatch(/the store is an older copy, or another one/)
  })
})

describe("a damaged file", () => {
  it("is refused before anything is written to it, and a restore gets over it", async () => {
    const [failure, untouched, runs] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [store, file] = [join(folder, "store.db"), join(folder, "backup.gz")]
        yield* Effect.provide(
          Effect.forEach(Array(20).keys(), (n) => begin(`run ${n}`), { discard: true }),
          open(store)
        )
        // Whoever only reads leaves what was written in the log beside the file.
        yield* released
        yield* backup(store, file)
        yield* released
        const bytes = readFileSync(store)
        for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 64)
        writeFileSync(store, bytes)
        const failed = yield* Effect.flip(Effect.provide(begin("more"), open(store)))
        const same = readFileSync(store).equals(bytes)
        yield* restore(file, store)
        const count = Effect.flatMap(Journal, (journal) => journal.runs("shop", 99))
        return [failed.message, same, (yield* Effect.provide(count, open(store))).length] as const
      })
    )
    expect(failure).toMatch(/damaged or not a store; restore a backup \(bidhelm restore FILE\)/)
    expect([untouched, runs]).toEqual([true, 20])
  })
})
