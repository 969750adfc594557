/** S08: rules for rows of which the marketplace tells or takes nothing. */
import * as FactRefs from "../../facts/FactRefs.js"
import * as FactType from "../../facts/FactType.js"
import type { Clause, Condition } from "../Policy.js"
import * as Boxes from "./Boxes.js"
import type { Finding } from "./Finding.js"
import type { Rule, Subject } from "./Subject.js"

/** Cluster statistics of campaigns paid per click lack these (field note M20). */
const paidPerView = /^cluster\.(views|ctr|cpm)$/

/** What a policy may meet that it cannot judge or change; one finding per rule. */
export const of = ({ policy, rules }: Subject): ReadonlyArray<Finding> =>
  policy.each === "cluster" ? rules.flatMap((rule) => unbiddable(rule) ?? unreported(rule) ?? []) : []

const unbiddable = ({ action, clauses }: Rule): Finding | undefined => {
  if (
    action._tag !== "RaiseBid" &&
    action._tag !== "LowerBid" &&
    action._tag !== "SetBid" &&
    action._tag !== "AdjustBid"
  )
    return undefined
  const missing = [
    ...(admits(clauses, standardBid) ? ["campaign.bid_type = manual"] : []),
    ...(admits(clauses, paidPerClick) ? ["campaign.payment = cpm"] : [])
  ]
  if (missing.length === 0) return undefined
  const message =
    "Only campaigns with manual bids, paid per 1000 views, have bids per cluster: others stay as they are."
  return warning(action, message, missing.join(" and "))
}

const unreported = ({ clauses }: Rule): Finding | undefined => {
  const blind = clauses.find(({ condition }) =>
    FactRefs.ofCondition(condition).some(({ id }) => paidPerView.test(id))
  )
  if (blind === undefined || !admits(clauses, paidPerClick)) return undefined
  const message =
    "Campaigns paid per click report no views per cluster: there this stays unknown, and the rule never acts."
  return warning(blind, message, "campaign.payment = cpm")
}

const warning = (at: Pick<Clause, "span">, message: string, fix: string): Finding => ({
  code: "S08",
  severity: "warning",
  span: at.span,
  message: `${message} Add to where:`,
  fix
})

/** Whether rows of this kind are not ruled out. */
const admits = (clauses: ReadonlyArray<Clause>, kind: Condition): boolean =>
  !Boxes.disjoint(Boxes.ofClauses(clauses), Boxes.of(kind))

const is = (id: string, word: string): Condition => {
  const type = FactType.oneOf(id, [word])
  return {
    _tag: "Compare",
    op: "=",
    left: { _tag: "Fact", type, fact: { id } },
    right: { _tag: "Literal", type, value: word }
  }
}

const paidPerClick = is("campaign.payment", "cpc")
const standardBid = is("campaign.bid_type", "unified")
