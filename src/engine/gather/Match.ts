/** Answers every policy's conditions over the gathered facts: what `decide` plans from. Pure. */
import type { Gathered as Decided } from "../decide/Decide.js"
import * as Funnel from "../facts/Funnel.js"
import * as Sift from "../facts/kernels/Sift.js"
import type { Table } from "../facts/Table.js"
import type { Each, Policy } from "../language/Policy.js"
import type { Gathered } from "./Gather.js"

/**
 * For each policy, in their order: rows in scope, rows that match with the rule they match, and rows nobody could
 * decide on. What policies of the same rows ask alike is answered once. For tests: `isCompiled`, see `Ground`.
 */
export const all = (
  policies: ReadonlyArray<Policy>,
  gathered: Pick<Gathered, "table">,
  isCompiled?: boolean
): ReadonlyArray<Decided> => {
  const decided = new Map<Policy, Decided>()
  const groups = new Map<Each, Array<Policy>>()
  for (const one of policies) groups.set(one.each, [...(groups.get(one.each) ?? []), one])
  for (const [each, group] of groups)
    for (const one of ofRows(group, gathered.table(each), isCompiled)) decided.set(one.policy, one)
  return policies.map((one) => decided.get(one)!)
}

/** As `all`, for one. */
export const policy = (one: Policy, gathered: Pick<Gathered, "table">): Decided => all([one], gathered)[0]!

/** Policies over the rows of one table. */
const ofRows = (
  policies: ReadonlyArray<Policy>,
  table: Table,
  isCompiled: boolean | undefined
): ReadonlyArray<Decided> => {
  const scopes = [...new Map(policies.map(({ where }) => [nameOf(where), where]))]
  const funnels = policies.map((policy) => Funnel.of(policy))
  const found = Sift.all(
    [...scopes.map(([, where]) => where), ...funnels.flat()],
    table,
    undefined,
    isCompiled
  )
  // Many policies share a scope, and then its list too.
  const scopeOf = new Map(scopes.map(([name], at) => [name, found[at]!.holds]))
  const seen = new Uint8Array(table.size)
  let next = scopes.length
  return policies.map((policy, at) => {
    const clauses = funnels[at]!
    const own = found.slice(next, next + clauses.length)
    next += clauses.length
    return { policy, table, scope: scopeOf.get(nameOf(policy.where))!, ...Funnel.decide(clauses, own, seen) }
  })
}

const nameOf = (where: Policy["where"]): string => where.map(({ condition }) => Sift.nameOf(condition)).join()
