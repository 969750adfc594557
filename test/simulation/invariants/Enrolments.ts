/**
 * Invariant 28: an item is asked for in a promotion once: what was filed, or may have been, is never filed again.
 * Invariant 29: nothing is filed without a person's word: an approval, or a rule that says it may go alone.
 * Invariant 30: every item that is filed is one that its rule means, by the marketplace's own truth: of a regular promotion
 * that is not over, not in it, at a price that does not fall three times, with every condition that can be told. Of costs
 * none may be unknown, no price may be below the seller's floor, and what is left of the price must meet the rule even if nothing were spent on advertising.
 * Invariant 22 of items: what entered is not denied, and what may still enter stays open, for some hours.
 */
import * as Buyers from "../../../src/sandbox/market/Buyers.js"
import * as Promotions from "../../../src/sandbox/market/Promotions.js"
import * as Economics from "../chaos/Economics.js"
import type { Cycle, Observed, Request, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as MachineClock from "./MachineClock.js"
import * as RuleTruth from "./RuleTruth.js"

const upload = "uploadPromotionItems"
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Whether a row is about an item in a promotion. */
export const isFiled = ({ slot }: Pick<Row, "slot">): boolean => slot.startsWith("enrolment:")

/** Promotion and item of a row's slot. */
const placeOf = ({ slot }: Pick<Row, "slot">): readonly [promotionId: number, itemId: number] => {
  const [promotionId = 0, itemId = 0] = slot
    .slice(slot.indexOf(":") + 1)
    .split("/")
    .map(Number)
  return [promotionId, itemId]
}

/** What a request asks for. */
const askedBy = ({ body, operation }: Request): ReadonlyArray<string> => {
  if (operation !== upload) return []
  const { nomenclatures = [], promotionID } = JSON.parse(body).data
  return nomenclatures.map((itemId: number) => `${promotionID}/${itemId}`)
}

/** A plain no: the marketplace did nothing. */
const isRefused = ({ status }: Request): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 499

export const once = (observed: Observed): ReadonlyArray<Violation> => {
  const before = new Map<string, Request>()
  return observed.requests.flatMap((request) => {
    // One that a process sent when it woke is the first of its items: nobody files them again meanwhile.
    const twice = askedBy(request).filter((one) => before.has(one))
    if (!isRefused(request)) for (const one of askedBy(request)) before.set(one, request)
    const entries = twice.flatMap((one) => before.get(one)?.entries ?? [])
    const what = `${twice.join(", ")} was filed again`
    return twice.length === 0 ? [] : [{ invariant: 28, at: request.at, what, entries }]
  })
}

export const byAPersonsWord = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return filed(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    const found = (what: string): ReadonlyArray<Violation> => [
      { invariant: 29, at: entry.at, what: `${Effects.place(entry)}: ${what}`, entries: [entry.seq] }
    ]
    if (cycle === undefined) return []
    if (cycle.kind === "approve") {
      const shown = new Set(cycle.plan?.changes.map(({ subject }) => Number(subject.itemId)))
      const strange = (entry.task?.asked ?? []).filter((itemId) => !shown.has(itemId))
      return strange.length === 0 ? [] : found(`nobody was shown ${strange.join(", ")}`)
    }
    const alone = rows(effect).find((row) => modeOf(cycle, row) === "approve")
    if (alone !== undefined) return found(`nobody has approved it, and ${alone.policy} asks for that`)
    return cycle.kind === "schedule" ? [] : found(`filed by a turn of ${cycle.kind}`)
  })
}

const modeOf = ({ rules }: Cycle, { policy }: Row) => rules.policies.find(({ id }) => id === policy)?.mode

const filed = (observed: Observed) => Effects.of(observed).filter(({ entry }) => entry.slot === "promotion")

/** So long may lie between the last look at the marketplace and the request. */
const looksBackMs = 6 * minuteMs

export const asItsRuleSays = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return filed(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    const byItem = new Map(rows(effect).map((row) => [placeOf(row)[1], row]))
    return (entry.task?.asked ?? []).flatMap((itemId): ReadonlyArray<Violation> => {
      const policy = cycle?.rules.policies.find(({ id }) => id === byItem.get(itemId)?.policy)
      const wrongAt = (at: number) => wrong(observed, Number(entry.target.promotionId), itemId, policy, at)
      const now = wrongAt(entry.at)
      if (now === undefined || wrongAt(entry.at - looksBackMs) === undefined) return []
      const what = `${Effects.place(entry)} was filed with item ${itemId}: ${now}`
      return [{ invariant: 30, at: entry.at, what, entries: [entry.seq] }]
    })
  })
}

