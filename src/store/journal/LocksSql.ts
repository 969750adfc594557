/** The apply locks of lanes, and the moves that are made only by who still holds one. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Lane from "../../domain/Lane.js"
import type { Claim, Fence, Journal } from "../../engine/door/Journal.js"
import type * as JournalAudit from "../audit/JournalAudit.js"
import * as ServerMark from "../audit/ServerMark.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Context.Tag.Service<Journal>

interface Lock {
  readonly holder: string
  readonly until: number
  readonly epoch: number
}

export const methods = (
  sql: SqlClient.SqlClient,
  chain: JournalAudit.Chain
): Pick<Methods, "acquire" | "release" | "claim"> => ({
  acquire: (where, holder, nowMs, leaseMs, renewing) =>
    Transaction.run(
      sql,
      `take the lock of ${Lane.text(where)}`,
      Effect.gen(function* () {
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
    Transaction.run(
      sql,
      `record that changes are ${to}`,
      Effect.gen(function* () {
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
        yield* sql`UPDATE changes SET state = ${to}, updated_at = ${nowMs}, detail = NULL,
            operation = COALESCE(${note.operation ?? null}, operation),
            request_hash = COALESCE(${note.requestHash ?? null}, request_hash),
            evidence = COALESCE(${note.evidence ?? null}, evidence),
            deadline_at = ${note.deadlineMs === undefined ? null : nowMs + Math.ceil(note.deadlineMs)},
            sent_at = ${note.sent === true ? nowMs : null}
          WHERE run_id = ${runId} AND change_id IN ${sql.in(changeIds)}`
        yield* chain.moved(sql, runId, found, to, note)
        return { _tag: "Moved" } satisfies Claim
      })
    )
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
