/** Policies that ask what a unit costs or earns, and what is said where there is no table that tells. */
import * as Economics from "../../facts/Economics.js"
import * as FactRefs from "../../facts/FactRefs.js"
import type { Policy } from "../Policy.js"
import type { Diagnostic } from "../problems/Diagnostic.js"

/** The first fact of the economics table that a policy reads, by its word. */
export const first = (policy: Policy): string | undefined => {
  const found = FactRefs.ofPolicy(policy).find(({ id }) => Economics.isTerm(id))
  return found?.id.slice("item.".length)
}

/** S12: a policy that can decide on no row, for nothing says what an item costs. Of one that is turned off nobody needs to hear it. */
export const lacking = (policy: Policy): ReadonlyArray<Diagnostic> => {
  const word = policy.mode === "disabled" ? undefined : first(policy)
  if (word === undefined) return []
  const clauses = [...policy.where, ...policy.rules.flatMap(({ when }) => when)]
  const clause = clauses.find(({ condition }) =>
    FactRefs.ofCondition(condition).some(({ id }) => Economics.isTerm(id))
  )
  const span = clause?.span ?? policy.rules[0]!.action.span
  const message = `Nothing says what ${word} is: there is no economics table, so this stays unknown for every item.`
  const fix = "bidhelm economics template --out rules/_shared/economics.csv"
  return [{ code: "S12", severity: "warning", file: span.file, span, message, fix }]
}
