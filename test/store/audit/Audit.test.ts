import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as AuditExport from "../../../src/store/audit/AuditExport.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import { change, database, inMemory, rows, run } from "../Fixture.js"

const account = "shop"
const verify = AuditVerify.verify(account)

/** A run of three changes, of which two were sent, and its end. */
const story = Effect.gen(function* () {
  const journal = yield* Journal
  yield* journal.begin(run("run 1", { approvedBy: "olga" }), rows([change(0), change(1), change(2)]))
  yield* journal.move("run 1", ["change 0", "change 1"], ["planned"], "dispatching", {
    nowMs: 2_000,
    requestHash: "body",
    sent: true
  })
  yield* journal.move("run 1", ["change 0"], ["dispatching"], "applied", {
    nowMs: 3_000,
    reason: { code: "read_back" }
  })
  yield* journal.finish("run 1", "partial", { applied: 1 }, 4_000)
})

const sqlOf = SqlClient.SqlClient

describe("the audit chain", () => {
  it("has a row for every change of the journal, with who, why, before and after", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* story
        const sql = yield* sqlOf
        return yield* sql`SELECT seq, who, what, before_value, after_value, state, change_id FROM audit ORDER BY seq`
      })
    )
    expect(found).toHaveLength(8)
    expect(found.every((row) => Reflect.get(row as object, "who") === "olga")).toBe(true)
    expect(found[4]).toMatchObject({
      what: "change moved",
      state: "dispatching",
      before_value: "10000",
      after_value: "11000"
    })
    expect(found[7]).toMatchObject({ what: "run finished", state: "partial" })
  })

  it("holds whatever a campaign is called, a name cut in the middle of a sign among them", async () => {
    for (const name of ["Кеды \ud83d", "\udc5f", "a\u0000b", "👟"]) {
      const reason = [{ condition: "campaign.name", value: name, holds: "true" as const }]
      const breaks = await inMemory(
        Effect.gen(function* () {
          const journal = yield* Journal
          yield* journal.begin(run("run 1"), rows([change(0, { reason }), change(1)]))
          return (yield* verify).breaks
        })
      )
      expect(breaks, JSON.stringify(name)).toEqual([])
    }
  })

  it("is not written when the journal's change is not, and the other way round", async () => {
    const [before, after] = await inMemory(
      Effect.gen(function* () {
        yield* story
        const journal = yield* Journal
        const sql = yield* sqlOf
        const count = Effect.map(sql<{ n: number }>`SELECT COUNT(*) AS n FROM audit`, ([row]) => row?.n)
        const first = yield* count
        yield* Effect.flip(journal.begin(run("run 1"), rows([change(9)])))
        yield* journal.move("run 1", ["change 0"], ["planned"], "skipped", { nowMs: 5_000 })
        return [first, yield* count]
      })
    )
    expect(after).toBe(before)
  })

  it("tells no end of a run whose beginning was taken back", async () => {
    const verified = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        const sql = yield* sqlOf
        const begun = journal.begin(run("run 1"), rows([change(0)]))
        yield* Effect.flip(sql.withTransaction(Effect.zipRight(begun, Effect.fail("interrupted"))))
        yield* journal.finish("run 1", "interrupted", {}, 2_000)
        yield* journal.begin(run("run 2"), rows([change(1)]))
        return yield* verify
      })
    )
    expect(verified).toMatchObject({ rows: 2, breaks: [] })
  })

  it("is unbroken as long as nobody touches it", async () => {
    const verified = await inMemory(Effect.zipRight(story, verify))
    expect(verified).toMatchObject({ rows: 8, breaks: [] })
  })

  const columns = [
    "at",
    "who",
    "what",
    "why",
    "before_value",
    "after_value",
    "state",
    "run_id",
    "change_id",
    "content",
    "previous",
    "hash"
  ]

  it("shows every edit of a row, wherever it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...columns), async (seq, column) => {
        const { breaks } = await inMemory(
          Effect.gen(function* () {
            yield* story
            const sql = yield* sqlOf
            yield* sql.unsafe(
              `UPDATE audit SET ${column} = ${column === "at" ? "77" : "'forged'"} WHERE seq = ${seq}`
            )
            return yield* verify
          })
        )
        expect(breaks.some((one) => one.seq === seq)).toBe(true)
      }),
      { numRuns: database.kind === "sqlite" ? 40 : 6 }
    )
  })

  it("shows every row that was removed, the last one too", async () => {
    for (let seq = 1; seq <= 8; seq++) {
      const { breaks } = await inMemory(
        Effect.gen(function* () {
          yield* story
          const sql = yield* sqlOf
          yield* sql`DELETE FROM audit WHERE seq = ${seq}`
          return yield* verify
        })
      )
      expect(breaks.map((one) => one.what).join("\n"), `record ${seq}`).toMatch(/missing/)
    }
  })

  it("shows rows that were inserted behind its end or before its beginning", async () => {
    for (const seq of [0, 9]) {
      const { breaks } = await inMemory(
        Effect.gen(function* () {
          yield* story
          const sql = yield* sqlOf
          yield* sql`INSERT INTO audit SELECT account, ${seq}, at, who, what, why, before_value, after_value, state,
            run_id, change_id, content, previous, hash FROM audit WHERE seq = 8`
          return yield* verify
        })
      )
      expect(breaks.length).toBeGreaterThan(0)
    }
  })

  it("shows changes of the journal that were edited, removed or added behind it", async () => {
    const forgeries = [
      "UPDATE changes SET state = 'skipped' WHERE change_id = 'change 0'",
      "UPDATE changes SET change = replace(change, '11000', '99000') WHERE change_id = 'change 2'",
      "UPDATE changes SET slot = 'another' WHERE change_id = 'change 1'",
      "DELETE FROM changes WHERE change_id = 'change 0'",
      "UPDATE runs SET status = 'done'",
      "UPDATE runs SET approved_by = 'petr'",
      "UPDATE runs SET approved_by = NULL",
      `UPDATE runs SET counts = '{"applied":3}'`,
      "UPDATE changes SET policy = '02-lower' WHERE change_id = 'change 1'",
      "UPDATE changes SET bid_before = 99000 WHERE change_id = 'change 2'",
      "UPDATE changes SET bid_before = NULL WHERE change_id = 'change 2'",
      "UPDATE changes SET request_hash = 'another' WHERE change_id = 'change 0'",
      "UPDATE changes SET request_hash = 'another' WHERE change_id = 'change 2'",
      "UPDATE changes SET sent_at = 1 WHERE change_id = 'change 0'",
      "UPDATE changes SET sent_at = 1 WHERE change_id = 'change 2'",
      `INSERT INTO changes (run_id, change_id, position, slot, account, policy, change, state, updated_at)
        SELECT run_id, 'made up', 9, slot, account, policy, change, state, updated_at FROM changes WHERE change_id = 'change 2'`,
      `INSERT INTO runs (run_id, account, lane, plan_id, started_at, status, counts)
        VALUES ('made up', 'shop', 'ads', 'plan', 9000, 'done', '{}')`
    ]
    for (const forgery of forgeries) {
      const { breaks } = await inMemory(
        Effect.gen(function* () {
          yield* story
          yield* (yield* sqlOf).unsafe(forgery)
          return yield* verify
        })
      )
      expect(breaks.length, forgery).toBeGreaterThan(0)
    }
  })
})

describe("the export", () => {
  it("has a line for every run, change and record, with its version", async () => {
    const lines = await inMemory(
      Effect.zipRight(
        story,
        Effect.map(Stream.runCollect(AuditExport.lines(undefined)), (all) => [...all])
      )
    )
    const kinds = lines.map((line) => JSON.parse(line) as { kind: string; version: number })
    expect(kinds.map(({ kind }) => kind)).toEqual([
      "run",
      "change",
      "change",
      "change",
      ...Array(8).fill("audit")
    ])
    expect(kinds.every(({ version }) => version === 1)).toBe(true)
  })
})
