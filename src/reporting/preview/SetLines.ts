/** What rules that reach for a tier made of each promotion: one line, whether the set is enrolled or not. */
import * as Plural from "../../domain/Plural.js"
import type { Plan, TierSet } from "../../engine/decide/Plan.js"
import * as Print from "../../engine/facts/Print.js"
import { cleanLine } from "../Clean.js"
import * as RowReasons from "../RowReasons.js"

/** In the plan's order; what limits hold of a set stands among what is held. */
export const of = (plan: Plan): ReadonlyArray<string> => (plan.sets ?? []).map((set) => line(set, plan))

const line = (set: TierSet, plan: Plan): string => {
  const name = `${set.policy}: promotion ${set.promotionId} ${cleanLine(set.promotionName)}`.trim()
  return `${name}: ${tier(set)}; ${outcome(set, plan)}`
}

const tier = ({ boost, next }: TierSet): string => {
  const now = `boost ${boost === undefined ? "unknown" : percent(boost)} now`
  if (next === undefined) return now
  const to = next.boost === undefined ? "the next tier" : percent(next.boost)
  return `${now}, ${to} with ${Plural.of(next.items, "more item")}`
}

const outcome = (set: TierSet, plan: Plan): string => {
  const { because, candidates, cheapest } = set
  if (because !== undefined) return `enrols nothing: ${RowReasons.text(because, RowReasons.around(plan))}`
  if (cheapest === undefined) return "enrols nothing"
  const kopecks = Print.money(Math.abs(cheapest.kopecks), Print.currencySign(plan.currency))
  const cost = cheapest.kopecks < 0 ? `earns ${kopecks} a day` : `costs ${kopecks} a day`
  const stay = candidates - cheapest.items
  return `${held(set, plan)}the cheapest ${cheapest.items} of ${Plural.of(candidates, "item")}: ${cost}, ${stay} ${Plural.choose(stay, "stays", "stay")}`
}

/** A limit stops all of a set or nothing of it. */
const held = ({ policy, promotionId }: TierSet, { held }: Plan): string =>
  held.some(({ change }) => change.origin.name === policy && change.subject.promotionId === promotionId)
    ? "held: "
    : ""

const percent = (basisPoints: number): string => `${basisPoints / 100}%`
