import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Journal } from "../../../src/engine/door/Journal.js"
import { type AuditEntry, type AuditRow, hashOf } from "../../../src/store/audit/AuditEntry.js"
import * as AuditSql from "../../../src/store/audit/AuditSql.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import * as JournalAudit from "../../../src/store/audit/JournalAudit.js"
import { change, database, inFolder, inMemory, rows, run, store } from "../Fixture.js"

const account = "shop"
const all = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<AuditRow>`SELECT * FROM audit WHERE account = ${account} ORDER BY seq`
)

const append = (entries: ReadonlyArray<AuditEntry>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(AuditSql.append(sql, account, entries)))

/** PostgreSQL holds no zero character. */
const text = fc
  .oneof(fc.constantFrom("", "null", '"', "\\", "кеды\n\u2028", "10000"), fc.string({ unit: "grapheme" }))
  .map((one) => one.replaceAll("\u0000", ""))

const maybe = fc.option(text, { nil: undefined })

const entry: fc.Arbitrary<AuditEntry> = fc.record({
  at: fc.nat(),
  who: text,
  what: text,
  why: maybe,
  before: maybe,
  after: maybe,
  state: maybe,
  runId: maybe,
  changeId: maybe,
  content: maybe
})

/** Rows that differ in some of their values only, as those of a run do. */
const alike = fc
  .tuple(
    entry,
    fc.array(entry, { maxLength: 6 }),
    fc.subarray<keyof AuditEntry>(["at", "why", "before", "changeId", "content"])
  )
  .map(
    ([first, others, own]): ReadonlyArray<AuditEntry> => [
      first,
      ...others.map((other) => ({ ...first, ...Object.fromEntries(own.map((name) => [name, other[name]])) }))
    ]
  )

const plain = (row: AuditRow) => ({ ...row, seq: Number(row.seq), at: Number(row.at) })

describe("rows of the audit chain that are written together", () => {
  it("are what was recorded, in its order, and follow each other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(alike, { minLength: 1, maxLength: 4 }), async (appends) => {
        const found = await inMemory(Effect.zipRight(Effect.forEach(appends, append), all))
        const entries = appends.flat()
        expect(found).toHaveLength(entries.length)
        for (const [at, row] of found.map(plain).entries()) {
          const { after, before, changeId, runId, ...same } = entries[at]!
          const absent = { why: undefined, state: undefined, content: undefined }
          const values = { after_value: after, before_value: before, change_id: changeId, run_id: runId }
          const expected = Object.entries({ ...absent, ...same, ...values }).map(([name, value]) => [
            name,
            value ?? null
          ])
          expect(row).toMatchObject({ ...Object.fromEntries(expected), account, seq: at + 1 })
          expect(row.hash).toBe(hashOf(row))
          if (at > 0) expect(row.previous).toBe(found[at - 1]!.hash)
        }
      }),
      { numRuns: database.kind === "sqlite" ? 60 : 15 }
    )
  })

  it("are as many as a run has", async () => {
    const entries = Array.from({ length: 1_203 }, (_, n) => ({ at: n, who: "olga", what: "reconciled" }))
    const verified = await inMemory(Effect.zipRight(append(entries), AuditVerify.verify(account)))
    expect(verified).toMatchObject({ rows: 1_203, breaks: [] })
  })

  it("follow a chain whose end somebody edited without hiding it", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = { at: 1, who: "olga", what: "reconciled" }
        yield* append([one, one])
        yield* sql`UPDATE audit_heads SET hash = 'a "forged" end'`
        yield* append([one, { ...one, at: 2 }])
        return yield* all
      })
    )
    expect(found[2]!.previous).toBe('a "forged" end')
    expect(found.map(plain).every((row) => row.hash === hashOf(row))).toBe(true)
    expect(found[3]!.previous).toBe(found[2]!.hash)
  })
})

describe("a run that another process began", () => {
  const begin = Effect.flatMap(Journal, (journal) =>
    journal.begin(
      run("run 1", { approvedBy: "olga" }),
      rows([change(0), change(1, { action: "pause", before: "active", after: "paused" })])
    )
  )
  const goOn = Effect.gen(function* () {
    const journal = yield* Journal
    const { epoch } = yield* journal.acquire({ account, lane: "ads" }, "me", 1_000, 60_000)
    const fence = { account, lane: "ads" as const, holder: "me", epoch }
    const ids = ["change 0", "change 1"]
    yield* journal.claim(fence, "run 1", ids, ["planned"], "dispatching", { nowMs: 2_000, sent: true })
    yield* journal.move("run 1", ids, ["dispatching"], "applied", {
      nowMs: 3_000,
      reason: { code: "read_back" }
    })
    yield* journal.finish("run 1", "done", { applied: 2 }, 4_000)
    return yield* all
  })

  it("goes on in the chain as if it was never left", async () => {
    const [left, stayed] = await inFolder((path) =>
      Effect.gen(function* () {
        yield* Effect.provide(begin, store({ filename: `${path}/left.sqlite` }))
        const left = yield* Effect.provide(goOn, store({ filename: `${path}/left.sqlite` }))
        const both = Effect.zipRight(begin, goOn)
        return [left, yield* Effect.provide(both, store({ filename: `${path}/stayed.sqlite` }))]
      })
    )
    expect(left).toEqual(stayed)
    expect(left.map(({ before_value }) => before_value)).toEqual([
      null,
      ...["10000", '"active"', "10000", '"active"', "10000", '"active"'],
      null
    ])
  })

  it("keeps its values in the chain though so many runs begin between its move and the note of it", async () => {
    const planned = [change(0), change(1, { action: "pause", before: "active", after: "paused" })]
    const many = [...planned, ...Array.from({ length: 700 }, (_, n) => change(n + 2))]
    const found = await inMemory(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* (yield* Journal).begin(run(), rows(many))
        const chain = JournalAudit.make()
        const begun = (of: string, id: string) =>
          chain.begun(
            sql,
            run(id, { account: of }),
            rows(id === "run 1" ? many : []).map((row) => ({ ...row, stored: "" }))
          )
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* begun(account, "run 1")
            const columns = chain.movedColumns(sql, "run 1")
            yield* Effect.forEach(Array(40).keys(), (n) => begun(`other ${n}`, `other run ${n}`))
            const moved = yield* sql<JournalAudit.Moved>`SELECT ${columns} FROM changes
              WHERE run_id = 'run 1' ORDER BY position`
            yield* chain.moved(sql, "run 1", moved, "applied", { nowMs: 3_000 })
          })
        )
        return yield* all
      })
    )
    const last = found.slice(-many.length)
    expect(new Set(last.map(({ what }) => what))).toEqual(new Set(["change moved"]))
    expect(last.slice(0, 2).map((row) => [row.change_id, row.before_value, row.after_value])).toEqual([
      ["change 0", "10000", "11000"],
      ["change 1", '"active"', '"paused"']
    ])
    expect(last.at(-1)).toMatchObject({ change_id: "change 701", before_value: "10000" })
  })
})
