/** Changes of all runs, by campaign, policy, state and day, newest first. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Browsed, ChangeFilter, ChangeLog, ChangePlace } from "../../engine/door/ChangeLog.js"
import { type JournalState, journalStates } from "../../engine/door/Journal.js"
import * as OneOrAll from "../audit/OneOrAll.js"
import * as Dialect from "../clients/Dialect.js"
import * as Transaction from "../clients/Transaction.js"
import * as JournalRows from "./JournalRows.js"

type Methods = Pick<Context.Tag.Service<ChangeLog>, "browse" | "places" | "policies" | "keptSince">

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  browse: (filter, limit, before) =>
    Transaction.read(sql, "read the changes", function* () {
      const groups = yield* groupsIn(sql, filter)
      let bounds = boundsOf(filter, before)
      let found: ReadonlyArray<KeyRow> = []
      for (const some of Arr.chunksOf(groups, groupsAtOnce(sql))) {
        const more = yield* keys(sql, filter.campaignId, some, bounds, limit)
        found = found.length === 0 ? more : newest([...found, ...more], limit)
        const last = found.length < limit ? undefined : found.at(-1)
        if (last !== undefined) bounds = { ...bounds, fromMs: Math.max(bounds.fromMs, last.began_at) }
      }
      return yield* rowsOf(sql, found)
    }),
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
    Effect.map(policyNames(sql), (rows) => rows.map(({ policy }) => policy))
  ),
  keptSince: (account) =>
    Transaction.read(
      sql,
      "read what was forgotten",
      Effect.map(
        sql<FirstKept>`SELECT audit.at, audit.what, audit.after_value FROM audit_heads JOIN audit
            ON audit.account = audit_heads.account AND audit.seq = audit_heads.purged_seq + 1
          WHERE purged_seq > 0 AND ${OneOrAll.where(sql, account, (one) => sql`audit.account = ${one}`)}`,
        (rows) => {
          const since = rows.map((row) => (row.what === "purged" ? Number(row.after_value) : row.at))
          return since.length === 0 ? undefined : Math.max(...since)
        }
      )
    )
})

/** Changes that one statement reads: databases bound its parameters. */
const rowsAtOnce = 500

type PlaceRow = Omit<KeyRow, "change_id">

/** The first row of an audit chain whose beginning was forgotten; the note of that itself when nothing else is left. */
interface FirstKept {
  readonly at: number
  readonly what: string
  readonly after_value: string | null
}

const boundsOf = ({ fromMs, toMs }: ChangeFilter, before: ChangePlace | undefined): Bounds => {
  // No run has an empty name: whatever began at this instant comes after it.
  const end = { beganAt: Math.ceil(toMs ?? Number.MAX_SAFE_INTEGER), runId: "", position: 0 }
  return {
    fromMs: Math.ceil(fromMs ?? 0),
    before: before === undefined || end.beganAt <= before.beganAt ? end : before
  }
}

/** As the databases order them: text by its bytes. */
const newest = (rows: ReadonlyArray<KeyRow>, limit: number): ReadonlyArray<KeyRow> =>
  rows
    .toSorted(
      (a, b) =>
        b.began_at - a.began_at ||
        Buffer.compare(Buffer.from(b.run_id), Buffer.from(a.run_id)) ||
        b.position - a.position
    )
    .slice(0, limit)

/** Whole changes, in the order of their keys. */
const rowsOf = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<KeyRow>) =>
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

type WholeRow = JournalRows.ChangeRow & KeyRow

export const wholeRows = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<KeyRow>) =>
  sql<WholeRow>`WITH wanted (run_id, change_id) AS
      (VALUES ${sql.csv(wanted.map((row) => sql`(${row.run_id}, ${row.change_id})`))})
    SELECT changes.*, runs.plan_id FROM wanted JOIN changes USING (run_id, change_id) JOIN runs USING (run_id)`

// Where the changes stand that somebody browses. An index lists those of a campaign, or all, by policy, account,
// state and then by time. There are few policies, accounts and states: the newest of each group of them are read and
// put in order, so that no question reads more than it answers, however many changes there are.

