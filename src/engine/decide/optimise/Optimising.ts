/**
 * What `optimise` makes of the campaigns that match: all of a policy's bids are looked at together, each budget for itself, and
 * what is decided becomes ordinary bids and minus phrases, with every clamp and limit that these have anyway.
 */
import type { BidBound } from "../../../domain/BidBound.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Window from "../../../domain/Window.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as FactType from "../../facts/FactType.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { Optimised } from "../../kinds/Parts.js"
import type { Action, Expr, Optimise, Policy } from "../../language/Policy.js"
import type * as Decision from "../../optimise/Decision.js"
import * as Learn from "../../optimise/Learn.js"
import * as Core from "../../optimise/Optimise.js"
import type { Budget, Settings, Stream } from "../../optimise/Stream.js"
import type { DayFound } from "../forecasts/ForecastDay.js"
import * as Judging from "../forecasts/Judging.js"
import type * as Standing from "../forecasts/Standing.js"
import * as BidIntent from "../intents/BidIntent.js"
import type { Ground, Intent, Outcome } from "../intents/Intent.js"
import { stay, targetOf, undecided, unmoved } from "../intents/Intent.js"
import * as MinusIntent from "../intents/MinusIntent.js"
import type * as Early from "../limits/Early.js"
import type { Forecast } from "../Plan.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import * as Budgets from "./Budgets.js"
import type * as Past from "./Past.js"
import * as Streams from "./Streams.js"
import * as Turns from "./Turns.js"
import * as Untold from "./Untold.js"

/** One policy's rows with their rules, of which some optimise. */
interface Wish {
  readonly action: Optimise
  readonly campaigns: ReadonlyArray<Ground>
}

/** Intents of the rows that match, how many bids were looked at, and what each budget is expected to do. */
export interface Made {
  readonly intents: ReadonlyArray<Intent>
  readonly rows: number
  readonly forecasts: ReadonlyArray<Forecast>
  /** What is found of days that were forecast before. */
  readonly found: ReadonlyArray<DayFound>
}

/** What is looked at beside the rows. */
export interface Beside {
  readonly past: Past.Past
  readonly nowMs: number
  /** What becomes of a move by what is known of its slot. */
  readonly pass: (intent: Intent) => Intent
  /** What is known to hold moves before any is decided. */
  readonly known: Early.Looks
}

/** `grounds` are the rows that the policy matched, whatever their rules do. */
export const of = (
  policy: Pick<Policy, "id" | "rules">,
  grounds: ReadonlyArray<Ground>,
  beside: Beside
): Made => {
  const { nowMs, past } = beside
  const made = wishesOf(grounds).map((wish) => intentsOf(wish, beside))
  const standing = (budget: string) =>
    made.findLast((one) => one.standing(budget) !== undefined)?.standing(budget)
  return {
    intents: made.flatMap(({ intents }) => intents),
    rows: made.reduce((sum, { rows }) => sum + rows, 0),
    forecasts: made.flatMap(({ forecasts }) => forecasts),
    found: foundOf(policy, past, nowMs, standing)
  }
}

const foundOf = (
  { id, rules }: Pick<Policy, "id" | "rules">,
  past: Past.Past,
  nowMs: number,
  standing: OfWish["standing"]
): ReadonlyArray<DayFound> => {
  const windows = rules.flatMap(({ action }) => (action._tag === "Optimise" ? [action.window] : []))
  const settled = windows.map((window) => Window.resolve(window, nowMs).to).sort()
  if (settled[0] === undefined) return []
  const settledTo = settled[0]
  return past.kept.flatMap((kept) => {
    if (kept.policy !== id) return []
    return Judging.find(kept, { nowMs, settledTo, standing: standing(kept.budget), past }) ?? []
  })
}

const wishesOf = (grounds: ReadonlyArray<Ground>): ReadonlyArray<Wish> => {
  const byRule = new Map<number, Wish & { readonly campaigns: Array<Ground> }>()
  for (const ground of grounds) {
    const { action } = ground.rule
    if (action._tag !== "Optimise") continue
    const known = byRule.get(ground.ruleIndex)
    if (known === undefined) byRule.set(ground.ruleIndex, { action, campaigns: [ground] })
    else known.campaigns.push(ground)
  }
  return [...byRule.values()]
}

