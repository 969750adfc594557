/** The facts a plan was decided on, as text: kept beside the plan, so that it can be explained later. Pure. */
import * as Target from "../../domain/Target.js"
import type { Gathered as Decided } from "../decide/Decide.js"
import * as FactRefs from "../facts/FactRefs.js"
import { factKey } from "../facts/Table.js"
import type { Policy } from "../language/Policy.js"

/** JSON of every matched row with the facts its policy names; an unknown one is `{"unknown": reason}`. */
export const of = (nowMs: number, decided: ReadonlyArray<Decided>): string =>
  JSON.stringify({ version: 1, nowMs, policies: decided.map(policyFacts) })

const policyFacts = ({ policy, table, matched }: Decided) => {
  const keys = factKeys(policy)
  const rows = matched.map(({ row }) => ({
    target: table.rows[row]!,
    facts: Object.fromEntries(
      keys.map((key) => {
        const cell = table.get(row, key)
        return [key, cell._tag === "Known" ? cell.value : { unknown: cell.reason }]
      })
    )
  }))
  return { policy: policy.id, rows: rows.sort((a, b) => Target.compare(a.target, b.target)) }
}

const factKeys = (policy: Policy): ReadonlyArray<string> => {
  const refs = FactRefs.ofPolicy(policy)
  return [...new Set(refs.map(factKey))].sort()
}
