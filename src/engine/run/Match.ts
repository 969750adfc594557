/** Answers every policy's conditions over the gathered facts: what `decide` plans from. Pure. */
import type { Gathered as Decided } from "../decide/Decide.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as Needs from "../facts/Needs.js"
import type { AccountLimits, Policy } from "../language/Policy.js"
import type { Gathered } from "./Gather.js"

/**
 * Rows in scope, rows that match, and rows nobody could decide on. Clauses are asked in the order their facts were
 * fetched, so an undecided row names the first fact that was missing, not one that was therefore never asked.
 */
export const policy = (one: Policy, limits: AccountLimits, gathered: Pick<Gathered, "table">): Decided => {
  const table = gathered.table(one.each)
  const everyRow = table.rows.map((_, row) => row)
  const { stages } = Needs.of(one, limits)
  const clauses = stages.flatMap((stage) => [
    ...stage.where.map((index) => one.where[index]!),
    ...stage.when.map((index) => one.when[index]!)
  ])
  const { holds, undecided } = Evaluate.sift(clauses, table, everyRow)
  return {
    policy: one,
    table,
    scope: Evaluate.sift(one.where, table, everyRow).holds,
    matched: holds,
    undecided
  }
}