interface OfWish extends Omit<Made, "found"> {
  /** The bids of a budget as they stand; undefined where it has none. */
  readonly standing: (budget: string) => Standing.Values | undefined
}

const intentsOf = ({ action, campaigns }: Wish, beside: Beside): OfWish => {
  const { past } = beside
  const settings = settingsOf(action, campaigns[0]!)
  const asked = campaigns.map((ground) => lookAt(ground, action, past))
  const { found, undecidable } = apart(asked, action, past)
  const budgets = Budgets.of(found, action.window, past)
  const { explored, offers, parts, unsorted } = sortOut(
    found.flatMap((one) => one.offers),
    budgets,
    settings
  )
  const streams = offers.map(({ stream }) => stream)
  const plan = Core.plan({ streams, budgets, settings: lessExploring(settings, explored, budgets) })
  const byBudget = Budgets.byId(found)
  const standing = (budget: string) => {
    const own = byBudget.get(budget)
    return own === undefined ? undefined : Budgets.standing(own)
  }
  const { nowMs, policy } = campaigns[0]!
  const forecasts = plan.budgets.map((budget) =>
    Budgets.forecast(
      { ...budget, ...asItStands(unsorted.find(({ id }) => id === budget.id) ?? budget) },
      policy.id,
      nowMs,
      byBudget.get(budget.id) ?? [],
      standing(budget.id)
    )
  )
  const paidBy = new Map(forecasts.map((forecast) => [forecast.budget, Budgets.paying(forecast)]))
  const wanted: Wanted = {
    size: offers.length + parts.length,
    offer: (index) => offers[index] ?? parts[index - offers.length]!.offer,
    stake: (index) => {
      if (index >= offers.length) return parts[index - offers.length]!.stake
      return plan.acts(index) ? plan.stake(index) : undefined
    }
  }
  const turn = inTurn(wanted, beside, (index) => {
    const offer = wanted.offer(index)
    const decided = index < offers.length ? decidedOf(plan, index) : parts[index - offers.length]!.decided
    return intentOf(offer, action, decided, paidBy.get(offer.stream.budget))
  })
  const intents = [
    ...turn.intents,
    ...found.flatMap((one) => one.left.map(leftIntent)),
    ...undecidable.map(campaignIntent)
  ]
  return {
    intents,
    rows: intents.length,
    standing,
    forecasts: forecasts.map((one) => withLater(one, turn.later))
  }
}

/** Bids and clusters that something becomes of, by their number; `stake` where that is a move. */
interface Wanted extends Pick<Turns.Moves, "size" | "stake"> {
  readonly offer: (index: number) => Streams.Offer
}

/** The moves of this run; of those that later runs make, what they come to. */
const inTurn = (wanted: Wanted, { known, pass }: Beside, make: (index: number) => Intent) => {
  const intents: Array<Intent> = []
  const later: LaterSums = new Map()
  if (wanted.size === 0) return { intents, later }
  const { policy, rules } = wanted.offer(0).ground
  const most = Turns.mostOf([
    { most: policy.limits.changesPerRun, where: `${policy.file} limits.changes_per_run` },
    { most: rules.limits.changesPerRun, where: "_shared/limits.yaml account.changes_per_run" }
  ])
  const made = new Map<number, Intent>()
  const idOf = (index: number) => wanted.offer(index).stream.id
  const flags = Turns.later(
    {
      ...wanted,
      compareIds: (a, b) => TextOrder.compare(idOf(a), idOf(b)),
      isHeld: (index) => known.isHeld(moveOf(wanted, index)),
      sharesOf: (index) => known.sharesOf(moveOf(wanted, index)),
      goes: (index) => {
        const intent = make(index)
        made.set(index, intent)
        return pass(intent).outcome._tag === "Move"
      }
    },
    most.most
  )
  const waits = stay({ code: "later_run", ...most }, true)
  for (let index = 0; index < wanted.size; index++) {
    if (flags[index] === 0) {
      intents.push(made.get(index) ?? make(index))
      continue
    }
    const { ground, slot, stream } = wanted.offer(index)
    intents.push({ ground, target: targetOf(ground), slot, outcome: waits })
    add(later, stream.budget, wanted.stake(index)?.moreKopecks ?? 0)
  }
  return { intents, later }
}

