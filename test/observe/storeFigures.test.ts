/** What is counted from a store's journal, on both databases. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import { Journal } from "../../src/engine/door/Journal.js"
import * as StoreFigures from "../../src/store/accounts/StoreFigures.js"
import * as StoreMarks from "../../src/store/audit/StoreMarks.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as StopsSql from "../../src/store/people/StopsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { change, migrated, postgres, rows, run } from "../store/Fixture.js"
import * as Postgres from "../store/Postgres.js"

afterAll(Postgres.end)

const now = 1_800_000_000_000

const story = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const journal = yield* Journal
  const changes = ["a", "b", "c", "d", "e"].map((id, n) => change(n, { id }))
  yield* journal.begin(run("r1"), rows(changes))
  const { epoch } = yield* journal.acquire({ account: "shop", lane: "ads" }, "me", now, 60_000)
  const fence = { account: "shop", lane: "ads" as const, holder: "me", epoch }
  const claimed = ["a", "b", "c"]
  yield* journal.claim(fence, "r1", claimed, ["planned"], "claimed", { nowMs: now, deadlineMs: 1000 })
  yield* journal.move("r1", ["a", "b"], ["claimed"], "unknown", { nowMs: now, sent: true })
  yield* journal.move("r1", ["c"], ["claimed"], "parked", { nowMs: now, sent: true })
  yield* journal.move("r1", ["d"], ["planned"], "skipped", { nowMs: now })
  const holdings = yield* Holdings
  yield* holdings.place({ account: "shop", kind: "policy", what: "x", since: now, by: "me" })
  yield* holdings.place({ account: "shop", kind: "policy", what: "y", since: now, until: now + 10, by: "me" })
  for (const [group, until] of [
    ["one", now + 100],
    ["two", now - 100]
  ] as const) {
    const state = JSON.stringify({ creditMs: 1.5, frozenUntil: until })
    yield* sql`INSERT INTO limiter_buckets (account, token_kind, limit_group, bucket, state)
      VALUES ('shop', 'personal', ${group}, '{}', ${state})`
  }
  const asked = JSON.stringify([{ id: "a" }, { id: "b" }])
  for (const [id, state, until] of [
    ["p1", "requested", now + 50],
    ["p2", "rejected", now + 50],
    ["p3", "requested", now - 50]
  ] as const) {
    yield* sql`INSERT INTO approvals (approval_id, account, plan, asked, state, requested_at, expires_at)
      VALUES (${id}, 'shop', ${new Uint8Array()}, ${asked}, ${state}, ${now}, ${until})`
  }
  const soon = yield* StoreFigures.read(sql, ["shop", "other"], now)
  yield* StoreMarks.mark(sql, now, "a test restored it")
  yield* StoreMarks.lift(sql, "other", now, "me")
  return { soon, later: yield* StoreFigures.read(sql, ["shop", "other"], now + 86_400_000) }
})

const layers = <E>(database: Layer.Layer<SqlClient.SqlClient, E>) =>
  Layer.mergeAll(JournalSql.layer, StopsSql.layer).pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(database)
  )

const none = { unknown: 0, overdue: 0, parked: 0, approvals: 0, holds: 0, frozen: 0, auditHead: 0 }

describe("the figures of the store", () => {
  it.each([
    ["SQLite", async () => layers(SqliteClient.layer({ filename: ":memory:" }))],
    ["PostgreSQL", async () => layers(postgres(await migrated()))]
  ] as const)(
    "count what is open on %s, and only that",
    async (_, made) => {
      const { later, soon } = await Effect.runPromise(Effect.provide(story, await made()))
      expect(soon.sizeBytes).toBeGreaterThan(10_000)
      expect(soon.accounts.get("shop")).toEqual({
        unknown: 2,
        overdue: 0,
        parked: 1,
        approvals: 2,
        holds: 2,
        frozen: 1,
        auditHead: expect.any(Number),
        observeOnly: false
      })
      expect(soon.accounts.get("shop")?.auditHead).toBeGreaterThan(4)
      expect(soon.accounts.get("other")).toEqual({ ...none, observeOnly: false })
      expect(later.accounts.get("shop")).toMatchObject({
        overdue: 2,
        approvals: 0,
        holds: 1,
        frozen: 0,
        observeOnly: true
      })
      expect(later.accounts.get("other")).toEqual({ ...none, observeOnly: false })
    },
    60_000
  )
})
