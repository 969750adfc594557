/** Holds that people placed and values that people set, in the SQL store. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Hash from "../../domain/Hash.js"
import * as Stops from "../../engine/decide/limits/Stops.js"
import { Holdings } from "../../engine/door/HoldStore.js"
import type { Journal } from "../../engine/door/Journal.js"
import type { HumanEdit } from "../../engine/kinds/HumanEdit.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import type { SlotValue } from "../../engine/kinds/SlotHistory.js"
import * as DepositMemory from "../accounts/DepositMemory.js"
import * as AuditSql from "../audit/AuditSql.js"
import * as PersonAudit from "../audit/PersonAudit.js"
import * as Transaction from "../clients/Transaction.js"
import * as ForecastsSql from "../journal/ForecastsSql.js"

type Methods = Pick<Context.Tag.Service<Journal>, "stops" | "standing" | "keepEdits">

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  stops: (account) =>
    Transaction.read(
      sql,
      "read what people have stopped",
      Effect.all({ holds: standing(sql, account), edits: edits(sql, account) })
    ),
  standing: (account) => Transaction.read(sql, "read the holds", standing(sql, account)),
  keepEdits: (account, found, over) =>
    Transaction.run(sql, "keep what people have changed", function* () {
      for (const slot of over)
        yield* sql`DELETE FROM human_edits WHERE account = ${account} AND slot = ${slot}`
      for (const edit of found) {
        // A person may have given the slot back while the run that found it was still reading.
        yield* sql`INSERT INTO human_edits (account, slot, ours, written_at, live, first_seen_at)
          VALUES (${account}, ${edit.slot}, ${JSON.stringify(edit.ours)}, ${Math.floor(edit.writtenAt)},
            ${JSON.stringify(edit.live)}, ${Math.floor(edit.firstSeenAt)})
          ON CONFLICT (account, slot) DO UPDATE SET ours = excluded.ours, written_at = excluded.written_at,
            live = excluded.live, first_seen_at = excluded.first_seen_at, lifted_at = NULL, lifted_by = NULL
          WHERE human_edits.live <> excluded.live OR human_edits.written_at < excluded.written_at`
        yield* sql`UPDATE human_edits SET first_seen_at = ${Math.floor(edit.firstSeenAt)}
          WHERE account = ${account} AND slot = ${edit.slot} AND first_seen_at > ${Math.floor(edit.firstSeenAt)}`
      }
    })
})

/** Needs a migrated store. */
export const layer: Layer.Layer<Holdings, never, SqlClient.SqlClient> = Layer.effect(
  Holdings,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    allowDeposits: (account, by, nowMs) =>
      Transaction.run(sql, "allow deposits", DepositMemory.allow(sql, account, by, nowMs)),
    doubtDeposits: (account, why, nowMs) =>
      Transaction.run(sql, "doubt the deposits", DepositMemory.begin(sql, account, nowMs, why)),
    place: (hold) =>
      Transaction.run(
        sql,
        "place the hold",
        Effect.gen(function* () {
          const before = (yield* standing(sql, hold.account)).filter(
            (one) =>
              one.kind === hold.kind && one.what === hold.what && OperatorHold.isStanding(one, hold.since)
          )
          yield* place(sql, goingOn(hold, before[0]), hold)
          return lastToEnd(before)
        })
      ),
    lift: (account, scope, by, nowMs) =>
      Transaction.run(sql, "lift the hold", function* () {
        const lifted = (yield* standing(sql, account)).filter(
          (hold) =>
            hold.kind === scope.kind && hold.what === scope.what && OperatorHold.isStanding(hold, nowMs)
        )
        // What has ended by the clock is nobody's to lift: the audit chain would not tell of it.
        if (lifted.length === 0) return lifted
        yield* end(sql, account, scope, by, Math.floor(nowMs))
        yield* PersonAudit.lifted(sql, account, scope, { at: nowMs, by })
        return lifted
      }),
    forgive: (account, target, by, nowMs) =>
      Transaction.run(sql, "give the rules back what people have changed", function* () {
        const own = (yield* edits(sql, account)).filter(
          ({ liftedAt, slot }) => liftedAt === undefined && isAtOrBelow(Stops.targetOf(slot), target)
        )
        for (const { slot } of own) {
          yield* sql`UPDATE human_edits SET lifted_at = ${Math.floor(nowMs)}, lifted_by = ${by}
            WHERE account = ${account} AND slot = ${slot}`
        }
        if (own.length > 0) yield* PersonAudit.forgiven(sql, account, target, { at: nowMs, by })
        return own
      }),
    forgiveForecasts: (account, budgets, by, nowMs) =>
      Transaction.run(sql, "forgive missed forecasts", ForecastsSql.forgive(sql, account, budgets, by, nowMs))
  }))
)