const moveOf = ({ offer, stake }: Wanted, index: number): Early.Move => {
  const { ground, slot } = offer(index)
  const subject = targetOf(ground)
  return {
    policy: ground.policy.id,
    subject,
    slot: stake(index)?.verb === "bid" ? slot : MinusPhrase.slot(subject)
  }
}

/** By budget: how many moves are left to later runs, and kopecks a day that these save and add. */
type LaterSums = Map<string, { changes: number; saves: number; adds: number }>

const add = (later: LaterSums, budget: string, moreKopecks: number): void => {
  const sums = later.get(budget) ?? { changes: 0, saves: 0, adds: 0 }
  later.set(budget, sums)
  sums.changes += 1
  sums.saves += Math.max(0, 0 - moreKopecks)
  sums.adds += Math.max(0, moreKopecks)
}

/** A forecast is of all moves of its budget, so it says which are in no plan yet. */
const withLater = (forecast: Forecast, later: LaterSums): Forecast => {
  const sums = later.get(forecast.budget)
  if (sums === undefined) return forecast
  const { adds, changes, saves } = sums
  return { ...forecast, later: { changes, savesKopecks: Math.round(saves), addsKopecks: Math.round(adds) } }
}

/** What is expected if nothing is changed. */
const asItStands = (budget: Decision.BudgetOutlook) => ({
  profitBeforeKopecksPerDay: budget.profitBeforeKopecksPerDay,
  spendBeforeKopecksPerDay: budget.spendBeforeKopecksPerDay,
  ordersBeforePerDay: budget.ordersBeforePerDay
})

/** A campaign about whose money nobody can decide, and why. */
interface Undecidable {
  readonly id: string
  readonly ground: Ground
  readonly because: UnknownReason
}

const lookAt = (ground: Ground, action: Optimise, past: Past.Past): Budgets.Found | Undecidable => {
  const id = action.budgetOf === "account" ? "account" : String(ground.target.campaignId)
  const kopecks = budgetOf(ground, action)
  if (typeof kopecks !== "number") return { id, ground, because: kopecks }
  const offers = Streams.of(ground, action, id, past)
  return offers.unread === undefined
    ? { id, ground, kopecks, ...offers }
    : { id, ground, because: { code: "fact_unknown", fact: "statistics", reason: offers.unread } }
}

/** Of a budget that nobody knows all spend of, nothing is shared out. */
const apart = (
  asked: ReadonlyArray<Budgets.Found | Undecidable>,
  { window }: Optimise,
  { charges }: Past.Past
) => {
  const first = new Map<string, UnknownReason>()
  for (const one of asked) if ("because" in one && !first.has(one.id)) first.set(one.id, one.because)
  for (const [id, own] of Budgets.byId(asked.flatMap((one) => ("because" in one ? [] : [one])))) {
    const untold = first.has(id) ? undefined : Untold.verdict(own, window, charges)
    if (untold !== undefined) first.set(id, untold)
  }
  return {
    found: asked.flatMap((one) => ("because" in one || first.has(one.id) ? [] : [one])),
    undecidable: asked.flatMap((one): ReadonlyArray<Undecidable> => {
      if ("because" in one) return [one]
      const because = first.get(one.id)
      return because === undefined ? [] : [{ id: one.id, ground: one.ground, because }]
    })
  }
}

/** A cluster of an item whose one bid is for all, and what becomes of it. */
interface Part {
  readonly offer: Streams.Offer
  readonly decided: Decided
  readonly stake: Core.Stake | undefined
}

