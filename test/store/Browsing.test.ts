import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import { explained } from "./Explained.js"
import { change, inMemory, rows, run } from "./Fixture.js"

describe("browsing a long history", () => {
  const pages = (account: string | undefined) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const found: Array<ReadonlyArray<string>> = []
      for (let before: string | undefined; ; before = found.at(-1)?.at(-1)) {
        const page = yield* journal.runs(account, 3, before)
        if (page.length === 0) return found
        found.push(page.map(({ runId }) => runId))
      }
    })

  it("goes page by page through all runs, the latest first, and misses none that began in one moment", async () => {
    const [all, shop] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        for (let n = 0; n < 8; n++) {
          const account = n % 2 === 0 ? "shop" : "other"
          yield* journal.begin(run(`run ${n}`, { account, startedAt: 1_000 + (n >> 2) }), [])
        }
        return [yield* pages(undefined), yield* pages("shop")]
      })
    )
    expect(all).toEqual([
      ["run 7", "run 6", "run 5"],
      ["run 4", "run 3", "run 2"],
      ["run 1", "run 0"]
    ])
    expect(shop).toEqual([["run 6", "run 4", "run 2"], ["run 0"]])
  })

  it("has no page before a run that is not there", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run("run 1"), [])
        return yield* journal.runs(undefined, 3, "no such run")
      })
    )
    expect(found).toEqual([])
  })

  it("finds a page's beginning, what is overdue and the plan of a moment by their indexes, however many there are", async () => {
    const [page, overdue, ofOne, plan] = await inMemory(
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* journal.begin(run(), rows([change(0), change(1)]))
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(
          Effect.all([
            explained(JournalSql.runRows(sql, undefined, 20, "run 1")),
            explained(JournalSql.overdueRows(sql, undefined, 1)),
            explained(JournalSql.overdueRows(sql, "shop", 1)),
            explained(RuleMemorySql.planMadeThen(sql, "shop", "2026-09-01T12:00:00.000Z"))
          ])
        )
      })
    )
    expect(page).toContain("runs_by_start")
    expect(overdue).toContain("changes_due")
    expect(ofOne).toContain("changes_due")
    expect(plan).toContain("plans_by_time")
  })
})