/** Of one scope there are several where one was carried over beside another; the youngest of those that end last. */
const lastToEnd = (
  holds: ReadonlyArray<OperatorHold.OperatorHold>
): OperatorHold.OperatorHold | undefined => {
  const ends = holds.map(({ until = Number.POSITIVE_INFINITY }) => until)
  return holds.findLast((_, at) => ends[at] === Math.max(...ends))
}

/** Places a hold instead of the one that stood there; the audit tells what was `asked`. Call it in a transaction. */
const place = (sql: SqlClient.SqlClient, hold: OperatorHold.OperatorHold, asked = hold) =>
  Effect.gen(function* () {
    yield* end(sql, hold.account, hold, asked.by, Math.floor(asked.since))
    yield* insert(sql, hold)
    yield* PersonAudit.placed(sql, asked)
  })

/** A kill switch that is on already goes on since then, by whom and why as before unless there is a new reason. */
const goingOn = (
  hold: OperatorHold.OperatorHold,
  first: OperatorHold.OperatorHold | undefined
): OperatorHold.OperatorHold => {
  if (hold.kind !== "kill" || first === undefined) return hold
  const { by, since, why } = first
  if (hold.why !== undefined) return { ...hold, since }
  return { ...hold, since, by, ...(why === undefined ? {} : { why }) }
}

const insert = (sql: SqlClient.SqlClient, hold: OperatorHold.OperatorHold) =>
  sql`INSERT INTO operator_holds (account, kind, what, since, ends_at, placed_by, why)
    VALUES (${hold.account}, ${hold.kind}, ${hold.what}, ${Math.floor(hold.since)},
      ${hold.until === undefined ? null : Math.floor(hold.until)}, ${hold.by}, ${hold.why ?? null})
    ON CONFLICT (account, kind, what, since) DO UPDATE SET ends_at = excluded.ends_at,
      placed_by = excluded.placed_by, why = excluded.why, lifted_at = NULL, lifted_by = NULL`

/** Holds of all accounts that nobody lifted, for a store that takes the place of this one. */
export const all = (
  sql: SqlClient.SqlClient
): Effect.Effect<ReadonlyArray<OperatorHold.OperatorHold>, SqlError> =>
  Effect.map(sql<HoldRow>`${sql.literal(unlifted)} ORDER BY since, account, kind, what`, (rows) =>
    rows.map(toHold)
  )

/**
 * Places what stood in the store that this one takes the place of, unless it stands here too: only a person lifts a hold.
 * Call it in a transaction.
 */
export const keep = (
  sql: SqlClient.SqlClient,
  holds: ReadonlyArray<OperatorHold.OperatorHold>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const here = new Set((yield* all(sql)).map((hold) => Hash.canonical(hold)))
    for (const hold of holds) if (!here.has(Hash.canonical(hold))) yield* place(sql, hold)
  })

/**
 * Copies what stands of one account to another name of it, with who, why and since when, beside what stands there: no
 * hold is lifted or shortened. Answers those that were not there already. Call it in a transaction.
 */