/** Changes that differ by their time only; of one campaign when one is asked for. */
interface Group {
  readonly policy: string
  readonly account: string
  readonly state: JournalState
}

interface KeyRow {
  readonly run_id: string
  readonly change_id: string
  readonly began_at: number
  readonly position: number
}

/** From the first instant on, and before a place. */
interface Bounds {
  readonly fromMs: number
  readonly before: ChangePlace
}

/** The groups that there are, of those asked for: found by jumping in the index, whatever lies between. */
export const groupsIn = (sql: SqlClient.SqlClient, filter: ChangeFilter) => {
  const range = rangeOf(sql, filter.campaignId)
  const states = filter.state === undefined ? journalStates : [filter.state]
  const group = [
    ["policy", sql.literal("accounts.policy")],
    ["account", sql.literal("accounts.account")],
    ["state", sql.literal("states.state")]
  ] as const
  return sql<Group>`WITH RECURSIVE policies (policy) AS (${policies(sql, range, filter.policy)}),
      accounts (policy, account) AS (${accounts(sql, range, filter.account)}),
      states (state) AS (VALUES ${sql.csv(states.map((state) => sql`(${state})`))})
    SELECT policy, account, state FROM accounts, states WHERE account IS NOT NULL
      AND ${range.next(group, "began_at")} IS NOT NULL`
}

/** Names of the policies of all changes, sorted. */
export const policyNames = (sql: SqlClient.SqlClient) =>
  sql<{ readonly policy: string }>`WITH RECURSIVE policies (policy) AS
      (${policies(sql, rangeOf(sql, undefined), undefined)})
    SELECT policy FROM policies WHERE policy IS NOT NULL`

/** From one policy to the next. */
const policies = (sql: SqlClient.SqlClient, range: Range, policy: string | undefined) =>
  policy === undefined
    ? sql`SELECT ${range.next([], "policy")}
        UNION ALL SELECT ${range.next([], "policy", "policies.policy")} FROM policies WHERE policy IS NOT NULL`
    : sql`SELECT CAST(${policy} AS TEXT)`

/** Of every policy from one account to the next. */
const accounts = (sql: SqlClient.SqlClient, range: Range, account: string | undefined) => {
  const of = (table: string) => [["policy", sql.literal(`${table}.policy`)]] as const
  return account === undefined
    ? sql`SELECT policy, ${range.next(of("policies"), "account")} FROM policies WHERE policy IS NOT NULL
        UNION ALL SELECT policy, ${range.next(of("accounts"), "account", "accounts.account")}
        FROM accounts WHERE account IS NOT NULL`
    : sql`SELECT policy, CAST(${account} AS TEXT) FROM policies WHERE policy IS NOT NULL`
}

/** Groups that `keys` takes at once: databases bound the parts and the parameters of a statement. */
const groupsAtOnce = (sql: SqlClient.SqlClient): number => (Dialect.isPostgres(sql) ? 500 : 100)

/** The newest changes of some groups, in order. */
export const keys = (
  sql: SqlClient.SqlClient,
  campaignId: number | undefined,
  some: ReadonlyArray<Group>,
  bounds: Bounds,
  limit: number
) => {
  const range = rangeOf(sql, campaignId)
  const newestOf = (group: RangeRow): Fragment =>
    sql`SELECT began_at, run_id, position, change_id FROM ${range.source}
      WHERE ${range.between(group, bounds)} ORDER BY ${range.newestFirst(group)} LIMIT ${limit}`
  const names = ["policy", "account", "state"] as const
  const all = Dialect.isPostgres(sql)
    ? sql`SELECT found.* FROM
        (VALUES ${sql.csv(some.map((group) => sql`(${sql.csv(names.map((name) => sql`${group[name]}`))})`))})
        AS wanted (policy, account, state)
        CROSS JOIN LATERAL (${newestOf(names.map((name) => [name, sql.literal(`wanted.${name}`)]))}) AS found`
    : sql.join(
        " UNION ALL ",
        false
      )(some.map((group) => sql`SELECT * FROM (${newestOf(names.map((name) => [name, group[name]]))})`))
  return sql<KeyRow>`${all} ORDER BY began_at DESC, run_id DESC, position DESC LIMIT ${limit}`
}

