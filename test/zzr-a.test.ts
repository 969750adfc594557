import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { Journal } from "../src/engine/door/Journal.js"
import * as AuditVerify from "../src/store/audit/AuditVerify.js"
import * as Retention from "../src/store/retention/Retention.js"
import * as MarkVaultSql from "../src/store/fulfilment/MarkVaultSql.js"
import { MarkVault } from "../src/services/ports/MarkVault.js"
import { Snapshots } from "../src/engine/planning/Snapshots.js"
import * as SnapshotsSql from "../src/store/facts/SnapshotsSql.js"
import * as Redacted from "effect/Redacted"
import { change, inMemory, rows, run } from "./store/Fixture.js"
const day = 86_400_000
it("verify after purge of a change settled later than its run ended", async () => {
  const r = await inMemory(Effect.gen(function* () {
    const journal = yield* Journal
    yield* journal.begin(run("enrol", { startedAt: 10 * day }), rows([change(0)], () => "slot"))
    yield* journal.move("enrol", ["change 0"], ["planned"], "accepted", { nowMs: 10 * day, sent: true })
    yield* journal.finish("enrol", "done", {}, 10 * day)
    // settled by a later run, 15 days later
    yield* journal.move("enrol", ["change 0"], ["accepted"], "conflict", { nowMs: 25 * day })
    const before = (yield* AuditVerify.verify("shop")).breaks
    const p = yield* Retention.purge(41 * day, { plansDays: 30, journalDays: 30, reportsDays: 30 })
    const p400 = (yield* AuditVerify.verify("shop")).breaks
    return { before, changes: p.changes, runs: p.runs, audit: p.audit, after: p400 }
  }))
  console.log(JSON.stringify(r, null, 1))
})
it("clock ahead", async () => {
  const r = await inMemory(Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const s = yield* Effect.provide(Snapshots, SnapshotsSql.layer(90)) as any
    yield* (s as any).keep("shop", { day: "2026-09-01", atMs: Date.parse("2026-09-01T10:00Z") }, [{ name: "a", text: "{}" }])
    yield* (s as any).keep("shop", { day: "2026-09-02", atMs: Date.parse("2026-09-02T10:00Z") }, [{ name: "a", text: "{}" }])
    yield* (s as any).keep("shop", { day: "2027-09-02", atMs: Date.parse("2027-09-02T10:00Z") }, [{ name: "a", text: "{}" }])
    return yield* sql`SELECT day FROM day_snapshots`
  }) as any)
  console.log(JSON.stringify(r))
})
