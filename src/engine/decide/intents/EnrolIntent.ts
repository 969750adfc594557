/** What rules want of an item in a promotion: that it joins. What cannot be entered, or would be put into quarantine, stays. */
import * as Reason from "../../../domain/Reason.js"
import type * as Target from "../../../domain/Target.js"
import * as Needs from "../../facts/Needs.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import * as CostsKept from "../limits/CostsKept.js"
import * as NeverTouch from "../limits/NeverTouch.js"
import * as PriceFloor from "../limits/PriceFloor.js"
import { factsOf, type Ground, type Intent, type Outcome, stay, undecided } from "./Intent.js"

/** A price that falls this many times is put into quarantine by the marketplace, and the item sells at none. */
const quarantineTimes = 3

export const of = (ground: Ground): Intent => {
  const target = rowOf(ground)
  const slot = Enrolment.slot(target)
  return { ground, target, slot, outcome: outcome(ground, slot) }
}

const rowOf = ({ policy, target }: Ground): Target.PromotionItemTarget => {
  const { itemId, promotionId } = target
  if (promotionId === undefined || itemId === undefined)
    throw new RangeError(`${policy.id}: a row of enrol is an item in a promotion`)
  return { promotionId, itemId }
}

const outcome = (ground: Ground, slot: string): Outcome => {
  const { row } = ground
  const facts = factsOf(ground)
  for (const id of Needs.enrolFacts) {
    const cell = facts.get(row, id)
    if (cell._tag === "Unknown") return unsure(id, cell.reason)
  }
  const known = (id: (typeof Needs.enrolFacts)[number]) => {
    const cell = facts.get(row, id)
    return cell._tag === "Known" ? cell.value : undefined
  }
  const endsIn = Number(known("promotion.ends_in"))
  if (known("promotion.type") !== "regular") return stay({ code: "promotion_auto" }, false)
  if (!(endsIn > 0)) return stay({ code: "promotion_over" }, false)
  if (known("promotion_item.in_action") === true) return stay({ code: "enrolled_already" }, false)
  // Whatever became of it: what did not enter was refused, and what was taken out again a person took out.
  if (ground.slots.has(slot)) return stay({ code: "filed_before" }, false)
  const priceKopecks = Number(known("promotion_item.price"))
  const planPriceKopecks = Number(known("promotion_item.plan_price"))
  // A price of nothing is a mistake of the answer, not a gift.
  if (!isPrice(priceKopecks)) return malformed("promotion_item.price", priceKopecks)
  if (!isPrice(planPriceKopecks)) return malformed("promotion_item.plan_price", planPriceKopecks)
  if (planPriceKopecks * quarantineTimes <= priceKopecks)
    return stay({ code: "price_quarantine", priceKopecks, planPriceKopecks }, false)
  // The price before the other promotion was less than three times today's, or the item would be in quarantine by now.
  const fall = facts.get(row, drop)
  if (planPriceKopecks < priceKopecks && fall._tag === "Unknown" && Reason.isOfOther(fall.reason))
    return unsure(drop, fall.reason)
  const guarded = belowFloor(ground, planPriceKopecks) ?? soldOut(ground) ?? untouchable(ground)
  if (guarded !== undefined) return guarded
  // Whether the price falls with the filing or later turns on it.
  const startsIn = facts.get(row, "promotion.starts_in")
  if (startsIn._tag === "Unknown") return unsure("promotion.starts_in", startsIn.reason)
  const discount = facts.get(row, "promotion_item.discount")
  const costs = CostsKept.seen(ground.policy, facts, row)
  return {
    _tag: "Move",
    dearer: false,
    setting: {
      before: false,
      after: true,
      kind: Enrolment.name,
      clamps: [],
      reversible: false,
      details: {
        promotionName: String(known("promotion.name")),
        priceKopecks,
        planPriceKopecks,
        ...(discount._tag === "Known" ? { discountPercent: Math.round(Number(discount.value) * 100) } : {}),
        ...(ground.rule.action._tag === "Enrol" && ground.rule.action.overlap === "allowed"
          ? { mayOverlap: true }
          : {}),
        ...(costs === undefined ? {} : { costs }),
        ...datesOf(ground.nowMs, Number(startsIn.value), endsIn)
      }
    }
  }
}

const drop = "promotion_item.price_drop"

const isPrice = (kopecks: number): boolean => Number.isSafeInteger(kopecks) && kopecks > 0

const belowFloor = (ground: Ground, planPriceKopecks: number): Outcome | undefined => {
  const found = PriceFloor.against(planPriceKopecks, factsOf(ground), ground.row)
  const id = Needs.priceFloor
  switch (found?._tag) {
    case undefined:
      return undefined
    case "Below":
      return stay({ code: "price_floor", planPriceKopecks, floorKopecks: found.floorKopecks }, false)
    case "Unknown":
      return unsure(id, found.reason)
    case "Malformed":
      return undecided(
        { code: "fact_malformed", fact: nameOf(id), value: found.value, wanted: "an amount of money" },
        false
      )
  }
}

/** Nothing is asked for it: a rule that wants to know the stock names it. */
const soldOut = (ground: Ground): Outcome | undefined => {
  const stock = factsOf(ground).get(ground.row, "item.stock")
  return stock._tag === "Known" && !(Number(stock.value) > 0)
    ? stay({ code: "out_of_stock" }, false)
    : undefined
}

const untouchable = ({ rules, table, target }: Ground): Outcome | undefined => {
  const found = NeverTouch.ofItem(target, rules.limits, table)
  return found === undefined ? undefined : stay(found, false)
}

/** Times until something are told from when the run began. */
const datesOf = (nowMs: number, startsIn: number, endsIn: number) => ({
  ...(startsIn > 0 ? { startsAt: nowMs + startsIn } : {}),
  endsAt: nowMs + endsIn
})

const unsure = (id: string, reason: Reason.Reason): Outcome =>
  undecided({ code: "fact_unknown", fact: nameOf(id), reason }, false)

const malformed = (id: string, kopecks: number): Outcome =>
  undecided(
    { code: "fact_malformed", fact: nameOf(id), value: String(kopecks), wanted: "a whole amount above zero" },
    false
  )

const nameOf = (id: string): string => Vocabulary.byFactId(id)?.word ?? id