/** What was decided, with its reasons; of a bid that is left only what leaves it, for reasons are dear and most of a large account is left. */
type Decided = Decision.Decision | { readonly verb: "leave"; readonly left: BidBound | Decision.Nothing }

const decidedOf = (plan: Core.Plan, index: number): Decided => {
  if (plan.acts(index)) return plan.decision(index)
  const left = plan.left(index)
  // What it costs to show a cluster on trial is asked for.
  return left === "exploration" ? plan.decision(index) : { verb: "leave", left }
}

/**
 * Where one bid is for all clusters, each is shown at it or not at all: those that never pay become minus phrases, weak ones are
 * parked, and the bid is chosen for the others. Which they are is asked at the bid that is aimed at, as far as it goes up today: at a
 * bid that is still on its way down all clusters look weak.
 */
const sortOut = (
  offers: ReadonlyArray<Streams.Offer>,
  budgets: ReadonlyArray<Budget>,
  settings: Settings
): {
  readonly offers: ReadonlyArray<Streams.Offer>
  readonly parts: ReadonlyArray<Part>
  readonly explored: number
  /** The budgets with all clusters that are shown now. */
  readonly unsorted: ReadonlyArray<Decision.BudgetOutlook>
} => {
  const all = offers.flatMap((offer) => offer.parts ?? [])
  if (all.length === 0) return { offers, parts: [], explored: 0, unsorted: [] }
  const learned = Learn.learn([...offers, ...all].map(({ stream }) => stream))
  const whole = offers.map((offer) => without(offer, parkedOf(offer)))
  const aimed = Core.plan({ streams: whole.map(({ stream }) => stream), budgets, settings }, learned)
  const at = offers.flatMap((offer, index) => {
    const { reason } = aimed.decision(index)
    const target = reason._tag === "Decided" ? reason.targetKopecks : offer.stream.bidKopecks
    return (offer.parts ?? []).map((part) => partAt(part.stream, target, settings.move))
  })
  const others = offers.map((offer) => without(offer, new Set(offer.parts?.map(({ slot }) => slot))).stream)
  const plan = Core.plan({ streams: [...at, ...others], budgets, settings }, learned)
  const sorted = all.map((offer, index) => ({ offer, index, decided: decidedOf(plan, index) }))
  const gone = new Set(sorted.flatMap(({ decided, offer }) => (isShown(decided, offer) ? [] : [offer.slot])))
  return {
    offers: offers.map((offer) => without(offer, gone)),
    unsorted: aimed.budgets,
    // What is shown goes with the bid of its item, of which the item tells.
    parts: sorted
      .filter(({ decided, offer }) => isParked(offer) || !isShown(decided, offer))
      .map(({ index, ...part }) => ({ ...part, stake: plan.acts(index) ? plan.stake(index) : undefined })),
    explored: sorted.reduce((sum, { decided }) => sum + exploredBy(decided), 0)
  }
}

const isParked = ({ stream }: Streams.Offer): boolean => stream.standing._tag === "Parked"

const parkedOf = ({ parts = [] }: Streams.Offer): ReadonlySet<string> =>
  new Set(parts.filter(isParked).map(({ slot }) => slot))

const isShown = ({ verb }: Decided, offer: Streams.Offer): boolean =>
  verb !== "minus" && verb !== "park" && (verb === "unpark" || !isParked(offer))

const without = (offer: Streams.Offer, slots: ReadonlySet<string>): Streams.Offer =>
  offer.without === undefined ? offer : { ...offer, stream: offer.without(slots) }

/** A cluster that can be shown at one bid only. */
const partAt = (stream: Stream, targetKopecks: number, move: number): Stream => {
  const { bidKopecks, stepKopecks } = stream
  const highest = Math.max(bidKopecks, Math.floor((bidKopecks * (1 + move)) / stepKopecks) * stepKopecks)
  const kopecks = Math.min(targetKopecks, highest)
  return { ...stream, floorKopecks: kopecks, capKopecks: kopecks }
}

