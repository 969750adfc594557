/** The journal of runs in the SQL store: who holds an account, what was meant, what became of it. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Memory from "../engine/decide/Memory.js"
import { Journal, openStates } from "../engine/run/Ports.js"
import * as HoldsSql from "./HoldsSql.js"
import * as JournalRows from "./JournalRows.js"
import * as SlotHistories from "./SlotHistories.js"
import * as Transaction from "./Transaction.js"

type Methods = Context.Tag.Service<Journal>

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<Journal, never, SqlClient.SqlClient> = Layer.effect(
  Journal,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...locks(sql),
    ...writing(sql),
    ...reading(sql),
    ...plans(sql),
    ...HoldsSql.methods(sql)
  }))
)

const locks = (sql: SqlClient.SqlClient): Pick<Methods, "acquire" | "release"> => ({
  acquire: (account, holder, nowMs, leaseMs) =>
    Transaction.run(
      sql,
      `take the lock of ${account}`,
      Effect.gen(function* () {
        const until = Math.ceil(nowMs + leaseMs)
        const taken = yield* sql<{ holder: string; until: number }>`INSERT INTO locks (account, holder, until)
        VALUES (${account}, ${holder}, ${until})
        ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE locks.until <= ${Math.floor(nowMs)} OR locks.holder = excluded.holder RETURNING holder, until`
        if (taken[0] !== undefined) return { granted: true, holder, until }
        const held = yield* sql<{ holder: string; until: number }>`SELECT holder, until FROM locks
        WHERE account = ${account}`
        return { granted: false, holder: held[0]!.holder, until: held[0]!.until }
      })
    ),
  release: (account, holder) =>
    Transaction.run(
      sql,
      `release the lock of ${account}`,
      Effect.gen(function* () {
        yield* sql`DELETE FROM locks WHERE account = ${account} AND holder = ${holder}`
      })
    )
})

const writing = (sql: SqlClient.SqlClient): Pick<Methods, "begin" | "move" | "finish"> => ({
  begin: (run, rows) =>
    Transaction.run(
      sql,
      "record the run before it starts",
      Effect.gen(function* () {
        yield* sql`INSERT INTO runs (run_id, account, plan_id, started_at, finished_at, status, counts)
        VALUES (${run.runId}, ${run.account}, ${run.planId}, ${Math.floor(run.startedAt)},
          ${run.finishedAt ?? null}, ${run.status}, ${JSON.stringify(run.counts)})`
        for (const [position, row] of rows.entries()) {
          yield* sql`INSERT INTO changes (run_id, change_id, position, slot, account, policy, bid_before, change, state,
            updated_at, is_edge, memory)
          VALUES (${run.runId}, ${row.change.id}, ${position}, ${row.slot}, ${run.account}, ${row.change.policy},
            ${JournalRows.bidBefore(row.change)}, ${JSON.stringify(row.change)}, 'planned',
            ${Math.floor(run.startedAt)}, ${Memory.isEdge(row.change) ? 1 : 0},
            ${JSON.stringify(Memory.of(row.change))})`
        }
      })
    ),
  move: (runId, changeIds, from, to, note) =>
    Transaction.run(
      sql,
      `record that changes are ${to}`,
      Effect.gen(function* () {
        const nowMs = Math.floor(note.nowMs)
        const moved = new Set<string>()
        for (const changeId of changeIds) {
          const rows = yield* sql<{
            change_id: string
          }>`UPDATE changes SET state = ${to}, updated_at = ${nowMs},
            operation = COALESCE(${note.operation ?? null}, operation),
            request_hash = COALESCE(${note.requestHash ?? null}, request_hash),
            detail = COALESCE(${note.detail ?? null}, detail),
            sent_at = CASE WHEN ${note.sent === true} THEN ${nowMs} ELSE sent_at END
          WHERE run_id = ${runId} AND change_id = ${changeId} AND state IN ${sql.in(from)}
          RETURNING change_id`
          if (rows.length > 0) moved.add(changeId)
        }
        return [...moved]
      })
    ),
  finish: (runId, status, counts, nowMs) =>
    Transaction.run(
      sql,
      "record the end of the run",
      Effect.gen(function* () {
        yield* sql`UPDATE runs SET status = ${status}, counts = ${JSON.stringify(counts)},
        finished_at = ${Math.floor(nowMs)} WHERE run_id = ${runId}`
      })
    )
})

const reading = (
  sql: SqlClient.SqlClient
): Pick<Methods, "open" | "slots" | "runs" | "rows" | "deposits"> => ({
  open: (account) =>
    Transaction.run(
      sql,
      "read the open changes",
      Effect.gen(function* () {
        const rows = yield* sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes
        JOIN runs USING (run_id) WHERE changes.account = ${account}
        AND state IN ${sql.literal(openList)}
        ORDER BY runs.started_at, run_id, position`
        return yield* Effect.forEach(rows, JournalRows.toRow)
      })
    ),
  slots: (account, dayStartMs) =>
    Transaction.run(
      sql,
      "read what was changed before",
      SlotHistories.read(sql, account, Math.ceil(dayStartMs))
    ),
  deposits: (account, sinceMs) =>
    Transaction.run(
      sql,
      "read the deposits made before",
      Effect.gen(function* () {
        const rows =
          yield* sql<JournalRows.DepositRow>`SELECT slot, change, COALESCE(sent_at, updated_at) AS at
        FROM changes WHERE account = ${account} AND slot >= 'deposit:' AND slot < 'deposit;'
        AND state IN ('dispatching', 'accepted', 'unknown', 'applied')
        AND COALESCE(sent_at, updated_at) >= ${Math.floor(sinceMs)} ORDER BY at, slot`
        return yield* Effect.forEach(rows, JournalRows.toDeposited)
      })
    ),
  runs: (account, limit) =>
    Transaction.run(
      sql,
      "read the past runs",
      Effect.gen(function* () {
        const rows = yield* sql<JournalRows.RunRow>`SELECT * FROM runs
        WHERE ${account ?? null} IS NULL OR account = ${account ?? null}
        ORDER BY started_at DESC, run_id DESC LIMIT ${limit}`
        return rows.map(JournalRows.toRun)
      })
    ),
  rows: (runId) =>
    Transaction.run(
      sql,
      "read the changes of the run",
      Effect.gen(function* () {
        const rows = yield* sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes
        JOIN runs USING (run_id) WHERE run_id = ${runId} ORDER BY position`
        return yield* Effect.forEach(rows, JournalRows.toRow)
      })
    )
})

const plans = (sql: SqlClient.SqlClient): Pick<Methods, "savePlan" | "plan"> => ({
  savePlan: (plan, facts) =>
    Transaction.run(
      sql,
      "keep the plan",
      Effect.gen(function* () {
        yield* sql`INSERT INTO plans (plan_id, account, created_at, plan)
        VALUES (${plan.id}, ${plan.account}, ${plan.createdAt}, ${JSON.stringify(plan)}) ON CONFLICT DO NOTHING`
        yield* sql`INSERT INTO snapshots (plan_id, facts) VALUES (${plan.id}, ${facts}) ON CONFLICT DO NOTHING`
      })
    ),
  plan: (planId) =>
    Transaction.run(
      sql,
      "read the plan",
      Effect.gen(function* () {
        const rows = yield* sql<{ plan: string }>`SELECT plan FROM plans WHERE plan_id = ${planId}`
        return rows[0] === undefined ? undefined : yield* JournalRows.toPlan(rows[0].plan)
      })
    )
})

const openList = `(${openStates.map((state) => `'${state}'`).join(", ")})`
