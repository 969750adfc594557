/**
 * What the tests have seen of the rules: whether each rule acted, and whether each condition was the one that kept it
 * from acting on some row while every other condition held. A condition that never was could be left out unnoticed.
 */
import type { Draft } from "../decide/Summary.js"
import * as Evaluate from "../facts/Evaluate.js"
import { False, True } from "../facts/Kleene.js"
import type { Table } from "../facts/Table.js"
import type { Clause, Policy } from "../language/Policy.js"
import * as PolicyParts from "./PolicyParts.js"

interface RuleCoverage {
  readonly policy: string
  /** Empty for a policy with a single rule. */
  readonly rule: string
  readonly acted: boolean
  readonly conditions: ReadonlyArray<{
    readonly text: string
    readonly line: number
    readonly decided: boolean
  }>
}

export interface Coverage {
  readonly rules: ReadonlyArray<RuleCoverage>
  /** Of all rules and conditions, how many were seen at work. */
  readonly seen: number
  readonly total: number
}

/** Whole percent, rounded down; nothing to see is all seen. */
export const percent = ({ seen, total }: Pick<Coverage, "seen" | "total">): number =>
  total === 0 ? 100 : Math.floor((seen * 100) / total)

export class Collector {
  private readonly seen = new Set<string>()

  /** Notes what one plan shows. */
  see(policy: Policy, table: Table, plan: Draft): void {
    const changes = [...plan.changes, ...plan.held.map(({ change }) => change)]
    for (const [rule, part] of PolicyParts.parts(policy).entries()) {
      const acted = part.tells
        ? plan.notices?.some((one) => one.policy === policy.id && one.subject !== undefined) === true
        : changes.some(
            ({ origin }) =>
              origin.by === "policy" && origin.name === policy.id && origin.line === part.actionLine
          )
      if (acted) this.seen.add(`${policy.id}/${rule}`)
      const rows = Array.from({ length: table.size }, (_, row) => row)
      const answers = part.clauses.map((clause) => Evaluate.condition(clause.condition, table, rows).truth)
      for (const row of rows) {
        const notTrue = answers.flatMap((truth, clause) => (truth[row] === True ? [] : [clause]))
        const [only] = notTrue
        if (only === undefined || notTrue.length > 1 || answers[only]?.[row] !== False) continue
        const clause = part.clauses[only]
        if (clause !== undefined) this.seen.add(placeOf(policy, clause))
      }
    }
  }

  /** What was seen of these policies. */
  of(policies: ReadonlyArray<Policy>): Coverage {
    const rules = policies.flatMap((policy) =>
      PolicyParts.parts(policy).map((part, rule) => ({
        policy: policy.id as string,
        rule: part.name,
        acted: this.seen.has(`${policy.id}/${rule}`),
        conditions: part.clauses.map((clause) => ({
          text: clause.text,
          line: clause.span.line,
          decided: this.seen.has(placeOf(policy, clause))
        }))
      }))
    )
    const marks = rules.flatMap(({ acted, conditions }) => [
      acted,
      ...conditions.map(({ decided }) => decided)
    ])
    return { rules, seen: marks.filter((mark) => mark).length, total: marks.length }
  }
}

/** A condition of `where:` is one condition, whichever rule of the policy it kept from acting. */
const placeOf = (policy: Policy, { span }: Clause): string => `${policy.id}@${span.line}:${span.column}`
