/**
 * Parts of the indexes by which changes are browsed, in words for which the database can take no other index: not even
 * when it believes that a few entries of another would do.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { ChangePlace } from "../../engine/run/ChangeLog.js"
import * as Dialect from "../clients/Dialect.js"

/** Columns as the index has them one after the other, and what they are. */
export type Row = ReadonlyArray<readonly [column: string, value: number | string | Fragment]>

export interface Range {
  /** The table. */
  readonly source: Fragment
  /** The first value of the next column in a group, behind another one when that is given; null when there is none. */
  readonly next: (group: Row, column: string, after?: string) => Fragment
  /** Entries of a group from an instant on and before a place. */
  readonly between: (
    group: Row,
    bounds: { readonly fromMs: number; readonly before: ChangePlace }
  ) => Fragment
  readonly newestFirst: (group: Row) => Fragment
}

const place = ["began_at", "run_id", "position"]

/** Of a campaign's changes, or of all. */
export const make = (sql: SqlClient.SqlClient, campaignId: number | undefined): Range => {
  const head: Row = campaignId === undefined ? [] : [["campaign_id", campaignId]]
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
  const at = (row: Row): Fragment =>
    row.length === 0
      ? sql.literal("1 = 1")
      : sql.and(row.map(([column, value]) => sql`${sql.literal(column)} = ${valueOf(sql, value)}`))
  return {
    at,
    beyond: (row: Row, column: string, after: Fragment) =>
      sql`${at(row)} AND ${sql.literal(column)} > ${after}`,
    between: (row: Row, fromMs: number, before: Place) => sql`${at(row)} AND began_at >= ${fromMs}
      AND (${sql.csv(place)}) < (${valuesOf(sql, before)})`
  }
}

/** PostgreSQL is compared whole rows with, which no index has but the one that begins so. */
const rows = (sql: SqlClient.SqlClient) => {
  const compared = (row: Row, how: string): Fragment =>
    row.length === 0
      ? sql.literal("1 = 1")
      : sql`(${sql.csv(row.map(([column]) => column))}) ${sql.literal(how)}
          (${valuesOf(
            sql,
            row.map(([, value]) => value)
          )})`
  return {
    at: (row: Row) => sql`${compared(row, ">=")} AND ${compared(row, "<=")}`,
    beyond: (row: Row, column: string, after: Fragment) =>
      sql`${compared([...row, [column, after]], ">")} AND ${compared(row, "<=")}`,
    between: (row: Row, fromMs: number, [beganAt, runId, position]: Place) =>
      sql`${compared([...row, ["began_at", fromMs]], ">=")} AND ${compared(
        [...row, ["began_at", beganAt], ["run_id", runId], ["position", position]],
        "<"
      )}`
  }
}

const valueOf = (sql: SqlClient.SqlClient, value: Row[number][1]): Fragment =>
  typeof value === "object" ? value : sql`${value}`

const valuesOf = (sql: SqlClient.SqlClient, values: ReadonlyArray<Row[number][1]>): Fragment =>
  sql.csv(values.map((value) => valueOf(sql, value)))
