/** What people decided, as rows of the audit chain: in the transaction of the decision, with who and why. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { OperatorHold, Scope } from "../../engine/kinds/OperatorHold.js"
import { type Decision, program, type Request } from "../../engine/planning/ApprovalStore.js"
import type { Binding, Refusal } from "../../services/ports/TokenMemory.js"
import type { AuditEntry } from "./AuditEntry.js"
import * as AuditSql from "./AuditSql.js"

/** Who decided, when, and what there is to say about it. */
export interface Said {
  readonly at: number
  readonly by: string
  readonly why?: string | undefined
}

export const placed = (sql: SqlClient.SqlClient, hold: OperatorHold) =>
  append(
    sql,
    hold.account,
    { at: hold.since, by: hold.by, why: hold.why },
    {
      what: hold.kind === "kill" ? "kill switch engaged" : "hold placed",
      after: JSON.stringify({ scope: named(hold), until: hold.until ?? null })
    }
  )

export const lifted = (sql: SqlClient.SqlClient, account: string, scope: Scope, said: Said) =>
  append(sql, account, said, {
    what: scope.kind === "kill" ? "kill switch released" : "hold lifted",
    before: JSON.stringify({ scope: named(scope) })
  })

/** The rules may change again what somebody else had set on a target or below it. */
export const forgiven = (sql: SqlClient.SqlClient, account: string, target: string, said: Said) =>
  append(sql, account, said, {
    what: "values given back to the rules",
    after: JSON.stringify({ target })
  })

/** Predictions that were off count no more. */
export const trusted = (
  sql: SqlClient.SqlClient,
  account: string,
  budgets: ReadonlyArray<{ readonly policy: string; readonly budget: string }>,
  said: Said
) =>
  append(sql, account, said, {
    what: "missed forecasts forgiven",
    after: JSON.stringify(budgets.map(({ budget, policy }) => ({ policy, budget })))
  })

/** The account belongs to another seller from now on, or to none that is known. */
export const rebound = (
  sql: SqlClient.SqlClient,
  account: string,
  seller: string | undefined,
  before: ReadonlyArray<Binding>,
  said: Said
) =>
  append(sql, account, said, {
    what: "account bound to a seller",
    before: JSON.stringify(before.map((one) => ({ account: one.account, seller: one.seller }))),
    after: JSON.stringify({ seller: seller ?? null })
  })

/** What the marketplace refused is asked again. */
export const retried = (
  sql: SqlClient.SqlClient,
  account: string,
  refusals: ReadonlyArray<Refusal>,
  said: Said
) =>
  append(sql, account, said, {
    what: "refused operations switched on",
    before: JSON.stringify(refusals.map(({ operation, scope }) => ({ operation, scope })))
  })

/** A request that waits is asked again with each newer plan that it takes. */
export const asked = (sql: SqlClient.SqlClient, { account, asked: changes, id, plan }: Request, at: number) =>
  append(
    sql,
    account,
    { at, by: program },
    {
      what: "approval asked",
      after: JSON.stringify({ approval: id, plan: plan.id, changes: changes.length }),
      content: plan.seal
    }
  )

interface Decided extends Said {
  readonly to: Decision["to"] | "superseded" | "expired"
  /** How many changes were approved; all of them when absent. */
  readonly changes: number | undefined
}

export const decided = (
  sql: SqlClient.SqlClient,
  account: string,
  id: string,
  { changes, to, ...said }: Decided
) =>
  append(sql, account, said, {
    what: `approval ${to}`,
    after: JSON.stringify({ approval: id, ...(changes === undefined ? {} : { changes }) })
  })

const append = (
  sql: SqlClient.SqlClient,
  account: string,
  { at, by, why }: Said,
  decision: Pick<AuditEntry, "what" | "before" | "after" | "content">
) => AuditSql.append(sql, account, [{ at, who: by, why, ...decision }])

/** `account`, `kill`, `policy 01-raise`, `target 777/1001`. */
const named = ({ kind, what }: Scope): string => (what === "" ? kind : `${kind} ${what}`)
