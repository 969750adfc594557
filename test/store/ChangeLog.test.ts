import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import type { OutcomeReason } from "../../src/domain/OutcomeReason.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import { explained } from "./Explained.js"
import { by, change, database, inMemory, migrated, postgres, rows, run } from "./Fixture.js"
import * as Postgres from "./Postgres.js"

afterAll(Postgres.end)

const day = 86_400_000

const onPostgres = async <A, E>(program: Effect.Effect<A, E, ChangeLog | Journal>): Promise<A> => {
  const store = Layer.merge(ChangeLogSql.layer, JournalSql.layer)
  return Effect.runPromise(Effect.provide(program, Layer.provideMerge(store, postgres(await migrated()))))
}

const isRangeOfPostgres = /changes_of_policy[^>]*Cond: [^\n]*began_at >=/

/** A run of one applied change, which left at its instant. */
const applied = (id: string, began: number, sent: number, policy = "01-raise", account = "shop") =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* journal.begin(run(id, { account, startedAt: began }), rows([change(0, { origin: by(policy) })]))
    yield* journal.move(id, ["change 0"], ["planned"], "dispatching", { nowMs: sent, sent: true })
    yield* journal.move(id, ["change 0"], ["dispatching"], "applied", { nowMs: sent + 1_000 })
  })

