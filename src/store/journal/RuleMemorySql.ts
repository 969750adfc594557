/** What rules remember: the past of slots, plans, counts of `hold_for`, figures of past runs, marks of `watch:`, forecasts, spend of hours. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../domain/Days.js"
import { ItemId, PromotionId } from "../../domain/Ids.js"
import * as Hold from "../../engine/decide/intents/Hold.js"
import * as Memory from "../../engine/decide/intents/Memory.js"
import * as Plausibility from "../../engine/decide/limits/Plausibility.js"
import type { HoldCounts } from "../../engine/decide/Plan.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import type { RolledBack, SlotHistory } from "../../engine/kinds/SlotHistory.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as DepositMemory from "../accounts/DepositMemory.js"
import * as Transaction from "../clients/Transaction.js"
import * as Believed from "../retention/Believed.js"
import * as Steps from "../schema/Steps.js"
import * as ChangeLogSql from "./ChangeLogSql.js"
import * as ForecastsSql from "./ForecastsSql.js"
import * as JournalRows from "./JournalRows.js"
import * as SpendCurvesSql from "./SpendCurvesSql.js"

type Methods = Context.Tag.Service<RuleMemory>

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<RuleMemory, never, SqlClient.SqlClient> = Layer.effect(
  RuleMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...pasts(sql),
    ...plans(sql),
    ...holdMethods(sql),
    ...figureMethods(sql),
    ...marks(sql),
    ...memberMethods(sql),
    ...putOrders(sql),
    ...ForecastsSql.methods(sql),
    ...SpendCurvesSql.methods(sql)
  }))
)

const pasts = (sql: SqlClient.SqlClient): Pick<Methods, "slots" | "depositMemory"> => ({
  slots: (account, dayStartMs) =>
    Transaction.read(sql, "read what was changed before", read(sql, account, Math.ceil(dayStartMs))),
  depositMemory: (account, nowMs) =>
    Transaction.run(sql, "look how long the account is known", DepositMemory.read(sql, account, nowMs))
})

/**
 * Slots with a change that was sent and not refused, by slot. `lastAppliedAt` is the moment the latest accepted
 * change left that was no overlay's edge, `pendingSince` that of the oldest whose effect has not been seen;
 * `dayFirstBid` is the bid before the first change sent since `dayStartMs`: one that somebody replaced before it was seen
 * (`conflict`) may have moved the bid all the same, and one with a later number and a date of before tells that a clock
 * was ahead.
 */
const read = (
  sql: SqlClient.SqlClient,
  account: string,
  dayStartMs: number
): Effect.Effect<ReadonlyMap<string, SlotHistory>, SqlError> =>
  Effect.zipWith(
    slotRows(sql, account, dayStartMs),
    rolledBack(sql, account),
    (rows, backs) => new Map(rows.map((row) => [row.slot, toHistory(row, backs.get(row.slot) ?? [])]))
  )

