/** S10: a policy that would do and take back the same thing again and again, for want of a gap between the two. */
import type { Clause } from "../Policy.js"
import * as Constants from "./Constants.js"
import * as Coverage from "./Coverage.js"
import * as Fights from "./Fights.js"
import type { Finding } from "./Finding.js"
import * as Showing from "./Showing.js"
import type { Subject } from "./Subject.js"

/** At most one finding per policy. Says nothing where the two are about different things. */
export const of = ({ policy }: Subject): ReadonlyArray<Finding> => {
  const undoing = policy.rules.find(({ action }) => action._tag === "Revert")
  const doing = policy.rules[0]
  if (undoing === undefined || doing === undefined || doing === undoing) return []
  const [when, revert] = [doing.when, undoing.when].map(Constants.inClauses)
  const gap = Coverage.gapBetween(when!, revert!)
  if (gap !== "overlap" && gap !== "touching") return []
  const both = gap === "overlap" ? Fights.between(policy.each, when!, revert!) : undefined
  const where =
    both === undefined
      ? `As soon as ${text(doing.when)} no longer holds, ${text(undoing.when)} does`
      : `${text(doing.when)} and ${text(undoing.when)} both hold at ${Showing.row(both)}`
  const message = `${where}: a value near the border would be changed back and forth. Leave a gap, such as half the value.`
  return [{ code: "S10", severity: "warning", span: undoing.when[0]?.span ?? undoing.action.span, message }]
}

const text = (clauses: ReadonlyArray<Clause>): string => clauses.map((clause) => clause.text).join(" and ")
