/** Answers every policy's conditions over the gathered facts: what `decide` plans from. Pure. */
import type { Gathered as Decided } from "../decide/Decide.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as Funnel from "../facts/Funnel.js"
import * as Needs from "../facts/Needs.js"
import type { AccountLimits, Policy } from "../language/Policy.js"
import type { Gathered } from "./Gather.js"

/** Rows in scope, rows that match with the rule they match, and rows nobody could decide on. */
export const policy = (one: Policy, limits: AccountLimits, gathered: Pick<Gathered, "table">): Decided => {
  const table = gathered.table(one.each)
  const everyRow = table.rows.map((_, row) => row)
  return {
    policy: one,
    table,
    scope: Evaluate.sift(one.where, table, everyRow).holds,
    ...Funnel.decide(one, Needs.of(one, limits), table)
  }
}
