/** What was decided of one bid, as the intent that a rule's own action would have made, with what it was made of. */
import type { BidBound } from "../../../domain/BidBound.js"
import * as FactType from "../../facts/FactType.js"
import type { Optimised } from "../../kinds/Parts.js"
import type { Action, Expr, Optimise, Placement } from "../../language/Policy.js"
import type * as Decision from "../../optimise/Decision.js"
import type * as Core from "../../optimise/Optimise.js"
import * as BidIntent from "../intents/BidIntent.js"
import type { Intent, Still } from "../intents/Intent.js"
import { ofRow, stay, unmoved } from "../intents/Intent.js"
import * as MinusIntent from "../intents/MinusIntent.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import { hundredths } from "./Budgets.js"
import { type Offer, resting } from "./Offer.js"
import type * as Streams from "./Streams.js"

/** What was decided, with its reasons; of a bid that is left only what leaves it, for reasons are dear and most of a large account is left. */
export type Decided =
  | Decision.Decision
  | { readonly verb: "leave"; readonly left: BidBound | Decision.Nothing }

export const of = (plan: Core.Plan, index: number): Decided => {
  if (plan.acts(index)) return plan.decision(index)
  const left = plan.left(index)
  // What it costs to show a cluster on trial is asked for.
  return left === "exploration" ? plan.decision(index) : { verb: "leave", left }
}

export const intentOf = (
  offer: Offer,
  action: Optimise,
  decision: Decided,
  budget: Optimised["budget"]
): Intent => {
  const { bidKopecks, placement = "search" } = offer
  switch (decision.verb) {
    case "bid":
      return told(
        BidIntent.of(offer.ground, setBid(offer, action, decision.bidKopecks, placement)),
        offer,
        decision,
        budget
      )
    case "minus":
    case "park":
      return told(MinusIntent.of(offer.ground, "AddMinus"), offer, decision, budget)
    case "unpark":
      return told(MinusIntent.of(offer.ground, "RemoveMinus"), offer, decision, budget)
    case "leave": {
      const why = whyLeft(decision)
      // What it waits for is what keeps any bid from it.
      if (typeof why !== "string" && why.code === "waits")
        return BidIntent.of(offer.ground, setBid(offer, action, bidKopecks, placement))
      return resting(offer, left(bidKopecks, why))
    }
  }
}

/** The bid as `set_bid` would set it; how far and how near was decided before. */
const setBid = (
  { stream }: Offer,
  { span }: Optimise,
  bidKopecks: number,
  placement: Placement
): Extract<Action, { readonly _tag: "SetBid" }> => ({
  _tag: "SetBid",
  to: literal(bidKopecks),
  // A bid above its cap comes down day by day, and no cap takes it past the most of a day.
  cap: literal(Math.max(stream.capKopecks, stream.bidKopecks, bidKopecks)),
  placement,
  span
})

const literal = (value: number): Expr => ({ _tag: "Literal", type: FactType.money, value })

/** The change with what it was made of, which the preview tells and the journal keeps. */
const told = (
  intent: Intent,
  offer: Offer,
  decision: Decision.Decision,
  budget: Optimised["budget"]
): Intent => {
  const { outcome } = intent
  if (outcome._tag !== "Move" || decision.reason._tag !== "Decided") return intent
  const { setting } = outcome
  const optimised = { ...optimisedOf(decision, decision.reason, offer), budget }
  const details = { ...setting.details, optimised }
  // One kind's setting and what it is told by belong together.
  return { ...intent, outcome: { ...outcome, setting: { ...setting, details } as typeof setting } }
}

const optimisedOf = (
  { verb }: Decision.Decision,
  reason: Decision.Grounds,
  { stream }: Offer
): Optimised => ({
  verb: verb === "leave" ? "bid" : verb,
  bound: reason.binds,
  worthKopecks: {
    low: Math.round(reason.valueKopecks.low),
    mean: Math.round(reason.valueKopecks.mean),
    high: Math.round(reason.valueKopecks.high)
  },
  seen: {
    views: reason.views,
    clicks: reason.clicks,
    orders: reason.orders,
    ...(reason.carts === undefined ? {} : { carts: reason.carts }),
    days: stream.counts._tag === "Known" ? hundredths(stream.counts.value.liveDays) : 0
  },
  curve: {
    source: reason.curve.source,
    exponent: hundredths(reason.curve.exponent),
    halfKopecks: Math.round(reason.curve.halfKopecks)
  },
  nextKopecks: Number.isFinite(reason.marginalKopecks) ? Math.round(reason.marginalKopecks) : null,
  targetKopecks: reason.targetKopecks,
  roubleEarns: hundredths(1 + reason.lambda),
  before: day(reason.before),
  after: day(reason.after)
})

const day = (outlook: Decision.Outlook): Optimised["before"] => ({
  views: Math.round(outlook.viewsPerDay),
  orders: hundredths(outlook.ordersPerDay),
  spendKopecks: Math.round(outlook.spendKopecksPerDay),
  profitKopecks: Math.round(outlook.profitKopecksPerDay)
})

const whyLeft = (decided: Decided): BidBound | Decision.Nothing => {
  if (!("reason" in decided)) return decided.left
  return decided.reason._tag === "Decided" ? decided.reason.binds : decided.reason.why
}

type Nothing = Exclude<Decision.Nothing, { readonly code: "waits" }>

const left = (bidKopecks: number, why: BidBound | Nothing): Still =>
  typeof why === "string"
    ? stay({ code: "optimised_already", bidKopecks, bound: why }, true)
    : unmoved(nothing(why), true)

const nothing = (why: Nothing): UnchangedReason | UnknownReason => {
  switch (why.code) {
    case "no_margin":
      return { code: "fact_unknown", fact: "margin", reason: why.because }
    case "no_statistics":
      return { code: "fact_unknown", fact: "statistics", reason: why.because }
    case "contradictory_levels":
    case "contradictory_history":
      return { code: "curve_contradicts" }
    case "impossible_statistics":
      return { code: "statistics_impossible" }
    case "floor_above_cap":
      return { code: "cap_below_floor" }
    case "floor_out_of_reach":
      return { code: "floor_out_of_reach" }
    case "moved_today":
      return { code: "moved_today" }
    case "in_minus":
      return { code: "minus_stays" }
    case "parked_until":
      return { code: "parked_for", days: Math.max(1, Math.ceil(why.inDays)) }
  }
}

export const leftIntent = ({ because, ground, slot }: Streams.Left): Intent =>
  ofRow(ground, slot, unmoved(because, true))
