/** Changes of all runs, by campaign, policy, state and day, newest first. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Browsed, ChangeFilter, ChangeLog, ChangePlace } from "../../engine/run/ChangeLog.js"
import * as Transaction from "../clients/Transaction.js"
import * as BrowsingKeys from "./BrowsingKeys.js"
import * as JournalRows from "./JournalRows.js"

type Methods = Pick<Context.Tag.Service<ChangeLog>, "browse" | "places" | "policies" | "keptSince">

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  browse: (filter, limit, before) =>
    Transaction.read(
      sql,
      "read the changes",
      Effect.gen(function* () {
        const groups = yield* BrowsingKeys.groups(sql, filter)
        let bounds = boundsOf(filter, before)
        let found: ReadonlyArray<BrowsingKeys.KeyRow> = []
        for (const some of Arr.chunksOf(groups, BrowsingKeys.groupsAtOnce(sql))) {
          const more = yield* BrowsingKeys.keys(sql, filter.campaignId, some, bounds, limit)
          found = found.length === 0 ? more : newest([...found, ...more], limit)
          const last = found.length < limit ? undefined : found.at(-1)
          if (last !== undefined) bounds = { ...bounds, fromMs: Math.max(bounds.fromMs, last.began_at) }
        }
        return yield* rowsOf(sql, found)
      })
    ),
  places: (runId, idPrefix) =>
    Transaction.read(
      sql,
      "look a change up",
      Effect.map(
        idPrefix === undefined
          ? sql<PlaceRow>`SELECT run_id, started_at AS began_at, 0 AS position FROM runs WHERE run_id = ${runId}`
          : sql<PlaceRow>`SELECT run_id, began_at, position FROM changes WHERE run_id = ${runId}
              AND change_id >= ${idPrefix} AND change_id < ${`${idPrefix}~`} ORDER BY change_id LIMIT 2`,
        (rows) => rows.map((row) => ({ beganAt: row.began_at, runId: row.run_id, position: row.position }))
      )
    ),
  policies: Transaction.read(
    sql,
    "read which policies made changes",
    Effect.map(BrowsingKeys.policyNames(sql), (rows) => rows.map(({ policy }) => policy))
  ),
  keptSince: (account) =>
    Transaction.read(
      sql,
      "read what was forgotten",
      Effect.map(
        sql<FirstKept>`SELECT audit.at, audit.what, audit.after_value FROM audit_heads JOIN audit
            ON audit.account = audit_heads.account AND audit.seq = audit_heads.purged_seq + 1
          WHERE purged_seq > 0 AND ${account === undefined ? sql.literal("1 = 1") : sql`audit.account = ${account}`}`,
        (rows) => {
          const since = rows.map((row) => (row.what === "purged" ? Number(row.after_value) : row.at))
          return since.length === 0 ? undefined : Math.max(...since)
        }
      )
    )
})

/** Changes that one statement reads: databases bound its parameters. */
const rowsAtOnce = 500

type PlaceRow = Omit<BrowsingKeys.KeyRow, "change_id">

/** The first row of an audit chain whose beginning was forgotten; the note of that itself when nothing else is left. */
interface FirstKept {
  readonly at: number
  readonly what: string
  readonly after_value: string | null
}

const boundsOf = ({ fromMs, toMs }: ChangeFilter, before: ChangePlace | undefined): BrowsingKeys.Bounds => {
  // No run has an empty name: whatever began at this instant comes after it.
  const end = { beganAt: Math.ceil(toMs ?? Number.MAX_SAFE_INTEGER), runId: "", position: 0 }
  return {
    fromMs: Math.ceil(fromMs ?? 0),
    before: before === undefined || end.beganAt <= before.beganAt ? end : before
  }
}

/** As the databases order them: text by its bytes. */
const newest = (
  rows: ReadonlyArray<BrowsingKeys.KeyRow>,
  limit: number
): ReadonlyArray<BrowsingKeys.KeyRow> =>
  rows
    .toSorted(
      (a, b) =>
        b.began_at - a.began_at ||
        Buffer.compare(Buffer.from(b.run_id), Buffer.from(a.run_id)) ||
        b.position - a.position
    )
    .slice(0, limit)

/** Whole changes, in the order of their keys. */
const rowsOf = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<BrowsingKeys.KeyRow>) =>
  Effect.gen(function* () {
    const found = new Map<string, WholeRow>()
    for (const some of Arr.chunksOf(wanted, rowsAtOnce)) {
      for (const row of yield* wholeRows(sql, some)) found.set(nameOf(row), row)
    }
    const rows = wanted.flatMap((key) => found.get(nameOf(key)) ?? [])
    return yield* Effect.forEach(rows, (row) =>
      Effect.map(JournalRows.toRow(row), (one): Browsed => ({ ...one, beganAt: row.began_at }))
    )
  })

const nameOf = (row: { readonly run_id: string; readonly change_id: string }): string =>
  JSON.stringify([row.run_id, row.change_id])

type WholeRow = JournalRows.ChangeRow & BrowsingKeys.KeyRow

export const wholeRows = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<BrowsingKeys.KeyRow>) =>
  sql<WholeRow>`WITH wanted (run_id, change_id) AS
      (VALUES ${sql.csv(wanted.map((row) => sql`(${row.run_id}, ${row.change_id})`))})
    SELECT changes.*, runs.plan_id FROM wanted JOIN changes USING (run_id, change_id) JOIN runs USING (run_id)`
