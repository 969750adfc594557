/** The journal of runs in the SQL store: who holds an account, what was meant, what became of it. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Lane from "../../domain/Lane.js"
import * as Memory from "../../engine/decide/intents/Memory.js"
import { type Claim, type Fence, Journal, openStates } from "../../engine/door/Journal.js"
import * as Bids from "../../engine/kinds/Bids.js"
import * as Deposit from "../../engine/kinds/Deposit.js"
import * as DepositMemory from "../accounts/DepositMemory.js"
import * as JournalAudit from "../audit/JournalAudit.js"
import * as OneOrAll from "../audit/OneOrAll.js"
import * as ServerMark from "../audit/ServerMark.js"
import * as Transaction from "../clients/Transaction.js"
import * as StopsSql from "../people/StopsSql.js"
import * as ChangeLogSql from "./ChangeLogSql.js"
import * as JournalRows from "./JournalRows.js"

type Methods = Context.Tag.Service<Journal>

/** As `layer`, with another chain. Exists for `bench/load chain` only, which leaves it out to see what it costs. */
export const layerWith = (chain: JournalAudit.Chain): Layer.Layer<Journal, never, SqlClient.SqlClient> =>
  Layer.effect(
    Journal,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      ...methods(sql, chain),
      ...writing(sql, chain),
      ...reading(sql),
      ...StopsSql.methods(sql)
    }))
  )

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<Journal, never, SqlClient.SqlClient> = Layer.suspend(() =>
  layerWith(JournalAudit.make())
)

const writing = (
  sql: SqlClient.SqlClient,
  chain: JournalAudit.Chain
): Pick<Methods, "begin" | "move" | "finish"> => ({
  begin: (run, rows) => {
    const recorded = Transaction.run(sql, "record the run before it starts", function* () {
      yield* ServerMark.allowSending(sql, run.account)
      yield* sql`INSERT INTO runs (run_id, account, lane, plan_id, started_at, finished_at, status, counts,
          approved_by)
        VALUES (${run.runId}, ${run.account}, ${run.lane}, ${run.planId}, ${Math.floor(run.startedAt)},
          ${run.finishedAt ?? null}, ${run.status}, ${JSON.stringify(run.counts)}, ${run.approvedBy ?? null})`
      const audited = rows.map((row) => ({ ...row, stored: JSON.stringify(row.change) }))
      const startedAt = Math.floor(run.startedAt)
      const nth = yield* lastOfSlots(sql, run.account, rows)
      for (const [chunk, some] of Arr.chunksOf(audited, begunTogether).entries()) {
        const from = chunk * begunTogether
        yield* sql`INSERT INTO changes ${sql.insert(
          some.map((row, at) => {
            const number = (nth.get(row.slot) ?? 0) + 1
            nth.set(row.slot, number)
            return {
              run_id: run.runId,
              change_id: row.change.id,
              position: from + at,
              slot: row.slot,
              account: run.account,
              policy: row.change.origin.name,
              bid_before: JournalRows.bidBefore(row.change),
              change: row.stored,
              state: "planned",
              updated_at: startedAt,
              is_edge: Bids.isEdge(row.change) ? 1 : 0,
              memory: JSON.stringify(Memory.of(row.change)),
              began_at: startedAt,
              campaign_id: row.change.subject.campaignId ?? null,
              nth: number
            }
          })
        )}`
      }
      yield* ChangeLogSql.record(sql, run.runId, rows)
      return yield* chain.begun(sql, run, audited)
    })
    return Effect.map(recorded, (remember) => remember())
  },
  move: (runId, changeIds, from, to, note) =>
    Transaction.run(sql, `record that changes are ${to}`, function* () {
      const nowMs = Math.floor(note.nowMs)
      const moved: Array<JournalAudit.Moved> = []
      for (const ids of Arr.chunksOf(changeIds, movedTogether)) {
        const rows = yield* sql<JournalAudit.Moved>`UPDATE changes SET state = ${to}, updated_at = ${nowMs},
            operation = COALESCE(${note.operation ?? null}, operation),
            request_hash = COALESCE(${note.requestHash ?? null}, request_hash),
            reason = COALESCE(${note.reason === undefined ? null : JournalRows.reasonText(note.reason)}, reason),
            evidence = COALESCE(${note.evidence ?? null}, evidence),
            sent_at = CASE WHEN ${note.sent === true} THEN ${nowMs} ELSE sent_at END,
            deadline_at = CASE WHEN ${to === "planned"} THEN NULL ELSE deadline_at END
          WHERE run_id = ${runId} AND change_id IN ${sql.in(ids)} AND state IN ${sql.in(from)}
          RETURNING ${chain.movedColumns(sql, runId)}`
        // Databases answer in an order of their own.
        const found = new Map(rows.map((row) => [row.change_id, row]))
        moved.push(...[...new Set(ids)].flatMap((id) => found.get(id) ?? []))
      }
      yield* chain.moved(sql, runId, moved, to, note)
      return moved.map(({ change_id }) => change_id)
    }),
  finish: (runId, status, counts, nowMs) =>
    Transaction.run(sql, "record the end of the run", function* () {
      const [run] = yield* sql<JournalAudit.Ended>`UPDATE runs SET status = ${status},
        counts = ${JSON.stringify(counts)}, finished_at = ${Math.floor(nowMs)}
        WHERE run_id = ${runId} RETURNING account, run_id, approved_by, status, counts`
      // A run that was interrupted while it was to begin may not have begun.
      if (run !== undefined) yield* chain.finished(sql, run, nowMs)
    })
})

