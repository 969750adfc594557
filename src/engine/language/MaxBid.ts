/**
 * Bids above `max_bid` come down even where no rule touches them: policies made of the account's limits, for the bids of
 * items, which are read with the campaigns. They look at no statistics, so nothing keeps them waiting.
 */
import { PolicyId } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as FactType from "../facts/FactType.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Meaning from "./Meaning.js"
import type {
  AccountLimits,
  Clause,
  Condition,
  Expr,
  Placement,
  Policy,
  Rule,
  RuleSet,
  Span
} from "./Policy.js"

/** The rules with the policies of their limits; the same rules when they are there already. */
export const added = (rules: RuleSet): RuleSet =>
  rules.policies.some(({ isOfLimits }) => isOfLimits === true)
    ? rules
    : { ...rules, policies: [...rules.policies, ...policies(rules.limits)].sort(byId) }

const byId = TextOrder.by(({ id }: Policy) => id)

/** None when there is no `max_bid`, or `enforce_max_bid: off`. */
export const policies = (limits: AccountLimits): ReadonlyArray<Policy> => {
  const { enforceMaxBid: mode = "preview" } = limits
  if (mode === "off") return []
  return (["search", "recommendations"] as const).flatMap((placement) => {
    const rules = bounds(limits)
      .sort((a, b) => a.kopecks - b.kopecks)
      .map((bound) => rule(bound, placement))
    return rules.length === 0 ? [] : [policy(rules, placement, mode)]
  })
}

const policy = (rules: ReadonlyArray<Rule>, placement: Placement, mode: "preview" | "apply"): Policy => {
  const { file, line } = rules[0]!.action.span
  const made: Omit<Policy, "hash"> = {
    id: PolicyId(placement === "search" ? "limits/max-bid" : "limits/max-bid-recommendations"),
    file,
    name: `Bids above max_bid${placement === "search" ? "" : ", in recommendations"} (${file}:${line})`,
    mode,
    each: "campaign_item",
    // A standard bid is one for both placements, and a campaign that is shown nowhere pays nothing.
    where:
      placement === "search" ? [] : [clause(rules[0]!.action.span, "campaign.bid_type = manual", custom)],
    tier: "safety",
    rules,
    ifUnknown: "skip",
    maxUnknownBasisPoints: 10_000,
    limits: {},
    isOfLimits: true
  }
  return Meaning.named(made)
}

interface Bound {
  readonly payment: "cpm" | "cpc"
  readonly kopecks: Money.Kopecks
  readonly where: ReadonlyArray<Clause>
  readonly span: Span
}

const bounds = (limits: AccountLimits): Array<Bound> =>
  [{ ...limits, where: [] }, ...limits.campaigns].flatMap(({ maxBidKopecks, maxBidSpan: span, where }) =>
    (["cpm", "cpc"] as const).flatMap((payment) => {
      const kopecks = maxBidKopecks?.[payment]
      return kopecks === undefined || span === undefined ? [] : [{ payment, kopecks, where, span }]
    })
  )

const rule = ({ kopecks, payment, span, where }: Bound, placement: Placement): Rule => {
  const most: Expr = { _tag: "Literal", type: FactType.money, value: kopecks }
  const bid = fact(placement === "search" ? "campaign_item.bid" : "campaign_item.bid.recommendations")
  const paid: Condition = compare("=", fact("campaign.payment"), payment)
  const isAbove: Condition = { _tag: "Compare", op: ">", left: bid, right: most }
  const shown = Money.format(kopecks)
  return {
    name: `max_bid ${payment} ${shown}`,
    when: [
      clause(span, `campaign.payment = ${payment}`, paid),
      ...where,
      clause(span, `${placement === "search" ? "bid" : "bid.recommendations"} > ${shown}`, isAbove)
    ],
    action: { _tag: "SetBid", to: most, cap: most, placement, span }
  }
}

const clause = (span: Span, text: string, condition: Condition): Clause => ({ text, condition, span })

const fact = (id: string): Expr => {
  const found = Vocabulary.byFactId(id)
  if (found === undefined) throw new RangeError(`"${id}" is not a fact of the vocabulary`)
  return { _tag: "Fact", type: found.type, fact: { id } }
}

const compare = (op: "=", left: Expr, word: string): Condition => ({
  _tag: "Compare",
  op,
  left,
  right: { _tag: "Literal", type: left.type, value: word }
})

const custom = compare("=", fact("campaign.bid_type"), "manual")
