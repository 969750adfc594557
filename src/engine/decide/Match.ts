/** Which rows of a table a policy is about, which it matched, and which nobody could decide on. */
import * as Evaluate from "../facts/Evaluate.js"
import * as Needs from "../facts/Needs.js"
import type { Table } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Clause, Policy } from "../language/Policy.js"
import type { Gathered } from "./Decide.js"

/** Asks every clause about every row; the facts are in the table, or they are unknown. */
export const of = (policy: Policy, table: Table): Gathered => {
  const all = table.rows.map((_, row) => row)
  const scope = Evaluate.sift(policy.where, table, all).holds
  // Cheap clauses first: an expensive fact is often not fetched because a cheaper one was unknown, and that one is why.
  const clauses = [...policy.where, ...policy.when].sort((a, b) => rank(a) - rank(b))
  const { holds, undecided } = Evaluate.sift(clauses, table, all)
  return { policy, table, scope, matched: holds, undecided }
}

const rank = (clause: Clause): number => Vocabulary.costs.indexOf(Needs.costOf(clause))