/** Not materialized, every part walks the covering index in the order of the slots. */
export const slotRows = (sql: SqlClient.SqlClient, account: string, dayStartMs: number) => {
  const one = oneOfSlot(sql)
  return sql<Row>`
      WITH sent AS NOT MATERIALIZED (
        SELECT slot, policy, state, bid_before, is_edge, memory, nth,
          COALESCE(sent_at, updated_at) AS at FROM changes
        WHERE account = ${account} AND state IN (${sql.literal(Steps.left)})),
      latest AS (${one("last", "policy")}),
      applied AS (${one("last", "policy, memory", sql`state IN ('accepted', 'applied') AND is_edge = 0`)}),
      edges AS (${one("last", "policy, memory", sql`state IN ('accepted', 'applied') AND is_edge = 1`)}),
      pending AS (SELECT slot, MIN(at) AS at FROM sent WHERE state NOT IN ('applied', 'conflict') GROUP BY slot),
      hidden AS (${one("last", "memory", sql`state = 'accepted'`)}),
      today AS (${one(
        "first",
        "bid_before",
        sql`at >= ${dayStartMs} AND bid_before IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM changes AS later WHERE later.account = ${account} AND later.slot = sent.slot
          AND later.nth > sent.nth AND COALESCE(later.sent_at, later.updated_at) < ${dayStartMs}
          AND later.state IN (${sql.literal(Steps.left)}))`
      )})
      SELECT latest.slot, latest.policy, applied.at AS applied_at, applied.nth AS applied_nth,
        applied.policy AS applied_policy, applied.memory AS applied_memory, edges.at AS edge_at,
        edges.nth AS edge_nth, edges.policy AS edge_policy, edges.memory AS edge_memory, pending.at AS pending_since, hidden.memory AS hidden_memory, today.bid_before
      FROM latest LEFT JOIN applied USING (slot) LEFT JOIN edges USING (slot) LEFT JOIN pending USING (slot)
      LEFT JOIN hidden USING (slot) LEFT JOIN today USING (slot)
      ORDER BY latest.slot`
}

