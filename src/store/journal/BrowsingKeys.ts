/**
 * Where the changes stand that somebody browses. An index lists those of a campaign, or all, by policy, account, state
 * and then by time. There are few policies, accounts and states: the newest of each group of them are read and put in
 * order, so that no question reads more than it answers, however many changes there are.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { ChangeFilter, ChangePlace } from "../../engine/run/ChangeLog.js"
import { type JournalState, journalStates } from "../../engine/run/Journal.js"
import * as Dialect from "../clients/Dialect.js"
import * as BrowsingRange from "./BrowsingRange.js"

/** Changes that differ by their time only; of one campaign when one is asked for. */
export interface Group {
  readonly policy: string
  readonly account: string
  readonly state: JournalState
}

export interface KeyRow {
  readonly run_id: string
  readonly change_id: string
  readonly began_at: number
  readonly position: number
}

/** From the first instant on, and before a place. */
export interface Bounds {
  readonly fromMs: number
  readonly before: ChangePlace
}

/** The groups that there are, of those asked for: found by jumping in the index, whatever lies between. */
export const groups = (sql: SqlClient.SqlClient, filter: ChangeFilter) => {
  const range = BrowsingRange.make(sql, filter.campaignId)
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
      (${policies(sql, BrowsingRange.make(sql, undefined), undefined)})
    SELECT policy FROM policies WHERE policy IS NOT NULL`

/** From one policy to the next. */
const policies = (sql: SqlClient.SqlClient, range: BrowsingRange.Range, policy: string | undefined) =>
  policy === undefined
    ? sql`SELECT ${range.next([], "policy")}
        UNION ALL SELECT ${range.next([], "policy", "policies.policy")} FROM policies WHERE policy IS NOT NULL`
    : sql`SELECT CAST(${policy} AS TEXT)`

/** Of every policy from one account to the next. */
const accounts = (sql: SqlClient.SqlClient, range: BrowsingRange.Range, account: string | undefined) => {
  const of = (table: string) => [["policy", sql.literal(`${table}.policy`)]] as const
  return account === undefined
    ? sql`SELECT policy, ${range.next(of("policies"), "account")} FROM policies WHERE policy IS NOT NULL
        UNION ALL SELECT policy, ${range.next(of("accounts"), "account", "accounts.account")}
        FROM accounts WHERE account IS NOT NULL`
    : sql`SELECT policy, CAST(${account} AS TEXT) FROM policies WHERE policy IS NOT NULL`
}

/** Groups that `keys` takes at once: databases bound the parts and the parameters of a statement. */
export const groupsAtOnce = (sql: SqlClient.SqlClient): number => (Dialect.isPostgres(sql) ? 500 : 100)

/** The newest changes of some groups, in order. */
export const keys = (
  sql: SqlClient.SqlClient,
  campaignId: number | undefined,
  some: ReadonlyArray<Group>,
  bounds: Bounds,
  limit: number
) => {
  const range = BrowsingRange.make(sql, campaignId)
  const newestOf = (group: BrowsingRange.Row): Fragment =>
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
