/** S13: another policy that moves what `optimise` sees as a whole. What one plans for the day the other changes, and each change makes the other wait. */
import * as Mode from "../Mode.js"
import type { Policy } from "../Policy.js"
import * as Boxes from "./Boxes.js"
import * as Fights from "./Fights.js"
import type { Rule, Subject } from "./Subject.js"

/** A policy that optimises and the first rule of another one that may move a bid or a minus phrase of the same campaigns. */
export interface Meeting {
  readonly optimising: { readonly policy: Policy; readonly rule: Rule }
  readonly other: { readonly policy: Policy; readonly rule: Rule }
}

/**
 * Each pair once, of policies that both act: one that only shows is how a person compares the two. Not where it is proved
 * that no row is in both, the clusters that `leave:` names included, nor where the other goes first by its tier.
 */
export const among = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Meeting> => {
  const work = Boxes.workOfPairs()
  const acting = subjects.filter(({ policy }) => Mode.acts(policy))
  return acting.flatMap((own, at) =>
    own.rules
      .filter(({ action }) => action._tag === "Optimise")
      .flatMap((rule) =>
        acting.flatMap((one, i): ReadonlyArray<Meeting> => {
          const optimises = one.rules.some(({ action }) => action._tag === "Optimise")
          if (one === own || (optimises && i < at) || Fights.rank(one.tier) < Fights.rank(own.tier)) return []
          const met = one.rules.find((other) => moves(one.policy, other) && mayMeet(rule, other, work))
          if (met === undefined) return []
          return [{ optimising: { policy: own.policy, rule }, other: { policy: one.policy, rule: met } }]
        })
      )
  )
}

const moves = (policy: Policy, rule: Rule): boolean =>
  rule.action._tag === "Optimise" ||
  Fights.aimsOf(policy, rule).some(({ slot }) => slot === "minus" || slot.endsWith(" bid"))

const mayMeet = (optimising: Rule, other: Rule, work: Boxes.Work): boolean => {
  if (work.left <= 0) return false
  const { action } = optimising
  const steered = action._tag === "Optimise" && action.leave !== undefined ? [not(action.leave)] : []
  const isApart = Fights.disjoint([...optimising.turn, ...steered], other.turn, work)
  return !isApart && work.left > 0
}

const not = (clause: Rule["clauses"][number]): Rule["clauses"][number] => ({
  ...clause,
  condition: { _tag: "Not", condition: clause.condition }
})
