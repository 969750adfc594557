/** Requests for approval in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rejected from "../../engine/decide/limits/Rejected.js"
import {
  ApprovalStore,
  type Asked,
  program,
  type Request,
  type State,
  unanswered
} from "../../engine/planning/ApprovalStore.js"
import * as PersonAudit from "../audit/PersonAudit.js"
import * as Transaction from "../clients/Transaction.js"
import * as JournalRows from "../journal/JournalRows.js"

/** Needs a migrated store. */
export const layer: Layer.Layer<ApprovalStore, never, SqlClient.SqlClient> = Layer.effect(
  ApprovalStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    atOnce: (body) => Transaction.run(sql, "ask for approval", body),
    replace: (account, policies, slots, request) =>
      Transaction.run(sql, "ask for approval", function* () {
        const why = request === undefined ? "the next plan did not ask for it" : `replaced by ${request.id}`
        yield* supersede(
          sql,
          account,
          ({ policy, slot }) => !policies.has(policy) && !slots.has(slot),
          why,
          request?.id
        )
        if (request === undefined) return false
        const [isNew] = yield* insert(sql, request)
        if (isNew === undefined) return yield* isWaiting(sql, request.id)
        yield* PersonAudit.asked(sql, request, Math.floor(yield* Clock.currentTimeMillis))
        return true
      }),
    keepOnly: (account, policies, why) =>
      Transaction.run(
        sql,
        "end approvals that no policy stands behind",
        supersede(sql, account, ({ elsewhere, policy }) => elsewhere === true || policies.has(policy), why)
      ),
    list: (account, limit) =>
      Transaction.read(sql, "read the approvals", function* () {
        const now = Math.floor(yield* Clock.currentTimeMillis)
        const rows = yield* sql<Row>`SELECT * FROM approvals WHERE account = ${account}
          AND ((state = 'requested' AND expires_at > ${now}) OR approval_id IN (
            SELECT approval_id FROM approvals WHERE account = ${account}
            ORDER BY requested_at DESC, approval_id LIMIT ${limit}))
          ORDER BY requested_at DESC, approval_id`
        return yield* Effect.forEach(rows, toRequest)
      }),
    rejected: (account, afterMs) =>
      Transaction.read(
        sql,
        "read what was rejected",
        Effect.flatMap(
          sql<Row>`SELECT * FROM approvals WHERE account = ${account} AND state = 'rejected'
          AND decided_at > ${Math.floor(afterMs)} ORDER BY decided_at, approval_id`,
          (rows) => Effect.forEach(rows, toRequest)
        )
      ),
    find: (account, id) =>
      Transaction.read(sql, "read the approval", function* () {
        const rows = yield* sql<Row>`SELECT * FROM approvals WHERE account = ${account}
          AND SUBSTR(approval_id, 1, ${id.length}) = ${id} LIMIT 2`
        const row =
          rows.find(({ approval_id }) => approval_id === id) ??
          (rows.length === 1 && id !== "" ? rows[0] : undefined)
        return row === undefined ? undefined : yield* toRequest(row)
      }),
    decide: (account, id, { by, ids, nowMs, to, why }) =>
      Transaction.run(sql, `record that the approval is ${to}`, function* () {
        const now = Math.floor(nowMs)
        yield* expire(sql, account, now)
        const rows =
          yield* sql<Row>`UPDATE approvals SET state = ${to}, decided_at = ${now}, decided_by = ${by},
            why = ${why ?? null}
          WHERE account = ${account} AND approval_id = ${id} AND state = 'requested' RETURNING *`
        const [row] = rows
        if (row === undefined) return false
        yield* PersonAudit.decided(sql, account, id, { at: now, by, to, why, changes: ids?.size })
        if (ids !== undefined)
          yield* keepAsked(
            sql,
            id,
            askedOf(row).map((one) => (ids.has(one.id) ? one : { ...one, left: true as const }))
          )
        return true
      }),
    applied: (account, id, runId, bids, nowMs) =>
      Transaction.run(sql, "record what an approval led to", function* () {
        // Between the yes and the lock another run may have found it without a run, and let it wait or replaced it.
        yield* sql`UPDATE approvals SET state = 'applied', run_id = ${runId},
            decided_at = CASE state WHEN 'approved' THEN decided_at END,
            decided_by = CASE state WHEN 'approved' THEN decided_by END,
            why = CASE state WHEN 'approved' THEN why END
          WHERE account = ${account} AND approval_id = ${id}
            AND state IN ('approved', 'requested', 'superseded', 'expired')`
        for (const [slot, kopecks] of bids) {
          yield* sql`INSERT INTO approved_bids (account, slot, kopecks, at)
            VALUES (${account}, ${slot}, ${kopecks}, ${Math.floor(nowMs)})
            ON CONFLICT (account, slot) DO UPDATE SET kopecks = excluded.kopecks, at = excluded.at`
        }
      }),
    underWay: (account) =>
      Transaction.read(
        sql,
        "read the approvals under way",
        Effect.flatMap(
          sql<Row>`SELECT * FROM approvals WHERE account = ${account} AND state = 'approved' AND run_id IS NULL
          ORDER BY decided_at, approval_id`,
          (rows) => Effect.forEach(rows, toRequest)
        )
      ),
    reopen: (account, id) =>
      Transaction.run(sql, "let an approval wait again", function* () {
        const [row] =
          yield* sql<Row>`UPDATE approvals SET state = 'requested', decided_at = NULL, decided_by = NULL, why = NULL
          WHERE account = ${account} AND approval_id = ${id} AND state = 'approved' AND run_id IS NULL
          RETURNING *`
        if (row !== undefined) yield* keepAsked(sql, id, keptOf(row).map(asked))
      }),
    approvedBids: (account, sinceMs) =>
      Transaction.read(
        sql,
        "read the bids that were approved",
        Effect.map(
          sql<{
            slot: string
            kopecks: number
          }>`SELECT approved.slot, approved.kopecks FROM approved_bids AS approved
          WHERE approved.account = ${account} AND approved.at >= ${Math.floor(sinceMs)} AND NOT EXISTS (
            SELECT 1 FROM changes JOIN undoes USING (run_id, change_id)
            WHERE changes.account = approved.account AND changes.slot = approved.slot
            AND changes.sent_at >= approved.at
            AND changes.state IN ('dispatching', 'accepted', 'unknown', 'applied'))`,
          (rows) => new Map(rows.map(({ kopecks, slot }) => [slot, kopecks]))
        )
      )
  }))
)