/** What speaks against filing an item at an instant; undefined when nothing does. */
const wrong = (
  observed: Observed,
  promotionId: number,
  itemId: number,
  policy: Cycle["rules"]["policies"][number] | undefined,
  at: number
): string | undefined => {
  const { world } = observed
  const promotion = Promotions.byId(world, promotionId, at)
  if (promotion === undefined) return "there is no such promotion"
  if (promotion.type !== "regular") return "the marketplace fills the promotion itself"
  if (promotion.endsAt <= at) return "the promotion is over"
  if (Promotions.isIn(world, promotionId, itemId, at)) return "it is in"
  const { discount, planDiscount, planPriceKopecks } = Promotions.terms(world, promotionId, itemId, at)
  const priceKopecks = Buyers.priceKopecks(world, itemId, at)
  if (planPriceKopecks * 3 <= priceKopecks)
    return `its price would fall from ${priceKopecks} to ${planPriceKopecks}`
  const terms = Economics.draw(observed.seed).get(itemId)
  if (hasTable(observed) && terms?.floor !== undefined && planPriceKopecks < terms.floor)
    return `it may not cost less than ${terms.floor}, and would cost ${planPriceKopecks}`
  const margin = terms === undefined ? undefined : Economics.mostMargin(terms, planPriceKopecks)
  const facts: RuleTruth.Facts = {
    ...(terms?.unitCost === undefined ? {} : { "item.unit_cost": terms.unitCost }),
    ...(margin === undefined ? {} : { "promotion_item.margin_at_plan_price": margin }),
    "promotion.type": promotion.type,
    "promotion_item.in_action": false,
    "promotion_item.price": priceKopecks,
    "promotion_item.plan_price": planPriceKopecks,
    "promotion_item.discount": discount / 100,
    "promotion_item.plan_discount": planDiscount / 100,
    "promotion_item.price_drop": (priceKopecks - planPriceKopecks) / priceKopecks
  }
  const conditions =
    policy === undefined ? [] : [...policy.where, ...policy.rules.flatMap(({ when }) => when)]
  const unknown = conditions.find(
    ({ condition }) =>
      /unit_cost|margin/.test(JSON.stringify(condition)) && RuleTruth.of(condition, facts) === undefined
  )
  if (unknown !== undefined) return `nobody knows ${unknown.text}: its costs have a hole`
  const failing = conditions.find(({ condition }) => RuleTruth.of(condition, facts) === false)
  if (failing !== undefined) return `its rule says ${failing.text}`
  const startsLater = conditions.some(({ condition }) => RuleTruth.asksForLater(condition))
  return startsLater && promotion.startsAt <= MachineClock.shown(observed, at) && promotion.startsAt <= at
    ? "the promotion has started"
    : undefined
}

/** Whether the seller's table of costs is among the rules; a story may have none. */
const hasTable = ({ versions }: Observed): boolean =>
  versions.some(({ ownFacts = [] }) => ownFacts.some(({ dated }) => dated !== undefined))

const denying = ["rejected", "not_applied", "skipped", "conflict"]

/** An item that a task of ours brought in is not called refused or left out once its promotion's list shows it. */
export const truthful = (observed: Observed): ReadonlyArray<Violation> => {
  const { world } = observed
  const rows = Effects.rowsOf(observed)
  return filed(observed).flatMap((effect) => {
    const { entry } = effect
    return rows(effect).flatMap((row): ReadonlyArray<Violation> => {
      const [promotionId, itemId] = placeOf(row)
      if (!denying.includes(row.state) || !(entry.task?.entered ?? []).includes(itemId)) return []
      // The marketplace may have ended or deleted the promotion before anybody could see it.
      const isGone = row.state === "conflict" && /"gone"/.test(row.reason ?? "")
      if (isGone || MachineClock.shown(observed, entry.effectiveAt) > row.updatedAt) return []
      if (!Promotions.isIn(world, promotionId, itemId, entry.effectiveAt)) return []
      const what = `${row.slot} is in, and the journal says ${row.state}: ${row.reason}`
      return [{ invariant: 22, at: entry.at, what, entries: [entry.seq] }]
    })
  })
}

/** The next turns of the lane, and what they wait for. */
const settlingMs = 5 * hourMs

/**
 * Whether a row may still be open when all has come to rest: its item may yet enter, for the promotion has not started long
 * ago, nor was it filed long ago; or it entered a moment ago.
 */
export const mayBeOpen = (observed: Observed, row: Row): boolean => {
  if (!isFiled(row) || !["accepted", "unknown", "dispatching"].includes(row.state)) return false
  const { toMs, versions, world } = observed
  const [promotionId, itemId] = placeOf(row)
  const hasLane = versions.every(({ policies }) => policies.some(({ each }) => each === "promotion_item"))
  if (!hasLane) return true
  const { details } = Effects.changeOf(row) as { readonly details: { readonly startsAt?: number } }
  const until = Math.max(details.startsAt ?? 0, row.updatedAt + 6 * hourMs) + settlingMs
  const isLongIn =
    Promotions.isIn(world, promotionId, itemId, toMs - settlingMs) &&
    Promotions.byId(world, promotionId, toMs - settlingMs) !== undefined
  return !isLongIn && MachineClock.shown(observed, toMs) < until
}
