import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { OrderId } from "../../src/domain/Ids.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import { Snapshots } from "../../src/engine/planning/Snapshots.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as AuditSql from "../../src/store/audit/AuditSql.js"
import * as AuditVerify from "../../src/store/audit/AuditVerify.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as SnapshotsSql from "../../src/store/facts/SnapshotsSql.js"
import * as MarkVaultSql from "../../src/store/fulfilment/MarkVaultSql.js"
import * as Retention from "../../src/store/retention/Retention.js"

import { change, database, inFolder, inMemory, plan, rows, run, store } from "./Fixture.js"

describe("forgetting", () => {
  const day = 86_400_000
  const settle = (id: string, at: number, state: "applied" | "skipped" | undefined) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      yield* journal.begin(
        run(id, { startedAt: at }),
        rows([change(0)], () => "slot")
      )
      if (state !== undefined)
        yield* journal.move(id, ["change 0"], ["planned"], state, { nowMs: at, sent: true })
      yield* journal.finish(id, "done", {}, at)
    })

  const short = { plansDays: 30, journalDays: 30, reportsDays: 30 }

  it("keeps open changes and each slot's latest applied one; the chain can still be verified", async () => {
    const [guess, purged, left, verified, again] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const memory = yield* RuleMemory
        yield* memory.savePlan(plan)
        yield* settle("first", day, "applied")
        yield* settle("second", 2 * day, "applied")
        yield* settle("third", 3 * day, "skipped")
        yield* settle("open", 4 * day, undefined)
        const dry = yield* Retention.dryRun(500 * day)
        const done = yield* Retention.purge(500 * day)
        const runs = (yield* journal.runs("shop", 9)).map(({ runId }) => runId).sort()
        yield* settle("later", 500 * day, "applied")
        return [
          dry,
          done,
          runs,
          yield* AuditVerify.verify("shop"),
          yield* Retention.dryRun(500 * day)
        ] as const
      })
    )
    expect(left).toEqual(["open", "second"])
    expect(purged).toMatchObject({ runs: 2, changes: 2 })
    expect(guess).toEqual(purged)
    expect(verified.breaks).toEqual([])
    expect(verified.purged).toBeGreaterThan(0)
    expect(again.audit).toBe(0)
  })

  it("keeps the change that was sent last, though one before it left by a clock that was ahead", async () => {
    const left = await inMemory(
      Effect.gen(function* () {
        yield* settle("ahead", 3 * day, "applied")
        yield* settle("set right", 2 * day, "applied")
        yield* Retention.purge(500 * day)
        return (yield* (yield* Journal).runs("shop", 9)).map(({ runId }) => runId)
      })
    )
    expect(left).toEqual(["set right"])
  })

  it("keeps a change that was settled long after its run had ended as long as its rows of the chain", async () => {
    const [early, late] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(
          run("enrol", { startedAt: 10 * day }),
          rows([change(0)], () => "slot")
        )
        const sent = { nowMs: 10 * day, sent: true }
        yield* journal.move("enrol", ["change 0"], ["planned"], "accepted", sent)
        yield* journal.finish("enrol", "done", {}, 10 * day)
        yield* journal.move("enrol", ["change 0"], ["accepted"], "conflict", { nowMs: 25 * day })
        const forgottenAt = (ms: number) =>
          Effect.gen(function* () {
            const { changes } = yield* Retention.purge(ms, short)
            return [changes, (yield* AuditVerify.verify("shop")).breaks]
          })
        return [yield* forgottenAt(41 * day), yield* forgottenAt(56 * day)] as const
      })
    )
    expect(early).toEqual([0, []])
    expect(late).toEqual([1, []])
  })

  it("knows for 400 days what was filed and did not enter, however short the journal: it is filed once only", async () => {
    const left = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        for (const slot of ["enrolment:2001/1001", "bid:1"]) {
          yield* journal.begin(
            run(slot, { startedAt: day }),
            rows([change(0)], () => slot)
          )
          yield* journal.move(slot, ["change 0"], ["planned"], "conflict", { nowMs: day, sent: true })
          yield* journal.finish(slot, "done", {}, day)
        }
        yield* Retention.purge(60 * day, short)
        const soon = yield* runsLeft
        yield* Retention.purge(402 * day, short)
        return [soon, yield* runsLeft]
      })
    )
    expect(left).toEqual([["enrolment:2001/1001"], []])
  })

  it("lets no clock that is a year ahead take days' facts and marks that nothing tells again", async () => {
    const year = 365 * day
    const [days, marks] = await inMemory(
      Effect.gen(function* () {
        yield* Retention.believedNow(100 * day)
        const snapshots = yield* Snapshots
        const vault = yield* MarkVault
        const mark = (orderId: number) => ({
          orderId: OrderId.make(orderId),
          key: "uin" as const,
          fingerprint: `${orderId}`,
          marks: Redacted.make([`${orderId}`])
        })
        for (const [nth, at] of [100 * day, 100 * day + year, 101 * day + year].entries()) {
          yield* TestClock.setTime(at)
          yield* snapshots.keep("shop", { atMs: at, day: Days.ofMarket(at) }, [{ name: "a", text: "{}" }])
          yield* vault.keep("shop", [mark(nth + 1)])
        }
        const kept = yield* vault.of(
          "shop",
          [1, 2, 3].map((id) => OrderId.make(id))
        )
        return [(yield* snapshots.days("shop")).length, kept.length]
      }).pipe(
        Effect.provide(Layer.mergeAll(SnapshotsSql.layer(), MarkVaultSql.layer)),
        Effect.provide(TestContext.TestContext)
      )
    )
    expect([days, marks]).toEqual([3, 3])
  })

  const taken = (by: string, undone: string) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`INSERT INTO undoes VALUES (${by}, 'change 0', ${undone}, 'change 0')`
    )
  const runsLeft = Effect.flatMap(Journal, (journal) =>
    Effect.map(journal.runs("shop", 99), (all) => all.map(({ runId }) => runId).sort())
  )

  it("waits for a watch: what was taken back and the change below it stay for 90 days, however short the journal", async () => {
    const [guess, purged, kept, late] = await inMemory(
      Effect.gen(function* () {
        yield* settle("long over", 45 * day, "applied")
        yield* settle("watched", 50 * day, "applied")
        yield* settle("refused", 51 * day, "skipped")
        yield* settle("upon it", 55 * day, "applied")
        yield* settle("back", 56 * day, "applied")
        yield* taken("back", "upon it")
        const dry = yield* Retention.dryRun(120 * day, short)
        const done = yield* Retention.purge(120 * day, short)
        const log = yield* ChangeLog
        const seen = (yield* log.ofSlots("shop", ["slot"], 0)).map(({ runId }) => runId)
        yield* Retention.purge(147 * day, short)
        return [dry, done, seen, yield* runsLeft] as const
      })
    )
    expect(kept).toEqual(["watched", "upon it", "back"])
    expect(purged).toMatchObject({ runs: 2, changes: 2 })
    expect(guess).toEqual(purged)
    expect(late).toEqual(["back"])
  })

  it("lets a policy rest after its watch took something back, though another policy has moved the row since", async () => {
    const [kept, late] = await inMemory(
      Effect.gen(function* () {
        const memory = yield* RuleMemory
        yield* settle("raised", 50 * day, "applied")
        yield* settle("back", 56 * day, "applied")
        yield* taken("back", "raised")
        yield* settle("other", 60 * day, "applied")
        const rests = Effect.map(memory.slots("shop", 0), (slots) => slots.get("slot")?.rolledBack)
        yield* Retention.purge(140 * day, short)
        const before = yield* rests
        yield* Retention.purge(148 * day, short)
        return [before, yield* rests] as const
      })
    )
    expect(kept).toEqual([{ policy: "01-raise", at: 56 * day }])
    expect(late).toBeUndefined()
  })

  it("goes for turns, approvals, holds, creations, figures and idle limits; what still counts stays", async () => {
    const now = 500 * day
    const insert = (sql: SqlClient.SqlClient, table: string, values: Readonly<Record<string, unknown>>) =>
      sql`INSERT INTO ${sql(table)} ${sql.insert(values)}`
    const turn = (job: string, due: number, state: string) => ({
      account: "shop",
      lane: "ads",
      job,
      due_at: due,
      since: due,
      schedule: "every: 1d",
      state,
      attempts: 1,
      recorded_at: due,
      updated_at: due
    })
    const approval = (id: string, at: number, state: string) => ({
      approval_id: id,
      account: "shop",
      plan: new Uint8Array(),
      asked: "[]",
      state,
      requested_at: at,
      expires_at: at + day
    })
    const hold = (what: string, lifted: number | null) => ({
      account: "shop",
      kind: "policy",
      what,
      since: day,
      placed_by: "olga",
      lifted_at: lifted
    })
    const creation = (id: string, state: string) => ({
      id,
      account: "shop",
      lane: "orders",
      operation: "createSupply",
      marker: id,
      request_hash: "h",
      before_ids: "[]",
      state,
      stored_at: day,
      updated_at: day
    })
    const edit = (slot: string, seen: number) => ({
      account: "shop",
      slot,
      ours: "1",
      written_at: day,
      live: "2",
      first_seen_at: seen
    })
    const quota = (group: string, of: string) => ({
      account: "shop",
      quota_group: group,
      per_day: 9,
      state: JSON.stringify({ day: of, used: 3 })
    })
    const place = (supply: string, position: number, at: number) => ({
      account: "shop",
      supply_id: supply,
      position,
      order_id: position,
      stored_at: at
    })
    const forecast = (name: string, at: number) => ({
      account: "shop",
      policy: "10",
      budget: "1",
      day: name,
      made_at: at,
      standing: "",
      expected: "{}"
    })
    const stories: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
      ["due_times", turn("a", day, "done")],
      ["due_times", turn("a", 2 * day, "failed")],
      ["due_times", turn("a", 3 * day, "waiting")],
      ["due_times", turn("b", day, "done")],
      ["approvals", approval("old", day, "rejected")],
      ["approvals", approval("under way", day, "approved")],
      ["approvals", approval("new", 499 * day, "rejected")],
      ["approvals", approval("replaced lately", 497 * day, "superseded")],
      ["approvals", approval("replaced", 494 * day, "superseded")],
      ["human_edits", edit("bid:1", 99 * day)],
      ["human_edits", edit("bid:2", 101 * day)],
      ["operator_holds", hold("lifted", 2 * day)],
      ["operator_holds", hold("standing", null)],
      ["creations", creation("found", "applied")],
      ["creations", creation("open", "unknown")],
      ["run_figures", { account: "shop", at: day, fact: "views", rows: 1, active: 1, total: 1 }],
      ["supply_orders", place("GI-1", 1, day)],
      ["supply_orders", place("GI-2", 1, day)],
      ["supply_orders", place("GI-2", 2, 499 * day)],
      ["order_events", { account: "shop", order_id: 1, at: day, kind: "printed", detail: "{}" }],
      ["order_events", { account: "shop", order_id: 1, at: 499 * day, kind: "packed", detail: "{}" }],
      ["forecasts", forecast("1970-01-02", day)],
      ["forecasts", forecast("1971-05-10", 494 * day)],
      ["spend_curves", { account: "shop", campaign_id: 1, read_at: 409 * day, watched: "{}" }],
      ["spend_curves", { account: "shop", campaign_id: 2, read_at: 411 * day, watched: "{}" }],
      ["limiter_quotas", quota("left", "1970-02-01")],
      ["limiter_quotas", quota("used", "1971-05-10")]
    ]
    const [guess, purged, left, again] = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const [table, values] of stories) yield* insert(sql, table, values)
        const dry = yield* Retention.dryRun(now)
        const done = yield* Retention.purge(now)
        const turns = yield* sql`SELECT job, state FROM due_times ORDER BY job`
        const rest =
          yield* sql`SELECT approval_id AS name FROM approvals UNION SELECT what FROM operator_holds
          UNION SELECT slot FROM human_edits UNION SELECT id FROM creations UNION SELECT quota_group FROM limiter_quotas ORDER BY 1`
        return [dry, done, [...turns, ...rest], yield* Retention.purge(now)] as const
      })
    )
    expect(purged).toMatchObject({
      turns: 2,
      approvals: 2,
      edits: 1,
      operatorHolds: 1,
      creations: 1,
      figures: 1,
      supplyOrders: 1,
      orderEvents: 1,
      forecasts: 1,
      spendCurves: 1,
      limits: 1
    })
    expect(guess).toEqual(purged)
    expect(left).toEqual([
      { job: "a", state: "waiting" },
      { job: "b", state: "done" },
      ...["bid:2", "new", "open", "replaced lately", "standing", "under way", "used"].map((name) => ({
        name
      }))
    ])
    expect(Object.values(again).every((n) => n === 0)).toBe(true)
  })

  it("by itself forgets two days more at most from one day to the next, though the clock is a year ahead", async () => {
    const year = 365 * day
    const [ahead, right, later] = await inMemory(
      Effect.gen(function* () {
        const at = Retention.believedNow
        yield* at(1000 * day)
        const ahead = [yield* at(1001 * day + year), yield* at(1002 * day + year)]
        const right = yield* at(1003 * day)
        const later = [yield* at(1020 * day), yield* at(1021 * day), yield* at(1021 * day)]
        return [ahead, right, later] as const
      })
    )
    expect(ahead.map((ms) => ms / day)).toEqual([1002, 1004])
    expect(right / day).toBe(1003)
    expect(later.map((ms) => ms / day)).toEqual([1005, 1007, 1009])
  })

  const noted = (at: number) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(AuditSql.append(sql, "shop", [{ at, who: "olga", what: "held" }]))
    )
  const kept = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ at: number }>`SELECT at FROM audit WHERE account = 'shop' AND what <> 'purged' ORDER BY seq`
  )
  const forgotten = Effect.gen(function* () {
    const dry = yield* Retention.dryRun(500 * day)
    const { audit } = yield* Retention.purge(500 * day)
    const { breaks } = yield* AuditVerify.verify("shop")
    return { guess: dry.audit, audit, breaks, left: (yield* kept).map(({ at }) => Number(at) / day) }
  })

  it("does not stop at a row of the chain that a wrong clock dated ahead, nor take it before its time", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        for (const at of [1, 9_000, 2, 9_001, 3, 9_002, 450, 9_003]) yield* noted(at * day)
        return yield* forgotten
      })
    )
    expect(found).toEqual({ guess: 5, audit: 5, breaks: [], left: [9_002, 450, 9_003] })
  })

  it("takes nothing for old that comes behind what stays, or because all else is dated ahead", async () => {
    const [mixed, ahead] = await Promise.all(
      [
        [1, 450, 2, 9_000, 3],
        [9_000, 9_001]
      ].map((days) =>
        inMemory(
          Effect.zipRight(
            Effect.forEach(days, (at) => noted(at * day)),
            forgotten
          )
        )
      )
    )
    expect(mixed).toEqual({ guess: 1, audit: 1, breaks: [], left: [450, 2, 9_000, 3] })
    expect(ahead).toEqual({ guess: 0, audit: 0, breaks: [], left: [9_000, 9_001] })
  })

  it("keeps in the chain a run that a wrong clock dated ahead and the journal still has", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* noted(day)
        yield* settle("ahead", 9_000 * day, "applied")
        yield* noted(2 * day)
        yield* settle("new", 499 * day, "applied")
        return yield* forgotten
      })
    )
    expect(found).toMatchObject({ audit: 1, breaks: [] })
  })

  it("takes what hangs on a forgotten change with it", async () => {
    const left = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* settle("first", day, "applied")
        yield* settle("second", 2 * day, "applied")
        yield* sql`INSERT INTO undoes VALUES ('first', 'change 0', 'earlier', 'change 7')`
        yield* sql`INSERT INTO watch_marks VALUES ('first', 'change 0', 1, 1)`
        yield* Retention.purge(500 * day)
        return yield* sql`SELECT run_id FROM undoes UNION ALL SELECT run_id FROM watch_marks`
      })
    )
    expect(left).toEqual([])
  })

  const largePlan = (sql: SqlClient.SqlClient, n: number) =>
    sql`INSERT INTO plans (plan_id, account, created_at, plan)
      VALUES (${`plan ${n}`}, 'shop', '1970-01-02T00:00:00.000Z', zeroblob(50000))`

  it.skipIf(database.kind === "postgres")("gives the room back to the disk", async () => {
    const [before, after] = await inFolder((folder) =>
      Effect.provide(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (let n = 0; n < 40; n++) yield* largePlan(sql, n)
          const pages = Effect.map(
            sql<{ page_count: number }>`PRAGMA page_count`,
            ([row]) => row?.page_count ?? 0
          )
          const full = yield* pages
          yield* Retention.purge(500 * day)
          return [full, yield* pages] as const
        }),
        store({ filename: join(folder, "store.db") })
      )
    )
    expect(after).toBeLessThan(before / 3)
  })

  it.skipIf(database.kind === "postgres")("gives hundreds of pages back in one step", async () => {
    const { freed, left, steps } = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const free = Effect.map(
          sql<{ freelist_count: number }>`PRAGMA freelist_count`,
          ([row]) => row?.freelist_count ?? 0
        )
        for (let n = 0; n < 100; n++) yield* largePlan(sql, n)
        yield* sql`DELETE FROM plans`
        const freed = yield* free
        let steps = 0
        const counting = new Proxy(sql, {
          get: (target, key) => {
            if (key === "unsafe") steps++
            return Reflect.get(target, key)
          }
        })
        yield* SqliteClient.giveBack(counting)
        return { freed, left: yield* free, steps: steps - 1 }
      })
    )
    expect(freed).toBeGreaterThan(1000)
    expect(left).toBe(0)
    expect(steps).toBe(Math.ceil(freed / 500))
  })
})
