/** The facts a plan was decided on, as text: kept beside the plan, so that it can be explained later. Pure. */
import * as Target from "../../domain/Target.js"
import type { Gathered as Decided } from "../decide/Decide.js"
import type { Cell } from "../facts/Cell.js"
import * as FactRefs from "../facts/FactRefs.js"
import { factKey } from "../facts/Table.js"
import type { Policy } from "../language/Policy.js"

/**
 * JSON of every matched row with the facts its policy names; an unknown one is `{"unknown": reason}`, one without an
 * end (spend without sales) `{"infinite": 1}` or, below zero, `{"infinite": -1}`.
 */
export const of = (nowMs: number, decided: ReadonlyArray<Decided>): string =>
  JSON.stringify({ version: 1, nowMs, policies: decided.map(policyFacts) })

const policyFacts = ({ policy, rules, table }: Decided) => {
  const facts = factKeys(policy).map((key) => [key, table.cells(key)] as const)
  const rows = rules
    .flatMap(({ matched }) => [...matched])
    .map((row) => ({
      target: table.target(row),
      facts: Object.fromEntries(facts.map(([key, cell]) => [key, written(cell(row))]))
    }))
  return { policy: policy.id, rows: rows.sort((a, b) => Target.compare(a.target, b.target)) }
}

/** JSON has no infinity: it would come out as null, like nothing at all. */
const written = (cell: Cell) => {
  if (cell._tag === "Unknown") return { unknown: cell.reason }
  const { value } = cell
  return typeof value === "number" && !Number.isFinite(value) ? { infinite: Math.sign(value) } : value
}

const factKeys = (policy: Policy): ReadonlyArray<string> => {
  const refs = FactRefs.ofPolicy(policy)
  return [...new Set(refs.map(factKey))].sort()
}
