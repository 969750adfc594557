/** The one place that knows how a policy holds its conditions and actions: the rest of the analysis reads this. */
import type { Action, Clause, Condition, Policy, Span } from "../Policy.js"
import type { Diagnostic } from "../problems/Diagnostic.js"

/** One rule of a policy: it matches a row when every clause is true. */
export interface Rule {
  readonly clauses: ReadonlyArray<Clause>
  /** The clauses, and that no rule before it matched: only then it acts. */
  readonly turn: ReadonlyArray<Clause>
  readonly action: Action
}

export interface Subject {
  readonly policy: Policy
  /** First match wins. */
  readonly rules: ReadonlyArray<Rule>
  /** Rules of different tiers never meet: the higher one decides. */
  readonly tier: string
}

export const of = (policy: Policy): Subject => {
  // The same for every later rule: what is known of a condition is remembered with it.
  const passed = policy.rules.map(passedOver)
  return {
    policy,
    rules: policy.rules.map(({ when, action }, at) => {
      const clauses = [...policy.where, ...when]
      const turn = at === 0 ? clauses : [...clauses, ...passed.slice(0, at)]
      return { clauses, turn, action }
    }),
    tier: policy.tier
  }
}

const passedOver = ({ when, action }: Policy["rules"][number]): Clause => {
  const all: Condition = { _tag: "And", all: when.map((clause) => clause.condition) }
  return {
    text: "no rule before it",
    condition: { _tag: "Not", condition: all },
    span: when[0]?.span ?? action.span
  }
}

// What the analysis found at a place; `Analyse.ts` turns it into a diagnostic.

export type Finding = Omit<Diagnostic, "file">

/** How to name a place from another: its line, with its file where that is another one. */
export const line = (place: Span, from: Span): string =>
  place.file === from.file ? `line ${place.line}` : `${place.file}:${place.line}`