/** Ends every request of an account that waits, where nobody knows what became of it meanwhile: the next plan asks anew. */
export const supersedeAll = (sql: SqlClient.SqlClient, account: string, why: string) =>
  Effect.gen(function* () {
    yield* expire(sql, account, Math.floor(yield* Clock.currentTimeMillis))
    for (const { approval_id } of yield* waitingOf(sql, account)) yield* end(sql, account, approval_id, why)
  })

const waitingOf = (sql: SqlClient.SqlClient, account: string) =>
  sql<
    Pick<Row, "approval_id" | "asked">
  >`SELECT approval_id, asked FROM approvals WHERE account = ${account} AND state = 'requested'`

/** Writes down that what nobody answered in time is over: by the clock it is so, whoever comes. */
const expire = (sql: SqlClient.SqlClient, account: string, now: number) =>
  Effect.gen(function* () {
    const over = yield* sql<
      Pick<Row, "approval_id" | "expires_at">
    >`SELECT approval_id, expires_at FROM approvals
      WHERE account = ${account} AND state = 'requested' AND expires_at <= ${now} ORDER BY expires_at, approval_id`
    for (const { approval_id, expires_at } of over)
      yield* ended(sql, account, approval_id, { to: "expired", at: Number(expires_at), why: unanswered })
  })

/** Nobody asks for it any more. */
const end = (sql: SqlClient.SqlClient, account: string, id: string, why: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    ended(sql, account, id, { to: "superseded", at: Math.floor(nowMs), why })
  )

/** No person ended it. */
const ended = (
  sql: SqlClient.SqlClient,
  account: string,
  id: string,
  { at, to, why }: { readonly to: "superseded" | "expired"; readonly at: number; readonly why: string }
) =>
  Effect.gen(function* () {
    yield* sql`UPDATE approvals SET state = ${to}, decided_at = ${at}, decided_by = ${program}, why = ${why}
      WHERE account = ${account} AND approval_id = ${id}`
    yield* PersonAudit.decided(sql, account, id, { at, by: program, to, why, changes: undefined })
  })

/** Keeps of what waits what `stays`, and ends what has nothing left; `but` is left as it is. Answers how many ended. */
const supersede = (
  sql: SqlClient.SqlClient,
  account: string,
  stays: (one: Asked) => boolean,
  why: string,
  but?: string
) =>
  Effect.gen(function* () {
    let over = 0
    yield* expire(sql, account, Math.floor(yield* Clock.currentTimeMillis))
    for (const row of yield* waitingOf(sql, account)) {
      const asked = askedOf(row)
      const left = asked.filter(stays)
      if (left.length === asked.length || row.approval_id === but) continue
      if (left.length > 0) yield* keepAsked(sql, row.approval_id, left)
      else {
        yield* end(sql, account, row.approval_id, why)
        over++
      }
    }
    return over
  })

