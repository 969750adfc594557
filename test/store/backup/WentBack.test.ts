/** A store that goes back to an earlier state while a program works with it, as a server does with an old snapshot. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as AuditPurge from "../../../src/store/audit/AuditPurge.js"
import { SerialFile } from "../../../src/store/audit/SerialFile.js"
import * as SerialMarker from "../../../src/store/audit/SerialMarker.js"
import * as StoreMarks from "../../../src/store/audit/StoreMarks.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import { change, client, inFolder, rows, run } from "../Fixture.js"

interface Program {
  readonly journal: typeof Journal.Service
  readonly sql: SqlClient.SqlClient
  /** One run from its beginning to its end. */
  readonly work: (id: string, account?: string) => Effect.Effect<void, Error>
}

/** A program that stays up: one store, opened once, and a file of its machine's own. */
const program = (folder: string, machine = "one") =>
  Effect.map(
    Layer.build(
      SerialMarker.guarding(join(folder, `${machine}.serial`)).pipe(
        Layer.provide(JournalSql.layer),
        Layer.provide(Migrations.layer),
        Layer.provideMerge(client({ filename: join(folder, "store.db") }))
      )
    ),
    (context): Program => {
      const [journal, sql] = [Context.get(context, Journal), Context.get(context, SqlClient.SqlClient)]
      const work = (id: string, account = "shop") =>
        Effect.zipRight(
          journal.begin(run(id, { account }), rows([change(0)])),
          journal.finish(id, "done", { applied: 1 }, 2_000)
        )
      return { journal, sql, work }
    }
  )

const tables = ["runs", "changes", "audit", "audit_heads", "store_marks", "locks"]

/** Keeps the state that `goBack` brings back. */
const snapshot = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    tables,
    (table) =>
      Effect.zipRight(
        sql.unsafe(`DROP TABLE IF EXISTS old_${table}`),
        sql.unsafe(`CREATE TABLE old_${table} AS SELECT * FROM ${table}`)
      ),
    { discard: true }
  )

const goBack = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.zipRight(
      Effect.forEach([...tables].reverse(), (table) => sql.unsafe(`DELETE FROM ${table}`)),
      Effect.forEach(tables, (table) => sql.unsafe(`INSERT INTO ${table} SELECT * FROM old_${table}`))
    )
  )

const runIds = ({ journal }: Program) =>
  Effect.map(journal.runs(undefined, 9), (runs) => runs.map(({ runId }) => runId).sort())

const older =
  /nothing was sent: the store is an older copy, or another one: record \d+ of shop.*bidhelm reconcile/

describe("runs that begin at once", () => {
  it("go on only when the file knows the beginning of each, though they share its writing", async () => {
    const accounts = Array.from({ length: 30 }, (_, i) => `shop ${i}`)
    const noted = await inFolder((folder) =>
      Effect.gen(function* () {
        const { journal } = yield* program(folder)
        return yield* Effect.forEach(
          accounts,
          (account, i) =>
            Effect.zipRight(
              Effect.andThen(
                Effect.sleep(i % 7),
                journal.begin(run(`run ${i}`, { account }), rows([change(0)]))
              ),
              Effect.sync(() => new SerialFile(join(folder, "one.serial")).heads().get(account)?.seq)
            ),
          { concurrency: "unbounded" }
        )
      })
    )
    expect(noted).toEqual(accounts.map(() => 2))
  })
})

describe("a machine that cannot write its file", () => {
  it("sends all the same, and warns once of what it does not notice until it can", async () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => void warnings.push(String(message)))
    const runs = await inFolder((folder) =>
      Effect.gen(function* () {
        mkdirSync(join(folder, "one.serial"))
        const one = yield* program(folder)
        yield* one.work("run 1")
        yield* one.work("run 2")
        rmSync(join(folder, "one.serial"), { recursive: true })
        yield* one.work("run 3")
        return yield* runIds(one)
      }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    )
    expect(runs).toEqual(["run 1", "run 2", "run 3"])
    expect(warnings).toEqual([
      expect.stringMatching(
        /could not note in \S+one\.serial what the store knows: .*until then this machine does not notice a database that is rolled back/
      )
    ])
  })
})

