/**
 * What `optimise` makes of the campaigns that match: all of a policy's bids are looked at together, each budget for itself, and
 * what is decided becomes ordinary bids and minus phrases, with every clamp and limit that these have anyway.
 */
import * as Arr from "effect/Array"
import * as Groups from "../../../domain/Groups.js"
import * as Window from "../../../domain/Window.js"
import * as Evaluate from "../../facts/Evaluate.js"
import type { Optimise, Policy } from "../../language/Policy.js"
import type * as Decision from "../../optimise/Decision.js"
import * as Learn from "../../optimise/Learn.js"
import * as Core from "../../optimise/Optimise.js"
import type { Budget, Listed, Settings, Stream } from "../../optimise/Stream.js"
import type { DayFound } from "../forecasts/ForecastDay.js"
import * as Judging from "../forecasts/Judging.js"
import * as Standing from "../forecasts/Standing.js"
import type { Ground, Intent, Outcome } from "../intents/Intent.js"
import { ofRow, stay, together, undecided } from "../intents/Intent.js"
import type { Forecast, Notice } from "../Plan.js"
import type { UnknownReason } from "../RowReason.js"
import * as Budgets from "./Budgets.js"
import * as Coming from "./Coming.js"
import * as Decided from "./Decided.js"
import type { Offer } from "./Offer.js"
import type * as Past from "./Past.js"
import * as StoodStill from "./StoodStill.js"
import * as Streams from "./Streams.js"
import * as Turns from "./Turns.js"

/** One policy's rows with their rules, of which some optimise. */
interface Wish {
  readonly action: Optimise
  readonly campaigns: readonly [Ground, ...ReadonlyArray<Ground>]
}

/** Intents of the rows that match, how many bids were looked at, and what each budget is expected to do. */
export interface Made {
  readonly intents: ReadonlyArray<Intent>
  readonly rows: number
  readonly forecasts: ReadonlyArray<Forecast>
  /** What the budgets were planned with, whatever becomes of it. */
  readonly wishes: ReadonlyArray<Turns.Wish>
  /** What is found of days that were forecast before. */
  readonly found: ReadonlyArray<DayFound>
  /** What is kept of a budget for campaigns that stand still by now, and which of them have no money. */
  readonly notices: ReadonlyArray<Notice>
}

/** What is looked at beside the rows. */
export interface Beside extends Turns.Beside {
  readonly past: Past.Past
  readonly nowMs: number
  readonly coming: Coming.Coming
}

/** By the number of a rule: why nobody knows whether a campaign is its, where something of one could not be read. */
export type Unread = ReadonlyMap<number, UnknownReason>

/** `grounds` are the rows that the policy matched, whatever their rules do. */
export const of = (
  policy: Pick<Policy, "id" | "rules">,
  grounds: ReadonlyArray<Ground>,
  beside: Beside,
  unread: Unread = new Map()
): Made => {
  const { nowMs, past } = beside
  const made = wishesOf(grounds).map((wish) =>
    intentsOf(wish, beside, unread.get(wish.campaigns[0].ruleIndex))
  )
  const standing = (budget: string) =>
    made
      .toReversed()
      .reduce<Standing.Values | undefined>((found, one) => found ?? one.standing(budget), undefined)
  return {
    intents: together(made.map(({ intents }) => intents)),
    rows: made.reduce((sum, { rows }) => sum + rows, 0),
    forecasts: made.flatMap(({ forecasts }) => forecasts),
    wishes: made.flatMap(({ wishes }) => wishes),
    found: foundOf(policy, past, nowMs, standing),
    notices: made.flatMap(({ notices }) => notices)
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
    // Of most days it is known already whether the bids stood.
    const now = kept.outcome === undefined ? standing(kept.budget) : undefined
    return Judging.find(kept, { nowMs, settledTo, standing: now, past }) ?? []
  })
}