/** `left`: the yes was to others of the request, and would be asked again with them if nothing comes of it. */
type Kept = Asked & { readonly left?: true }

const keepAsked = (sql: SqlClient.SqlClient, id: string, kept: ReadonlyArray<Kept>) =>
  sql`UPDATE approvals SET asked = ${JSON.stringify(kept)} WHERE approval_id = ${id}`

const insert = (sql: SqlClient.SqlClient, request: Request) =>
  sql`INSERT INTO approvals (approval_id, account, plan, asked, state, requested_at, expires_at)
  VALUES (${request.id}, ${request.account}, ${JournalRows.planBytes(request.plan)}, ${JSON.stringify(request.asked)},
    ${request.state}, ${Math.floor(request.requestedAt)}, ${Math.floor(request.expiresAt)})
  ON CONFLICT (approval_id) DO UPDATE SET state = excluded.state, why = NULL, decided_at = NULL,
    decided_by = NULL, plan = excluded.plan, asked = excluded.asked, requested_at = excluded.requested_at, expires_at = excluded.expires_at
  WHERE approvals.state = 'superseded' OR approvals.state = 'requested' AND approvals.plan <> excluded.plan
  RETURNING approval_id`

const isWaiting = (sql: SqlClient.SqlClient, id: string) =>
  Effect.map(
    sql`SELECT approval_id FROM approvals WHERE approval_id = ${id} AND state = 'requested'`,
    (rows) => rows.length > 0
  )

/** Requests of all accounts to which a person said no so lately that it may hold; in SQLite's words and PostgreSQL's alike. */
export const rejectedLately = `SELECT * FROM approvals WHERE state = 'rejected'
  AND decided_at > (SELECT MAX(decided_at) FROM approvals) - ${Rejected.lastsMs}`

/**
 * Takes over requests that were rejected in the store that this one takes the place of. Answers how many were not known here
 * as such. Call it in a transaction.
 */
export const keepRejected = (sql: SqlClient.SqlClient, rows: ReadonlyArray<Row>) =>
  Effect.gen(function* () {
    let fresh = 0
    for (const row of rows) {
      const { account, approval_id: id, decided_at: at, decided_by: by, why } = row
      const kept = yield* sql`INSERT INTO approvals
          (approval_id, account, plan, asked, state, requested_at, expires_at, decided_at, decided_by, why)
        VALUES (${id}, ${account}, ${row.plan}, ${row.asked}, 'rejected', ${row.requested_at}, ${row.expires_at}, ${at},
          ${by}, ${why})
        ON CONFLICT (approval_id) DO UPDATE SET state = 'rejected', plan = excluded.plan, asked = excluded.asked,
          decided_at = excluded.decided_at, decided_by = excluded.decided_by, why = excluded.why
        WHERE approvals.state IN ('requested', 'superseded') RETURNING approval_id`
      if (kept.length === 0) continue
      fresh++
      const said = { at: at ?? row.requested_at, by: by ?? "somebody", why: why ?? undefined }
      yield* PersonAudit.decided(sql, account, id, { ...said, to: "rejected", changes: undefined })
    }
    return fresh
  })

/** A row of `approvals`. */
export interface Row {
  readonly approval_id: string
  readonly account: string
  readonly plan: Uint8Array
  readonly asked: string
  readonly state: State
  readonly requested_at: number
  readonly expires_at: number
  readonly decided_at: number | null
  readonly decided_by: string | null
  readonly why: string | null
  readonly run_id: string | null
}

/** Written by this program only. */
const keptOf = ({ asked }: Pick<Row, "asked">): ReadonlyArray<Kept> =>
  JSON.parse(asked) as ReadonlyArray<Kept>

const asked = ({ left: _, ...one }: Kept): Asked => one

const askedOf = (row: Pick<Row, "asked">): ReadonlyArray<Asked> =>
  keptOf(row)
    .filter(({ left }) => left !== true)
    .map(asked)

const leftOf = (row: Row): Pick<Request, "left"> => {
  const left = keptOf(row).filter((one) => one.left === true)
  return left.length === 0 ? {} : { left: left.map(asked) }
}

const toRequest = (row: Row) =>
  Effect.map(
    JournalRows.toPlan(row.plan),
    (plan): Request => ({
      id: row.approval_id,
      account: row.account,
      plan,
      asked: askedOf(row),
      ...leftOf(row),
      state: row.state,
      requestedAt: row.requested_at,
      expiresAt: row.expires_at,
      ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
      ...(row.decided_by === null ? {} : { decidedBy: row.decided_by }),
      ...(row.why === null ? {} : { why: row.why }),
      ...(row.run_id === null ? {} : { runId: row.run_id })
    })
  )