describe("a store that goes back while a program works with it", () => {
  it("is marked before the next run, and nothing begins; the file still knows what is missing", async () => {
    const [failure, runs, mark, before, after] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        const file = () => JSON.parse(readFileSync(join(folder, "one.serial"), "utf8")).heads[0]
        yield* one.work("run 1")
        yield* snapshot(one.sql)
        yield* one.work("run 2")
        const before = file()
        yield* goBack(one.sql)
        const failure = yield* Effect.flip(one.journal.begin(run("run 3"), rows([change(0)])))
        const mark = yield* one.journal.observeOnly("shop")
        return [failure.message, yield* runIds(one), mark?.why, before, file()] as const
      })
    )
    expect(failure).toMatch(older)
    expect(runs).toEqual(["run 1"])
    expect(mark).toMatch(/older copy/)
    expect([after.seq, after.hash]).toEqual([before.seq, before.hash])
  })

  it("is seen by whoever asks whether it may be written to, before anything is planned", async () => {
    const [well, mark, other] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        yield* one.work("run 1")
        yield* snapshot(one.sql)
        yield* one.work("run 2")
        const well = yield* one.journal.observeOnly("shop")
        yield* goBack(one.sql)
        return [well, yield* one.journal.observeOnly("shop"), yield* one.journal.observeOnly("Shop")] as const
      })
    )
    expect(well).toBeUndefined()
    expect(mark?.why).toMatch(/older copy/)
    expect(other).toEqual(mark)
  })

  it("is noticed by the run of an account whose chain lost nothing, for what others had sent is lost too", async () => {
    const [failure, noted] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        const two = yield* program(folder, "two")
        yield* one.work("run 1")
        yield* two.work("run 2", "Shop")
        yield* snapshot(one.sql)
        yield* Effect.sleep(2_100)
        yield* two.work("run 3", "Shop")
        yield* one.work("run 4")
        const noted = new SerialFile(join(folder, "one.serial")).heads().get("Shop")?.seq
        yield* goBack(one.sql)
        yield* Effect.sleep(2_100)
        return [(yield* Effect.flip(one.work("run 5", "third"))).message, noted] as const
      })
    )
    expect(failure).toMatch(
      /nothing was sent: the store is an older copy, or another one: record \d+ of [sS]hop/
    )
    // What another program has sent is noted here too.
    expect(noted).toBeGreaterThan(3)
  })

  it("is noticed though its chain has grown past what was noted, and though only rows of the chain are gone", async () => {
    const [grown, cut] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        const two = yield* program(folder, "two")
        yield* one.work("run 1")
        yield* snapshot(one.sql)
        yield* one.work("run 2")
        yield* goBack(one.sql)
        yield* two.work("run 3")
        yield* two.work("run 4")
        const grown = yield* Effect.flip(one.work("run 5"))
        yield* StoreMarks.lift(one.sql, "shop", 0, "olga")
        yield* one.work("run 5")
        yield* one.sql`DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit)`
        return [grown.message, (yield* Effect.flip(one.work("run 6"))).message] as const
      })
    )
    expect([grown, cut]).toEqual([expect.stringMatching(older), expect.stringMatching(older)])
  })

  it("stops the runs under way when one of them ends: they claim nothing more", async () => {
    const [before, claim, mark] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        const { epoch } = yield* one.journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 45_000)
        yield* one.journal.begin(run("mine"), rows([change(0), change(1)]))
        yield* one.journal.begin(run("theirs", { account: "Shop" }), rows([change(0)]))
        yield* snapshot(one.sql)
        yield* one.work("more", "Shop")
        const claimed = (id: string) =>
          one.journal.claim(
            { lane: "ads", account: "shop", holder: "a", epoch },
            "mine",
            [id],
            ["planned"],
            "claimed",
            {
              nowMs: 2_000
            }
          )
        const before = yield* claimed("change 0")
        yield* goBack(one.sql)
        yield* one.journal.finish("theirs", "done", {}, 3_000)
        return [
          before._tag,
          (yield* claimed("change 1"))._tag,
          yield* one.journal.observeOnly("shop")
        ] as const
      })
    )
    expect([before, claim]).toEqual(["Moved", "Fenced"])
    expect(mark?.why).toMatch(/record \d+ of Shop was in it before/)
  })

  it("asks for one reconciliation, whichever machine did it, and is noticed again when it goes back again", async () => {
    const [marked, runs, again] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [one, two] = [yield* program(folder), yield* program(folder, "two")]
        yield* one.work("run 1")
        yield* snapshot(one.sql)
        yield* one.work("run 2")
        yield* two.work("run 3")
        yield* goBack(one.sql)
        // Both at once: only one of them can be the first to mark it.
        const marks = yield* Effect.all([one.journal.observeOnly("shop"), two.journal.observeOnly("shop")], {
          concurrency: 2
        })
        const marked = marks.map((mark) => mark?.why)
        yield* StoreMarks.lift(one.sql, "shop", 0, "olga")
        yield* SerialMarker.note(join(folder, "one.serial")).pipe(
          Effect.provideService(SqlClient.SqlClient, one.sql)
        )
        yield* two.work("run 4")
        yield* one.work("run 5")
        const runs = yield* runIds(one)
        yield* snapshot(one.sql)
        yield* two.work("run 6")
        yield* goBack(one.sql)
        yield* one.work("run 7")
        return [marked, runs, (yield* Effect.flip(two.work("run 8"))).message] as const
      })
    )
    expect(marked).toEqual([expect.stringMatching(/older copy/), expect.stringMatching(/older copy/)])
    expect(runs).toEqual(["run 1", "run 4", "run 5"])
    expect(again).toMatch(older)
  })
})