describe("the past of changes", () => {
  it("has those of some policies that left since an instant, though their run began a week before", async () => {
    const [found, none] = await inMemory(
      Effect.gen(function* () {
        yield* applied("at once", 100 * day, 100 * day)
        yield* applied("earlier", 99 * day, 100 * day - 1)
        yield* applied("after a week", 93 * day, 100 * day)
        yield* applied("another policy", 100 * day, 100 * day, "02-lower")
        yield* applied("a third policy", 100 * day, 100 * day, "03-stop")
        yield* applied("another account", 100 * day, 100 * day, "01-raise", "other")
        const log = yield* ChangeLog
        return [
          yield* log.applied("shop", ["01-raise", "02-lower"], 100 * day),
          yield* log.applied("shop", ["01-raise"], 100 * day + 1)
        ] as const
      })
    )
    expect(found.map(({ runId }) => runId)).toEqual(["after a week", "another policy", "at once"])
    expect(none).toEqual([])
  })

  it("has as refused what the marketplace refused and what was found unfit, by its code and not by its words", async () => {
    const refused = Effect.gen(function* () {
      const journal = yield* Journal
      const said = 'half a character \ud83d, {"code":"unfit"}'
      yield* journal.begin(run("one"), rows([change(0), change(1), change(2)]))
      const end = (id: number, to: "rejected" | "skipped", reason: OutcomeReason) =>
        journal.move("one", [`change ${id}`], ["planned"], to, { nowMs: 2_000 + id, reason })
      yield* end(0, "rejected", { code: "refused", said })
      yield* end(1, "skipped", { code: "unfit", said })
      yield* end(2, "skipped", { code: "closed", said })
      return yield* (yield* ChangeLog).refused("shop", 2_000)
    })
    for (const inside of [inMemory, onPostgres])
      expect((await inside(refused)).map(({ change }) => change.id)).toEqual(["change 0", "change 1"])
  }, 60_000)

  it("has what was set of slots that begin alike by whomever, and left since an instant", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* applied("at once", 100 * day, 100 * day)
        yield* applied("earlier", 99 * day, 100 * day - 1)
        yield* applied("another policy", 99 * day, 100 * day + 1, "02-lower")
        yield* applied("another account", 100 * day, 100 * day, "01-raise", "other")
        const journal = yield* Journal
        yield* journal.begin(run("not sent", { account: "shop", startedAt: 100 * day }), rows([change(0)]))
        const log = yield* ChangeLog
        return [
          yield* log.appliedNamed("shop", "slot of ", 100 * day),
          yield* log.appliedNamed("shop", "another ", 100 * day)
        ] as const
      })
    )
    expect(found.map((some) => some.map(({ runId }) => runId))).toEqual([["at once", "another policy"], []])
  })

  it("has those of slots that begin alike, on demand only of runs since an instant", async () => {
    const [all, since] = await inMemory(
      Effect.gen(function* () {
        yield* applied("long ago", 10 * day, 10 * day)
        yield* applied("lately", 100 * day, 100 * day)
        yield* applied("another account", 100 * day, 100 * day, "01-raise", "other")
        const log = yield* ChangeLog
        const prefix = "slot of "
        return [
          yield* log.ofSlotsNamed("shop", prefix),
          yield* log.ofSlotsNamed("shop", prefix, 100 * day)
        ] as const
      })
    )
    expect(all.map(({ runId }) => runId)).toEqual(["long ago", "lately"])
    expect(since.map(({ runId }) => runId)).toEqual(["lately"])
  })

  /** So many changes of as many runs, one a day. PostgreSQL chooses by what is in a table. */
  const years = (days: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const numbers = sql`WITH RECURSIVE numbers (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${days})`
      const at = sql`n * CAST(${day} AS BIGINT)`
      yield* sql`INSERT INTO runs (run_id, account, lane, plan_id, started_at, status, counts)
        ${numbers} SELECT 'run ' || n, 'shop', 'ads', 'plan', ${at}, 'done', '{}' FROM numbers`
      yield* sql`INSERT INTO changes (run_id, change_id, position, slot, account, policy, change, state, updated_at,
          sent_at, began_at)
        ${numbers} SELECT 'run ' || n, 'change', 0, 'slot ' || n, 'shop', '01-raise', '{}', 'applied', ${at}, ${at},
          ${at} FROM numbers`
      if (database.kind === "postgres") yield* sql`ANALYZE`
    })

  it("reads the changes of its policies by an index, and of long ago none", async () => {
    const plan = await inMemory(
      Effect.gen(function* () {
        yield* years(5_000)
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(
          explained(ChangeLogSql.appliedSince(sql, "shop", ["01-raise", "02-lower"], 4_900 * day))
        )
      })
    )
    expect(plan).toMatch(database.kind === "postgres" ? isRangeOfPostgres : /changes_of_policy .*began_at>/)
  })

  it("reads what was set of slots that begin alike by an index that knows when it was sent", async () => {
    const plan = await inMemory(
      Effect.gen(function* () {
        yield* years(5_000)
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(
          explained(ChangeLogSql.appliedNamedSince(sql, "shop", "slot ", 4_900 * day))
        )
      })
    )
    expect(plan).toMatch(
      database.kind === "postgres"
        ? /changes_by_slot[^>]*Cond: [^\n]*sent_at >=/
        : /COVERING INDEX changes_by_slot .*slot>/
    )
  })

  it("reads what was refused by the index of what was", async () => {
    const plan = await inMemory(
      Effect.gen(function* () {
        yield* years(5_000)
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(explained(ChangeLogSql.refusedSince(sql, "shop", 4_900 * day)))
      })
    )
    expect(plan).toMatch(/changes_refused/)
  })

  it("reads which orders went into supplies lately by the runs, however many did in all the years", async () => {
    const plan = await inMemory(
      Effect.gen(function* () {
        yield* years(5_000)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE runs SET lane = 'orders'`
        yield* sql`UPDATE changes SET slot = 'order_in_supply:' || position`
        return yield* sql.withTransaction(explained(RuleMemorySql.putSince(sql, "shop", 4_990 * day)))
      })
    )
    expect(plan).toMatch(/runs_by_start(.|\n)*(changes_pkey|changes USING PRIMARY KEY)/)
    expect(plan).not.toMatch(/SCAN|Seq Scan/)
  })

  it("tells of more marks than a call takes arguments", async () => {
    const many = 150_000
    const found = await inMemory(
      Effect.gen(function* () {
        yield* (yield* Journal).begin(run(), rows([change(0)]))
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO watch_marks (run_id, change_id, after_ms, judged_at)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
          SELECT 'run 1', 'change 0', n, 1 FROM numbers`
        return yield* (yield* RuleMemory).marks(["run 1"])
      })
    )
    expect(found).toHaveLength(many)
    expect(found.at(-1)).toEqual({ runId: "run 1", changeId: "change 0", afterMs: many })
  })
})