const exploredBy = (decided: Decided): number =>
  "reason" in decided && decided.reason._tag === "Decided" && decided.reason.binds === "exploration"
    ? decided.reason.after.spendKopecksPerDay
    : 0

/** Of one budget for all, what clusters of one bid are given to learn is no longer there for the others. */
const lessExploring = (settings: Settings, explored: number, budgets: ReadonlyArray<Budget>): Settings => {
  const [only, other] = budgets
  if (explored === 0 || other !== undefined || !only?.dailyKopecks) return settings
  return { ...settings, explore: Math.max(0, settings.explore - explored / only.dailyKopecks) }
}

/** Whole kopecks a day, rounded down. */
const budgetOf = ({ row, table }: Ground, { budget }: Optimise): number | UnknownReason => {
  const cell = Evaluate.value(budget, table, row)
  if (cell._tag === "Unknown") return { code: "fact_unknown", fact: "budget", reason: cell.reason }
  const kopecks = Math.floor(Number(cell.value))
  return Number.isSafeInteger(kopecks) && kopecks >= 0
    ? kopecks
    : {
        code: "fact_malformed",
        fact: "budget",
        value: String(cell.value),
        wanted: "an amount of money"
      }
}

const settingsOf = (action: Optimise, { policy, rules }: Ground): Settings => {
  const move = Math.min(
    action.moveBasisPoints,
    policy.limits.movePerDayBasisPoints ?? Number.POSITIVE_INFINITY,
    rules.limits.movePerDayBasisPoints ?? Number.POSITIVE_INFINITY
  )
  return {
    goal: action.goal,
    ...(action.drrBasisPoints === undefined ? {} : { drr: action.drrBasisPoints / 10_000 }),
    move: move / 10_000,
    deadband: action.deadbandBasisPoints / 10_000,
    explore: action.exploreBasisPoints / 10_000,
    ...(action.minus === undefined ? {} : { minusConfidence: action.minus / 100 }),
    park: action.park
  }
}

const intentOf = (
  offer: Streams.Offer,
  action: Optimise,
  decision: Decided,
  budget: Optimised["budget"]
): Intent => {
  const { ground, placement = "search", slot, stream } = offer
  switch (decision.verb) {
    case "bid":
      return told(
        BidIntent.of(ground, setBid(offer, action, decision.bidKopecks, placement)),
        offer,
        decision,
        budget
      )
    case "minus":
    case "park":
      return told(MinusIntent.of(ground, "AddMinus"), offer, decision, budget)
    case "unpark":
      return told(MinusIntent.of(ground, "RemoveMinus"), offer, decision, budget)
    case "leave":
      return { ground, target: targetOf(ground), slot, outcome: left(stream.bidKopecks, whyLeft(decision)) }
  }
}

/** The bid as `set_bid` would set it; how far and how near was decided before. */
const setBid = (
  { stream }: Streams.Offer,
  { span }: Optimise,
  bidKopecks: number,
  placement: "search" | "recommendations"
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
  offer: Streams.Offer,
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
  { stream }: Streams.Offer
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

const hundredths = (value: number): number => Math.round(value * 100) / 100

const whyLeft = (decided: Decided): BidBound | Decision.Nothing => {
  if (!("reason" in decided)) return decided.left
  return decided.reason._tag === "Decided" ? decided.reason.binds : decided.reason.why
}

const left = (bidKopecks: number, why: BidBound | Decision.Nothing): Outcome =>
  typeof why === "string"
    ? stay({ code: "optimised_already", bidKopecks, bound: why }, true)
    : unmoved(nothing(why), true)

const nothing = (why: Decision.Nothing): UnchangedReason | UnknownReason => {
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

const leftIntent = ({ because, ground, slot }: Streams.Left): Intent => ({
  ground,
  target: targetOf(ground),
  slot,
  outcome: unmoved(because, true)
})

/** Nothing of the campaign is decided. */
const campaignIntent = ({ because, ground }: Undecidable): Intent => ({
  ground,
  target: targetOf(ground),
  slot: `optimise:${ground.target.campaignId}`,
  outcome: undecided(because, true)
})
