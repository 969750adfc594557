/** S01 and S09: bids that move without news, and bids without a ceiling in money. */
import * as FactRefs from "../../facts/FactRefs.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { AccountLimits, Action, Expr, Policy } from "../Policy.js"
import type { Finding } from "./Finding.js"
import type { Rule, Subject } from "./Subject.js"

/** `limits` is absent when the account's limits could not be read: then nothing is said about ceilings. */
export const of = ({ policy, rules }: Subject, limits: AccountLimits | undefined): ReadonlyArray<Finding> =>
  rules.flatMap((rule) => [
    ...creeping(policy, rule),
    ...(limits === undefined ? [] : unbounded(policy, rule.action, limits))
  ])

/** A `set_bid` computed from the bid itself moves like a raise or a cut: each run moves it again. */
const creeping = (policy: Policy, { action, clauses }: Rule): ReadonlyArray<Finding> => {
  if (action._tag !== "SetBid" || policy.cooldownMs !== undefined) return []
  if (!FactRefs.ofExpr(action.to).some(({ id }) => ownBid.test(id))) return []
  if (FactRefs.ofClauses(clauses).some(({ id }) => Vocabulary.byFactId(id)?.windowed === true)) return []
  const message =
    "The new bid is computed from the bid itself, and no statistic is asked: it would move again in each run. Add cooldown:"
  return [{ code: "S01", severity: "error", span: action.span, message, fix: "cooldown: 6h" }]
}

const ownBid = /^(cluster|campaign_item)\.bid(\.|$)/

const unbounded = (policy: Policy, action: Action, limits: AccountLimits): ReadonlyArray<Finding> => {
  if (action._tag !== "RaiseBid" && action._tag !== "SetBid") return []
  if (isAmount(action.cap)) return []
  const ceilings = [policy.limits.maxBidKopecks, limits.maxBidKopecks]
  const bounded = (["cpm", "cpc"] as const).every((payment) =>
    ceilings.some((ceiling) => ceiling?.[payment] !== undefined)
  )
  if (bounded || (ceilings.some((ceiling) => ceiling !== undefined) && policy.each === "cluster")) return []
  const message =
    "The cap is no amount of money and no max_bid is set, so nothing says how high the bid may go. Add to the account's limits:"
  return [
    { code: "S09", severity: "warning", span: action.span, message, fix: "max_bid: {cpm: 900 ₽, cpc: 40 ₽}" }
  ]
}

const isAmount = (cap: Expr): boolean => FactRefs.ofExpr(cap).length === 0