describe("a store that goes on", () => {
  it("is never taken for an older one, though others write to it and old rows are purged from it", async () => {
    const [runs, mark] = await inFolder((folder) =>
      Effect.gen(function* () {
        const [one, two] = [yield* program(folder), yield* program(folder, "two")]
        yield* one.work("run 1")
        yield* two.work("run 2")
        yield* two.work("of another", "Shop")
        yield* one.work("run 3")
        yield* AuditPurge.purge(one.sql, 9_000, 10_000)
        yield* one.work("run 4")
        yield* two.work("run 5")
        return [yield* runIds(one), yield* two.journal.observeOnly("shop")] as const
      })
    )
    expect(runs).toEqual(["of another", "run 1", "run 2", "run 3", "run 4", "run 5"])
    expect(mark).toBeUndefined()
  })

  it("is not doubted by many runs at once", async () => {
    const [runs, heads] = await inFolder((folder) =>
      Effect.gen(function* () {
        const one = yield* program(folder)
        const ids = Array.from({ length: 24 }, (_, n) => `run ${n}`)
        yield* Effect.forEach(ids, (id, n) => one.work(id, `shop ${n % 8}`), { concurrency: 8 })
        const { heads } = JSON.parse(readFileSync(join(folder, "one.serial"), "utf8"))
        return [(yield* one.journal.runs(undefined, 99)).length, heads.length] as const
      })
    )
    expect([runs, heads]).toEqual([24, 8])
  })
})

describe("a file of an older version, which does not say when accounts were reconciled", () => {
  it("is believed, and asks for one reconciliation", async () => {
    const [failure, rewritten] = await inFolder((folder) =>
      Effect.gen(function* () {
        const file = join(folder, "one.serial")
        writeFileSync(file, JSON.stringify({ version: 1, heads: [{ account: "shop", seq: 7, hash: "ab" }] }))
        const one = yield* program(folder)
        const failure = yield* Effect.flip(one.work("run 1"))
        yield* StoreMarks.lift(one.sql, "shop", 0, "olga")
        yield* one.work("run 1")
        yield* one.work("run 2")
        return [failure.message, readFileSync(file, "utf8")] as const
      })
    )
    expect(failure).toMatch(older)
    expect(rewritten).not.toContain('"ab"')
  })
})