export const carry = (
  sql: SqlClient.SqlClient,
  holds: ReadonlyArray<OperatorHold.OperatorHold>,
  to: string,
  by: string,
  nowMs: number
): Effect.Effect<ReadonlyArray<OperatorHold.OperatorHold>, SqlError> =>
  Effect.gen(function* () {
    const here = yield* standing(sql, to)
    const missing = holds.filter(
      (hold) => OperatorHold.isStanding(hold, nowMs) && !here.some((other) => isSame(hold, other))
    )
    for (const hold of missing) yield* insert(sql, { ...hold, account: to })
    yield* AuditSql.append(
      sql,
      to,
      missing.map((hold) => ({
        at: nowMs,
        who: by,
        what: hold.kind === "kill" ? "kill switch carried over" : "hold carried over",
        why: hold.why,
        before: JSON.stringify({ account: hold.account }),
        after: JSON.stringify({ ...hold, account: to })
      }))
    )
    return missing
  })

/** True when `other` is the hold already, and lasts no shorter. */
const isSame = (hold: OperatorHold.OperatorHold, other: OperatorHold.OperatorHold): boolean =>
  other.kind === hold.kind &&
  other.what === hold.what &&
  other.since === hold.since &&
  (other.until ?? Number.POSITIVE_INFINITY) >= (hold.until ?? Number.POSITIVE_INFINITY)

/** True when every request of the account is stopped by it. */
export const isKilled = (
  sql: SqlClient.SqlClient,
  account: string,
  nowMs: number
): Effect.Effect<boolean, SqlError> =>
  Effect.map(standing(sql, account), (holds) =>
    holds.some((hold) => hold.kind === "kill" && OperatorHold.isStanding(hold, nowMs))
  )

const isAtOrBelow = (target: string, wanted: string): boolean =>
  target === wanted ||
  target.startsWith(`${wanted}/`) ||
  (wanted.startsWith("item/") && target.split("/")[1] === wanted.slice("item/".length))

const end = (sql: SqlClient.SqlClient, account: string, scope: OperatorHold.Scope, by: string, at: number) =>
  sql`UPDATE operator_holds SET lifted_at = ${at}, lifted_by = ${by}
  WHERE account = ${account} AND kind = ${scope.kind} AND what = ${scope.what} AND lifted_at IS NULL`

/** A row of `unlifted`. */
export interface HoldRow {
  readonly account: string
  readonly kind: OperatorHold.Kind
  readonly what: string
  readonly since: number
  readonly ends_at: number | null
  readonly placed_by: string
  readonly why: string | null
}

export const unlifted = `SELECT account, kind, what, since, ends_at, placed_by, why FROM operator_holds
  WHERE lifted_at IS NULL`

/** Holds that nobody lifted; some may have ended by the clock. */
export const standing = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<ReadonlyArray<OperatorHold.OperatorHold>, SqlError> =>
  Effect.map(
    sql<HoldRow>`${sql.literal(unlifted)} AND account = ${account} ORDER BY since, kind, what`,
    (rows) => rows.map(toHold)
  )

export const toHold = (row: HoldRow): OperatorHold.OperatorHold => ({
  account: row.account,
  kind: row.kind,
  what: row.what,
  since: row.since,
  by: row.placed_by,
  ...(row.ends_at === null ? {} : { until: row.ends_at }),
  ...(row.why === null ? {} : { why: row.why })
})

/** A row of `human_edits`. */
export interface EditRow {
  readonly slot: string
  readonly ours: string
  readonly written_at: number
  readonly live: string
  readonly first_seen_at: number
  readonly lifted_at: number | null
}

const edits = (sql: SqlClient.SqlClient, account: string) =>
  Effect.map(
    sql<EditRow>`SELECT slot, ours, written_at, live, first_seen_at, lifted_at FROM human_edits
    WHERE account = ${account} ORDER BY slot`,
    (rows) => rows.map(toEdit)
  )

export const toEdit = (row: EditRow): HumanEdit => ({
  slot: row.slot,
  ours: value(row.ours),
  writtenAt: row.written_at,
  live: value(row.live),
  firstSeenAt: row.first_seen_at,
  ...(row.lifted_at === null ? {} : { liftedAt: row.lifted_at })
})

/** Written by this program only. */
const value = (json: string): SlotValue => JSON.parse(json) as SlotValue