const wishesOf = (grounds: ReadonlyArray<Ground>): ReadonlyArray<Wish> => {
  const byRule = new Map<number, Wish & { readonly campaigns: [Ground, ...Array<Ground>] }>()
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

const intentsOf = (
  { action, campaigns }: Wish,
  beside: Beside,
  unread: UnknownReason | undefined
): OfWish => {
  const { coming, past } = beside
  const settings = settingsOf(action, campaigns[0])
  const kept = Coming.kept(action, campaigns, coming, past)
  const lessons = new Learn.Lessons()
  const [shown, dry] = Arr.partition(campaigns, (ground) => StoodStill.isOutOfMoney(ground, past, coming))
  const asked = shown.map((ground) => lookAt(ground, action, past, kept.kopecks, lessons))
  const { found: told, undecidable } = apart(asked, action, past, unread ?? kept.unknown)
  const { found, left } = capped(told)
  const budgets = Budgets.of(found, action.window, past)
  const { explored, offers, parts, unsorted } = sortOut(
    found.flatMap((one) => one.offers),
    budgets,
    settings
  )
  const plan = planOf(offers, budgets, lessExploring(settings, explored, budgets), lessons)
  const byBudget = Budgets.byId(found)
  const standing = (budget: string) => {
    const own = byBudget.get(budget)
    return own === undefined ? undefined : Standing.listed(Budgets.standing(own))
  }
  const { nowMs, policy } = campaigns[0]
  const forecasts = plan.budgets.map((budget) =>
    Budgets.forecast(
      { ...budget, ...asItStands(unsorted.find(({ id }) => id === budget.id) ?? budget) },
      policy.id,
      nowMs,
      byBudget.get(budget.id) ?? []
    )
  )
  const paidBy = new Map(forecasts.map((forecast) => [forecast.budget, Budgets.paying(forecast)]))
  const wanted: Turns.Wanted = {
    size: offers.length + parts.length,
    offer: (index) => offers[index] ?? parts[index - offers.length]!.offer,
    stake: (index) => {
      if (index >= offers.length) return parts[index - offers.length]!.stake
      return plan.acts(index) ? plan.stake(index) : undefined
    }
  }
  const turn = Turns.take(wanted, beside, (index) => {
    const offer = wanted.offer(index)
    const decided = index < offers.length ? Decided.of(plan, index) : parts[index - offers.length]!.decided
    return Decided.intentOf(offer, action, decided, paidBy.get(offer.budget))
  })
  const intents = together([
    turn.intents,
    [...left, ...found.flatMap((one) => one.left)].map(Decided.leftIntent),
    undecidable.map(campaignIntent),
    dry.map((ground) => ofCampaign(ground, stay(outOfMoney, true)))
  ])
  return {
    intents,
    rows: intents.length,
    wishes: turn.wishes,
    standing,
    notices: [...kept.notices, ...dry.map(dryNotice)],
    forecasts: forecasts.map((one) => Turns.withLater(one, turn.later))
  }
}

/** Budget by budget, so that no more than its own streams are there at one time. */
const planOf = (
  offers: ReadonlyArray<Offer>,
  budgets: ReadonlyArray<Budget>,
  settings: Settings,
  lessons: Learn.Lessons
): Core.Plan => {
  const all: Listed = { length: offers.length, at: (index) => offers[index]?.stream }
  // Where some are not decided after all, or go without some of their parts, other streams were told of.
  const areOfAll = lessons.size === offers.length && offers.every(({ without }) => without === undefined)
  const learned = Learn.learn(all, areOfAll ? lessons : Learn.lessonsOf(all))
  const byBudget = Groups.by(offers.keys(), (index) => offers[index]!.budget)
  const places = new Uint32Array(offers.length)
  const plans = budgets.map((budget, place) => {
    const own = byBudget.get(budget.id) ?? []
    for (const index of own) places[index] = place
    const streams: Listed = { length: own.length, at: (index) => offers[own[index]!]?.stream }
    return { first: own[0] ?? 0, plan: Core.plan({ streams, budgets: [budget], settings }, learned) }
  })
  // Offers of one budget follow each other. Half a million are asked for several times, so a budget is found by its place.
  const of = (index: number) => plans[places[index]!]!
  return {
    budgets: plans.flatMap(({ plan }) => plan.budgets),
    size: offers.length,
    acts: (index) => of(index).plan.acts(index - of(index).first),
    stake: (index) => of(index).plan.stake(index - of(index).first),
    left: (index) => of(index).plan.left(index - of(index).first),
    decision: (index) => of(index).plan.decision(index - of(index).first)
  }
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

/** `kept`: what of the budget is others', kopecks a day. `lessons` are told of what is offered. */
const lookAt = (
  ground: Ground,
  action: Optimise,
  past: Past.Past,
  kept: number,
  lessons: Learn.Lessons
): Budgets.Found | Undecidable => {
  const id = action.budgetOf === "account" ? "account" : String(ground.target.campaignId)
  const kopecks = budgetOf(ground, action, kept)
  if (typeof kopecks !== "number") return { id, ground, because: kopecks }
  const offers = Streams.of(ground, action, id, past, lessons)
  if (offers.unread !== undefined)
    return { id, ground, because: { code: "fact_unknown", fact: "statistics", reason: offers.unread } }
  return offers.silent === undefined
    ? { id, ground, kopecks, ...offers }
    : { id, ground, because: offers.silent }
}

/** Of a budget that nobody knows all spend of, nothing is shared out: nor of the account's where a campaign may be part of it. */
const apart = (
  asked: ReadonlyArray<Budgets.Found | Undecidable>,
  { budgetOf, window }: Optimise,
  { charges }: Past.Past,
  unread: UnknownReason | undefined
) => {
  const first = new Map<string, UnknownReason>(
    unread === undefined || budgetOf !== "account" ? [] : [["account", unread]]
  )
  for (const one of asked) if ("because" in one && !first.has(one.id)) first.set(one.id, one.because)
  for (const [id, own] of Budgets.byId(asked.flatMap((one) => ("because" in one ? [] : [one])))) {
    const untold = first.has(id) ? undefined : Budgets.untold(own, window, charges)
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

/** Of a budget that also pays for what the rule may not set, every bid is left. */
const capped = (told: ReadonlyArray<Budgets.Found>) => {
  const why = new Map([...Budgets.byId(told)].map(([id, own]) => [id, Budgets.uncapped(own)]))
  return {
    found: told.filter(({ id }) => why.get(id) === undefined),
    left: told.flatMap(({ id, left, offers }): ReadonlyArray<Streams.Left> => {
      const because = why.get(id)
      return because === undefined
        ? []
        : [...left, ...offers.map(({ ground, slot }) => ({ ground, slot, because }))]
    })
  }
}

/** A cluster of an item whose one bid is for all, and what becomes of it. */
interface Part {
  readonly offer: Offer
  readonly decided: Decided.Decided
  readonly stake: Core.Stake | undefined
}

/**
 * Where one bid is for all clusters, each is shown at it or not at all: those that never pay become minus phrases, weak ones are
 * parked, and the bid is chosen for the others. Which they are is asked at the bid that is aimed at, as far as it goes up today: at a
 * bid that is still on its way down all clusters look weak.
 */
const sortOut = (
  offers: ReadonlyArray<Offer>,
  budgets: ReadonlyArray<Budget>,
  settings: Settings
): {
  readonly offers: ReadonlyArray<Offer>
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
    const target = reason._tag === "Decided" ? reason.targetKopecks : offer.bidKopecks
    return (offer.parts ?? []).map((part) => partAt(part.stream, target, settings.move))
  })
  const others = offers.map((offer) => without(offer, new Set(offer.parts?.map(({ slot }) => slot))).stream)
  const plan = Core.plan({ streams: [...at, ...others], budgets, settings }, learned)
  const sorted = all.map((offer, index) => ({ offer, index, decided: Decided.of(plan, index) }))
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

const isParked = ({ standing }: Offer): boolean => standing._tag === "Parked"

const parkedOf = ({ parts = [] }: Offer): ReadonlySet<string> =>
  new Set(parts.filter(isParked).map(({ slot }) => slot))

const isShown = ({ verb }: Decided.Decided, offer: Offer): boolean =>
  verb !== "minus" && verb !== "park" && (verb === "unpark" || !isParked(offer))

const without = (offer: Offer, slots: ReadonlySet<string>): Offer =>
  offer.without === undefined ? offer : { ...offer, stream: offer.without(slots) }

/** A cluster that can be shown at one bid only. */
const partAt = (stream: Stream, targetKopecks: number, move: number): Stream => {
  const { bidKopecks, stepKopecks } = stream
  const highest = Math.max(bidKopecks, Math.floor((bidKopecks * (1 + move)) / stepKopecks) * stepKopecks)
  const kopecks = Math.min(targetKopecks, highest)
  return { ...stream, floorKopecks: kopecks, capKopecks: kopecks }
}

const exploredBy = (decided: Decided.Decided): number =>
  "reason" in decided && decided.reason._tag === "Decided" && decided.reason.binds === "exploration"
    ? decided.reason.after.spendKopecksPerDay
    : 0

/** Of one budget for all, what clusters of one bid are given to learn is no longer there for the others. */
const lessExploring = (settings: Settings, explored: number, budgets: ReadonlyArray<Budget>): Settings => {
  const [only, other] = budgets
  if (explored === 0 || other !== undefined || !only?.dailyKopecks) return settings
  return { ...settings, explore: Math.max(0, settings.explore - explored / only.dailyKopecks) }
}

/** Whole kopecks a day, rounded down, without what is kept for others. Where nothing is left, nothing is meant: it would park every bid. */
const budgetOf = ({ row, table }: Ground, { budget }: Optimise, kept: number): number | UnknownReason => {
  const cell = Evaluate.value(budget, table, row)
  if (cell._tag === "Unknown") return { code: "fact_unknown", fact: "budget", reason: cell.reason }
  const kopecks = Math.floor(Number(cell.value))
  if (!Number.isSafeInteger(kopecks))
    return { code: "fact_malformed", fact: "budget", value: String(cell.value), wanted: "an amount of money" }
  return kopecks > kept ? kopecks - kept : { code: "budget_nothing", kopecks, keptKopecks: kept }
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

/** Nothing of the campaign is decided. */
const campaignIntent = ({ because, ground }: Undecidable): Intent =>
  ofCampaign(ground, undecided(because, true))

const ofCampaign = (ground: Ground, outcome: Outcome): Intent =>
  ofRow(ground, `optimise:${ground.target.campaignId}`, outcome)

const outOfMoney = { code: "out_of_money" } as const

const dryNotice = ({ policy, row, table, target: { campaignId } }: Ground): Notice => {
  const name = table.get(row, "campaign.name")
  return {
    policy: policy.id,
    ...(campaignId === undefined ? {} : { subject: { campaignId } }),
    campaignName: name._tag === "Known" ? String(name.value) : "",
    because: outOfMoney
  }
}
