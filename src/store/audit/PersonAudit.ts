/** What people decided, as rows of the audit chain: in the transaction of the decision, with who and why. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { OperatorHold, Scope } from "../../engine/kinds/OperatorHold.js"
import type { Decision, Request } from "../../engine/planning/ApprovalStore.js"
import type { Binding, Refusal } from "../../services/ports/TokenMemory.js"
import * as AuditSql from "./AuditSql.js"

/** `account`, `kill`, `policy 01-raise`, `target 777/1001`. */
const named = ({ kind, what }: Scope): string => (what === "" ? kind : `${kind} ${what}`)

export const placed = (sql: SqlClient.SqlClient, hold: OperatorHold) =>
  AuditSql.append(sql, hold.account, [
    {
      at: hold.since,
      who: hold.by,
      what: hold.kind === "kill" ? "kill switch engaged" : "hold placed",
      why: hold.why,
      after: JSON.stringify({ scope: named(hold), until: hold.until ?? null })
    }
  ])

export const lifted = (sql: SqlClient.SqlClient, account: string, scope: Scope, by: string, nowMs: number) =>
  AuditSql.append(sql, account, [
    {
      at: nowMs,
      who: by,
      what: scope.kind === "kill" ? "kill switch released" : "hold lifted",
      before: JSON.stringify({ scope: named(scope) })
    }
  ])

/** The rules may change again what somebody else had set on a target or below it. */
export const forgiven = (
  sql: SqlClient.SqlClient,
  account: string,
  target: string,
  by: string,
  nowMs: number
) =>
  AuditSql.append(sql, account, [
    { at: nowMs, who: by, what: "values given back to the rules", after: JSON.stringify({ target }) }
  ])

/** Predictions that were off count no more. */
export const trusted = (
  sql: SqlClient.SqlClient,
  account: string,
  budgets: ReadonlyArray<{ readonly policy: string; readonly budget: string }>,
  by: string,
  nowMs: number
) =>
  AuditSql.append(sql, account, [
    {
      at: nowMs,
      who: by,
      what: "missed forecasts forgiven",
      after: JSON.stringify(budgets.map(({ budget, policy }) => ({ policy, budget })))
    }
  ])

/** Who decided, when, and what there is to say about it. */
export interface Said {
  readonly at: number
  readonly by: string
  readonly why: string | undefined
}

/** The account belongs to another seller from now on, or to none that is known. */
export const rebound = (
  sql: SqlClient.SqlClient,
  account: string,
  seller: string | undefined,
  before: ReadonlyArray<Binding>,
  { at, by, why }: Said
) =>
  AuditSql.append(sql, account, [
    {
      at,
      who: by,
      what: "account bound to a seller",
      why,
      before: JSON.stringify(before.map((one) => ({ account: one.account, seller: one.seller }))),
      after: JSON.stringify({ seller: seller ?? null })
    }
  ])

/** What the marketplace refused is asked again. */
export const retried = (
  sql: SqlClient.SqlClient,
  account: string,
  refusals: ReadonlyArray<Refusal>,
  by: string,
  nowMs: number
) =>
  AuditSql.append(sql, account, [
    {
      at: nowMs,
      who: by,
      what: "refused operations switched on",
      before: JSON.stringify(refusals.map(({ operation, scope }) => ({ operation, scope })))
    }
  ])

export const asked = (
  sql: SqlClient.SqlClient,
  { account, asked: changes, id, plan, requestedAt }: Request
) =>
  AuditSql.append(sql, account, [
    {
      at: requestedAt,
      who: "bidhelm",
      what: "approval asked",
      after: JSON.stringify({ approval: id, plan: plan.id, changes: changes.length }),
      content: plan.seal
    }
  ])

interface Decided extends Pick<Decision, "by" | "to"> {
  readonly why: string | undefined
  readonly at: number
  /** How many changes were approved; all of them when absent. */
  readonly changes: number | undefined
}

export const decided = (
  sql: SqlClient.SqlClient,
  account: string,
  id: string,
  { at, by, changes, to, why }: Decided
) =>
  AuditSql.append(sql, account, [
    {
      at,
      who: by,
      what: `approval ${to}`,
      why,
      after: JSON.stringify({ approval: id, ...(changes === undefined ? {} : { changes }) })
    }
  ])