/** What `watch:` took back and nobody brought back again, by slot: of each policy the last time. */
const rolledBack = (
  sql: SqlClient.SqlClient,
  account: string
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<RolledBack>>, SqlError> =>
  Effect.map(rolledBackRows(sql, account), (rows) => {
    const found = new Map<string, Array<RolledBack>>()
    for (const { at, policy, slot } of rows)
      found.set(slot, [...(found.get(slot) ?? []), { policy, at: Number(at) }])
    return found
  })

/**
 * Few changes undo others, so SQLite is told to begin with these (`CROSS JOIN`); it would begin with all changes of the
 * account.
 */
export const rolledBackRows = (sql: SqlClient.SqlClient, account: string) =>
  sql<{ readonly slot: string; readonly policy: string; readonly at: number }>`
    SELECT changes.slot, changes.policy, MAX(COALESCE(changes.sent_at, changes.updated_at)) AS at
    FROM undoes CROSS JOIN changes
    WHERE changes.run_id = undoes.run_id AND changes.change_id = undoes.change_id
    AND changes.account = ${account} AND changes.policy <> ${OperatorHold.undoPolicy}
    AND changes.state IN ('accepted', 'applied') AND NOT EXISTS (
      SELECT 1 FROM undoes AS again JOIN changes AS brought
      ON brought.run_id = again.run_id AND brought.change_id = again.change_id
      WHERE again.undone_run = changes.run_id AND again.undone_change = changes.change_id
      AND brought.state IN ('accepted', 'applied'))
    GROUP BY changes.slot, changes.policy ORDER BY changes.slot, changes.policy`

/** Of each slot the last or first row that was sent, by its number: a clock that was ahead has written later times first. */
const oneOfSlot =
  (sql: SqlClient.SqlClient) =>
  (which: "last" | "first", columns: string, where: Fragment = sql.literal("1 = 1")): Fragment =>
    sql.onDialectOrElse({
      pg: () => {
        const way = sql.literal(which === "last" ? "DESC" : "ASC")
        return sql`SELECT DISTINCT ON (slot) slot, nth, ${sql.literal(columns)}, at FROM sent WHERE ${where}
          ORDER BY slot, nth ${way}`
      },
      // SQLite takes a bare column from the row that holds the group's single MAX or MIN.
      orElse: () =>
        sql`SELECT slot, ${sql.literal(which === "last" ? "MAX" : "MIN")}(nth) AS nth, ${sql.literal(columns)}, at
        FROM sent WHERE ${where} GROUP BY slot`
    })

interface Row {
  readonly slot: string
  readonly policy: string
  readonly applied_at: number | null
  readonly applied_nth: number | null
  readonly applied_policy: string | null
  readonly applied_memory: string | null
  readonly edge_at: number | null
  readonly edge_nth: number | null
  readonly edge_policy: string | null
  readonly edge_memory: string | null
  readonly pending_since: number | null
  readonly hidden_memory: string | null
  readonly bid_before: number | null
}

const toHistory = (row: Row, backs: ReadonlyArray<RolledBack>): SlotHistory => {
  const applied = memory(row.applied_memory)
  const edge = memory(row.edge_memory)
  const hidden = memory(row.hidden_memory)
  const isEdgeLast = Number(row.edge_nth ?? 0) > Number(row.applied_nth ?? 0)
  const last = isEdgeLast ? edge : applied
  const lastPolicy = isEdgeLast ? row.edge_policy : row.applied_policy
  const lastAt = isEdgeLast ? row.edge_at : row.applied_at
  return {
    slot: row.slot,
    lastPolicy: row.policy,
    lastAppliedAt: row.applied_at ?? undefined,
    pendingSince: row.pending_since ?? undefined,
    dayFirstBid: row.bid_before ?? undefined,
    ...(hidden === undefined ? {} : { pendingAfter: hidden.after }),
    ...(applied === undefined || row.applied_policy === null ? {} : Memory.ours(row.applied_policy, applied)),
    ...(last === undefined ? {} : Memory.overlay(last)),
    ...(last === undefined || lastPolicy === null || lastAt === null
      ? {}
      : Memory.lastWritten(lastPolicy, lastAt, last)),
    ...Memory.rolledBack(backs),
    ...(edge === undefined || row.edge_at === null || row.edge_policy === null
      ? {}
      : Memory.lastEdge(row.edge_policy, row.edge_at, edge))
  }
}

/** What the column of that name holds: written by this program only, by `Memory.of`. */
export const memory = (json: string | null): Memory.Memory | undefined =>
  json === null ? undefined : (JSON.parse(json) as Memory.Memory)

// In how many runs in a row a policy's rows have matched, for `hold_for`.

const holdMethods = (sql: SqlClient.SqlClient): Pick<Methods, "holds" | "keepHolds"> => ({
  holds: (account) =>
    Transaction.read(
      sql,
      "read what was counted for hold_for",
      Effect.map(
        sql<HoldRow>`SELECT policy, meaning, target, rule, runs, counted_at FROM holds WHERE account = ${account}`,
        (rows) =>
          new Map(
            rows.map(({ counted_at, meaning, policy, rule, runs, target }) => [
              Hold.key(policy, meaning, target),
              { rule, runs, countedAt: counted_at }
            ])
          )
      )
    ),
  keepHolds: (account, counts, atMs) =>
    Transaction.run(
      sql,
      "keep what was counted for hold_for",
      Effect.forEach(counts, (one) => keep(sql, account, one, Math.floor(atMs)), { discard: true })
    )
})

interface HoldRow {
  readonly policy: string
  readonly meaning: string
  readonly target: string
  readonly rule: number
  readonly runs: number
  readonly counted_at: number
}

/** Replaces the counts of a policy, unless a later run has counted since; one that is too far ahead was none. */
const keep = (sql: SqlClient.SqlClient, account: string, { hash, policy, rows }: HoldCounts, at: number) =>
  Effect.gen(function* () {
    const before = yield* sql<HoldRow>`SELECT * FROM holds WHERE account = ${account} AND policy = ${policy}`
    if (before.some((row) => row.counted_at > at && row.counted_at <= at + Days.clockMayErrMs)) return
    const countedAt = new Map(
      before.filter(({ meaning }) => meaning === hash).map((row) => [row.target, row.counted_at])
    )
    yield* sql`DELETE FROM holds WHERE account = ${account} AND policy = ${policy}`
    for (const { fresh, row, rule, runs } of rows) {
      const counted = fresh ? at : (countedAt.get(row) ?? at)
      yield* sql`INSERT INTO holds (account, policy, meaning, target, rule, runs, counted_at)
        VALUES (${account}, ${policy}, ${hash}, ${row}, ${rule}, ${runs}, ${counted})`
    }
  })

// What past runs saw of the statistics, for the plausibility of the next one.

const figureMethods = (sql: SqlClient.SqlClient): Pick<Methods, "figures" | "keepFigures"> => ({
  figures: (account, sinceMs) =>
    Transaction.read(
      sql,
      "read the figures of past runs",
      Effect.map(
        sql<
          Plausibility.Seen & { readonly rows_hash: string }
        >`SELECT at, fact, rows, active, total, rules, rows_hash FROM run_figures
          WHERE account = ${account} AND at >= ${Math.floor(sinceMs)} ORDER BY at, fact`,
        (rows) =>
          rows.map(({ active, at, fact, rows: count, rows_hash: rowsHash, rules, total }) => ({
            fact,
            rules,
            rowsHash,
            at: Number(at),
            rows: Number(count),
            active: Number(active),
            total: Number(total)
          }))
      )
    ),
  keepFigures: (account, atMs, rules, figures) =>
    Transaction.run(sql, "keep the figures of the run", function* () {
      const at = Math.floor(atMs)
      yield* sql`DELETE FROM run_figures WHERE account = ${account}
          AND at < ${at - 2 * Plausibility.rememberedMs}`
      for (const { active, fact, rows, rowsHash, total } of figures) {
        yield* sql`INSERT INTO run_figures (account, at, fact, rows, active, total, rules, rows_hash)
            VALUES (${account}, ${at}, ${fact}, ${rows}, ${active}, ${total}, ${rules}, ${rowsHash}) ON CONFLICT DO NOTHING`
      }
    })
})

// Plans as they were made.

/** One of the plans that were made for an account at an instant, always the same. */
export const planMadeThen = (sql: SqlClient.SqlClient, account: string, createdAt: string) =>
  sql<{ plan: Uint8Array }>`SELECT plan FROM plans
    WHERE account = ${account} AND created_at = ${createdAt} ORDER BY plan_id LIMIT 1`

const plans = (sql: SqlClient.SqlClient): Pick<Methods, "savePlan" | "plan" | "planMadeAt" | "planOf"> => ({
  savePlan: (plan) =>
    Transaction.run(sql, "keep the plan", function* () {
      yield* sql`INSERT INTO plans (plan_id, account, created_at, plan)
        VALUES (${plan.id}, ${plan.account}, ${plan.createdAt}, ${JournalRows.planBytes(plan)})
        ON CONFLICT (plan_id) DO UPDATE SET created_at = excluded.created_at, plan = excluded.plan
        WHERE excluded.created_at > plans.created_at`
    }),
  planMadeAt: (account, planId) =>
    Transaction.read(sql, "look for the plan", function* () {
      const rows = yield* sql<{ created_at: string }>`SELECT created_at FROM plans
        WHERE plan_id = ${planId} AND account = ${account}`
      return rows[0] === undefined ? undefined : Date.parse(rows[0].created_at)
    }),
  planOf: (account, createdAt) =>
    Transaction.read(sql, "look for the plan", function* () {
      const rows = yield* planMadeThen(sql, account, createdAt)
      return rows[0] === undefined ? undefined : yield* JournalRows.toPlan(rows[0].plan)
    }),
  plan: (planId) =>
    Transaction.read(sql, "read the plan", function* () {
      const rows = yield* sql<{ plan: Uint8Array }>`SELECT plan FROM plans WHERE plan_id = ${planId}`
      return rows[0] === undefined ? undefined : yield* JournalRows.toPlan(rows[0].plan)
    })
})

// What a watch has answered.

interface MarkRow {
  readonly run_id: string
  readonly change_id: string
  readonly after_ms: number
}

const marks = (sql: SqlClient.SqlClient): Pick<Methods, "marks" | "keepMarks"> => ({
  marks: (runIds) =>
    Effect.map(
      ChangeLogSql.inParts(
        sql,
        "read what a watch has answered",
        runIds,
        (some) => sql<MarkRow>`
        SELECT run_id, change_id, after_ms FROM watch_marks WHERE run_id IN ${sql.in(some)}
        ORDER BY run_id, change_id, after_ms`
      ),
      (rows) =>
        rows.map((row) => ({
          runId: row.run_id,
          changeId: row.change_id,
          afterMs: Number(row.after_ms)
        }))
    ),
  keepMarks: (answered, nowMs) =>
    answered.length === 0
      ? Effect.void
      : Transaction.run(sql, "keep what a watch has answered", function* () {
          for (const { afterMs, changeId, runId } of answered) {
            yield* sql`INSERT INTO watch_marks (run_id, change_id, after_ms, judged_at)
                SELECT run_id, change_id, CAST(${afterMs} AS BIGINT), CAST(${Math.floor(nowMs)} AS BIGINT) FROM changes
                WHERE run_id = ${runId} AND change_id = ${changeId} ON CONFLICT DO NOTHING`
          }
        })
})

/** Promotions are over within weeks; what comes again has another number. */
const membersForgottenAfterMs = 90 * 86_400_000

/** Who was in each promotion: one row each, the items as text, since they are only ever read together. */
const memberMethods = (
  sql: SqlClient.SqlClient
): Pick<Methods, "promotionMembers" | "keepPromotionMembers"> => ({
  promotionMembers: (account) =>
    Effect.map(
      Transaction.read(
        sql,
        "read who was in promotions",
        sql<{ readonly promotion_id: number; readonly items: string }>`
          SELECT promotion_id, items FROM promotion_members WHERE account = ${account} ORDER BY promotion_id`
      ),
      (rows) =>
        new Map(
          rows.map(({ items, promotion_id }) => [
            PromotionId.make(Number(promotion_id)),
            new Set(
              items
                .split(" ")
                .filter(Boolean)
                .map((id) => ItemId.make(Number(id)))
            )
          ])
        )
    ),
  keepPromotionMembers: (account, looks, atMs) =>
    looks.length === 0
      ? Effect.void
      : Transaction.run(sql, "remember who is in promotions", function* () {
          const at = Math.floor(atMs)
          for (const { items, promotionId } of looks)
            yield* sql`INSERT INTO promotion_members (account, promotion_id, looked_at, items)
                VALUES (${account}, ${promotionId}, ${at}, ${items.join(" ")})
                ON CONFLICT (account, promotion_id) DO UPDATE SET looked_at = excluded.looked_at, items = excluded.items`
          const before = (yield* Believed.instant(sql, at)) - membersForgottenAfterMs
          yield* sql`DELETE FROM promotion_members WHERE account = ${account} AND looked_at < ${before}`
        })
})

const putOrders = (sql: SqlClient.SqlClient): Pick<Methods, "putOrders"> => ({
  putOrders: (account, sinceMs) =>
    Transaction.read(sql, "read which orders were put into supplies", function* () {
      const rows = yield* putSince(sql, account, sinceMs)
      return yield* Effect.forEach(rows, ({ change }) => JournalRows.toPut(change))
    })
})

/**
 * Each order has a slot, and of each the latest change stays for ever, so the way leads over the runs of the lane (SQLite keeps to the order
 * of a `CROSS JOIN`, and neither database has an index of what `SUBSTR` makes).
 */
export const putSince = (sql: SqlClient.SqlClient, account: string, sinceMs: number) => {
  const prefix = `${OrderInSupply.prefix}:`
  return sql<Pick<JournalRows.ChangeRow, "change">>`
    SELECT change FROM runs CROSS JOIN changes
    WHERE runs.account = ${account} AND runs.lane = ${OrderInSupply.kind.lane} AND runs.started_at >= ${Math.floor(sinceMs)}
    AND changes.run_id = runs.run_id AND SUBSTR(slot, 1, ${prefix.length}) = ${prefix} AND ${sql.literal(ChangeLogSql.stands)}
    ORDER BY slot, nth`
}