// Parts of the indexes by which changes are browsed, in words for which the database can take no other index: not
// even when it believes that a few entries of another would do.

/** Columns as the index has them one after the other, and what they are. */
type RangeRow = ReadonlyArray<readonly [column: string, value: number | string | Fragment]>

interface Range {
  /** The table. */
  readonly source: Fragment
  /** The first value of the next column in a group, behind another one when that is given; null when there is none. */
  readonly next: (group: RangeRow, column: string, after?: string) => Fragment
  /** Entries of a group from an instant on and before a place. */
  readonly between: (
    group: RangeRow,
    bounds: { readonly fromMs: number; readonly before: ChangePlace }
  ) => Fragment
  readonly newestFirst: (group: RangeRow) => Fragment
}

const place = ["began_at", "run_id", "position"]

/** Of a campaign's changes, or of all. */
const rangeOf = (sql: SqlClient.SqlClient, campaignId: number | undefined): Range => {
  const head: RangeRow = campaignId === undefined ? [] : [["campaign_id", campaignId]]
  const words = Dialect.isPostgres(sql) ? rows(sql) : columns(sql)
  const index = campaignId === undefined ? "changes_of_policy" : "changes_of_campaign"
  const source = sql.literal(
    Dialect.pick(sql, { sqlite: `changes INDEXED BY ${index}`, postgres: "changes" })
  )
  return {
    source,
    next: (group, column, after) => {
      const whole = [...head, ...group]
      const where = after === undefined ? words.at(whole) : words.beyond(whole, column, sql.literal(after))
      const order = sql.csv([...whole.map(([name]) => name), column])
      return sql`(SELECT ${sql.literal(column)} FROM ${source} WHERE ${where} ORDER BY ${order} LIMIT 1)`
    },
    between: (group, { before, fromMs }) =>
      words.between([...head, ...group], fromMs, [before.beganAt, before.runId, before.position]),
    newestFirst: (group) =>
      sql.csv([...[...head, ...group].map(([name]) => name), ...place].map((name) => `${name} DESC`))
  }
}

type Place = readonly [number, string, number]

/** SQLite is told the index; of a row it would walk through all entries that are equal to it. */
const columns = (sql: SqlClient.SqlClient) => {
  const at = (row: RangeRow): Fragment =>
    row.length === 0
      ? sql.literal("1 = 1")
      : sql.and(row.map(([column, value]) => sql`${sql.literal(column)} = ${valueOf(sql, value)}`))
  return {
    at,
    beyond: (row: RangeRow, column: string, after: Fragment) =>
      sql`${at(row)} AND ${sql.literal(column)} > ${after}`,
    between: (row: RangeRow, fromMs: number, before: Place) => sql`${at(row)} AND began_at >= ${fromMs}
      AND (${sql.csv(place)}) < (${valuesOf(sql, before)})`
  }
}

/** PostgreSQL is compared whole rows with, which no index has but the one that begins so. */
const rows = (sql: SqlClient.SqlClient) => {
  const compared = (row: RangeRow, how: string): Fragment =>
    row.length === 0
      ? sql.literal("1 = 1")
      : sql`(${sql.csv(row.map(([column]) => column))}) ${sql.literal(how)}
          (${valuesOf(
            sql,
            row.map(([, value]) => value)
          )})`
  return {
    at: (row: RangeRow) => sql`${compared(row, ">=")} AND ${compared(row, "<=")}`,
    beyond: (row: RangeRow, column: string, after: Fragment) =>
      sql`${compared([...row, [column, after]], ">")} AND ${compared(row, "<=")}`,
    between: (row: RangeRow, fromMs: number, [beganAt, runId, position]: Place) =>
      sql`${compared([...row, ["began_at", fromMs]], ">=")} AND ${compared(
        [...row, ["began_at", beganAt], ["run_id", runId], ["position", position]],
        "<"
      )}`
  }
}

const valueOf = (sql: SqlClient.SqlClient, value: RangeRow[number][1]): Fragment =>
  typeof value === "object" ? value : sql`${value}`

const valuesOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<RangeRow[number][1]>): Fragment =>
  sql.csv(values.map((value) => valueOf(sql, value)))