const reading = (
  sql: SqlClient.SqlClient
): Pick<
  Methods,
  | "observeOnly"
  | "reconciledAt"
  | "open"
  | "overdue"
  | "runs"
  | "rows"
  | "leftBefore"
  | "leftSince"
  | "deposits"
> => ({
  observeOnly: (account) =>
    Transaction.read(sql, "read the marks of the store", ServerMark.observeOnly(sql, account)),
  reconciledAt: (account) =>
    Transaction.read(sql, "read the marks of the store", DepositMemory.reconciledAt(sql, account)),
  open: (account, lane) =>
    Transaction.read(sql, "read the open changes", function* () {
      const rows = yield* sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes
        JOIN runs USING (run_id) WHERE changes.account = ${account}
        AND state IN ${sql.literal(openList)} AND ${inLane(sql, lane)}
        ORDER BY runs.started_at, run_id, position`
      return yield* Effect.forEach(rows, JournalRows.toRow)
    }),
  overdue: (account, nowMs) =>
    Transaction.read(sql, "read the changes past their deadline", function* () {
      const rows = yield* overdueRows(sql, account, Math.floor(nowMs))
      return yield* Effect.forEach(rows, JournalRows.toRow)
    }),
  leftBefore: (account, slots, except) =>
    Transaction.read(sql, "read which changes left before", function* () {
      const found = new Set<string>()
      for (const some of Arr.chunksOf(slots, movedTogether)) {
        const rows = yield* sql<{ readonly slot: string }>`SELECT DISTINCT slot FROM changes
          WHERE account = ${account} AND slot IN ${sql.in(some)} AND run_id <> ${except}
          AND state IN ('dispatching', 'accepted', 'unknown', 'applied', 'not_applied', 'conflict', 'parked')`
        for (const { slot } of rows) found.add(slot)
      }
      return found
    }),
  leftSince: (account, prefix, sinceMs, except) =>
    Transaction.read(sql, "read what left since the plan", function* () {
      const rows = yield* sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes
        JOIN runs USING (run_id) WHERE changes.account = ${account}
        AND slot >= ${`${prefix}:`} AND slot < ${`${prefix};`} AND run_id <> ${except}
        AND state IN ('dispatching', 'accepted', 'unknown', 'applied', 'conflict', 'parked')
        AND (state IN ('dispatching', 'accepted', 'unknown') OR COALESCE(sent_at, updated_at) >= ${Math.floor(sinceMs)})
        ORDER BY runs.started_at, run_id, position`
      return yield* Effect.forEach(rows, JournalRows.toRow)
    }),
  deposits: (account, sinceMs) =>
    Transaction.read(sql, "read the deposits made before", function* () {
      const rows = yield* sql<JournalRows.DepositRow>`SELECT slot, change, COALESCE(sent_at, updated_at) AS at
        FROM changes WHERE account = ${account} AND slot >= ${`${Deposit.prefix}:`} AND slot < ${`${Deposit.prefix};`}
        AND state IN ('dispatching', 'accepted', 'unknown', 'applied', 'parked')
        AND COALESCE(sent_at, updated_at) >= ${Math.floor(sinceMs)}
        ORDER BY at, run_id, position`
      return yield* Effect.forEach(rows, JournalRows.toDeposited)
    }),
  runs: (account, limit, before, lane) =>
    Transaction.read(sql, "read the past runs", function* () {
      const rows = yield* runRows(sql, account, limit, before, lane)
      return rows.map(JournalRows.toRun)
    }),
  rows: (runId) =>
    Transaction.read(sql, "read the changes of the run", function* () {
      const rows = yield* sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes
        JOIN runs USING (run_id) WHERE run_id = ${runId} ORDER BY position`
      return yield* Effect.forEach(rows, JournalRows.toRow)
    })
})

const inLane = (sql: SqlClient.SqlClient, lane: Lane.Lane | undefined) =>
  OneOrAll.where(sql, lane, (one) => sql`runs.lane = ${one}`)

/** Changes per statement: SQLite bounds the parameters of one. */
const movedTogether = 500

/**
 * New changes per statement. One by one, PostgreSQL takes so long for a run that what other runners write meanwhile makes it
 * begin anew, again and again; SQLite is as quick with a few as with all.
 */
const begunTogether = 100

/** How often each slot was changed before. */
const lastOfSlots = (
  sql: SqlClient.SqlClient,
  account: string,
  rows: ReadonlyArray<{ readonly slot: string }>
) =>
  Effect.gen(function* () {
    const last = new Map<string, number>()
    for (const some of Arr.chunksOf(rows, movedTogether)) {
      const slots = some.map(({ slot }) => slot)
      const found = yield* sql<{
        readonly slot: string
        readonly nth: number
      }>`SELECT slot, MAX(nth) AS nth FROM changes
        WHERE account = ${account} AND slot IN ${sql.in(slots)} GROUP BY slot`
      for (const { nth, slot } of found) last.set(slot, nth)
    }
    return last
  })

/** So long a change may wait for its turn, milliseconds, before somebody is told. */
const waitsAtMostMs = 3_600_000

const openList = `(${openStates.map((state) => `'${state}'`).join(", ")})`

/** As the index `changes_due` says it, or SQLite would not see that the index has them all. */
const dueList = openList.replace(")", ", 'parked')")

/** The account is compared so that no index of all its changes is taken: what is due is few. */
export const overdueRows = (sql: SqlClient.SqlClient, account: string | undefined, now: number) =>
  sql<JournalRows.ChangeRow>`SELECT changes.*, runs.plan_id FROM changes JOIN runs USING (run_id)
    WHERE ${OneOrAll.where(sql, account, (one) => sql`changes.account || '' = ${one}`)}
    AND state IN ${sql.literal(dueList)}
    AND (state = 'parked' OR deadline_at <= ${now}
      OR (state IN ('planned', 'claimed') AND updated_at <= ${now - waitsAtMostMs}))
    ORDER BY changes.updated_at, run_id, position`

/** Latest first; the next page begins where the index has the last run of the one before. */
export const runRows = (
  sql: SqlClient.SqlClient,
  account: string | undefined,
  limit: number,
  before: string | undefined,
  lane?: Lane.Lane
) =>
  sql<JournalRows.RunRow>`SELECT * FROM runs
    WHERE ${OneOrAll.where(sql, account, (one) => sql`account = ${one}`)}
    AND ${inLane(sql, lane)} AND ${OneOrAll.where(
      sql,
      before,
      (one) => sql`(started_at, run_id) < (SELECT started_at, run_id FROM runs WHERE run_id = ${one})`
    )}
    ORDER BY started_at DESC, run_id DESC LIMIT ${limit}`

// The apply locks of lanes, and the moves that are made only by who still holds one.

type LockMethods = Context.Tag.Service<Journal>

interface Lock {
  readonly holder: string
  readonly until: number
  readonly epoch: number
}

const methods = (
  sql: SqlClient.SqlClient,
  chain: JournalAudit.Chain
): Pick<LockMethods, "acquire" | "release" | "claim"> => ({
  // A runner renews hundreds of locks, each when two thirds of its lease are left: a second of that is not missed.
  acquire: (where, holder, nowMs, leaseMs, renewing) =>
    Effect.zipRight(
      renewing === undefined ? Effect.void : Transaction.unhurried(sql),
      Transaction.run(sql, `take the lock of ${Lane.text(where)}`, function* () {
        const { account, lane } = where
        const until = Math.ceil(nowMs + leaseMs)
        const farthest = Math.ceil(nowMs + 2 * leaseMs)
        yield* ServerMark.check(sql, nowMs)
        const taken =
          renewing !== undefined
            ? yield* sql<Lock>`UPDATE locks SET until = ${until} WHERE account = ${account}
              AND lane = ${lane} AND holder = ${holder} AND epoch = ${renewing} RETURNING holder, until, epoch`
            : yield* sql<Lock>`INSERT INTO locks (account, lane, holder, until, epoch)
              VALUES (${account}, ${lane}, ${holder}, ${until}, 1)
              ON CONFLICT (account, lane) DO UPDATE SET holder = excluded.holder, until = excluded.until,
                epoch = CASE WHEN locks.holder = excluded.holder THEN locks.epoch ELSE locks.epoch + 1 END
              WHERE locks.until <= ${Math.floor(nowMs)} OR locks.until > ${farthest}
                OR locks.holder = excluded.holder
              RETURNING holder, until, epoch`
        if (taken[0] !== undefined) return { granted: true, ...plain(taken[0]) }
        return { granted: false, ...(yield* current(sql, where)) }
      })
    ),
  /** The row stays, without a holder, because its epoch must never begin anew. */
  release: (where, holder) =>
    Transaction.run(
      sql,
      `release the lock of ${Lane.text(where)}`,
      Effect.asVoid(
        sql`UPDATE locks SET holder = '', until = 0
          WHERE account = ${where.account} AND lane = ${where.lane} AND holder = ${holder}`
      )
    ),
  claim: (fence, runId, changeIds, from, to, note) =>
    Transaction.run(sql, `record that changes are ${to}`, function* () {
      const nowMs = Math.floor(note.nowMs)
      yield* ServerMark.check(sql, nowMs)
      if (!(yield* isHeld(sql, fence))) {
        const { epoch, holder } = yield* current(sql, fence)
        return { _tag: "Fenced", holder, epoch } satisfies Claim
      }
      if (changeIds.length === 0) return { _tag: "Moved" } satisfies Claim
      const found = yield* sql<JournalAudit.Moved>`SELECT ${chain.movedColumns(sql, runId)} FROM changes
          WHERE run_id = ${runId} AND change_id IN ${sql.in(changeIds)} AND state IN ${sql.in(from)}`
      if (found.length !== new Set(changeIds).size) return { _tag: "Taken" } satisfies Claim
      yield* sql`UPDATE changes SET state = ${to}, updated_at = ${nowMs}, reason = NULL,
            operation = COALESCE(${note.operation ?? null}, operation),
            request_hash = COALESCE(${note.requestHash ?? null}, request_hash),
            evidence = COALESCE(${note.evidence ?? null}, evidence),
            deadline_at = ${note.deadlineMs === undefined ? null : nowMs + Math.ceil(note.deadlineMs)},
            sent_at = ${note.sent === true ? nowMs : null}
          WHERE run_id = ${runId} AND change_id IN ${sql.in(changeIds)}`
      yield* chain.moved(sql, runId, found, to, note)
      return { _tag: "Moved" } satisfies Claim
    })
})

/** Writing the row, though it stays as it is, keeps others from taking the lock before this transaction ends. */
const isHeld = (
  sql: SqlClient.SqlClient,
  { account, epoch, holder, lane }: Fence
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql<Lock>`UPDATE locks SET epoch = epoch
      WHERE account = ${account} AND lane = ${lane} AND holder = ${holder} AND epoch = ${epoch} RETURNING epoch`,
    (rows) => rows.length > 0
  )

const current = (
  sql: SqlClient.SqlClient,
  { account, lane }: Lane.AccountLane
): Effect.Effect<Lock, SqlError> =>
  Effect.map(
    sql<Lock>`SELECT holder, until, epoch FROM locks WHERE account = ${account} AND lane = ${lane}`,
    ([found]) => (found === undefined ? { holder: "", until: 0, epoch: 0 } : plain(found))
  )

const plain = ({ epoch, holder, until }: Lock): Lock => ({
  holder,
  until: Number(until),
  epoch: Number(epoch)
})
